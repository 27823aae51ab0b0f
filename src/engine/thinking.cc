#include "engine/thinking.h"

#include <utility>

#include "base/check.h"

namespace sglrun::engine {

Thinking::Thinking(std::vector<std::int32_t> end, std::optional<std::int64_t> budget)
    : end_(std::move(end)), budget_(budget), fallback_(end_.size() + 1, 0) {
  CHECK(!end_.empty());
  std::size_t length = 0;
  for (std::size_t n = 1; n < end_.size(); ++n) {
    while (length > 0 && end_[length] != end_[n]) length = fallback_[length];
    if (end_[length] == end_[n]) ++length;
    fallback_[n + 1] = length;
  }
}

// If the text ends with a beginning of the end sequence, this beginning is continued; otherwise its
// tokens would count as thoughts.
std::int32_t Thinking::forced() const {
  return budget_ && taken_ >= *budget_ && !over() ? end_[matched_] : -1;
}

void Thinking::Take(std::int32_t token) {
  CHECK(!over());
  ++taken_;
  while (matched_ > 0 && end_[matched_] != token) matched_ = fallback_[matched_];
  if (end_[matched_] == token) ++matched_;
}

}  // namespace sglrun::engine
