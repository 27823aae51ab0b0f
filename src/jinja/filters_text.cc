#include <algorithm>
#include <array>

#include "jinja/attributes.h"
#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/methods.h"
#include "jinja/objects.h"
#include "jinja/operators.h"
#include "jinja/repr.h"
#include "jinja/string_search.h"
#include "jinja/text.h"
#include "jinja/text_search.h"

namespace sglrun::jinja {
namespace {

template <std::string (*map)(std::string_view)>
Try<Value> MappedFilter(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("text filter", {}, 0, std::move(args)));
  const Value text = ToStr(input);
  return Derived(map(text.text()), text.str());
}

// jinja2's own: words begin after blanks, hyphens and opening brackets, and nowhere else.
std::string TitleWords(std::string_view text) {
  const auto separates = [](char32_t c) {
    return c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || IsSpace(c);
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    const bool separator = separates(NextCharacter(text, end));
    const std::size_t first_end = end;
    while (end < text.size()) {
      std::size_t next = end;
      if (separates(NextCharacter(text, next)) != separator) break;
      end = next;
    }
    out += ToUpper(text.substr(at, first_end - at));
    out += ToLower(text.substr(first_end, end - first_end));
    at = end;
  }
  return out;
}

// The mark of an escaped text is lost, as the words are joined again.
Try<Value> Title(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_title", {}, 0, std::move(args)));
  const Value text = ToStr(input);
  return WithMarkup(Derived(TitleWords(text.text()), text.str()), false);
}

Try<Value> StringFilter(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("string", {}, 0, std::move(args)));
  return ToStr(input);
}

Try<Value> Trim(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_trim", {"chars"}, 0, std::move(args)));
  const Value text = ToStr(input);
  return StripText(text, bound[0], true, true);
}

Try<Value> ReplaceFilter(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_replace", {"old", "new", "count"}, 2, std::move(args)));
  std::int64_t count = -1;
  if (!bound[2].is(Kind::kNone)) {
    SGLRUN_ASSIGN_OR_RETURN(count, IntArgument(bound[2], -1));
  }
  Value parts[3] = {input, bound[0], bound[1]};
  for (Value& part : parts) {
    part = ToStr(part);
    if (!runtime.autoescape()) part = WithMarkup(part, false);
  }
  // Text inserted into an escaped text is escaped. If the inserted text is escaped, the whole text
  // becomes escaped.
  if (IsMarkup(parts[1]) || IsMarkup(parts[2])) {
    parts[0] = EscapeHtml(parts[0]);
  }
  if (IsMarkup(parts[0])) {
    parts[2] = EscapeHtml(parts[2]);
  }
  return ReplaceText(parts[0], parts[1], parts[2], count);
}

Try<Value> CenterFilter(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_center", {"width"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t width, IntArgument(bound[0], 80));
  const Value text = ToStr(input);
  return Center(text, width, " ", '^');
}

Try<Value> WordCount(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_wordcount", {}, 0, std::move(args)));
  const Value text = ToStr(input);
  std::int64_t words = 0;
  bool inside = false;
  for (std::size_t at = 0; at < text.text().size();) {
    const bool word = IsWordCharacter(NextCharacter(text.text(), at));
    if (word && !inside) ++words;
    inside = word;
  }
  return Value::Int(words);
}

Try<Value> Indent(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_indent", {"width", "first", "blank"}, 0, std::move(args)));
  std::string indent;
  if (bound[0].is_string()) {
    indent = bound[0].text();
  } else {
    SGLRUN_ASSIGN_OR_RETURN(const std::int64_t width, IntArgument(bound[0], 4));
    TextBuilder blanks;
    blanks.Fill(" ", width);
    indent = blanks.text();
  }
  if (input.is_undefined()) return input.undefined().ToFault();
  if (!input.is_string()) {
    return TypeFault("unsupported operand type(s) for +=: '" + TypeName(input) + "' and 'str'");
  }
  const bool first = !bound[1].missing() && Truth(bound[1]);
  const bool blank = !bound[2].missing() && Truth(bound[2]);
  TextBuilder with_end;  // a last empty line counts
  with_end.Append(input.str());
  with_end.Append("\n");
  const Value text = with_end.Build();
  TextBuilder out;
  if (first) out.Append(indent);
  bool at_first = true;
  for (const Value& line : SplitLines(text.str(), false)) {
    if (!at_first) {
      out.Append("\n");
      if (blank || !line.text().empty()) out.Append(indent);
    }
    at_first = false;
    out.Append(line.str());
  }
  return out.Build(input.str().markup);
}

