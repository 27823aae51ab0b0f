#include "kernels/operation_clock.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace sglrun::kernels {

// The clock comes with the context, which is every operation's last argument.
template <OperationKind kKind, auto kEntry, class... Args>
struct OperationClock::Timed<kKind, kEntry, void (*)(Args...)> {
  static void Call(Args... args) {
    KernelContext& context = std::get<sizeof...(Args) - 1>(std::tie(args...));
    OperationClock& clock = *context.clock();
    if (!clock.is_running_) return (clock.inner_.table.*kEntry)(args...);
    const OperationKind outer = clock.Enter(kKind);
    (clock.inner_.table.*kEntry)(args...);
    clock.Enter(outer);
  }
};

template <OperationKind kKind, auto kEntry>
void OperationClock::Wrap() {
  using Entry = std::remove_reference_t<decltype(timed_.table.*kEntry)>;
  timed_.table.*kEntry = &Timed<kKind, kEntry, Entry>::Call;
}

OperationClock::OperationClock(const Backend& backend, KernelContext& context)
    : inner_(backend), timed_(backend), context_(context) {
  CHECK(backend.device == nullptr) << "operations of a device only enqueue";
  context.set_clock(this);
  constexpr auto kProducts = OperationKind::kProducts;
  Wrap<kProducts, &KernelTable::gemm>();
  Wrap<kProducts, &KernelTable::norm_gemm>();
  Wrap<kProducts, &KernelTable::mlp>();
  Wrap<kProducts, &KernelTable::expert_mlp>();
  Wrap<OperationKind::kAttention, &KernelTable::paged_attention>();
  constexpr auto kElementwise = OperationKind::kElementwise;
  Wrap<kElementwise, &KernelTable::embed>();
  Wrap<kElementwise, &KernelTable::norm>();
  Wrap<kElementwise, &KernelTable::rope>();
  Wrap<kElementwise, &KernelTable::store_kv>();
  Wrap<kElementwise, &KernelTable::activation>();
  Wrap<kElementwise, &KernelTable::route>();
  Wrap<kElementwise, &KernelTable::scale_add>();
  Wrap<kElementwise, &KernelTable::rotate_and_store>();
  Wrap<kElementwise, &KernelTable::gather_rows>();
  constexpr auto kSampling = OperationKind::kSampling;
  Wrap<kSampling, &KernelTable::logits_process>();
  Wrap<kSampling, &KernelTable::sample>();
  Wrap<kSampling, &KernelTable::logprobs>();
  Wrap<kSampling, &KernelTable::draw>();
}

void OperationClock::Start() {
  context_.pool().Time(&times_);
  worked_ = {};
  kind_ = OperationKind::kOther;
  begin_ = last_ = Look();
  is_running_ = true;
}

OperationShares OperationClock::Stop() {
  Enter(OperationKind::kOther);
  is_running_ = false;
  context_.pool().Time(nullptr);
  const double all = static_cast<double>(last_.now - begin_.now) * context_.pool().threads();
  OperationShares shares;
  double rest = 1.0;
  for (std::size_t i = 0; i < kOperationKinds; ++i) {
    shares.parts[i] = all > 0 ? static_cast<double>(worked_[i]) / all : 0.0;
    rest -= shares.parts[i];
  }
  shares.parts[kOperationKinds] = std::max(rest, 0.0);
  return shares;
}

OperationClock::Moment OperationClock::Look() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), times_.running,
          times_.working.load(std::memory_order_relaxed)};
}

OperationKind OperationClock::Enter(OperationKind kind) {
  const Moment now = Look();
  // Outside of tasks the caller alone works.
  worked_[static_cast<std::size_t>(kind_)] +=
      now.now - last_.now - (now.running - last_.running) + (now.working - last_.working);
  last_ = now;
  return std::exchange(kind_, kind);
}

}  // namespace sglrun::kernels
