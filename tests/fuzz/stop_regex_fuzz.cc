// A stop pattern, a newline, then a text. While the text grows, the search that reads each character
// once finds a match exactly when PCRE2 finds one in the whole text so far; and so does the search
// by PCRE2 that begins where the search before ended.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/pcre2_ptr.h"
#include "base/utf8.h"
#include "engine/stop_program.h"
#include "engine/stop_regex.h"

namespace {

using namespace sglrun;
using engine::StopBudget;
using engine::StopRegex;

constexpr std::size_t kLongestText = 400;
constexpr std::int64_t kSteps = 200'000;
constexpr std::uint32_t kMatchLimit = 200'000;

// 1: found, 0: not found, -1: too costly to say.
int FindInWhole(const pcre2_code& code, std::string_view text) {
  const PcreMatchData match(pcre2_match_data_create(1, nullptr));
  const PcreMatchContext context(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(context.get(), kMatchLimit);
  const int found =
      pcre2_match(&code, PcreUnits(text), text.size(), 0, 0, match.get(), context.get());
  if (found >= 0) return 1;
  return found == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

// The end of the next piece of a text: some characters further.
std::size_t NextEnd(std::string_view text, std::size_t at) {
  const std::size_t characters = 1 + at % 3;
  for (std::size_t i = 0; i < characters && at < text.size(); ++i) DecodeUtf8(text, at);
  return at;
}

void Compare(StopRegex growing, const pcre2_code& code, std::string_view text) {
  StopBudget budget(kSteps);
  for (std::size_t at = 0; at < text.size();) {
    at = NextEnd(text, at);
    const std::string_view so_far = text.substr(0, at);
    const auto outcome = growing.Search(so_far, budget);
    const int expected = FindInWhole(code, so_far);
    if (outcome == StopRegex::Outcome::kLimit) {
      CHECK(!growing.is_linear());
      return;
    }
    if (expected < 0) return;
    const bool found = outcome == StopRegex::Outcome::kMatch;
    CHECK(found == (expected == 1))
        << "/" << growing.pattern() << "/ in \"" << so_far << "\" is found: " << found;
    if (found) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  const std::string pattern(input.substr(0, line));
  const std::string_view text = input.substr(line + 1);
  if (text.size() > kLongestText || !IsValidUtf8(text)) return 0;

  int error = 0;
  std::size_t offset = 0;
  const PcreCode code = engine::CompileStopPattern(pattern, 0, error, offset);
  const Result<StopRegex> growing = StopRegex::Compile(pattern);
  CHECK(growing.ok() == (code != nullptr)) << pattern;
  if (growing.ok()) Compare(*growing, *code, text);
  return 0;
}
