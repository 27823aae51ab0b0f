// Fibers: a stack and a place to continue from, switched by hand in some 15 ns (swapcontext costs a
// system call each way). x86-64 only.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SGLRUN_SIM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SGLRUN_SIM_ASAN 1
#endif
#ifndef SGLRUN_SIM_ASAN
#define SGLRUN_SIM_ASAN 0
#endif
#if SGLRUN_SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Saves the callee's registers on this stack, the stack's top in *save, and continues at `load`.
extern "C" void sglrun_sim_switch(void** save, void* load);

namespace sglrun::sim {

inline constexpr std::size_t kFiberStack = SGLRUN_SIM_ASAN ? 256 * 1024 : 64 * 1024;

struct Fiber {
  void* top = nullptr;
  void* fake_stack = nullptr;  // AddressSanitizer's
  const void* bottom = nullptr;
  std::size_t bytes = 0;
};

// A stack of kFiberStack bytes that costs memory once it is touched; kept until the program ends.
unsigned char* MakeFiberStack();

// Lets the next switch to `fiber` call entry() on `stack`; entry never returns. Fibers started on
// stacks of equal alignment would keep their hot lines in the same cache sets: `stagger` moves the
// tops apart.
void PrepareFiber(Fiber& fiber, unsigned char* stack, std::size_t stagger, void (*entry)());

// First words of an entry that was reached from `from`.
inline void ArriveFrom([[maybe_unused]] Fiber& from) {
#if SGLRUN_SIM_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &from.bottom, &from.bytes);
#endif
}

enum class Leave { kForNow, kForGood };

inline void Switch(Fiber& from, Fiber& to, [[maybe_unused]] Leave leave) {
#if SGLRUN_SIM_ASAN
  __sanitizer_start_switch_fiber(leave == Leave::kForGood ? nullptr : &from.fake_stack, to.bottom,
                                 to.bytes);
#endif
  sglrun_sim_switch(&from.top, to.top);
#if SGLRUN_SIM_ASAN
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace sglrun::sim
