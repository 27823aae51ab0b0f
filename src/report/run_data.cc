#include "report/run_data.h"

#include <algorithm>
#include <cmath>

namespace sglrun::report {
namespace {

Json Numbers(const std::vector<double>& values) {
  Json::Array list;
  for (const double value : values) list.emplace_back(Rounded(value));
  return list;
}

Json TimelineJson(const Timeline& timeline) {
  return Json::Object{{"slice_s", timeline.slice_s},
                      {"end_s", Rounded(timeline.end_s)},
                      {"output_tokens", Numbers(timeline.output_tokens)},
                      {"prompt_tokens", Numbers(timeline.prompt_tokens)},
                      {"row_seconds", Numbers(timeline.row_seconds)}};
}

Json LengthsJson(const Lengths& lengths) {
  Json::Array bins;
  for (const LengthBin& bin : lengths.bins) {
    bins.push_back(Json::Object{{"from", bin.from}, {"to", bin.to}, {"count", bin.count}});
  }
  return Json::Object{{"count", lengths.count},
                      {"sum", lengths.sum},
                      {"min", lengths.min},
                      {"max", lengths.max},
                      {"bins", std::move(bins)}};
}

Json CountsJson(const std::vector<NamedCount>& counts) {
  Json::Object object;
  for (const NamedCount& entry : counts) object.emplace_back(entry.name, entry.count);
  return object;
}

Json ErrorJson(const ErrorKind& kind) {
  Json::Array first;
  for (const FailedRecord& record : kind.first) {
    first.push_back(
        Json::Object{{"place", record.place}, {"id", record.id}, {"message", record.message}});
  }
  return Json::Object{{"type", kind.type},
                      {"code", kind.code},
                      {"param", kind.param},
                      {"count", kind.count},
                      {"first", std::move(first)}};
}

Json SlowJson(const SlowResult& result) {
  return Json::Object{{"place", result.place},
                      {"id", result.id},
                      {"seconds", Rounded(result.seconds)},
                      {"prompt_tokens", result.prompt_tokens},
                      {"output_tokens", result.output_tokens},
                      {"finish", result.finish}};
}

}  // namespace

double Rounded(double value) {
  return std::round(value * 1000) / 1000;
}

double Timeline::Covered(std::size_t i) const {
  return std::clamp(end_s - static_cast<double>(i) * slice_s, 0.0, slice_s);
}

Json ToJson(const RunData& data) {
  Json::Array errors, slowest;
  for (const ErrorKind& kind : data.errors) errors.push_back(ErrorJson(kind));
  for (const SlowResult& result : data.slowest) slowest.push_back(SlowJson(result));
  return Json::Object{{"timeline", TimelineJson(data.timeline)},
                      {"prompt_lengths", LengthsJson(data.prompt_lengths)},
                      {"output_lengths", LengthsJson(data.output_lengths)},
                      {"finish_reasons", CountsJson(data.finish_reasons)},
                      {"errors", std::move(errors)},
                      {"other_errors", data.other_errors},
                      {"slowest", std::move(slowest)}};
}

}  // namespace sglrun::report
