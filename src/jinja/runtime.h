// The state of one rendering: its mutable objects, the time that it shows, its depth. The meter
// counts its cost (meter.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <utility>

#include "jinja/fault.h"
#include "jinja/given.h"
#include "jinja/meter.h"
#include "jinja/object.h"

namespace sglrun::jinja {

class Runtime {
 public:
  Runtime(const Limits& limits, std::tm now, std::span<const Given> given = {})
      : max_depth_(limits.depth), now_(now), given_(given) {}

  Mutable::Registry& registry() { return registry_; }
  const std::tm& now() const { return now_; }

  // Whether {% autoescape true %} is active: macros and blocks then return escaped text, and some
  // filters escape. Returns the previous state.
  bool SetAutoescape(bool on) { return std::exchange(autoescape_, on); }
  bool autoescape() const { return autoescape_; }

  // A random number below `count`, which is not 0. It depends only on the variables of the template
  // and on the number of earlier draws, so that equal conversations give equal prompts.
  std::size_t Draw(std::size_t count);

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
  int max_depth_;
  std::tm now_;
  std::span<const Given> given_;
  std::optional<std::uint64_t> draws_;  // the state of the generator, after the first draw
  Mutable::Registry registry_;
  int depth_ = 0;
  bool autoescape_ = false;
};

}  // namespace sglrun::jinja
