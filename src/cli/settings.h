// From the texts that people type to the settings of each command: choices, sizes and the meaning of
// what is not given are decoded here, once, and nowhere else.
#pragma once

#include "cli/bench.h"
#include "cli/chat/chat.h"
#include "cli/grammar_check.h"
#include "cli/inspect.h"
#include "cli/merge.h"
#include "cli/options.h"
#include "cli/plan.h"
#include "cli/run_settings.h"
#include "cli/serve_settings.h"
#include "cli/show_report.h"
#include "cli/template.h"
#include "cli/tokenize.h"

namespace sglrun::cli {

ServeSettings ServeSettingsOf(const Options& options);
RunSettings RunSettingsOf(const Options& options);
PlanSettings PlanSettingsOf(const Options& options);
InspectSettings InspectSettingsOf(const Options& options);
TokenizeSettings TokenizeSettingsOf(const Options& options);
TemplateSettings TemplateSettingsOf(const Options& options);
ChatSettings ChatSettingsOf(const Options& options);
GrammarCheckSettings GrammarCheckSettingsOf(const Options& options);
BenchSettings BenchSettingsOf(const Options& options);
MergeSettings MergeSettingsOf(const Options& options);
ReportSettings ReportSettingsOf(const Options& options);

}  // namespace sglrun::cli
