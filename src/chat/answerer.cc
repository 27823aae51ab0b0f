#include "chat/answerer.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/stop_flag.h"
#include "base/strings.h"
#include "console/stopwatch.h"
#include "engine/sequence.h"
#include "engine/stop_criteria.h"
#include "kernels/kv_cache.h"

namespace sglrun::chat {
namespace {

std::tm Now() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  ::localtime_r(&now, &local);
  return local;
}

Answer::End EndOf(const FinishReason& reason, std::int64_t prompt_tokens, std::int64_t context) {
  if (reason.kind == FinishReason::Kind::kStop) return Answer::End::kStop;
  return prompt_tokens + reason.length >= context ? Answer::End::kContextFull
                                                  : Answer::End::kLength;
}

}  // namespace

Json ReplayLine(const Making& making, const std::string& rid) {
  Json::Object line;
  line.emplace_back("rid", rid);
  Json::Array ids;
  ids.reserve(making.prompt_ids.size());
  for (const std::int32_t id : making.prompt_ids) ids.emplace_back(std::int64_t{id});
  line.emplace_back("input_ids", std::move(ids));
  line.emplace_back("sampling_params", making.sampling);
  if (!making.adapter.empty()) line.emplace_back("lora_path", making.adapter);
  if (making.require_reasoning) line.emplace_back("require_reasoning", true);
  return line;
}

Answerer::Answerer(Parts parts)
    : parts_(std::move(parts)), encoder_(*parts_.tokenizer, parts_.plain_content), now_(Now()) {}

std::int64_t Answerer::context_length() const {
  const std::int64_t cached = parts_.engine->stats().kv_pages * kernels::kPageSize;
  return std::min(parts_.engine->options().context_length, cached);
}

Result<Answerer::Prompt> Answerer::MakePrompt(const Conversation& conversation) const {
  Prompt prompt;
  SGLRUN_ASSIGN_OR_RETURN(prompt.rendered,
                          parts_.chat_template.Render({.messages = conversation.ToJson(),
                                                       .fit_content = true,
                                                       .variables = parts_.template_variables,
                                                       .now = now_}));
  SGLRUN_ASSIGN_OR_RETURN(PromptEncoder::Encoded encoded,
                          encoder_.Encode(prompt.rendered, conversation.messages()));
  prompt.ids = std::move(encoded.ids);
  if (prompt.ids.empty()) return Error{"messages give an empty prompt"};
  return prompt;
}

Result<GenerateRequest> Answerer::MakeRequest(const Making& making) const {
  const std::string line = ReplayLine(making, "answer").Dump();
  io::RecordParser parser(parts_.record_options);
  io::InputRecord input;
  input.text = line;
  auto record = parser.Parse(input);
  if (!record.ok()) return Error{record.error().error.message};
  return record->requests.Take(0);
}

Result<Answer> Answerer::Run(const Conversation& conversation, const Parameters& parameters,
                             std::int64_t seed, const AnswerWatch& watch) {
  Result<Prompt> made = MakePrompt(conversation);
  if (!made.ok() && StopFlag::requested()) return Answer{.end = Answer::End::kInterrupted};
  SGLRUN_ASSIGN_OR_RETURN(Prompt prompt, std::move(made));
  const auto size = static_cast<std::int64_t>(prompt.ids.size());
  const std::int64_t room = context_length() - size;
  if (room <= 0) {
    return Error{"the conversation has " + FormatCount(size) + " tokens, the context " +
                 FormatCount(context_length()) + ": there is no room for an answer; " +
                 parts_.room_advice};
  }
  auto making = std::make_shared<Making>();
  const bool thinks = OpensThinking(prompt.rendered.text, parts_.thinking);
  making->prompt_ids = std::move(prompt.ids);
  making->sampling = parameters.ForAnswer(room, seed);
  making->adapter = parameters.adapter();
  // A constraint applies to the answer, not to the thoughts that the template has opened.
  making->require_reasoning = thinks && !parameters.constraint().empty();
  SGLRUN_ASSIGN_OR_RETURN(GenerateRequest request, MakeRequest(*making));
  watch.begin(prompt.rendered.text);
  making->prompt_text = std::move(prompt.rendered.text);
  SGLRUN_ASSIGN_OR_RETURN(Answer answer, Generate(std::move(request), watch, *making));
  if (answer.end == Answer::End::kInterrupted) {
    CutInterrupted(parameters.effective().skip_special_tokens, answer, *making);
  }
  answer.making = std::move(making);
  return answer;
}

void Answerer::CutInterrupted(bool skip_special_tokens, Answer& answer, Making& making) const {
  tokenizer::IncrementalDetokenizer detokenizer(
      *parts_.tokenizer, engine::PromptTail(making.prompt_ids), skip_special_tokens);
  std::string text;
  std::size_t kept = 0;
  answer.text.clear();
  for (std::size_t i = 0; i < making.output_ids.size(); ++i) {
    text += detokenizer.Append(making.output_ids[i]);
    if (detokenizer.pending()) continue;
    kept = i + 1;
    answer.text = text;
  }
  making.output_ids.resize(kept);
  answer.cost.output_tokens = static_cast<std::int64_t>(kept);
  LimitLength(answer.cost.output_tokens, making.sampling);
}

Result<Answer> Answerer::Generate(GenerateRequest request, const AnswerWatch& watch,
                                  Making& making) {
  engine::Engine& engine = *parts_.engine;
  const console::Clock::time_point start = console::Clock::now();
  auto sequence = engine.Admit(std::move(request));
  if (!sequence.ok()) return Error{sequence.error().message};
  engine.Submit(std::move(*sequence));
  Answer answer;
  answer.end = Answer::End::kInterrupted;
  GenerateResult so_far;
  const auto take = [&](GenerateResult result) {
    if (so_far.output_ids.empty()) answer.cost.first_token_s = console::SecondsSince(start);
    watch.text(std::string_view(result.text).substr(so_far.text.size()));
    so_far = std::move(result);
  };
  while (engine.HasWork() && !watch.wants_stop()) {
    if (!engine.CanStep()) {  // the constraint is still being compiled
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      continue;
    }
    std::vector<GenerateResult> finished = engine.Step();
    for (const GenerateResult& partial : engine.Partials()) take(partial);
    if (finished.empty()) continue;
    if (finished[0].error) return Error{finished[0].error->message};
    answer.end = EndOf(finished[0].finish_reason, finished[0].prompt_tokens, context_length());
    take(std::move(finished[0]));
  }
  engine.CancelAll();
  answer.text = std::move(so_far.text);
  answer.incomplete = so_far.grammar && !so_far.grammar->complete;
  answer.cost.prompt_tokens = so_far.prompt_tokens;
  answer.cost.cached_tokens = so_far.cached_tokens;
  answer.cost.output_tokens = static_cast<std::int64_t>(so_far.output_ids.size());
  answer.cost.total_s = console::SecondsSince(start);
  making.output_ids = std::move(so_far.output_ids);
  return answer;
}

}  // namespace sglrun::chat
