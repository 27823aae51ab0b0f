#include "cli/background_fingerprint.h"

#include <algorithm>

#include "base/thread_pool.h"

namespace sglrun::cli {

BackgroundFingerprint::BackgroundFingerprint(const Options& options, const model::ModelFiles& files)
    : hash_(std::async(std::launch::async, [this, &files, wanted = options.threads] {
        const int cores = AvailableCores();
        ThreadPool pool(wanted == 0 ? cores
                                    : static_cast<int>(std::min<std::int64_t>(wanted, cores)));
        return files.Fingerprint(pool, &stop_);
      })) {}

}  // namespace sglrun::cli
