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

constexpr float kLowestLogprob = -9999.0F;

void WriteFlooredLogprob(JsonWriter& w, std::optional<float> logprob) {
  WriteLogprob(w, logprob ? std::optional(std::max(*logprob, kLowestLogprob)) : logprob);
}

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
  WriteFlooredLogprob(w, token.logprob);
}

// A list with one entry a position, where it was asked for.
using Positions = std::optional<std::vector<PositionLogprobs>>;

const std::vector<TokenLogprob>* Likeliest(const Positions& positions, std::size_t position) {
  if (!positions || position >= positions->size() || !(*positions)[position]) return nullptr;
  return &*(*positions)[position];
}

// Follows the tokens through the text of a choice, byte by byte.
class TextWalk {
 public:
  explicit TextWalk(std::string_view text) : text_(text) {}

  // Characters before the place where the token begins.
  std::size_t Pass(std::string_view token) {
    const std::size_t offset = characters_;
    const std::string_view rest = text_.substr(at_);
    if (token.empty()) return offset;
    if (rest.starts_with(token)) {
      Advance(token.size());
    } else if (token[0] == ' ' && token.size() > 1 && rest.starts_with(token.substr(1))) {
      Advance(token.size() - 1);  // a space that the text drops, at its start for one
    } else if (token.starts_with(rest)) {
      Advance(rest.size());  // the text was cut here, by a stop string
    } else if (!IsValidUtf8(token)) {
      PassReplaced(token);
    }
    return offset;
  }

 private:
  void Advance(std::size_t bytes) {
    at_ += bytes;
    // A character is counted when all of its bytes have been read.
    const std::string_view passed = text_.substr(counted_, at_ - counted_);
    const std::string_view whole = passed.substr(0, passed.size() - IncompleteUtf8Suffix(passed));
    characters_ += CountCodePoints(whole);
    counted_ += whole.size();
  }

  // Bytes that do not form a character appear in the text as U+FFFD.
  void PassReplaced(std::string_view token) {
    const std::string shown = ToValidUtf8(token);
    if (text_.substr(at_).starts_with(shown)) Advance(shown.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;       // bytes
  std::size_t counted_ = 0;  // bytes of whole characters up to there
  std::size_t characters_ = 0;
};

// The requested tokens of the prompt, then those of the answer.
class Columns {
 public:
  void Add(const std::vector<TokenLogprob>& tokens, const Positions& top) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      rows_.push_back({&tokens[i], Likeliest(top, i)});
  }

  void Write(JsonWriter& w, std::string_view text) const {
    w.BeginObject();
    WriteOffsets(w, text);
    w.Key("token_logprobs");
    w.BeginArray();
    for (const Row& row : rows_) WriteFlooredLogprob(w, row.token->logprob);
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

  void WriteOffsets(JsonWriter& w, std::string_view text) const {
    w.Key("text_offset");
    w.BeginArray();
    TextWalk walk(text);
    for (const Row& row : rows_) w.UInt(walk.Pass(BytesOf(*row.token)));
    w.EndArray();
  }

  // An object by text: of tokens with the same text, the most likely one is kept. The generated
  // token is always included.
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
      WriteFlooredLogprob(w, token.logprob);
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

void WriteCompletionLogprobs(JsonWriter& w, const LogprobResult& logprobs, std::string_view text) {
  Columns columns;
  columns.Add(logprobs.input_token_logprobs, logprobs.input_top_logprobs);
  columns.Add(logprobs.output_token_logprobs, logprobs.output_top_logprobs);
  columns.Write(w, text);
}

}  // namespace sglrun::io::openai
