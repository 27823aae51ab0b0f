// OUT.run.json, read back: what the page and the terminal show.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "report/run_data.h"

namespace sglrun::report {

struct Account {
  std::string state = "running";  // or "finished", "stopped", "failed"
  std::int64_t exit_code = 0;     // of a run that does not run any more
  std::string started, model, isa;
  std::int64_t threads = 0;
  std::int64_t records = 0, kept = 0, results = 0, failed = 0;
  std::int64_t prompt_tokens = 0, cached_tokens = 0, output_tokens = 0;
  double wall_s = 0, load_s = 0, tokens_per_s = 0;
  std::int64_t peak_rss_bytes = 0;
  Json::Object engine, sampling_defaults, options;
  RunData data;
};

// Some hundred times what `batch` writes.
inline constexpr std::size_t kMaxRunFileBytes = std::size_t{8} << 20;

// Whether it looks like one of this or an earlier version: it counts, and says how the run went.
bool IsRunFile(const Json& json);

// The file may have been written by anybody: the error names the member, what it is and what it
// must be.
Result<Account> ReadAccount(const Json& run_file);

// Finished, and every record served.
bool IsGood(const Account& account);

// "finished", "finished, 3 records failed", "interrupted by Ctrl+C; the same command continues".
std::string Outcome(const Account& account);

// What the charts leave out of a run that continued another; "" for others.
std::string Coverage(const Account& account);

// "prompt_tokens 512": the value of a setting as it is shown.
std::string SettingText(const Json& value);

}  // namespace sglrun::report
