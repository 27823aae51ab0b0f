// The simulated multiprocessor: runs the blocks of a grid one after another, each thread a fiber,
// and stops the program with both places named where CUDA would be undefined:
//   - threads of a block in different barriers, lanes of a warp in different collective calls
//   - a mask that names a lane which has left, a shuffle from a lane outside the mask
//   - a barrier after a thread has left the kernel, and any deadlock
//   - cp.async copies nobody waited for, more shared memory than a block may have
// One grid runs at a time; launches from several threads wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
};

namespace sglrun::gpu {
struct StreamTag;
using Stream = StreamTag*;
}  // namespace sglrun::gpu

namespace sglrun::sim {

// In which order the threads of a block and the blocks of a grid get their turns. A kernel must
// give the same bits in all of them.
enum class Order : std::uint8_t { kForward, kReverse, kRandom };

struct Settings {
  Order order = Order::kForward;
  std::uint64_t seed = 0;  // of kRandom
  // Grids that ran, for tests of what is launched.
  std::uint64_t grids = 0;
  std::uint64_t threads = 0;
};
Settings& TheSettings();

// What the running thread can see of itself.
struct Warp;
struct ThreadState {
  uint3 thread, block;
  dim3 block_size, grid_size;
  unsigned linear, lane;
  Warp* warp;
  std::uint32_t warp_epoch;  // passed __syncwarps
};
extern ThreadState* current;

// Where a collective call stands in the kernel's source.
struct Site {
  const char* file;
  int line;
  const char* operation;
};

// Prints the message with the running thread's place and aborts.
[[noreturn]] __attribute__((format(printf, 1, 2))) void Fail(const char* format, ...);

struct Votes {
  int count, all, any;
};
Votes Barrier(Site site, bool vote = false);

// Every lane gives a value and gets all 32; the values of lanes outside the mask are undefined.
enum class Memory : std::uint8_t { kUnordered, kOrdered };
const std::uint64_t* WarpExchange(std::uint32_t mask, std::uint64_t value, Site site,
                                  Memory memory);
// Stops unless `lane` takes part in a call under `mask`.
void RequireLane(std::uint32_t mask, unsigned lane, Site site);
std::uint32_t WarpLanes();  // lanes that this warp has

// Shared memory of the block. A static array is known by its key; the bytes after it stay unused,
// so that writing past its end reaches no neighbour.
void* DynamicShared();
void* SharedArray(const void* key, std::size_t bytes);
template <class T, class Tag>
T* StaticShared(std::size_t n, Tag) {
  static const char key = 0;
  return static_cast<T*>(SharedArray(&key, n * sizeof(T)));
}

void CopyAsync(void* shared, const void* global);
void CopyAsyncCommit();
void CopyAsyncWait(int keep);

enum class Half : std::uint8_t { kBF16, kF16 };
void Mma16816(float* d, const std::uint32_t* a, const std::uint32_t* b, Half type, Site site);
void Mma16832(int* d, const std::uint32_t* a, const std::uint32_t* b, Site site);  // signed bytes
enum class Transposed : std::uint8_t { kNo, kYes };
void LdMatrix(std::uint32_t* r, const void* shared, Transposed transposed, Site site);

struct GridShape {
  dim3 grid, block;
  std::size_t dynamic_shared;
};
void RunGrid(const GridShape& shape, void (*body)(void*), void* argument);
// Puts work at the end of a stream (stream.h).
void Enqueue(gpu::Stream stream, std::function<void()> work);

// Every thread of the grid calls body().
template <class Body>
void Launch(const GridShape& shape, gpu::Stream stream, Body body) {
  auto run = [shape, body]() mutable {
    RunGrid(
        shape, [](void* p) { (*static_cast<Body*>(p))(); }, &body);
  };
  if (stream == nullptr) {
    run();
  } else {
    Enqueue(stream, run);
  }
}

// What the checker (checker.h) wants to hear about.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnAccess(const void* p, unsigned bytes, bool is_write, bool is_atomic,
                        const void* code) = 0;
  virtual void OnBlockStart() = 0;
  virtual void OnBlockEnd() = 0;
  virtual void OnGridEnd() = 0;
  virtual void OnHostWrite(void* p, std::size_t bytes) = 0;
  virtual void OnFree(void* p, std::size_t bytes) = 0;
};
void SetObserver(Observer* observer);
Observer* TheObserver();
void NoteAtomic(const void* p, unsigned bytes);
// A copy that the observer does not see.
void CopyUnseen(void* to, const void* from, unsigned bytes);
// Tells that the host filled device memory.
void NoteHostWrite(void* p, std::size_t bytes);

// For the observer: the multiprocessor's shared memory, what of it lies inside an array of the
// running block, and the barriers passed so far.
struct SharedRange {
  unsigned char* begin;
  std::size_t capacity;
};
SharedRange SharedMemory();
bool IsInSharedArray(const void* p, std::size_t bytes);
std::uint32_t BarrierEpoch();

}  // namespace sglrun::sim
