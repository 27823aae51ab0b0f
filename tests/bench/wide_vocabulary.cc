#include "wide_vocabulary.h"

#include <algorithm>
#include <random>
#include <unordered_set>
#include <utility>

namespace sglrun::grammar {
namespace {

bool IsLetters(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 0x7F;
  });
}

// Every third one glues punctuation to a word, as tokenizers trained on code do; the others are
// longer words. Lower ids are more frequent pieces, so they are chosen more often.
class Gluer {
 public:
  explicit Gluer(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::string_view letters = std::string_view(text).substr(text.starts_with(' ') ? 1 : 0);
      if (letters.size() > 12) continue;
      if (IsLetters(letters)) {
        (text.size() == letters.size() ? suffixes_ : words_).push_back(text);
      } else if (text.size() <= 4 && static_cast<unsigned char>(text[0]) < 0x80) {
        marks_.push_back(text);
      }
    }
  }

  std::string Next() {
    if (random_() % 3 == 0) {
      return random_() % 2 == 0 ? Pick(marks_) + Pick(suffixes_) : Pick(words_) + Pick(marks_);
    }
    return Pick(words_) + Pick(suffixes_);
  }

 private:
  const std::string& Pick(const std::vector<std::string>& from) {
    const double part = static_cast<double>(random_() % 1'000'000) / 1e6;
    return from[static_cast<std::size_t>(part * part * static_cast<double>(from.size()))];
  }

  std::mt19937_64 random_{1};
  std::vector<std::string> words_, suffixes_, marks_;
};

}  // namespace

WideVocabulary::WideVocabulary(const tokenizer::Tokenizer& tokenizer, std::size_t entries) {
  const Vocabulary own(tokenizer, tokenizer.vocab_size());
  std::vector<std::string> texts;
  std::unordered_set<std::string> known;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    texts.emplace_back(own.Text(id));
    known.insert(texts.back());
  }
  std::vector<std::string> pieces = texts;
  std::erase(pieces, "");
  Gluer gluer(pieces);
  while (texts.size() < entries) {
    std::string text = gluer.Next();
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  vocabulary_ = std::make_shared<const Vocabulary>(texts, static_cast<std::int64_t>(texts.size()));
}

std::vector<std::int32_t> WideVocabulary::Encode(std::string_view text) const {
  const auto nodes = vocabulary_->nodes();
  const auto node = [&](std::int32_t i) -> const Vocabulary::Node& {
    return nodes[static_cast<std::size_t>(i)];
  };
  std::vector<std::int32_t> ids;
  while (!text.empty()) {
    std::int32_t at = 0, best = -1;
    std::size_t taken = 0;
    for (std::size_t depth = 0; depth < text.size(); ++depth) {
      const auto byte = static_cast<std::uint8_t>(text[depth]);
      std::int32_t child = at + 1;
      while (child < node(at).subtree_end && node(child).byte != byte) {
        child = node(child).subtree_end;
      }
      if (child >= node(at).subtree_end) break;
      at = child;
      if (node(at).first_token == node(at + 1).first_token) continue;
      best = vocabulary_->sorted_ids()[static_cast<std::size_t>(node(at).first_token)];
      taken = depth + 1;
    }
    if (best < 0) return {};  // a byte that is no token
    ids.push_back(best);
    text.remove_prefix(taken);
  }
  return ids;
}

}  // namespace sglrun::grammar
