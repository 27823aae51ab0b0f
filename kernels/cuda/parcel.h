// The arrays of one operation that takes and gives arrays of the host: sent in one copy, fetched in
// another.
//
//   Parcel parcel;
//   parcel.Send(args.temperature, &params.temperature);   // params get device pointers in Start
//   parcel.Fetch(args.tokens, &params.tokens);
//   parcel.Start(device);  launch(params);  parcel.Finish(device);
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/cuda/device.h"

namespace sglrun::kernels::cuda {

class Parcel {
 public:
  template <class T, class P>
  void Send(std::span<T> values, const P** place) {
    static_assert(sizeof(T) == sizeof(P));
    sent_.push_back({values.data(), values.size_bytes()});
    sent_places_.push_back(reinterpret_cast<const void**>(place));
  }
  // Written by the operation.
  template <class T, class P>
  void Fetch(std::span<T> values, P** place) {
    static_assert(sizeof(T) == sizeof(P));
    Add({values.data(), values.size_bytes(), reinterpret_cast<void**>(place), Way::kFetch});
  }
  // Written by the operation in part: what it leaves alone keeps its value.
  template <class T>
  void Exchange(std::span<T> values, T** place) {
    Add({values.data(), values.size_bytes(), reinterpret_cast<void**>(place), Way::kExchange});
  }
  // Device memory for the time of the operation.
  template <class T>
  void Use(std::size_t count, T** place) {
    Add({nullptr, count * sizeof(T), reinterpret_cast<void**>(place), Way::kUse});
  }

  void Start(DeviceState& device);
  void Finish(DeviceState& device);

 private:
  enum class Way : std::uint8_t { kFetch, kExchange, kUse };
  struct Region {
    void* host;
    std::size_t bytes;
    void** place;
    Way way;
  };
  void Add(Region region) {
    if (region.bytes > 0) regions_.push_back(region);
  }

  std::vector<StagedArray> sent_;
  std::vector<const void**> sent_places_;
  std::vector<Region> regions_;
};

}  // namespace sglrun::kernels::cuda
