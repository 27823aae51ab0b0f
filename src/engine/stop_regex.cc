#include "engine/stop_regex.h"

#include <array>
#include <utility>

#include "base/pcre2_ptr.h"
#include "base/stop_flag.h"

namespace sglrun::engine {

namespace {

constexpr std::uint32_t kHeapLimitKib = 64 * 1024;

// Twice the number that one record may have.
constexpr std::size_t kPatternsKept = 64;

// Follows a search of PCRE2 from one item of the pattern to the next.
struct Meter {
  StopBudget& budget;
  std::size_t last = 0;  // the place of the item before
};

int CountItem(pcre2_callout_block* item, void* data) {
  Meter& meter = *static_cast<Meter*>(data);
  const std::size_t place = item->current_position;
  const std::size_t passed = place > meter.last ? place - meter.last : 0;
  meter.last = place;
  const bool goes_on = meter.budget.Spend(1 + static_cast<std::int64_t>(passed));
  return goes_on && !StopFlag::requested() ? 0 : PCRE2_ERROR_CALLOUT;
}

Result<PcreCode> CompileOrExplain(const std::string& pattern, std::uint32_t options) {
  int error = 0;
  std::size_t offset = 0;
  PcreCode code = CompileStopPattern(pattern, options, error, offset);
  if (code != nullptr) return code;
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return Error{"stop_regex \"" + pattern + "\" is not a valid pattern: " +
               reinterpret_cast<const char*>(text.data()) + " at offset " + std::to_string(offset)};
}

}  // namespace

struct StopRegex::Code {
  std::string pattern;
  std::shared_ptr<const StopProgram> program;  // or
  PcreCode code;                               // with a callout at each item
};

StopRegex::StopRegex(std::shared_ptr<const Code> code) : code_(std::move(code)) {
  if (code_->program != nullptr) automaton_.emplace(code_->program);
}

const std::string& StopRegex::pattern() const {
  return code_->pattern;
}

Result<StopRegex> StopRegex::Compile(const std::string& pattern) {
  const auto code = std::make_shared<Code>();
  code->pattern = pattern;
  SGLRUN_RETURN_IF_ERROR(CompileOrExplain(pattern, 0));
  code->program = StopProgram::Make(pattern);
  if (code->program == nullptr) {
    SGLRUN_ASSIGN_OR_RETURN(code->code, CompileOrExplain(pattern, PCRE2_AUTO_CALLOUT));
  }
  return StopRegex(code);
}

Result<StopRegex> StopRegexes::Make(const std::string& pattern) {
  const std::lock_guard lock(mutex_);
  for (const auto& code : newest_) {
    if (code->pattern == pattern) return StopRegex(code);
  }
  SGLRUN_ASSIGN_OR_RETURN(StopRegex made, StopRegex::Compile(pattern));
  if (newest_.size() == kPatternsKept) newest_.pop_front();
  newest_.push_back(made.code_);
  return made;
}

std::size_t StopRegexes::size() const {
  const std::lock_guard lock(mutex_);
  return newest_.size();
}

StopRegex::Outcome StopRegex::Search(std::string_view text, StopBudget& budget) {
  if (!automaton_) return SearchByPcre(text, budget);
  const std::string_view added = text.substr(std::exchange(done_, text.size()));
  return automaton_->Append(added) ? Outcome::kMatch : Outcome::kNoMatch;
}

// A search begins where a match could still begin: earlier starts have failed without reaching the
// end, so appended text cannot make them match; PCRE2's partial matching determines this. The
// interpreter of PCRE2 is used on every machine, because its JIT code counts items differently.
StopRegex::Outcome StopRegex::SearchByPcre(std::string_view text, StopBudget& budget) {
  const PcreMatchContext context(pcre2_match_context_create(nullptr));
  const PcreMatchData match(pcre2_match_data_create(1, nullptr));
  Meter meter{.budget = budget, .last = done_};
  pcre2_set_callout(context.get(), CountItem, &meter);
  pcre2_set_heap_limit(context.get(), kHeapLimitKib);
  // The budget ends a search, long before a limit of the library's own.
  pcre2_set_match_limit(context.get(), ~std::uint32_t{0});
  pcre2_set_depth_limit(context.get(), ~std::uint32_t{0});
  const int found = pcre2_match(code_->code.get(), PcreUnits(text), text.size(), done_,
                                PCRE2_NO_UTF_CHECK | PCRE2_PARTIAL_SOFT | PCRE2_NO_JIT, match.get(),
                                context.get());
  if (StopFlag::requested()) return Outcome::kStopped;
  if (found >= 0) return Outcome::kMatch;
  if (found != PCRE2_ERROR_NOMATCH && found != PCRE2_ERROR_PARTIAL) return Outcome::kLimit;
  done_ = found == PCRE2_ERROR_PARTIAL ? pcre2_get_ovector_pointer(match.get())[0] : text.size();
  return Outcome::kNoMatch;
}

}  // namespace sglrun::engine
