#include "model/families/family.h"

namespace sglrun::model {

std::span<const Family* const> Families() {
  static constexpr const Family* kFamilies[] = {&kLlama, &kMistral, &kQwen2, &kQwen3};
  return kFamilies;
}

const Family* FindFamily(std::string_view model_type) {
  for (const Family* family : Families()) {
    if (family->name == model_type) return family;
  }
  return nullptr;
}

const Family* FindGgufFamily(std::string_view architecture) {
  for (const Family* family : Families()) {
    if (!family->gguf_name.empty() && family->gguf_name == architecture) return family;
  }
  return nullptr;
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
