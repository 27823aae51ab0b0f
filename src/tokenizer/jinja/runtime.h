// What one rendering carries along: its limits, its changing objects, the time it shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <utility>

#include "tokenizer/jinja/fault.h"
#include "tokenizer/jinja/object.h"

namespace sglrun::tokenizer::jinja {

// The longest text and the longest list a template can make.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxItems = std::size_t{1} << 20;

struct Limits {
  std::size_t produced_bytes = std::size_t{1} << 30;  // all intermediate values together
  std::int64_t steps = 10'000'000;
  int depth = 200;  // macros and recursive loops within each other
};

class Runtime {
 public:
  Runtime(const Limits& limits, std::tm now) : limits_(limits), now_(now) {}

  const Limits& limits() const { return limits_; }
  Mutable::Registry& registry() { return registry_; }
  const std::tm& now() const { return now_; }

  // Whether {% autoescape true %} is being run: what macros and blocks give is escaped text then,
  // and some filters escape. Gives what was so before.
  bool SetAutoescape(bool on) { return std::exchange(autoescape_, on); }
  bool autoescape() const { return autoescape_; }

  // Work done; fails when all of it is used up.
  Try<void> Step(std::int64_t count = 1);
  // Memory handed out; fails when all of it is used up. Never given back: what is freed early is
  // not told apart, so that the sum also bounds the time spent on copying.
  Try<void> Produce(std::size_t bytes);

  // One macro or loop deeper for as long as the object lives.
  class Depth {
   public:
    explicit Depth(Runtime& runtime) : runtime_(runtime) { ++runtime_.depth_; }
    ~Depth() { --runtime_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Try<void> Check() const;

   private:
    Runtime& runtime_;
  };

 private:
  Limits limits_;
  std::tm now_;
  Mutable::Registry registry_;
  std::int64_t steps_ = 0;
  std::size_t produced_ = 0;
  int depth_ = 0;
  bool autoescape_ = false;
};

}  // namespace sglrun::tokenizer::jinja