Try<Value> TruncateFilter(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<Value> bound,
      Bind("do_truncate", {"length", "killwords", "end", "leeway"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t length, IntArgument(bound[0], 255));
  const Value end = bound[2].missing() ? Value::Str("...") : bound[2];
  std::int64_t leeway = 5;
  if (!bound[3].is(Kind::kNone)) {
    SGLRUN_ASSIGN_OR_RETURN(leeway, IntArgument(bound[3], 5));
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t end_length, Length(end));
  if (length < end_length) {
    return Fault{FaultKind::kRuntime, "expected length >= " + std::to_string(end_length) +
                                          ", got " + std::to_string(length)};
  }
  if (leeway < 0) {
    return Fault{FaultKind::kRuntime, "expected leeway >= 0, got " + std::to_string(leeway)};
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t size, Length(input));
  if (size <= length + leeway) return input;
  if (!input.is_string() || !end.is_string()) return TypeFault("truncate wants a text");
  const String& text = input.str();
  std::size_t cut = text.ByteOffset(static_cast<std::size_t>(length - end_length));
  if (bound[1].missing() || !Truth(bound[1])) {
    const std::size_t space = TextSearch(" ").Last(text.text, cut);
    if (space != TextSearch::kNone) cut = space;
  }
  TextBuilder out;
  out.Append(text, 0, cut);
  out.Append(end.str());
  return out.Build(text.markup);
}

Try<Value> FormatFilter(Runtime&, const Value& input, CallArgs args) {
  const Value text = ToStr(input);
  if (args.named.empty()) return FormatPercent(text, Value::Tuple(std::move(args.args)));
  if (!args.args.empty()) {
    return Fault{FaultKind::kRuntime,
                 "can't handle positional and keyword arguments at the same time"};
  }
  auto values = MakeRef<Dict>();
  for (auto& [name, value] : args.named) values->Set(name, std::move(value));
  return FormatPercent(text, MakeDict(values));
}

Try<Value> JoinFilter(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_join", {"d", "attribute"}, 0, std::move(args)));
  Value separator = ToStr(bound[0].missing() ? Value::Str("") : bound[0]);
  SGLRUN_ASSIGN_OR_RETURN(std::vector<Value> items, Collect(runtime, input));
  for (Value& item : items) {
    SGLRUN_ASSIGN_OR_RETURN(item, GetPath(runtime, item, bound[1]));
    item = ToStr(item);
  }
  const bool escapes =
      runtime.autoescape() && (IsMarkup(separator) || std::ranges::any_of(items, IsMarkup));
  if (!escapes) return JoinTexts(WithMarkup(separator, false), items);
  for (Value& item : items) {
    item = EscapeHtml(item);
  }
  separator = EscapeHtml(separator);
  return JoinTexts(separator, items);
}

constexpr std::array kTextEntries = {
    FilterEntry{"capitalize", MappedFilter<Capitalize>},
    FilterEntry{"center", CenterFilter},
    FilterEntry{"format", FormatFilter},
    FilterEntry{"indent", Indent},
    FilterEntry{"join", JoinFilter},
    FilterEntry{"lower", MappedFilter<ToLower>},
    FilterEntry{"replace", ReplaceFilter},
    FilterEntry{"string", StringFilter},
    FilterEntry{"title", Title},
    FilterEntry{"trim", Trim},
    FilterEntry{"truncate", TruncateFilter},
    FilterEntry{"upper", MappedFilter<ToUpper>},
    FilterEntry{"wordcount", WordCount},
};

}  // namespace

const std::span<const FilterEntry> kTextFilters = kTextEntries;

}  // namespace sglrun::jinja
