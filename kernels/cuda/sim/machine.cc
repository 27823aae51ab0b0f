#include "kernels/cuda/sim/machine.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "kernels/cuda/sim/fiber.h"
#include "tensor/dtype.h"

namespace sglrun::sim {

ThreadState* current = nullptr;

// A warp's collective calls, one a mask: its lanes may stand in calls of disjoint masks at the same
// time. A mask keeps its place until the block ends, because late lanes still read the values.
struct Collective {
  std::uint32_t mask = 0, arrived = 0, phase = 0;
  Site site{};
  std::uint64_t values[2][32];  // by phase: late lanes still read the last one's
};
struct Warp {
  static constexpr int kMasks = 16;
  std::uint32_t lanes = 0, left = 0;
  unsigned first = 0;
  int count = 0;
  Collective calls[kMasks];
};

namespace {

constexpr unsigned kMostThreads = 1024;
constexpr std::size_t kSharedCapacity =
    227 * 1024;  // of sm_90, the largest that kernels may ask for
constexpr std::size_t kSharedGap = 16;
constexpr unsigned char kNaNByte = 0xff;

struct AsyncCopy {
  void* to;
  const void* from;
};

struct Lane {
  ThreadState state{};
  Fiber fiber;
  unsigned char* stack = nullptr;
  bool is_blocked = false;
  Site waits_at{};
  std::vector<AsyncCopy> copies;
  std::vector<std::size_t> groups;  // ends in `copies`
};

struct SharedSlot {
  const void* key;
  unsigned char* data;
  std::size_t bytes;
};

class Machine {
 public:
  void Run(const GridShape& shape, void (*body)(void*), void* argument);

  Votes Barrier(Site site, bool vote);
  const std::uint64_t* Exchange(std::uint32_t mask, std::uint64_t value, Site site);
  void* SharedArray(const void* key, std::size_t bytes);
  void* dynamic_shared() { return shared_; }
  SharedRange shared() { return {shared_, kSharedCapacity}; }
  bool IsInSharedArray(const unsigned char* p, std::size_t bytes) const;
  std::uint32_t epoch() const { return epoch_; }
  Lane& self() { return *self_; }

  Observer* observer = nullptr;

 private:
  void RunBlock(uint3 block);
  void PrepareShared();
  void PrepareThreads(uint3 block);
  static void Entry();
  [[noreturn]] void Leave();

  void Push(unsigned thread) { ready_[(head_ + ready_count_++) % kMostThreads] = thread; }
  unsigned Pop();
  void Wake(unsigned thread) {
    lanes_[thread].is_blocked = false;
    Push(thread);
  }
  void Block(Site site);
  void GoTo(Lane& to, sim::Leave leave);
  [[noreturn]] void Deadlock();
  std::uint64_t Random() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return random_ >> 33;
  }

  GridShape shape_{};
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;

  std::deque<Lane> lanes_;
  std::vector<Warp> warps_;
  unsigned threads_ = 0, alive_ = 0;
  Lane* self_ = nullptr;
  Fiber main_;
  Fiber* came_from_ = nullptr;

  // Threads that can continue, a ring.
  std::vector<unsigned> ready_ = std::vector<unsigned>(kMostThreads);
  unsigned head_ = 0, ready_count_ = 0;
  std::uint64_t random_ = 1;

  unsigned at_barrier_ = 0;
  Site barrier_site_{};
  Votes votes_{}, result_{};
  std::uint32_t epoch_ = 1;

