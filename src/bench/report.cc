#include "bench/report.h"

#include <cstdio>
#include <utility>

#include "base/json.h"
#include "base/printable.h"
#include "base/strings.h"

namespace sglrun::bench {
namespace {

Json RatesBySize(const std::vector<Measurement>& measurements, double Measurement::*rate) {
  Json::Object rates;
  for (const Measurement& m : measurements) {
    rates.emplace_back(std::to_string(m.size), Json(m.*rate));
  }
  return rates;
}

// For runs that have shares.
Json SharesBySize(const std::vector<Measurement>& measurements) {
  Json::Object all;
  for (const Measurement& m : measurements) {
    if (!m.shares) continue;
    Json::Object shares;
    for (std::size_t i = 0; i < m.shares->parts.size(); ++i) {
      shares.emplace_back(std::string(kernels::OperationShares::kNames[i]), m.shares->parts[i]);
    }
    all.emplace_back(std::to_string(m.size), std::move(shares));
  }
  return all;
}

std::string SharesLine(const Measurement& m) {
  if (!m.shares) return "";
  std::string line;
  for (std::size_t i = 0; i < m.shares->parts.size(); ++i) {
    char part[48];
    std::snprintf(part, sizeof part, "%s %.0f %%", kernels::OperationShares::kNames[i].data(),
                  m.shares->parts[i] * 100);
    line += (line.empty() ? "         " : ", ") + std::string(part);
  }
  return line + "\n";
}

std::string Row(const char* kind, const char* unit, const Measurement& m) {
  char line[160];
  std::snprintf(line, sizeof line, "%-8s %6lld %-7s %10.1f tokens/s %8.1f GB/s %9.1f GFLOP/s\n",
                kind, static_cast<long long>(m.size), unit, m.tokens_per_s, m.bytes_per_s / 1e9,
                m.flops_per_s / 1e9);
  return line + SharesLine(m);
}

}  // namespace

std::string AsJson(const BenchReport& report) {
  const Json json =
      Json::Object{{"machine", report.machine},
                   {"model", report.model},
                   {"dtype", report.dtype},
                   {"kv_dtype", report.kv_dtype},
                   {"prefill", RatesBySize(report.prefill, &Measurement::tokens_per_s)},
                   {"decode", RatesBySize(report.decode, &Measurement::tokens_per_s)},
                   {"decode_bytes_per_s", RatesBySize(report.decode, &Measurement::bytes_per_s)},
                   {"decode_flops_per_s", RatesBySize(report.decode, &Measurement::flops_per_s)},
                   {"prefill_shares", SharesBySize(report.prefill)},
                   {"decode_shares", SharesBySize(report.decode)},
                   {"load_s", report.load_s},
                   {"first_token_s", report.first_token_s},
                   {"peak_rss_bytes", report.peak_rss_bytes}};
  return json.Dump() + "\n";
}

std::string AsText(const BenchReport& report) {
  std::string out = Printable(report.model) + ", " + report.dtype + ", cache in " +
                    report.kv_dtype + ", " + report.machine + "\n";
  for (const Measurement& m : report.prefill) out += Row("prefill", "tokens", m);
  for (const Measurement& m : report.decode) out += Row("decode", "rows", m);
  char line[160];
  std::snprintf(line, sizeof line, "load %.2f s, first token %.3f s, peak memory %s\n",
                report.load_s, report.first_token_s, FormatByteSize(report.peak_rss_bytes).c_str());
  return out + line;
}

}  // namespace sglrun::bench
