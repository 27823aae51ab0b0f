#include "jinja/string_search.h"

#include <algorithm>

#include "base/utf8.h"
#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/text.h"
#include "jinja/text_search.h"

namespace sglrun::jinja {
namespace {

constexpr std::size_t kNone = TextSearch::kNone;

// The range of a search: bytes [begin, end) of the text. `valid` is false if start is after the end
// of the text, where even an empty text is not found.
struct Window {
  std::size_t begin = 0, end = 0;
  bool valid = true;
};

Try<Window> MakeWindow(const String& text, const Value& start, const Value& stop) {
  const auto length = static_cast<std::int64_t>(text.length);
  const auto bound = [&](const Value& value, std::int64_t standard) -> Try<std::int64_t> {
    if (value.missing() || value.is(Kind::kNone)) return standard;
    SGLRUN_ASSIGN_OR_RETURN(std::int64_t index, IntArgument(value, standard));
    if (index < 0) index = std::max<std::int64_t>(0, index + length);
    return index;
  };
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t first, bound(start, 0));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t last, bound(stop, length));
  Window window;
  window.valid = first <= std::min(last, length);
  if (!window.valid) return window;
  window.begin = text.ByteOffset(static_cast<std::size_t>(first));
  window.end = text.ByteOffset(static_cast<std::size_t>(std::min(last, length)));
  return window;
}

struct Search {
  std::string part;
  Window window;
};

Try<Search> BindSearch(const char* method, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind(method, {"/sub", "/start", "/end"}, 1, std::move(args)));
  if (!bound[0].is_string()) return TypeFault("must be str, not " + TypeName(bound[0]));
  SGLRUN_ASSIGN_OR_RETURN(const Window window, MakeWindow(self.str(), bound[1], bound[2]));
  return Search{bound[0].text(), window};
}

Try<std::int64_t> Position(const char* method, const Value& self, CallArgs args, bool last) {
  SGLRUN_ASSIGN_OR_RETURN(const Search search, BindSearch(method, self, std::move(args)));
  if (!search.window.valid) return -1;
  const std::string_view text =
      std::string_view(self.text()).substr(0, search.window.end).substr(search.window.begin);
  const std::size_t found = last ? FindLast(text, search.part) : FindFirst(text, search.part);
  if (found == kNone) return -1;
  Meter::Bytes(search.window.begin + found);
  return static_cast<std::int64_t>(
      CountCodePoints(std::string_view(self.text()).substr(0, search.window.begin + found)));
}

Try<Value> PositionOrFault(const char* method, const Value& self, CallArgs args, bool last) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t position,
                          Position(method, self, std::move(args), last));
  if (position < 0) return ValueFault("substring not found");
  return Value::Int(position);
}

Try<bool> HasAffix(std::string_view text, const Value& affix, bool at_start, const char* method) {
  if (affix.is_string()) {
    Meter::Bytes(16 + std::min(text.size(), affix.text().size()));
    return at_start ? text.starts_with(affix.text()) : text.ends_with(affix.text());
  }
  if (!affix.is(Kind::kTuple)) {
    return TypeFault(std::string(method) + " first arg must be str or a tuple of str, not " +
                     TypeName(affix));
  }
  for (const Value& item : affix.items()) {
    if (!item.is_string()) {
      return TypeFault("tuple for " + std::string(method) + " must only contain str, not " +
                       TypeName(item));
    }
    SGLRUN_ASSIGN_OR_RETURN(const bool found, HasAffix(text, item, at_start, method));
    if (found) return true;
  }
  return false;
}

Try<Value> Affix(const char* method, const Value& self, CallArgs args, bool at_start) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind(method, {"/prefix", "/start", "/end"}, 1, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const Window window, MakeWindow(self.str(), bound[1], bound[2]));
  const std::string_view text =
      std::string_view(self.text()).substr(0, window.end).substr(window.begin);
  SGLRUN_ASSIGN_OR_RETURN(const bool found, HasAffix(text, bound[0], at_start, method));
  return Value::Bool(window.valid && found);
}

// The parts of a text, first to last, as byte ranges.
using Parts = std::vector<TextRange>;

void AddPart(std::size_t begin, std::size_t end, Parts& parts) {
  Meter::NeedItems(parts.size() + 1);
  Meter::Bytes(sizeof(TextRange));
  parts.push_back({begin, end});
}

Parts SplitAtSpace(std::string_view text, std::int64_t limit) {
  Parts parts;
  std::size_t at = LeadingSpace(text);
  while (at < text.size()) {
    if (limit == 0) {
      AddPart(at, text.size(), parts);
      break;
    }
    std::size_t end = at;
    while (end < text.size() && LeadingSpace(text.substr(end, 4)) == 0) NextCharacter(text, end);
    AddPart(at, end, parts);
    at = end + LeadingSpace(text.substr(end));
    --limit;
  }
  return parts;
}

