#include "chat/chat.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/log.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "chat/file_names.h"
#include "chat/repl.h"
#include "console/exit_codes.h"
#include "engine/grammar_state.h"
#include "grammar/compile/constraint.h"
#include "run/setup.h"
#include "serve/load.h"

namespace sglrun::chat {
namespace {

// One row needs no large steps, and Ctrl+C is checked between two steps.
constexpr std::int64_t kStepTokens = 128;
constexpr std::size_t kMostMessageBytes = std::size_t{64} << 20;

Result<std::string> ReadToEnd(int fd, const std::string& name) {
  std::string text;
  char block[1 << 16];
  while (true) {
    const auto count = ::read(fd, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error{"cannot read " + name + ": " + std::strerror(errno)};
    if (count == 0) return text;
    text.append(block, static_cast<std::size_t>(count));
    if (text.size() > kMostMessageBytes) {
      return Error{name + " holds more than " + FormatByteSize(kMostMessageBytes)};
    }
  }
}

// The one message of a pipe or of --file, without the newline that ends a file.
Result<std::string> ReadMessage(const std::string& message_file) {
  const bool from_file = !message_file.empty() && message_file != "-";
  const std::string name = from_file ? message_file : "standard input";
  const int fd = from_file ? ::open(name.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  if (fd < 0) return Error{"cannot read " + name + ": " + std::strerror(errno)};
  Result<std::string> text = ReadToEnd(fd, name);
  if (from_file) ::close(fd);
  if (!text.ok()) return text;
  if (const std::size_t bad = FindInvalidUtf8(*text); bad != std::string::npos) {
    return Error{name + " is not valid UTF-8 at byte " + std::to_string(bad + 1)};
  }
  if (text->find('\0') != std::string::npos) return Error{name + " holds a NUL byte, must be text"};
  if (text->ends_with('\n')) text->pop_back();
  if (text->ends_with('\r')) text->pop_back();
  if (text->find_first_not_of(" \t\r\n\v\f") != std::string::npos) return text;
  return Error{name +
               " holds no message; pipe one in, name a file with --file, or start the chat "
               "at a terminal"};
}

// A variable that the template does not use would have no effect, and the user would not notice.
Status CheckVariables(const Json::Object& variables,
                      const chat_template::ChatTemplateFiles& files) {
  for (const auto& [name, value] : variables) {
    for (const std::string_view own : {"messages", "tools", "documents", "add_generation_prompt"}) {
      if (name == own) return Error{"--template-set " + name + ": the chat itself sets it"};
    }
    const bool is_known = std::ranges::any_of(files.templates, [&name = name](const auto& entry) {
      return entry.text.find(name) != std::string::npos;
    });
    if (!is_known) {
      return Error{"--template-set " + name + ": the chat template has no such variable"};
    }
  }
  return {};
}

Result<chat_template::ChatTemplate> LoadTemplate(const ChatSettings& settings,
                                                 const serve::ModelSource& source) {
  SGLRUN_ASSIGN_OR_RETURN(const chat_template::ChatTemplateFiles files, source.templates);
  if (files.templates.empty()) {
    return Error{
        "the model has no chat template, so messages cannot be turned into a prompt: give one with "
        "--template FILE, or use `sglrun batch` for plain prompts"};
  }
  SGLRUN_RETURN_IF_ERROR(CheckVariables(settings.template_variables.as_object(), files));
  return chat_template::ChatTemplate::Make(files);
}

// Compiles each constraint when it is set, so that errors are reported immediately. It runs on its
// own thread, because a large constraint takes seconds and Ctrl+C must work meanwhile.
class ConstraintCheck {
 public:
  ConstraintCheck(const grammar::GrammarOptions& options, const serve::ModelSource& source)
      : store_(options,
               [&source] {
                 return std::make_shared<const grammar::Vocabulary>(*source.tokenizer,
                                                                    source.files.spec().vocab_size);
               },
               {.threads = 1, .memory_bytes = 0}) {}

  // Until signals are set, Ctrl+C ends the program.
  void Heed(const ChatSignals* signals) { signals_ = signals; }

  Status operator()(const Constraint& constraint) {
    const auto pending = store_.Want(constraint);
    while (!pending->ready()) {
      if (signals_ != nullptr && (signals_->interrupted() || signals_->stop_code() != 0)) {
        return Error{"stopped while the constraint was compiled; it is not set"};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (pending->outcome().ok()) return {};
    return Error{engine::RefusedConstraint(constraint.kind, pending->outcome().error()).message};
  }

 private:
  grammar::ConstraintStore store_;
  const ChatSignals* signals_ = nullptr;
};

// What --sampling and --set say becomes part of each answer's own parameters.
Result<io::RecordOptions> MakeLineOptions(const ChatSettings& settings,
                                          const serve::ModelSource& source) {
  run::RecordSettings records = settings.records;
  SGLRUN_RETURN_IF_ERROR(run::MakeRecordOptions(settings.serve, records, source));
  records.sampling = Json::Object{};
  return run::MakeRecordOptions(settings.serve, records, source);
}

class Chat {
 public:
  explicit Chat(const ChatSettings& settings) : settings_(settings), compute_(settings.serve) {}

  Result<int> Run() {
    if (const std::size_t bad = FindInvalidUtf8(settings_.system_text); bad != std::string::npos) {
      return Error{"--system is not valid UTF-8 at byte " + std::to_string(bad + 1)};
    }
    const bool one_turn = ::isatty(STDIN_FILENO) != 1 || !settings_.message_file.empty();
    std::string message;
    if (one_turn) {
      SGLRUN_ASSIGN_OR_RETURN(message, ReadMessage(settings_.message_file));
    }
    SGLRUN_RETURN_IF_ERROR(Load(one_turn));
    Conversation conversation;
    conversation.SetSystem(settings_.system_text);
    ChatSignals signals;
    check_constraint_->Heed(&signals);
    ChatRoom room{.answerer = *answerer_,
                  .screen = screen_,
                  .signals = signals,
                  .parameters = *parameters_,
                  .thinking = MarkersOf(settings_.serve.reasoning_end),
                  .adapters = source_->adapters.names(),
                  .seed = settings_.records.seed,
                  .fingerprint = [this] { return Fingerprint(); }};
    if (one_turn) {
      conversation.AddUser(message);
      return OneTurn(room, conversation);
    }
    return AtTerminal(std::move(room), std::move(conversation));
  }

 private:
  Status Load(bool one_turn) {
    SGLRUN_ASSIGN_OR_RETURN(serve::ModelSource source, serve::OpenModel(settings_.serve));
    source_.emplace(std::move(source));
    Answerer::Parts parts{
        .tokenizer = source_->tokenizer.get(),
        .chat_template = {},
        .template_variables = settings_.template_variables.as_object(),
        .plain_content = settings_.serve.plain_content,
        .engine = nullptr,
        .record_options = {},
        .thinking = MarkersOf(settings_.serve.reasoning_end),
        .room_advice = one_turn ? "shorten the message" : "shorten the message, /undo or /clear"};
    SGLRUN_ASSIGN_OR_RETURN(parts.chat_template, LoadTemplate(settings_, *source_));
    SGLRUN_ASSIGN_OR_RETURN(parts.record_options, MakeLineOptions(settings_, *source_));
    check_constraint_.emplace(settings_.serve.grammar, *source_);
    parameters_.emplace(
        serve::EffectiveDefaults(settings_.serve, source_->files.generation_defaults()),
        source_->files.spec().vocab_size,
        [this](const Constraint& constraint) { return (*check_constraint_)(constraint); });
    SGLRUN_RETURN_IF_ERROR(parameters_->SetAll(settings_.records.sampling));
    SGLRUN_ASSIGN_OR_RETURN(
        const kernels::Backend* backend,
        serve::ChooseBackend(settings_.serve, serve::DeviceDType(settings_.serve, source_->files),
                             compute_));
    SGLRUN_ASSIGN_OR_RETURN(model_, serve::LoadModel(settings_.serve, source_->files, *backend,
                                                     compute_, source_->adapters));
    if (!source_->adapters.empty()) parameters_->SetAdapter(source_->adapters.names()[0]);
    engine::EngineOptions engine_options = serve::EngineOptionsOf(
        settings_.serve,
        serve::KvDType(settings_.serve,
                       serve::WeightDType(settings_.serve, source_->files, *backend)),
        *backend);
    engine_options.max_rows = 1;
    engine_options.max_batch_tokens = kStepTokens;
    engine_options.partial_results = true;
    SGLRUN_ASSIGN_OR_RETURN(engine_, engine::Engine::Create(*model_, *source_->tokenizer,
                                                            engine_options, compute_.context));
    parts.engine = engine_.get();
    answerer_.emplace(std::move(parts));
    return {};
  }

  Result<int> OneTurn(ChatRoom& room, const Conversation& conversation) {
    const std::int64_t seed =
        parameters_->effective().sampling_seed.value_or(static_cast<std::int64_t>(room.seed));
    SGLRUN_ASSIGN_OR_RETURN(const Answer answer, ShowAnswer(room, conversation, seed));
    if (screen_.broken()) {
      if (screen_.write_errno() == EPIPE) return console::kExitBrokenPipe;
      return Error{std::string("cannot write to standard output: ") +
                   std::strerror(screen_.write_errno())};
    }
    switch (answer.end) {
      case Answer::End::kStop:
        break;
      case Answer::End::kLength:
        LogWarning("the answer was ended by max_new_tokens, " +
                   FormatCount(answer.cost.output_tokens));
        break;
      case Answer::End::kContextFull:
        LogWarning("the answer was ended by the context of " +
                   FormatCount(answerer_->context_length()) + " tokens");
        break;
      case Answer::End::kInterrupted:
        LogWarning("the answer was stopped by a signal");
        return room.signals.stop_code() != 0 ? room.signals.stop_code() : console::kExitInterrupted;
    }
    return console::kExitOk;
  }

  Result<int> AtTerminal(ChatRoom room, Conversation conversation) {
    HistoryFile history(HistoryPath());
    const auto reader = LineReader::Make({.talk = screen_.talk(),
                                          .signals = &room.signals,
                                          .history = history.lines(),
                                          .complete = [](std::string_view text) {
                                            return CompleteSlash(text, FilesBeginningWith);
                                          }});
    if (!settings_.quiet) {
      const std::string name = std::filesystem::path(settings_.serve.model).filename().string();
      screen_.Tell((name.empty() ? settings_.serve.model : name) + ", a context of " +
                   FormatCount(answerer_->context_length()) +
                   " tokens. /help lists the commands, Ctrl+D leaves.");
    }
    return Repl(std::move(room), *reader, history, std::move(conversation)).Run();
  }

  const std::string& Fingerprint() {
    if (fingerprint_.empty()) fingerprint_ = source_->files.Fingerprint(compute_.pool).ToHex();
    return fingerprint_;
  }

  const ChatSettings& settings_;
  serve::Compute compute_;
  Screen screen_;
  std::optional<serve::ModelSource> source_;
  std::unique_ptr<model::Model> model_;
  std::unique_ptr<engine::Engine> engine_;
  std::optional<ConstraintCheck> check_constraint_;
  std::optional<Parameters> parameters_;
  std::optional<Answerer> answerer_;
  std::string fingerprint_;
};

}  // namespace

Result<int> RunChat(const ChatSettings& settings) {
  return Chat(settings).Run();
}

}  // namespace sglrun::chat
