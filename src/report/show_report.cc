// The account of a run, shown in the terminal or as a page.
#include "report/show_report.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/whole_file.h"
#include "console/exit_codes.h"
#include "console/print.h"
#include "report/account.h"
#include "report/html_page.h"
#include "report/text_report.h"

namespace sglrun::report {
namespace {

Result<std::string> ReadRunFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(report::kMaxRunFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() && !file) return Error{"cannot read " + path + ": " + std::strerror(errno)};
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > report::kMaxRunFileBytes)
    return Error{path + " is too long for the file of a run"};
  return text;
}

Result<report::Account> OpenAccount(const std::string& path) {
  SGLRUN_ASSIGN_OR_RETURN(const std::string text, ReadRunFile(path));
  const Result<ParsedJson, JsonError> parsed = ParseJson(text);
  if (!parsed.ok()) {
    return Error{path + " is not a run file (OUT.run.json of `sglrun batch`): byte " +
                 std::to_string(parsed.error().offset) + ": " + parsed.error().message};
  }
  Result<report::Account> account = report::ReadAccount(parsed->value);
  if (!account.ok()) {
    return Error{path + " is not a run file (OUT.run.json of `sglrun batch`) that can be shown: " +
                 account.error().message};
  }
  return account;
}

std::size_t OutputColumns() {
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

Result<int> RunReport(const ReportSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(const report::Account account, OpenAccount(settings.run_file));
  if (settings.page.empty()) {
    SGLRUN_RETURN_IF_ERROR(console::Print(report::TextReport(account, OutputColumns())));
  } else {
    SGLRUN_RETURN_IF_ERROR(WriteWholeFile("the report", settings.page, report::HtmlPage(account)));
  }
  return console::kExitOk;
}

}  // namespace sglrun::report
