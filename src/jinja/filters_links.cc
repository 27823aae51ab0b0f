// The filter urlize: makes links of the addresses in a text.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/objects.h"
#include "jinja/repr.h"
#include "jinja/text.h"
#include "jinja/text_search.h"
#include "jinja/web_address.h"

namespace sglrun::jinja {
namespace {

struct LinkOptions {
  std::optional<std::int64_t> shown;  // characters of an address that are shown; all when empty
  std::string attributes;             // ' rel="noopener"'
  std::vector<std::string> schemes;
};

// A word, and the brackets and points around it.
struct Word {
  std::string_view head;
  std::string middle;
  std::string_view tail;
};

std::size_t CountParts(std::string_view text, std::string_view part) {
  TextSearch search(part);
  std::size_t count = 0;
  for (std::size_t at = search.First(text); at != TextSearch::kNone;
       at = search.First(text, at + part.size())) {
    ++count;
  }
  return count;
}

// The size of the brackets that a word begins with.
std::size_t HeadSize(std::string_view word) {
  std::size_t size = 0;
  while (size < word.size()) {
    Meter::Bytes(4);
    const std::string_view rest = word.substr(size);
    const std::size_t next = rest[0] == '(' || rest[0] == '<' ? 1
                             : rest.starts_with("&lt;")       ? 4
                                                              : 0;
    if (next == 0) break;
    size += next;
  }
  return size;
}

// The size of the brackets, points and commas that a word ends with.
std::size_t TailSize(std::string_view word) {
  std::size_t size = 0;
  while (size < word.size()) {
    Meter::Bytes(4);
    const std::string_view rest = word.substr(0, word.size() - size);
    const bool single = std::string_view(")>.,\n").find(rest.back()) != std::string_view::npos;
    const std::size_t next = single ? 1 : rest.ends_with("&gt;") ? 4 : 0;
    if (next == 0) break;
    size += next;
  }
  return size;
}

// Brackets that the word opens are closed by what was taken for its tail.
void Balance(Word& word) {
  struct Pair {
    std::string_view open, close;
  };
  static constexpr std::array<Pair, 3> kPairs = {{{"(", ")"}, {"<", ">"}, {"&lt;", "&gt;"}}};
  for (const Pair& pair : kPairs) {
    const std::size_t open = CountParts(word.middle, pair.open);
    if (open <= CountParts(word.middle, pair.close)) continue;
    TextSearch closing(pair.close);
    for (std::size_t moved = 0; moved < open; ++moved) {
      const std::size_t found = closing.First(word.tail);
      if (found == TextSearch::kNone) break;
      const std::size_t size = found + pair.close.size();
      word.middle += word.tail.substr(0, size);
      word.tail.remove_prefix(size);
    }
  }
}

Word SplitWord(std::string_view text) {
  Word word;
  word.head = text.substr(0, HeadSize(text));
  text.remove_prefix(word.head.size());
  const std::size_t tail = TailSize(text);
  word.middle = text.substr(0, text.size() - tail);
  word.tail = text.substr(text.size() - tail);
  Balance(word);
  return word;
}

// Python's x[:shown], with dots where something is left out.
std::string Shown(const std::string& address, const LinkOptions& options) {
  if (!options.shown) return address;
  const String text(address);
  const auto length = static_cast<std::int64_t>(text.length);
  if (length <= *options.shown) return address;
  const std::int64_t kept = *options.shown < 0 ? *options.shown + length : *options.shown;
  return address.substr(
             0, text.ByteOffset(static_cast<std::size_t>(std::max<std::int64_t>(kept, 0)))) +
         "...";
}

std::string Link(std::string_view target, std::string_view attributes, std::string_view text) {
  Meter::Bytes(target.size() + attributes.size() + text.size());
  std::string out = "<a href=\"";
  out.append(target).append("\"").append(attributes).append(">").append(text).append("</a>");
  return out;
}

std::string Linked(std::string word, const LinkOptions& options) {
  const std::string_view view = word;
  if (IsWebAddress(word)) {
    const bool whole = view.starts_with("https://") || view.starts_with("http://");
    return Link(whole ? word : "https://" + word, options.attributes, Shown(word, options));
  }
  constexpr std::string_view kMail = "mailto:";
  if (view.starts_with(kMail) && IsMailAddress(view.substr(kMail.size()))) {
    return Link(word, "", view.substr(kMail.size()));
  }
  const bool may_be_mail = !view.starts_with("www.") && !view.starts_with("@") &&
                           FindFirst(view, ":") == TextSearch::kNone;
  if (may_be_mail && IsMailAddress(word)) return Link("mailto:" + word, "", word);
  for (const std::string& scheme : options.schemes) {
    if (word != scheme && word.starts_with(scheme)) word = Link(word, options.attributes, word);
  }
  return word;
}

// Each word between white space by itself.
Value MakeLinks(const String& text, const LinkOptions& options) {
  TextBuilder out;
  const std::string_view all = text.text;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size()) {
      std::size_t next = end;
      if (IsSpace(NextCharacter(all, next))) break;
      end = next;
    }
    const Word word = SplitWord(all.substr(begin, end - begin));
    out.AppendDerived(word.head, text);
    out.AppendDerived(Linked(word.middle, options), text);
    out.AppendDerived(word.tail, text);
    begin = end + LeadingSpace(all.substr(end));
    out.AppendDerived(all.substr(end, begin - end), text);
  }
  return out.Build();
}

