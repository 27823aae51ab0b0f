#include "io/openai/reply.h"

#include <string_view>

namespace sglrun::io::openai {
namespace {

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool StartsWithPath(std::string_view text, std::string_view path) {
  if (!text.starts_with(path)) return false;
  const std::string_view rest = text.substr(path.size());
  return rest.empty() || rest[0] == '[' || rest[0] == '.' || rest[0] == ' ';
}

}  // namespace

std::string InWordsOf(const Reply& reply, std::string sentence) {
  for (const auto& [path, origin] : reply.origins) {
    // "text" and similar names are also ordinary words; as paths they are at the beginning of the
    // message.
    if (path.find('.') != std::string::npos) {
      ReplaceAll(sentence, path, origin);
      // Messages about lengths contain only the name of the parameter.
      if (path.ends_with("_new_tokens")) {
        ReplaceAll(sentence, std::string_view(path).substr(path.rfind('.') + 1), origin);
      }
    } else if (StartsWithPath(sentence, path)) {
      sentence.replace(0, path.size(), origin);
    }
  }
  return sentence;
}

RecordError InWordsOf(const Reply& reply, RecordError error) {
  error.message = InWordsOf(reply, std::move(error.message));
  for (const auto& [path, origin] : reply.origins) {
    if (!StartsWithPath(error.param, path)) continue;
    error.param.replace(0, path.size(), origin);
    break;
  }
  return error;
}

}  // namespace sglrun::io::openai
