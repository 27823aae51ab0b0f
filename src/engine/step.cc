// One step of the engine (engine_impl.h).
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "base/check.h"
#include "engine/engine_impl.h"
#include "engine/row_options.h"

namespace sglrun::engine {
namespace {

bool AreFirst(std::span<const std::int32_t> rows) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r] != static_cast<std::int32_t>(r)) return false;
  }
  return true;
}

// The token that is being drawn will be fed, unless it ends the sequence.
bool FeedsDrawnToken(const Sequence& sequence) {
  return !sequence.has_ended() && sequence.generated_size() + 1 < sequence.limits().max_new_tokens;
}

}  // namespace

std::vector<GenerateResult> Engine::Impl::Step() {
  partials.clear();
  std::vector<GenerateResult> refused = OpenGate();
  StepRows now = NextRows();
  if (now.rows.empty()) return refused;
  CountStep(now);
  PrepareRules(now);
  DrawRows draw = CaptureStates(now);
  StartDraw(draw, StatesOf(now));
  TakeForcedTokens(draw);
  MarkComputed(now);
  std::vector<GenerateResult> results;
  if (runs_ahead()) {
    Retire(now, draw.sampled, results);
    ahead = LaunchAhead(draw);
  }
  TakeDrawnTokens(draw);
  FollowGrammars(draw);
  partials = CollectPartials(draw);
  Retire(now, {}, results);
  DCHECK((scheduler.CheckIntegrity(), true));
  results.insert(results.end(), std::make_move_iterator(refused.begin()),
                 std::make_move_iterator(refused.end()));
  return results;
}

// The rows of this step, whose forward pass was launched by the step before or is launched here.
StepRows Engine::Impl::NextRows() {
  StepRows launched = std::exchange(ahead, {});
  if (launched.AnyLeft()) return launched;
  const std::span<const PlannedRow> planned = scheduler.Plan();
  return planned.empty() ? StepRows() : Launch(planned);
}

StepRows Engine::Impl::Launch(std::span<const PlannedRow> planned) {
  StepRows step = arrays.Gather(planned);
  model.Forward(arrays.batch(), cache, StatesOf(step));
  return step;
}

// Passes each needed row of the model's output on: to hidden states, to logprobs of the prompt and
// of forced tokens, and to the draw.
DrawRows Engine::Impl::CaptureStates(const StepRows& step) {
  const tensor::TensorView states = StatesOf(step);
  DrawRows draw;
  batch.Clear();
  for (const StepRow& row : step.rows) {
    if (row.sequence == nullptr || row.sequence->has_ended()) continue;
    Sequence& sequence = *row.sequence;
    CaptureHiddenRows(row, states);
    for (std::int64_t position = row.first_wanted; position < row.end(); ++position) {
      const std::int64_t output_row = row.first_output + position - row.first_wanted;
      if (sequence.gathering.WantsPromptLogprob(position)) {
        prompt_logprobs.Add(sequence, position, states, output_row, context);
      }
      if (sequence.gathering.ForcedAfter(position) != nullptr) {
        forced_logprobs.Add(sequence, position, states, output_row, context);
      }
      if (position == sequence.size() - 1) AddToDraw(sequence, output_row, draw);
    }
  }
  prompt_logprobs.Flush(context);
  forced_logprobs.Flush(context);
  return draw;
}

// The wanted ones are the last of the row's outputs: one copy.
void Engine::Impl::CaptureHiddenRows(const StepRow& row, tensor::TensorView states) {
  Sequence& sequence = *row.sequence;
  std::int64_t first = row.end();
  while (first > row.first_wanted &&
         sequence.gathering.WantsHiddenRow(first - 1, sequence.size())) {
    --first;
  }
  if (first >= row.end()) return;
  const auto width = static_cast<std::size_t>(model.spec().hidden_size);
  hidden_rows.resize(static_cast<std::size_t>(row.end() - first) * width);
  model.backend().table.download(hidden_rows.data(),
                                 states.row(row.first_output + first - row.first_wanted),
                                 hidden_rows.size() * sizeof(float), context);
  for (std::int64_t position = first; position < row.end(); ++position) {
    const auto begin = static_cast<std::size_t>(position - first) * width;
    sequence.gathering.RecordHiddenRow(position, std::span(hidden_rows).subspan(begin, width),
                                       sequence.size());
  }
}