  unsigned char* shared_ = nullptr;
  std::size_t shared_used_ = kSharedCapacity;
  std::vector<SharedSlot> slots_;
};

Machine& TheMachine() {
  static auto* machine = new Machine;
  return *machine;
}

bool SamePlace(Site a, Site b) {
  return a.line == b.line && std::strcmp(a.file, b.file) == 0;
}

unsigned Machine::Pop() {
  const Settings& settings = TheSettings();
  if (settings.order == Order::kRandom) {
    const auto other = static_cast<unsigned>(Random() % ready_count_);
    std::swap(ready_[head_ % kMostThreads], ready_[(head_ + other) % kMostThreads]);
  }
  --ready_count_;
  if (settings.order == Order::kReverse) return ready_[(head_ + ready_count_) % kMostThreads];
  return ready_[head_++ % kMostThreads];
}

void Machine::GoTo(Lane& to, sim::Leave leave) {
  Fiber& from = self_->fiber;
  came_from_ = &from;
  self_ = &to;
  current = &to.state;
  Switch(from, to.fiber, leave);
}

// Gives the turn away until somebody wakes us.
void Machine::Block(Site site) {
  self_->is_blocked = true;
  self_->waits_at = site;
  if (ready_count_ == 0) Deadlock();
  GoTo(lanes_[Pop()], sim::Leave::kForNow);
}

void Machine::Deadlock() {
  constexpr int kMostShown = 8;
  int shown = 0;
  std::fprintf(stderr, "simulated device: deadlock\n");
  for (unsigned i = 0; i < threads_ && shown < kMostShown; ++i) {
    if (!lanes_[i].is_blocked) continue;
    ++shown;
    const Site& site = lanes_[i].waits_at;
    std::fprintf(stderr, "  thread %u waits in %s at %s:%d\n", i, site.operation, site.file,
                 site.line);
  }
  Fail("every thread of the block waits");
}

Votes Machine::Barrier(Site site, bool vote) {
  if (at_barrier_ == 0) {
    barrier_site_ = site;
    votes_ = {0, 1, 0};
  } else if (!SamePlace(barrier_site_, site)) {
    Fail("threads of a block wait in different barriers: %s:%d and %s:%d", site.file, site.line,
         barrier_site_.file, barrier_site_.line);
  }
  if (alive_ != threads_) {
    Fail("%s:%d: a thread of the block left the kernel before this barrier", site.file, site.line);
  }
  votes_.count += vote;
  votes_.all &= vote;
  votes_.any |= vote;
  if (++at_barrier_ < threads_) {
    Block(site);
  } else {
    at_barrier_ = 0;
    ++epoch_;
    result_ = votes_;
    for (unsigned i = 0; i < threads_; ++i) {
      if (lanes_[i].is_blocked) Wake(i);
    }
  }
  return result_;
}

Collective& FindCall(Warp& warp, std::uint32_t mask, Site site) {
  for (int i = 0; i < warp.count; ++i) {
    if (warp.calls[i].mask == mask) return warp.calls[i];
  }
  if (warp.count == Warp::kMasks) {
    Fail("%s:%d: a warp uses more than %d masks", site.file, site.line, Warp::kMasks);
  }
  Collective& call = warp.calls[warp.count++];
  call.mask = mask;
  call.arrived = call.phase = 0;
  return call;
}

const std::uint64_t* Machine::Exchange(std::uint32_t mask, std::uint64_t value, Site site) {
  const ThreadState& thread = *current;
  Warp& warp = *thread.warp;
  const std::uint32_t bit = 1u << thread.lane;
  mask &= warp.lanes;
  if ((mask & bit) == 0) {
    Fail("%s:%d: %s: the calling lane is not in its mask", site.file, site.line, site.operation);
  }
  if ((mask & warp.left) != 0) {
    Fail("%s:%d: %s: the mask names a lane that left the kernel", site.file, site.line,
         site.operation);
  }
  Collective& call = FindCall(warp, mask, site);
  if (call.arrived == 0) {
    call.site = site;
  } else if (!SamePlace(call.site, site)) {
    Fail("lanes of a warp stand in different calls: %s at %s:%d and %s at %s:%d", site.operation,
         site.file, site.line, call.site.operation, call.site.file, call.site.line);
  }
  std::uint64_t* values = call.values[call.phase & 1];
  values[thread.lane] = value;
  call.arrived |= bit;
  if (call.arrived != mask) {
    Block(site);
    return values;
  }
  call.arrived = 0;
  ++call.phase;
  for (std::uint32_t others = mask & ~bit; others != 0; others &= others - 1) {
    Wake(warp.first + static_cast<unsigned>(__builtin_ctz(others)));
  }
  return values;
}

void* Machine::SharedArray(const void* key, std::size_t bytes) {
  for (const SharedSlot& slot : slots_) {
    if (slot.key == key) return slot.data;
  }
  const std::size_t begin = (shared_used_ + 15) / 16 * 16;
  if (begin + bytes > kSharedCapacity) {
    Fail("the block's shared memory is more than %zu bytes", kSharedCapacity);
  }
  shared_used_ = begin + bytes + kSharedGap;
  slots_.push_back({key, shared_ + begin, bytes});
  return shared_ + begin;
}

bool Machine::IsInSharedArray(const unsigned char* p, std::size_t bytes) const {
  if (p >= shared_ && p + bytes <= shared_ + shape_.dynamic_shared) return true;
  return std::any_of(slots_.begin(), slots_.end(), [&](const SharedSlot& slot) {
    return p >= slot.data && p + bytes <= slot.data + slot.bytes;
  });
}

// NaN in every float, as far as the last block used it.
void Machine::PrepareShared() {
  if (shared_ == nullptr) {
    shared_ =
        static_cast<unsigned char*>(std::aligned_alloc(128, (kSharedCapacity + 127) / 128 * 128));
  }
  const std::size_t used = std::max(shared_used_, shape_.dynamic_shared) + 2 * kSharedGap;
  std::memset(shared_, kNaNByte, std::min(kSharedCapacity, used));
  shared_used_ = shape_.dynamic_shared > 0 ? shape_.dynamic_shared + kSharedGap : 0;
  slots_.clear();
}

void Machine::PrepareThreads(uint3 block) {
  const dim3& size = shape_.block;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    Warp& warp = warps_[i];
    const unsigned rest = threads_ - static_cast<unsigned>(i) * 32;
    warp.lanes = rest >= 32 ? ~0u : (1u << rest) - 1;
    warp.left = 0;
    warp.first = static_cast<unsigned>(i) * 32;
    warp.count = 0;
  }
  for (unsigned i = 0; i < threads_; ++i) {
    Lane& lane = lanes_[i];
    const uint3 thread{i % size.x, i / size.x % size.y, i / size.x / size.y};
    lane.state = {thread, block, size, shape_.grid, i, i % 32, &warps_[i / 32], 1};
    lane.is_blocked = false;
    lane.copies.clear();
    lane.groups.clear();
    PrepareFiber(lane.fiber, lane.stack, i * 37, &Machine::Entry);
    Push(i);
  }
}

