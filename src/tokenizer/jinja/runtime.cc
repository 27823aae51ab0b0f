#include "tokenizer/jinja/runtime.h"

#include <string>

namespace sglrun::tokenizer::jinja {

Try<void> Runtime::Step(std::int64_t count) {
  steps_ += count;
  if (steps_ <= limits_.steps) return {};
  return LimitFault("the template takes more than " + std::to_string(limits_.steps) + " steps");
}

Try<void> Runtime::Produce(std::size_t bytes) {
  produced_ += bytes;
  if (produced_ <= limits_.produced_bytes) return {};
  return LimitFault("the template makes more than " + std::to_string(limits_.produced_bytes) +
                    " bytes of text and lists");
}

Try<void> Runtime::Depth::Check() const {
  if (runtime_.depth_ <= runtime_.limits_.depth) return {};
  return LimitFault("macros and recursive loops stand more than " +
                    std::to_string(runtime_.limits_.depth) + " deep in each other");
}

}  // namespace sglrun::tokenizer::jinja