Try<std::string> RelAttribute(const Value& rel, bool no_follow) {
  std::set<std::string> words = {"noopener"};
  if (no_follow) words.insert("nofollow");
  if (!rel.missing() && Truth(rel)) {
    if (!rel.is_string())
      return TypeFault("'" + TypeName(rel) + "' object has no attribute 'split'");
    const std::string_view text = rel.text();
    for (std::size_t at = LeadingSpace(text); at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && LeadingSpace(text.substr(end, 4)) == 0) NextCharacter(text, end);
      Meter::Step();
      words.emplace(text.substr(at, end - at));
      at = end + LeadingSpace(text.substr(end));
    }
  }
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + word;
  return " rel=\"" + EscapeHtml(Value::Str(joined)).text() + "\"";
}

Try<std::vector<std::string>> Schemes(Runtime& runtime, const Value& given) {
  std::vector<std::string> schemes;
  if (given.missing() || given.is(Kind::kNone)) return schemes;
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> items, Collect(runtime, given));
  for (const Value& item : items) {
    if (!item.is_string()) return TypeFault("expected string or bytes-like object");
    if (!IsSchemePrefix(item.text())) {
      return Fault{FaultKind::kRuntime, Repr(item) + " is not a valid URI scheme prefix."};
    }
    schemes.push_back(item.text());
  }
  return schemes;
}

Try<Value> Urlize(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<Value> bound,
      Bind("do_urlize", {"trim_url_limit", "nofollow", "target", "rel", "extra_schemes"}, 0,
           std::move(args)));
  LinkOptions options;
  if (!bound[0].missing() && !bound[0].is(Kind::kNone)) {
    SGLRUN_ASSIGN_OR_RETURN(options.shown, IntArgument(bound[0], 0));
  }
  SGLRUN_ASSIGN_OR_RETURN(options.attributes,
                          RelAttribute(bound[3], !bound[1].missing() && Truth(bound[1])));
  if (!bound[2].missing() && Truth(bound[2])) {
    options.attributes += " target=\"" + EscapeHtml(ToStr(bound[2])).text() + "\"";
  }
  SGLRUN_ASSIGN_OR_RETURN(options.schemes, Schemes(runtime, bound[4]));
  const Value links = MakeLinks(EscapeHtml(ToStr(input)).str(), options);
  return WithMarkup(links, runtime.autoescape());
}

constexpr std::array kLinkEntries = {FilterEntry{"urlize", Urlize}};

}  // namespace

const std::span<const FilterEntry> kLinkFilters = kLinkEntries;

}  // namespace sglrun::jinja
