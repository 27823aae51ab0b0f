// The heartbeat (engine_impl.h).
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "base/check.h"
#include "engine/engine_impl.h"
#include "engine/row_wishes.h"

namespace sglrun::engine {
namespace {

bool AnyLeft(std::span<const PlannedRow> rows) {
  return std::ranges::any_of(rows, [](const PlannedRow& row) { return row.sequence != nullptr; });
}

bool AreFirst(std::span<const std::int32_t> rows) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r] != static_cast<std::int32_t>(r)) return false;
  }
  return true;
}

// It goes on behind the token being drawn, unless that ends it.
bool ExpectsToken(const Sequence& sequence) {
  return !sequence.has_ended() && sequence.generated_size() + 1 < sequence.limits().max_new_tokens;
}

}  // namespace

std::vector<GenerateResult> Engine::Impl::Step() {
  partials.clear();
  std::vector<GenerateResult> refused = OpenGate();
  if (!PlanRows()) return refused;
  CountStep();
  FillMasks();
  CaptureStates();
  StartDraw();
  TakeForcedTokens();
  MarkComputed();
  std::vector<GenerateResult> results;
  RunAhead(results);
  TakeDrawnTokens();
  FollowGrammars();
  CollectPartials();
  sampled.clear();
  forced.clear();
  Retire(results);
  DCHECK((scheduler.CheckIntegrity(), true));
  results.insert(results.end(), std::make_move_iterator(refused.begin()),
                 std::make_move_iterator(refused.end()));
  return results;
}

// The rows of this step, whose forward pass is on its way: launched by the step before or here.
bool Engine::Impl::PlanRows() {
  rows.swap(next_rows);
  next_rows.clear();
  if (AnyLeft(rows)) return true;
  const std::span<const PlannedRow> planned = scheduler.Plan();
  rows.assign(planned.begin(), planned.end());
  if (rows.empty()) return false;
  Launch(rows);
  return true;
}

void Engine::Impl::Launch(std::span<const PlannedRow> planned) {
  arrays.Gather(planned);
  model.Forward(arrays.batch(), cache, hidden.Rows(arrays.output_count()));
}

// Gives every wanted row of the model's output to whoever wants it: hidden states, prompt logprobs,
// and the batch of rows that give a token.
void Engine::Impl::CaptureStates() {
  const tensor::TensorView states = hidden.Rows(arrays.output_count());
  batch.Clear();
  sampled.clear();
  sampled_rows.clear();
  forced.clear();
  mask_words.clear();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].sequence == nullptr || rows[r].sequence->has_ended()) continue;
    Sequence& sequence = *rows[r].sequence;
    const OutputRows& outputs = arrays.outputs()[r];
    CaptureHiddenRows(sequence, outputs);
    for (std::int64_t i = 0; i < outputs.count; ++i) {
      const std::int64_t position = outputs.first_position + i;
      const std::int64_t row = outputs.first_output + i;
      const bool is_last = position == sequence.size() - 1;
      if (sequence.wants_prompt_logprob_row(position)) {
        prompt_logprobs.Add(sequence, position, states, row, context);
      }
      if (sequence.ForcedBehind(position) != nullptr) {
        forced_logprobs.Add(sequence, position, states, row, context);
      }
      if (is_last) AddRow(sequence, row);
    }
  }
  prompt_logprobs.Flush(context);
  forced_logprobs.Flush(context);
}

// The wanted ones are the last of the row's outputs: one copy.
void Engine::Impl::CaptureHiddenRows(Sequence& sequence, const OutputRows& outputs) {
  const std::int64_t end = outputs.first_position + outputs.count;
  std::int64_t first = end;
  while (first > outputs.first_position && sequence.wants_hidden_row(first - 1)) --first;
  if (first == end) return;
  const auto width = static_cast<std::size_t>(model.config().hidden_size);
  const std::int64_t row = outputs.first_output + first - outputs.first_position;
  hidden_rows.resize(static_cast<std::size_t>(end - first) * width);
  model.backend().table.download(hidden_rows.data(), hidden.Rows(arrays.output_count()).row(row),
                                 hidden_rows.size() * sizeof(float), context);
  for (std::int64_t position = first; position < end; ++position) {
    const auto begin = static_cast<std::size_t>(position - first) * width;
    sequence.RecordHiddenRow(position, std::span(hidden_rows).subspan(begin, width));
  }
}

// A row that gives a token, drawn or forced.
void Engine::Impl::AddRow(Sequence& sequence, std::int64_t row) {
  const GrammarState* grammar = sequence.grammar();
  if (sequence.TakesForcedTokens() && grammar->next() == GrammarState::Next::kOne) {
    forced.push_back(&sequence);
    return;
  }
  sampled.push_back(&sequence);
  sampled_rows.push_back(static_cast<std::int32_t>(row));
  sampling::RowWishes wishes = WishesOf(sequence, options.logprobs_mode);
  if (grammar != nullptr && !grammar->mask().empty()) {
    const std::span<const std::uint32_t> mask = grammar->mask();
    wishes.grammar_line = static_cast<std::int32_t>(mask_words.size() / mask.size());
    mask_words.insert(mask_words.end(), mask.begin(), mask.end());
  }
  batch.Add(wishes);
}

