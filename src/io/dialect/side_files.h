// The files of hidden states that rows name, when the rows move to another output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sglrun::io {

// The files that a row of `output_path` names, where they lie now: as the row says beside the
// output, or in the output's own folder when both were renamed. One that is nowhere is an error
// which names it. A row of any form: with --flatten it has several lines.
Result<std::vector<std::string>> SideFilesOf(std::string_view row, const std::string& output_path);

// Brings those files beside another output, so that they stay when the first one is deleted, and
// gives the row with their new names. A file that lies on the same disk is linked, not copied.
Result<std::string> BringSideFiles(std::string_view row, const std::string& from_output,
                                   const std::string& to_output);

}  // namespace sglrun::io
