// Templates are programs of strangers: none may crash, hang or take memory without bound. The text
// before a line "---" is the template, what follows is JSON of its variables.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "jinja/template.h"

namespace {

using namespace sglrun;         // NOLINT: a program of its own
using namespace sglrun::jinja;  // NOLINT: a program of its own

constexpr std::string_view kDivider = "\n---\n";

void CheckOutput(const Rendered& rendered) {
  CHECK(IsValidUtf8(rendered.text));
  std::size_t end = 0;
  for (const TextRange& range : rendered.user) {
    CHECK(range.begin >= end && range.begin < range.end && range.end <= rendered.text.size());
    end = range.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (!IsValidUtf8(input)) return 0;
  const std::size_t divider = input.find(kDivider);
  const Try<Template> program = Template::Parse(input.substr(0, divider));
  if (!program.ok()) {
    CHECK(!program.error().message.empty());
    return 0;
  }
  std::vector<Given> variables;
  Json context;
  if (divider != std::string_view::npos) {
    auto json = ParseJson(input.substr(divider + kDivider.size()), {.keep_number_text = true});
    if (json.ok() && json->value.is_object()) {
      context = std::move(json->value);
      for (const auto& [name, value] : context.as_object()) {
        variables.push_back({name, value, Origin::kUser});
      }
    }
  }
  // Low limits let the fuzzer try much in its time.
  const Limits limits{.steps = 20000, .live_bytes = std::size_t{1} << 22};
  const Try<Rendered> rendered = program->Render(variables, std::tm{}, limits);
  if (rendered.ok()) {
    CheckOutput(*rendered);
  } else {
    CHECK(!rendered.error().message.empty());
  }
  return 0;
}
