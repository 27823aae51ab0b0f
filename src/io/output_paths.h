// The files of one output: the rows, and what lies beside them while a run goes on and after it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sglrun::io {

// Standard output, a pipe, a device: nothing that could be continued, so it has no journal.
bool IsLooseOutput(const std::string& path);

// "OUT.new": the rows in a new order, until they take the place of OUT.
std::string RebuiltPath(const std::string& output_path);
// "OUT.dropped": rows that answer no record of the input any more.
std::string DroppedRowsPath(const std::string& output_path);

// What a run writes beside the output while it goes on, and where a link leads that is the output:
// the journal, the rebuilt output with its journal and dropped rows, the rows that were dropped.
std::vector<std::string> FilesBeside(const std::string& output_path);

// Whether an output can be written at `path`, as far as is seen without opening it.
Status CheckOutputWritable(const std::string& path);

bool FileExists(const std::string& path);
void RemoveFile(const std::string& path);  // nothing where there is none
Status RenameFile(const std::string& from, const std::string& to);

}  // namespace sglrun::io
