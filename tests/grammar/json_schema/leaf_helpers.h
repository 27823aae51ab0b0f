// Short ways to ask the leaves of JSON Schema, for their tests.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "grammar/automaton/dfa.h"
#include "grammar/base/decimal.h"

namespace sglrun::grammar {

inline bool HoldsBytes(const Dfa& bytes, std::string_view text) {
  std::vector<std::uint32_t> symbols;
  for (const char c : text) symbols.push_back(static_cast<unsigned char>(c));
  return bytes.Accepts(symbols);
}

inline bool HoldsText(const Dfa& chars, std::string_view utf8) {
  std::vector<std::uint32_t> symbols;
  for (std::size_t at = 0; at < utf8.size();) symbols.push_back(DecodeUtf8(utf8, at));
  return chars.Accepts(symbols);
}

inline Decimal ReadDecimal(std::string_view text) {
  return Decimal::Parse(text).value();
}

}  // namespace sglrun::grammar
