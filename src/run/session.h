// What the runs of one process have in common: the model, its engines, and how lines are read.
// `--shard any/N` runs several shards on them, one after the other.
#pragma once

#include <memory>

#include "base/hash.h"
#include "base/result.h"
#include "io/dialect/record.h"
#include "run/settings.h"
#include "serve/engine_pool.h"
#include "serve/load.h"

namespace sglrun::run {

class Session {
 public:
  // Opens the files of the model, not its weights.
  static Result<std::unique_ptr<Session>> Open(const RunSettings& settings);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Opens the devices, computes the fingerprint of the weights, and makes the tokenizer and the
  // parser of records. With `may_load` the weights are loaded meanwhile.
  Status ReadModel(bool may_load);
  // Starts the engines, if they do not run yet.
  Status Load();

  const serve::ModelSource& source() const { return source_; }
  serve::EnginePool& engines() { return *engines_; }
  const Hash128& weights() const { return weights_; }
  const std::shared_ptr<io::RecordParser>& parser() const { return parser_; }

 private:
  Session(const RunSettings& settings, model::ModelFiles files)
      : settings_(settings), source_{std::move(files), nullptr} {}
  Status MakeTokenizer();

  const RunSettings& settings_;
  serve::ModelSource source_;
  std::unique_ptr<serve::EnginePool> engines_;
  Hash128 weights_;
  std::shared_ptr<io::RecordParser> parser_;
  bool loaded_ = false;
};

}  // namespace sglrun::run
