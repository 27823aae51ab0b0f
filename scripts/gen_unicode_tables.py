#!/usr/bin/env python3
"""Writes src/tokenizer/unicode_tables.cc from the Unicode Character Database.

Needs Debian's package unicode-data (15.0.0) and is run by hand:
    scripts/gen_unicode_tables.py [--ucd /usr/share/unicode] > src/tokenizer/unicode_tables.cc
Building sglrun needs the generated file only.
"""
import argparse
import pathlib


class Ucd:
    """The properties the tokenizer needs, as code point -> value."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.category, self.ccc, self.lower = {}, {}, {}
        self.canonical, self.compatible = {}, {}
        self.read_unicode_data()
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

    def property(self, name, wanted):
        found = set()
        for row in self.lines(name):
            if row[1] == wanted:
                first, _, last = row[0].partition("..")
                found.update(range(int(first, 16), int(last or first, 16) + 1))
        return found

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


def emit(kind, name, rows):
    print(f"constexpr {kind} {name}Data[] = {{")
    line = "   "
    for row in rows:
        cell = " " + (f"{{{','.join(f'{v:#x}' for v in row)}}}" if isinstance(row, (list, tuple))
                      else f"{row:#x}") + ","
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
    canonical, compatible, text = decompositions(ucd)
    word = (ucd.property("DerivedCoreProperties.txt", "Alphabetic") | ucd.with_category("M")
            | ucd.with_category(("Nd", "Pc")) | ucd.property("PropList.txt", "Join_Control"))
    tables = [
        ("CodePointRange", "kMarks", ranges(ucd.with_category("M"))),
        ("CodePointRange", "kNumbers", ranges(ucd.with_category("N"))),
        ("CodePointRange", "kPunctuation", ranges(ucd.with_category("P"))),
        ("CodePointRange", "kWordCharacters", ranges(word)),
        ("CombiningClass", "kCombiningClasses", class_ranges(ucd.ccc)),
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
