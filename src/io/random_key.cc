#include "io/random_key.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "request/fields.h"

namespace sglrun::io {
namespace {

// Parameters that do not influence tokens: the number of samples, the seed, and which tokens the
// text shows.
constexpr std::string_view kDecideNoToken[] = {"n", "sampling_seed", "no_stop_trim",
                                               "skip_special_tokens"};

// Kinds of prompts: equal bytes of different kinds are different prompts.
enum PromptKind : std::uint64_t { kTextPrompt = 1, kIdPrompt, kEmbeddingPrompt };

template <class T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Serialises values so that different lists of values give different texts.
class KeyText {
 public:
  void Add(std::uint64_t bits) {
    for (int shift = 0; shift < 64; shift += 8) text_ += static_cast<char>(bits >> shift);
  }
  void Add(std::int64_t number) { Add(static_cast<std::uint64_t>(number)); }
  void Add(bool flag) { Add(std::uint64_t{flag}); }
  // -0.0 is 0.0.
  void Add(double number) {
    const double value = number + 0.0;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    Add(bits);
  }
  void Add(std::string_view text) { Add(HashBytes(text)); }
  void Add(const std::string& text) { Add(std::string_view(text)); }
  void Add(const Hash128& hash) {
    Add(hash.high);
    Add(hash.low);
  }
  template <class T>
  void Add(const std::vector<T>& list) {
    Add(std::uint64_t{list.size()});
    for (const T& item : list) Add(item);
  }
  // Sorted by id, so that the written order has no effect; a bias of 0 is left out.
  void Add(std::vector<std::pair<std::int32_t, float>> bias) {
    std::erase_if(bias, [](const auto& entry) { return entry.second == 0; });
    std::ranges::sort(bias);
    Add(std::uint64_t{bias.size()});
    for (const auto& [id, amount] : bias) {
      Add(std::int64_t{id});
      Add(double{amount});
    }
  }
  template <class T>
  void Add(const std::optional<T>& value) {
    Add(value.has_value());
    if (value.has_value()) Add(*value);
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Adds one parameter under its name, unless it has the default's value.
class AddParameter {
 public:
  AddParameter(const SamplingParams& params, std::string_view name, KeyText& key)
      : params_(params), name_(name), key_(key) {}

  void operator()(std::monostate) const {}
  void operator()(ConstraintKind kind) const {
    if (params_.constraint && params_.constraint->kind == kind) AddValue(params_.constraint->text);
  }
  template <class T>
  void operator()(T SamplingParams::*member) const {
    KeyText value, otherwise;
    value.Add(params_.*member);
    otherwise.Add(SamplingParams().*member);
    if (value.text() != otherwise.text()) AddValue(params_.*member);
  }

 private:
  template <class T>
  void AddValue(const T& value) const {
    key_.Add(name_);
    key_.Add(value);
  }

  const SamplingParams& params_;
  std::string_view name_;
  KeyText& key_;
};

bool DecidesTokens(const request::Field& field, bool reasons) {
  if (field.name == "custom_params" && !reasons) return false;
  return std::ranges::find(kDecideNoToken, field.name) == std::end(kDecideNoToken);
}

Hash128 KeyOfBoth(const Hash128& prompt, const Hash128& choices) {
  KeyText key;
  key.Add(prompt);
  key.Add(choices);
  return HashBytes(key.text());
}

}  // namespace

Hash128 ChoiceHash(const SamplingParams& params, bool require_reasoning) {
  const bool reasons = require_reasoning && params.constraint.has_value();
  KeyText key;
  for (const request::Field& field : request::Fields()) {
    if (!DecidesTokens(field, reasons)) continue;
    std::visit(AddParameter(params, field.name, key), field.member);
  }
  if (reasons) key.Add(std::string_view("require_reasoning"));
  return HashBytes(key.text());
}

Hash128 PromptKey(std::string_view text, const Hash128& choices) {
  return KeyOfBoth(HashBytes(text, kTextPrompt), choices);
}

Hash128 PromptKey(std::span<const std::int32_t> ids, const Hash128& choices) {
  return KeyOfBoth(HashBytes(BytesOf(ids), kIdPrompt), choices);
}

Hash128 PromptKey(const EmbeddingRows& embeds, const Hash128& choices) {
  const std::uint64_t kind = MixSeeds(kEmbeddingPrompt, static_cast<std::uint64_t>(embeds.rows));
  return KeyOfBoth(HashBytes(BytesOf(std::span<const float>(embeds.values)), kind), choices);
}

Hash128 WithAdapter(const Hash128& prompt, const Hash128& adapter) {
  return KeyOfBoth(prompt, adapter);
}

Hash128 RandomKey(std::span<const Hash128> prompts) {
  KeyText key;
  for (const Hash128& prompt : prompts) key.Add(prompt);
  return HashBytes(key.text());
}

std::uint64_t SeedSource::Next(const Hash128& key) {
  const std::uint64_t seed = MixSeeds(MixSeeds(run_seed_, key.high), key.low);
  last_count_ = given_ ? *given_ : seen_.Add(key.low);
  return MixSeeds(seed, last_count_);
}

}  // namespace sglrun::io
