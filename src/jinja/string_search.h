// Methods of texts that look for a part of them.
#pragma once

#include <string_view>

#include "jinja/callable.h"

namespace sglrun::jinja {

Try<Value> FindMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> RFindMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> IndexMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> RIndexMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> CountMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> StartsWithMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> EndsWithMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> SplitMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> RSplitMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> PartitionMethod(Runtime& runtime, const Value& self, CallArgs args);
Try<Value> RPartitionMethod(Runtime& runtime, const Value& self, CallArgs args);

// str.isupper, str.islower.
bool IsAllCase(std::string_view text, bool upper);
// str.center ('^'), ljust ('<'), rjust ('>').
Value Center(const Value& text, std::int64_t width, std::string_view fill, char align);

}  // namespace sglrun::jinja
