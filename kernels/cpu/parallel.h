// Splitting an operation over the threads of the pool.
#pragma once

#include <cstdint>
#include <span>

#include "base/thread_pool.h"
#include "kernels/context.h"
#include "kernels/cpu/vec.h"
#include "tensor/tensor_view.h"

namespace sglrun::kernels::cpu::SGLRUN_ISA {

// Calls fn(item) for every item of [0, count), on all threads. Each thread owns a contiguous range,
// so that the same thread meets the same weights in each step; whoever is done takes from the
// others, so that a descheduled thread delays the step by one item only.
template <class Fn>
SGLRUN_INLINE void ForEachItem(ThreadPool& pool, std::int64_t count, const Fn& fn) {
  if (pool.threads() == 1 || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) fn(i);
    return;
  }
  constexpr int kMaxQueues = 64;
  struct alignas(64) Queue {
    std::int64_t next;
    std::int64_t end;
  } queues[kMaxQueues];
  const int used = pool.threads() < kMaxQueues ? pool.threads() : kMaxQueues;
  for (int q = 0; q < used; ++q) {
    queues[q].next = count * q / used;
    queues[q].end = count * (q + 1) / used;
  }
  pool.Run([&](int thread, int) {
    for (int step = 0; step < used; ++step) {
      Queue& queue = queues[(thread + step) % used];
      for (;;) {
        const std::int64_t item = __atomic_fetch_add(&queue.next, 1, __ATOMIC_RELAXED);
        if (item >= queue.end) break;
        fn(item);
      }
    }
  });
}

// Calls fn(item) for every item of [0, count) in ascending order of start, one counter for all
// threads: for items of unequal size.
template <class Fn>
SGLRUN_INLINE void SharedCounter(ThreadPool& pool, std::int64_t count, const Fn& fn) {
  if (pool.threads() == 1 || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) fn(i);
    return;
  }
  std::int64_t next = 0;
  pool.Run([&](int, int) {
    for (;;) {
      const std::int64_t item = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
      if (item >= count) break;
      fn(item);
    }
  });
}

// Calls fn(row, scratch) for every row of [0, rows) whose entry of `active` is set (empty: all).
// Each thread has one Scratch for rows of this width; Scratch::Bytes(width) is a multiple of 64.
template <class Scratch, class Fn>
SGLRUN_INLINE void ForEachRow(KernelContext& context, std::int64_t rows, std::int64_t width,
                              std::span<const std::uint8_t> active, const Fn& fn) {
  const std::int64_t bytes = Scratch::Bytes(width);
  const int threads = context.pool().threads();
  char* memory = static_cast<char*>(context.Scratch(static_cast<std::size_t>(bytes * threads)));
  std::int64_t next = 0;
  context.pool().Run([&](int thread, int) {
    const Scratch scratch(memory + thread * bytes, width);
    for (;;) {
      const std::int64_t r = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
      if (r >= rows) break;
      if (active.empty() || active.data()[r] != 0) fn(r, scratch);
    }
  });
}

// fn(begin, end) over [0, count): on the caller's thread when the whole work, `cost` elements an
// item, is too small to be worth waking the others.
template <class Fn>
SGLRUN_INLINE void ForRange(ThreadPool& pool, std::int64_t count, std::int64_t cost, const Fn& fn) {
  constexpr std::int64_t kWorthSharing = 16384;
  if (pool.threads() == 1 || count * cost < kWorthSharing) {
    if (count > 0) fn(std::int64_t{0}, count);
    return;
  }
  pool.Run([&](int thread, int threads) {
    const std::int64_t begin = count * thread / threads;
    const std::int64_t end = count * (thread + 1) / threads;
    if (begin < end) fn(begin, end);
  });
}

// Row r of a float32 matrix. TensorView::row checks, which belongs in no loop and no second copy.
SGLRUN_INLINE float* Row(const tensor::TensorView& view, std::int64_t r) {
  return static_cast<float*>(view.data) + r * view.stride[0];
}

}  // namespace sglrun::kernels::cpu::SGLRUN_ISA
