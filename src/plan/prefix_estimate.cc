#include "plan/prefix_estimate.h"

#include <string_view>

#include "base/hash.h"
#include "kernels/kv_cache.h"

namespace sglrun::plan {
namespace {

// Bounds the memory of a plan over millions of lines to some 100 MiB; what comes later is then only
// compared with what came first.
constexpr std::size_t kMaxPages = std::size_t{1} << 21;

}  // namespace

std::int64_t PrefixEstimate::Add(std::span<const std::int32_t> prompt) {
  std::int64_t saved = 0;
  bool known = true;
  std::uint64_t chain = 0;
  // The last token is always computed: its row gives the first output.
  for (std::size_t begin = 0; begin + kernels::kPageSize < prompt.size();
       begin += kernels::kPageSize) {
    const std::string_view bytes(reinterpret_cast<const char*>(prompt.data() + begin),
                                 kernels::kPageSize * sizeof(std::int32_t));
    chain = HashBytes(bytes, chain).low;
    known = known && pages_.contains(chain);
    if (known) {
      saved += kernels::kPageSize;
    } else if (pages_.size() < kMaxPages) {
      pages_.insert(chain);
    }
  }
  return saved;
}

}  // namespace sglrun::plan
