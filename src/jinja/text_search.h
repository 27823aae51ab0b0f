// Searches a text in other texts, in time linear in the text read for any content, and charges the
// meter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "jinja/meter.h"

namespace sglrun::jinja {

class TextSearch {
 public:
  static constexpr std::size_t kNone = std::string_view::npos;

  // `part` must live as long. An empty one is found everywhere.
  explicit TextSearch(std::string_view part);

  // The first place at or after `from` where the part begins; the last place where it ends before
  // or at `end`. kNone when there is none.
  std::size_t First(std::string_view text, std::size_t from = 0);
  std::size_t Last(std::string_view text, std::size_t end);

 private:
  // Knuth, Morris and Pratt: how much of the part still matches after a mismatch, read forwards or
  // backwards.
  template <class Reader>
  void Prepare(const Reader& part, std::vector<std::uint32_t>& borders);
  template <class Reader, class Part>
  std::size_t Find(const Reader& text, const Part& part,
                   const std::vector<std::uint32_t>& borders) const;

  std::string_view part_;
  std::vector<std::uint32_t> forwards_, backwards_;  // made when they are needed
  Held held_;
};

// One search only.
inline std::size_t FindFirst(std::string_view text, std::string_view part) {
  return TextSearch(part).First(text);
}
inline std::size_t FindLast(std::string_view text, std::string_view part) {
  return TextSearch(part).Last(text, text.size());
}

}  // namespace sglrun::jinja
