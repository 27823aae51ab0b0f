#include "model/families/family.h"

namespace sglrun::model {

// clang-format off
#define SGLRUN_FAMILIES(row) \
  row(kArcee)                \
  row(kCohere)               \
  row(kCohere2)              \
  row(kCwm)                  \
  row(kDots1)                \
  row(kErnie45)              \
  row(kErnie45Moe)           \
  row(kExaone4)              \
  row(kExaoneMoe)            \
  row(kFlexOlmo)             \
  row(kGemma)                \
  row(kGemma2)               \
  row(kGemma3)               \
  row(kGlm)                  \
  row(kGlm4)                 \
  row(kGlm4Moe)              \
  row(kGptNeoX)              \
  row(kGranite)              \
  row(kGranite4)             \
  row(kGraniteMoe)           \
  row(kGraniteMoeShared)     \
  row(kHelium)               \
  row(kHunyuan)              \
  row(kHunyuanMoe)           \
  row(kHyV3)                 \
  row(kInternLm3)            \
  row(kIQuestCoder)          \
  row(kJais2)                \
  row(kLlama)                \
  row(kMiniMaxM2)            \
  row(kMinistral)            \
  row(kMinistral3)           \
  row(kMistral)              \
  row(kMixtral)              \
  row(kNemotron)             \
  row(kOlmo2)                \
  row(kOlmo3)                \
  row(kOlmoe)                \
  row(kPhi)                  \
  row(kPhi3)                 \
  row(kQwen2)                \
  row(kQwen2Moe)             \
  row(kQwen3)                \
  row(kQwen3Moe)             \
  row(kSeedOss)              \
  row(kSmolLm3)              \
  row(kSolarOpen)            \
  row(kStableLm)             \
  row(kStarCoder2)           \
  row(kVaultGemma)
// clang-format on

#define SGLRUN_DECLARE(family) extern const Family family;
SGLRUN_FAMILIES(SGLRUN_DECLARE)
#undef SGLRUN_DECLARE

std::span<const Family* const> Families() {
#define SGLRUN_ADDRESS(family) &family,
  static constexpr const Family* kFamilies[] = {SGLRUN_FAMILIES(SGLRUN_ADDRESS)};
#undef SGLRUN_ADDRESS
  return kFamilies;
}

const Family* FindFamily(std::string_view model_type) {
  for (const Family* family : Families()) {
    if (family->name == model_type) return family;
  }
  return nullptr;
}

const Family* FindGgufFamily(std::string_view architecture, bool has_experts) {
  const Family* found = nullptr;
  for (const Family* family : Families()) {
    if (family->gguf_name.empty() || family->gguf_name != architecture) continue;
    if (found == nullptr || family->has_experts == has_experts) found = family;
  }
  return found;
}

std::string FamilyNames() {
  std::string names;
  for (const Family* family : Families()) {
    if (!names.empty()) names += ", ";
    names += family->name;
  }
  return names;
}

}  // namespace sglrun::model
