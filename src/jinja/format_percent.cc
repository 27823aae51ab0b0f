// 'text' % values, as Python's printf-like formatting.
#include "base/utf8.h"
#include "jinja/compare.h"
#include "jinja/format.h"
#include "jinja/number.h"
#include "jinja/operators.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

class PercentFormatter {
 public:
  PercentFormatter(const String& format, const Value& values)
      : format_(format), text_(format.text), values_(values) {}

  Try<Value> Run() {
    while (true) {
      const std::size_t mark = std::min(text_.find('%', at_), text_.size());
      out_.Append(format_, at_, mark);
      at_ = mark;
      if (at_ == text_.size()) break;
      ++at_;
      SGLRUN_RETURN_IF_ERROR(Field());
    }
    const bool unused = values_.is(Kind::kTuple)
                            ? next_ < values_.items().size()
                            : !values_.is(Kind::kDict) && !used_ && !HasItems();
    if (unused) return TypeFault("not all arguments converted during string formatting");
    return out_.Build(format_.markup);
  }

 private:
  // Python takes any value with items for a mapping here, lists among them, but not texts.
  bool HasItems() const {
    return values_.is(Kind::kList) || values_.is(Kind::kRange) || values_.is(Kind::kUndefined);
  }

  Try<Value> NextValue() {
    if (values_.is(Kind::kTuple)) {
      if (next_ < values_.items().size()) return values_.items()[next_++];
    } else if (!used_) {
      used_ = true;
      return values_;
    }
    return TypeFault("not enough arguments for format string");
  }

