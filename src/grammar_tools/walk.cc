#include "grammar_tools/walk.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <random>

#include "base/utf8.h"

namespace sglrun::grammar_tools {
namespace {

using grammar::Matcher;
using grammar::Vocabulary;
using Random = std::mt19937_64;

// Steps after which a walk tries to end, and after which it is abandoned.
constexpr int kFreeSteps = 24, kMostSteps = 200;
constexpr std::size_t kCandidates = 24;

class Walk {
 public:
  Walk(const Matcher& start, const Vocabulary& vocabulary, Random& random)
      : matcher_(start),
        vocabulary_(vocabulary),
        random_(random),
        mask_(static_cast<std::size_t>(vocabulary.words_per_mask())) {}

  Matcher& matcher() { return matcher_; }
  std::vector<std::uint32_t>& mask() { return mask_; }
  const std::string& text() const { return text_; }

  std::vector<std::int32_t> Allowed() {
    matcher_.FillMask(mask_);
    std::vector<std::int32_t> ids;
    for (std::size_t word = 0; word < mask_.size(); ++word) {
      for (std::uint32_t bits = mask_[word]; bits != 0; bits &= bits - 1) {
        ids.push_back(static_cast<std::int32_t>(word * 32) + std::countr_zero(bits));
      }
    }
    return ids;
  }

  bool Take(std::int32_t id) {
    if (!matcher_.AcceptToken(id)) return false;
    text_ += vocabulary_.Text(id);
    return true;
  }

  std::size_t Below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  bool Chance(double p) { return std::bernoulli_distribution(p)(random_); }

  // Among some of the allowed tokens, the one after which the text is complete or has the fewest
  // ways to continue: that closes strings, brackets and repetitions.
  std::int32_t TowardsEnd(std::vector<std::int32_t> allowed) {
    std::ranges::shuffle(allowed, random_);
    // Short tokens close things; they come first.
    std::stable_partition(allowed.begin(), allowed.end(),
                          [&](std::int32_t id) { return vocabulary_.Text(id).size() <= 1; });
    allowed.resize(std::min(allowed.size(), kCandidates));
    std::int32_t best = allowed.front();
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    std::vector<std::uint32_t> words(mask_.size());
    for (const std::int32_t id : allowed) {
      Matcher ahead = matcher_;
      if (!ahead.AcceptToken(id)) continue;
      ahead.FillMask(words);
      std::int64_t ways = ahead.IsComplete() ? -1 : 0;
      for (const std::uint32_t word : words) ways += std::popcount(word);
      if (ways >= fewest) continue;
      fewest = ways;
      best = id;
    }
    return best;
  }

 private:
  Matcher matcher_;
  const Vocabulary& vocabulary_;
  Random& random_;
  std::vector<std::uint32_t> mask_;
  std::string text_;
};

std::optional<std::string> SampleOne(const Matcher& start, const Vocabulary& vocabulary,
                                     Random& random) {
  Walk walk(start, vocabulary, random);
  for (int step = 0; step < kMostSteps; ++step) {
    const bool complete = walk.matcher().IsComplete();
    std::vector<std::int32_t> allowed = walk.Allowed();
    if (complete && (allowed.empty() || step >= kFreeSteps || walk.Chance(0.1))) {
      return walk.text();
    }
    if (allowed.empty()) return std::nullopt;
    const double lean = std::min(0.9, static_cast<double>(step) / kFreeSteps);
    const std::int32_t id = walk.Chance(lean) ? walk.TowardsEnd(std::move(allowed))
                                              : allowed[walk.Below(allowed.size())];
    if (!walk.Take(id)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

MaskComparison CompareRandomMasks(const Matcher& start, const Vocabulary& vocabulary,
                                  std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  MaskComparison result;
  std::vector<std::uint32_t> slow(static_cast<std::size_t>(vocabulary.words_per_mask()));
  while (result.compared < count) {
    Walk walk(start, vocabulary, random);
    while (result.compared < count) {
      const std::vector<std::int32_t> allowed = walk.Allowed();
      // Beyond the limits of the matcher there is no mask to compare.
      if (walk.matcher().failure() || !walk.matcher().FillMaskSlowly(slow)) {
        if (walk.text().empty()) return result;
        break;
      }
      ++result.compared;
      if (slow != walk.mask()) ++result.wrong;
      if (allowed.empty() || !walk.Take(allowed[walk.Below(allowed.size())])) break;
    }
  }
  return result;
}

std::vector<std::string> SampleMembers(const Matcher& start, const Vocabulary& vocabulary,
                                       std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> members;
  for (std::int64_t tries = 0; tries < 2 * count; ++tries) {
    std::optional<std::string> text = SampleOne(start, vocabulary, random);
    if (!text || !IsValidUtf8(*text)) continue;
    members.push_back(*std::move(text));
    if (static_cast<std::int64_t>(members.size()) == count) break;
  }
  return members;
}

std::shared_ptr<const Vocabulary> ByteVocabulary() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  return std::make_shared<const Vocabulary>(texts, 256);
}

}  // namespace sglrun::grammar_tools
