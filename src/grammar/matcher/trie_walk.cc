#include "grammar/matcher/trie_walk.h"

#include "grammar/matcher/residual.h"

namespace sglrun::grammar {
namespace {

StateId EndOfMachine(const Program& program, MachineId machine) {
  const auto next = static_cast<std::size_t>(machine) + 1;
  return next < program.machines.size() ? program.machines[next].start
                                        : static_cast<StateId>(program.states.size()) - 1;
}

}  // namespace

Table::Table(const Program& program, StateId state) : program_(program) {
  const MachineId machine = program.state(state).machine;
  first_ = program.machines[static_cast<std::size_t>(machine)].start;
  rows_.assign(static_cast<std::size_t>(EndOfMachine(program, machine) - first_), -kOften);
}

std::int32_t Table::Search(std::int32_t index, std::uint8_t byte) {
  std::int32_t& row = rows_[static_cast<std::size_t>(index)];
  if (row < -1) {
    ++row;
  } else if (next_.size() < kMostRows * 256) {
    AddRow(index);
  }
  const StateId next = NextByByte(program_, first_ + index, byte);
  return next < 0 ? kDead : Index(next);
}

void Table::AddRow(std::int32_t index) {
  const std::size_t begin = next_.size();
  next_.resize(begin + 256, kDead);
  for (const Program::ByteEdge& edge : program_.BytesOf(first_ + index)) {
    std::fill(next_.begin() + static_cast<std::ptrdiff_t>(begin) + edge.first,
              next_.begin() + static_cast<std::ptrdiff_t>(begin) + edge.last + 1,
              Index(edge.target));
  }
  rows_[static_cast<std::size_t>(index)] = static_cast<std::int32_t>(begin);
}

// Bytes that every way from the first place to a difference takes: from all bytes down, until no
// step has less to say.
ByteClasses AlikeTable::InAllThatDiffer(const Surroundings& around) {
  std::vector<ByteClasses> common(around.places.size(), ~ByteClasses{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (auto step = around.steps.rbegin(); step != around.steps.rend(); ++step) {
      const ByteClasses rest = step->to == kDifferent ? 0 : common[step->to];
      const ByteClasses fewer = common[step->from] & (step->byte | rest);
      changed |= fewer != common[step->from];
      common[step->from] = fewer;
    }
  }
  return common[0];
}

// Bytes that some way to a difference ends with: every way takes one of them.
ByteClasses AlikeTable::LastBytes(const Surroundings& around) {
  ByteClasses last = 0;
  for (const Surroundings::Step& step : around.steps) {
    if (step.to == kDifferent) last |= step.byte;
  }
  return last;
}

}  // namespace sglrun::grammar
