#include "chat/thinking_splitter.h"

#include <algorithm>
#include <utility>

namespace sglrun::chat {
namespace {

// The bytes at the end of `text` that a marker could begin with.
std::size_t BeginningAtEnd(std::string_view text, std::string_view marker) {
  if (marker.empty()) return 0;
  for (std::size_t n = std::min(text.size(), marker.size() - 1); n > 0; --n) {
    if (text.ends_with(marker.substr(0, n))) return n;
  }
  return 0;
}

}  // namespace

ThinkingMarkers MarkersOf(std::string_view reasoning_end) {
  ThinkingMarkers markers{.begin = "", .end = std::string(reasoning_end)};
  if (reasoning_end.starts_with("</") || reasoning_end.starts_with("[/")) {
    markers.begin = reasoning_end.substr(0, 1);
    markers.begin += reasoning_end.substr(2);
  }
  return markers;
}

bool OpensThinking(std::string_view prompt, const ThinkingMarkers& markers) {
  const std::size_t last = prompt.find_last_not_of(" \t\r\n");
  if (markers.begin.empty() || last == std::string_view::npos) return false;
  return prompt.substr(0, last + 1).ends_with(markers.begin);
}

ThinkingSplitter::ThinkingSplitter(ThinkingMarkers markers, bool inside)
    : markers_(std::move(markers)), inside_(inside) {}

void ThinkingSplitter::Feed(std::string_view piece, const Sink& sink) {
  held_ += piece;
  std::string_view rest = held_;
  while (!rest.empty()) {
    const std::string& marker = inside_ ? markers_.end : markers_.begin;
    const std::size_t at = marker.empty() ? std::string_view::npos : rest.find(marker);
    if (at == std::string_view::npos) {
      const std::size_t kept = BeginningAtEnd(rest, marker);
      if (kept < rest.size()) sink(rest.substr(0, rest.size() - kept), inside_);
      rest = rest.substr(rest.size() - kept);
      break;
    }
    const std::size_t text = inside_ ? at + marker.size() : at;
    if (text > 0) sink(rest.substr(0, text), inside_);
    if (!inside_) sink(rest.substr(at, marker.size()), true);
    rest = rest.substr(at + marker.size());
    inside_ = !inside_;
  }
  held_ = std::string(rest);
}

void ThinkingSplitter::Finish(const Sink& sink) {
  if (!held_.empty()) sink(held_, inside_);
  held_.clear();
}

}  // namespace sglrun::chat
