#include "jinja/filters.h"

#include <map>

#include "jinja/filter_functions.h"

namespace sglrun::jinja {

const FilterEntry* FindFilter(std::string_view name) {
  static const auto* const kTable = [] {
    auto* table = new std::map<std::string_view, const FilterEntry*>();
    static constexpr FilterEntry kJson = {"tojson", ToJson};
    table->emplace(kJson.name, &kJson);
    for (const auto& part : {kTextFilters, kWrapFilters, kMarkupFilters, kLinkFilters,
                             kNumberFilters, kSequenceFilters, kSortFilters, kLazyFilters}) {
      for (const FilterEntry& entry : part) table->emplace(entry.name, &entry);
    }
    return table;
  }();
  const auto it = kTable->find(name);
  return it == kTable->end() ? nullptr : it->second;
}

}  // namespace sglrun::jinja
