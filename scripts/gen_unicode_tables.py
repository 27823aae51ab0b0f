#!/usr/bin/env python3
"""Writes src/tokenizer/unicode_tables.cc from the Unicode Character Database.

Needs Debian's package unicode-data (15.0.0) and is run by hand:
    scripts/gen_unicode_tables.py [--ucd /usr/share/unicode] > src/tokenizer/unicode_tables.cc
Building sglrun needs the generated file only.

Tokenizer files mean what the reference library (tokenizers 0.23.3) makes of them, and it looks
characters up in tables of several ages: categories of Unicode 8 (its crate unicode_categories),
normal forms, combining marks and scripts of Unicode 9, word characters and case of its own day. Later
characters are left out accordingly (DerivedAge.txt), and characters that have changed since are
listed here. Compared with the library over all code points.
"""
import argparse
import pathlib


CATEGORIES, NORMALIZATION = (8, 0), (9, 0)  # versions of the reference's tables

# Characters that stood elsewhere in those versions.
THEN_PUNCTUATION = {0x166D, 0x111C9}
THEN_NO_MARK = {0x111C9}
THEN_MARK = {0x1CF2, 0x1CF3}
THEN_NON_SPACING = {0x1734}
THEN_NO_NON_SPACING = {0x1885, 0x1886, 0xA9BD, 0x111C9}
THEN_SCRIPT = {0x589: "Common", 0x61C: "Common", 0x953: "Devanagari", 0x954: "Devanagari"}

# In the order of GraphemeBreak in unicode_tables.h, "Other" before them.
GRAPHEME_BREAKS = ["CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend",
                   "SpacingMark", "L", "V", "T", "LV", "LVT", "Extended_Pictographic"]


class Ucd:
    """The properties the tokenizer needs, as code point -> value."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.category, self.ccc, self.lower = {}, {}, {}
        self.canonical, self.compatible = {}, {}
        self.read_unicode_data()
        self.age = {c: tuple(map(int, age.split(".")))
                    for c, age in self.values("DerivedAge.txt").items()}
        self.version = self.read_version()

    def lines(self, name):
        for line in (self.folder / name).read_text(encoding="utf-8").splitlines():
            line = line.split("#")[0].strip()
            if line:
                yield [field.strip() for field in line.split(";")]

    def read_version(self):
        with open(self.folder / "DerivedCoreProperties.txt", encoding="utf-8") as file:
            return file.readline().removeprefix("# DerivedCoreProperties-").removesuffix(".txt\n")

    def read_unicode_data(self):
        range_start = None
        for row in self.lines("UnicodeData.txt"):
            code = int(row[0], 16)
            if row[1].endswith(", First>"):
                range_start = code
                continue
            for c in range(range_start if row[1].endswith(", Last>") else code, code + 1):
                self.category[c] = row[2]
            if row[3] != "0":
                self.ccc[code] = int(row[3])
            if row[5].startswith("<"):
                self.compatible[code] = [int(c, 16) for c in row[5].split("> ")[1].split()]
            elif row[5]:
                self.canonical[code] = [int(c, 16) for c in row[5].split()]
            if row[13]:
                self.lower[code] = int(row[13], 16)

    def values(self, name):
        """Code point -> value of a file with one property."""
        found = {}
        for row in self.lines(name):
            first, _, last = row[0].partition("..")
            found.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), row[1]))
        return found

    def property(self, name, wanted):
        found = set()
        for row in self.lines(name):
            if row[1] == wanted:
                first, _, last = row[0].partition("..")
                found.update(range(int(first, 16), int(last or first, 16) + 1))
        return found

    def known_in(self, version, table):
        """The part of a set or dict whose characters existed in that version."""
        if isinstance(table, set):
            return {c for c in table if self.age[c] <= version}
        return {c: value for c, value in table.items() if self.age[c] <= version}

    def scripts(self):
        """Script numbers, with the kana counted as Han and the space as no script, as the
        reference's pre-tokenizer does."""
        scripts = {**self.known_in(NORMALIZATION, self.values("Scripts.txt")), **THEN_SCRIPT}
        names = sorted(set(scripts.values()) - {"Hiragana", "Katakana"})
        number = {name: i + 1 for i, name in enumerate(names)}
        number["Hiragana"] = number["Katakana"] = number["Han"]
        out = {c: number[name] for c, name in scripts.items() if c != 0x20}
        out[0x30FC] = number["Han"]
        return out

    def grapheme_breaks(self):
        pictographs = self.property("emoji/emoji-data.txt", "Extended_Pictographic")
        names = {**dict.fromkeys(pictographs, "Extended_Pictographic"),
                 **self.values("auxiliary/GraphemeBreakProperty.txt")}
        return {c: GRAPHEME_BREAKS.index(name) + 1 for c, name in names.items()}

    def with_category(self, prefixes):
        return {c for c, category in self.category.items() if category.startswith(prefixes)}

    def expand(self, code, compatible):
        """The full decomposition, before canonical reordering."""
        mapping = self.canonical.get(code)
        if mapping is None and compatible:
            mapping = self.compatible.get(code)
        if mapping is None:
            return [code]
        return [part for c in mapping for part in self.expand(c, compatible)]

    def compositions(self):
        excluded = self.property("DerivedNormalizationProps.txt", "Full_Composition_Exclusion")
        return sorted((m[0], m[1], c) for c, m in self.canonical.items()
                      if len(m) == 2 and c not in excluded)


