#include "grammar/matcher/spelling_check.h"

#include <vector>

namespace sglrun::grammar {
namespace {

class Search {
 public:
  enum class Tokens : std::uint8_t { kNone, kAny };  // which token elements can be spelled
  Search(const Program& program, const std::bitset<256>& bytes, Tokens tokens)
      : program_(program),
        bytes_(bytes),
        any_token_(tokens == Tokens::kAny),
        ends_(program.states.size(), false) {}

  enum class Outcome : std::uint8_t { kFound, kNone, kUnknown };
  Outcome Run() {
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
    if (Ends(start)) return Outcome::kFound;
    return grew ? Outcome::kUnknown : Outcome::kNone;
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
    for (const Program::TokenEdge& edge : program_.TokensOf(s)) {
      if (any_token_ && Ends(edge.target)) return true;
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
  bool any_token_;
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

std::bitset<256> AllBytes(const Vocabulary& vocabulary) {
  std::bitset<256> bytes;
  const auto nodes = vocabulary.nodes();
  for (std::int32_t i = 1; i < nodes[0].subtree_end; ++i) {
    bytes.set(nodes[static_cast<std::size_t>(i)].byte);
  }
  return bytes;
}

bool HasMemberOver(const Program& program, const std::bitset<256>& bytes) {
  if (program.empty_text) return true;
  return program.root >= 0 &&
         Search(program, bytes, Search::Tokens::kNone).Run() == Search::Outcome::kFound;
}

bool LacksMemberOver(const Program& program, const std::bitset<256>& bytes) {
  if (program.empty_text || program.root < 0) return false;
  return Search(program, bytes, Search::Tokens::kAny).Run() == Search::Outcome::kNone;
}

}  // namespace sglrun::grammar
