// Python's json.dumps, which transformers uses for `tojson`.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/filter_functions.h"
#include "jinja/objects.h"
#include "jinja/repr.h"
#include "jinja/text.h"

namespace sglrun::jinja {
namespace {

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  bool indented = false;
  std::string indent;
  std::string item_separator = ", ", key_separator = ": ";
};

std::string UnicodeEscape(char32_t c) {
  std::array<char, 16> buffer;
  if (c < 0x10000) {
    std::snprintf(buffer.data(), buffer.size(), "\\u%04x", static_cast<unsigned>(c));
  } else {
    const auto rest = static_cast<unsigned>(c) - 0x10000;
    std::snprintf(buffer.data(), buffer.size(), "\\u%04x\\u%04x", 0xD800 + (rest >> 10),
                  0xDC00 + (rest & 0x3FF));
  }
  return buffer.data();
}

std::string EscapeOf(char32_t c, bool ensure_ascii) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\f':
      return "\\f";
    case '\b':
      return "\\b";
    default:
      return c < 0x20 || (ensure_ascii && c > 0x7E) ? UnicodeEscape(c) : std::string();
  }
}

std::string FloatText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return FloatRepr(value);
}

class JsonDumper {
 public:
  explicit JsonDumper(const JsonStyle& style) : style_(style) {}

  Try<Value> Run(const Value& value) {
    SGLRUN_RETURN_IF_ERROR(Append(value, 0));
    return out_.Build();
  }

 private:
  void AppendText(const String& text) {
    out_.Append("\"");
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.text.size();) {
      const std::size_t begin = at;
      const std::string escape = EscapeOf(NextCharacter(text.text, at), style_.ensure_ascii);
      if (escape.empty()) continue;
      out_.Append(text, done, begin);
      out_.AppendDerived(escape, text);
      done = at;
    }
    out_.Append(text, done, text.text.size());
    out_.Append("\"");
  }

  void NewLine(int depth) {
    out_.Append("\n");
    out_.Fill(style_.indent, depth);
  }

  Try<void> AppendList(const std::vector<Value>& items, int depth) {
    if (items.empty()) {
      out_.Append("[]");
      return {};
    }
    out_.Append("[");
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_.Append(style_.item_separator);
      if (style_.indented) NewLine(depth + 1);
      SGLRUN_RETURN_IF_ERROR(Append(items[i], depth + 1));
    }
    if (style_.indented) NewLine(depth);
    out_.Append("]");
    return {};
  }

  Try<void> AppendKey(const Value& key) {
    switch (key.kind()) {
      case Kind::kString:
        AppendText(key.str());
        return {};
      case Kind::kBool:
      case Kind::kInt:
      case Kind::kBigInt:
      case Kind::kFloat:
      case Kind::kNone:
        out_.Append("\"");
        SGLRUN_RETURN_IF_ERROR(Append(key, 0));
        out_.Append("\"");
        return {};
      default:
        return TypeFault("keys must be str, int, float, bool or None, not " + TypeName(key));
    }
  }

  Try<void> AppendDict(const Dict& dict, int depth) {
    if (dict.size() == 0) {
      out_.Append("{}");
      return {};
    }
    std::vector<const Dict::Entry*> entries;
    Meter::Bytes(dict.size() * sizeof(entries[0]));
    for (const Dict::Entry& entry : dict.entries()) entries.push_back(&entry);
    if (style_.sort_keys) {
      Try<void> sorted;
      std::stable_sort(entries.begin(), entries.end(), [&](const auto* a, const auto* b) {
        const Try<bool> less = LessThan(a->key, b->key);
        if (!less.ok() && sorted.ok()) sorted = less.error();
        return less.ok() && *less;
      });
      SGLRUN_RETURN_IF_ERROR(sorted);
    }
    out_.Append("{");
    bool first = true;
    for (const Dict::Entry* entry : entries) {
      if (!first) out_.Append(style_.item_separator);
      first = false;
      if (style_.indented) NewLine(depth + 1);
      SGLRUN_RETURN_IF_ERROR(AppendKey(entry->key));
      out_.Append(style_.key_separator);
      SGLRUN_RETURN_IF_ERROR(Append(entry->value, depth + 1));
    }
    if (style_.indented) NewLine(depth);
    out_.Append("}");
    return {};
  }

  Try<void> Append(const Value& value, int depth) {
    Meter::NeedDepth("tojson: a value", depth, kMaxValueDepth);
    Meter::Step();
    switch (value.kind()) {
      case Kind::kNone:
        out_.Append("null");
        return {};
      case Kind::kBool:
        out_.Append(value.int64() != 0 ? "true" : "false");
        return {};
      case Kind::kInt:
      case Kind::kBigInt:
        out_.Append(IntText(value));
        return {};
      case Kind::kFloat:
        out_.Append(FloatText(value.number()));
        return {};
      case Kind::kString:
        AppendText(value.str());
        return {};
      case Kind::kList:
      case Kind::kTuple:
        return AppendList(value.items(), depth);
      case Kind::kDict:
        return AppendDict(value.dict(), depth);
      default:
        return TypeFault("Object of type " + TypeName(value) + " is not JSON serializable");
    }
  }

  const JsonStyle& style_;
  TextBuilder out_;
};

Try<void> ReadIndent(const Value& indent, JsonStyle& style) {
  if (indent.missing() || indent.is(Kind::kNone)) return {};
  style.indented = true;
  style.item_separator = ",";
  if (indent.is_string()) {
    style.indent = indent.text();
    return {};
  }
  SGLRUN_ASSIGN_OR_RETURN(const std::int64_t width, IntArgument(indent, 0));
  if (width > 1000)
    return LimitFault("tojson: indent is " + std::to_string(width) + ", at most 1000");
  style.indent = std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ');
  return {};
}

Try<void> ReadSeparators(Runtime& runtime, const Value& separators, JsonStyle& style) {
  if (separators.missing() || separators.is(Kind::kNone)) return {};
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> pair, Collect(runtime, separators));
  if (pair.size() != 2) return ValueFault("tojson: separators must be a pair of texts");
  if (!pair[0].is_string() || !pair[1].is_string()) {
    return TypeFault("tojson: separators must be a pair of texts");
  }
  style.item_separator = pair[0].text();
  style.key_separator = pair[1].text();
  return {};
}

}  // namespace

Try<Value> ToJson(Runtime& runtime, const Value& input, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(
      const std::vector<Value> bound,
      Bind("tojson", {"ensure_ascii", "indent", "separators", "sort_keys"}, 0, std::move(args)));
  JsonStyle style;
  style.ensure_ascii = !bound[0].missing() && Truth(bound[0]);
  style.sort_keys = !bound[3].missing() && Truth(bound[3]);
  SGLRUN_RETURN_IF_ERROR(ReadIndent(bound[1], style));
  SGLRUN_RETURN_IF_ERROR(ReadSeparators(runtime, bound[2], style));
  return JsonDumper(style).Run(input);
}

}  // namespace sglrun::jinja
