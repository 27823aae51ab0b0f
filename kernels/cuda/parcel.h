// The arrays of a sampling operation, which takes and gives arrays of the host: sent in one copy,
// fetched in another. Copies run on a stream of their own, beside the forward pass that the
// operation waits for.
//
//   Parcel parcel;
//   parcel.Send(args.temperature, &params.temperature);   // params get device pointers in Start
//   parcel.Fetch(args.tokens, &params.tokens);
//   parcel.Start(device);  launch(params);  parcel.Return(device);
//   ...  parcel.Finish(device);                           // waits
//
// An operation that comes again finds its arrays where they were: each has as much room as it ever
// needed, which Recorder::Work remembers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sglrun::kernels::cuda {

class DeviceState;

class Parcel {
 public:
  // Empty arrays leave their place alone. What an operation writes into a sent array is not
  // fetched.
  template <class T, class P>
  void Send(std::span<T> values, P** place) {
    static_assert(sizeof(T) == sizeof(P));
    Add(values.data(), values.size_bytes(), place, Way::kSend);
  }
  // Written by the operation.
  template <class T, class P>
  void Fetch(std::span<T> values, P** place) {
    static_assert(sizeof(T) == sizeof(P));
    Add(values.data(), values.size_bytes(), place, Way::kFetch);
  }
  // Written by the operation in part: what it leaves alone keeps its value.
  template <class T>
  void Exchange(std::span<T> values, T** place) {
    Add(values.data(), values.size_bytes(), place, Way::kExchange);
  }
  // Device memory for the time of the operation.
  template <class T>
  void Use(std::size_t count, T** place) {
    Add(static_cast<T*>(nullptr), count * sizeof(T), place, Way::kUse);
  }

  // Device memory as the operation leaves it, straight to the host.
  template <class T>
  void Take(const T* device, std::span<T> values) {
    taken_.push_back({device, reinterpret_cast<char*>(values.data()), values.size_bytes(), 0});
  }

  // The kernels' stream waits for the copy. `room`: of each array, grows.
  void Start(DeviceState& device, std::vector<std::size_t>* room = nullptr);
  void Return(DeviceState& device);  // after the kernels
  void Finish(DeviceState& device);

  // Which of the arrays that were named have something in them, and where they lie once it started.
  std::uint64_t present() const { return present_; }
  std::vector<const void*> Places() const;

 private:
  enum class Way : std::uint8_t { kSend, kExchange, kFetch, kUse };  // in this order in memory
  struct Region {
    char* host;
    std::size_t bytes;
    void** place;
    Way way;
    std::size_t room;
    std::size_t at;
  };
  struct Taken {
    const void* device;
    char* host;
    std::size_t bytes;
    std::size_t at;
  };
  template <class T, class P>
  void Add(T* data, std::size_t bytes, P** place, Way way) {
    AddRegion(const_cast<void*>(static_cast<const void*>(data)), bytes,
              const_cast<void**>(reinterpret_cast<const void* const*>(place)), way);
  }
  void AddRegion(void* data, std::size_t bytes, void** place, Way way);
  void MakeRoom(std::vector<std::size_t>* room);
  void TakeAll(DeviceState& device);
  // The end of all regions that go this way or an earlier one.
  std::size_t EndOf(Way way) const;

  std::vector<Region> regions_;
  std::vector<Taken> taken_;
  std::uint64_t named_ = 0, present_ = 0;
};

}  // namespace sglrun::kernels::cuda
