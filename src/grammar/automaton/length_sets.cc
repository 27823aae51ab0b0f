#include "grammar/automaton/length_sets.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sglrun::grammar {

void LengthGraph::EndState(bool accepts, bool is_inner) {
  begin.push_back(static_cast<std::uint32_t>(targets.size()));
  accepting.push_back(accepts ? 1 : 0);
  inner.push_back(is_inner ? 1 : 0);
}

void LengthGraph::AddState(const Dfa::State& state, bool is_inner) {
  for (const Dfa::Edge& edge : state.edges) {
    if (targets.size() == begin.back() || targets.back() != edge.target) {
      targets.push_back(edge.target);
    }
  }
  EndState(state.accepting, is_inner);
}

LengthGraph LengthGraph::OfCharacters(const Dfa& chars) {
  LengthGraph graph;
  for (const Dfa::State& state : chars.states) graph.AddState(state, false);
  return graph;
}

LengthGraph LengthGraph::OfBytes(const Dfa& countable) {
  LengthGraph graph;
  for (const Dfa::State& state : countable.states) graph.AddState(state, IsInner(state));
  return graph;
}

// For one length after the other: from which states it leads to an end. When two neighbouring
// lengths agree about all states, all longer ones do.
class LengthSets::Finder {
 public:
  Finder(const LengthGraph& graph, Work& work)
      : graph_(graph), work_(work), open_(graph.state_count(), kNone) {
    now_ = graph.accepting;
    for (std::size_t s = 0; s < graph.state_count(); ++s) {
      if (graph.inner[s] != 0) now_[s] = 0;
    }
    OrderInner();
  }

  std::optional<LengthSets> Run(std::int64_t most) {
    CloseInner(now_);
    Note(0);
    std::int64_t length = 0;
    bool settled = false;
    while (length < most && !settled) {
      next_ = now_;
      for (std::size_t s = 0; s < graph_.state_count(); ++s) {
        if (graph_.inner[s] == 0) next_[s] = Any(s, now_);
      }
      CloseInner(next_);
      settled = next_ == now_;
      if (!settled) {
        std::swap(now_, next_);
        Note(++length);
      }
      if (!work_.Step(graph_.targets.size() / 4 + graph_.state_count()) ||
          !work_.HasMemoryFor(found_.size() * 2)) {
        return std::nullopt;
      }
    }
    return Take(length, settled);
  }

 private:
  static constexpr std::int32_t kNone = -1;

  // Those that lead to states outside first, as nothing is known of the others before.
  void OrderInner() {
    std::vector<std::uint8_t> done(graph_.state_count(), 0);
    std::vector<std::int32_t> left;
    for (std::size_t s = 0; s < done.size(); ++s) {
      done[s] = graph_.inner[s] == 0 ? 1 : 0;
      if (done[s] == 0) left.push_back(static_cast<std::int32_t>(s));
    }
    while (!left.empty()) {
      std::vector<std::int32_t> later;
      const std::size_t known = inner_.size();
      for (const std::int32_t s : left) {
        (All(static_cast<std::size_t>(s), done) ? inner_ : later).push_back(s);
      }
      CHECK(inner_.size() > known) << "characters go round in a circle";
      for (std::size_t i = known; i < inner_.size(); ++i) {
        done[static_cast<std::size_t>(inner_[i])] = 1;
      }
      left = std::move(later);
    }
  }

  template <class Visit>
  void ForTargets(std::size_t state, Visit visit) const {
    for (std::size_t e = graph_.begin[state]; e < graph_.begin[state + 1]; ++e) {
      visit(static_cast<std::size_t>(graph_.targets[e]));
    }
  }
  bool All(std::size_t state, const std::vector<std::uint8_t>& flags) const {
    bool all = true;
    ForTargets(state, [&](std::size_t target) { all &= flags[target] != 0; });
    return all;
  }
  std::uint8_t Any(std::size_t state, const std::vector<std::uint8_t>& flags) const {
    std::uint8_t any = 0;
    ForTargets(state, [&](std::size_t target) { any |= flags[target]; });
    return any;
  }
  // The same length leads on from inside a character.
  void CloseInner(std::vector<std::uint8_t>& flags) const {
    for (const std::int32_t s : inner_) {
      flags[static_cast<std::size_t>(s)] = Any(static_cast<std::size_t>(s), flags);
    }
  }

  // Runs begin and end where `now_` changes.
  void Note(std::int64_t length) {
    for (std::size_t s = 0; s < now_.size(); ++s) {
      if (now_[s] != 0 && open_[s] == kNone) open_[s] = static_cast<std::int32_t>(length);
      if (now_[s] == 0 && open_[s] != kNone) {
        found_.push_back({s, {open_[s], static_cast<std::int32_t>(length) - 1}});
        open_[s] = kNone;
      }
    }
  }

  LengthSets Take(std::int64_t length, bool settled) {
    LengthSets sets;
    sets.horizon_ = length;
    sets.endless_ = settled && std::ranges::all_of(now_, [](std::uint8_t f) { return f != 0; });
    for (std::size_t s = 0; s < open_.size(); ++s) {
      if (open_[s] == kNone) continue;
      found_.push_back({s, {open_[s], settled ? kEndless : static_cast<std::int32_t>(length)}});
    }
    std::ranges::stable_sort(found_, {}, &Found::state);
    sets.begin_.assign(open_.size() + 1, 0);
    for (const Found& found : found_) {
      ++sets.begin_[found.state + 1];
      sets.runs_.push_back(found.run);
    }
    for (std::size_t s = 0; s < open_.size(); ++s) sets.begin_[s + 1] += sets.begin_[s];
    return sets;
  }

  struct Found {
    std::size_t state;
    LengthSets::Run run;
  };

  const LengthGraph& graph_;
  Work& work_;
  std::vector<std::int32_t> inner_;       // in the order of CloseInner
  std::vector<std::uint8_t> now_, next_;  // by state: the length leads to an end
  std::vector<std::int32_t> open_;        // by state: where its last run began
  std::vector<Found> found_;
};

std::optional<LengthSets> LengthSets::Of(const LengthGraph& graph, std::int64_t most, Work& work) {
  return Finder(graph, work).Run(most);
}

bool LengthSets::Any(std::size_t state, std::int64_t least, std::int64_t most) const {
  if (most < 0) return false;
  const auto begin = runs_.begin() + begin_[state], end = runs_.begin() + begin_[state + 1];
  const auto at = std::lower_bound(
      begin, end, least, [](const Run& run, std::int64_t value) { return run.last < value; });
  return at != end && at->first <= most;
}

}  // namespace sglrun::grammar
