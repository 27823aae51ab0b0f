// The arrays of a sampling operation, which takes and gives arrays of the host: sent in one copy,
// fetched in another. Copies run on a stream of their own, beside the forward pass that the
// operation waits for.
//
//   Parcel parcel;
//   parcel.Send(args.temperature, &params.temperature);   // params get device pointers in Start
//   parcel.Fetch(args.tokens, &params.tokens);
//   parcel.Start(device);  launch(params);  parcel.Return(device);
//   ...  parcel.Finish(device);                           // waits
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

  void Start(DeviceState& device);   // the kernels' stream waits for the copy
  void Return(DeviceState& device);  // behind the kernels
  void Finish(DeviceState& device);

 private:
  enum class Way : std::uint8_t { kSend, kExchange, kFetch, kUse };  // in this order in memory
  struct Region {
    char* host;
    std::size_t bytes;
    void** place;
    Way way;
    std::size_t at;
  };
  template <class T, class P>
  void Add(T* data, std::size_t bytes, P** place, Way way) {
    AddRegion(const_cast<void*>(static_cast<const void*>(data)), bytes,
              const_cast<void**>(reinterpret_cast<const void* const*>(place)), way);
  }
  void AddRegion(void* data, std::size_t bytes, void** place, Way way);
  // The end of all that goes that way or one before it.
  std::size_t EndOf(Way way) const;

  std::vector<Region> regions_;
};

}  // namespace sglrun::kernels::cuda