  Try<Value> Named() {
    int open = 1;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && open > 0; ++at_) {
      Meter::Bytes(1);
      if (text_[at_] == '(') ++open;
      if (text_[at_] == ')') --open;
    }
    if (open > 0) return ValueFault("incomplete format key");
    if (!values_.is(Kind::kDict)) return TypeFault("format requires a mapping");
    const std::string name(text_.substr(begin, at_ - 1 - begin));
    const Value* value = values_.dict().Find(name);
    if (value == nullptr) return Fault{FaultKind::kLookup, QuotedText(name)};
    return *value;
  }

  Try<std::int64_t> Number() {
    if (at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      SGLRUN_ASSIGN_OR_RETURN(const Value value, NextValue());
      if (!value.is(Kind::kInt) && !value.is(Kind::kBool)) return TypeFault("* wants int");
      if (value.int64() > 0) Meter::NeedText(static_cast<std::size_t>(value.int64()));
      return value.int64();
    }
    std::int64_t number = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      number = number * 10 + (text_[at_] - '0');
      Meter::NeedText(static_cast<std::size_t>(number));
    }
    return number;
  }

  // Behind the '%'.
  Try<void> Field() {
    FormatSpec spec;
    Value value;
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      SGLRUN_ASSIGN_OR_RETURN(value, Named());
      used_ = true;
    }
    bool left = false, zero = false;
    for (;
         at_ < text_.size() && std::string_view("#0- +").find(text_[at_]) != std::string_view::npos;
         ++at_) {
      left = left || text_[at_] == '-';
      zero = zero || text_[at_] == '0';
      spec.alternate = spec.alternate || text_[at_] == '#';
      if (text_[at_] == '+' || (text_[at_] == ' ' && spec.sign == '-')) spec.sign = text_[at_];
    }
    SGLRUN_ASSIGN_OR_RETURN(spec.width, Number());
    if (spec.width < 0) {
      left = true;
      spec.width = -spec.width;
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      SGLRUN_ASSIGN_OR_RETURN(spec.precision, Number());
    }
    while (at_ < text_.size() &&
           std::string_view("hlL").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
    if (at_ == text_.size()) return ValueFault("incomplete format");
    spec.type = text_[at_++];
    spec.align = left ? '<' : '>';
    if (spec.type == '%') {
      out_.Append("%");
      return {};
    }
    if (value.missing()) {
      SGLRUN_ASSIGN_OR_RETURN(value, NextValue());
    }
    return Convert(value, spec, zero && !left);
  }

  Try<void> Convert(const Value& value, FormatSpec spec, bool zero) {
    switch (spec.type) {
      case 's':
      case 'r':
      case 'a':
        return ConvertText(value, spec);
      case 'c':
        return ConvertCharacter(value, spec);
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return ConvertNumber(value, spec, zero);
      default:
        return ValueFault("unsupported format character '" + std::string(1, spec.type) +
                          "' at index " + std::to_string(at_ - 1));
    }
  }

  Try<void> ConvertText(const Value& value, const FormatSpec& spec) {
    TextBuilder text;
    if (spec.type == 's') {
      AppendStr(text, value);
    } else {
      AppendRepr(text, value);
    }
    Value built = text.Build(spec.type == 's' && value.is_string() && value.str().markup);
    if (format_.markup) {
      built = EscapeHtml(built);
    }
    const String& whole = built.str();
    if (spec.precision >= 0 && static_cast<std::size_t>(spec.precision) < whole.length) {
      built = Part(whole, 0, whole.ByteOffset(static_cast<std::size_t>(spec.precision)));
    }
    AppendPadded(out_, built.str(), spec, '>');
    return {};
  }

  Try<void> ConvertCharacter(const Value& value, const FormatSpec& spec) {
    if (value.is_string() && value.str().length == 1) {
      AppendPadded(out_, value.str(), spec, '>');
      return {};
    }
    if (!value.is(Kind::kInt) && !value.is(Kind::kBool))
      return TypeFault("%c requires int or char");
    const std::int64_t code = value.int64();
    if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      return Fault{FaultKind::kOverflow, "%c arg not in range(0x110000)"};
    }
    std::string text;
    AppendUtf8(text, static_cast<char32_t>(code));
    AppendPadded(out_, String(text), spec, '>');
    return {};
  }

  Try<void> ConvertNumber(Value value, FormatSpec spec, bool zero) {
    const bool whole = std::string_view("diuoxX").find(spec.type) != std::string_view::npos;
    if (value.is_undefined()) return value.undefined().ToFault();
    if (!value.is_number()) {
      return TypeFault(whole ? "%" + std::string(1, spec.type) + " format: a " +
                                   (spec.type == 'd' || spec.type == 'i' || spec.type == 'u'
                                        ? "real number"
                                        : "an integer") +
                                   " is required, not " + TypeName(value)
                             : "must be real number, not " + TypeName(value));
    }
    std::int64_t digits = -1;
    if (whole) {
      if (value.is(Kind::kFloat)) {
        if (spec.type == 'o' || spec.type == 'x' || spec.type == 'X') {
          return TypeFault("%" + std::string(1, spec.type) +
                           " format: an integer is required, not float");
        }
        SGLRUN_ASSIGN_OR_RETURN(value, Truncate(value.number()));
      }
      if (spec.type == 'i' || spec.type == 'u') spec.type = 'd';
      digits = std::exchange(spec.precision, -1);
    }
    SGLRUN_ASSIGN_OR_RETURN(std::string text, FormatNumber(value, spec));
    std::size_t sign =
        !text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == ' ') ? 1 : 0;
    if (whole && spec.alternate && spec.type != 'd') sign += 2;
    if (digits > 400) return LimitFault("a number has more than 400 digits");
    while (static_cast<std::int64_t>(text.size() - sign) < digits) text.insert(sign, "0");
    if (zero) {
      spec.align = '=';
      spec.fill = "0";
    }
    AppendPadded(out_, String(text), spec, '>', sign);
    return {};
  }

  const String& format_;
  std::string_view text_;
  const Value& values_;
  TextBuilder out_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  bool used_ = false;
};

}  // namespace

Try<Value> FormatPercent(const Value& format, const Value& values) {
  return PercentFormatter(format.str(), values).Run();
}

}  // namespace sglrun::jinja
