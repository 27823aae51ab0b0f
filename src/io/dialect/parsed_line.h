// A line after parsing and before validation, and the dialect that it is written in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "io/dialect/line_format.h"
#include "io/dialect/record_number.h"
#include "io/jsonl_reader.h"
#include "request/record_error.h"

namespace sglrun::io {

// JSON, or the reason why it is not JSON.
struct ParsedLine {
  Json object;
  std::vector<std::string> duplicate_keys;
  std::optional<std::string> rid;
  std::optional<RecordError> error;
  Hash128 content;
  std::optional<RecordNumber> number;  // of a line that `sglrun number` wrote
  bool has_openai_words = false;       // looked for while the dialect is not known
};

// Consumes the text of the line, to save memory. The number is taken out of a numbered line, and
// what is left is parsed as it was before.
ParsedLine ParseLine(InputRecord& line, LineFormat format);

// Takes the id (`rid`, `custom_id`) out of the object's content hash; equal content gives equal
// hashes, regardless of the order of keys and of white space. `with_rid`: the hash with the id.
void HashContent(ParsedLine& parsed, std::string_view id_name, Hash128& with_rid);

// The dialect of lines: each file has its own, which its first object decides.
class LineDialects {
 public:
  explicit LineDialects(LineFormat format);

  // What is known of the line before it is parsed.
  LineFormat FormatOf(const InputRecord& line) const;
  // Errors in lines before the first object have the dialect of that object if it can be looked up;
  // otherwise the text of the line decides. `again`: the line may not be the first one of its file
  // that this object receives, because the file is read again.
  void Settle(const InputRecord& line, const ParsedLine& parsed, bool again);

  // Of the line that was settled last.
  bool is_openai() const { return is_openai_; }
  std::string_view IdName() const { return is_openai_ ? "custom_id" : "rid"; }

 private:
  void BeginFile(const std::string& file, bool again);

  const LineFormat stated_;
  LineFormat format_;  // of file_
  bool is_openai_;
  std::string file_;
  bool looked_ahead_ = false;
  std::optional<bool> ahead_;                  // whether the file's first object is an OpenAI line
  std::map<std::string, LineFormat> formats_;  // of files, once decided
};

}  // namespace sglrun::io
