#include "jinja/functions.h"

#include <ctime>

#include "jinja/callable.h"
#include "jinja/compare.h"
#include "jinja/objects.h"
#include "jinja/repr.h"

namespace sglrun::jinja {
namespace {

constexpr std::int64_t kMaxRange = 100'000;  // the sandbox's

Try<Value> MakeRange(Runtime&, CallArgs args) {
  if (args.args.empty() || args.args.size() > 3 || !args.named.empty()) {
    return TypeFault("range expected 1 to 3 arguments, got " + std::to_string(args.args.size()));
  }
  std::int64_t numbers[3] = {0, 0, 1};
  const std::size_t first = args.args.size() == 1 ? 1 : 0;
  for (std::size_t i = 0; i < args.args.size(); ++i) {
    SGLRUN_ASSIGN_OR_RETURN(numbers[first + i], IntArgument(args.args[i], 0));
  }
  if (numbers[2] == 0) return ValueFault("range() arg 3 must not be zero");
  auto range = MakeRef<RangeObject>(numbers[0], numbers[1], numbers[2]);
  if (range->length > kMaxRange) {
    return Fault{FaultKind::kOverflow,
                 "Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000)."};
  }
  return Value(Kind::kRange, range);
}

// dict(mapping or pairs, name=value, ...)
Try<void> FillDict(Runtime& runtime, CallArgs args, Dict& out) {
  if (args.args.size() > 1) {
    return TypeFault("dict expected at most 1 argument, got " + std::to_string(args.args.size()));
  }
  if (!args.args.empty() && args.args[0].is(Kind::kDict)) {
    for (const Dict::Entry& entry : args.args[0].dict().entries()) {
      SGLRUN_RETURN_IF_ERROR(out.Set(entry.key, entry.value));
    }
  } else if (!args.args.empty()) {
    SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> pairs, Collect(runtime, args.args[0]));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> pair, Collect(runtime, pairs[i]));
      if (pair.size() != 2) {
        return ValueFault("dictionary update sequence element #" + std::to_string(i) +
                          " has length " + std::to_string(pair.size()) + "; 2 is required");
      }
      SGLRUN_RETURN_IF_ERROR(out.Set(pair[0], pair[1]));
    }
  }
  for (auto& [name, value] : args.named) out.Set(name, std::move(value));
  return {};
}

Try<Value> MakeDictValue(Runtime& runtime, CallArgs args) {
  auto dict = MakeRef<Dict>();
  SGLRUN_RETURN_IF_ERROR(FillDict(runtime, std::move(args), *dict));
  return MakeDict(dict);
}

Try<Value> MakeNamespace(Runtime& runtime, CallArgs args) {
  auto space = MakeRef<NamespaceObject>(runtime.registry());
  SGLRUN_RETURN_IF_ERROR(FillDict(runtime, std::move(args), space->attributes));
  for (const Dict::Entry& entry : space->attributes.entries()) {
    if (!entry.key.is_string() || !entry.key.text().starts_with("_")) continue;
    return Fault{FaultKind::kSecurity,
                 "Chat templates cannot store underscore-prefixed attributes on a namespace, but "
                 "got " +
                     QuotedText(entry.key.text()) + ". Please rename the attribute."};
  }
  return Value(Kind::kNamespace, space);
}

Try<Value> MakeCycler(Runtime& runtime, CallArgs args) {
  if (!args.named.empty()) {
    return TypeFault("Cycler.__init__() got an unexpected keyword argument " +
                     QuotedText(args.named[0].first));
  }
  if (args.args.empty()) {
    return Fault{FaultKind::kRuntime, "at least one item has to be provided"};
  }
  auto cycler = MakeRef<CyclerObject>(runtime.registry());
  cycler->items = std::move(args.args);
  return Value(Kind::kCycler, cycler);
}

Try<Value> MakeJoiner(Runtime& runtime, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("Joiner", {"sep"}, 0, std::move(args)));
  auto joiner = MakeRef<JoinerObject>(runtime.registry());
  joiner->separator = bound[0].missing() ? Value::Str(", ") : bound[0];
  return Value(Kind::kJoiner, joiner);
}

Try<Value> RaiseException(Runtime&, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("raise_exception", {"message"}, 1, std::move(args)));
  const Value message = ToStr(bound[0]);
  return Fault{FaultKind::kRaised, message.text()};
}

// Directives of Python's datetime that strftime does not have, for a time without zone or fraction.
std::string WithoutPythonFields(std::string_view format) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      out += format[i];
      continue;
    }
    const char field = format[++i];
    if (field == 'f') {
      out += "000000";
    } else if (field != 'z' && field != 'Z') {
      out += '%';
      out += field;
    }
  }
  return out;
}

Try<Value> StrftimeNow(Runtime& runtime, CallArgs args) {
  SGLRUN_ASSIGN_OR_RETURN(const std::vector<Value> bound,
                          Bind("strftime_now", {"format"}, 1, std::move(args)));
  if (!bound[0].is_string()) {
    return TypeFault("strftime() argument 1 must be str, not " + TypeName(bound[0]));
  }
  constexpr std::size_t kLongest = 1 << 16;
  Meter::NeedText(bound[0].text().size());
  Meter::Step(kLongest / 64 + bound[0].text().size() / 2);
  // An appended character distinguishes an empty result from one that did not fit.
  const std::string format = WithoutPythonFields(bound[0].text()) + "!";
  std::string out(kLongest, '\0');
  const std::tm now = runtime.now();
  const std::size_t size = std::strftime(out.data(), out.size(), format.c_str(), &now);
  if (size == 0) return LimitFault("strftime_now: the format is too long");
  out.resize(size - 1);
  return Value::Str(std::move(out));
}

}  // namespace

void AddFunctions(Dict& globals) {
  globals.Set("range", MakeFunction("safe_range", MakeRange));
  globals.Set("dict", MakeFunction("dict", MakeDictValue));
  globals.Set("namespace", MakeFunction("namespace", MakeNamespace, true));
  globals.Set("cycler", MakeFunction("jinja2.utils.Cycler", MakeCycler, true));
  globals.Set("joiner", MakeFunction("jinja2.utils.Joiner", MakeJoiner, true));
  globals.Set("raise_exception", MakeFunction("raise_exception", RaiseException));
  globals.Set("strftime_now", MakeFunction("strftime_now", StrftimeNow));
}

}  // namespace sglrun::jinja
