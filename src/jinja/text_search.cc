#include "jinja/text_search.h"

#include <algorithm>
#include <cstring>

namespace sglrun::jinja {
namespace {

// Between two charges.
constexpr std::size_t kStretch = 4096;

// A text read from its start, or from its end.
struct ForwardReader {
  std::string_view text;
  std::size_t size() const { return text.size(); }
  char operator[](std::size_t at) const { return text[at]; }
  // The next place of `c`, or the end.
  std::size_t Skip(std::size_t at, std::size_t end, char c) const {
    const void* const found = std::memchr(text.data() + at, c, end - at);
    return found == nullptr
               ? end
               : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  }
};

struct BackwardReader {
  std::string_view text;
  std::size_t size() const { return text.size(); }
  char operator[](std::size_t at) const { return text[text.size() - 1 - at]; }
  std::size_t Skip(std::size_t at, std::size_t end, char c) const {
    const char* const begin = text.data() + (text.size() - end);
    const void* const found = ::memrchr(begin, c, end - at);
    return found == nullptr ? end
                            : static_cast<std::size_t>(text.data() + text.size() - 1 -
                                                       static_cast<const char*>(found));
  }
};

}  // namespace

TextSearch::TextSearch(std::string_view part) : part_(part) {}

template <class Reader>
void TextSearch::Prepare(const Reader& part, std::vector<std::uint32_t>& borders) {
  if (!borders.empty()) return;
  Meter::Bytes(part.size());
  held_.Grow(part.size() * sizeof(borders[0]));
  borders.assign(part.size(), 0);
  std::uint32_t matched = 0;
  for (std::size_t at = 1; at < part.size(); ++at) {
    while (matched > 0 && part[at] != part[matched]) matched = borders[matched - 1];
    if (part[at] == part[matched]) ++matched;
    borders[at] = matched;
  }
}

// The end of the first match, or kNone.
template <class Reader, class Part>
std::size_t TextSearch::Find(const Reader& text, const Part& part,
                             const std::vector<std::uint32_t>& borders) const {
  std::size_t matched = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::size_t end = std::min(text.size(), at + kStretch);
    while (at < end && matched < part.size()) {
      if (matched == 0) at = text.Skip(at, end, part[0]);
      if (at == end) break;
      while (matched > 0 && text[at] != part[matched]) matched = borders[matched - 1];
      if (text[at++] == part[matched]) ++matched;
    }
    Meter::Bytes(at - begin);
    if (matched == part.size()) return at;
  }
  return kNone;
}

std::size_t TextSearch::First(std::string_view text, std::size_t from) {
  Meter::Bytes(8);
  if (part_.empty()) return from;
  if (part_.size() > text.size() - from) return kNone;
  Prepare(ForwardReader{part_}, forwards_);
  const std::size_t end = Find(ForwardReader{text.substr(from)}, ForwardReader{part_}, forwards_);
  return end == kNone ? kNone : from + end - part_.size();
}

std::size_t TextSearch::Last(std::string_view text, std::size_t end) {
  Meter::Bytes(8);
  if (part_.empty()) return end;
  if (part_.size() > end) return kNone;
  Prepare(BackwardReader{part_}, backwards_);
  const std::size_t read =
      Find(BackwardReader{text.substr(0, end)}, BackwardReader{part_}, backwards_);
  return read == kNone ? kNone : end - read;
}

}  // namespace sglrun::jinja
