// Decides which sequences compute how many tokens in the next step. It works with pages and counts
// only, not with the model.
//
// Decode rows come first, the rest of the token budget goes to prompts in chunks. A sequence is
// admitted if there are enough free pages for all its tokens, plus a share of the pages that
// running sequences may still need. If pages run out nevertheless, the youngest sequence releases
// its pages and is computed again later. A prompt waits if another sequence is computing its next
// page. Sequences with a shared prefix run one after the other; all others run in order of
// submission.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/block_manager.h"
#include "engine/prompt_index.h"
#include "engine/sequence.h"

namespace sglrun::engine {

// Tokens [first, first + count) of the sequence are computed in this step.
struct PlannedRow {
  Sequence* sequence = nullptr;
  std::int64_t first = 0;
  std::int64_t count = 0;
  // The last of them is not known yet: it is the result of this row of the unread draw. -1: all are
  // known.
  std::int32_t drawn_row = -1;
};

class Scheduler {
 public:
  struct Limits {
    std::int64_t max_rows = 0;
    std::int64_t max_batch_tokens = 0;  // at least max_rows: every decode row moves in every step
  };
  Scheduler(const Limits& limits, BlockManager& blocks);

  void Submit(std::unique_ptr<Sequence> sequence);
  bool HasWork() const { return !running_.empty() || !waiting_.empty(); }
  std::int64_t running() const { return static_cast<std::int64_t>(running_.size()); }
  std::int64_t waiting() const { return static_cast<std::int64_t>(waiting_.size()); }
  std::int64_t waiting_tokens() const { return waiting_tokens_; }  // of the waiting sequences
  std::int64_t preemptions() const { return preemptions_; }
  std::int64_t cached_tokens() const { return cached_tokens_; }  // prompt tokens not computed again

  // The rows of the next step, never none while there is work. Valid until the next call.
  std::span<const PlannedRow> Plan();

  // Plans the step after a draw that is not read yet. `drawn[r]` is the sequence whose next token
  // is drawn in row r, or null if that token is not to be fed. Returns no rows if a sequence would
  // have to be preempted, for which its tokens must be known, or if there is nothing to do. Valid
  // until the next plan.
  std::span<const PlannedRow> PlanAhead(std::span<Sequence* const> drawn);

  // Tokens [first, first + count) of the sequence are in the cache now: its full pages are
  // published for others.
  void Computed(Sequence& sequence, std::int64_t first, std::int64_t count);

  // Removes a finished sequence and releases its pages.
  std::unique_ptr<Sequence> Remove(const Sequence& sequence);
  // Removes every sequence; their full pages stay in the cache.
  void CancelAll();

  // "running 3: 37 of 40 tokens, next 1, pages 4 9 2", one line per sequence.
  std::string ToString() const;
  void CheckIntegrity() const;

 private:
  void PlanRows();
  bool CanGrowAll() const;
  void PlanDecodes();
  void PlanChunks();
  void AdmitWaiting();
  Sequence* NextToAdmit();
  Sequence* NextOfAPrefix();
  Sequence* NextInOrder();
  bool IsReady(Sequence& sequence);
  void Admit(Sequence& sequence);
  void Wait(std::unique_ptr<Sequence> sequence);
  bool GrowTo(Sequence& sequence, std::int64_t tokens);
  void PreemptYoungest();
  bool TryAdmit(Sequence& sequence);
  bool NextPageIsBeingComputed(const Sequence& sequence, std::span<const PageId> matched,
                               std::int64_t matchable) const;

  Limits limits_;
  BlockManager* blocks_;
  std::uint64_t next_order_ = 0;
  std::vector<std::unique_ptr<Sequence>> running_;  // ascending order of submission
  std::deque<std::unique_ptr<Sequence>> waiting_;   // ascending order of submission
  PromptIndex waiting_prompts_;                     // of those that share pages
  // The last admitted prompt of each branch of the trie in which other prompts are waiting; the
  // latest is used first.
  std::deque<PromptIndex::Prompt> branches_;
  std::int64_t overtaken_ = 0;  // admissions since the oldest waiting one became that
  std::int64_t waiting_tokens_ = 0;
  // In the step being planned: where NextInOrder continues, and how many it may still look at.
  std::uint64_t look_from_ = 0;
  std::int64_t looks_left_ = 0;
  std::vector<PlannedRow> rows_;
  std::int64_t budget_ = 0;  // tokens left in the step being planned
  bool preempted_ = false;   // in the step being planned
  std::int64_t preemptions_ = 0;
  std::int64_t cached_tokens_ = 0;
};

}  // namespace sglrun::engine
