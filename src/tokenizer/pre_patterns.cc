#include "tokenizer/pre_patterns.h"

#include <array>
#include <string>

namespace sglrun::tokenizer {

namespace {

#define CONTRACTIONS R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define BLANKS R"(\s*[\r\n]+|\s+(?!\S)|\s+)"
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"

constexpr std::string_view kLlama3Pattern =
    CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" BLANKS;
constexpr std::string_view kQwen2Pattern =
    CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" BLANKS;
constexpr std::string_view kQwen35Pattern =
    CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" BLANKS;
constexpr std::string_view kGpt4oPattern =
    R"([^\r\n\p{L}\p{N}]?)" UPPER "*" LOWER "+" CONTRACTIONS R"(?|[^\r\n\p{L}\p{N}]?)" UPPER
    "+" LOWER "*" CONTRACTIONS R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" BLANKS;
constexpr std::string_view kTekkenPattern =
    R"([^\r\n\p{L}\p{N}]?)" UPPER "*" LOWER R"(+|[^\r\n\p{L}\p{N}]?)" UPPER "+" LOWER
    R"(*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" BLANKS;

#undef CONTRACTIONS
#undef BLANKS
#undef UPPER
#undef LOWER

struct Named {
  std::string_view name;
  PrePattern pre;
};

constexpr PrePattern kLlama3 = {.pattern = kLlama3Pattern, .ignore_merges = true, .add_bos = true};

constexpr std::array kPatterns = {
    Named{"gpt-2", {.pattern = kGpt2Pattern}},
    Named{"llama-bpe", kLlama3},
    Named{"llama-v3", kLlama3},
    Named{"llama3", kLlama3},
    Named{"qwen2", {.pattern = kQwen2Pattern, .nfc = true}},
    Named{"qwen35", {.pattern = kQwen35Pattern, .nfc = true}},
    Named{"gpt-4o", {.pattern = kGpt4oPattern, .ignore_merges = true}},
    Named{"tekken", {.pattern = kTekkenPattern, .ignore_merges = true}},
    Named{"smollm", {.pattern = kGpt2Pattern, .digits_alone = true}},
    Named{"starcoder", {.pattern = kGpt2Pattern, .digits_alone = true}},
};

}  // namespace

Result<PrePattern> FindPrePattern(std::string_view name) {
  std::string known;
  for (const Named& entry : kPatterns) {
    if (entry.name == name) return entry.pre;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{"tokenizer.ggml.pre is \"" + std::string(name) + "\", supported are " + known};
}

}  // namespace sglrun::tokenizer
