#include "tokenizer/jinja/value.h"

#include <bit>

#include "base/utf8.h"
#include "tokenizer/jinja/big_int.h"
#include "tokenizer/jinja/compare.h"

namespace sglrun::tokenizer::jinja {
namespace {

constexpr std::size_t kFewEntries = 8;

struct BigNumber final : Object {
  explicit BigNumber(BigInt number) : value(std::move(number)) {}
  BigInt value;
};

std::uint64_t HashText(std::string_view text) {
  return std::hash<std::string_view>()(text);
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
  auto undefined = MakeRef<Undefined>();
  undefined->message = std::move(message);
  undefined->kind = kind;
  return {Kind::kUndefined, undefined};
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

String::String(std::string value) : text(std::move(value)), length(CountCodePoints(text)) {}

Dict::Entry* Dict::Lookup(const Value& key, std::uint64_t hash) {
  if (index_.empty()) {
    for (Entry& entry : entries_) {
      if (entry.hash == hash && Equal(entry.key, key)) return &entry;
    }
    return nullptr;
  }
  const auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (Equal(entries_[it->second].key, key)) return &entries_[it->second];
  }
  return nullptr;
}

void Dict::Insert(const Value& key, Value value, std::uint64_t hash) {
  if (Entry* entry = Lookup(key, hash)) {
    entry->value = std::move(value);
    return;
  }
  entries_.push_back({key, std::move(value), hash});
  if (entries_.size() == kFewEntries + 1) {
    for (std::size_t i = 0; i + 1 < entries_.size(); ++i) index_.emplace(entries_[i].hash, i);
  }
  if (entries_.size() > kFewEntries) index_.emplace(hash, entries_.size() - 1);
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
  const Entry* entry = const_cast<Dict*>(this)->Lookup(key, hash);
  return entry == nullptr ? nullptr : &entry->value;
}

const Value* Dict::Find(std::string_view key) const {
  const std::uint64_t hash = HashText(key);
  const auto matches = [&](const Entry& entry) {
    return entry.hash == hash && entry.key.is_string() && entry.key.text() == key;
  };
  if (index_.empty()) {
    for (const Entry& entry : entries_) {
      if (matches(entry)) return &entry.value;
    }
    return nullptr;
  }
  const auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (matches(entries_[it->second])) return &entries_[it->second].value;
  }
  return nullptr;
}

void Dict::Clear() {
  index_.clear();
  entries_.clear();
}

}  // namespace sglrun::tokenizer::jinja
