#include "grammar/matcher/spelling_check.h"

#include <vector>

namespace sglrun::grammar {
namespace {

class Search {
 public:
  Search(const Program& program, const std::bitset<256>& bytes)
      : program_(program), bytes_(bytes), ends_(program.states.size(), false) {}

  bool Run() {
    // Edges mostly lead to higher states of a machine, so a few rounds from the end settle most.
    constexpr int kMostRounds = 64;
    const StateId start = program_.machines[static_cast<std::size_t>(program_.root)].start;
    bool grew = true;
    for (int round = 0; round < kMostRounds && grew && !Ends(start); ++round) {
      grew = false;
      for (auto s = static_cast<StateId>(program_.states.size()) - 2; s >= 0; --s) {
        if (Ends(s) || !CanEnd(s)) continue;
        ends_[static_cast<std::size_t>(s)] = grew = true;
      }
    }
    return Ends(start);
  }

 private:
  bool Ends(StateId s) const { return ends_[static_cast<std::size_t>(s)]; }
  bool MachineEnds(MachineId m) const {
    return Ends(program_.machines[static_cast<std::size_t>(m)].start);
  }

  bool CanEnd(StateId s) const {
    if (program_.state(s).accepting) return true;
    for (const Program::ByteEdge& edge : program_.BytesOf(s)) {
      if (Ends(edge.target) && AnyOf(edge)) return true;
    }
    for (const Program::Call& call : program_.CallsOf(s)) {
      if (Ends(call.target) && MachineEnds(call.machine)) return true;
    }
    for (const Program::CountEdge& edge : program_.CountsOf(s)) {
      if (Ends(edge.target) && MachineEnds(edge.body)) return true;
    }
    return false;
  }
  bool AnyOf(const Program::ByteEdge& edge) const {
    for (int byte = edge.first; byte <= edge.last; ++byte) {
      if (bytes_[static_cast<std::size_t>(byte)]) return true;
    }
    return false;
  }

  const Program& program_;
  const std::bitset<256>& bytes_;
  std::vector<bool> ends_;  // by state: its machine can be brought to an end from there
};

}  // namespace

std::bitset<256> SingleBytes(const Vocabulary& vocabulary) {
  std::bitset<256> bytes;
  const auto nodes = vocabulary.nodes();
  for (std::size_t i = 1; i + 1 < nodes.size();
       i = static_cast<std::size_t>(nodes[i].subtree_end)) {
    if (nodes[i + 1].first_token > nodes[i].first_token) bytes.set(nodes[i].byte);
  }
  return bytes;
}

bool HasMemberOver(const Program& program, const std::bitset<256>& bytes) {
  if (program.empty_text) return true;
  return program.root >= 0 && Search(program, bytes).Run();
}

}  // namespace sglrun::grammar