def ranges(codes):
    out = []
    for c in sorted(codes):
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def class_ranges(classes):
    out = []
    for c, value in sorted(classes.items()):
        if out and out[-1][1] == c - 1 and out[-1][2] == value:
            out[-1][1] = c
        else:
            out.append([c, c, value])
    return out


def braced(value):
    return f"{value:#x}" if isinstance(value, int) else f"{{{','.join(map(braced, value))}}}"


def emit(kind, name, rows):
    print(f"constexpr {kind} {name}Data[] = {{")
    line = "   "
    for row in rows:
        cell = f" {braced(row)},"
        if len(line) + len(cell) > 100:
            print(line)
            line = "   "
        line += cell
    print(line + "\n};\n")


def decompositions(ucd):
    """Rows (from, offset, length) for both kinds, and the shared text they point into."""
    text, offsets = [], {}

    def place(parts):
        key = tuple(parts)
        if key not in offsets:
            offsets[key] = len(text)
            text.extend(parts)
        return offsets[key]

    canonical = [(c, place(p), len(p)) for c in sorted(ucd.canonical)
                 for p in [ucd.expand(c, False)]]
    compatible = [(c, place(p), len(p)) for c in sorted({*ucd.canonical, *ucd.compatible})
                  for p in [ucd.expand(c, True)] if p != ucd.expand(c, False)]
    return canonical, compatible, text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ucd", default="/usr/share/unicode")
    ucd = Ucd(parser.parse_args().ucd)
    ucd.canonical = ucd.known_in(NORMALIZATION, ucd.canonical)
    ucd.compatible = ucd.known_in(NORMALIZATION, ucd.compatible)
    canonical, compatible, text = decompositions(ucd)
    word = (ucd.property("DerivedCoreProperties.txt", "Alphabetic") | ucd.with_category("M")
            | ucd.with_category(("Nd", "Pc")) | ucd.property("PropList.txt", "Join_Control"))
    marks = ucd.known_in(NORMALIZATION, ucd.with_category("M")) - THEN_NO_MARK | THEN_MARK
    non_spacing = (ucd.known_in(CATEGORIES, ucd.with_category("Mn")) - THEN_NO_NON_SPACING
                   | THEN_NON_SPACING)
    punctuation = ucd.known_in(CATEGORIES, ucd.with_category("P")) | THEN_PUNCTUATION
    controls = ucd.known_in(CATEGORIES, ucd.with_category(("Cc", "Cf", "Co")))
    tables = [
        ("CodePointRange", "kMarks", ranges(marks)),
        ("CodePointRange", "kNonSpacingMarks", ranges(non_spacing)),
        ("CodePointRange", "kControls", ranges(controls)),
        ("CodePointRange", "kNumbers", ranges(ucd.with_category("N"))),
        ("CodePointRange", "kPunctuation", ranges(punctuation)),
        ("CodePointRange", "kWordCharacters", ranges(word)),
        ("ValueRange", "kCombiningClasses",
         class_ranges(ucd.known_in(NORMALIZATION, ucd.ccc))),
        ("ValueRange", "kScripts", class_ranges(ucd.scripts())),
        ("ValueRange", "kGraphemeBreaks", class_ranges(ucd.grapheme_breaks())),
        ("Decomposition", "kCanonicalDecompositions", canonical),
        ("Decomposition", "kCompatibleDecompositions", compatible),
        ("char32_t", "kDecompositionText", text),
        ("Composition", "kCompositions", ucd.compositions()),
        ("CaseMapping", "kLowerCase", sorted(ucd.lower.items())),
    ]
    print(f"// Generated by scripts/gen_unicode_tables.py from the Unicode Character Database "
          f"{ucd.version}.")
    print('// Do not edit.\n#include "tokenizer/unicode_tables.h"\n')
    print("// clang-format off\nnamespace sglrun::tokenizer {\nnamespace {\n")
    for kind, name, rows in tables:
        emit(kind, name, rows)
    print("}  // namespace\n")
    for kind, name, _ in tables:
        print(f"constinit const std::span<const {kind}> {name}{{{name}Data}};")
    print("\n}  // namespace sglrun::tokenizer\n// clang-format on")


if __name__ == "__main__":
    main()
