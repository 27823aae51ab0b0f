// Names what a file is when it is not what it was opened as, so that the sentence says what to do.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::formats {

// "is a Git LFS pointer, not the weights: ...", "is an HTML page: ...", or "" when nothing is
// known.
std::string DescribeForeignFile(std::string_view bytes);

}  // namespace sglrun::formats
