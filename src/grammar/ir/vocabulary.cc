#include "grammar/ir/vocabulary.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sglrun::grammar {
namespace {

constexpr std::size_t kMaxTextBytes = 255;  // Node::depth

// The first eight bytes as a number that compares like them; shorter texts sort first among equals.
std::uint64_t Head(std::string_view text) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    head = head << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  }
  return head;
}

std::size_t CommonPrefix(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

Vocabulary::Vocabulary(const tokenizer::Tokenizer& tokenizer, std::int64_t logit_width)
    : tokenizer_(&tokenizer), logit_width_(logit_width) {
  const auto ids =
      static_cast<std::int32_t>(std::min<std::int64_t>(tokenizer.vocab_size(), logit_width));
  text_begin_.push_back(0);
  for (std::int32_t id = 0; id < ids; ++id) {
    if (tokenizer.IsToken(id) && !tokenizer.IsSpecial(id)) AddText(tokenizer.TokenBytes(id));
    text_begin_.push_back(static_cast<std::uint32_t>(arena_.size()));
  }
  Build();
}

Vocabulary::Vocabulary(std::span<const std::string> texts, std::int64_t logit_width)
    : logit_width_(logit_width) {
  text_begin_.push_back(0);
  for (const std::string& text :
       texts.first(std::min(texts.size(), static_cast<std::size_t>(logit_width)))) {
    AddText(text);
    text_begin_.push_back(static_cast<std::uint32_t>(arena_.size()));
  }
  Build();
}

void Vocabulary::AddText(std::string_view text) {
  if (text.size() <= kMaxTextBytes) arena_ += text;
}

std::string_view Vocabulary::Text(std::int32_t id) const {
  if (id < 0 || id >= IdCount()) return {};
  const std::size_t begin = text_begin_[static_cast<std::size_t>(id)];
  return std::string_view(arena_).substr(begin,
                                         text_begin_[static_cast<std::size_t>(id) + 1] - begin);
}

bool Vocabulary::IsToken(std::int32_t id) const {
  if (id < 0 || id >= IdCount()) return false;
  return tokenizer_ == nullptr || tokenizer_->IsToken(id);
}

std::optional<std::int32_t> Vocabulary::Find(std::string_view name) const {
  if (tokenizer_ != nullptr) {
    const auto id = tokenizer_->Find(name);
    return id && *id < IdCount() ? id : std::nullopt;
  }
  for (std::int32_t id = 0; id < IdCount(); ++id) {
    if (!name.empty() && Text(id) == name) return id;
  }
  return std::nullopt;
}

void Vocabulary::Build() {
  text_mask_.assign(static_cast<std::size_t>(words_per_mask()), 0);
  struct Entry {
    std::uint64_t head;
    std::int32_t id;
  };
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(IdCount()));
  for (std::int32_t id = 0; id < IdCount(); ++id) {
    if (!IsText(id)) continue;
    entries.push_back({Head(Text(id)), id});
    text_mask_[static_cast<std::size_t>(id) / 32] |= std::uint32_t{1} << (id % 32);
  }
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    if (a.head != b.head) return a.head < b.head;
    const int order = Text(a.id).compare(Text(b.id));
    return order != 0 ? order < 0 : a.id < b.id;
  });

  nodes_.reserve(entries.size() * 2 + 2);
  sorted_ids_.reserve(entries.size());
  nodes_.push_back({});
  std::vector<std::int32_t> path{0};  // nodes of the text before, the root first
  const auto close = [&](std::size_t depth) {
    for (; path.size() > depth + 1; path.pop_back()) {
      nodes_[static_cast<std::size_t>(path.back())].subtree_end =
          static_cast<std::int32_t>(nodes_.size());
    }
  };
  std::string_view before;
  for (const Entry& entry : entries) {
    const std::string_view text = Text(entry.id);
    close(CommonPrefix(before, text));
    for (std::size_t depth = path.size() - 1; depth < text.size(); ++depth) {
      path.push_back(static_cast<std::int32_t>(nodes_.size()));
      nodes_.push_back({.byte = static_cast<std::uint8_t>(text[depth]),
                        .depth = static_cast<std::uint8_t>(depth + 1),
                        .first_token = static_cast<std::int32_t>(sorted_ids_.size())});
    }
    sorted_ids_.push_back(entry.id);
    longest_text_ = std::max(longest_text_, static_cast<int>(text.size()));
    before = text;
  }
  close(0);
  nodes_[0].subtree_end = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back({.subtree_end = static_cast<std::int32_t>(nodes_.size() + 1),
                    .first_token = static_cast<std::int32_t>(sorted_ids_.size())});
  FindWhatIsBelow();
  IndexNodes();
}

void Vocabulary::IndexNodes() {
  parents_.assign(nodes_.size(), 0);
  std::array<std::int32_t, kMaxTextBytes + 1> path{};  // by depth
  for (std::size_t i = 1; i + 1 < nodes_.size(); ++i) {
    const std::size_t depth = nodes_[i].depth;
    parents_[i] = path[depth - 1];
    path[depth] = static_cast<std::int32_t>(i);
    ++byte_begin_[nodes_[i].byte + std::size_t{1}];
  }
  for (std::size_t byte = 0; byte < 256; ++byte) byte_begin_[byte + 1] += byte_begin_[byte];
  by_byte_.resize(byte_begin_[256]);
  std::array<std::size_t, 257> next = byte_begin_;
  for (std::size_t i = 1; i + 1 < nodes_.size(); ++i) {
    by_byte_[next[nodes_[i].byte]++] = static_cast<std::int32_t>(i);
  }
}

// Backwards, so that all below a node comes before it.
void Vocabulary::FindWhatIsBelow() {
  below_.assign(nodes_.size(), 0);
  heights_.assign(nodes_.size(), 0);
  inner_.assign(nodes_.size() / 64 + 1, 0);
  // By depth, since the last node above it.
  std::array<ByteClasses, kMaxTextBytes + 2> bytes{};
  std::array<std::uint8_t, kMaxTextBytes + 2> levels{};
  for (std::size_t i = nodes_.size() - 1; i-- > 1;) {
    const std::size_t depth = nodes_[i].depth;
    below_[i] = std::exchange(bytes[depth + 1], 0);
    heights_[i] = std::exchange(levels[depth + 1], 0);
    if (heights_[i] > 0) inner_[i / 64] |= std::uint64_t{1} << (i % 64);
    bytes[depth] |= below_[i] | ClassesOf(nodes_[i].byte);
    levels[depth] = std::max(levels[depth], static_cast<std::uint8_t>(heights_[i] + 1));
  }
  below_[0] = bytes[1];
  heights_[0] = levels[1];
}

}  // namespace sglrun::grammar
