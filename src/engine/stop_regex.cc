#include "engine/stop_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <utility>

namespace sglrun::engine {

namespace {

// Steps of one search before it is given up: some 10 ms. A pattern that needs more on the text of
// an answer backtracks without end.
constexpr std::uint32_t kMatchLimit = 1'000'000;
constexpr std::uint32_t kHeapLimitKib = 64 * 1024;

// As many as one record may give, twice.
constexpr std::size_t kPatternsKept = 64;

}  // namespace

struct StopRegex::Code {
  std::string pattern;
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;
  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    pcre2_match_context_free(context);
    pcre2_code_free(code);
  }
};

struct StopRegex::Match {
  pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
  Match() = default;
  Match(const Match&) = delete;
  Match& operator=(const Match&) = delete;
  ~Match() { pcre2_match_data_free(data); }
};

StopRegex::StopRegex(std::shared_ptr<const Code> code)
    : code_(std::move(code)), match_(std::make_unique<Match>()) {}
StopRegex::StopRegex(StopRegex&&) noexcept = default;
StopRegex& StopRegex::operator=(StopRegex&&) noexcept = default;
StopRegex::~StopRegex() = default;

const std::string& StopRegex::pattern() const {
  return code_->pattern;
}

Result<StopRegex> StopRegex::Compile(const std::string& pattern) {
  const auto code = std::make_shared<Code>();
  code->pattern = pattern;
  int error = 0;
  PCRE2_SIZE place = 0;
  code->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &place, nullptr);
  if (code->code == nullptr) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(error, text.data(), text.size());
    return Error{"stop_regex \"" + pattern +
                 "\" is not a valid pattern: " + reinterpret_cast<const char*>(text.data()) +
                 " at offset " + std::to_string(place)};
  }
  // Without JIT the same search is made by the interpreter.
  pcre2_jit_compile(code->code, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_SOFT);
  code->context = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(code->context, kMatchLimit);
  pcre2_set_heap_limit(code->context, kHeapLimitKib);
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

StopRegex::Outcome StopRegex::Search(std::string_view text, Growth growth) {
  const auto search = [&](std::uint32_t options) {
    return pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), resume_,
                       options | PCRE2_NO_UTF_CHECK | PCRE2_PARTIAL_SOFT, match_->data,
                       code_->context);
  };
  int found = search(0);
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = search(PCRE2_NO_JIT);
  if (found >= 0) return Outcome::kMatch;
  if (found != PCRE2_ERROR_NOMATCH && found != PCRE2_ERROR_PARTIAL) return Outcome::kLimit;
  if (growth == Growth::kAppendOnly) {
    resume_ =
        found == PCRE2_ERROR_PARTIAL ? pcre2_get_ovector_pointer(match_->data)[0] : text.size();
  }
  return Outcome::kNoMatch;
}

}  // namespace sglrun::engine
