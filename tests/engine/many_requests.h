// Requests of every kind, many with common prefixes, lengths around page borders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "request/generate_request.h"

namespace sglrun::engine {

// `vocab`: ids below it are fed.
std::vector<GenerateRequest> ManyRequests(std::int32_t vocab, std::size_t count);

}  // namespace sglrun::engine
