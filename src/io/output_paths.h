// The files of one output: the rows, and the files next to it during and after a run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sglrun::io {

// Standard output, a pipe or a device: it cannot be continued, so it has no journal.
bool IsLooseOutput(const std::string& path);

// "OUT.new": the rows in a new order, until the file replaces OUT.
std::string RebuiltPath(const std::string& output_path);
// "OUT.dropped": rows whose record is no longer in the input.
std::string DroppedRowsPath(const std::string& output_path);

// "OUT.run.json": the run file, unless another is named.
std::string RunFilePath(const std::string& output_path);

// All files that a run writes next to the output: the journal, the rebuilt output with its journal
// and dropped rows, and the dropped rows. If the output is a link, also its target.
std::vector<std::string> FilesBeside(const std::string& output_path);

// Whether an output can be written at `path`, as far as this is known without opening it.
Status CheckOutputWritable(const std::string& path);

bool FileExists(const std::string& path);
void RemoveFile(const std::string& path);  // nothing where there is none
Status RenameFile(const std::string& from, const std::string& to);

}  // namespace sglrun::io
