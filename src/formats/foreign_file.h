// Recognises a file of another kind than expected, so that the error message can say what to do.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::formats {

// "is a Git LFS pointer, not the weights: ...", "is an HTML page: ...", or "" if it is not
// recognised.
std::string DescribeForeignFile(std::string_view bytes);

}  // namespace sglrun::formats
