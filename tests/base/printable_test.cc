#include "base/printable.h"

#include <doctest/doctest.h>

namespace sglrun {
namespace {

TEST_CASE("control and invisible characters are written as escapes") {
  CHECK_EQ(Printable("a\x1b[31m\n\x7f"), "a\\u{1B}[31m\\u{A}\\u{7F}");
  CHECK_EQ(Printable("\u009b\u202e\u2066\u061c"), "\\u{9B}\\u{202E}\\u{2066}\\u{61C}");
  CHECK_EQ(Printable("\u200d\ufeff\u3164\U000E0041"), "\\u{200D}\\u{FEFF}\\u{3164}\\u{E0041}");
  CHECK_EQ(Printable("naïve 日本 😀"), "naïve 日本 😀");
  CHECK_EQ(Printable("\xff"), "\ufffd");
}

TEST_CASE("a text of several lines keeps its line breaks and the joiners of scripts and emoji") {
  CHECK_EQ(PrintableText("a\n\tb\u00e9 \U0001F600"), "a\n\tb\u00e9 \U0001F600");
  const char* family = "\U0001F468\u200d\U0001F469 \u200f\u05d0\u200e";
  CHECK_EQ(PrintableText(family), family);
  CHECK_EQ(PrintableText("\033[2J\r\a\x7f"), "\\u{1B}[2J\\u{D}\\u{7}\\u{7F}");
  CHECK_EQ(PrintableText("\u009b31m\u202ecba\u2069\u2028"),
           "\\u{9B}31m\\u{202E}cba\\u{2069}\\u{2028}");
}

}  // namespace
}  // namespace sglrun