void Machine::Entry() {
  Machine& machine = TheMachine();
  ArriveFrom(*machine.came_from_);
  machine.body_(machine.argument_);
  machine.Leave();
}

void Machine::Leave() {
  Lane& lane = *self_;
  Warp& warp = *lane.state.warp;
  warp.left |= 1u << lane.state.lane;
  --alive_;
  for (int i = 0; i < warp.count; ++i) {
    const Collective& call = warp.calls[i];
    if (call.arrived != 0 && (call.mask & warp.left) != 0) {
      Fail("a lane left the kernel while others wait for it in %s at %s:%d", call.site.operation,
           call.site.file, call.site.line);
    }
  }
  if (!lane.copies.empty()) Fail("a thread left with cp.async copies nobody waited for");
  if (at_barrier_ > 0) {
    Fail("a thread left the kernel while others wait at the barrier %s:%d", barrier_site_.file,
         barrier_site_.line);
  }
  if (alive_ == 0) {
    Switch(lane.fiber, main_, sim::Leave::kForGood);
  }
  if (ready_count_ == 0) Deadlock();
  GoTo(lanes_[Pop()], sim::Leave::kForGood);
  std::abort();
}

void Machine::RunBlock(uint3 block) {
  head_ = ready_count_ = 0;
  alive_ = threads_;
  at_barrier_ = 0;
  ++epoch_;
  PrepareShared();
  if (observer != nullptr) observer->OnBlockStart();
  PrepareThreads(block);
  Lane& first = lanes_[Pop()];
  self_ = &first;
  current = &first.state;
  came_from_ = &main_;
  Switch(main_, first.fiber, sim::Leave::kForNow);
  current = nullptr;
  if (observer != nullptr) observer->OnBlockEnd();
}

void Machine::Run(const GridShape& shape, void (*body)(void*), void* argument) {
  shape_ = shape;
  body_ = body;
  argument_ = argument;
  threads_ = shape.block.x * shape.block.y * shape.block.z;
  const std::size_t blocks = std::size_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  if (threads_ == 0 || threads_ > kMostThreads) {
    Fail("a block of %u threads", threads_);
  }
  if (blocks == 0 || shape.grid.y > 65535 || shape.grid.z > 65535) {
    Fail("a grid of %u x %u x %u blocks", shape.grid.x, shape.grid.y, shape.grid.z);
  }
  if (shape.dynamic_shared > kSharedCapacity) {
    Fail("%zu bytes of dynamic shared memory", shape.dynamic_shared);
  }
  while (lanes_.size() < threads_) lanes_.emplace_back().stack = MakeFiberStack();
  warps_.resize((threads_ + 31) / 32);
  Settings& settings = TheSettings();
  random_ = settings.seed * 2 + 1;
  ++settings.grids;
  settings.threads += blocks * threads_;
  // Every block once: forward, backward, or from a random one on.
  const std::size_t first = settings.order == Order::kRandom ? Random() % blocks : 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t k = settings.order == Order::kReverse ? blocks - 1 - i : (first + i) % blocks;
    RunBlock({static_cast<unsigned>(k % shape.grid.x),
              static_cast<unsigned>(k / shape.grid.x % shape.grid.y),
              static_cast<unsigned>(k / shape.grid.x / shape.grid.y)});
  }
  if (observer != nullptr) observer->OnGridEnd();
}

