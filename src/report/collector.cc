#include "report/collector.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/utf8.h"

namespace sglrun::report {
namespace {

constexpr std::size_t kMaxIdBytes = 120;
constexpr std::size_t kMaxMessageBytes = 500;

// Valid UTF-8, cut to at most that number of bytes.
std::string Clipped(std::string_view text, std::size_t limit) {
  std::string valid = ToValidUtf8(text.substr(0, limit + 4));
  if (valid.size() <= limit) return valid;
  valid.resize(limit);
  valid.resize(limit - IncompleteUtf8Suffix(valid));
  return valid + "…";
}

std::string PlaceText(const RecordName& name) {
  return Clipped(name.file, kMaxIdBytes) + ":" + std::to_string(name.line);
}

// "input_ids[17]" and "input_ids[4]" are blamed in the same way.
std::string WithoutPositions(std::string_view param) {
  std::string out;
  for (std::size_t at = 0; at < param.size();) {
    out += param[at++];
    if (out.back() != '[') continue;
    const std::size_t end = param.find_first_not_of("0123456789", at);
    if (end != std::string_view::npos && param[end] == ']') at = end;
  }
  return Clipped(out, kMaxIdBytes);
}

std::string FinishName(const GenerateResult& result) {
  const FinishReason& reason = result.finish_reason;
  if (reason.kind == FinishReason::Kind::kLength) {
    return reason.length == 0 ? "scored (no tokens asked for)" : "length";
  }
  const bool token = std::holds_alternative<std::int32_t>(reason.matched);
  return token ? "stop token" : "stop string or pattern";
}

// Two bins an octave: the number below 2^k and the half above it.
std::size_t BinOf(std::int64_t length) {
  if (length < 2) return static_cast<std::size_t>(std::max<std::int64_t>(length, 0));
  const auto value = static_cast<std::uint64_t>(length);
  const int octave = std::bit_width(value) - 1;
  const auto upper_half = (value >> (octave - 1)) & 1;
  return static_cast<std::size_t>(2 * octave) + upper_half;
}

std::int64_t BinBegin(std::size_t bin) {
  if (bin < 2) return static_cast<std::int64_t>(bin);
  const std::int64_t power = std::int64_t{1} << (bin / 2);
  return bin % 2 == 0 ? power : power + power / 2;
}

bool IsSlower(const SlowResult& a, const SlowResult& b) {
  return a.seconds > b.seconds;
}

}  // namespace

void LengthCounter::Add(std::int64_t length) {
  totals_.min = totals_.count == 0 ? length : std::min(totals_.min, length);
  totals_.max = std::max(totals_.max, length);
  totals_.sum += length;
  ++totals_.count;
  ++counts_[BinOf(length)];
}

void LengthCounter::Add(const LengthCounter& others) {
  const Lengths& added = others.totals_;
  if (added.count == 0) return;
  totals_.min = totals_.count == 0 ? added.min : std::min(totals_.min, added.min);
  totals_.max = std::max(totals_.max, added.max);
  totals_.sum += added.sum;
  totals_.count += added.count;
  for (std::size_t bin = 0; bin < kBins; ++bin) counts_[bin] += others.counts_[bin];
}

Lengths LengthCounter::Finish() const {
  Lengths lengths = totals_;
  if (lengths.count == 0) return lengths;
  for (std::size_t bin = BinOf(lengths.min); bin <= BinOf(lengths.max); ++bin) {
    lengths.bins.push_back({BinBegin(bin), BinBegin(bin + 1) - 1, counts_[bin]});
  }
  return lengths;
}

void RunCollector::AddStep(double now, const engine::EngineStats& stats) {
  timeline_.Add(now,
                {.output_tokens = static_cast<double>(stats.output_tokens - before_.output_tokens),
                 .prompt_tokens = static_cast<double>(stats.prompt_tokens - before_.prompt_tokens),
                 .rows = stats.steps > before_.steps ? static_cast<double>(stats.step_rows) : 0.0});
  before_ = stats;
}

void ResultTally::Add(const RecordName& name, const GenerateResult& result) {
  const auto output = static_cast<std::int64_t>(result.output_ids.size());
  prompt_lengths_.Add(result.prompt_tokens);
  output_lengths_.Add(output);
  const std::string finish = FinishName(result);
  ++finish_reasons_[finish];
  if (!IsSlow(result.e2e_latency)) return;
  AddSlow({PlaceText(name), Clipped(result.rid, kMaxIdBytes), result.e2e_latency,
           result.prompt_tokens, output, finish});
}

void ResultTally::Add(const ResultTally& others) {
  prompt_lengths_.Add(others.prompt_lengths_);
  output_lengths_.Add(others.output_lengths_);
  for (const auto& [finish, count] : others.finish_reasons_) finish_reasons_[finish] += count;
  for (const SlowResult& slow : others.slowest_) {
    if (IsSlow(slow.seconds)) AddSlow(slow);
  }
}

bool ResultTally::IsSlow(double seconds) const {
  return slowest_.size() < kSlowest || seconds > slowest_.back().seconds;
}

void ResultTally::AddSlow(SlowResult slow) {
  slowest_.insert(std::ranges::upper_bound(slowest_, slow, IsSlower), std::move(slow));
  if (slowest_.size() > kSlowest) slowest_.pop_back();
}

void RunCollector::AddError(const RecordName& name, const RecordError& error) {
  KindKey key{error.type, error.code, WithoutPositions(error.param)};
  auto kind = errors_.find(key);
  if (kind == errors_.end()) {
    if (errors_.size() == kErrorKinds) {
      ++other_errors_;
      return;
    }
    ErrorKind fresh{std::get<0>(key), std::get<1>(key), std::get<2>(key), 0, {}};
    kind = errors_.emplace(std::move(key), std::move(fresh)).first;
  }
  ++kind->second.count;
  if (kind->second.first.size() == kRecordsOfAKind) return;
  kind->second.first.push_back(
      {PlaceText(name), Clipped(name.id, kMaxIdBytes), Clipped(error.message, kMaxMessageBytes)});
}

RunData RunCollector::Finish() const {
  RunData data;
  data.timeline = timeline_.timeline();
  data.prompt_lengths = results_.prompt_lengths().Finish();
  data.output_lengths = results_.output_lengths().Finish();
  for (const auto& [finish, count] : results_.finish_reasons())
    data.finish_reasons.push_back({finish, count});
  std::ranges::stable_sort(data.finish_reasons, std::greater{}, &NamedCount::count);
  for (const auto& [key, kind] : errors_) data.errors.push_back(kind);
  std::ranges::stable_sort(data.errors, std::greater{}, &ErrorKind::count);
  data.other_errors = other_errors_;
  data.slowest = results_.slowest();
  return data;
}

}  // namespace sglrun::report
