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
  AddUpdates(batch.token_ids, x, step);
  for (std::size_t t = 0; t < batch.embed_row.size(); ++t) {
    if (batch.embed_row[t] < 0) continue;
    step.table.upload(x.row(static_cast<std::int64_t>(t)),
                      batch.input_embeds.row(batch.embed_row[t]),
                      static_cast<std::size_t>(hidden_) * sizeof(float), step.context);
  }
}

void Embedding::AddUpdates(std::span<const std::int32_t> ids, tensor::TensorView x,
                           const Step& step) const {
  for (const AdapterRows& run : step.adapters) {
    const MatrixUpdate* update = updates_.Find(run.adapter);
    if (update == nullptr) continue;
    const auto rows =
        ids.subspan(static_cast<std::size_t>(run.first), static_cast<std::size_t>(run.count));
    const tensor::TensorView out = RowsOf(x, run.first, run.count);
    if (update->replacement) {
      step.table.embed({.ids = rows, .weight = &*update->replacement, .out = out, .scale = scale_},
                       step.context);
    }
    if (update->parts.empty()) continue;
    const tensor::TensorView a = step.scratch.Take(Slot::kLowRank, run.count, update->a.k);
    step.table.embed({.ids = rows, .weight = &update->a, .out = a}, step.context);
    AddLowRank(*update, a, out, scale_, step.table, step.context);
  }
}

}  // namespace sglrun::model
