// From the texts that people type to the settings of each command: choices, sizes and the meaning of
// what is not given are decoded here, once, and nowhere else.
#pragma once

#include "bench/bench.h"
#include "chat/chat.h"
#include "cli/options.h"
#include "grammar_tools/check.h"
#include "inspect/inspect.h"
#include "inspect/template.h"
#include "inspect/tokenize.h"
#include "plan/plan.h"
#include "report/show_report.h"
#include "run/any_shard.h"
#include "run/merge.h"
#include "run/number.h"
#include "run/settings.h"
#include "serve/settings.h"

namespace sglrun::cli {

// Decides which shard --shard stands for, and puts it into the names of written files. It is called
// before the settings are made.
Status TakeShard(Options& options, const run::Environment& environment);

serve::ServeSettings ServeSettingsOf(const Options& options);
run::RunSettings RunSettingsOf(const Options& options);
run::AnyShardSettings AnyShardSettingsOf(const Options& options);
plan::PlanSettings PlanSettingsOf(const Options& options);
inspect::InspectSettings InspectSettingsOf(const Options& options);
inspect::TokenizeSettings TokenizeSettingsOf(const Options& options);
inspect::TemplateSettings TemplateSettingsOf(const Options& options);
chat::ChatSettings ChatSettingsOf(const Options& options);
grammar_tools::GrammarCheckSettings GrammarCheckSettingsOf(const Options& options);
bench::BenchSettings BenchSettingsOf(const Options& options);
run::NumberSettings NumberSettingsOf(const Options& options);
run::MergeSettings MergeSettingsOf(const Options& options);
report::ReportSettings ReportSettingsOf(const Options& options);

}  // namespace sglrun::cli
