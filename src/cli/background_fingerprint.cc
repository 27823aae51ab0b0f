#include "cli/background_fingerprint.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <system_error>

#include "base/thread_pool.h"

namespace sglrun::cli {

namespace {

// The bytes of a stored weight that packing does not make fewer.
double KeptBytes(const std::string& dtype) {
  if (dtype == "f32" || dtype == "auto") return 4;
  return dtype == "int8" ? 1 : dtype == "int4" ? 0.5 : 2;
}

// Weights that are packed into less memory than they take in their files let go of their pages at
// once, so that the process never holds more than it needs in the end.
bool KeepsPages(const Options& options, const model::ModelFiles& files) {
  double stored = 0;
  for (const model::TensorSource& tensor : files.tensors()) {
    stored += static_cast<double>(tensor.bytes);
  }
  const double most = KeptBytes(options.dtype) * static_cast<double>(files.parameter_count());
  return (options.device == "cpu" || options.device == "auto") && stored <= 1.01 * most;
}

int HashThreads(const Options& options) {
  const std::int64_t cores = AvailableCores();
  return static_cast<int>(options.threads == 0 ? cores : std::min(options.threads, cores));
}

// Beside the caller, or where no thread can be had, once it is asked for.
template <class Work>
std::future<Hash128> Begin(Work work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

}  // namespace

BackgroundFingerprint::BackgroundFingerprint(const Options& options, const model::ModelFiles& files)
    : hash_(Begin([this, &options, &files] {
        ThreadPool pool(HashThreads(options));
        return files.Fingerprint(pool, {.stop = &stop_, .keep_pages = KeepsPages(options, files)});
      })) {}

}  // namespace sglrun::cli
