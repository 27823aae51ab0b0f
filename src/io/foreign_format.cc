#include "io/foreign_format.h"

#include <algorithm>
#include <cctype>

namespace sglrun::io {
namespace {

using std::string_view_literals::operator""sv;

struct Format {
  std::string_view beginning;
  std::string_view sentence;
};

// No text begins with one of these: each contains a control character or bytes that are not UTF-8.
constexpr Format kFormats[] = {
    {"\xFF\xFE\0\0"sv, "it is UTF-32 text; convert it with iconv -f UTF-32 -t UTF-8"},
    {"\0\0\xFE\xFF"sv, "it is UTF-32 text; convert it with iconv -f UTF-32 -t UTF-8"},
    {"\xFF\xFE"sv, "it is UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8"},
    {"\xFE\xFF"sv, "it is UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8"},
    {"{\0\0\0"sv, "it is UTF-32 text; convert it with iconv -f UTF-32LE -t UTF-8"},
    {"\0\0\0{"sv, "it is UTF-32 text; convert it with iconv -f UTF-32BE -t UTF-8"},
    {"{\0"sv, "it is UTF-16 text; convert it with iconv -f UTF-16LE -t UTF-8"},
    {"\0{"sv, "it is UTF-16 text; convert it with iconv -f UTF-16BE -t UTF-8"},
    {"\xFD\x37zXZ\0"sv, "it is an xz stream; unpack it with xz -d and use the result"},
    {"\x5D\0\0"sv, "it is an lzma stream; unpack it with xz -d and use the result"},
    {"\x04\x22\x4D\x18"sv, "it is an lz4 stream; unpack it with lz4 -d and use the result"},
    {"\x1F\x9D"sv, "it is a compress (.Z) stream; unpack it with gzip -d and use the result"},
    {"PK\x03\x04"sv, "it is a zip archive; unpack it with unzip and use the files in it"},
    {"PK\x05\x06"sv, "it is a zip archive, and an empty one"},
    {"7z\xBC\xAF\x27\x1C"sv, "it is a 7z archive; unpack it with 7z x and use the files in it"},
    {"PAR1\x15"sv, "it is a Parquet file; convert its rows to lines of JSON"},
    {"ARROW1\0"sv, "it is an Arrow file; convert its rows to lines of JSON"},
    {"SQLite format 3\0"sv, "it is an SQLite database; export its rows as lines of JSON"},
    {"\x89PNG"sv, "it is a PNG image, must be lines of JSON"},
};

bool IsBzip2(std::string_view text) {
  return text.starts_with("BZh") && text.substr(4).starts_with("1AY&SY");
}

// Servers send such pages instead of a file if a login is required.
bool IsHtml(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string lower(text.substr(std::min(text.find_first_not_of(kBlanks), text.size())));
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.starts_with("<!doctype html") || lower.starts_with("<html");
}

bool IsTar(std::string_view text) {
  return text.size() > 262 && text.substr(257, 5) == "ustar";
}

}  // namespace

std::string ForeignFormat(std::string_view beginning, bool lines_are_json) {
  for (const Format& format : kFormats) {
    if (beginning.starts_with(format.beginning)) return std::string(format.sentence);
  }
  if (IsBzip2(beginning)) {
    return "it is a bzip2 stream; unpack it with bzip2 -d and use the result";
  }
  if (IsTar(beginning)) {
    return "it is a tar archive; unpack it with tar -xf and use the files in it";
  }
  if (!lines_are_json) return "";
  if (beginning.starts_with("%PDF-")) return "it is a PDF file, must be lines of JSON";
  if (!IsHtml(beginning)) return "";
  return "it is an HTML page, such as a server sends in place of a file; look at it and get the "
         "file again";
}

}  // namespace sglrun::io
