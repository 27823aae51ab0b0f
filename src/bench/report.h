// What `bench` has measured, as a table and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/operation_clock.h"

namespace sglrun::bench {

struct Measurement {
  std::int64_t size = 0;  // prompt tokens, or rows
  double tokens_per_s = 0;
  double bytes_per_s = 0;
  double flops_per_s = 0;
  std::optional<kernels::OperationShares> shares;  // where the time went; not on a device
};

struct BenchReport {
  std::string machine, model, dtype, kv_dtype;
  std::vector<Measurement> prefill, decode;
  double load_s = 0, first_token_s = 0;
  std::int64_t peak_rss_bytes = 0;
};

std::string AsJson(const BenchReport& report);
std::string AsText(const BenchReport& report);

}  // namespace sglrun::bench
