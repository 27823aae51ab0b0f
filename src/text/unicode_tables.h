// Tables of the Unicode Character Database for tokenizer files, each sorted by code point.
// scripts/make-unicode-tables writes unicode_tables.cc.
#pragma once

#include <cstdint>
#include <span>

namespace sglrun::unicode {

struct CodePointRange {
  char32_t first;
  char32_t last;
};

struct ValueRange {
  char32_t first;
  char32_t last;
  std::uint8_t value;
};

// Values of Grapheme_Cluster_Break, and Extended_Pictographic (UAX #29, table 2).
enum class GraphemeBreak : std::uint8_t {
  kOther,
  kCr,
  kLf,
  kControl,
  kExtend,
  kZwj,
  kRegionalIndicator,
  kPrepend,
  kSpacingMark,
  kLead,
  kVowel,
  kTrail,
  kLeadVowel,
  kLeadVowelTrail,
  kPictograph,
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

// Of several versions of Unicode, as in the reference: the script tells.
extern const std::span<const CodePointRange> kMarks;            // categories Mn, Mc, Me
extern const std::span<const CodePointRange> kNonSpacingMarks;  // Mn
extern const std::span<const CodePointRange> kControls;         // Cc, Cf, Co
extern const std::span<const CodePointRange> kNumbers;          // Nd, Nl, No
extern const std::span<const CodePointRange> kPunctuation;      // Pc, Pd, Ps, Pe, Pi, Pf, Po
extern const std::span<const CodePointRange> kWordCharacters;   // \w of UTS #18, annex C
extern const std::span<const ValueRange> kCombiningClasses;
extern const std::span<const ValueRange> kScripts;         // numbers without a meaning of their own
extern const std::span<const ValueRange> kGraphemeBreaks;  // GraphemeBreak
extern const std::span<const Decomposition> kCanonicalDecompositions;
extern const std::span<const Decomposition> kCompatibleDecompositions;  // where they differ
extern const std::span<const char32_t> kDecompositionText;
extern const std::span<const Composition> kCompositions;
extern const std::span<const CaseMapping> kLowerCase;  // one to one mappings

}  // namespace sglrun::unicode
