#include "grammar/matcher/residual.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace sglrun::grammar {
namespace {

constexpr std::size_t kMostStates = 400;
constexpr int kMostHops = 3;
constexpr int kManyBytes = 64;

bool IsPlain(const Program& program, StateId state) {
  if (!program.CallsOf(state).empty() || !program.CountsOf(state).empty() ||
      !program.TokensOf(state).empty()) {
    return false;
  }
  int last = -1;
  for (const Program::ByteEdge& edge : program.BytesOf(state)) {
    if (edge.first <= last) return false;
    last = edge.last;
  }
  return true;
}

// The state that most bytes lead to, and how many do.
struct Majority {
  StateId state = -1;
  int bytes = 0;
};
Majority MajorityOf(const Program& program, StateId state) {
  Majority best;
  for (const Program::ByteEdge& edge : program.BytesOf(state)) {
    int bytes = 0;
    for (const Program::ByteEdge& other : program.BytesOf(state)) {
      if (other.target == edge.target) bytes += other.last - other.first + 1;
    }
    if (bytes > best.bytes) best = {edge.target, bytes};
  }
  return best;
}

}  // namespace

std::optional<Hash128> HashOfResidual(const Program& program, StateId state) {
  std::vector<StateId> order{state};
  std::unordered_map<StateId, std::int32_t> numbers{{state, 0}};
  std::string content;
  const auto put = [&](std::int32_t value) {
    content.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!IsPlain(program, order[i])) return std::nullopt;
    put(program.state(order[i]).accepting ? -1 : -2);
    for (const Program::ByteEdge& edge : program.BytesOf(order[i])) {
      const auto [at, is_new] =
          numbers.emplace(edge.target, static_cast<std::int32_t>(order.size()));
      if (is_new) {
        if (order.size() == kMostStates) return std::nullopt;
        order.push_back(edge.target);
      }
      put(edge.first << 8 | edge.last);
      put(at->second);
    }
  }
  return HashBytes(content);
}

std::optional<StateId> HubOf(const Program& program, StateId state) {
  for (int hop = 0; hop <= kMostHops; ++hop) {
    const Majority next = MajorityOf(program, state);
    if (next.bytes < kManyBytes) return std::nullopt;
    if (next.state == state) return state;
    state = next.state;
  }
  return std::nullopt;
}

}  // namespace sglrun::grammar
