// The values of a template: Python's, as far as a sandboxed template can meet them. Containers are
// shared and never change once they are built, as the sandbox forbids it; only namespaces and loops
// do (objects.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jinja/fault.h"
#include "jinja/object.h"
#include "text/text_range.h"

namespace sglrun::jinja {

class BigInt;
struct String;
struct Sequence;
class Dict;
struct Undefined;

enum class Kind : std::uint8_t {
  kMissing,  // no value at all; never seen by a template
  kUndefined,
  kNone,
  kBool,
  kInt,
  kBigInt,  // an integer outside int64
  kFloat,
  kString,
  kList,
  kTuple,
  kDict,
  kDictView,
  kRange,
  kIterator,
  kNamespace,
  kCallable,
  kLoop,
  kCycler,
  kJoiner,
  kSelf,
};

class Value {
 public:
  Value() = default;  // missing
  Value(Kind kind, Ref<Object> object) : kind_(kind), object_(std::move(object)) {}

  static Value None() { return Value(Kind::kNone); }
  static Value Bool(bool value) { return Value(Kind::kBool, value ? 1 : 0); }
  static Value Int(std::int64_t value) { return Value(Kind::kInt, value); }
  static Value Int(BigInt value);  // small ones become kInt
  static Value Float(double value);
  static Value Str(std::string text);
  static Value List(std::vector<Value> items);
  static Value Tuple(std::vector<Value> items);
  // Undefined: `message` describes what was not found.
  static Value Undef(std::string message, FaultKind kind = FaultKind::kUndefined);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool missing() const { return kind_ == Kind::kMissing; }
  bool is_undefined() const { return kind_ == Kind::kUndefined; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_sequence() const { return kind_ == Kind::kList || kind_ == Kind::kTuple; }
  // Python's int, of which bool is one.
  bool is_integer() const {
    return kind_ == Kind::kInt || kind_ == Kind::kBool || kind_ == Kind::kBigInt;
  }
  bool is_number() const { return is_integer() || kind_ == Kind::kFloat; }

  // The kind must fit.
  std::int64_t int64() const { return bits_; }  // kInt, kBool
  double number() const;                        // kFloat
  const BigInt& big() const;
  const String& str() const;
  const std::string& text() const;  // of a string
  const std::vector<Value>& items() const;
  const Dict& dict() const;
  const Undefined& undefined() const;
  Object* object() const { return object_.get(); }
  template <class T>
  T& as() const {
    return static_cast<T&>(*object_);
  }

  // The same object, or the same small value: Python's `is`.
  bool SameAs(const Value& other) const {
    return kind_ == other.kind_ && bits_ == other.bits_ && object_.get() == other.object_.get();
  }

 private:
  explicit Value(Kind kind, std::int64_t bits = 0) : kind_(kind), bits_(bits) {}

  Kind kind_ = Kind::kMissing;
  std::int64_t bits_ = 0;
  Ref<Object> object_;
};

struct String final : Object {
  // `caller`: the ranges of the text that came from user data, in order and disjoint.
  explicit String(std::string value, std::vector<TextRange> caller = {}, bool is_markup = false);
  const std::string text;
  const std::vector<TextRange> user;
  const bool markup;         // already escaped (`safe`, `escape`)
  const std::size_t length;  // in code points
  bool ascii() const { return length == text.size(); }
  // Byte where the code point `index` begins; the end of the text for `length`.
  std::size_t ByteOffset(std::size_t index) const;

 private:
  // Of a long text with other characters than ASCII, where every kCharactersPerMark-th begins.
  std::vector<std::uint32_t> marks_;
};

struct Sequence final : Object {
  explicit Sequence(std::vector<Value> values) : items(std::move(values)) {
    Hold(items.size() * sizeof(Value));
    Meter::NeedItems(items.size());
  }
  const std::vector<Value> items;
  bool group = false;  // a pair of `groupby`: (grouper, list) by name too
};

struct Undefined final : Object {
  Undefined(std::string text, FaultKind fault) : message(std::move(text)), kind(fault) {
    Hold(message.size());
  }
  const std::string message;
  const FaultKind kind;
  Fault ToFault() const { return {kind, message}; }
};

// Insertion-ordered, keys compared as Python does.
class Dict final : public Object {
 public:
  struct Entry {
    Value key;
    Value value;
    std::uint64_t hash;
  };

  // Fails on a key that has no hash.
  Try<void> Set(const Value& key, Value value);
  Try<const Value*> Find(const Value& key) const;  // nullptr: none
  const Value* Find(std::string_view key) const;
  void Set(std::string_view key, Value value);
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  void Clear();

 private:
  // The entry for which `matches` is true, or nullptr. Entries with another hash are not compared.
  template <class Matches>
  const Entry* Lookup(std::uint64_t hash, const Matches& matches) const;
  void Insert(const Value& key, Value value, std::uint64_t hash);
  void Index(std::size_t entry);

  std::vector<Entry> entries_;
  // With more than a few entries: a hash table of 1 + the index of an entry, 0 for free slots, with
  // linear probing.
  std::vector<std::uint32_t> index_;
};

Value MakeDict(Ref<Dict> dict);

}  // namespace sglrun::jinja
