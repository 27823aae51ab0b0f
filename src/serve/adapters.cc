#include "serve/adapters.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace sglrun::serve {
namespace {

// As given, or under --lora-root.
std::string DirectoryOf(const std::string& path, const std::string& root) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(path, ignored);
  if (is_there || root.empty() || std::filesystem::path(path).is_absolute()) return path;
  return (std::filesystem::path(root) / path).string();
}

}  // namespace

Result<AdapterList> AdapterList::Open(const ServeSettings& settings,
                                      const model::ModelFiles& model) {
  AdapterList list;
  std::string faults;
  for (const AdapterPlace& place : settings.adapters) {
    auto files = model::AdapterFiles::Open(DirectoryOf(place.path, settings.adapter_root), model);
    if (!files.ok()) {
      faults += (faults.empty() ? "" : "; ") + ("adapter \"" + place.name + "\": ") +
                files.error().message;
      continue;
    }
    list.names_.push_back(place.name);
    list.files_.push_back(std::move(*files));
  }
  if (!faults.empty()) return Error{faults};
  return list;
}

std::optional<std::int32_t> AdapterList::Find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::int32_t>(found - names_.begin());
}

std::string AdapterList::NamesText() const {
  std::string text;
  for (const std::string& name : names_) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Json AdapterList::Fingerprints() const {
  std::map<std::string, std::string> by_name;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    by_name.emplace(names_[i], files_[i].fingerprint().ToHex());
  }
  Json::Object members;
  for (const auto& [name, fingerprint] : by_name) members.emplace_back(name, fingerprint);
  return members;
}

}  // namespace sglrun::serve
