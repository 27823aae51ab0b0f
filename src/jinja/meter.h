// Counts the work and the memory of a rendering. Time is not measured, so a template gets the same
// verdict on every machine.
//
// The primitives charge the meter: creating an object, building a text, reading a character,
// looking for a part of a text, hashing, comparing, the next item of an iterator, the limbs of a
// long integer, a node of the tree. Filters and methods consist of these primitives, so they cannot
// forget to charge. A loop over bytes that uses none of them charges the meter itself before it
// runs.
//
// A charge that exceeds a limit throws LimitReached, which Template::Parse and Template::Render
// turn into their error. An exception is used because code that tries an operation and continues
// after a failure would ignore an error value.
//
// The same place looks at the StopFlag, some thousand times a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "jinja/fault.h"

namespace sglrun::jinja {

// The longest text and the longest list a template can make.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxItems = std::size_t{1} << 20;

struct Limits {
  // A step is a statement, a call, an item, or 64 bytes that are made, copied, compared or
  // searched. A character that is read by itself is an eighth of a step. One step takes about
  // 100 ns.
  std::int64_t steps = 10'000'000;
  // Of texts, lists and other objects that exist at the same time.
  std::size_t live_bytes = std::size_t{256} << 20;
  // Macros and recursive loops within each other.
  int depth = 200;
};

// Thrown by the meter only.
struct LimitReached {
  Fault fault;
};

class Meter {
 public:
  enum class Memory { kCounted, kNotCounted };

  // The meter of this thread while the object lives. Objects created meanwhile must be destroyed
  // before it if their memory is counted.
  explicit Meter(const Limits& limits, Memory memory = Memory::kCounted);
  ~Meter() { current_ = outer_; }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // Work, in three units. Without a meter, as in a program that makes values for a test, they cost
  // nothing. All throw LimitReached.
  static void Step(std::size_t count = 1) { Charge(count * kUnitsPerStep); }
  static void Bytes(std::size_t count) { Charge(count); }
  static void Characters(std::size_t bytes) { Charge(bytes * kUnitsPerCharacter); }

  // Fail if a text or a list would be too large.
  static void NeedText(std::size_t bytes);
  static void NeedItems(std::size_t count);
  // Fails for a value, `what`, that is nested too deep for the stack.
  static void NeedDepth(const char* what, int depth, int most);

  // The meter that counts the memory of a new object; nullptr: none does.
  static Meter* OfMemory() {
    return current_ != nullptr && current_->memory_ == Memory::kCounted ? current_ : nullptr;
  }
  void Hold(std::size_t bytes);
  void GiveBack(std::size_t bytes) { held_ -= bytes; }

 private:
  static constexpr std::size_t kUnitsPerStep = 64;
  static constexpr std::size_t kUnitsPerCharacter = 8;

  static void Charge(std::size_t units) {
    Meter* const meter = current_;
    if (meter == nullptr) return;
    meter->used_ += units;
    if (meter->used_ >= meter->next_look_) meter->Look();
  }
  void Look();

  static constinit inline thread_local Meter* current_ = nullptr;

  Limits limits_;
  Memory memory_;
  Meter* outer_;
  std::size_t used_ = 0;       // units
  std::size_t next_look_ = 0;  // units, at which the limit and the flag are looked at
  std::size_t held_ = 0;       // bytes
};

// Memory that counts as held for as long as this lives.
class Held {
 public:
  Held() : meter_(Meter::OfMemory()) {}
  explicit Held(std::size_t bytes) : Held() { Grow(bytes); }
  Held(Held&& other) noexcept : meter_(other.meter_), bytes_(std::exchange(other.bytes_, 0)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(meter_, other.meter_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Held() { Release(); }

  void Grow(std::size_t bytes) {
    if (meter_ == nullptr) return;
    meter_->Hold(bytes);
    bytes_ += bytes;
  }
  void Release() {
    if (meter_ != nullptr) meter_->GiveBack(std::exchange(bytes_, 0));
  }

 private:
  Meter* meter_;
  std::size_t bytes_ = 0;
};

}  // namespace sglrun::jinja
