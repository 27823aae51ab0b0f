#include "serve/engine_pool.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

namespace sglrun::serve {
namespace {

// How long Step waits for busy engines: short enough for signals and flushes.
constexpr std::chrono::milliseconds kPatience(50);

// Numbers that only grow, unlike the present state of an engine.
constexpr std::int64_t engine::EngineStats::*kCounts[] = {
    &engine::EngineStats::steps, &engine::EngineStats::prompt_tokens,
    &engine::EngineStats::cached_tokens, &engine::EngineStats::output_tokens,
    &engine::EngineStats::preemptions};

void Append(std::vector<GenerateResult>& from, std::vector<GenerateResult>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

// The newest partial result of each unfinished sequence; a step may pass before it is shown.
void KeepLatest(std::vector<GenerateResult>& fresh, const std::vector<GenerateResult>& finished,
                std::vector<GenerateResult>& kept) {
  const auto is_among = [](const std::vector<GenerateResult>& list, std::uint64_t ticket) {
    return std::ranges::any_of(list, [&](const auto& r) { return r.ticket == ticket; });
  };
  std::erase_if(kept, [&](const GenerateResult& old) {
    return is_among(fresh, old.ticket) || is_among(finished, old.ticket);
  });
  Append(fresh, kept);
}

void Add(const engine::EngineStats& from, engine::EngineStats& to) {
  to.steps += from.steps;
  to.step_rows += from.step_rows;
  to.prompt_tokens += from.prompt_tokens;
  to.cached_tokens += from.cached_tokens;
  to.output_tokens += from.output_tokens;
  to.preemptions += from.preemptions;
  to.running += from.running;
  to.waiting += from.waiting;
  to.kv_pages += from.kv_pages;
  to.kv_pages_used += from.kv_pages_used;
}

// Whether packed weights take more memory than the files. If they take less, the pages of the files
// are released while packing, so that the process never uses more memory than it needs finally.
bool Grows(const model::ModelFiles& files, const model::LoadOptions& options) {
  double stored = 0;
  for (const model::TensorSource& tensor : files.tensors()) {
    stored += static_cast<double>(tensor.bytes);
  }
  return stored <= 1.01 * static_cast<double>(model::Model::WeightBytes(files, options));
}

// Devices whose results would differ are refused. If they differ only in cuBLASLt, the error
// suggests running without it.
Error UnlikeDevices(const ServeSettings& settings, std::string_view one, std::string_view other) {
  const auto chip = [](std::string_view isa) { return isa.substr(0, isa.find('+')); };
  return Error{"--device " + settings.devices.text + ": the devices are " + std::string(one) +
               " and " + std::string(other) +
               ", so results would depend on the device that runs a record" +
               (chip(one) == chip(other) ? "; --deterministic avoids cuBLASLt on both" : "")};
}

}  // namespace

template <class Work>
Status EnginePool::ForEach(Work work) {
  for (const auto& member : members_) {
    member->worker.Do([work, m = member.get()] { m->status = work(*m); });
  }
  Status status;
  for (const auto& member : members_) {
    member->worker.Wait();
    if (status.ok()) status = member->status;
  }
  return status;
}

Result<std::unique_ptr<EnginePool>> EnginePool::Open(const ServeSettings& settings,
                                                     tensor::DType weights) {
  const std::size_t count = std::max<std::size_t>(DeviceCount(settings), 1);
  const int threads = std::max(HostThreads(settings) / static_cast<int>(count), 1);
  std::unique_ptr<EnginePool> pool(new EnginePool);
  pool->caller_steps_ = count == 1;
  for (std::size_t i = 0; i < count; ++i) {
    pool->members_.push_back(std::make_unique<Member>(
        i, threads, pool->caller_steps_ ? Worker::Kind::kInline : Worker::Kind::kThread));
  }
  SGLRUN_RETURN_IF_ERROR(pool->ForEach([&](Member& member) -> Status {
    SGLRUN_ASSIGN_OR_RETURN(member.backend,
                            OpenDevice(settings, weights, member.which, member.compute));
    return {};
  }));
  const std::string_view isa = pool->backend().isa;
  for (const auto& member : pool->members_) {
    if (member->backend->isa == isa) continue;
    return UnlikeDevices(settings, isa, member->backend->isa);
  }
  return pool;
}

std::string EnginePool::DescribeProducts() const {
  const auto& device = members_.front()->compute.device;
  return device == nullptr ? "own kernels" : device->DescribeProducts();
}

Result<Hash128> EnginePool::ReadWeights(const ServeSettings& settings, const ModelSource& source,
                                        bool may_load, const std::atomic<bool>& stop) {
  Member& first = *members_.front();
  const model::ModelFiles& files = source.files;
  model::LoadOptions load = LoadOptionsOf(settings, files, *first.backend);
  load.adapters = source.adapters.files();
  const bool on_host = first.backend->device == nullptr;
  if (!may_load || !on_host || members_.size() > 1) {
    return files.Fingerprint(first.compute.pool,
                             {.stop = &stop, .keep_pages = on_host && Grows(files, load)});
  }
  Hash128 fingerprint;
  load.fingerprint = &fingerprint;
  load.stop = &stop;
  SGLRUN_ASSIGN_OR_RETURN(first.model, model::Model::Load(files, load, first.compute.context));
  return fingerprint;
}

Status EnginePool::Load(const ServeSettings& settings, const ModelSource& source) {
  SGLRUN_RETURN_IF_ERROR(ForEach([&](Member& m) -> Status {
    if (m.model == nullptr) {
      SGLRUN_ASSIGN_OR_RETURN(
          m.model, LoadModel(settings, source.files, *m.backend, m.compute, source.adapters));
    }
    const tensor::DType kv_dtype =
        KvDType(settings, WeightDType(settings, source.files, *m.backend));
    SGLRUN_ASSIGN_OR_RETURN(
        m.engine,
        engine::Engine::Create(*m.model, *source.tokenizer,
                               EngineOptionsOf(settings, kv_dtype, *m.backend), m.compute.context));
    m.stats = m.engine->stats();
    return {};
  }));
  engine_options_ = members_.front()->engine->options();
  engine_options_.max_rows = engine_options_.kv_memory_bytes = 0;
  for (const auto& member : members_) {
    const engine::Engine& engine = *member->engine;
    engine_options_.max_rows += engine.options().max_rows;
    engine_options_.kv_memory_bytes += engine.options().kv_memory_bytes;
    if (admitting_ == nullptr || engine.stats().kv_pages < admitting_->stats().kv_pages) {
      admitting_ = member->engine.get();
    }
  }
  CollectStats();
  if (caller_steps_) return {};
  for (const auto& member : members_) {
    member->worker.Do([this, m = member.get()] { Serve(*m); });
  }
  return {};
}

EnginePool::~EnginePool() {
  {
    const std::lock_guard lock(mutex_);
    is_leaving_ = true;
  }
  submitted_.notify_all();
  for (const auto& member : members_) {
    member->worker.Do([m = member.get()] {
      if (m->engine != nullptr) m->engine->CancelAll();
      m->inbox.clear();
      m->engine.reset();
      m->model.reset();
      m->compute.device.reset();
    });
  }
  for (const auto& member : members_) member->worker.Wait();
}

void EnginePool::StepOnce(Member& member, std::unique_lock<std::mutex>& lock) {
  engine::Engine& engine = *member.engine;
  std::vector<std::unique_ptr<engine::Sequence>> fresh = std::exchange(member.inbox, {});
  lock.unlock();
  for (auto& sequence : fresh) engine.Submit(std::move(sequence));
  std::vector<GenerateResult> results = engine.Step();
  std::vector<GenerateResult> partials = engine.Partials();
  const engine::EngineStats stats = engine.stats();
  const std::int64_t waiting_tokens = engine.WaitingTokens();
  lock.lock();
  KeepLatest(partials, results, member.partials);
  Append(results, member.results);
  member.stats = stats;
  member.waiting_tokens = waiting_tokens;
  member.has_news = true;
}

void EnginePool::Serve(Member& member) {
  std::unique_lock lock(mutex_);
  while (true) {
    submitted_.wait(
        lock, [&] { return is_leaving_ || !member.inbox.empty() || member.engine->HasWork(); });
    if (is_leaving_) return;
    StepOnce(member, lock);
    stepped_.notify_one();
  }
}

void EnginePool::Submit(std::unique_ptr<engine::Sequence> sequence) {
  {
    const std::lock_guard lock(mutex_);
    Member& member = **std::ranges::min_element(
        members_, {}, [](const auto& candidate) { return candidate->unfinished; });
    ++member.unfinished;
    member.inbox.push_back(std::move(sequence));
  }
  submitted_.notify_all();
}

std::int64_t EnginePool::Unfinished() const {
  std::int64_t sum = 0;
  for (const auto& member : members_) sum += member->unfinished;
  return sum;
}

bool EnginePool::HasWork() const {
  return InFlight() > 0;
}

std::int64_t EnginePool::InFlight() const {
  const std::lock_guard lock(mutex_);
  return Unfinished();
}

std::int64_t EnginePool::WaitingTokens() const {
  const std::lock_guard lock(mutex_);
  std::int64_t sum = 0;
  for (const auto& member : members_) {
    sum += member->waiting_tokens;
    for (const auto& sequence : member->inbox) sum += sequence->size();
  }
  return sum;
}

std::vector<GenerateResult> EnginePool::Step() {
  partials_.clear();
  std::unique_lock lock(mutex_);
  if (Unfinished() == 0) return {};
  if (caller_steps_) {
    StepOnce(*members_.front(), lock);
  } else {
    stepped_.wait_for(lock, kPatience, [this] {
      return std::ranges::any_of(members_, [](const auto& member) { return member->has_news; });
    });
  }
  std::vector<GenerateResult> results;
  for (const auto& member : members_) {
    member->has_news = false;
    member->unfinished -= static_cast<std::int64_t>(member->results.size());
    Append(member->results, results);
    Append(member->partials, partials_);
  }
  CollectStats();
  return results;
}

void EnginePool::CollectStats() {
  stats_ = {};
  for (const auto& member : members_) Add(member->stats, stats_);
  for (const auto count : kCounts) stats_.*count -= counted_before_.*count;
}

void EnginePool::ResetCounts() {
  const std::lock_guard lock(mutex_);
  for (const auto count : kCounts) counted_before_.*count += stats_.*count;
  CollectStats();
}

}  // namespace sglrun::serve
