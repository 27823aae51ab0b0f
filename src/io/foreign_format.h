// Files that hold no lines of UTF-8 text, known by how they begin.
#pragma once

#include <string>
#include <string_view>

namespace sglrun::io {

// What a file that begins so is, and what to do with it: "it is an xz stream; unpack it with xz -d
// and give what comes out". "" of lines of text, of gzip and of zstd. What could be the beginning of
// a text, such as HTML, is named only where `lines_are_json`.
std::string ForeignFormat(std::string_view beginning, bool lines_are_json);

}  // namespace sglrun::io
