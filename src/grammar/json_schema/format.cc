#include "grammar/json_schema/format.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <mutex>
#include <string>

#include "base/check.h"
#include "grammar/json_schema/format_patterns.h"
#include "grammar/json_schema/regex_format.h"
#include "grammar/json_schema/wide_format_patterns.h"
#include "grammar/regex/regex.h"

namespace sglrun::grammar {
namespace {

constexpr std::int64_t kLongestHostname = 253;

struct StringFormat {
  std::string_view name;
  std::string (*pattern)();
  std::string (*wide_pattern)();  // nullptr: none
};
constexpr StringFormat kStringFormats[] = {
    {"date", DatePattern, WideDatePattern},
    {"time", TimePattern, WideTimePattern},
    {"date-time", DateTimePattern, WideDateTimePattern},
    {"duration", DurationPattern, WideDurationPattern},
    {"email", EmailPattern, WideEmailPattern},
    {"hostname", HostnamePattern, WideHostnamePattern},
    {"idn-email", IdnEmailPattern, nullptr},
    {"idn-hostname", IdnHostnamePattern, nullptr},
    {"ipv4", Ipv4Pattern, WideIpv4Pattern},
    {"ipv6", Ipv6Pattern, WideIpv6Pattern},
    {"uuid", UuidPattern, WideUuidPattern},
    {"uri", UriPattern, WideUriPattern},
    {"uri-reference", UriReferencePattern, nullptr},
    {"iri", IriPattern, nullptr},
    {"iri-reference", IriReferencePattern, nullptr},
    {"uri-template", UriTemplatePattern, nullptr},
    {"json-pointer", JsonPointerPattern, WideJsonPointerPattern},
    {"relative-json-pointer", RelativeJsonPointerPattern, WideRelativeJsonPointerPattern},
    {kRegexFormat, RegexSourcePattern, nullptr},
};
constexpr std::string_view kNumberFormats[] = {"int32", "int64", "float", "double"};

// nullptr when there is none of the name.
const StringFormat* FindStringFormat(std::string_view name) {
  const auto* const at = std::find_if(std::begin(kStringFormats), std::end(kStringFormats),
                                      [&](const StringFormat& f) { return f.name == name; });
  return at == std::end(kStringFormats) ? nullptr : at;
}

bool Holds(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The formats are fixed, so no limit of a record applies to them and they cannot fail.
template <class Make>
SharedDfa MakeFixed(const StringFormat& format, const Make& make) {
  const Limits limits = Limits::WithoutWork();
  Budget budget(limits);
  DfaResult dfa = make(budget);
  CHECK(dfa.ok()) << format.name << ": " << dfa.error().message;
  return std::make_shared<const Dfa>(std::move(dfa).value());
}

DfaResult Build(const StringFormat& format, Budget& budget) {
  SGLRUN_ASSIGN_OR_RETURN(Dfa dfa, RegexDfa(format.pattern(), RegexMatch::kFull, {}, budget));
  if (format.name != "hostname") return dfa;
  return BoundLength(dfa, 1, kLongestHostname, budget);
}

// The automata of one format, each made by the first who asks.
struct Slot {
  std::once_flag made, spelled_made, wide_made;
  SharedDfa dfa, spelled, wide;
};

Slot& SlotOf(const StringFormat& format) {
  static std::array<Slot, std::size(kStringFormats)> slots;
  return slots[static_cast<std::size_t>(&format - kStringFormats)];
}

NumberConstraints Integers(std::int64_t min, std::int64_t max) {
  NumberConstraints constraints;
  constraints.integer = true;
  constraints.min = NumberBound{Decimal(min), false};
  constraints.max = NumberBound{Decimal(max), false};
  return constraints;
}

}  // namespace

FormatKind KindOfFormat(std::string_view name) {
  if (FindStringFormat(name) != nullptr) return FormatKind::kString;
  if (Holds(kNumberFormats, name)) return FormatKind::kNumber;
  return FormatKind::kUnknown;
}

SharedDfa FormatDfa(std::string_view name) {
  const StringFormat* format = FindStringFormat(name);
  CHECK(format != nullptr) << name;
  Slot& slot = SlotOf(*format);
  std::call_once(slot.made, [&] {
    slot.dfa = MakeFixed(*format, [&](Budget& budget) { return Build(*format, budget); });
  });
  return slot.dfa;
}

SharedDfa SpelledFormatDfa(std::string_view name) {
  const SharedDfa dfa = FormatDfa(name);
  const StringFormat* format = FindStringFormat(name);
  Slot& slot = SlotOf(*format);
  std::call_once(slot.spelled_made, [&] {
    slot.spelled = MakeFixed(*format, [&](Budget& budget) { return ToJsonString(*dfa, budget); });
  });
  return slot.spelled;
}

SharedDfa WideFormatDfa(std::string_view name) {
  const StringFormat* format = FindStringFormat(name);
  CHECK(format != nullptr) << name;
  if (format->wide_pattern == nullptr) return nullptr;
  Slot& slot = SlotOf(*format);
  std::call_once(slot.wide_made, [&] {
    slot.wide = MakeFixed(*format, [&](Budget& budget) {
      return RegexDfa(format->wide_pattern(), RegexMatch::kFull, {.wide = true}, budget);
    });
  });
  return slot.wide;
}

NumberConstraints FormatNumbers(std::string_view name) {
  using Int32 = std::numeric_limits<std::int32_t>;
  using Int64 = std::numeric_limits<std::int64_t>;
  if (name == "int32") return Integers(Int32::min(), Int32::max());
  if (name == "int64") return Integers(Int64::min(), Int64::max());
  return {};
}

}  // namespace sglrun::grammar
