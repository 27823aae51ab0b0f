#include "run/adapter_paths.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include "base/json.h"
#include "io/jsonl_reader.h"
#include "run/setup.h"

namespace sglrun::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kField = "lora_path";

bool IsDirectory(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

class AdapterSearch {
 public:
  AdapterSearch(const serve::ServeSettings& serve, const RecordSettings& records)
      : serve_(serve), records_(records) {}

  Status Search(const std::string& file) {
    const auto reader = io::JsonlReader::Open({file}, MakeReaderOptions(records_));
    if (!reader.ok()) return {};  // the run says so itself
    while (true) {
      const Result<std::optional<io::InputRecord>> line = (*reader)->Next();
      if (!line.ok() || !line->has_value()) return {};
      if (records_.limit > 0 && line.value()->index >= records_.limit) return {};
      // Few lines are parsed twice.
      const std::string& text = line.value()->text;
      if (text.find(kField) == std::string::npos) continue;
      auto parsed = ParseJson(text);
      if (!parsed.ok()) continue;  // an error of the record
      const Json& record = parsed->value;
      for (const Json* object : {&record, record.Find("body")}) {
        if (object == nullptr) continue;
        if (const Json* names = object->Find(kField)) SGLRUN_RETURN_IF_ERROR(Add(*names, file));
      }
    }
  }

  serve::ServeSettings Found() {
    serve::ServeSettings settings = serve_;
    for (const auto& [name, path] : found_) settings.adapters.push_back({name, path});
    return settings;
  }

 private:
  Status Add(const Json& names, const std::string& file) {
    if (names.is_string()) return AddName(names.as_string(), file);
    if (!names.is_array()) return {};
    for (const Json& name : names.as_array()) {
      if (name.is_string()) SGLRUN_RETURN_IF_ERROR(AddName(name.as_string(), file));
    }
    return {};
  }

  Status AddName(const std::string& name, const std::string& file) {
    const bool is_named =
        std::ranges::any_of(serve_.adapters, [&](const auto& one) { return one.name == name; });
    if (name.empty() || is_named) return {};
    fs::path path = fs::path(file).parent_path() / name;
    if (!IsDirectory(path)) path = fs::path(serve_.adapter_root) / name;
    if (!IsDirectory(path)) return {};  // an error of the record
    std::error_code ignored;
    const std::string place = fs::canonical(path, ignored).string();
    const auto [known, is_new] = found_.emplace(name, place);
    if (is_new || known->second == place) return {};
    return Error{"lora_path " + Json(name).Excerpt() + " means " + known->second + " and " + place +
                 ": records of several files name adapters by --lora"};
  }

  const serve::ServeSettings& serve_;
  const RecordSettings& records_;
  std::map<std::string, std::string> found_;  // directories by name
};

}  // namespace

Result<serve::ServeSettings> WithAdaptersOfRecords(const serve::ServeSettings& serve,
                                                   const RecordSettings& records) {
  AdapterSearch search(serve, records);
  for (const std::string& file : records.inputs) {
    std::error_code ignored;
    if (file == "-" || !fs::is_regular_file(file, ignored)) continue;
    SGLRUN_RETURN_IF_ERROR(search.Search(file));
  }
  return search.Found();
}

}  // namespace sglrun::run
