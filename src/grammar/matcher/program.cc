#include "grammar/matcher/program.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace sglrun::grammar {
namespace {

// Edges are sorted; bytes come first.
bool IsPlain(const Machine& machine) {
  for (std::size_t s = 0; s < machine.state_count(); ++s) {
    int last = -1;
    for (const Machine::Edge& edge : machine.EdgesOf(s)) {
      if (edge.symbol.kind != Symbol::Kind::kBytes || edge.symbol.first <= last) return false;
      last = edge.symbol.last;
    }
  }
  return true;
}

Hash128 ContentOf(const Machine& machine) {
  std::string content;
  const auto put = [&](std::int32_t value) {
    content.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (std::size_t s = 0; s < machine.state_count(); ++s) {
    put(machine.accepting[s] != 0 ? -1 : -2);
    for (const Machine::Edge& edge : machine.EdgesOf(s)) {
      put(edge.symbol.first << 8 | edge.symbol.last);
      put(edge.target);
    }
  }
  return HashBytes(content);
}

bool EndsAtOnce(const Machine& machine, std::size_t state) {
  return machine.accepting[state] != 0 && machine.EdgesOf(state).empty();
}

// Without the edges out of accepting states, its states numbered alike.
Machine ClosingCopy(const Machine& machine) {
  Machine closing;
  for (std::size_t s = 0; s < machine.state_count(); ++s) {
    const auto edges = machine.EdgesOf(s);
    if (machine.accepting[s] == 0) {
      closing.edges.insert(closing.edges.end(), edges.begin(), edges.end());
    }
    closing.EndState(machine.accepting[s] != 0);
  }
  return closing;
}

class Flattener {
 public:
  Flattener(const Machines& machines, const Grammar& grammar)
      : machines_(machines), grammar_(grammar) {}

  Program Run() {
    StateId base = 0;
    for (const Machine& machine : machines_.machines) {
      bases_.push_back(base);
      base += static_cast<StateId>(machine.state_count());
    }
    for (std::size_t m = 0; m < machines_.machines.size(); ++m) {
      Add(machines_.machines[m], bases_[m]);
    }
    AddClosingCopies();
    AddLengthSets();
    out_.states.push_back(Begins());
    out_.root = machines_.root;
    out_.empty_text = machines_.empty_text;
    return std::move(out_);
  }

 private:
  Program::State Begins() const {
    return {.bytes = static_cast<std::int32_t>(out_.byte_edges.size()),
            .calls = static_cast<std::int32_t>(out_.calls.size()),
            .counts = static_cast<std::int32_t>(out_.count_edges.size()),
            .tokens = static_cast<std::int32_t>(out_.token_edges.size())};
  }

  void Add(const Machine& machine, StateId base) {
    const auto m = static_cast<MachineId>(out_.machines.size());
    const bool plain = IsPlain(machine);
    bool ends = true;
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
      ends &= machine.accepting[s] == 0 || machine.EdgesOf(s).empty();
    }
    out_.machines.push_back({.start = base,
                             .prefix_code = plain && ends,
                             .plain = plain,
                             .content = plain ? ContentOf(machine) : Hash128{}});
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
      Program::State state = Begins();
      state.machine = m;
      state.accepting = machine.accepting[s] != 0;
      out_.states.push_back(state);
      for (const Machine::Edge& edge : machine.EdgesOf(s)) Add(machine, edge, base + edge.target);
    }
  }

  // For bodies of token limits.
  void AddClosingCopies() {
    std::map<MachineId, StateId> copies;
    for (const std::size_t e : token_counts_) {
      const MachineId body = out_.count_edges[e].body;
      const auto [copy, is_new] = copies.emplace(body, static_cast<StateId>(out_.states.size()));
      out_.count_edges[e].closing = copy->second;
      if (!is_new) continue;
      Add(ClosingCopy(machines_.machines[static_cast<std::size_t>(body)]), copy->second);
      Program::MachineInfo& info = out_.machines[static_cast<std::size_t>(body)];
      CHECK(info.plain) << "a token limit over a machine with calls";
      info.has_token_limit = out_.has_token_limits = true;
    }
  }

