// Results and errors to rows, with a fixed order of keys, so that equal results are equal bytes.
// docs/requests.md describes rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "io/openai/reply_writer.h"
#include "request/generate_result.h"
#include "request/record_error.h"

namespace sglrun::io {

enum class HiddenStateForm : std::uint8_t { kInline, kSafetensors, kNpy };

struct RowOptions {
  bool no_timing = false;   // leave out e2e_latency and cached_tokens
  bool flatten = false;     // one line per result, arrays opened
  bool with_line = false;   // --order completion: every object tells its input line
  bool with_index = false;  // --stream-jsonl: and its number in its record, as its partial results
  HiddenStateForm hidden_states = HiddenStateForm::kInline;
  std::int64_t created = 0;  // of OpenAI rows: seconds since 1970
  std::string output_path;   // side files of hidden states go to SideFolder() of it
};

// OUT.hidden
std::string SideFolder(const std::string& output_path);

// The record a row belongs to.
struct RowPlace {
  std::int64_t line = 0;  // 1-based physical line of its file
  std::string rid;        // id of its error row
  Hash128 key;            // names its side files
  bool is_array = false;  // list input or n > 1
  // Of a line of the OpenAI dialect, which is answered in it; null for others.
  std::shared_ptr<const openai::Reply> reply = nullptr;
  std::string file = {};  // as named on the command line, "" for the only input
  // `line` of a numbered record, which its row tells first; 0: it has none.
  std::int64_t number = 0;
};

class ResultWriter {
 public:
  explicit ResultWriter(RowOptions options) : options_(std::move(options)) {}

  // Appends the row of a record, line end included; with `flatten` one line per result. The array
  // of a numbered record is in an object, {"line":..,"results":[..]}. Where other rows tell their
  // line, a record without results is {"line":..,"results":[]} and not the empty array.
  // One failed result makes the whole record an error row, which has the text of that result so
  // far; its error is what FirstError gives. Fails only when a side file cannot be written.
  Status AppendRow(const RowPlace& place, std::span<const GenerateResult> results,
                   std::string& out) const;
  void AppendErrorRow(const RowPlace& place, const RecordError& error, std::string& out) const;
  // The row of a record whose `index`-th result, `failed`, has an error.
  void AppendFailure(const RowPlace& place, const GenerateResult& failed, std::size_t index,
                     std::string& out) const;
  // The row of a record without results.
  void AppendEmptyRow(const RowPlace& place, std::string& out) const;
  // The same row in pieces, none of them of a failed result: what stands before the first result,
  // each result (row_builder.h has the order of calls), what stands after the last.
  void AppendRowHead(const RowPlace& place, std::string& out) const;
  // `calls` of functions in the results before, to which its own are added.
  Status AppendResult(const RowPlace& place, std::size_t index, const GenerateResult& result,
                      std::size_t& calls, std::string& out) const;
  void AppendRowEnd(const RowPlace& place, const openai::Usage& usage, std::size_t results,
                    std::string& out) const;
  // Between two results of a row.
  std::string_view Separator(const RowPlace& place) const;
  // A partial result of --stream-jsonl: what there is so far, with finish_reason null, the line and
  // the index of the result in its array.
  void AppendChunk(const RowPlace& place, std::size_t index, const GenerateResult& so_far,
                   std::string& out) const;

  // Whether the side files of these results of a record are there.
  bool HasSideFiles(const RowPlace& place, std::span<const std::size_t> results) const;
  // Removes those of a record that failed after some of its results were there.
  void RemoveSideFiles(const RowPlace& place, std::size_t results) const;

  static const RecordError* FirstError(std::span<const GenerateResult> results);

 private:
  openai::ReplyPlace ReplyPlaceOf(const RowPlace& place) const;
  bool IsOneArray(const RowPlace& place) const { return place.is_array && !options_.flatten; }

  RowOptions options_;
};

}  // namespace sglrun::io
