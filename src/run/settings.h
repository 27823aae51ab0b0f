// What a batch run depends on. The command line decodes it once (cli/settings.h).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "console/progress.h"
#include "io/dialect/record.h"
#include "io/dialect/result_writer.h"
#include "io/run_output.h"
#include "run/shard.h"
#include "serve/settings.h"

namespace sglrun::run {

// How the lines of the inputs become records.
struct RecordSettings {
  std::vector<std::string> inputs;
  io::LineFormat format = io::LineFormat::kAuto;
  Json sampling = Json::Object{};   // --sampling and --set laid over each other
  std::set<std::string> set_names;  // of these, the names that --set gave
  io::Compat compat = io::Compat::kNone;
  bool strict = false;
  std::uint64_t seed = 42;
  Shard shard;
  std::int64_t limit = 0;  // records, 0: all
};

struct RunSettings {
  serve::ServeSettings serve;
  RecordSettings records;

  std::string output = "-";
  std::string run_file;  // "": there is none
  std::string report;    // a page, "": there is none
  bool overwrite = false;
  bool retry_errors = false;
  std::int64_t max_errors = 0;  // 0: any number
  bool failed_ok = false;       // failed records do not change the exit code
  io::RowOrder order = io::RowOrder::kInput;
  bool flatten = false;
  bool partial_rows = false;  // --stream-jsonl
  bool no_timing = false;
  bool clean_up_spaces = false;
  io::HiddenStateForm hidden_states = io::HiddenStateForm::kInline;
  console::ProgressMode progress = console::ProgressMode::kAuto;
  bool prints_summary = true;  // on standard error, once it ends

  bool takes_any_shard = false;  // other processes take shards of the same run
  std::string launcher;          // which program named the shard; "": the user

  // For the run file: all options with their values. For the identity: those that shape results, by
  // name; the run puts in the values that the model and the machine decide.
  Json options = Json::Object{};
  Json::Object shaping_options;
};

}  // namespace sglrun::run
