// Operations that follow each other in every layer, as one, so that a backend may keep what lies
// between them to itself: in registers, in another type, or not at all. Each is the same as its
// operations one after the other, bits included; what lies between them is working space whose
// contents are undefined afterwards.
//
//   norm_gemm         y = gemm(norm(x))                               between: norm.y
//   rotate_and_store  norm of q and k, where they have a weight;
//                     rope of q and k; store_kv                       between: the keys
//   mlp               y = gemm(activation(gemm(norm(x))))             between: the first three's y
//
// Every backend accepts every kind of norm and activation. It fuses those for which it has a form,
// and runs the operations of the others one after the other.
#pragma once

#include <string>

#include "kernels/activation.h"
#include "kernels/context.h"
#include "kernels/gemm.h"
#include "kernels/norm.h"
#include "kernels/rope.h"
#include "kernels/store_kv.h"

namespace sglrun::kernels {

struct KernelTable;

struct NormGemmArgs {
  NormArgs norm;  // add is empty
  GemmArgs gemm;  // x is norm.y
};

struct RotateAndStoreArgs {
  NormArgs q_norm, k_norm;  // in place, in groups of heads; without a weight: none
  RopeArgs q, k;            // with the same positions, axes and tables
  StoreKvArgs store;        // k is that of rope
};

struct MlpArgs {
  NormArgs norm;              // add is empty
  GemmArgs gate_up;           // or of up alone; x is norm.y; does not accumulate
  ActivationArgs activation;  // x is gate_up.y; y is not norm.y
  GemmArgs down;              // x is activation.y; y may be norm.x
};

// "" when each operation takes what the one before it gives. The operations' own checks are theirs.
std::string Check(const NormGemmArgs& args);
std::string Check(const RotateAndStoreArgs& args);
std::string Check(const MlpArgs& args);

// The plain way: operation after operation of `table`.
namespace host {
void NormGemm(const KernelTable& table, const NormGemmArgs& args, KernelContext& context);
void RotateAndStore(const KernelTable& table, const RotateAndStoreArgs& args,
                    KernelContext& context);
void Mlp(const KernelTable& table, const MlpArgs& args, KernelContext& context);
}  // namespace host

}  // namespace sglrun::kernels
