// The fingerprint of a model's weights, made on threads of its own beside what a run does before it
// needs it: reading the weights takes about as long as making the tokenizer.
#pragma once

#include <atomic>
#include <future>

#include "base/hash.h"
#include "cli/options.h"
#include "model/model_files.h"

namespace sglrun::cli {

class BackgroundFingerprint {
 public:
  // `options` and `files` stay where they are and outlive this.
  BackgroundFingerprint(const Options& options, const model::ModelFiles& files);
  ~BackgroundFingerprint() { stop_ = true; }  // the future waits
  BackgroundFingerprint(const BackgroundFingerprint&) = delete;
  BackgroundFingerprint& operator=(const BackgroundFingerprint&) = delete;

  // Once.
  Hash128 Get() { return hash_.get(); }

 private:
  std::atomic<bool> stop_{false};
  std::future<Hash128> hash_;  // last: ends before the rest
};

}  // namespace sglrun::cli
