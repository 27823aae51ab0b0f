#include "bench/model.h"

#include <charconv>
#include <string>

#include "model/spec/plain_decoder.h"
#include "model/spec/rope.h"

namespace sglrun::bench {
namespace {

using tokenizer::TokenId;

class NumericTokenizer : public tokenizer::Tokenizer {
 public:
  explicit NumericTokenizer(std::int32_t vocab_size) : vocab_size_(vocab_size) {}

  Result<std::vector<TokenId>> Encode(std::string_view text,
                                      tokenizer::EncodeOptions) const override {
    std::vector<TokenId> ids;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] == ' ') {
        ++at;
        continue;
      }
      TokenId id = 0;
      const auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), id);
      if (code != std::errc() || !IsToken(id)) return Error{"the text is not a list of token ids"};
      ids.push_back(id);
      at = static_cast<std::size_t>(end - text.data());
    }
    return ids;
  }

  std::string Decode(std::span<const TokenId> ids, bool skip_special_tokens) const override {
    std::string text;
    AppendBytes(ids, skip_special_tokens, text);
    return text;
  }

  std::int32_t vocab_size() const override { return vocab_size_; }
  bool IsToken(TokenId id) const override { return id >= 0 && id < vocab_size_; }
  bool IsSpecial(TokenId) const override { return false; }
  std::optional<TokenId> Find(std::string_view) const override { return std::nullopt; }
  std::string TokenName(TokenId id) const override { return std::to_string(id); }
  std::string TokenBytes(TokenId id) const override { return std::to_string(id) + " "; }
  std::optional<TokenId> bos_id() const override { return std::nullopt; }
  std::optional<TokenId> eos_id() const override { return std::nullopt; }
  std::vector<TokenId> StopIds() const override { return {}; }
  const std::string& chat_template() const override { return none_; }
  std::string Description() const override { return "decimal ids"; }
  bool StripsLeadingSpace() const override { return false; }

  void AppendBytes(std::span<const TokenId> ids, bool, std::string& out) const override {
    for (const TokenId id : ids) out += TokenBytes(id);
  }

 private:
  const std::int32_t vocab_size_;
  const std::string none_;
};

struct Shape {
  std::string_view name;
  std::string_view architecture;
  std::int64_t hidden, intermediate, layers, heads, kv_heads, vocab, context;
  double rope_theta;
  bool qkv_bias;
};

// From the config.json of each model on its Hugging Face page.
constexpr Shape kShapes[] = {
    {"smollm2-135m", "llama", 576, 1536, 30, 9, 3, 49152, 8192, 1e5, false},
    {"qwen2.5-0.5b", "qwen2", 896, 4864, 24, 14, 2, 151936, 32768, 1e6, true},
    {"llama-3.2-1b", "llama", 2048, 8192, 16, 32, 8, 128256, 131072, 5e5, false},
    {"llama-3.1-8b", "llama", 4096, 14336, 32, 32, 8, 128256, 131072, 5e5, false},
};

}  // namespace

model::ModelSpec ShapeSpec(std::string_view name) {
  const Shape* shape = kShapes;
  while (shape->name != name) ++shape;  // options allow known names only
  const std::int64_t head_dim = shape->hidden / shape->heads;
  model::ModelSpec spec = model::PlainDecoder({.hidden = shape->hidden,
                                               .inner = shape->intermediate,
                                               .layers = shape->layers,
                                               .heads = shape->heads,
                                               .kv_heads = shape->kv_heads,
                                               .head_dim = head_dim,
                                               .vocab = shape->vocab,
                                               .context = shape->context,
                                               .norm_eps = 1e-5f});
  spec.family = shape->architecture;
  spec.ropes = {model::DefaultRope(shape->rope_theta, head_dim)};
  spec.tied_head = true;
  for (model::LayerSpec& layer : spec.layers) layer.mixer.qkv_bias = shape->qkv_bias;
  return spec;
}

std::unique_ptr<tokenizer::Tokenizer> MakeNumericTokenizer(std::int64_t vocab_size) {
  return std::make_unique<NumericTokenizer>(static_cast<std::int32_t>(vocab_size));
}

}  // namespace sglrun::bench
