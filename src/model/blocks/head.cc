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

void Head::AddColumns(Columns& columns) const {
  columns.Need(Slot::kLowRank, updates_.most_ranks());
  if (updates_.has_gains()) columns.Need(Slot::kAdapted, vocab_size_);
}

void Head::Run(tensor::TensorView hidden, const Embedding& embedding, tensor::TensorView logits,
               const AdapterStep& step) const {
  const kernels::PackedWeight& weight = is_tied_ ? embedding.weight() : weight_;
  AdaptedGemm({.x = hidden, .weight = &weight, .bias = bias_.view(), .y = logits, .alpha = scale_},
              updates_, step);
  if (softcap_ == 0) return;
  step.table.activation({.kind = kernels::ActivationKind::kSoftcap,
                         .gated = false,
                         .x = logits,
                         .y = logits,
                         .cap = softcap_},
                        step.context);
}

}  // namespace sglrun::model
