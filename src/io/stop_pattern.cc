#include "io/stop_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <new>
#include <string>

#include "base/json.h"

namespace sglrun::io {
namespace {

std::string PcreMessage(int code) {
  PCRE2_UCHAR buffer[256];
  if (pcre2_get_error_message(code, buffer, sizeof buffer) < 0)
    return "error " + std::to_string(code);
  return reinterpret_cast<const char*>(buffer);
}

}  // namespace

Result<void, RecordError> CheckStopPatterns(const SamplingParams& params, std::string_view path) {
  for (const std::string& pattern : params.stop_regex) {
    int code = 0;
    PCRE2_SIZE offset = 0;
    // \C would match half a character, after which a text is no longer valid UTF-8.
    const std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> compiled(
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                      PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &offset, nullptr),
        &pcre2_code_free);
    if (compiled == nullptr && code == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
    if (compiled == nullptr) {
      const std::string field = std::string(path) + ".stop_regex";
      return RecordError{field + " holds " + Json(pattern).Excerpt(260) +
                             ", which is not a valid pattern: " + PcreMessage(code) + " at byte " +
                             std::to_string(offset + 1),
                         field};
    }
  }
  return {};
}

}  // namespace sglrun::io
