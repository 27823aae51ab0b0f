// The shape in which a chat template accepts the content of a message: a text, or an array of parts
// like {"type": "text", "text": ".."}. Clients send either. A template that was written for one
// shape prints the other in Python's notation, or prints nothing.
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

// Renders messages unchanged; nullopt if the template refuses them.
using RenderAsIs = std::function<std::optional<std::string>(Json messages)>;

// The shapes that one template accepts, found by rendering a conversation in both shapes, once per
// kind of role: many templates handle parts in user messages, but only texts in all others.
class ContentShapes {
 public:
  // Thread-safe. `render` is always the same template.
  ContentShape Of(std::string_view role, const RenderAsIs& render);

 private:
  ContentShape Find(const std::string& kind, const RenderAsIs& render);

  std::mutex mutex_;
  std::map<std::string, ContentShape> found_;  // a handful of kinds
};

// Converts contents to the shape that the template accepts for their role. Parts are kept if the
// template handles parts; otherwise their texts are joined with a space, as in SGLang. A text
// becomes an array of one part if the template accepts only arrays. `messages` is an array of
// objects whose parts are texts.
void FitContent(ContentShapes& shapes, const RenderAsIs& render, Json& messages);

}  // namespace sglrun::chat_template
