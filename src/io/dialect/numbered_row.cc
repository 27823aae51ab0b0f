#include "io/dialect/numbered_row.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"

namespace sglrun::io {
namespace {

constexpr std::string_view kTimingMembers[] = {"cached_tokens", "e2e_latency", "created"};

// Moves `text` after the word and the blanks before it; false if something else comes first.
bool Skip(std::string_view word, std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !text.substr(begin).starts_with(word)) return false;
  text.remove_prefix(begin + word.size());
  return true;
}

std::optional<std::int64_t> SkipNumber(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || number < 1) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The array of `"results":[..]}`; nullopt if the object has other members.
std::optional<std::string_view> ResultsOf(std::string_view members) {
  if (!Skip("\"results\"", members) || !Skip(":", members)) return std::nullopt;
  const std::size_t end = members.find_last_not_of(" \t");
  const std::size_t begin = members.find_first_not_of(" \t");
  if (members[end] != '}' || members[begin] != '[') return std::nullopt;
  return members.substr(begin, end - begin);
}

Json WithoutTiming(const Json& value) {
  if (value.is_array()) {
    Json::Array items;
    for (const Json& item : value.as_array()) items.push_back(WithoutTiming(item));
    return items;
  }
  if (!value.is_object()) return value;
  Json::Object members;
  for (const auto& [name, member] : value.as_object()) {
    if (std::ranges::find(kTimingMembers, name) != std::end(kTimingMembers)) continue;
    members.emplace_back(name, WithoutTiming(member));
  }
  return members;
}

}  // namespace

std::optional<NumberedRow> TakeLine(std::string_view text) {
  if (!ParseJson(text).ok()) return std::nullopt;
  text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
  std::string_view rest = text;
  if (!Skip("{", rest) || !Skip("\"line\"", rest) || !Skip(":", rest)) return std::nullopt;
  const std::optional<std::int64_t> line = SkipNumber(rest);
  if (!line || !Skip(",", rest)) return std::nullopt;
  const std::optional<std::string_view> results = ResultsOf(rest);
  NumberedRow row{.line = *line, .row = results ? std::string(*results) : "{" + std::string(rest)};
  row.row += '\n';
  return row;
}

bool AreEqualButForTiming(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto one = ParseJson(a), other = ParseJson(b);
  return one.ok() && other.ok() &&
         WithoutTiming(one->value).CanonicalDump() == WithoutTiming(other->value).CanonicalDump();
}

}  // namespace sglrun::io
