#include "model/blocks/embedding.h"

namespace sglrun::model {

void Embedding::List(WeightList& list) {
  list.Matrix(
      {.to = &weight_,
       .n = vocab_size_,
       .k = hidden_,
       .from = {{.name = kEmbeddingName, .gguf_name = "token_embd.weight", .rows = vocab_size_}},
       .is_vocabulary = true,
       .is_multiplied = is_head_});
}

void Embedding::LookUp(std::span<const std::int32_t> ids, tensor::TensorView out,
                       const kernels::KernelTable& table, kernels::KernelContext& context) const {
  table.embed({.ids = ids, .weight = &weight_, .out = out, .scale = scale_}, context);
}

void Embedding::Run(tensor::TensorView x, const Step& step) const {
  const ForwardBatch& batch = step.batch;
  if (!batch.from_drawn.empty()) {
    // Staged ids belong to this step, so they may be overwritten.
    const std::span ids(const_cast<std::int32_t*>(batch.token_ids.data()), batch.token_ids.size());
    step.table.feed_drawn({.ids = ids, .from = batch.from_drawn, .drawn = batch.drawn},
                          step.context);
  }
  LookUp(batch.token_ids, x, step.table, step.context);
  for (std::size_t t = 0; t < batch.embed_row.size(); ++t) {
    if (batch.embed_row[t] < 0) continue;
    step.table.upload(x.row(static_cast<std::int64_t>(t)),
                      batch.input_embeds.row(batch.embed_row[t]),
                      static_cast<std::size_t>(hidden_) * sizeof(float), step.context);
  }
}

}  // namespace sglrun::model
