#include <algorithm>
#include <array>

#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/format.h"
#include "jinja/methods.h"
#include "jinja/objects.h"
#include "jinja/operators.h"
#include "jinja/string_search.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

Try<void> NeedText(const char* method, const Value& value) {
  if (value.is_string()) return {};
  return TypeFault(std::string(method) + "() argument must be str, not " + TypeName(value));
}

template <std::string (*map)(std::string_view)>
Try<Value> Mapped(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("str method", {}, 0, std::move(args)));
  return Derived(map(self.text()), self.str());
}

std::string CaseFold(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    // The one letter in common use whose folding is not its lower case.
    out += NextCharacter(text, at) == U'ß' ? "ss" : ToLower(text.substr(begin, at - begin));
  }
  return out;
}

template <bool left, bool right>
Try<Value> Strip(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("strip", {"/chars"}, 0, std::move(args)));
  return StripText(self, bound[0], left, right);
}

Try<Value> Replace(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("replace", {"/old", "/new", "/count"}, 2, std::move(args)));
  SGLRUN_RETURN_IF_ERROR(NeedText("replace", bound[0]));
  SGLRUN_RETURN_IF_ERROR(NeedText("replace", bound[1]));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t count, IntArgument(bound[2], -1));
  Value to = bound[1];
  if (self.str().markup) {
    to = EscapeHtml(to);
  }
  return ReplaceText(self, bound[0], to, count);
}

template <bool at_start>
Try<Value> RemoveAffix(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("removeprefix", {"/affix"}, 1, std::move(args)));
  SGLRUN_RETURN_IF_ERROR(NeedText("removeprefix", bound[0]));
  const std::string& text = self.text();
  const std::string& affix = bound[0].text();
  Meter::Bytes(std::min(text.size(), affix.size()));
  const bool found = at_start ? text.starts_with(affix) : text.ends_with(affix);
  if (!found || affix.empty()) return self;
  return at_start ? Part(self.str(), affix.size(), text.size(), self.str().markup)
                  : Part(self.str(), 0, text.size() - affix.size(), self.str().markup);
}

Try<Value> SplitLinesMethod(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("splitlines", {"keepends"}, 0, std::move(args)));
  std::vector<Value> lines = SplitLines(self.str(), !bound[0].missing() && Truth(bound[0]));
  return Value::List(std::move(lines));
}

Try<Value> Join(Runtime& runtime, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("join", {"/iterable"}, 1, std::move(args)));
  if (!Iterate(bound[0]).ok()) return TypeFault("can only join an iterable");
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> items, Collect(runtime, bound[0]));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_string()) {
      return TypeFault("sequence item " + std::to_string(i) + ": expected str instance, " +
                       TypeName(items[i]) + " found");
    }
    if (!self.str().markup) continue;
    items[i] = EscapeHtml(items[i]);
  }
  return JoinTexts(self, items);
}

Try<Value> Format(Runtime& runtime, const Value& self, CallArgs args) {
  return FormatBraces(runtime, self.str(), args);
}

Try<Value> FormatMap(Runtime& runtime, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("format_map", {"/mapping"}, 1, std::move(args)));
  CallArgs named;
  if (!bound[0].is(Kind::kDict)) return FormatBraces(runtime, self.str(), named);
  for (const Dict::Entry& entry : bound[0].dict().entries()) {
    if (entry.key.is_string()) named.named.emplace_back(entry.key.text(), entry.value);
  }
  return FormatBraces(runtime, self.str(), named);
}

// ljust, rjust, center: `align` of a format specification.
template <char align>
Try<Value> Justify(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("center", {"/width", "/fillchar"}, 1, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t width, IntArgument(bound[0], 0));
  std::string fill = " ";
  if (!bound[1].missing()) {
    SGLRUN_RETURN_IF_ERROR(NeedText("center", bound[1]));
    if (bound[1].str().length != 1) {
      return TypeFault("The fill character must be exactly one character long");
    }
    fill = bound[1].text();
  }
  return Center(self, width, fill, align);
}

Try<Value> ZFill(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("zfill", {"/width"}, 1, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t width, IntArgument(bound[0], 0));
  const std::string& text = self.text();
  const bool sign = !text.empty() && (text[0] == '+' || text[0] == '-');
  TextBuilder out;
  AppendPadded(out, self.str(), {.fill = "0", .align = '=', .width = width}, '=', sign ? 1 : 0);
  return out.Build(self.str().markup);
}

Try<Value> ExpandTabs(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("expandtabs", {"tabsize"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t size, IntArgument(bound[0], 8));
  const String& text = self.str();
  TextBuilder out;
  std::int64_t column = 0;
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t begin = at;
    const char32_t c = NextCharacter(text.text, at);
    if (c != '\t') {
      out.Append(text, begin, at);
      column = c == '\n' || c == '\r' ? 0 : column + 1;
    } else if (size > 0) {
      const std::int64_t blanks = size - column % size;
      out.Fill(" ", blanks);
      column += blanks;
    }
  }
  return out.Build(text.markup);
}

