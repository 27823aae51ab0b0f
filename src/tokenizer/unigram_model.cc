#include "tokenizer/unigram_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stop_flag.h"
#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"

namespace sglrun::tokenizer {
namespace {

// An unknown character costs this much more than the worst token.
constexpr double kUnknownPenalty = 10;

Result<double> ParseScore(const JsonView& json) {
  if (!json.json().is_number()) return json.Expected("a number");
  const double score = json.json().as_double();
  if (!std::isfinite(score)) return json.Expected("a finite number");
  return score;
}

}  // namespace

UnigramModel::UnigramModel(Vocabulary vocabulary, std::vector<double> scores,
                           UnigramOptions options)
    : vocabulary_(std::move(vocabulary)),
      scores_(std::move(scores)),
      options_(options),
      trie_(vocabulary_) {
  CHECK(scores_.size() == static_cast<std::size_t>(vocabulary_.size()));
  const auto worst = std::min_element(scores_.begin(), scores_.end());
  unknown_score_ = (worst == scores_.end() ? 0 : *worst) - kUnknownPenalty;
  for (std::size_t byte = 0; byte < bytes_.size(); ++byte) {
    bytes_[byte] = vocabulary_.Find(ByteTokenName(static_cast<unsigned char>(byte))).value_or(-1);
  }
}

Status UnigramModel::Encode(std::span<const Piece> pieces, std::vector<TokenId>& out) const {
  std::vector<Step> steps;
  for (const Piece& piece : pieces) SGLRUN_RETURN_IF_ERROR(EncodePiece(piece.text, steps, out));
  return {};
}

// Viterbi over the places between characters. Of equal sums the one found first stays, which is the
// one whose last token is the longest. False: a character is unknown and there is no token for it.
bool UnigramModel::FindBestSteps(std::string_view text, std::vector<Step>& steps) const {
  steps.assign(text.size() + 1, Step());
  const auto offer = [&](std::size_t start, std::size_t end, TokenId id, double score) {
    const double sum = score + steps[start].score;
    if (steps[end].start == kUnreached || sum > steps[end].score) steps[end] = {sum, start, id};
  };
  for (std::size_t start = 0, next = 0; start < text.size(); start = next) {
    if (StopFlag::requested()) return false;
    DecodeUtf8(text, next);
    bool known = false;  // the character is a token by itself
    PieceTrie::Node node = PieceTrie::kRoot;
    for (std::size_t end = start; end < text.size();) {
      node = trie_.Child(node, text[end++]);
      if (node == PieceTrie::kNone) break;
      const TokenId id = trie_.TokenAt(node);
      if (id < 0) continue;
      offer(start, end, id, scores_[static_cast<std::size_t>(id)]);
      known = known || end == next;
    }
    if (known) continue;
    if (!options_.unk_id) return false;
    offer(start, next, *options_.unk_id, unknown_score_);
  }
  return true;
}

Status UnigramModel::EncodePiece(std::string_view text, std::vector<Step>& steps,
                                 std::vector<TokenId>& out) const {
  if (!FindBestSteps(text, steps)) {
    return Error{"a character of the text is not a token, and the tokenizer has no unknown token"};
  }
  // Walked from the end: cut into tokens, neighbouring unknown characters being one.
  struct Cut {
    std::size_t start, end;
    TokenId id;
  };
  std::vector<Cut> cuts;
  for (std::size_t end = text.size(); end > 0; end = steps[end].start) {
    const Step& step = steps[end];
    const bool fused = !cuts.empty() && options_.unk_id && step.id == *options_.unk_id &&
                       cuts.back().id == step.id;
    if (fused) {
      cuts.back().start = step.start;
    } else {
      cuts.push_back({step.start, end, step.id});
    }
  }
  for (std::size_t i = cuts.size(); i-- > 0;) {
    const Cut& cut = cuts[i];
    if (options_.unk_id && cut.id == *options_.unk_id) {
      AppendUnknown(text.substr(cut.start, cut.end - cut.start), out);
    } else {
      out.push_back(cut.id);
    }
  }
  return {};
}

void UnigramModel::AppendUnknown(std::string_view text, std::vector<TokenId>& out) const {
  // Several unknown characters may be a token together, one that lost against their sum.
  if (const std::optional<TokenId> id = vocabulary_.Find(text)) {
    out.push_back(*id);
    return;
  }
  const auto token_of = [this](char c) { return bytes_[static_cast<unsigned char>(c)]; };
  const bool as_bytes =
      options_.byte_fallback &&
      std::all_of(text.begin(), text.end(), [&](char c) { return token_of(c) >= 0; });
  if (!as_bytes) {
    out.push_back(*options_.unk_id);
    return;
  }
  for (const char c : text) out.push_back(token_of(c));
}

Result<ParsedUnigram> ParseUnigramModel(const JsonView& json) {
  ParsedUnigram out;
  SGLRUN_ASSIGN_OR_RETURN(out.options.byte_fallback, json.BoolOr("byte_fallback", false));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView vocab, json.Member("vocab"));
  if (!vocab.json().is_array()) return vocab.Expected("an array");
  const Json::Array& entries = vocab.json().as_array();
  out.vocabulary.Reserve(entries.size());
  for (std::size_t id = 0; id < entries.size(); ++id) {
    const JsonView view(entries[id], vocab.path() + "[" + std::to_string(id) + "]");
    if (!entries[id].is_array() || entries[id].as_array().size() != 2 ||
        !entries[id].as_array()[0].is_string()) {
      return view.Expected("[\"piece\", score]");
    }
    const Json::Array& pair = entries[id].as_array();
    SGLRUN_ASSIGN_OR_RETURN(const double score, ParseScore(JsonView(pair[1], view.path() + "[1]")));
    const Status added = out.vocabulary.Add(pair[0].as_string(), static_cast<std::int64_t>(id));
    if (!added.ok()) return Error{vocab.path() + ": " + added.error().message};
    out.scores.push_back(score);
  }
  if (json.Has("unk_id")) {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView unk, json.Member("unk_id"));
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t id, unk.Int());
    if (id < 0 || id >= out.vocabulary.size()) return unk.Expected("the id of a token");
    out.options.unk_id = static_cast<TokenId>(id);
  }
  return out;
}

}  // namespace sglrun::tokenizer
