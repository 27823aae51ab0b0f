#include "tokenizer/vocabulary.h"

#include <algorithm>
#include <bit>

#include "base/utf8.h"

namespace sglrun::tokenizer {
namespace {

std::string Quoted(std::string_view text) {
  return "token \"" + ToValidUtf8(text.substr(0, 60)) + "\"";
}

}  // namespace

void Vocabulary::Reserve(std::size_t tokens) {
  entries_.reserve(tokens);
  Rehash(std::bit_ceil(std::max<std::size_t>(16, 2 * tokens)));
}

void Vocabulary::Rehash(std::size_t slots) {
  slots_.assign(slots, Slot());
  for (std::size_t id = 0; id < entries_.size(); ++id) {
    if (entries_[id].length == kNoToken) continue;
    const std::string_view text = Text(static_cast<TokenId>(id));
    const std::uint64_t hash = HashText(text);
    slots_[PlaceOf(text, hash)] = {Tag(hash), static_cast<TokenId>(id), entries_[id]};
  }
}

Status Vocabulary::Add(std::string_view text, std::int64_t id) {
  if (id < 0 || id > kMaxTokenId) {
    return Error{Quoted(text) + " has id " + std::to_string(id) + ", must be from 0 to " +
                 std::to_string(kMaxTokenId)};
  }
  if (IsToken(static_cast<TokenId>(id))) {
    return Error{Quoted(text) + " has id " + std::to_string(id) + ", which belongs to " +
                 Quoted(Text(static_cast<TokenId>(id)))};
  }
  if (2 * (count_ + 1) > slots_.size()) {
    Rehash(std::max<std::size_t>(16, 2 * std::bit_ceil(count_ + 1)));
  }
  const std::uint64_t hash = HashText(text);
  Slot& slot = slots_[PlaceOf(text, hash)];
  if (slot.id >= 0) {
    return Error{Quoted(text) + " has two ids, " + std::to_string(slot.id) + " and " +
                 std::to_string(id)};
  }
  if (arena_.size() + text.size() >= kNoToken) return Error{"the token texts exceed 4 GiB"};
  if (entries_.size() <= static_cast<std::size_t>(id)) {
    entries_.resize(static_cast<std::size_t>(id) + 1);
  }
  entries_[static_cast<std::size_t>(id)] = {static_cast<std::uint32_t>(arena_.size()),
                                            static_cast<std::uint32_t>(text.size())};
  arena_.append(text);
  ++count_;
  slot = {Tag(hash), static_cast<TokenId>(id), entries_[static_cast<std::size_t>(id)]};
  return {};
}

}  // namespace sglrun::tokenizer
