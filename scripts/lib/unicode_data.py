"""The Unicode Character Database (Debian's package unicode-data) read into sets and maps of code points, and its
tables printed as C++. Shared by make-unicode-tables and make-python-text-tables.
"""
import pathlib


class Ucd:
    """The files of one version, and the properties that every table needs, as code point -> value."""

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

    def with_category(self, prefixes):
        return {c for c, category in self.category.items() if category.startswith(prefixes)}


def ranges(codes):
    out = []
    for c in sorted(codes):
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
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
