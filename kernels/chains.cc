#include "kernels/chains.h"

#include "kernels/backend.h"

namespace sglrun::kernels {
namespace {

bool IsSame(const tensor::TensorView& a, const tensor::TensorView& b) {
  return a.data == b.data && a.rank == 2 && b.rank == 2 && a.shape[0] == b.shape[0] &&
         a.shape[1] == b.shape[1] && a.stride[0] == b.stride[0];
}

std::string Mismatch(const char* chain, const char* link) {
  return std::string(chain) + ": " + link + " does not take what comes before it";
}

bool AreAlike(const RopeArgs& a, const RopeArgs& b) {
  return a.positions.data() == b.positions.data() &&
         a.positions_per_token == b.positions_per_token && a.axis.data() == b.axis.data() &&
         a.head_dim == b.head_dim && a.cos_table.data == b.cos_table.data &&
         a.sin_table.data == b.sin_table.data;
}

bool IsNormOf(const NormArgs& norm, const RopeArgs& rope) {
  if (norm.weight.empty()) return true;
  return IsSame(norm.x, rope.x) && IsSame(norm.y, rope.x) && norm.groups == rope.heads;
}

}  // namespace

std::string Check(const NormGemmArgs& args) {
  if (!args.norm.add.empty()) return "norm_gemm: the norm adds";
  return IsSame(args.gemm.x, args.norm.y) ? "" : Mismatch("norm_gemm", "gemm");
}

std::string Check(const RotateAndStoreArgs& args) {
  if (!IsNormOf(args.q_norm, args.q) || !IsNormOf(args.k_norm, args.k)) {
    return Mismatch("rotate_and_store", "rope");
  }
  if (!AreAlike(args.q, args.k)) return "rotate_and_store: q and k are rotated differently";
  return IsSame(args.store.k, args.k.x) ? "" : Mismatch("rotate_and_store", "store_kv");
}

std::string Check(const MlpArgs& args) {
  if (!args.norm.add.empty() || args.gate_up.accumulate) return "mlp: the norm or gate_up adds";
  if (!IsSame(args.gate_up.x, args.norm.y)) return Mismatch("mlp", "gate_up");
  if (!IsSame(args.activation.x, args.gate_up.y)) return Mismatch("mlp", "activation");
  if (args.activation.y.data != nullptr && args.activation.y.data == args.norm.y.data) {
    return "mlp: activation writes over the norm, which other threads may still read";
  }
  return IsSame(args.down.x, args.activation.y) ? "" : Mismatch("mlp", "down");
}

namespace host {

void NormGemm(const KernelTable& table, const NormGemmArgs& args, KernelContext& context) {
  table.norm(args.norm, context);
  table.gemm(args.gemm, context);
}

void RotateAndStore(const KernelTable& table, const RotateAndStoreArgs& args,
                    KernelContext& context) {
  if (!args.q_norm.weight.empty()) table.norm(args.q_norm, context);
  if (!args.k_norm.weight.empty()) table.norm(args.k_norm, context);
  table.rope(args.q, context);
  table.rope(args.k, context);
  table.store_kv(args.store, context);
}

void Mlp(const KernelTable& table, const MlpArgs& args, KernelContext& context) {
  table.norm(args.norm, context);
  table.gemm(args.gate_up, context);
  table.activation(args.activation, context);
  table.gemm(args.down, context);
}

}  // namespace host
}  // namespace sglrun::kernels
