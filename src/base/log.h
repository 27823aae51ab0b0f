// Diagnostics on stderr, each of one line. Only cli/ sets the level; library code logs rarely and
// never prints. Control characters in messages are escaped here.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sglrun {

enum class LogLevel { kError, kWarning, kInfo, kDebug };

void SetLogLevel(LogLevel level);  // of stderr
// Also writes every message from kInfo up, with its time, to this file, whatever stderr shows.
Status SetLogFile(const std::string& path);

void LogError(std::string_view message);
void LogWarning(std::string_view message);
void LogInfo(std::string_view message);

}  // namespace sglrun
