#include "tokenizer/pre_patterns.h"

#include <array>
#include <string>

namespace sglrun::tokenizer {

namespace {

using Patterns = std::array<std::string_view, 1>;

#define CONTRACTIONS R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define BLANKS R"(\s*[\r\n]+|\s+(?!\S)|\s+)"
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define DEEPSEEK_WORDS                                                                      \
  R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)" \
  R"(| ?[\p{P}\p{S}]+[\r\n]*|)" BLANKS

constexpr Patterns kGpt2 = {kGpt2Pattern};
constexpr Patterns kLlama3Words = {
    CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" BLANKS};
constexpr Patterns kQwen2 = {
    CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" BLANKS};
constexpr Patterns kQwen35 = {
    CONTRACTIONS
    R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" BLANKS};
constexpr Patterns kGpt4o = {R"([^\r\n\p{L}\p{N}]?)" UPPER "*" LOWER "+" CONTRACTIONS
                             R"(?|[^\r\n\p{L}\p{N}]?)" UPPER "+" LOWER "*" CONTRACTIONS
                             R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" BLANKS};
// Runs of Chinese characters are words of their own; in the others there is none.
#define NO_HAN R"((?!\p{Han}))"
constexpr Patterns kKimi = {R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?(?:)" NO_HAN UPPER ")*(?:" NO_HAN LOWER
                            ")+" CONTRACTIONS R"(?|[^\r\n\p{L}\p{N}]?(?:)" NO_HAN UPPER
                            ")+(?:" NO_HAN LOWER ")*" CONTRACTIONS
                            R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" BLANKS};
constexpr Patterns kTekken = {R"([^\r\n\p{L}\p{N}]?)" UPPER "*" LOWER
                              R"(+|[^\r\n\p{L}\p{N}]?)" UPPER "+" LOWER
                              R"(*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" BLANKS};
constexpr Patterns kSeedCoder = {
    CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|)" BLANKS};
constexpr Patterns kBailing = {
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*)"
    R"(|\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr Patterns kBloom = {" ?[^(\\s|.,!?…。，、।۔،)]+"};

constexpr std::array<std::string_view, 4> kDefault = {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2Pattern,
                                                      R"(\p{N}+)", "[0-9][0-9][0-9]"};
constexpr std::array<std::string_view, 2> kDigitsThenGpt2 = {R"(\p{N})", kGpt2Pattern};
constexpr std::array<std::string_view, 2> kViking = {kBloom[0], R"(\p{N})"};
constexpr std::array<std::string_view, 3> kFalcon = {R"([\p{P}\$\+<=>\^~\|`]+)", kGpt2Pattern,
                                                     "[0-9][0-9][0-9]"};
constexpr std::array<std::string_view, 3> kDeepseek3 = {R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+",
                                                        DEEPSEEK_WORDS};
constexpr std::array<std::string_view, 5> kDeepseekCoder = {
    "[\r\n]", R"(\s?\p{L}+)", R"(\s?\p{P}+)", "[一-龥ࠀ-一가-퟿]+", R"(\p{N})"};
// The second names the letters of scripts with upper and lower case.
constexpr std::array<std::string_view, 6> kDeepseekLlm = {
    "[\r\n]",
    // clang-format off
    "\\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-"
    "ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\\x{1F7D}ᾀ-ᾴᾶ-ᾼ\\x{1FBE}ῂ-ῄῆ-ῌῐ-\\x{1FD3}ῖ-"
    "\\x{1FDB}ῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\\x{2126}ℨ\\x{212A}-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭ"
    "Ꚁ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+",
    // clang-format on
    "\\s?[!-/:-~！-／：-～‘-‟　-。]+", R"(\s+$)", "[一-龥ࠀ-一가-퟿]+", R"(\p{N}+)"};

#undef CONTRACTIONS
#undef BLANKS
#undef NO_HAN
#undef UPPER
#undef LOWER
#undef DEEPSEEK_WORDS

struct Named {
  std::string_view name;
  PrePattern pre;
};

constexpr PrePattern kPlain = {.patterns = kGpt2};
constexpr PrePattern kComposed = {.patterns = kGpt2, .nfc = true};
constexpr PrePattern kDigits = {.patterns = kDigitsThenGpt2};
constexpr PrePattern kLlama3 = {.patterns = kLlama3Words, .ignore_merges = true, .add_bos = true};
constexpr PrePattern kQwen = {.patterns = kQwen2, .nfc = true};
constexpr PrePattern kOpenAi = {.patterns = kGpt4o, .ignore_merges = true};

// Names and patterns: llama.cpp (llama-vocab.cpp), and the tokenizer.json of the models it was
// converted from, which also say what is composed.
constexpr std::array kPatterns = {
    Named{"default", {.patterns = kDefault}},
    Named{"gpt-2", kPlain},
    Named{"phi-2", kPlain},
    Named{"mpt", kComposed},
    Named{"olmo", kComposed},
    Named{"llama-bpe", kLlama3},
    Named{"llama-v3", kLlama3},
    Named{"llama3", kLlama3},
    Named{"falcon3", kLlama3},
    Named{"falcon-h1", kLlama3},
    Named{"pixtral", kLlama3},
    Named{"lfm2", kLlama3},
    Named{"dbrx", {.patterns = kLlama3Words}},
    Named{"smaug-bpe", {.patterns = kLlama3Words}},
    Named{"glm4", {.patterns = kLlama3Words}},
    Named{"chatglm-bpe", {.patterns = kLlama3Words}},
    Named{"qwen2", kQwen},
    Named{"deepseek-r1-qwen", kQwen},
    Named{"stablelm2", {.patterns = kQwen2}},
    Named{"grok-2", {.patterns = kQwen2}},
    Named{"qwen35", {.patterns = kQwen35, .nfc = true}},
    Named{"gpt-4o", kOpenAi},
    Named{"llama4", kOpenAi},
    Named{"kimi-k2", {.patterns = kKimi}},
    Named{"tekken", {.patterns = kTekken, .ignore_merges = true}},
    Named{"smollm", kDigits},
    Named{"starcoder", kDigits},
    Named{"refact", kDigits},
    Named{"codeshell", kDigits},
    Named{"command-r", {.patterns = kDigitsThenGpt2, .nfc = true}},
    Named{"falcon", {.patterns = kFalcon}},
    Named{"deepseek-llm", {.patterns = kDeepseekLlm}},
    Named{"deepseek-coder", {.patterns = kDeepseekCoder}},
    Named{"deepseek-v3", {.patterns = kDeepseek3}},
    Named{"seed-coder", {.patterns = kSeedCoder}},
    Named{"bailingmoe", {.patterns = kBailing}},
    Named{"bloom", {.patterns = kBloom}},
    Named{"viking", {.patterns = kViking}},
};

}  // namespace

Result<PrePattern> FindPrePattern(std::string_view name) {
  if (name.empty()) {
    return Error{
        "tokenizer.ggml.pre is missing: the file does not say how a text is cut into words; name "
        "the folder of the model's own tokenizer.json with --tokenizer"};
  }
  std::string known;
  for (const Named& entry : kPatterns) {
    if (entry.name == name) return entry.pre;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{"tokenizer.ggml.pre is \"" + std::string(name) + "\", supported are " + known};
}

}  // namespace sglrun::tokenizer
