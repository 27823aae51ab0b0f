#include "grammar/matcher/machine.h"

namespace sglrun::grammar {
namespace {

std::string Byte(std::uint8_t byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (byte > ' ' && byte < 0x7F) return {static_cast<char>(byte)};
  return {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

std::string NameOf(Count::Of what) {
  switch (what) {
    case Count::Of::kMembers:
      return "count ";
    case Count::Of::kTokens:
      return "tokens of ";
    case Count::Of::kChars:
      return "characters of ";
    case Count::Of::kDistinct:
      return "distinct in ";
    case Count::Of::kElements:
      return "element ";
  }
  return "";
}

std::string ToString(const Symbol& symbol, const Machines& machines) {
  switch (symbol.kind) {
    case Symbol::Kind::kBytes:
      return Byte(symbol.first) +
             (symbol.first == symbol.last ? std::string() : "-" + Byte(symbol.last));
    case Symbol::Kind::kCall:
      return "call " + std::to_string(symbol.id);
    case Symbol::Kind::kCount: {
      const Count& count = machines.counts[static_cast<std::size_t>(symbol.id)];
      return NameOf(count.of) + std::to_string(count.body) + "{" + std::to_string(count.min) + "," +
             (count.max == kUnbounded ? std::string() : std::to_string(count.max)) + "}";
    }
    case Symbol::Kind::kTokens:
      return "tokens " + std::to_string(symbol.id);
    case Symbol::Kind::kNothing:
      return "nothing";
  }
  return "";
}

}  // namespace

std::int32_t Machines::Intern(const Count& count) {
  const auto [at, is_new] = count_ids_.emplace(count, static_cast<std::int32_t>(counts.size()));
  if (is_new) counts.push_back(count);
  return at->second;
}

std::string ToString(const Machines& machines) {
  std::string out =
      "root " + std::to_string(machines.root) + (machines.empty_text ? ", may be empty\n" : "\n");
  for (std::size_t m = 0; m < machines.machines.size(); ++m) {
    out += "machine " + std::to_string(m) + "\n";
    const Machine& machine = machines.machines[m];
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
      out += "  " + std::to_string(s) + (machine.accepting[s] != 0 ? " accepts" : "");
      for (const Machine::Edge& edge : machine.EdgesOf(s)) {
        out += "  " + ToString(edge.symbol, machines) + " -> " + std::to_string(edge.target);
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace sglrun::grammar
