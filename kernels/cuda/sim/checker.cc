#include "kernels/cuda/sim/checker.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/cuda/sim/heap.h"
#include "kernels/cuda/sim/machine.h"

namespace sglrun::sim {
namespace {

constexpr std::size_t kShadowPage = 4096;
constexpr std::uint16_t kNobody = 0;
constexpr std::uint16_t kSeveral = 0xffff;

// What is known of one byte. Threads and warps count from 1.
struct Cell {
  std::uint32_t write_epoch = 0, read_epoch = 0;  // block barriers passed
  std::uint32_t write_warp_epoch = 0, read_warp_epoch = 0;
  std::uint32_t write_block = 0, read_block = 0;
  std::uint32_t launch = 0;
  std::uint16_t writer = kNobody, reader = kNobody, reader_warp = kNobody;
  bool is_written = false, is_atomic = false;
};

std::uint16_t WarpOf(std::uint16_t thread) {
  return static_cast<std::uint16_t>((thread - 1) / 32 + 1);
}

struct Access {
  const unsigned char* address;
  unsigned bytes;
  bool is_write, is_atomic;
  const void* code;
};

[[noreturn]] void Refuse(const char* what, const Access& access, const char* other = "") {
  Fail("%s: %s of %u bytes at %p, code %p%s", what, access.is_write ? "write" : "read",
       access.bytes, static_cast<const void*>(access.address), access.code, other);
}

// The accesses of a warp's lanes at one place of the code, the n-th time each.
struct RequestKey {
  const void* code;
  std::uint32_t warp, turn;
  bool operator==(const RequestKey&) const = default;
};
struct RequestHash {
  std::size_t operator()(const RequestKey& key) const {
    return reinterpret_cast<std::size_t>(key.code) * 0x9e3779b97f4a7c15u ^
           (std::size_t{key.warp} << 40) ^ key.turn * 0xc2b2ae3d27d4eb4fu;
  }
};
struct Request {
  bool is_shared = false;
  std::vector<std::pair<std::uintptr_t, unsigned>> lanes;  // address, bytes
};

void CountGlobal(Request& request, AccessCounts& counts) {
  std::vector<std::uintptr_t> sectors;
  for (const auto& [address, bytes] : request.lanes) {
    for (std::uintptr_t s = address / 32; s <= (address + bytes - 1) / 32; ++s)
      sectors.push_back(s);
  }
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  ++counts.global_requests;
  counts.global_sectors += sectors.size();
  std::sort(request.lanes.begin(), request.lanes.end());
  std::uintptr_t end = 0;
  for (const auto& [address, bytes] : request.lanes) {
    const std::uintptr_t begin = std::max(address, end);
    if (address + bytes <= begin) continue;
    counts.global_bytes += address + bytes - begin;
    end = address + bytes;
  }
}

// Words of one bank take turns, each word once; accesses of 16 bytes go by quarter warps.
void CountShared(const Request& request, AccessCounts& counts) {
  const std::size_t per_turn =
      std::clamp<std::size_t>(128 / std::max(4u, request.lanes[0].second), 1, 32);
  ++counts.shared_requests;
  for (std::size_t first = 0; first < request.lanes.size(); first += per_turn) {
    std::array<std::vector<std::uintptr_t>, 32> banks;
    const std::size_t last = std::min(first + per_turn, request.lanes.size());
    for (std::size_t i = first; i < last; ++i) {
      const auto& [address, bytes] = request.lanes[i];
      for (std::uintptr_t word = address / 4; word <= (address + bytes - 1) / 4; ++word) {
        std::vector<std::uintptr_t>& bank = banks[word % 32];
        if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
      }
    }
    std::size_t turns = 1;
    for (const auto& bank : banks) turns = std::max(turns, bank.size());
    counts.shared_wavefronts += turns;
  }
}

class Checker final : public Observer {
 public:
  AccessCounts TakeCounts() { return std::exchange(counts_, {}); }

  void OnAccess(const void* p, unsigned bytes, bool is_write, bool is_atomic,
                const void* code) override {
    if (current == nullptr) return;
    const Access access{static_cast<const unsigned char*>(p), bytes, is_write, is_atomic, code};
    const SharedRange range = SharedMemory();
    const bool is_shared =
        access.address >= range.begin && access.address < range.begin + range.capacity;
    if (is_shared) {
      if (!IsInSharedArray(p, bytes)) Refuse("outside of shared memory", access);
    } else if (IsDeviceAddress(p)) {
      if (!IsDeviceMemory(p, bytes)) Refuse("outside of device memory", access);
    } else {
      return;  // the stack, parameters, constants
    }
    if (reinterpret_cast<std::uintptr_t>(p) % bytes != 0) Refuse("misaligned", access);
    for (unsigned i = 0; i < bytes; ++i) {
      Cell& cell = is_shared ? shared_[static_cast<std::size_t>(access.address - range.begin) + i]
                             : CellOf(access.address + i);
      CheckCell(cell, access, is_shared);
    }
    if (!is_atomic) Note(access, is_shared);
  }

  void OnBlockStart() override {
    ++block_;
    first_epoch_ = BarrierEpoch();
    shared_.assign(SharedMemory().capacity, {});
  }

