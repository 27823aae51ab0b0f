// `sglrun number`: adds the member `sglrun` to lines (record_number.h).
#pragma once

#include <string>

#include "base/result.h"
#include "io/dialect/parsed_line.h"
#include "io/jsonl_reader.h"
#include "io/occurrence_counter.h"

namespace sglrun::io {

class Numberer {
 public:
  // `names_file`: rows of the inputs name the file of their record, because there are several.
  Numberer(LineFormat format, bool names_file) : dialects_(format), names_file_(names_file) {}

  // The numbered form of the next line, with its line end. Lines come in input order. Fails if the
  // line is numbered already.
  Result<std::string> Number(InputRecord line);

 private:
  RecordNumber NumberOf(const InputRecord& line, ParsedLine& parsed, LineFormat format);

  LineDialects dialects_;
  bool names_file_;
  OccurrenceCounter contents_, ids_;
};

}  // namespace sglrun::io
