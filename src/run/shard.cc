#include "run/shard.h"

#include <charconv>
#include <cinttypes>
#include <cstdio>

namespace sglrun::run {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kAny = "any";
// More than any cluster has; indices of records store the shard in 32 bits.
constexpr std::int64_t kMostShards = 1 << 24;
constexpr std::string_view kPlaceholder = "{shard}";

bool ParseNumber(std::string_view text, std::int64_t& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string Shard::FileName() const {
  char text[64];
  std::snprintf(text, sizeof text, "%05" PRId64 "-of-%05" PRId64, index, count);
  return text;
}

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

std::string ShardChoice::ToString() const {
  if (kind == Kind::kNamed) return shard.ToString();
  return std::string(kind == Kind::kAny ? kAny : kAuto) +
         (count ? "/" + std::to_string(*count) : "");
}

std::optional<ShardChoice> ParseShardChoice(std::string_view text) {
  ShardChoice choice;
  if (text == kAuto) {
    choice.kind = ShardChoice::Kind::kLauncher;
    return choice;
  }
  const std::size_t slash = text.find('/');
  const std::string_view word = text.substr(0, slash);
  if (word != kAuto && word != kAny) {
    const std::optional<Shard> shard = ParseShard(text);
    if (shard) choice.shard = *shard;
    return shard ? std::optional(choice) : std::nullopt;
  }
  std::int64_t count = 0;
  const bool counts = slash != std::string_view::npos && ParseNumber(text.substr(slash + 1), count);
  if (!counts || count < 1 || count > kMostShards) return std::nullopt;
  choice.kind = word == kAny ? ShardChoice::Kind::kAny : ShardChoice::Kind::kLauncher;
  choice.count = count;
  return choice;
}

std::string WithShard(std::string name, const Shard& shard) {
  const std::string text = shard.FileName();
  for (std::size_t at = 0; (at = name.find(kPlaceholder, at)) != std::string::npos;) {
    name.replace(at, kPlaceholder.size(), text);
    at += text.size();
  }
  return name;
}

bool NamesShard(std::string_view name) {
  return name.find(kPlaceholder) != std::string_view::npos;
}

}  // namespace sglrun::run