// All characters pass, and there is one.
template <bool (*passes)(char32_t)>
Try<Value> AllAre(Runtime&, const Value& self, CallArgs) {
  const std::string& text = self.text();
  for (std::size_t at = 0; at < text.size();) {
    if (!passes(NextCharacter(text, at))) return Value::Bool(false);
  }
  return Value::Bool(!text.empty());
}

bool IsAlphabetic(char32_t c) {
  return IsIn(kAlphabetic, c);
}
bool IsDecimal(char32_t c) {
  return IsIn(kDecimals, c);
}
bool IsDigitCharacter(char32_t c) {
  return IsIn(kDigits, c);
}
bool IsNumeric(char32_t c) {
  return IsIn(kNumerics, c);
}
bool IsAlnum(char32_t c) {
  return IsAlphanumeric(c);
}

Try<Value> IsLowerMethod(Runtime&, const Value& self, CallArgs) {
  return Value::Bool(IsAllCase(self.text(), false));
}
Try<Value> IsUpperMethod(Runtime&, const Value& self, CallArgs) {
  return Value::Bool(IsAllCase(self.text(), true));
}

Try<Value> IsTitle(Runtime&, const Value& self, CallArgs) {
  const std::string& text = self.text();
  bool cased = false, previous = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = NextCharacter(text, at);
    const bool capital = IsIn(kUppercase, c) || IsIn(kTitlecase, c);
    if (capital ? previous : IsIn(kLowercase, c) && !previous) return Value::Bool(false);
    previous = capital || IsIn(kLowercase, c);
    cased = cased || previous;
  }
  return Value::Bool(cased);
}

Try<Value> IsAscii(Runtime&, const Value& self, CallArgs) {
  return Value::Bool(self.str().ascii());
}

Try<Value> IsIdentifierMethod(Runtime&, const Value& self, CallArgs) {
  return Value::Bool(IsIdentifier(self.text()));
}

Try<Value> IsPrintable(Runtime&, const Value& self, CallArgs) {
  const std::string& text = self.text();
  for (std::size_t at = 0; at < text.size();) {
    if (!IsIn(kPrintable, NextCharacter(text, at))) return Value::Bool(false);
  }
  return Value::Bool(true);
}

constexpr std::array kMethods = {
    MethodEntry{"capitalize", Mapped<Capitalize>},
    MethodEntry{"casefold", Mapped<CaseFold>},
    MethodEntry{"center", Justify<'^'>},
    MethodEntry{"count", CountMethod},
    MethodEntry{"endswith", EndsWithMethod},
    MethodEntry{"expandtabs", ExpandTabs},
    MethodEntry{"find", FindMethod},
    MethodEntry{"format", Format},
    MethodEntry{"format_map", FormatMap},
    MethodEntry{"index", IndexMethod},
    MethodEntry{"isalnum", AllAre<IsAlnum>},
    MethodEntry{"isalpha", AllAre<IsAlphabetic>},
    MethodEntry{"isascii", IsAscii},
    MethodEntry{"isdecimal", AllAre<IsDecimal>},
    MethodEntry{"isdigit", AllAre<IsDigitCharacter>},
    MethodEntry{"isidentifier", IsIdentifierMethod},
    MethodEntry{"islower", IsLowerMethod},
    MethodEntry{"isnumeric", AllAre<IsNumeric>},
    MethodEntry{"isprintable", IsPrintable},
    MethodEntry{"isspace", AllAre<IsSpace>},
    MethodEntry{"istitle", IsTitle},
    MethodEntry{"isupper", IsUpperMethod},
    MethodEntry{"join", Join},
    MethodEntry{"ljust", Justify<'<'>},
    MethodEntry{"lower", Mapped<ToLower>},
    MethodEntry{"lstrip", Strip<true, false>},
    MethodEntry{"partition", PartitionMethod},
    MethodEntry{"removeprefix", RemoveAffix<true>},
    MethodEntry{"removesuffix", RemoveAffix<false>},
    MethodEntry{"replace", Replace},
    MethodEntry{"rfind", RFindMethod},
    MethodEntry{"rindex", RIndexMethod},
    MethodEntry{"rjust", Justify<'>'>},
    MethodEntry{"rpartition", RPartitionMethod},
    MethodEntry{"rsplit", RSplitMethod},
    MethodEntry{"rstrip", Strip<false, true>},
    MethodEntry{"split", SplitMethod},
    MethodEntry{"splitlines", SplitLinesMethod},
    MethodEntry{"startswith", StartsWithMethod},
    MethodEntry{"strip", Strip<true, true>},
    MethodEntry{"swapcase", Mapped<SwapCase>},
    MethodEntry{"title", Mapped<ToTitle>},
    MethodEntry{"upper", Mapped<ToUpper>},
    MethodEntry{"zfill", ZFill},
};

}  // namespace

const MethodEntry* FindStringMethod(std::string_view name) {
  const auto it = std::lower_bound(kMethods.begin(), kMethods.end(), name,
                                   [](const MethodEntry& entry, std::string_view wanted) {
                                     return std::string_view(entry.name) < wanted;
                                   });
  return it != kMethods.end() && it->name == name ? &*it : nullptr;
}

}  // namespace sglrun::jinja
