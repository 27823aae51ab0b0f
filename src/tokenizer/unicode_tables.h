// Tables of the Unicode Character Database that tokenizer files ask for, each sorted by code point.
// scripts/gen_unicode_tables.py writes unicode_tables.cc.
#pragma once

#include <cstdint>
#include <span>

namespace sglrun::tokenizer {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

struct CombiningClass {
  char32_t first;
  char32_t last;
  std::uint8_t value;
};

// The full (recursive) decomposition of `from` is kDecompositionText[offset, offset + length).
struct Decomposition {
  char32_t from;
  std::uint16_t offset;
  std::uint16_t length;
};

struct Composition {
  char32_t first;
  char32_t second;
  char32_t composed;
};

struct CaseMapping {
  char32_t from;
  char32_t to;
};

extern const std::span<const CodePointRange> kMarks;           // categories Mn, Mc, Me
extern const std::span<const CodePointRange> kNumbers;         // Nd, Nl, No
extern const std::span<const CodePointRange> kPunctuation;     // Pc, Pd, Ps, Pe, Pi, Pf, Po
extern const std::span<const CodePointRange> kWordCharacters;  // \w of UTS #18, annex C
extern const std::span<const CombiningClass> kCombiningClasses;
extern const std::span<const Decomposition> kCanonicalDecompositions;
extern const std::span<const Decomposition> kCompatibleDecompositions;  // where they differ
extern const std::span<const char32_t> kDecompositionText;
extern const std::span<const Composition> kCompositions;
extern const std::span<const CaseMapping> kLowerCase;  // one to one mappings

}  // namespace sglrun::tokenizer
