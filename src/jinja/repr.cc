#include "jinja/repr.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "jinja/big_int.h"
#include "jinja/callable.h"
#include "jinja/characters.h"
#include "jinja/compare.h"
#include "jinja/objects.h"

namespace sglrun::jinja {
namespace {

std::string HexEscape(char32_t c) {
  std::array<char, 12> buffer;
  const auto code = static_cast<unsigned>(c);
  std::snprintf(buffer.data(), buffer.size(),
                c < 0x100     ? "\\x%02x"
                : c < 0x10000 ? "\\u%04x"
                              : "\\U%08x",
                code);
  return buffer.data();
}

std::string EscapeOf(char32_t c, char quote) {
  switch (c) {
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  if (c == static_cast<char32_t>(quote)) return std::string("\\") + quote;
  return IsIn(kPrintable, c) ? std::string() : HexEscape(c);
}

void AppendItems(TextBuilder& out, const std::vector<Value>& items, int depth) {
  bool first = true;
  for (const Value& item : items) {
    if (!first) out.Append(", ");
    first = false;
    AppendRepr(out, item, depth + 1);
  }
}

void AppendDict(TextBuilder& out, const Dict& dict, int depth) {
  out.Append("{");
  bool first = true;
  for (const Dict::Entry& entry : dict.entries()) {
    if (!first) out.Append(", ");
    first = false;
    AppendRepr(out, entry.key, depth + 1);
    out.Append(": ");
    AppendRepr(out, entry.value, depth + 1);
  }
  out.Append("}");
}

void AppendView(TextBuilder& out, const DictView& view, int depth) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < view.dict->size(); ++i) items.push_back(view.at(i));
  out.Append(view.TypeName());
  out.Append("([");
  AppendItems(out, items, depth);
  out.Append("])");
}

std::string RangeRepr(const RangeObject& range) {
  return "range(" + std::to_string(range.start) + ", " + std::to_string(range.stop) +
         (range.step == 1 ? "" : ", " + std::to_string(range.step)) + ")";
}

}  // namespace

std::string FloatRepr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific)
                       .ptr;
  std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  std::string out;
  if (text[0] == '-') {
    out = "-";
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (digits.size() > 1) out += "." + digits.substr(1);
    const std::string power = std::to_string(std::abs(exponent));
    return out + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0)
    return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return out + digits + std::string(whole - digits.size(), '0') + ".0";
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string IntText(const Value& integer, int base) {
  if (integer.is(Kind::kBigInt)) return integer.big().ToString(base);
  return base == 10 ? std::to_string(integer.int64()) : BigInt(integer.int64()).ToString(base);
}

void AppendRepr(TextBuilder& out, const String& text) {
  const bool single = text.text.find('\'') != std::string::npos;
  const char quote = single && text.text.find('"') == std::string::npos ? '"' : '\'';
  const std::string_view mark(&quote, 1);
  out.Append(mark);
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t begin = at;
    const std::string escape = EscapeOf(NextCharacter(text.text, at), quote);
    if (escape.empty()) continue;
    out.Append(text, done, begin);
    out.AppendDerived(escape, text);
    done = at;
  }
  out.Append(text, done, text.text.size());
  out.Append(mark);
}

void AppendRepr(TextBuilder& out, const Value& value, int depth) {
  Meter::NeedDepth("a printed value", depth, kMaxValueDepth);
  switch (value.kind()) {
    case Kind::kMissing:
    case Kind::kUndefined:
      out.Append("Undefined");
      return;
    case Kind::kNone:
      out.Append("None");
      return;
    case Kind::kBool:
      out.Append(value.int64() != 0 ? "True" : "False");
      return;
    case Kind::kInt:
    case Kind::kBigInt:
      out.Append(IntText(value));
      return;
    case Kind::kFloat:
      out.Append(FloatRepr(value.number()));
      return;
    case Kind::kString:
      if (value.str().markup) out.Append("Markup(");
      AppendRepr(out, value.str());
      if (value.str().markup) out.Append(")");
      return;
    case Kind::kList:
      out.Append("[");
      AppendItems(out, value.items(), depth);
      out.Append("]");
      return;
    case Kind::kTuple:
      out.Append("(");
      AppendItems(out, value.items(), depth);
      out.Append(value.items().size() == 1 ? ",)" : ")");
      return;
    case Kind::kDict:
      return AppendDict(out, value.dict(), depth);
    case Kind::kDictView:
      return AppendView(out, value.as<DictView>(), depth);
    case Kind::kRange:
      out.Append(RangeRepr(value.as<RangeObject>()));
      return;
    case Kind::kNamespace:
      out.Append("<Namespace ");
      AppendDict(out, value.as<NamespaceObject>().attributes, depth + 1);
      out.Append(">");
      return;
    case Kind::kCallable:
      out.Append(value.as<Callable>().Repr());
      return;
    case Kind::kLoop: {
      const auto& loop = value.as<LoopObject>();
      const Try<std::int64_t> length =
          loop.known_length >= 0 ? Try<std::int64_t>(loop.known_length) : Length(loop.iterable);
      out.Append("<LoopContext " + std::to_string(loop.index0 + 1) + "/" +
                 (length.ok() ? std::to_string(*length) : "?") + ">");
      return;
    }
    case Kind::kSelf:
      out.Append("<TemplateReference None>");
      return;
    default:
      out.Append("<" + TypeName(value) + " object>");
      return;
  }
}

void AppendStr(TextBuilder& out, const Value& value) {
  if (value.is_string()) {
    out.Append(value.str());
    return;
  }
  if (value.is_undefined()) return;
  return AppendRepr(out, value);
}

Value ToStr(const Value& value) {
  if (value.is_string()) return value;
  TextBuilder out;
  AppendStr(out, value);
  return out.Build();
}

std::string Repr(const Value& value) {
  TextBuilder out;
  AppendRepr(out, value);
  return out.text();
}

std::string QuotedText(std::string_view text) {
  TextBuilder out;
  AppendRepr(out, String(std::string(text)));
  return out.text();
}

}  // namespace sglrun::jinja
