#include "kernels/cpu/amx_support.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace sglrun::kernels::cpu {

#if defined(__x86_64__) && defined(__linux__)

namespace {

// Intel's manual, volume 2, CPUID: leaf 7, register edx.
constexpr unsigned kAmxBits = 1u << 22 | 1u << 24 | 1u << 25;  // bf16, tiles, int8
// Volume 1, chapter 13: which state of a thread the system saves, by the bits of XCR0.
constexpr unsigned kTileState = 1u << 17 | 1u << 18;
// Linux, Documentation/arch/x86/xstate.rst: the state is large, so a process must request it.
constexpr long kRequestState = 0x1023;
constexpr long kTileData = 18;

bool ProcessorHasAmx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kAmxBits) == kAmxBits;
}

bool SystemSavesTiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return false;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileState) == kTileState;
}

}  // namespace

bool GrantsAmx() {
  return ProcessorHasAmx() && SystemSavesTiles() &&
         ::syscall(SYS_arch_prctl, kRequestState, kTileData) == 0;
}

#else

bool GrantsAmx() {
  return false;
}

#endif

}  // namespace sglrun::kernels::cpu
