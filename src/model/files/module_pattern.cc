#include "model/files/module_pattern.h"

#include <array>
#include <utility>

namespace sglrun::model {
namespace {

constexpr std::uint32_t kMostSteps = 100'000;

std::string ErrorText(int code) {
  std::array<PCRE2_UCHAR, 256> text = {};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

Result<ModulePattern> ModulePattern::Compile(const std::string& key) {
  const std::string pattern = "^(.*\\.)?(" + key + ")$";
  int error = 0;
  std::size_t offset = 0;
  PcreCode code(pcre2_compile(PcreUnits(pattern), pattern.size(), PCRE2_NEVER_BACKSLASH_C, &error,
                              &offset, nullptr));
  if (code == nullptr)
    return Error{"\"" + key + "\" is no regular expression: " + ErrorText(error)};
  return ModulePattern(key, std::move(code));
}

Result<bool> ModulePattern::Matches(std::string_view path) const {
  const PcreMatchData match(pcre2_match_data_create(1, nullptr));
  const PcreMatchContext limits(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(limits.get(), kMostSteps);
  const int found =
      pcre2_match(code_.get(), PcreUnits(path), path.size(), 0, 0, match.get(), limits.get());
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  return Error{"\"" + key_ + "\" cannot be compared with " + std::string(path) + ": " +
               ErrorText(found)};
}

}  // namespace sglrun::model
