#include "tokenizer/charsmap.h"

#include "base/stop_flag.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace sglrun::tokenizer {
namespace {

constexpr std::size_t kWholeBelow = 6;

// A unit of the double array: the byte that leads to it, whether a text ends at it (then the unit
// at its base holds the value), and where its children are: at base ^ byte.
bool HasLeaf(std::uint32_t unit) {
  return ((unit >> 8) & 1) != 0;
}
std::uint32_t Label(std::uint32_t unit) {
  return unit & ((1u << 31) | 0xFF);
}
std::size_t Offset(std::uint32_t unit) {
  return static_cast<std::size_t>(unit >> 10) << ((unit & (1u << 9)) >> 6);
}
std::size_t LeafValue(std::uint32_t unit) {
  return unit & ((1u << 31) - 1);
}

std::uint32_t ReadUnit(std::string_view bytes, std::size_t pos) {
  std::uint32_t out = 0;
  for (std::size_t i = 4; i-- > 0;) out = (out << 8) | static_cast<unsigned char>(bytes[pos + i]);
  return out;
}

Error BadCharsmap(const std::string& what) {
  return Error{"the character map " + what};
}

}  // namespace

Result<Charsmap> Charsmap::Parse(std::string_view bytes) {
  if (bytes.size() < 4) {
    return BadCharsmap("has " + std::to_string(bytes.size()) + " bytes, must have at least 4");
  }
  const std::size_t trie_bytes = ReadUnit(bytes, 0) / 4 * 4;
  if (trie_bytes == 0 || trie_bytes > bytes.size() - 4) {
    return BadCharsmap("names a trie of " + std::to_string(ReadUnit(bytes, 0)) +
                       " bytes, must be 4 to " + std::to_string(bytes.size() - 4));
  }
  Charsmap out;
  out.units_.reserve(trie_bytes / 4);
  for (std::size_t pos = 4; pos < 4 + trie_bytes; pos += 4) {
    out.units_.push_back(ReadUnit(bytes, pos));
  }
  out.replacements_ = bytes.substr(4 + trie_bytes);
  if (!IsValidUtf8(out.replacements_))
    return BadCharsmap("has replacements that are not valid UTF-8");
  SGLRUN_RETURN_IF_ERROR(out.CheckTrie());
  return out;
}

Status Charsmap::CheckLeaf(std::size_t base) const {
  if (base >= units_.size()) return BadCharsmap("has a text whose value lies outside the trie");
  const std::size_t at = LeafValue(units_[base]);
  const bool inside = at <= replacements_.size();
  const bool begins = inside && (at == replacements_.size() ||
                                 (static_cast<unsigned char>(replacements_[at]) & 0xC0) != 0x80);
  if (!begins) {
    return BadCharsmap("points to byte " + std::to_string(at) + " of " +
                       std::to_string(replacements_.size()) + " bytes of replacements");
  }
  return {};
}

// Visits each unit that a text can lead to. Texts may share their ends, so a unit may be met often,
// but never below itself.
Status Charsmap::CheckTrie() const {
  enum : std::uint8_t { kNew, kOpen, kDone };
  struct Visit {
    std::size_t node;
    std::size_t byte;  // the next child
  };
  std::vector<std::uint8_t> state(units_.size(), kNew);
  std::vector<Visit> path = {{0, 1}};
  state[0] = kOpen;
  while (!path.empty()) {
    Visit& visit = path.back();
    const std::size_t base = visit.node ^ Offset(units_[visit.node]);
    if (visit.byte == 1 && visit.node != 0 && HasLeaf(units_[visit.node])) {
      SGLRUN_RETURN_IF_ERROR(CheckLeaf(base));
    }
    if (visit.byte == 256) {
      state[visit.node] = kDone;
      path.pop_back();
      continue;
    }
    const std::size_t byte = visit.byte++;
    const std::size_t child = base ^ byte;
    if (child >= units_.size() || Label(units_[child]) != byte || state[child] == kDone) continue;
    if (state[child] == kOpen) return BadCharsmap("has a cycle at unit " + std::to_string(child));
    state[child] = kOpen;
    path.push_back({child, 1});
  }
  return {};
}

std::string_view Charsmap::TextAt(std::uint32_t unit) const {
  const std::string_view rest = std::string_view(replacements_).substr(LeafValue(unit));
  return rest.substr(0, rest.find('\0'));
}

std::optional<std::string_view> Charsmap::Replacement(std::string_view text) const {
  std::size_t base = Offset(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) break;
    const std::size_t node = base ^ byte;
    if (node >= units_.size() || Label(units_[node]) != byte) break;
    base = node ^ Offset(units_[node]);
    if (HasLeaf(units_[node])) return TextAt(units_[base]);
  }
  return std::nullopt;
}

void Charsmap::AppendGrapheme(std::string_view grapheme, std::string& out) const {
  if (grapheme.size() < kWholeBelow) {
    if (const auto whole = Replacement(grapheme)) {
      out.append(*whole);
      return;
    }
  }
  for (std::size_t pos = 0; pos < grapheme.size();) {
    const std::size_t begin = pos;
    DecodeUtf8(grapheme, pos);
    const std::string_view character = grapheme.substr(begin, pos - begin);
    out.append(Replacement(character).value_or(character));
  }
}

std::string Charsmap::Normalize(std::string_view text) const {
  const auto is_ascii = [&](std::size_t pos) {
    return pos >= text.size() || static_cast<unsigned char>(text[pos]) < 0x80;
  };
  std::string out;
  out.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size() && !StopFlag::requested();) {
    // Among ASCII characters only \r\n stands together.
    const bool alone = is_ascii(pos) && is_ascii(pos + 1) && text[pos] != '\r';
    const std::size_t end = alone ? pos + 1 : unicode::EndOfGrapheme(text, pos);
    AppendGrapheme(text.substr(pos, end - pos), out);
    pos = end;
  }
  return out;
}

}  // namespace sglrun::tokenizer
