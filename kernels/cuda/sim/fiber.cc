#include "kernels/cuda/sim/fiber.h"

#include <sys/mman.h>

#include "base/check.h"

// The callee's registers of the System V calling convention; the flags of the floating point units
// are the same in every fiber.
asm(".text\n"
    ".globl sglrun_sim_switch\n"
    ".type sglrun_sim_switch,@function\n"
    "sglrun_sim_switch:\n"
    "push %rbp\n"
    "push %rbx\n"
    "push %r12\n"
    "push %r13\n"
    "push %r14\n"
    "push %r15\n"
    "mov %rsp,(%rdi)\n"
    "mov %rsi,%rsp\n"
    "pop %r15\n"
    "pop %r14\n"
    "pop %r13\n"
    "pop %r12\n"
    "pop %rbx\n"
    "pop %rbp\n"
    "ret\n"
    ".size sglrun_sim_switch,.-sglrun_sim_switch\n"
    ".section .note.GNU-stack,\"\",@progbits\n"
    ".text\n");

namespace sglrun::sim {

namespace {
constexpr int kSavedRegisters = 6;
}

unsigned char* MakeFiberStack() {
  void* stack = mmap(nullptr, kFiberStack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(stack != MAP_FAILED) << "no address space for a fiber's stack";
  return static_cast<unsigned char*>(stack);
}

void PrepareFiber(Fiber& fiber, unsigned char* stack, std::size_t stagger, void (*entry)()) {
#if SGLRUN_SIM_ASAN
  // The fiber before left for good inside its frames, whose guards are still there: above the place
  // where it left, for below it every frame has returned.
  auto* left = static_cast<unsigned char*>(fiber.top);
  if (left < stack || left >= stack + kFiberStack) left = stack;
  __asan_unpoison_memory_region(left, static_cast<std::size_t>(stack + kFiberStack - left));
#endif
  auto** top = reinterpret_cast<void**>(stack + kFiberStack - stagger % 61 * 64) - 1;
  *top = nullptr;  // entry's return address
  *--top = reinterpret_cast<void*>(entry);
  top -= kSavedRegisters;
  fiber.top = top;
  fiber.fake_stack = nullptr;
  fiber.bottom = stack;
  fiber.bytes = kFiberStack;
}

}  // namespace sglrun::sim