// The sequence's next token is drawn from this row, or is forced.
void Engine::Impl::AddToDraw(Sequence& sequence, std::int64_t output_row, DrawRows& draw) {
  const GrammarState* grammar = sequence.grammar();
  if (sequence.TakesForcedTokens() && grammar->next() == GrammarState::Next::kOne) {
    draw.forced.push_back(&sequence);
    return;
  }
  draw.sampled.push_back(&sequence);
  draw.output_rows.push_back(static_cast<std::int32_t>(output_row));
  const TokenLimits limits = sequence.NextLimits();
  sampling::RowOptions row = OptionsOf(sequence, limits, options.logprobs_mode);
  if (!limits.mask.empty()) {
    row.grammar_line = static_cast<std::int32_t>(draw.mask_words.size() / limits.mask.size());
    draw.mask_words.insert(draw.mask_words.end(), limits.mask.begin(), limits.mask.end());
  }
  batch.Add(row);
}

// On a device the draw is padded to a size that occurs again, like the forward pass
// (step_arrays.h): filler rows read the state with the same index, or the first one.
void Engine::Impl::StartDraw(DrawRows& draw, tensor::TensorView states) {
  if (draw.sampled.empty()) return;
  const auto count = static_cast<std::int64_t>(draw.sampled.size());
  const std::int64_t size = runs_ahead() ? BucketOf(count) : count;
  for (std::int64_t r = count; r < size; ++r) {
    batch.AddFiller();
    draw.output_rows.push_back(static_cast<std::int32_t>(r < states.shape[0] ? r : 0));
  }
  const tensor::TensorView view = logits.Rows(size);
  const bool in_place = AreFirst(draw.output_rows);
  std::vector<std::int32_t> adapters;
  for (const Sequence* sequence : draw.sampled) adapters.push_back(sequence->request().adapter);
  const bool is_plain = std::ranges::all_of(
      adapters, [](std::int32_t adapter) { return adapter == model::kNoAdapter; });
  const kernels::HeadWork head = [&](std::span<const std::int32_t> picked) {
    model.Logits(in_place ? hidden.Rows(size) : GatherStates(picked, states), adapters, view);
  };
  const std::array<std::uint64_t, 3> key = {reinterpret_cast<std::uintptr_t>(this),
                                            static_cast<std::uint64_t>(size), in_place};
  sampling::DrawPlace place;
  place.head = &head;
  place.kept_tokens = drawn.as<std::int32_t>();
  if (!in_place) place.picked = draw.output_rows;
  if (runs_ahead() && is_plain) place.key = key;
  pipeline.Start(batch, view, {.words = draw.mask_words, .words_per_line = MaskWords()}, place,
                 context);
}

tensor::TensorView Engine::Impl::GatherStates(std::span<const std::int32_t> rows,
                                              tensor::TensorView states) {
  const tensor::TensorView gathered = sampled_hidden.Rows(static_cast<std::int64_t>(rows.size()));
  model.backend().table.gather_rows({.in = states, .rows = rows, .out = gathered}, context);
  return gathered;
}

void Engine::Impl::TakeForcedTokens(DrawRows& draw) {
  for (Sequence* sequence : draw.forced) {
    sequence->Append(sequence->grammar()->only_token());
    ++stats.output_tokens;
  }
  std::erase_if(draw.forced, [](const Sequence* sequence) { return sequence->has_ended(); });
}

