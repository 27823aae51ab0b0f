// Which texts an automaton has whose edges stand for texts in turn: the empty one, any others.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "grammar/ir/grammar.h"

namespace sglrun::grammar {

class Reach {
 public:
  struct Texts {
    bool empty = false, others = false;
  };

  Texts Of(const Dfa& dfa);
  // `texts_of`: of the expressions on its edges.
  template <class TextsOf>
  Texts Of(const Network& net, TextsOf texts_of) {
    begin_.assign(static_cast<std::size_t>(net.states) + 2, 0);
    const auto for_all = [&](auto visit) {
      for (const Network::ByteEdge& edge : net.bytes) visit(edge.from, edge.to, Texts{false, true});
      for (const Network::ExprEdge& edge : net.exprs)
        visit(edge.from, edge.to, texts_of(edge.expr));
    };
    for_all([&](std::int32_t from, std::int32_t, Texts) {
      ++begin_[static_cast<std::size_t>(from) + 2];
    });
    for (std::size_t i = 2; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    arcs_.resize(begin_.back());
    for_all([&](std::int32_t from, std::int32_t to, Texts texts) {
      arcs_[begin_[static_cast<std::size_t>(from) + 1]++] = {to, texts};
    });
    return Walk(net);
  }

 private:
  struct Arc {
    std::int32_t to = 0;
    Texts texts;
  };
  // How a state is reached, as bits: having taken nothing, or something.
  static constexpr std::uint8_t kNothing = 1, kSomething = 2;

  Texts Walk(const Network& net);

  // Scratch memory. Arcs from s: arcs_[begin_[s], begin_[s + 1]).
  std::vector<std::size_t> begin_;
  std::vector<Arc> arcs_;
  std::vector<std::uint8_t> reached_;
  std::vector<std::pair<std::int32_t, std::uint8_t>> todo_;
};

}  // namespace sglrun::grammar