Parts SplitAtSpaceFromRight(std::string_view text, std::int64_t limit) {
  Parts parts;
  std::size_t end = text.size() - TrailingSpace(text);
  while (end > 0) {
    if (limit == 0) {
      AddPart(0, end, parts);
      break;
    }
    std::size_t begin = end;
    while (begin > 0) {
      const std::size_t previous = PreviousCharacter(text, begin);
      if (LeadingSpace(text.substr(previous, begin - previous)) > 0) break;
      begin = previous;
    }
    AddPart(begin, end, parts);
    end = begin - TrailingSpace(text.substr(0, begin));
    --limit;
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Parts SplitAt(std::string_view text, std::string_view separator, std::int64_t limit) {
  Parts parts;
  TextSearch search(separator);
  std::size_t begin = 0;
  for (; limit != 0; --limit) {
    const std::size_t found = search.First(text, begin);
    if (found == kNone) break;
    AddPart(begin, found, parts);
    begin = found + separator.size();
  }
  AddPart(begin, text.size(), parts);
  return parts;
}

Parts SplitAtFromRight(std::string_view text, std::string_view separator, std::int64_t limit) {
  Parts parts;
  TextSearch search(separator);
  std::size_t end = text.size();
  for (; limit != 0; --limit) {
    const std::size_t found = search.Last(text, end);
    if (found == kNone) break;
    AddPart(found + separator.size(), end, parts);
    end = found;
  }
  AddPart(0, end, parts);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Try<Value> Split(const Value& self, CallArgs args, bool from_right) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("split", {"sep", "maxsplit"}, 0, std::move(args)));
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t limit, IntArgument(bound[1], -1));
  const String& text = self.str();
  Parts parts;
  if (bound[0].missing() || bound[0].is(Kind::kNone)) {
    parts = from_right ? SplitAtSpaceFromRight(text.text, limit) : SplitAtSpace(text.text, limit);
  } else {
    if (!bound[0].is_string()) return TypeFault("must be str or None, not " + TypeName(bound[0]));
    const std::string& separator = bound[0].text();
    if (separator.empty()) return ValueFault("empty separator");
    parts = from_right ? SplitAtFromRight(text.text, separator, limit)
                       : SplitAt(text.text, separator, limit);
  }
  std::vector<Value> items;
  items.reserve(parts.size());
  for (const TextRange& part : parts) {
    items.push_back(Part(text, part.begin, part.end, text.markup));
  }
  return Value::List(std::move(items));
}

Try<Value> Partition(const Value& self, CallArgs args, bool from_right) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("partition", {"/sep"}, 1, std::move(args)));
  if (!bound[0].is_string()) return TypeFault("must be str, not " + TypeName(bound[0]));
  if (bound[0].text().empty()) return ValueFault("empty separator");
  const String& text = self.str();
  const std::size_t found =
      from_right ? FindLast(text.text, bound[0].text()) : FindFirst(text.text, bound[0].text());
  const std::size_t size = text.text.size();
  const bool markup = text.markup;
  if (found == kNone) {
    const Value empty = Part(text, 0, 0, markup);
    const Value whole = Part(text, 0, size, markup);
    return from_right ? Value::Tuple({empty, empty, whole}) : Value::Tuple({whole, empty, empty});
  }
  const std::size_t behind = found + bound[0].text().size();
  return Value::Tuple({Part(text, 0, found, markup), Part(text, found, behind, markup),
                       Part(text, behind, size, markup)});
}

}  // namespace

Try<Value> FindMethod(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t at, Position("find", self, std::move(args), false));
  return Value::Int(at);
}

Try<Value> RFindMethod(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t at, Position("rfind", self, std::move(args), true));
  return Value::Int(at);
}

Try<Value> IndexMethod(Runtime&, const Value& self, CallArgs args) {
  return PositionOrFault("index", self, std::move(args), false);
}

Try<Value> RIndexMethod(Runtime&, const Value& self, CallArgs args) {
  return PositionOrFault("rindex", self, std::move(args), true);
}

Try<Value> CountMethod(Runtime&, const Value& self, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const Search search, BindSearch("count", self, std::move(args)));
  if (!search.window.valid) return Value::Int(0);
  const std::string_view text =
      std::string_view(self.text()).substr(0, search.window.end).substr(search.window.begin);
  if (search.part.empty()) {
    Meter::Bytes(text.size());
    return Value::Int(static_cast<std::int64_t>(CountCodePoints(text)) + 1);
  }
  std::int64_t count = 0;
  TextSearch finder(search.part);
  for (std::size_t at = finder.First(text); at != kNone;
       at = finder.First(text, at + search.part.size())) {
    ++count;
  }
  return Value::Int(count);
}

Try<Value> StartsWithMethod(Runtime&, const Value& self, CallArgs args) {
  return Affix("startswith", self, std::move(args), true);
}

Try<Value> EndsWithMethod(Runtime&, const Value& self, CallArgs args) {
  return Affix("endswith", self, std::move(args), false);
}

Try<Value> SplitMethod(Runtime&, const Value& self, CallArgs args) {
  return Split(self, std::move(args), false);
}

Try<Value> RSplitMethod(Runtime&, const Value& self, CallArgs args) {
  return Split(self, std::move(args), true);
}

Try<Value> PartitionMethod(Runtime&, const Value& self, CallArgs args) {
  return Partition(self, std::move(args), false);
}

Try<Value> RPartitionMethod(Runtime&, const Value& self, CallArgs args) {
  return Partition(self, std::move(args), true);
}

}  // namespace sglrun::jinja
