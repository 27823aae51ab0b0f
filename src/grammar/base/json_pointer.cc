#include "grammar/base/json_pointer.h"

namespace sglrun::grammar {

std::string EscapePointerStep(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace sglrun::grammar
