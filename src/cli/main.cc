// sglrun: from the command line to one of the commands, and from its outcome to the exit code.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "bench/bench.h"
#include "chat/chat.h"
#include "cli/fatal_errors.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/print_tables.h"
#include "cli/settings.h"
#include "cli/shortage_advice.h"
#include "cli/signals.h"
#include "cli/written_files.h"
#include "console/exit_codes.h"
#include "console/print.h"
#include "console/version.h"
#include "grammar_tools/check.h"
#include "inspect/inspect.h"
#include "inspect/template.h"
#include "inspect/tokenize.h"
#include "plan/plan.h"
#include "report/show_report.h"
#include "run/any_shard.h"
#include "run/batch.h"
#include "run/merge.h"
#include "run/number.h"
#include "serve/load.h"

namespace sglrun::cli {
namespace {

bool TakesAnyShard(const Options& options) {
  return options.shard.kind == run::ShardChoice::Kind::kAny;
}

Result<int> Dispatch(Command command, const Options& options) {
  switch (command) {
    case Command::kBatch:
      HandleStopSignals();
      return TakesAnyShard(options) ? run::RunAnyShard(AnyShardSettingsOf(options))
                                    : run::RunBatch(RunSettingsOf(options));
    case Command::kPlan:
      return plan::RunPlan(PlanSettingsOf(options));
    case Command::kInspect:
      return inspect::RunInspect(InspectSettingsOf(options));
    case Command::kTokenize:
      return inspect::RunTokenize(TokenizeSettingsOf(options));
    case Command::kDetokenize:
      return inspect::RunDetokenize(TokenizeSettingsOf(options));
    case Command::kTemplate:
      return inspect::RunTemplate(TemplateSettingsOf(options));
    case Command::kChat:
      LeaveOnInterrupt();
      return chat::RunChat(ChatSettingsOf(options));
    case Command::kGrammar:
      return grammar_tools::RunGrammar(GrammarCheckSettingsOf(options));
    case Command::kBench:
      return bench::RunBench(BenchSettingsOf(options));
    case Command::kNumber:
      return run::RunNumber(NumberSettingsOf(options));
    case Command::kMerge:
      return run::RunMerge(MergeSettingsOf(options));
    case Command::kReport:
      return report::RunReport(ReportSettingsOf(options));
    case Command::kFields:
      return RunFields(options);
    case Command::kCompletion:
      return RunCompletion(options);
    case Command::kMan:
      return RunMan(options);
  }
  return Error{"no such command"};
}

serve::NeededFiles NeededFilesOf(Command command) {
  const bool tokenizer = command == Command::kTokenize || command == Command::kDetokenize ||
                         command == Command::kTemplate;
  return tokenizer ? serve::NeededFiles::kTokenizer : serve::NeededFiles::kModel;
}

Result<int> PrintAndLeave(const std::string& text) {
  SGLRUN_RETURN_IF_ERROR(console::Print(text));
  return console::kExitOk;
}

Result<int> Main(int argc, const char* const* argv) {
  SGLRUN_ASSIGN_OR_RETURN(const Invocation invocation, ParseCommandLine(argc, argv));
  if (invocation.version) return PrintAndLeave(console::VersionText());
  if (!invocation.has_command) {
    if (invocation.help != HelpLevel::kNone) return PrintAndLeave(ProgramHelp(invocation.help));
    std::fputs(ProgramHelp(HelpLevel::kShort).c_str(), stderr);
    return console::kExitFailure;
  }
  if (invocation.help != HelpLevel::kNone) {
    return PrintAndLeave(CommandHelp(FindCommand(invocation.command), invocation.help));
  }
  Options options = invocation.options;
  if (options.quiet) SetLogLevel(LogLevel::kError);
  if (options.verbose) SetLogLevel(LogLevel::kInfo);
  SGLRUN_RETURN_IF_ERROR(serve::FindModels(options.model, options.model_name, options.tokenizer,
                                           NeededFilesOf(invocation.command)));
  if (FindOption("shard", invocation.command) != nullptr) {
    SGLRUN_RETURN_IF_ERROR(TakeShard(options, [](const char* name) { return std::getenv(name); }));
  }
  // The files of many shards are checked, one shard after the other, when they are written.
  const bool many = invocation.command == Command::kBatch && TakesAnyShard(options);
  if (!many) SGLRUN_RETURN_IF_ERROR(CheckWrittenFiles(options, invocation.command));
  if (!options.log_file.empty() && !(many && run::NamesShard(options.log_file))) {
    SGLRUN_RETURN_IF_ERROR(SetLogFile(options.log_file));
  }
  return Dispatch(invocation.command, options);
}

// The standard streams may have been closed before the start. A file that is opened later would get
// their descriptors, and messages would be written into it. They are replaced by a descriptor that
// can neither be read nor written, also under names such as /dev/stdin. A closed input is then an
// error and not an empty input, and results that cannot be written are an error, as on a full disk.
// Messages may get lost.
void OpenStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    if (fd == STDERR_FILENO) {
      ::open("/dev/null", O_WRONLY);
    } else {
      ::open("/", O_PATH | O_DIRECTORY);
    }
  }
}

}  // namespace
}  // namespace sglrun::cli

int main(int argc, char** argv) {
  sglrun::cli::OpenStandardStreams();
  sglrun::cli::ReportFatalErrors();
  const sglrun::Result<int> code = sglrun::cli::Main(argc, argv);
  if (code.ok()) return *code;
  const sglrun::Error& error = code.error();
  sglrun::LogError(error.message + std::string(sglrun::cli::AdviceFor(error.shortage)));
  return sglrun::console::kExitFailure;
}
