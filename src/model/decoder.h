// Runs the blocks of a model over a ragged batch. Activations are float32 in buffers that are kept
// from step to step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.h"
#include "model/blocks/decoder_blocks.h"
#include "model/blocks/forward_batch.h"
#include "model/blocks/rope_table.h"
#include "model/kv_cache.h"
#include "model/weights/weights.h"

namespace sglrun::model {

class Decoder {
 public:
  Decoder(const ModelSpec& spec, DecoderBlocks blocks, const kernels::Backend& backend,
          kernels::KernelContext& context);

  void Forward(const ForwardBatch& host, KvCache& cache, tensor::TensorView hidden);
  // adapters: of each row of hidden, or empty.
  void Logits(tensor::TensorView hidden, std::span<const std::int32_t> adapters,
              tensor::TensorView logits);
  void Embed(std::span<const std::int32_t> ids, tensor::TensorView out);

  std::int64_t weight_bytes() { return ResidentBytes(blocks_); }

  // The bytes of the activations of a step of `tokens` tokens. Reserve allocates them; they are
  // kept.
  static std::int64_t ActivationBytes(const ModelSpec& spec, std::int64_t tokens);
  Status Reserve(std::int64_t tokens);
  // Computes the angles of that number of positions; false if there is no memory for them.
  bool ReservePositions(std::int64_t positions);

 private:
  // How far the step's rows reach.
  struct Reach {
    std::int64_t keys = 0, queries = 0;
  };

  // The adapters of the batch's tokens, and of those that are wanted, in runs of rows.
  void SetAdapterRows(const ForwardBatch& batch);
  static Reach ReachOf(const ForwardBatch& batch);
  // All layers of a batch whose arrays are in the backend's memory.
  void RunLayers(const ForwardBatch& batch, const Reach& reach, const KvCache& cache,
                 tensor::TensorView hidden);
  // x += after(branch(x)), or scale * branch(x) where there is no such norm; `branch` is called with
  // where its output goes.
  template <class Branch>
  void Add(const Norm& after, float scale, tensor::TensorView x, const Step& step, Branch branch);
  // The rows of `tokens` alone, in the slot.
  tensor::TensorView Keep(tensor::TensorView all, std::span<const std::int32_t> tokens, Slot slot);

  std::int64_t hidden_;
  DecoderBlocks blocks_;
  const kernels::Backend* backend_;
  kernels::KernelContext* context_;
  std::vector<RopeTable> ropes_;
  Scratch scratch_;
  std::vector<AdapterRows> adapters_, kept_adapters_;  // of the step
  AdapterThreads adapter_threads_;
};

}  // namespace sglrun::model