void NoteAccess(const void* p, unsigned bytes, bool is_write) {
  if (Observer* observer = TheMachine().observer) {
    observer->OnAccess(p, bytes, is_write, false, __builtin_return_address(0));
  }
}

float LowHalf(std::uint32_t pair, Half type) {
  const auto bits = static_cast<std::uint16_t>(pair);
  if (type == Half::kBF16) return __builtin_bit_cast(float, std::uint32_t{bits} << 16);
  return tensor::F16ToFloat(bits);
}

}  // namespace

Settings& TheSettings() {
  static Settings settings;
  return settings;
}

void Fail(const char* format, ...) {
  std::fprintf(stderr, "simulated device: ");
  std::va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  if (current != nullptr) {
    const uint3& block = current->block;
    std::fprintf(
        stderr, "\n  block (%u, %u, %u), thread %u (warp %u, lane %u), order %d, seed %llu",
        block.x, block.y, block.z, current->linear, current->linear / 32, current->lane,
        static_cast<int>(TheSettings().order), static_cast<unsigned long long>(TheSettings().seed));
  }
  std::fprintf(stderr, "\n");
  std::abort();
}

Votes Barrier(Site site, bool vote) {
  return TheMachine().Barrier(site, vote);
}

const std::uint64_t* WarpExchange(std::uint32_t mask, std::uint64_t value, Site site,
                                  Memory memory) {
  ThreadState& thread = *current;
  const std::uint64_t* values = TheMachine().Exchange(mask, value, site);
  if (memory == Memory::kOrdered) ++thread.warp_epoch;
  return values;
}

void RequireLane(std::uint32_t mask, unsigned lane, Site site) {
  if (((mask & current->warp->lanes) >> lane & 1u) == 0) {
    Fail("%s:%d: %s: reads lane %u, which is not in the mask", site.file, site.line, site.operation,
         lane);
  }
}

std::uint32_t WarpLanes() {
  return current->warp->lanes;
}

void* DynamicShared() {
  return TheMachine().dynamic_shared();
}
void* SharedArray(const void* key, std::size_t bytes) {
  return TheMachine().SharedArray(key, bytes);
}

void CopyAsync(void* shared, const void* global) {
  TheMachine().self().copies.push_back({shared, global});
}
void CopyAsyncCommit() {
  Lane& lane = TheMachine().self();
  lane.groups.push_back(lane.copies.size());
}
void CopyAsyncWait(int keep) {
  Lane& lane = TheMachine().self();
  if (lane.groups.size() <= static_cast<std::size_t>(keep)) return;
  const std::size_t done = lane.groups.size() - static_cast<std::size_t>(keep);
  const std::size_t end = lane.groups[done - 1];
  for (std::size_t i = 0; i < end; ++i) {
    NoteAccess(lane.copies[i].from, 16, false);
    NoteAccess(lane.copies[i].to, 16, true);
    std::memcpy(lane.copies[i].to, lane.copies[i].from, 16);
  }
  lane.copies.erase(lane.copies.begin(), lane.copies.begin() + static_cast<std::ptrdiff_t>(end));
  lane.groups.erase(lane.groups.begin(), lane.groups.begin() + static_cast<std::ptrdiff_t>(done));
  for (std::size_t& group : lane.groups) group -= end;
}

