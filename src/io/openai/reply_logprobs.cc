#include "io/openai/reply_logprobs.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "io/row_values.h"

namespace sglrun::io::openai {
namespace {

const std::string& BytesOf(const TokenLogprob& token) {
  static const std::string none;
  return token.text ? *token.text : none;
}

void WriteTokenMembers(JsonWriter& w, const TokenLogprob& token) {
  w.Key("token");
  WriteText(w, BytesOf(token));
  w.Key("bytes");
  w.BeginArray();
  for (const char byte : BytesOf(token)) w.UInt(static_cast<unsigned char>(byte));
  w.EndArray();
  w.Key("logprob");
  WriteLogprob(w, token.logprob);
}

// A list with one entry a position, where it was asked for.
using Positions = std::optional<std::vector<PositionLogprobs>>;

const std::vector<TokenLogprob>* Likeliest(const Positions& positions, std::size_t position) {
  if (!positions || position >= positions->size() || !(*positions)[position]) return nullptr;
  return &*(*positions)[position];
}

// The tokens of the prompt that were asked for, then those of the answer.
class Columns {
 public:
  void Add(const std::vector<TokenLogprob>& tokens, const Positions& top) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      rows_.push_back({&tokens[i], Likeliest(top, i)});
  }

  void Write(JsonWriter& w) const {
    w.BeginObject();
    WriteOffsets(w);
    w.Key("token_logprobs");
    w.BeginArray();
    for (const Row& row : rows_) WriteLogprob(w, row.token->logprob);
    w.EndArray();
    w.Key("tokens");
    w.BeginArray();
    for (const Row& row : rows_) WriteText(w, BytesOf(*row.token));
    w.EndArray();
    w.Key("top_logprobs");
    w.BeginArray();
    for (const Row& row : rows_) WriteTop(w, row);
    w.EndArray();
    w.EndObject();
  }

 private:
  struct Row {
    const TokenLogprob* token;
    const std::vector<TokenLogprob>* top;
  };

  void WriteOffsets(JsonWriter& w) const {
    w.Key("text_offset");
    w.BeginArray();
    std::size_t offset = 0;
    for (const Row& row : rows_) {
      w.UInt(offset);
      offset += CountCodePoints(ToValidUtf8(BytesOf(*row.token)));
    }
    w.EndArray();
  }

  // An object by text: of tokens that read the same, the likeliest stays. The token itself is in
  // it, whether it is among the likeliest or not.
  static void WriteTop(JsonWriter& w, const Row& row) {
    if (!row.token->logprob) {
      w.Null();
      return;
    }
    std::vector<std::string> seen;
    w.BeginObject();
    const auto write = [&](const TokenLogprob& token) {
      std::string text = ToValidUtf8(BytesOf(token));
      if (std::ranges::find(seen, text) != seen.end()) return;
      w.Key(text);
      WriteLogprob(w, token.logprob);
      seen.push_back(std::move(text));
    };
    if (row.top != nullptr) {
      for (const TokenLogprob& token : *row.top) write(token);
    }
    write(*row.token);
    w.EndObject();
  }

  std::vector<Row> rows_;
};

}  // namespace

void WriteChatLogprobs(JsonWriter& w, const LogprobResult& logprobs) {
  w.BeginObject();
  w.Key("content");
  w.BeginArray();
  for (std::size_t i = 0; i < logprobs.output_token_logprobs.size(); ++i) {
    w.BeginObject();
    WriteTokenMembers(w, logprobs.output_token_logprobs[i]);
    w.Key("top_logprobs");
    w.BeginArray();
    if (const auto* top = Likeliest(logprobs.output_top_logprobs, i)) {
      for (const TokenLogprob& token : *top) {
        w.BeginObject();
        WriteTokenMembers(w, token);
        w.EndObject();
      }
    }
    w.EndArray();
    w.EndObject();
  }
  w.EndArray();
  w.Key("refusal");
  w.Null();
  w.EndObject();
}

void WriteCompletionLogprobs(JsonWriter& w, const LogprobResult& logprobs) {
  Columns columns;
  columns.Add(logprobs.input_token_logprobs, logprobs.input_top_logprobs);
  columns.Add(logprobs.output_token_logprobs, logprobs.output_top_logprobs);
  columns.Write(w);
}

}  // namespace sglrun::io::openai
