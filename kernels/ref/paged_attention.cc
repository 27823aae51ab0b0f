#include "kernels/paged_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/ref/ops.h"

namespace sglrun::kernels::ref {
namespace {

// One head of one query over the keys [first, last] of row r.
void Attend(const PagedAttentionArgs& args, std::int64_t r, std::int64_t head, std::int64_t first,
            std::int64_t last, const float* q, float* out) {
  const KvLayout& layout = args.cache.layout;
  const std::int64_t kv_head = head / (args.num_heads / layout.num_kv_heads);
  const auto slot = [&](std::int64_t j) {
    return std::int64_t{args.block_tables[r * args.block_table_stride + j / kPageSize]} *
               kPageSize +
           j % kPageSize;
  };
  std::vector<double> score;
  double max = -INFINITY;
  for (std::int64_t j = first; j <= last; ++j) {
    double dot = 0;
    for (std::int64_t d = 0; d < layout.head_dim; ++d) {
      dot += double{q[d]} * LoadFromHead(args.cache, KvPart::kKeys, slot(j), kv_head, d);
    }
    dot *= args.scale;
    score.push_back(args.softcap > 0 ? args.softcap * std::tanh(dot / args.softcap) : dot);
    max = std::max(max, score.back());
  }
  double total = 0;
  for (double& s : score) total += s = std::exp(s - max);
  for (std::int64_t d = 0; d < layout.head_dim; ++d) {
    double sum = 0;
    for (std::int64_t j = first; j <= last; ++j) {
      sum += score[static_cast<std::size_t>(j - first)] *
             LoadFromHead(args.cache, KvPart::kValues, slot(j), kv_head, d);
    }
    out[d] = static_cast<float>(sum / total);
  }
}

}  // namespace

void PagedAttention(const PagedAttentionArgs& args, KernelContext&) {
  const std::int64_t head_dim = args.cache.layout.head_dim;
  for (std::size_t r = 0; r < args.kv_len.size(); ++r) {
    const std::int64_t end = args.query_start[r + 1];
    for (std::int64_t t = args.query_start[r]; t < end; ++t) {
      const std::int64_t last = args.kv_len[r] - (end - t);  // the query's own position
      const std::int64_t first =
          args.window > 0 ? std::max<std::int64_t>(0, last - args.window + 1) : 0;
      for (std::int64_t h = 0; h < args.num_heads; ++h) {
        Attend(args, static_cast<std::int64_t>(r), h, first, last, args.q.row(t) + h * head_dim,
               args.out.row(t) + h * head_dim);
      }
    }
  }
}

}  // namespace sglrun::kernels::ref
