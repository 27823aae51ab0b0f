// Results and errors as rows of the OpenAI dialect, with a fixed order of keys.
#pragma once

#include <cstdint>
#include <ctime>
#include <span>
#include <string>

#include "base/hash.h"
#include "io/openai/reply.h"
#include "request/generate_result.h"
#include "request/record_error.h"

namespace sglrun::io::openai {

struct ReplyPlace {
  Hash128 key = {};       // ids are made from it, so that equal runs have equal ids
  std::int64_t line = 0;  // 1-based physical line of its file
  std::string file = {};  // as named on the command line, "" for the only input
  // Seconds since 1970; 0 and no cached_tokens with --no-timing.
  std::int64_t created = 0;
  bool no_timing = false;
  bool with_line = false;  // --order completion: each row tells its line
  // `line` of a numbered record, which its row tells first; 0: it has none.
  std::int64_t number = 0;
};

// A row with its line end. `results` are all of the record, prompt by prompt, and none has failed.
void AppendReply(const Reply& reply, const ReplyPlace& place,
                 std::span<const GenerateResult> results, std::string& out);
// `failed` has an error; if it also has a text, the body contains it as `partial_text`.
void AppendErrorReply(const Reply& reply, const ReplyPlace& place, const GenerateResult& failed,
                      std::string& out);

// Tokens of a record. A prompt is counted once, however many choices it has.
struct Usage {
  std::int64_t prompt = 0;
  std::int64_t completion = 0;
  std::int64_t cached = 0;

  void Add(const Reply& reply, std::size_t index, const GenerateResult& result);
};

// The same row in pieces: its head, the choices with commas between them, its end.
void AppendReplyHead(const Reply& reply, const ReplyPlace& place, std::string& out);
// `index` of the result in its record; `calls` is the number of tool calls in the previous choices,
// to which those of this choice are added.
void AppendChoice(const Reply& reply, const ReplyPlace& place, std::size_t index,
                  const GenerateResult& result, std::size_t& calls, std::string& out);
void AppendReplyEnd(const ReplyPlace& place, const Usage& usage, std::string& out);

}  // namespace sglrun::io::openai
