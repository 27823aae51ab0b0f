// Memory that is missing. The room that finds it says what was needed and what was free; which of
// the program's options ask for less is known to cli alone (cli/shortage_advice.h).
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <utility>

namespace sglrun {

// What does not fit.
enum class Shortage : std::uint8_t {
  kNone,
  kWeights,
  kWeightsInInt4,   // in the smallest form
  kWeightsAndStep,  // the weights and the smallest step, on a device
  kCache,           // keys and values of the size that was asked for
  kSmallCache,      // one page of the cache, in the memory that was asked for
  kLeastCache,      // the smallest useful cache of keys and values
  kActivations,     // the activations and rows of a step
  kDeviceStep,      // what a step needs on a device, beside the cache
  kRunningStep,     // device memory in the middle of a run
  kPinned,          // pinned host memory in the middle of a run
};

// Thrown in the middle of a step: no caller can free memory, and half a step cannot be undone. It is caught nowhere; cli ends the program with the sentence, and a batch run continues
// with the same command, as after a kill.
class OutOfMemory : public std::bad_alloc {
 public:
  OutOfMemory(std::string sentence, Shortage shortage)
      : sentence_(std::move(sentence)), shortage_(shortage) {}

  const char* what() const noexcept override { return sentence_.c_str(); }
  Shortage shortage() const { return shortage_; }

 private:
  std::string sentence_;
  Shortage shortage_;
};

}  // namespace sglrun
