// The page size of host memory.
#pragma once

#include <cstddef>

namespace sglrun::tensor {

// Uses small pages for a part of a host buffer that may be used only partly: the first touch of a
// huge page zeroes all its 2 MiB.
void UseSmallPages(void* data, std::size_t bytes);

}  // namespace sglrun::tensor
