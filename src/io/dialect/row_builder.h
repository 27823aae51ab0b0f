// The row of one record, made of its results as they come, in any order. Each becomes text at once:
// a result takes several times the memory of its text, and the first results of a long list wait
// for the last.
//
//   RowBuilder builder(writer);
//   builder.Add(place, 1, std::move(second));
//   builder.Add(place, 0, std::move(first));
//   std::string row = builder.Finish(place);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "io/dialect/result_writer.h"
#include "request/generate_result.h"

namespace sglrun::io {

class RowBuilder {
 public:
  explicit RowBuilder(const ResultWriter& writer) : writer_(&writer) {}

  // Result `index` of the record at `place`, one that has not failed. Fails only when a side file
  // cannot be written.
  Status Add(const RowPlace& place, std::size_t index, GenerateResult result);
  // The row with its line end, once every result is there.
  std::string Finish(const RowPlace& place);

 private:
  Status AddInTurn(const RowPlace& place, const GenerateResult& result);
  Status AddWaiting(const RowPlace& place);

  const ResultWriter* writer_;
  std::string row_;       // up to result next_
  std::size_t next_ = 0;  // the first result that is not there
  openai::Usage usage_;
  std::size_t calls_ = 0;
  std::map<std::size_t, std::string> texts_;  // of later results
  // Later results whose text depends on those before: calls of functions are numbered.
  std::map<std::size_t, GenerateResult> results_;
};

}  // namespace sglrun::io
