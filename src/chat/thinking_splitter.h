// Separates the thoughts of an answer from its text while the answer arrives piece by piece.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sglrun::chat {

// The markers of thoughts. With an end of another form than "</think>" or "[/THINK]" the beginning
// is not known ("").
struct ThinkingMarkers {
  std::string begin, end;
};
ThinkingMarkers MarkersOf(std::string_view reasoning_end);

// Whether a prompt ends with the marker that opens a thought, blanks aside.
bool OpensThinking(std::string_view prompt, const ThinkingMarkers& markers);

class ThinkingSplitter {
 public:
  using Sink = std::function<void(std::string_view text, bool is_thinking)>;

  // `inside`: the answer begins in the middle of a thought. Markers count as thoughts.
  ThinkingSplitter(ThinkingMarkers markers, bool inside);

  // A piece that could be the beginning of a marker is held back until it is known.
  void Feed(std::string_view piece, const Sink& sink);
  void Finish(const Sink& sink);

 private:
  ThinkingMarkers markers_;
  bool inside_;
  std::string held_;
};

}  // namespace sglrun::chat
