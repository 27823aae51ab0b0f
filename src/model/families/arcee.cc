// Arcee's AFM: the plain decoder with a plain MLP, whose activation is the square of relu.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

ModelSpec ReadArcee(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.hidden_size = 2560,
                                            .intermediate_size = 18432,
                                            .max_position_embeddings = 4096,
                                            .rms_norm_eps = 1e-5f,
                                            .activation = "relu2"});
  ReadAttentionBias(keys, model);
  ReadMlpBias(keys, model);
  for (LayerSpec& layer : model.layers) layer.mlp.gated = false;
  return model;
}

}  // namespace

extern const Family kArcee;
const Family kArcee = {
    .name = "arcee",
    .causal_class = "ArceeForCausalLM",
    .gguf_name = "arcee",
    .gguf_interleaves_rope = true,
    .bos_token_id = 128000,
    .eos_token_ids = {128001},
    .read = ReadArcee,
};

}  // namespace sglrun::model
