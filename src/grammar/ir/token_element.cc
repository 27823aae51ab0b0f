#include "grammar/ir/token_element.h"

#include <limits>

namespace sglrun::grammar {

Result<std::int32_t, GrammarError> TokenById(const FrontEnd& front, std::int64_t id) {
  if (id < 0 || id > std::numeric_limits<std::int32_t>::max()) {
    return GrammarError{Verdict::kInvalid,
                        "a token id is not negative and below 2^31, found " + std::to_string(id)};
  }
  const auto token = static_cast<std::int32_t>(id);
  if (front.vocabulary != nullptr && !front.vocabulary->IsToken(token)) {
    return GrammarError{Verdict::kInvalid, "the vocabulary has no token " + std::to_string(id)};
  }
  return token;
}

Result<std::int32_t, GrammarError> TokenByText(const FrontEnd& front, std::string_view text) {
  const std::string shown = '"' + std::string(text) + '"';
  if (front.vocabulary == nullptr) {
    return GrammarError{Verdict::kUnsupported,
                        "the token " + shown +
                            " is named by its text, which needs a tokenizer: "
                            "give one, or name the token by its id"};
  }
  if (const auto id = front.vocabulary->Find(text)) return *id;
  return GrammarError{Verdict::kInvalid, "no entry of the vocabulary is " + shown +
                                             ": a token is named by the whole "
                                             "text of one entry, or by its id"};
}

}  // namespace sglrun::grammar
