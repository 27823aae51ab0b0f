// Filters that speak HTML. Chat templates use `safe` and, rarely, `escape`.
#include <algorithm>
#include <array>

#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/objects.h"
#include "jinja/repr.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

Try<Value> Safe(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_mark_safe", {}, 0, std::move(args)));
  const Value text = ToStr(input);
  return WithMarkup(text, true);
}

Try<Value> Escape(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("escape", {}, 0, std::move(args)));
  const Value text = ToStr(input);
  return EscapeHtml(text);
}

Try<Value> ForceEscape(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_forceescape", {}, 0, std::move(args)));
  const Value text = ToStr(input);
  return EscapeHtml(WithMarkup(text, false));
}

// %XX for all but letters, digits, "_.-~", and "/" outside of query parts, where a blank is "+".
void AppendQuoted(std::string& out, std::string_view text, bool query) {
  Meter::Characters(text.size());
  static constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '_' || c == '.' ||
                                       c == '-' || c == '~' || (c == '/' && !query));
    if (plain) {
      out += c;
    } else if (c == ' ' && query) {
      out += '+';
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
}

Try<Value> UrlEncode(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_urlencode", {}, 0, std::move(args)));
  std::string out;
  if (input.is_string() || !Iterate(input).ok()) {
    const Value text = ToStr(input);
    AppendQuoted(out, text.text(), false);
    return Derived(std::move(out), text.str());
  }
  std::vector<Value> pairs;
  if (input.is(Kind::kDict)) {
    for (const Dict::Entry& entry : input.dict().entries()) {
      Meter::Step();
      pairs.push_back(Value::Tuple({entry.key, entry.value}));
    }
  } else {
    SGLRUN_ASSIGN_OR_RETURN(pairs, Collect(runtime, input));
  }
  for (const Value& pair : pairs) {
    SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> parts, Collect(runtime, pair));
    if (parts.size() != 2) return ValueFault("not enough values to unpack (expected 2)");
    if (!out.empty()) out += '&';
    for (std::size_t i = 0; i < 2; ++i) {
      const Value text = ToStr(parts[i]);
      if (i == 1) out += '=';
      AppendQuoted(out, text.text(), true);
    }
  }
  return Value::Str(std::move(out));
}

Try<Value> XmlAttributes(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("do_xmlattr", {"autospace"}, 0, std::move(args)));
  if (input.is_undefined()) return input.undefined().ToFault();
  if (!input.is(Kind::kDict)) return TypeFault("xmlattr wants a mapping");
  TextBuilder out;
  for (const Dict::Entry& entry : input.dict().entries()) {
    if (entry.value.is(Kind::kNone) || entry.value.is_undefined()) continue;
    if (!entry.key.is_string()) return TypeFault("expected string or bytes-like object");
    Meter::Characters(entry.key.text().size());
    if (entry.key.text().find_first_of(" \t\n\r\f\v/>=") != std::string::npos) {
      return ValueFault("Invalid character in attribute name: " + QuotedText(entry.key.text()));
    }
    if (out.size() > 0 || bound[0].missing() || Truth(bound[0])) out.Append(" ");
    const Value key = EscapeHtml(entry.key);
    const Value shown = ToStr(entry.value);
    const Value value = EscapeHtml(shown);
    out.Append(key.str());
    out.Append("=\"");
    out.Append(value.str());
    out.Append("\"");
  }
  return out.Build(runtime.autoescape());
}

// Removes tags and comments and makes every run of blanks one.
std::string WithoutTags(std::string_view text) {
  Meter::Bytes(2 * text.size());
  std::string kept;
  std::size_t at = 0;
  while (true) {
    const std::size_t start = text.find('<', at);
    if (start == std::string_view::npos) break;
    const bool comment = text.substr(start).starts_with("<!--");
    const std::size_t end = comment ? text.find("-->", start + 4) : text.find('>', start);
    if (end == std::string_view::npos) break;
    kept += text.substr(at, start - at);
    at = end + (comment ? 3 : 1);
  }
  kept += text.substr(at);
  std::string out;
  for (std::size_t i = 0; i < kept.size();) {
    const std::string_view rest = std::string_view(kept).substr(i);
    if (const std::size_t space = LeadingSpace(rest)) {
      i += space;
      if (!out.empty() && i < kept.size()) out += ' ';
      continue;
    }
    std::size_t next = i;
    NextCharacter(kept, next);
    out.append(kept, i, next - i);
    i = next;
  }
  return out;
}

std::string Unescape(const std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
      {"&lt;", "<"},    {"&gt;", ">"},        {"&#39;", "'"}, {"&#34;", "\""},
      {"&quot;", "\""}, {"&nbsp;", "\u00a0"}, {"&amp;", "&"}};
  Meter::Characters(text.size());
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto entity =
        std::find_if(std::begin(kEntities), std::end(kEntities), [&](const auto& entry) {
          return text[at] == '&' && text.compare(at, entry.first.size(), entry.first) == 0;
        });
    const bool found = entity != std::end(kEntities);
    out += found ? entity->second : std::string_view(text).substr(at, 1);
    at += found ? entity->first.size() : 1;
  }
  return out;
}

Try<Value> StripTags(Runtime&, const Value& input, CallArgs args) {
  SGLRUN_RETURN_IF_ERROR(Bind("do_striptags", {}, 0, std::move(args)));
  const Value text = ToStr(input);
  return WithMarkup(Derived(Unescape(WithoutTags(text.text())), text.str()), false);
}

constexpr std::array kMarkupEntries = {
    FilterEntry{"e", Escape},
    FilterEntry{"escape", Escape},
    FilterEntry{"forceescape", ForceEscape},
    FilterEntry{"safe", Safe},
    FilterEntry{"striptags", StripTags},
    FilterEntry{"urlencode", UrlEncode},
    FilterEntry{"xmlattr", XmlAttributes},
};

}  // namespace

const std::span<const FilterEntry> kMarkupFilters = kMarkupEntries;

}  // namespace sglrun::jinja
