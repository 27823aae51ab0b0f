#include "grammar/regex/property_names.h"

#include <algorithm>

namespace sglrun::grammar {
namespace {

// Unicode Character Database, PropertyValueAliases.txt: General_Category.
constexpr std::pair<std::string_view, std::string_view> kCategories[] = {
    {"C", "Other"},
    {"Cc", "Control"},
    {"Cf", "Format"},
    {"Cn", "Unassigned"},
    {"Co", "Private_Use"},
    {"Cs", "Surrogate"},
    {"L", "Letter"},
    {"LC", "Cased_Letter"},
    {"Ll", "Lowercase_Letter"},
    {"Lm", "Modifier_Letter"},
    {"Lo", "Other_Letter"},
    {"Lt", "Titlecase_Letter"},
    {"Lu", "Uppercase_Letter"},
    {"M", "Mark"},
    {"Mc", "Spacing_Mark"},
    {"Me", "Enclosing_Mark"},
    {"Mn", "Nonspacing_Mark"},
    {"N", "Number"},
    {"Nd", "Decimal_Number"},
    {"Nl", "Letter_Number"},
    {"No", "Other_Number"},
    {"P", "Punctuation"},
    {"Pc", "Connector_Punctuation"},
    {"Pd", "Dash_Punctuation"},
    {"Pe", "Close_Punctuation"},
    {"Pf", "Final_Punctuation"},
    {"Pi", "Initial_Punctuation"},
    {"Po", "Other_Punctuation"},
    {"Ps", "Open_Punctuation"},
    {"S", "Symbol"},
    {"Sc", "Currency_Symbol"},
    {"Sk", "Modifier_Symbol"},
    {"Sm", "Math_Symbol"},
    {"So", "Other_Symbol"},
    {"Z", "Separator"},
    {"Zl", "Line_Separator"},
    {"Zp", "Paragraph_Separator"},
    {"Zs", "Space_Separator"},
};

constexpr std::string_view kBinary[] = {
    "Any",       "ASCII",       "Alphabetic",     "Alpha",     "Emoji",     "Hex_Digit",
    "ID_Start",  "ID_Continue", "Ideographic",    "Lowercase", "Lower",     "Math",
    "Uppercase", "Upper",       "White_Space",    "space",     "XID_Start", "XID_Continue",
    "Dash",      "Diacritic",   "ASCII_Hex_Digit"};

std::string Category(std::string_view name) {
  for (const auto& [shorter, longer] : kCategories) {
    if (name == shorter || name == longer) return std::string(shorter);
  }
  return name == "punct" ? "P" : name == "digit" ? "Nd" : "";
}

std::string Script(std::string_view name) {
  const bool is_word = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  });
  return is_word ? "sc:" + std::string(name) : "";
}

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> GeneralCategories() {
  return kCategories;
}

std::string PcrePropertyName(std::string_view name) {
  if (const std::size_t sign = name.find('='); sign != std::string_view::npos) {
    const std::string_view key = name.substr(0, sign), value = name.substr(sign + 1);
    if (key == "General_Category" || key == "gc") return Category(value);
    if (key == "Script" || key == "sc") return Script(value);
    return "";
  }
  if (auto category = Category(name); !category.empty()) return category;
  if (std::ranges::find(kBinary, name) != std::end(kBinary)) return std::string(name);
  return Script(name);
}

}  // namespace sglrun::grammar
