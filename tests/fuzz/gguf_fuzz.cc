// GGUF: any bytes give metadata and tensors inside the file, or a sentence; so do the configuration
// and the tokenizer fields read from what was parsed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "formats/gguf.h"
#include "model/files/gguf_config.h"
#include "model/files/gguf_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto gguf = sglrun::formats::ParseGguf(bytes, "fuzz");
  if (!gguf.ok()) {
    CHECK(!gguf.error().message.empty());
    return 0;
  }
  for (const auto& tensor : gguf->tensors) {
    CHECK(tensor.begin <= size && tensor.bytes <= size - tensor.begin) << tensor.name;
  }
  (void)sglrun::model::ReadGgufConfig(*gguf, gguf->tensors, {});
  (void)sglrun::model::ReadGgufTokenizerFields(*gguf);
  return 0;
}