// Lane 4 g + t holds of a (rows g and g + 8) the pairs at columns 2 t and 2 t + 8, of b (column g)
// the pairs at rows 2 t and 2 t + 8, and of d (rows g and g + 8) the columns 2 t and 2 t + 1.
void Mma16816(float* d, const std::uint32_t* a, const std::uint32_t* b, Half type, Site site) {
  const auto pair = [](std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32;
  };
  std::uint64_t left[32], right[32], columns[32];
  const auto gather = [&](std::uint64_t(&lanes)[32], std::uint64_t value) {
    std::memcpy(lanes, WarpExchange(~0u, value, site, Memory::kUnordered), sizeof lanes);
  };
  gather(left, pair(a[0], a[1]));
  gather(right, pair(a[2], a[3]));
  gather(columns, pair(b[0], b[1]));
  const unsigned g = current->lane / 4;
  const unsigned t = current->lane % 4;
  for (unsigned e = 0; e < 4; ++e) {
    const unsigned row_half = e / 2;
    const unsigned n = 2 * t + e % 2;
    float sum = d[e];
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned word = k % 8 / 2;
      const std::uint64_t* side = k < 8 ? left : right;
      const auto x = static_cast<std::uint32_t>(side[g * 4 + word] >> (32 * row_half));
      const auto y = static_cast<std::uint32_t>(columns[n * 4 + word] >> (32 * (k / 8)));
      sum += LowHalf(x >> (k % 2 * 16), type) * LowHalf(y >> (k % 2 * 16), type);
    }
    d[e] = sum;
  }
}

void Mma16832(int* d, const std::uint32_t* a, const std::uint32_t* b, Site site) {
  // Of each lane: its words of the two rows, and of its column.
  std::uint64_t upper[32], lower[32], columns[32];
  const auto gather = [&](std::uint64_t(&lanes)[32], std::uint32_t first, std::uint32_t second) {
    const std::uint64_t value = first | std::uint64_t{second} << 32;
    std::memcpy(lanes, WarpExchange(~0u, value, site, Memory::kUnordered), sizeof lanes);
  };
  gather(upper, a[0], a[2]);
  gather(lower, a[1], a[3]);
  gather(columns, b[0], b[1]);
  const unsigned g = current->lane / 4;
  const unsigned t = current->lane % 4;
  for (unsigned e = 0; e < 4; ++e) {
    const std::uint64_t* rows = e < 2 ? upper : lower;
    const unsigned n = 2 * t + e % 2;
    for (unsigned k = 0; k < 32; ++k) {
      const unsigned lane = k % 16 / 4, shift = k / 16 * 32 + k % 4 * 8;
      d[e] += static_cast<std::int8_t>(rows[g * 4 + lane] >> shift) *
              static_cast<std::int8_t>(columns[n * 4 + lane] >> shift);
    }
  }
}

void LdMatrix(std::uint32_t* r, const void* shared, Transposed transposed, Site site) {
  NoteAccess(shared, 16, false);
  const std::uint64_t* rows =
      WarpExchange(~0u, reinterpret_cast<std::uintptr_t>(shared), site, Memory::kUnordered);
  const unsigned g = current->lane / 4;
  const unsigned t = current->lane % 4;
  const auto element = [&](unsigned matrix, unsigned row, unsigned column) {
    std::uint16_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(rows[matrix * 8 + row]) + column * 2, 2);
    return std::uint32_t{value};
  };
  for (unsigned m = 0; m < 4; ++m) {
    r[m] = transposed == Transposed::kYes ? element(m, 2 * t, g) | element(m, 2 * t + 1, g) << 16
                                          : element(m, g, 2 * t) | element(m, g, 2 * t + 1) << 16;
  }
}

void RunGrid(const GridShape& shape, void (*body)(void*), void* argument) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  TheMachine().Run(shape, body, argument);
}

void SetObserver(Observer* observer) {
  TheMachine().observer = observer;
}
Observer* TheObserver() {
  return TheMachine().observer;
}
void NoteAtomic(const void* p, unsigned bytes) {
  if (Observer* observer = TheMachine().observer) {
    observer->OnAccess(p, bytes, true, true, __builtin_return_address(0));
  }
}
void NoteHostWrite(void* p, std::size_t bytes) {
  if (Observer* observer = TheMachine().observer) observer->OnHostWrite(p, bytes);
}
void CopyUnseen(void* to, const void* from, unsigned bytes) {
  std::memcpy(to, from, bytes);
}
bool IsInSharedArray(const void* p, std::size_t bytes) {
  return TheMachine().IsInSharedArray(static_cast<const unsigned char*>(p), bytes);
}
SharedRange SharedMemory() {
  return TheMachine().shared();
}
std::uint32_t BarrierEpoch() {
  return TheMachine().epoch();
}

}  // namespace sglrun::sim
