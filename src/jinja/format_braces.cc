// "...".format(...), as Python's str.format inside jinja2's sandbox.
#include "jinja/attributes.h"
#include "jinja/compare.h"
#include "jinja/format.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class BraceFormatter {
 public:
  BraceFormatter(Runtime& runtime, const CallArgs& args) : runtime_(runtime), args_(args) {}

  Try<void> Format(TextBuilder& out, const String& format, int depth) {
    if (depth < 0) return ValueFault("Max string recursion exceeded");
    const std::string& text = format.text;
    for (std::size_t at = 0; at < text.size();) {
      Meter::Bytes(16);
      const std::size_t brace = std::min(text.find_first_of("{}", at), text.size());
      out.Append(format, at, brace);
      at = brace;
      if (at == text.size()) break;
      if (at + 1 < text.size() && text[at + 1] == text[at]) {
        out.Append(format, at, at + 1);
        at += 2;
        continue;
      }
      if (text[at] == '}') return ValueFault("Single '}' encountered in format string");
      SGLRUN_ASSIGN_OR_RETURN(at, Field(out, text, at + 1, depth));
    }
    return {};
  }

 private:
  // From after the '{' to after its '}'.
  Try<std::size_t> Field(TextBuilder& out, const std::string& text, std::size_t begin, int depth) {
    std::size_t end = begin;
    int open = 1;
    for (; end < text.size(); ++end) {
      Meter::Bytes(2);
      if (text[end] == '{') ++open;
      if (text[end] == '}' && --open == 0) break;
    }
    if (end == text.size()) {
      return ValueFault(begin == text.size() ? "Single '{' encountered in format string"
                                             : "expected '}' before end of string");
    }
    const std::string_view field = std::string_view(text).substr(begin, end - begin);
    // Brackets may hold a colon or a '!'.
    std::size_t name_end = 0;
    bool in_brackets = false;
    for (; name_end < field.size(); ++name_end) {
      const char c = field[name_end];
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      if (!in_brackets && (c == ':' || c == '!')) break;
    }
    SGLRUN_ASSIGN_OR_RETURN(Value value, Lookup(field.substr(0, name_end)));
    std::string_view rest = field.substr(name_end);
    if (!rest.empty() && rest[0] == '!') {
      if (rest.size() < 2)
        return ValueFault("end of string while looking for conversion specifier");
      SGLRUN_ASSIGN_OR_RETURN(value, Convert(value, rest[1]));
      rest.remove_prefix(2);
      if (!rest.empty() && rest[0] != ':')
        return ValueFault("expected ':' after conversion specifier");
    }
    if (!rest.empty()) rest.remove_prefix(1);
    TextBuilder spec;
    SGLRUN_RETURN_IF_ERROR(Format(spec, String(std::string(rest)), depth - 1));
    if (value.is_undefined() && !spec.text().empty()) return value.undefined().ToFault();
    SGLRUN_RETURN_IF_ERROR(AppendFormatted(out, value, spec.text()));
    return end + 1;
  }

  static Try<Value> Convert(const Value& value, char conversion) {
    if (conversion == 's') return ToStr(value);
    if (conversion != 'r' && conversion != 'a') {
      return ValueFault("Unknown conversion specifier '" + std::string(1, conversion) + "'");
    }
    TextBuilder out;
    AppendRepr(out, value);
    return out.Build();
  }

  Try<Value> First(std::string_view name) {
    if (name.empty() || IsDigits(name)) {
      std::size_t index = 0;
      if (name.empty()) {
        if (numbered_)
          return ValueFault(
              "cannot switch from manual field specification to automatic field numbering");
        automatic_ = true;
        index = next_++;
      } else {
        if (automatic_)
          return ValueFault(
              "cannot switch from manual field specification to automatic field numbering");
        numbered_ = true;
        index = name.size() > 6 ? SIZE_MAX : std::stoul(std::string(name));
      }
      if (index < args_.args.size()) return args_.args[index];
      return Fault{FaultKind::kLookup, "Replacement index out of range for positional args tuple"};
    }
    Meter::Bytes(16 * args_.named.size());
    for (const auto& [key, value] : args_.named) {
      if (key == name) return value;
    }
    return Fault{FaultKind::kLookup, QuotedText(name)};
  }

  // a.b[c]
  Try<Value> Lookup(std::string_view path) {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    SGLRUN_ASSIGN_OR_RETURN(Value value, First(path.substr(0, end)));
    path.remove_prefix(end);
    while (!path.empty()) {
      const bool attribute = path[0] == '.';
      path.remove_prefix(1);
      const std::size_t stop =
          attribute ? std::min(path.find_first_of(".["), path.size()) : path.find(']');
      if (stop == std::string_view::npos) return ValueFault("Missing ']' in format string");
      const std::string part(path.substr(0, stop));
      if (part.empty()) return ValueFault("Empty attribute in format string");
      path.remove_prefix(attribute ? stop : stop + 1);
      if (attribute) {
        SGLRUN_ASSIGN_OR_RETURN(value, GetAttribute(runtime_, value, Value::Str(part)));
      } else {
        const Value key =
            IsDigits(part) && part.size() < 18 ? Value::Int(std::stoll(part)) : Value::Str(part);
        SGLRUN_ASSIGN_OR_RETURN(value, GetItem(runtime_, value, key));
      }
      if (!path.empty() && path[0] != '.' && path[0] != '[') {
        return ValueFault("Only '.' or '[' may follow ']' in format field specifier");
      }
    }
    return value;
  }

  Runtime& runtime_;
  const CallArgs& args_;
  std::size_t next_ = 0;
  bool automatic_ = false, numbered_ = false;
};

}  // namespace

Try<Value> FormatBraces(Runtime& runtime, const String& format, const CallArgs& args) {
  TextBuilder out;
  SGLRUN_RETURN_IF_ERROR(BraceFormatter(runtime, args).Format(out, format, 2));
  return out.Build(format.markup);
}

}  // namespace sglrun::jinja