// On a device it is brought to a size that comes again, as its forward pass is (step_arrays.h):
// rows that fill it up take the state beside them, or the first.
void Engine::Impl::StartDraw() {
  if (sampled.empty()) return;
  const auto count = static_cast<std::int64_t>(sampled.size());
  const std::int64_t size = runs_ahead() ? BucketOf(count) : count;
  const std::int64_t states = arrays.output_count();
  for (std::int64_t r = count; r < size; ++r) {
    batch.AddFiller();
    sampled_rows.push_back(static_cast<std::int32_t>(r < states ? r : 0));
  }
  const tensor::TensorView view = logits.Rows(size);
  const bool in_place = AreFirst(sampled_rows);
  const kernels::HeadWork head = [&](std::span<const std::int32_t> picked) {
    if (in_place) return model.Logits(hidden.Rows(size), view);
    const tensor::TensorView gathered = sampled_hidden.Rows(size);
    model.backend().table.gather_rows({.in = hidden.Rows(states), .rows = picked, .out = gathered},
                                      context);
    model.Logits(gathered, view);
  };
  const std::array<std::uint64_t, 3> key = {reinterpret_cast<std::uintptr_t>(this),
                                            static_cast<std::uint64_t>(size), in_place};
  sampling::DrawPlace place;
  place.head = &head;
  place.kept_tokens = drawn.as<std::int32_t>();
  if (!in_place) place.picked = sampled_rows;
  if (runs_ahead()) place.key = key;
  pipeline.Start(batch, view, {.words = mask_words, .words_per_line = MaskWords()}, place, context);
}

void Engine::Impl::TakeForcedTokens() {
  for (Sequence* sequence : forced) {
    sequence->Append(sequence->grammar()->only_token());
    ++stats.output_tokens;
  }
}

// Also before the pass has run: whatever reads the cache comes behind it.
void Engine::Impl::MarkComputed() {
  for (const PlannedRow& row : rows) {
    if (row.sequence != nullptr) scheduler.Computed(row);
  }
}

// The forward pass of the next step, as far as it is known without this step's tokens.
void Engine::Impl::RunAhead(std::vector<GenerateResult>& results) {
  if (!runs_ahead()) return;
  std::erase_if(forced, [](const Sequence* sequence) { return sequence->has_ended(); });
  Retire(results);
  for (std::size_t r = 0; r < sampled.size(); ++r) {
    if (ExpectsToken(*sampled[r])) sampled[r]->ExpectToken(static_cast<std::int32_t>(r));
  }
  const std::span<const PlannedRow> planned = scheduler.PlanAhead();
  next_rows.assign(planned.begin(), planned.end());
  if (!next_rows.empty()) Launch(next_rows);
  for (Sequence* sequence : sampled) {
    if (sequence->expected_row() >= 0) sequence->ForgetExpected();
  }
}

void Engine::Impl::TakeDrawnTokens() {
  if (sampled.empty()) return;
  const sampling::SampledTokens& out = pipeline.Finish(context);
  for (std::size_t r = 0; r < sampled.size(); ++r) {
    TakeToken(*sampled[r], static_cast<std::int64_t>(r), out);
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
  if (sequence.result.sampling_mask) recorder.AddKeptSet(sequence, token, out.kept[r]);
  sequence.Append(token);
  ++stats.output_tokens;
}

void Engine::Impl::CollectPartials() {
  if (!options.partial_results) return;
  for (const auto* list : {&sampled, &forced}) {
    for (const Sequence* sequence : *list) {
      if (sequence->has_ended()) continue;
      if (auto partial = sequence->PartialResult()) partials.push_back(*std::move(partial));
    }
  }
}

// Takes out what has ended, also of the step that runs ahead; but for rows whose draw is not read.
void Engine::Impl::Retire(std::vector<GenerateResult>& results) {
  for (PlannedRow& row : rows) {
    Sequence* const sequence = row.sequence;
    if (sequence == nullptr || !sequence->has_ended()) continue;
    if (std::ranges::find(sampled, sequence) != sampled.end()) continue;
    for (PlannedRow& ahead : next_rows) {
      if (ahead.sequence == sequence) ahead.sequence = nullptr;
    }
    row.sequence = nullptr;
    results.push_back(scheduler.Remove(*sequence)->TakeResult(tokenizer));
  }
}

void Engine::Impl::CountStep() {
  ++stats.steps;
  stats.step_rows = 0;
  for (const PlannedRow& row : rows) {
    if (row.sequence == nullptr) continue;
    ++stats.step_rows;
    stats.prompt_tokens +=
        std::clamp<std::int64_t>(row.sequence->prompt_size() - row.first, 0, row.count);
  }
}

}  // namespace sglrun::engine