  void OnBlockEnd() override {
    for (auto& [key, request] : requests_) {
      if (request.is_shared) {
        CountShared(request, counts_);
      } else {
        CountGlobal(request, counts_);
      }
    }
    requests_.clear();
    for (auto& turns : turns_) turns.clear();
  }

  void OnGridEnd() override { ++launch_; }

  void OnHostWrite(void* p, std::size_t bytes) override {
    const auto* begin = static_cast<const unsigned char*>(p);
    for (std::size_t i = 0; i < bytes; ++i) {
      Cell& cell = CellOf(begin + i);
      cell = {};
      cell.is_written = true;
    }
  }

  void OnFree(void* p, std::size_t bytes) override {
    const auto first = reinterpret_cast<std::uintptr_t>(p) / kShadowPage;
    const auto last = (reinterpret_cast<std::uintptr_t>(p) + bytes - 1) / kShadowPage;
    for (std::uintptr_t page = first; page <= last; ++page) pages_.erase(page);
    cached_ = nullptr;
  }

 private:
  using Page = std::array<Cell, kShadowPage>;

  Cell& CellOf(const unsigned char* address) {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    const std::uintptr_t page = number / kShadowPage;
    if (cached_ == nullptr || page != cached_page_) {
      std::unique_ptr<Page>& cells = pages_[page];
      if (cells == nullptr) cells = std::make_unique<Page>();
      cached_ = cells.get();
      cached_page_ = page;
    }
    return (*cached_)[number % kShadowPage];
  }

  void CheckCell(Cell& cell, const Access& access, bool is_shared) {
    if (!access.is_write && !cell.is_written) Refuse("memory that nobody wrote", access);
    if (!is_shared && cell.launch != launch_) {
      const bool is_written = cell.is_written;
      cell = {};
      cell.is_written = is_written;
      cell.launch = launch_;
    }
    if (!(access.is_atomic && cell.is_atomic)) CheckRaces(cell, access, is_shared);
    Remember(cell, access);
  }

  void CheckRaces(const Cell& cell, const Access& access, bool is_shared) const {
    const std::uint32_t epoch = BarrierEpoch();
    const auto thread = static_cast<std::uint16_t>(current->linear + 1);
    const std::uint16_t warp = WarpOf(thread);
    const bool write_is_ours = is_shared || cell.write_block == block_;
    const bool read_is_ours = is_shared || cell.read_block == block_;
    if (cell.writer != kNobody && !write_is_ours) {
      Refuse("race between blocks", access, "; another block wrote there");
    }
    if (cell.writer != kNobody && cell.writer != thread && cell.write_epoch == epoch &&
        cell.write_epoch >= first_epoch_ &&
        !(WarpOf(cell.writer) == warp && cell.write_warp_epoch < current->warp_epoch)) {
      Refuse(access.is_write ? "race (two writes)" : "race (read after write)", access,
             "; another thread wrote there since the last barrier");
    }
    if (!access.is_write || cell.reader == kNobody) return;
    if (!read_is_ours) Refuse("race between blocks", access, "; another block read there");
    if (cell.reader != thread && cell.read_epoch == epoch &&
        !(cell.reader_warp == warp && cell.read_warp_epoch < current->warp_epoch)) {
      Refuse("race (write after read)", access,
             "; another thread read there since the last barrier");
    }
  }

  void Remember(Cell& cell, const Access& access) const {
    const auto thread = static_cast<std::uint16_t>(current->linear + 1);
    const std::uint16_t warp = WarpOf(thread);
    const std::uint32_t epoch = BarrierEpoch();
    if (access.is_write) {
      cell.is_written = true;
      cell.is_atomic = access.is_atomic;
      cell.writer = thread;
      cell.write_epoch = epoch;
      cell.write_warp_epoch = current->warp_epoch;
      cell.write_block = block_;
      return;
    }
    const bool is_shared_read =
        cell.reader != kNobody && cell.read_epoch == epoch && cell.reader != thread;
    cell.reader_warp = !is_shared_read || cell.reader_warp == warp ? warp : kSeveral;
    cell.reader = is_shared_read ? kSeveral : thread;
    cell.read_epoch = epoch;
    cell.read_warp_epoch = current->warp_epoch;
    cell.read_block = block_;
  }

  void Note(const Access& access, bool is_shared) {
    const std::uint32_t turn = turns_[current->linear][access.code]++;
    Request& request = requests_[{access.code, current->linear / 32, turn}];
    request.is_shared = is_shared;
    request.lanes.emplace_back(reinterpret_cast<std::uintptr_t>(access.address), access.bytes);
  }

  std::vector<Cell> shared_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  Page* cached_ = nullptr;
  std::uintptr_t cached_page_ = 0;
  std::uint32_t launch_ = 1, block_ = 0, first_epoch_ = 0;
  std::unordered_map<RequestKey, Request, RequestHash> requests_;
  std::array<std::unordered_map<const void*, std::uint32_t>, 1024> turns_;
  AccessCounts counts_;
};

Checker& TheChecker() {
  static auto* checker = new Checker;
  return *checker;
}

}  // namespace

void StartChecker() {
  SetObserver(&TheChecker());
}
AccessCounts TakeAccessCounts() {
  return TheChecker().TakeCounts();
}

}  // namespace sglrun::sim
