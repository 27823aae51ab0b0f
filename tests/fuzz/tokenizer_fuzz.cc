// tokenizer.json and a text to encode with it, separated by a NUL byte. Whatever the file says,
// loading ends in a sentence or a tokenizer, and the tokenizer answers.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "tokenizer/tokenizer_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sglrun::tokenizer;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t border = input.find('\0');
  const std::string_view text =
      border == std::string_view::npos ? std::string_view() : input.substr(border + 1);
  TokenizerConfig config;
  config.eos_token = "</s>";
  const auto tokenizer = TokenizerFromJson(input.substr(0, border), config);
  if (!tokenizer.ok()) return 0;
  const auto ids = (*tokenizer)->Encode(text, {});
  if (!ids.ok()) return 0;
  for (const TokenId id : *ids) CHECK((*tokenizer)->IsToken(id));
  CHECK(sglrun::IsValidUtf8((*tokenizer)->Decode(*ids, true)));
  IncrementalDetokenizer stream(**tokenizer, {}, false);
  for (const TokenId id : *ids) CHECK(sglrun::IsValidUtf8(stream.Append(id)));
  CHECK(sglrun::IsValidUtf8(stream.Finish()));
  return 0;
}
