// Adapters that records name by their directory.
#pragma once

#include "base/result.h"
#include "run/settings.h"
#include "serve/settings.h"

namespace sglrun::run {

// The settings with the adapters that `lora_path` of a record names and --lora does not: directories
// relative to the file of the record, or to --lora-root. All files are searched before the run, so
// that a bad adapter ends it early. Records of standard input can only use those of --lora.
Result<serve::ServeSettings> WithAdaptersOfRecords(const serve::ServeSettings& serve,
                                                   const RecordSettings& records);

}  // namespace sglrun::run
