#include "run/session.h"

#include <atomic>

#include "run/adapter_paths.h"
#include "run/background.h"
#include "run/setup.h"
#include "serve/load_chat_template.h"

namespace sglrun::run {

Result<std::unique_ptr<Session>> Session::Open(const RunSettings& settings) {
  SGLRUN_ASSIGN_OR_RETURN(model::ModelFiles files, serve::OpenModelFiles(settings.serve));
  std::unique_ptr<Session> session(new Session(settings, std::move(files)));
  session->source_.templates = serve::FindChatTemplates(settings.serve, &session->source_.files);
  SGLRUN_ASSIGN_OR_RETURN(const serve::ServeSettings with_adapters,
                          WithAdaptersOfRecords(settings.serve, settings.records));
  SGLRUN_ASSIGN_OR_RETURN(session->source_.adapters,
                          serve::AdapterList::Open(with_adapters, session->source_.files));
  return session;
}

// Creates the tokenizer while the weights are read, which takes about as long.
Status Session::ReadModel(bool may_load) {
  SGLRUN_ASSIGN_OR_RETURN(
      engines_,
      serve::EnginePool::Open(settings_.serve, serve::DeviceDType(settings_.serve, source_.files)));
  std::atomic<bool> stop{false};
  Background<Result<Hash128>> reading(
      [&] { return engines_->ReadWeights(settings_.serve, source_, may_load, stop); });
  const Status status = MakeTokenizer();
  if (!status.ok()) {
    stop = true;
    return status;
  }
  SGLRUN_ASSIGN_OR_RETURN(weights_, reading.Get());
  return {};
}

Status Session::MakeTokenizer() {
  SGLRUN_ASSIGN_OR_RETURN(source_.tokenizer, serve::FindTokenizer(settings_.serve, source_.files));
  SGLRUN_ASSIGN_OR_RETURN(auto options,
                          MakeRecordOptions(settings_.serve, settings_.records, source_));
  parser_ = std::make_shared<io::RecordParser>(std::move(options));
  return {};
}

Status Session::Load() {
  if (loaded_) return {};
  loaded_ = true;
  return engines_->Load(settings_.serve, source_);
}

}  // namespace sglrun::run
