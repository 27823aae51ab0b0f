#include "grammar/matcher/reach.h"

namespace sglrun::grammar {

Reach::Texts Reach::Of(const Dfa& dfa) {
  reached_.assign(dfa.states.size(), 0);
  todo_.assign(1, {0, kSomething});
  Texts found{!dfa.states.empty() && dfa.states[0].accepting, false};
  while (!todo_.empty() && !found.others && !dfa.states.empty()) {
    const auto state = static_cast<std::size_t>(todo_.back().first);
    todo_.pop_back();
    for (const Dfa::Edge& edge : dfa.states[state].edges) {
      const auto target = static_cast<std::size_t>(edge.target);
      if (std::exchange(reached_[target], kSomething) != 0) continue;
      found.others |= dfa.states[target].accepting;
      todo_.emplace_back(edge.target, kSomething);
    }
  }
  return found;
}

Reach::Texts Reach::Walk(const Network& net) {
  reached_.assign(static_cast<std::size_t>(net.states), 0);
  todo_.clear();
  const auto reach = [&](std::int32_t state, std::uint8_t how) {
    std::uint8_t& reached = reached_[static_cast<std::size_t>(state)];
    if ((reached & how) != 0) return;
    reached |= how;
    todo_.emplace_back(state, how);
  };
  reach(0, kNothing);
  while (!todo_.empty()) {
    const std::size_t state = static_cast<std::size_t>(todo_.back().first);
    const std::uint8_t how = todo_.back().second;
    todo_.pop_back();
    for (std::size_t i = begin_[state]; i < begin_[state + 1]; ++i) {
      const Arc& arc = arcs_[i];
      if (arc.texts.empty) reach(arc.to, how);
      if (arc.texts.others) reach(arc.to, kSomething);
    }
  }
  Texts found;
  for (const std::int32_t state : net.accepting) {
    found.empty |= (reached_[static_cast<std::size_t>(state)] & kNothing) != 0;
    found.others |= (reached_[static_cast<std::size_t>(state)] & kSomething) != 0;
  }
  return found;
}

}  // namespace sglrun::grammar
