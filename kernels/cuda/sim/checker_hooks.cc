// What code compiled with -fsanitize=thread calls, here without libtsan. Only programs that link
// this file are checked.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/sim/machine.h"

namespace {

void Tell(void* p, unsigned bytes, bool is_write, const void* code) {
  if (sglrun::sim::Observer* observer = sglrun::sim::TheObserver()) {
    observer->OnAccess(p, bytes, is_write, false, code);
  }
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler gives the names.
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define SGLRUN_HOOKS(bytes)                             \
  void __tsan_read##bytes(void* p) {                    \
    Tell(p, bytes, false, __builtin_return_address(0)); \
  }                                                     \
  void __tsan_write##bytes(void* p) {                   \
    Tell(p, bytes, true, __builtin_return_address(0));  \
  }                                                     \
  void __tsan_unaligned_read##bytes(void* p) {          \
    Tell(p, bytes, false, __builtin_return_address(0)); \
  }                                                     \
  void __tsan_unaligned_write##bytes(void* p) {         \
    Tell(p, bytes, true, __builtin_return_address(0));  \
  }
SGLRUN_HOOKS(1)
SGLRUN_HOOKS(2)
SGLRUN_HOOKS(4)
SGLRUN_HOOKS(8)
SGLRUN_HOOKS(16)
#undef SGLRUN_HOOKS

void __tsan_read_range(void* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    Tell(static_cast<char*>(p) + i, 1, false, __builtin_return_address(0));
  }
}
void __tsan_write_range(void* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    Tell(static_cast<char*>(p) + i, 1, true, __builtin_return_address(0));
  }
}

// clang's calls for the library's.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  __tsan_read_range(const_cast<void*>(from), bytes);
  __tsan_write_range(to, bytes);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  __tsan_read_range(const_cast<void*>(from), bytes);
  __tsan_write_range(to, bytes);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  __tsan_write_range(to, bytes);
  return std::memset(to, value, bytes);
}

// Guards of static objects, by the one thread that runs.
std::uint8_t __tsan_atomic8_load(const volatile std::uint8_t* p, int) {
  return *p;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
