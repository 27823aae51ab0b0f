// Ministral 3, its text model: the plain decoder with YaRN, whose queries grow with their position.
#include "model/families/family.h"
#include "model/families/plain_keys.h"

namespace sglrun::model {
namespace {

constexpr std::string_view kMinistral3Rope =
    R"({"rope_type":"yarn","rope_theta":1000000.0,"factor":16.0,"beta_fast":32.0,"beta_slow":1.0,)"
    R"("original_max_position_embeddings":16384,"mscale":1.0,"mscale_all_dim":1.0,)"
    R"("llama_4_scaling_beta":0.1})";

ModelSpec ReadMinistral3(ConfigReader& keys) {
  ModelSpec model = ReadPlainDecoder(keys, {.intermediate_size = 14336,
                                            .num_hidden_layers = 34,
                                            .num_key_value_heads = 8,
                                            .head_dim = 128,
                                            .vocab_size = 131072,
                                            .max_position_embeddings = 262144,
                                            .rms_norm_eps = 1e-5f,
                                            .rope_theta = 1e6,
                                            .rope_parameters = kMinistral3Rope});
  SlideExceptEvery(0, WindowKey(keys, 0), model);
  ReadQueryGrowth(keys, kMinistral3Rope, model);
  return model;
}

}  // namespace

extern const Family kMinistral3;
const Family kMinistral3 = {
    .name = "ministral3",
    .causal_class = "Ministral3ForCausalLM",
    .gguf_name = "mistral3",
    .gguf_interleaves_rope = true,
    .bos_token_id = 1,
    .eos_token_ids = {2},
    .read = ReadMinistral3,
};

}  // namespace sglrun::model
