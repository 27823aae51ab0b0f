#include "engine/stop_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

namespace sglrun::engine {

namespace {

// Steps of one search before it is given up: some 10 ms. A pattern that needs more on the text of
// an answer backtracks without end.
constexpr std::uint32_t kMatchLimit = 1'000'000;
constexpr std::uint32_t kHeapLimitKib = 64 * 1024;

}  // namespace

struct StopRegex::Code {
  pcre2_code* code = nullptr;
  pcre2_match_data* match = nullptr;
  pcre2_match_context* context = nullptr;
  ~Code() {
    pcre2_match_context_free(context);
    pcre2_match_data_free(match);
    pcre2_code_free(code);
  }
};

StopRegex::StopRegex() = default;
StopRegex::StopRegex(StopRegex&&) noexcept = default;
StopRegex& StopRegex::operator=(StopRegex&&) noexcept = default;
StopRegex::~StopRegex() = default;

Result<StopRegex> StopRegex::Compile(const std::string& pattern) {
  StopRegex regex;
  regex.pattern_ = pattern;
  regex.code_ = std::make_unique<Code>();
  int error = 0;
  PCRE2_SIZE place = 0;
  Code& code = *regex.code_;
  code.code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &place, nullptr);
  if (code.code == nullptr) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(error, text.data(), text.size());
    return Error{"stop_regex \"" + pattern +
                 "\" is not a valid pattern: " + reinterpret_cast<const char*>(text.data()) +
                 " at offset " + std::to_string(place)};
  }
  // Without JIT the same search is made by the interpreter.
  pcre2_jit_compile(code.code, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_SOFT);
  code.match = pcre2_match_data_create(1, nullptr);
  code.context = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(code.context, kMatchLimit);
  pcre2_set_heap_limit(code.context, kHeapLimitKib);
  return regex;
}

StopRegex::Outcome StopRegex::Search(std::string_view text, Growth growth) {
  const auto search = [&](std::uint32_t options) {
    return pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), resume_,
                       options | PCRE2_NO_UTF_CHECK | PCRE2_PARTIAL_SOFT, code_->match,
                       code_->context);
  };
  int found = search(0);
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = search(PCRE2_NO_JIT);
  if (found >= 0) return Outcome::kMatch;
  if (found != PCRE2_ERROR_NOMATCH && found != PCRE2_ERROR_PARTIAL) return Outcome::kLimit;
  if (growth == Growth::kAppendOnly) {
    resume_ =
        found == PCRE2_ERROR_PARTIAL ? pcre2_get_ovector_pointer(code_->match)[0] : text.size();
  }
  return Outcome::kNoMatch;
}

}  // namespace sglrun::engine
