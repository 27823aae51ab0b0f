#include "grammar/compile/reachable.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grammar/matcher/matcher.h"
#include "grammar/matcher/spelling_check.h"

namespace sglrun::grammar {
namespace {

// Steps of the search, each one accepted token.
constexpr int kMostSteps = 4000;
constexpr std::int64_t kStepsPerPlace = 10'000;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of open places

GrammarError Unreachable() {
  return {Verdict::kUnreachable,
          "texts match, but the tokens of this vocabulary can spell none of them"};
}

}  // namespace

Result<void, GrammarError> CheckReachable(const std::shared_ptr<const CompiledGrammar>& grammar,
                                          const std::shared_ptr<const Vocabulary>& vocabulary,
                                          Budget& budget) {
  if (HasMemberOver(grammar->program(), SingleBytes(*vocabulary))) return {};
  if (LacksMemberOver(grammar->program(), AllBytes(*vocabulary))) return Unreachable();
  // Where tokens are counted, spellings of one text differ in what may follow.
  if (grammar->program().has_token_limits) return {};
  // Depth first over texts, each visited once however it is spelled. Longest tokens first would be
  // quicker to an end, but a proof has to see them all anyway.
  struct Place {
    Matcher matcher;
    std::string spelled;  // bytes, and token elements as NUL and their id
  };
  std::vector<Place> open;
  open.push_back({Matcher(grammar, vocabulary), ""});
  std::unordered_set<std::string> seen = {""};
  std::vector<std::uint32_t> mask(static_cast<std::size_t>(vocabulary->words_per_mask()));
  std::size_t bytes = 0;
  for (int steps = 0; !open.empty();) {
    Place place = std::move(open.back());
    open.pop_back();
    bytes -= std::min(bytes, place.matcher.MemoryBytes() + place.spelled.size());
    if (place.matcher.IsComplete()) return {};
    const std::int64_t before = place.matcher.steps();
    place.matcher.FillMask(mask);
    const auto paid = budget.Spend("looking for a text that the tokens can spell",
                                   kStepsPerPlace + place.matcher.steps() - before);
    if (!paid.ok() && paid.error().verdict == Verdict::kStopped) return paid.error();
    if (!paid.ok()) return {};
    for (std::size_t word = 0; word < mask.size(); ++word) {
      for (std::uint32_t bits = mask[word]; bits != 0; bits &= bits - 1) {
        const auto id = static_cast<std::int32_t>(word * 32) + std::countr_zero(bits);
        std::string spelled = place.spelled;
        spelled += vocabulary->IsText(id) ? std::string(vocabulary->Text(id))
                                          : '\0' + std::to_string(id) + '\0';
        if (!seen.insert(spelled).second) continue;
        if (++steps > kMostSteps) return {};
        Matcher next = place.matcher;
        if (!next.AcceptToken(id)) return {};  // a limit of matching: nothing is proved
        if (next.IsComplete()) return {};
        bytes += next.MemoryBytes() + spelled.size();
        if (bytes > kMostBytes) return {};
        open.push_back({std::move(next), std::move(spelled)});
      }
    }
  }
  return Unreachable();
}

}  // namespace sglrun::grammar
