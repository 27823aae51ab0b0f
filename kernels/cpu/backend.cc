// The tables of the CPU backend and the choice among them.
#include "kernels/backend.h"

#include <algorithm>

#include "base/check.h"
#include "kernels/cpu/amx_support.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/panels.h"

namespace sglrun::kernels {
namespace {

// Checks the arguments in builds with assertions.
template <class Args>
void CheckArgs(const Args& args) {
  DCHECK(Check(args).empty()) << Check(args);
}

// In a release this only calls the operation.
template <class Args, void (*kOperation)(const Args&, KernelContext&)>
void Checked(const Args& args, KernelContext& context) {
  CheckArgs(args);
  kOperation(args, context);
}

// The same for operations that are made of others.
template <class Args, void (*kOperation)(const KernelTable&, const Args&, KernelContext&)>
void Checked(const KernelTable& table, const Args& args, KernelContext& context) {
  CheckArgs(args);
  kOperation(table, args, context);
}

template <void (*kPlain)(const GemmArgs&, KernelContext&),
          void (*kQuantised)(const GemmArgs&, KernelContext&)>
void GemmOf(const GemmArgs& args, KernelContext& context) {
  (args.weight->form().quantized() ? kQuantised : kPlain)(args, context);
}

template <void (*kPlain)(const NormGemmArgs&, KernelContext&),
          void (*kQuantised)(const NormGemmArgs&, KernelContext&)>
void NormGemmOf(const KernelTable&, const NormGemmArgs& args, KernelContext& context) {
  CheckArgs(args.norm);
  CheckArgs(args.gemm);
  (args.gemm.weight->form().quantized() ? kQuantised : kPlain)(args, context);
}

// Gate and up are fused if their width is a whole number of panels.
template <void (*kPlain)(const MlpArgs&, KernelContext&),
          void (*kQuantised)(const MlpArgs&, KernelContext&),
          void (*kWhole)(const MlpArgs&, KernelContext&)>
void MlpOf(const KernelTable& table, const MlpArgs& args, KernelContext& context) {
  const bool meets = args.activation.gated && args.activation.y.shape[1] % cpu::kPanelWidth == 0;
  if (!meets) return host::Mlp(table, args, context);
  CheckArgs(args.norm);
  CheckArgs(args.gate_up);
  CheckArgs(args.activation);
  CheckArgs(args.down);
  const bool quantised = args.gate_up.weight->form().quantized();
  const WeightForm down = args.down.weight->form();
  if (quantised && down.quantized() && down.quant.group == cpu::kPanelWidth) {
    return kWhole(args, context);
  }
  (quantised ? kQuantised : kPlain)(args, context);
  table.gemm(args.down, context);
}

struct Entry {
  Backend backend;
  bool runs_here;
};

#define SGLRUN_CPU_BACKEND(ops)                                                                 \
  Backend {                                                                                     \
    .name = "cpu", .isa = ops::CompiledIsa(),                                                   \
    .table =                                                                                    \
        {                                                                                       \
            .packed_weight_bytes = ops::PackedWeightBytes,                                      \
            .pack_rows = Checked<PackRowsArgs, ops::PackRows>,                                  \
            .pack_codes = Checked<PackCodesArgs, ops::PackCodes>,                               \
            .kv_page_bytes = ops::KvPageBytes,                                                  \
            .embed = Checked<EmbedArgs, ops::Embed>,                                            \
            .gemm = Checked<GemmArgs, GemmOf<ops::Gemm, ops::QuantGemm>>,                       \
            .norm = Checked<NormArgs, ops::Norm>,                                               \
            .rope = Checked<RopeArgs, ops::Rope>,                                               \
            .store_kv = Checked<StoreKvArgs, ops::StoreKv>,                                     \
            .paged_attention = Checked<PagedAttentionArgs, ops::PagedAttention>,                \
            .activation = Checked<ActivationArgs, ops::Activate>,                               \
            .route = Checked<RouteArgs, ops::Route>,                                            \
            .scale_add = Checked<ScaleAddArgs, ops::ScaleAdd>,                                  \
            .logits_process = Checked<LogitsProcessArgs, ops::LogitsProcess>,                   \
            .sample = Checked<SampleArgs, ops::Sample>,                                         \
            .logprobs = Checked<LogprobsArgs, ops::Logprobs>,                                   \
            .norm_gemm = Checked<NormGemmArgs, NormGemmOf<ops::NormGemm, ops::NormQuantGemm>>,  \
            .rotate_and_store = Checked<RotateAndStoreArgs, host::RotateAndStore>,              \
            .mlp = Checked<MlpArgs, MlpOf<ops::GateAndUp, ops::QuantGateAndUp, ops::QuantMlp>>, \
            .expert_mlp = Checked<ExpertMlpArgs, host::ExpertMlp>,                              \
            .draw = Checked<DrawArgs, host::Draw>,                                              \
            .finish_draw = host::FinishDraw,                                                    \
            .feed_drawn = Checked<FeedDrawnArgs, host::FeedDrawn>,                              \
            .stage = host::Stage,                                                               \
            .repeat = host::Repeat,                                                             \
            .upload = host::Copy,                                                               \
            .download = host::Copy,                                                             \
            .gather_rows = Checked<GatherRowsArgs, host::GatherRows>,                           \
        },                                                                                      \
    .allocator = &tensor::HostAllocator(), .keeps_f16 = false, .wide_int8_groups = true,        \
  }

#if defined(__x86_64__)
// Intel's cores (measured on Emerald Rapids) start a bf16 product of 512 bits every second cycle:
// 89 GFLOP/s a core. Widening to float32 for two FMAs a cycle is faster by half in batches, and
// equal where memory is the limit. AMD's (Zen 4 and 5) start one or two a cycle.
bool PrefersBf16Products() {
  return !__builtin_cpu_is("intel");
}

bool RunsAvx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

// Tiles of the matrix unit need x in another order, so the chains are not fused there.
Backend WithPlainChains(Backend backend) {
  backend.table.norm_gemm = Checked<NormGemmArgs, host::NormGemm>;
  backend.table.mlp = Checked<MlpArgs, host::Mlp>;
  return backend;
}
#endif

// Best first. AMX comes after the vectors until a machine has run it: it is used by name only.
std::vector<Entry> MakeEntries() {
  std::vector<Entry> entries;
#if defined(__x86_64__)
  const bool runs_vnni = RunsAvx512() && __builtin_cpu_supports("avx512vnni");
  const Entry vnni = {SGLRUN_CPU_BACKEND(cpu::avx512_vnni), runs_vnni};
  const Entry bf16 = {SGLRUN_CPU_BACKEND(cpu::avx512_bf16),
                      runs_vnni && __builtin_cpu_supports("avx512bf16")};
  if (PrefersBf16Products()) {
    entries = {bf16, vnni};
  } else {
    entries = {vnni, bf16};
  }
  entries.push_back({WithPlainChains(SGLRUN_CPU_BACKEND(cpu::amx)), runs_vnni && cpu::GrantsAmx()});
  entries.push_back({SGLRUN_CPU_BACKEND(cpu::avx512), RunsAvx512()});
  entries.push_back({SGLRUN_CPU_BACKEND(cpu::avx2),
                     __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")});
#endif
  entries.push_back({SGLRUN_CPU_BACKEND(cpu::portable), true});
  return entries;
}

const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = MakeEntries();
  return entries;
}

#undef SGLRUN_CPU_BACKEND

}  // namespace

Result<const Backend*> CpuBackend(std::string_view isa) {
  std::string choices;
  for (const Entry& entry : Entries()) {
    if (!entry.runs_here) continue;
    if (isa == "auto" || isa == entry.backend.isa) return &entry.backend;
    choices += (choices.empty() ? "" : ", ") + std::string(entry.backend.isa);
  }
  return Error{"no instruction set \"" + std::string(isa) + "\" on this machine; it can run " +
               choices + " (or auto)"};
}

std::vector<std::string_view> CpuIsas() {
  std::vector<std::string_view> isas;
  for (const Entry& entry : Entries()) {
    if (entry.runs_here) isas.push_back(entry.backend.isa);
  }
  return isas;
}

}  // namespace sglrun::kernels
