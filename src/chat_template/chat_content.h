// In which of its two shapes a chat template takes the content of a message: a text, or an array of
// parts like {"type": "text", "text": ".."}. Clients send either; a template that was written for
// one prints the other as Python would print it, or nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace sglrun::chat_template {

enum class ContentShape : std::uint8_t { kText, kParts, kEither };

// Messages as they are to text; nullopt when the template refuses them.
using RenderAsIs = std::function<std::optional<std::string>(Json messages)>;

// What one template takes, found out by rendering a conversation in both shapes, once for each kind
// of role: many templates show the parts of what users say, and take texts only of all others.
class ContentShapes {
 public:
  // Thread-safe. `render` is always the same template.
  ContentShape Of(std::string_view role, const RenderAsIs& render);

 private:
  ContentShape Find(const std::string& kind, const RenderAsIs& render);

  std::mutex mutex_;
  std::map<std::string, ContentShape> found_;  // a handful of kinds
};

// Brings contents into the shape that the template takes of their role. Parts stay where it shows
// parts; elsewhere their texts are joined with a space, as SGLang joins them. A text becomes an
// array of one part where it takes nothing else. `messages` is an array of objects whose parts are
// texts.
void FitContent(ContentShapes& shapes, const RenderAsIs& render, Json& messages);

}  // namespace sglrun::chat_template
