// The engines of a run behind one interface: a model and an engine on each device of --device, with
// one queue. A sequence goes to the engine with the fewest unfinished sequences. Where a result
// depends on its record alone (on GPUs with --deterministic), it does not depend on the engine.
// Results come in any order.
//
//   SGLRUN_ASSIGN_OR_RETURN(auto pool, EnginePool::Open(settings, DeviceDType(settings, files)));
//   SGLRUN_RETURN_IF_ERROR(pool->Load(settings, source));
//   auto sequence = pool->admitting().Admit(request);
//   pool->Submit(std::move(sequence));
//   while (pool->HasWork()) for (GenerateResult& r : pool->Step()) ...
//
// One engine is stepped by the caller's thread, several by a thread each.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/sequence.h"
#include "model/model.h"
#include "serve/load.h"
#include "serve/settings.h"
#include "serve/worker.h"

namespace sglrun::serve {

class EnginePool {
 public:
  // Opens the devices; they must be alike.
  static Result<std::unique_ptr<EnginePool>> Open(const ServeSettings& settings,
                                                  tensor::DType weights);
  ~EnginePool();  // gives up what is not finished
  EnginePool(const EnginePool&) = delete;
  EnginePool& operator=(const EnginePool&) = delete;

  const kernels::Backend& backend() const { return *members_.front()->backend; }
  ThreadPool& threads() { return members_.front()->compute.pool; }
  std::size_t size() const { return members_.size(); }
  // The library for products of many rows: "own kernels", or cuBLASLt and its version.
  std::string DescribeProducts() const;

  // The fingerprint of the weights of `source`, worth nothing once `stop` is set. With `may_load`
  // one engine on the host has them loaded for Load, which reads the same bytes.
  Result<Hash128> ReadWeights(const ServeSettings& settings, const ModelSource& source,
                              bool may_load, const std::atomic<bool>& stop);

  // Loads the model onto all devices and starts their engines. `source` outlives the pool.
  Status Load(const ServeSettings& settings, const ModelSource& source);

  // The engine with the smallest cache; its sequences fit into every engine.
  const engine::Engine& admitting() const { return *admitting_; }

  // As of engine::Engine.
  void Submit(std::unique_ptr<engine::Sequence> sequence);
  bool HasWork() const;
  std::int64_t InFlight() const;
  std::int64_t WaitingTokens() const;
  // With several engines: the results since the last call, after waiting a short time for new ones.
  std::vector<GenerateResult> Step();
  const std::vector<GenerateResult>& Partials() const { return partials_; }
  // Sums over the engines, of numbers and of limits.
  const engine::EngineStats& stats() const { return stats_; }
  // Lets the counts of steps and tokens begin at zero again, for another run on the same engines.
  void ResetCounts();
  const engine::EngineOptions& options() const { return engine_options_; }

 private:
  struct Member {
    Member(std::size_t place, int threads, Worker::Kind kind)
        : which(place), compute(threads), worker(kind) {}

    const std::size_t which;  // of the devices

    Compute compute;
    const kernels::Backend* backend = nullptr;
    std::unique_ptr<model::Model> model;
    std::unique_ptr<engine::Engine> engine;
    Status status;

    // Between the engine's thread and the caller's, under the pool's mutex.
    std::vector<std::unique_ptr<engine::Sequence>> inbox;
    std::vector<GenerateResult> results, partials;
    engine::EngineStats stats;
    std::int64_t waiting_tokens = 0;
    std::int64_t unfinished = 0;
    bool has_news = false;

    Worker worker;  // last: ends before the rest
  };

  EnginePool() = default;
  // Calls a function for every member on its own thread, and returns the first error.
  template <class Work>
  Status ForEach(Work work);
  // One step of an engine with what has been submitted to it; the lock is free meanwhile.
  void StepOnce(Member& member, std::unique_lock<std::mutex>& lock);
  // An engine's own loop, until the pool goes.
  void Serve(Member& member);
  std::int64_t Unfinished() const;  // under the lock
  void CollectStats();

  std::vector<std::unique_ptr<Member>> members_;
  const engine::Engine* admitting_ = nullptr;
  engine::EngineOptions engine_options_;
  engine::EngineStats stats_;
  engine::EngineStats counted_before_;  // ResetCounts
  std::vector<GenerateResult> partials_;

  mutable std::mutex mutex_;
  std::condition_variable submitted_, stepped_;
  bool is_leaving_ = false;
  bool caller_steps_ = false;  // in Step; else each engine has a thread that does
};

}  // namespace sglrun::serve
