// The size of the pages behind memory of the host.
#pragma once

#include <cstddef>

namespace sglrun::tensor {

// Small pages for a part of a host buffer of which little may be used: a huge one costs the zeroing
// of all its 2 MiB at the first touch.
void UseSmallPages(void* data, std::size_t bytes);

}  // namespace sglrun::tensor
