#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>

#include "base/printable.h"

namespace sglrun {
namespace {

// The first sink is stderr, the second a log file. Each has its own level.
spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    sink->set_pattern("sglrun: %l: %v");
    sink->set_level(spdlog::level::warn);
    auto made = std::make_shared<spdlog::logger>("sglrun", sink);
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *logger;
}

}  // namespace

void SetLogLevel(LogLevel level) {
  static constexpr spdlog::level::level_enum kLevels[] = {
      spdlog::level::err, spdlog::level::warn, spdlog::level::info, spdlog::level::debug};
  Logger().sinks().front()->set_level(kLevels[static_cast<int>(level)]);
}

Status SetLogFile(const std::string& path) {
  // spdlog would create the folder, whose name may be a typing error.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    return Error{"cannot open the log file: there is no folder " + folder};
  }
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    sink->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    sink->set_level(spdlog::level::info);
    Logger().sinks().resize(1);  // drops an earlier log file
    Logger().sinks().push_back(std::move(sink));
  } catch (const spdlog::spdlog_ex& problem) {
    return Error{std::string("cannot open the log file: ") + problem.what()};
  }
  return {};
}

void LogError(std::string_view message) {
  Logger().error("{}", Printable(message));
}
void LogWarning(std::string_view message) {
  Logger().warn("{}", Printable(message));
}
void LogInfo(std::string_view message) {
  Logger().info("{}", Printable(message));
}
}  // namespace sglrun
