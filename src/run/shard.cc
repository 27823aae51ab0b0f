#include "run/shard.h"

#include <charconv>

namespace sglrun::run {
namespace {

bool ParseNumber(std::string_view text, std::int64_t& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<Shard> ParseShard(std::string_view text) {
  const std::size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !ParseNumber(text.substr(0, slash), shard.index) ||
      !ParseNumber(text.substr(slash + 1), shard.count)) {
    return std::nullopt;
  }
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count) return std::nullopt;
  return shard;
}

}  // namespace sglrun::run
