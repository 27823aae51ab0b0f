// The adapters of a run: those that --lora names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/files/adapter_files.h"
#include "model/files/model_files.h"
#include "serve/settings.h"

namespace sglrun::serve {

class AdapterList {
 public:
  // Opens every adapter; the error names all that cannot be used.
  static Result<AdapterList> Open(const ServeSettings& settings, const model::ModelFiles& model);

  bool empty() const { return files_.empty(); }
  // By number: the place in these lists.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<model::AdapterFiles>& files() const { return files_; }
  std::optional<std::int32_t> Find(std::string_view name) const;
  std::string NamesText() const;  // "chat, sql"

  // {"chat": "<fingerprint>", ...}, by name.
  Json Fingerprints() const;

 private:
  std::vector<std::string> names_;
  std::vector<model::AdapterFiles> files_;
};

}  // namespace sglrun::serve
