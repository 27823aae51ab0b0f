// The text of a JSON Schema: read, compiled and walked along (constraint_fuzz.h).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "constraint_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sglrun::grammar::FuzzConstraint(sglrun::ConstraintKind::kJsonSchema,
                                  {reinterpret_cast<const char*>(data), size});
  return 0;
}
