#include "model/decoder_tensors.h"
#include "model/gguf_model.h"

namespace sglrun::model {
namespace {

struct NamePair {
  std::string_view gguf;
  std::string_view hugging_face;
};

constexpr NamePair kOutside[] = {
    {"token_embd", "model.embed_tokens"}, {"output_norm", "model.norm"}, {"output", "lm_head"}};

constexpr NamePair kInLayer[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"}, {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
};

template <std::size_t N>
std::optional<std::string_view> Lookup(const NamePair (&pairs)[N], std::string_view name) {
  for (const NamePair& pair : pairs) {
    if (pair.gguf == name) return pair.hugging_face;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> HuggingFaceName(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view kind = name.substr(dot);
  if (kind != ".weight" && kind != ".bias") return std::nullopt;
  std::string_view stem = name.substr(0, dot);
  if (const auto outside = Lookup(kOutside, stem)) return std::string(*outside).append(kind);
  if (!stem.starts_with("blk.")) return std::nullopt;
  stem.remove_prefix(4);
  const std::size_t end = stem.find('.');
  if (end == 0 || end == std::string_view::npos || end > 6) return std::nullopt;
  const std::string_view layer = stem.substr(0, end);
  if (layer.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto inside = Lookup(kInLayer, stem.substr(end + 1));
  if (!inside) return std::nullopt;
  return LayerTensorName(std::stoll(std::string(layer)), std::string(*inside).append(kind));
}

}  // namespace sglrun::model
