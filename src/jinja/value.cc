#include "jinja/value.h"

#include <bit>

#include "base/utf8.h"
#include "jinja/big_int.h"
#include "jinja/compare.h"
#include "jinja/meter.h"

namespace sglrun::jinja {
namespace {

constexpr std::size_t kFewEntries = 8;
constexpr std::size_t kCharactersPerMark = 1024;

struct BigNumber final : Object {
  explicit BigNumber(BigInt number) : value(std::move(number)) { Hold(value.bits() / 8); }
  BigInt value;
};

bool BeginsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

Value Value::Int(BigInt value) {
  if (const auto small = value.ToInt64()) return Int(*small);
  return {Kind::kBigInt, MakeRef<BigNumber>(std::move(value))};
}

Value Value::Float(double value) {
  return Value(Kind::kFloat, std::bit_cast<std::int64_t>(value));
}

Value Value::Str(std::string text) {
  return {Kind::kString, MakeRef<String>(std::move(text))};
}

Value Value::List(std::vector<Value> items) {
  return {Kind::kList, MakeRef<Sequence>(std::move(items))};
}

Value Value::Tuple(std::vector<Value> items) {
  return {Kind::kTuple, MakeRef<Sequence>(std::move(items))};
}

Value Value::Undef(std::string message, FaultKind kind) {
  return {Kind::kUndefined, MakeRef<Undefined>(std::move(message), kind)};
}

Value MakeDict(Ref<Dict> dict) {
  return {Kind::kDict, std::move(dict)};
}

double Value::number() const {
  return std::bit_cast<double>(bits_);
}
const BigInt& Value::big() const {
  return as<BigNumber>().value;
}
const String& Value::str() const {
  return as<String>();
}
const std::string& Value::text() const {
  return as<String>().text;
}
const std::vector<Value>& Value::items() const {
  return as<Sequence>().items;
}
const Dict& Value::dict() const {
  return as<Dict>();
}
const Undefined& Value::undefined() const {
  return as<Undefined>();
}

String::String(std::string value, std::vector<TextRange> caller, bool is_markup)
    : text(std::move(value)),
      user(std::move(caller)),
      markup(is_markup),
      length(CountCodePoints(text)) {
  Hold(text.size() + user.size() * sizeof(TextRange));
  Meter::NeedText(text.size());
  if (ascii() || length <= kCharactersPerMark) return;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!BeginsCharacter(text[at])) continue;
    if (count++ % kCharactersPerMark == 0) marks_.push_back(static_cast<std::uint32_t>(at));
  }
  Hold(marks_.size() * sizeof(marks_[0]));
}

std::size_t String::ByteOffset(std::size_t index) const {
  if (ascii()) return index;
  if (index >= length) return text.size();
  const std::size_t first = marks_.empty() ? 0 : marks_[index / kCharactersPerMark];
  std::size_t at = first;
  for (std::size_t left = marks_.empty() ? index : index % kCharactersPerMark; left > 0; --left) {
    do {
      ++at;
    } while (!BeginsCharacter(text[at]));
  }
  Meter::Bytes(at - first);
  return at;
}

template <class Matches>
const Dict::Entry* Dict::Lookup(std::uint64_t hash, const Matches& matches) const {
  const auto is_it = [&](const Entry& entry) {
    Meter::Bytes(8);
    return entry.hash == hash && matches(entry.key);
  };
  if (index_.empty()) {
    for (const Entry& entry : entries_) {
      if (is_it(entry)) return &entry;
    }
    return nullptr;
  }
  for (std::size_t at = hash;; ++at) {
    const std::uint32_t found = index_[at % index_.size()];
    if (found == 0) return nullptr;
    if (is_it(entries_[found - 1])) return &entries_[found - 1];
  }
}

void Dict::Index(std::size_t entry) {
  std::size_t at = entries_[entry].hash;
  while (index_[at % index_.size()] != 0) {
    Meter::Bytes(8);
    ++at;
  }
  index_[at % index_.size()] = static_cast<std::uint32_t>(entry + 1);
}

void Dict::Insert(const Value& key, Value value, std::uint64_t hash) {
  const Entry* const known = Lookup(hash, [&](const Value& other) { return Equal(other, key); });
  if (known != nullptr) {
    entries_[static_cast<std::size_t>(known - entries_.data())].value = std::move(value);
    return;
  }
  Hold(sizeof(Entry));
  Meter::NeedItems(entries_.size() + 1);
  entries_.push_back({key, std::move(value), hash});
  if (entries_.size() <= kFewEntries) return;
  if (2 * entries_.size() <= index_.size()) return Index(entries_.size() - 1);
  const std::size_t size = 4 * entries_.size();
  Hold((size - index_.size()) * sizeof(index_[0]));
  index_.assign(size, 0);
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) Index(entry);
}

Try<void> Dict::Set(const Value& key, Value value) {
  SGLRUN_ASSIGN_OR_RETURN(const std::uint64_t hash, Hash(key));
  Insert(key, std::move(value), hash);
  return {};
}

void Dict::Set(std::string_view key, Value value) {
  Insert(Value::Str(std::string(key)), std::move(value), HashText(key));
}

Try<const Value*> Dict::Find(const Value& key) const {
  SGLRUN_ASSIGN_OR_RETURN(const std::uint64_t hash, Hash(key));
  const Entry* entry = Lookup(hash, [&](const Value& other) { return Equal(other, key); });
  return entry == nullptr ? nullptr : &entry->value;
}

const Value* Dict::Find(std::string_view key) const {
  const Entry* entry = Lookup(HashText(key), [&](const Value& other) {
    if (!other.is_string()) return false;
    Meter::Bytes(key.size());
    return other.text() == key;
  });
  return entry == nullptr ? nullptr : &entry->value;
}

void Dict::Clear() {
  index_.clear();
  entries_.clear();
}

}  // namespace sglrun::jinja
