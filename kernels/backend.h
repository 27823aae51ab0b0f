// A backend: a name, an allocator, and a table of plain function pointers, one an operation. The
// table has no holes and can be copied and mixed entry by entry, which is how tests put one fast
// kernel among reference ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernels/activation.h"
#include "kernels/chains.h"
#include "kernels/context.h"
#include "kernels/draw.h"
#include "kernels/embed.h"
#include "kernels/expert_mlp.h"
#include "kernels/gemm.h"
#include "kernels/kv_cache.h"
#include "kernels/logits_process.h"
#include "kernels/logprobs.h"
#include "kernels/norm.h"
#include "kernels/packed_weight.h"
#include "kernels/paged_attention.h"
#include "kernels/rope.h"
#include "kernels/route.h"
#include "kernels/sample.h"
#include "kernels/scale_add.h"
#include "kernels/store_kv.h"
#include "kernels/transfer.h"

namespace sglrun::kernels {

struct KernelTable {
  // Weight memory and its filling.
  std::size_t (*packed_weight_bytes)(std::int64_t n, std::int64_t k, WeightForm form);
  void (*pack_rows)(const PackRowsArgs& args, KernelContext& context);
  void (*pack_codes)(const PackCodesArgs& args, KernelContext& context);
  // Bytes of one page of one layer, keys and values together.
  std::size_t (*kv_page_bytes)(const KvLayout& layout);

  void (*embed)(const EmbedArgs& args, KernelContext& context);
  void (*gemm)(const GemmArgs& args, KernelContext& context);
  void (*norm)(const NormArgs& args, KernelContext& context);
  void (*rope)(const RopeArgs& args, KernelContext& context);
  void (*store_kv)(const StoreKvArgs& args, KernelContext& context);
  void (*paged_attention)(const PagedAttentionArgs& args, KernelContext& context);
  void (*activation)(const ActivationArgs& args, KernelContext& context);
  void (*route)(const RouteArgs& args, KernelContext& context);
  void (*scale_add)(const ScaleAddArgs& args, KernelContext& context);
  void (*logits_process)(const LogitsProcessArgs& args, KernelContext& context);
  void (*sample)(const SampleArgs& args, KernelContext& context);
  void (*logprobs)(const LogprobsArgs& args, KernelContext& context);

  // See kernels/chains.h; they take the table for the operations that they are made of.
  void (*norm_gemm)(const KernelTable& table, const NormGemmArgs& args, KernelContext& context);
  void (*rotate_and_store)(const KernelTable& table, const RotateAndStoreArgs& args,
                           KernelContext& context);
  void (*mlp)(const KernelTable& table, const MlpArgs& args, KernelContext& context);
  // See kernels/expert_mlp.h.
  void (*expert_mlp)(const KernelTable& table, const ExpertMlpArgs& args, KernelContext& context);

  // See kernels/draw.h; takes the table for the operations that it is made of.
  void (*draw)(const KernelTable& table, const DrawArgs& args, KernelContext& context);
  void (*finish_draw)(KernelContext& context);
  void (*feed_drawn)(const FeedDrawnArgs& args, KernelContext& context);

  // See kernels/transfer.h. Uploads and downloads are done when they return.
  void (*stage)(std::span<StagedArray> arrays, KernelContext& context);
  void (*repeat)(const RepeatArgs& args, KernelContext& context);
  void (*upload)(void* to, const void* from, std::size_t bytes, KernelContext& context);
  void (*download)(void* to, const void* from, std::size_t bytes, KernelContext& context);
  void (*gather_rows)(const GatherRowsArgs& args, KernelContext& context);
};

struct Backend {
  std::string_view name;  // for people: "ref", "cpu", "cuda", "sim"; decisions ask what follows
  std::string_view isa;   // "portable", "avx2", "avx512", "avx512-vnni", "avx512-bf16", "amx"
  KernelTable table;
  tensor::Allocator* allocator;   // where weights, cache and activations live
  Device* device = nullptr;       // of contexts used with this backend; null: the host
  bool keeps_f16 = true;          // has products for weights in float16
  bool wide_int8_groups = false;  // keeps int8 weights in groups of 64 columns where K allows it
  bool is_simulated = false;      // how long it takes says nothing
};

// The numerics reference: plain loops, wide sums, one thread.
const Backend& RefBackend();

// The fast CPU backend for one instruction set; "auto" takes the best this machine has. An error
// names the instruction sets that were built and can run here.
Result<const Backend*> CpuBackend(std::string_view isa = "auto");

// The instruction sets of CpuBackend that this machine can run, best first.
std::vector<std::string_view> CpuIsas();

// The kept set of one row, see kernels/sample.h. `row` is f32 [V] after logits_process.
std::vector<KeptToken> KeptSet(std::span<const float> row, float temperature, std::int32_t top_k,
                               double top_p, double min_p,
                               std::span<const std::uint32_t> sampleable);

}  // namespace sglrun::kernels
