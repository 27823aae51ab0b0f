#include "model/blocks/head.h"

namespace sglrun::model {

void Head::List(WeightList& list) {
  if (has_bias_) {
    list.Vector(
        {.to = &bias_,
         .n = vocab_size_,
         .from = {{.name = "lm_head.bias", .gguf_name = "output.bias", .rows = vocab_size_}}});
  }
  if (is_tied_) return;
  list.Matrix({.to = &weight_,
               .n = vocab_size_,
               .k = hidden_,
               .from = {{.name = kHeadName, .gguf_name = "output.weight", .rows = vocab_size_}},
               .is_vocabulary = true});
}

void Head::Run(tensor::TensorView hidden, const Embedding& embedding, tensor::TensorView logits,
               const kernels::KernelTable& table, kernels::KernelContext& context) const {
  const kernels::PackedWeight& weight = is_tied_ ? embedding.weight() : weight_;
  table.gemm({.x = hidden, .weight = &weight, .bias = bias_.view(), .y = logits, .alpha = scale_},
             context);
  if (softcap_ == 0) return;
  table.activation({.kind = kernels::ActivationKind::kSoftcap,
                    .gated = false,
                    .x = logits,
                    .y = logits,
                    .cap = softcap_},
                   context);
}

}  // namespace sglrun::model
