// a.b, a['b'], a[1:2]: what the sandbox lets a template reach.
#pragma once

#include <string>

#include "jinja/callable.h"

namespace sglrun::jinja {

// An attribute before an item, an item before an attribute; undefined when there is neither.
Try<Value> GetAttribute(Runtime& runtime, const Value& object, const Value& name);
Try<Value> GetItem(Runtime& runtime, const Value& object, const Value& key);
// Any of the three may be missing.
Try<Value> GetSlice(const Value& object, const Value& start, const Value& stop, const Value& step);
// The object's own attribute; missing when it has none, undefined when the sandbox hides it.
Try<Value> OwnAttribute(Runtime& runtime, const Value& object, const std::string& name);

// The parts of "a.b.0" as filters take them, applied one after the other.
Try<Value> GetPath(Runtime& runtime, const Value& object, const Value& path,
                   const Value& standard = {});

}  // namespace sglrun::jinja
