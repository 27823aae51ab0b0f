// Recognises files that are not lines of UTF-8 text by their first bytes.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::io {

// The format of a file with these first bytes, and what to do with it: "it is an xz stream; unpack
// it with xz -d and use the result". "" for lines of text, gzip and zstd. Formats that could be
// text, such as HTML, are reported only if `lines_are_json`.
std::string ForeignFormat(std::string_view beginning, bool lines_are_json);

}  // namespace sglrun::io
