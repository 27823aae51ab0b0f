// The functions of the filters, by subject. filters.cc combines their tables.
#pragma once

#include <span>

#include "jinja/filters.h"

namespace sglrun::jinja {

extern const std::span<const FilterEntry> kTextFilters;
extern const std::span<const FilterEntry> kWrapFilters;
extern const std::span<const FilterEntry> kMarkupFilters;
extern const std::span<const FilterEntry> kLinkFilters;
extern const std::span<const FilterEntry> kNumberFilters;
extern const std::span<const FilterEntry> kSequenceFilters;
extern const std::span<const FilterEntry> kSortFilters;
extern const std::span<const FilterEntry> kLazyFilters;

Try<Value> ToJson(Runtime& runtime, const Value& input, CallArgs args);

// The text in lower case when it is one: how filters compare without regard to case.
Value IgnoreCase(const Value& value, bool case_sensitive);

}  // namespace sglrun::jinja