// Also before the pass has run: whatever reads the cache is enqueued after it.
void Engine::Impl::MarkComputed(const StepRows& step) {
  for (const StepRow& row : step.rows) {
    if (row.sequence != nullptr) scheduler.Computed(*row.sequence, row.first, row.count);
  }
}

// The forward pass of the next step, as far as it is known without this step's tokens.
StepRows Engine::Impl::LaunchAhead(const DrawRows& draw) {
  std::vector<Sequence*> fed = draw.sampled;
  std::ranges::replace_if(
      fed, [](Sequence* s) { return !FeedsDrawnToken(*s); }, nullptr);
  const std::span<const PlannedRow> planned = scheduler.PlanAhead(fed);
  return planned.empty() ? StepRows() : Launch(planned);
}

void Engine::Impl::TakeDrawnTokens(const DrawRows& draw) {
  if (draw.sampled.empty()) return;
  const sampling::SampledTokens& out = pipeline.Finish(context);
  for (std::size_t r = 0; r < draw.sampled.size(); ++r) {
    TakeToken(*draw.sampled[r], static_cast<std::int64_t>(r), out);
  }
}

void Engine::Impl::TakeToken(Sequence& sequence, std::int64_t row,
                             const sampling::SampledTokens& out) {
  const auto r = static_cast<std::size_t>(row);
  const auto place = [&] {
    return "output token " + std::to_string(sequence.generated_size() + 1);
  };
  if (sequence.failure) return;
  if (out.status[r] == kernels::RowStatus::kNaN) {
    sequence.failure =
        AbortedRecord("the model's logits for " + place() + " are not numbers (NaN)");
    return;
  }
  if (sequence.limits().max_new_tokens == 0) {
    recorder.AddScoringRow(sequence, out.Logprobs(row));
    sequence.FinishScoring();
    return;
  }
  if (out.status[r] == kernels::RowStatus::kNoneLeft) {
    sequence.failure = AbortedRecord("no token allowed for " + place());
    return;
  }
  const std::int32_t token = out.tokens[r];
  recorder.AddOutputRow(sequence, token, out.Logprobs(row));
  if (sequence.gathering.result.sampling_mask) recorder.AddKeptSet(sequence, token, out.kept[r]);
  sequence.Append(token);
  ++stats.output_tokens;
}

std::vector<GenerateResult> Engine::Impl::CollectPartials(const DrawRows& draw) const {
  std::vector<GenerateResult> collected;
  if (!options.partial_results) return collected;
  for (const auto* list : {&draw.sampled, &draw.forced}) {
    for (const Sequence* sequence : *list) {
      if (sequence->has_ended()) continue;
      if (auto partial = sequence->PartialResult()) collected.push_back(*std::move(partial));
    }
  }
  return collected;
}

// Removes finished sequences, also from the step that was launched ahead, except those whose draw
// has not been read yet.
void Engine::Impl::Retire(StepRows& step, std::span<Sequence* const> unread,
                          std::vector<GenerateResult>& results) {
  for (StepRow& row : step.rows) {
    Sequence* const sequence = row.sequence;
    if (sequence == nullptr || !sequence->has_ended()) continue;
    if (std::ranges::find(unread, sequence) != unread.end()) continue;
    for (StepRow& next : ahead.rows) {
      if (next.sequence == sequence) next.sequence = nullptr;
    }
    row.sequence = nullptr;
    results.push_back(scheduler.Remove(*sequence)->TakeResult(tokenizer));
  }
}

void Engine::Impl::CountStep(const StepRows& step) {
  ++stats.steps;
  stats.step_rows = 0;
  for (const StepRow& row : step.rows) {
    if (row.sequence == nullptr) continue;
    ++stats.step_rows;
    stats.prompt_tokens +=
        std::clamp<std::int64_t>(row.sequence->prompt_size() - row.first, 0, row.count);
  }
}

}  // namespace sglrun::engine