  // For bodies of limits on characters. What the sets cost was paid by the front end, which asked
  // them whether there are texts at all (counted_text.h).
  void AddLengthSets() {
    std::map<MachineId, std::int64_t> most;  // characters, by body
    for (const std::size_t e : char_limits_) {
      const Program::CountEdge& edge = out_.count_edges[e];
      std::int64_t& longest = most[edge.body];
      longest = std::max(longest, edge.max);
    }
    const Limits limits = Limits::WithoutWork();
    Budget budget(limits);
    std::map<MachineId, std::int32_t> sets;
    for (const auto& [body, longest] : most) {
      Work work(budget, "a bound on characters");
      auto found = LengthSets::Of(GraphOf(machines_.machines[static_cast<std::size_t>(body)]),
                                  longest, work);
      CHECK(found) << work.error().message;
      sets[body] = static_cast<std::int32_t>(out_.length_sets.size());
      out_.length_sets.push_back(*std::move(found));
      MarkStates(body);
    }
    for (const std::size_t e : char_limits_) {
      out_.count_edges[e].lengths = sets.at(out_.count_edges[e].body);
    }
  }
  static bool IsInnerState(const Machine& machine, std::size_t state) {
    const auto edges = machine.EdgesOf(state);
    return !edges.empty() && edges.front().symbol.id != 0;
  }
  static LengthGraph GraphOf(const Machine& machine) {
    LengthGraph graph;
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
      for (const Machine::Edge& edge : machine.EdgesOf(s)) graph.targets.push_back(edge.target);
      graph.EndState(machine.accepting[s] != 0, IsInnerState(machine, s));
    }
    return graph;
  }
  void MarkStates(MachineId body) {
    const Machine& machine = machines_.machines[static_cast<std::size_t>(body)];
    const auto base = static_cast<std::size_t>(bases_[static_cast<std::size_t>(body)]);
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
      out_.states[base + s].counts_chars = true;
      out_.states[base + s].inner = IsInnerState(machine, s);
    }
  }

  void Add(const Machine& machine, const Machine::Edge& edge, StateId target) {
    const bool last = EndsAtOnce(machine, static_cast<std::size_t>(edge.target));
    switch (edge.symbol.kind) {
      case Symbol::Kind::kBytes:
        out_.byte_edges.push_back({edge.symbol.first, edge.symbol.last, target});
        return;
      case Symbol::Kind::kCall:
        out_.calls.push_back({edge.symbol.id, target, last});
        return;
      case Symbol::Kind::kCount: {
        const Count& count = machines_.counts[static_cast<std::size_t>(edge.symbol.id)];
        if (count.of == Count::Of::kTokens) token_counts_.push_back(out_.count_edges.size());
        if (count.of == Count::Of::kChars) char_limits_.push_back(out_.count_edges.size());
        out_.count_edges.push_back({.body = count.body,
                                    .min = count.min,
                                    .max = count.max,
                                    .target = target,
                                    .distinct = count.of == Count::Of::kDistinct,
                                    .element = count.of == Count::Of::kElements});
        out_.has_distinct |= count.of == Count::Of::kDistinct;
        return;
      }
      case Symbol::Kind::kTokens:
        out_.token_edges.push_back({TokenSetOf(edge.symbol.id), target});
        return;
      case Symbol::Kind::kNothing:
        return;
    }
  }

  std::int32_t TokenSetOf(ExprId e) {
    const auto [at, is_new] =
        token_sets_.emplace(e, static_cast<std::int32_t>(out_.token_sets.size()));
    if (is_new) {
      const auto& tokens = std::get<node::Tokens>(grammar_.expr(e));
      out_.token_sets.push_back({tokens.ids, tokens.excluded});
    }
    return at->second;
  }

  const Machines& machines_;
  const Grammar& grammar_;
  std::vector<StateId> bases_;
  std::map<ExprId, std::int32_t> token_sets_;
  std::vector<std::size_t> token_counts_, char_limits_;  // of count_edges, those of each kind
  Program out_;
};

template <class T>
std::size_t Bytes(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace

bool Program::TokenSet::Contains(std::int32_t id) const {
  return std::binary_search(ids.begin(), ids.end(), id) != excluded;
}

std::size_t Program::MemoryBytes() const {
  std::size_t bytes = sizeof *this + Bytes(states) + Bytes(byte_edges) + Bytes(calls) +
                      Bytes(count_edges) + Bytes(token_edges) + Bytes(token_sets) + Bytes(machines);
  for (const TokenSet& set : token_sets) bytes += Bytes(set.ids);
  for (const LengthSets& sets : length_sets) bytes += sizeof sets + sets.MemoryBytes();
  return bytes;
}

Program Flatten(const Machines& machines, const Grammar& grammar) {
  return Flattener(machines, grammar).Run();
}

}  // namespace sglrun::grammar
