// Character properties used by Python's str methods, each table sorted by code point.
// scripts/make-python-text-tables writes character_tables.cc.
#pragma once

#include <span>

#include "text/unicode_tables.h"

namespace sglrun::jinja {

// A full case mapping: up to three characters, the unused ones 0.
struct CaseRow {
  char32_t from;
  char32_t to[3];
};

extern const std::span<const unicode::CodePointRange> kAlphabetic;  // isalpha: category L
extern const std::span<const unicode::CodePointRange> kDecimals;    // isdecimal
extern const std::span<const unicode::CodePointRange> kDigits;      // isdigit: superscripts too
extern const std::span<const unicode::CodePointRange>
    kNumerics;  // isnumeric: fractions, numerals too
extern const std::span<const unicode::CodePointRange> kUppercase;
extern const std::span<const unicode::CodePointRange> kLowercase;
extern const std::span<const unicode::CodePointRange> kTitlecase;
extern const std::span<const unicode::CodePointRange> kCased;
extern const std::span<const unicode::CodePointRange> kCaseIgnorable;
extern const std::span<const unicode::CodePointRange> kIdStart;
extern const std::span<const unicode::CodePointRange> kIdContinue;
extern const std::span<const unicode::CodePointRange> kPrintable;
extern const std::span<const CaseRow> kUpperMap;
extern const std::span<const CaseRow> kTitleMap;
extern const std::span<const CaseRow> kLowerMap;

}  // namespace sglrun::jinja
