// Where the time of a step goes, for `bench`: a backend of the host whose operations are those of
// another with a clock around them. Times are summed over threads, waiting included: with two of
// them a second of a step counts as two.
//
//   OperationClock clock(backend, context);
//   ... load a model with clock.backend(), make its engine with `context` ...
//   clock.Start();
//   ... steps ...
//   const OperationShares shares = clock.Stop();
//
// An operation inside another (the product in a draw, the norm in a chain) counts for itself; what
// a backend has fused into a chain counts with the chain's products.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/thread_pool.h"
#include "kernels/backend.h"

namespace sglrun::kernels {

enum class OperationKind : std::uint8_t { kProducts, kAttention, kElementwise, kSampling, kOther };
inline constexpr std::size_t kOperationKinds = 5;

// Parts of the threads' time, which add up to 1.
struct OperationShares {
  // "other" is all between the operations: planning of steps and so on.
  static constexpr std::array<std::string_view, kOperationKinds + 1> kNames = {
      "products", "attention", "elementwise", "sampling", "other", "waiting"};

  // In that order. "waiting": threads that have nothing to do, at barriers or beside the caller.
  std::array<double, kOperationKinds + 1> parts = {};
};

class OperationClock {
 public:
  // A backend of the host. The clock outlives whatever uses its own with the context.
  OperationClock(const Backend& backend, KernelContext& context);
  ~OperationClock() { context_.set_clock(nullptr); }
  OperationClock(const OperationClock&) = delete;
  OperationClock& operator=(const OperationClock&) = delete;

  const Backend& backend() const { return timed_; }

  void Start();
  OperationShares Stop();

 private:
  // On the caller's thread, outside of ThreadPool::Run; nanoseconds.
  struct Moment {
    std::int64_t now = 0, running = 0, working = 0;
  };
  template <OperationKind kKind, auto kEntry, class Signature>
  struct Timed;
  template <OperationKind kKind, auto kEntry>
  void Wrap();

  Moment Look() const;
  // The time since the last call counts for the kind that ends now, which is returned.
  OperationKind Enter(OperationKind kind);

  const Backend& inner_;
  Backend timed_;
  KernelContext& context_;
  bool is_running_ = false;
  ThreadPool::Times times_;
  Moment begin_, last_;
  OperationKind kind_ = OperationKind::kOther;
  std::array<std::int64_t, kOperationKinds> worked_ = {};
};

}  // namespace sglrun::kernels
