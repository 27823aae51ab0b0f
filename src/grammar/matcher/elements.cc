#include "grammar/matcher/elements.h"

#include <algorithm>

#include "base/json.h"
#include "grammar/base/json_text.h"
#include "grammar/base/limits.h"

namespace sglrun::grammar {
namespace {

bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

Hash128 KeyOfElement(std::string_view json) {
  const auto parsed = ParseJson(json, {.max_depth = Limits{}.nesting, .keep_number_text = true});
  // Only texts that nest too deeply cannot be read: they differ where they are spelled differently.
  return HashBytes(parsed.ok() ? EqualityKey(parsed->value) : std::string(json));
}

void JsonPlace::Read(char c) {
  if (escaped) {
    escaped = false;
  } else if (in_string && c == '\\') {
    escaped = true;
  } else if (c == '"') {
    in_string = !in_string;
  }
}

bool JsonPlace::Skips(char c) const {
  return !in_string && IsSpace(c);
}

std::string WithoutSpace(std::string_view json, JsonPlace* end) {
  std::string out;
  JsonPlace place;
  for (const char c : json) {
    if (!place.Skips(c)) out += c;
    place.Read(c);
  }
  if (end != nullptr) *end = place;
  return out;
}

bool ElementSearch::CanGoOn(const Frontier& frontier) {
  constexpr std::int64_t kMostWork = 200'000;
  work_to_stop_at_ = work() + kMostWork;
  depth_ = 0;
  const Stacks::Position mark = stacks_.Mark();
  const bool can = GoesOn(frontier);
  stacks_.Release(mark);
  return can;
}

bool ElementSearch::GoesOn(const Frontier& frontier) {
  constexpr int kDeepest = 4'000;  // bytes of one value
  if (frontier.complete || depth_ > kDeepest || work() > work_to_stop_at_) return true;
  const Repeats repeats = RepeatsAt(frontier);
  if (repeats.free) return true;
  // A byte that parts from all of them mostly settles it.
  for (const Item& item : frontier.items) {
    for (const Program::ByteEdge& edge : program_.BytesOf(item.state)) {
      const std::int32_t byte = ByteApart(edge, repeats);
      if (byte >= 0 && GoesOnBy(frontier, static_cast<std::uint8_t>(byte))) return true;
    }
  }
  std::string tried;
  for (const std::string& rest : repeats.rests) {
    if (rest.empty() || tried.find(rest.front()) != std::string::npos) continue;
    tried += rest.front();
    if (GoesOnBy(frontier, static_cast<std::uint8_t>(rest.front()))) return true;
  }
  return false;
}

bool ElementSearch::GoesOnBy(const Frontier& frontier, std::uint8_t byte) {
  text_ += static_cast<char>(byte);
  ++depth_;
  Frontier next;
  stepper_.StepByte(frontier.items, byte, next);
  const bool goes_on = !next.Dead() && GoesOn(next);
  text_.pop_back();
  --depth_;
  return goes_on;
}

// White space between the parts of a value leads to nothing new. -1: there is no such byte.
std::int32_t ElementSearch::ByteApart(const Program::ByteEdge& edge, const Repeats& repeats) const {
  for (int byte = edge.first; byte <= edge.last; ++byte) {
    const auto c = static_cast<char>(byte);
    if (repeats.place.Skips(c)) continue;
    const bool repeats_it = std::ranges::any_of(
        repeats.rests, [&](const std::string& rest) { return rest.starts_with(c); });
    if (!repeats_it) return byte;
  }
  return -1;
}

Repeats ElementSearch::RepeatsAt(const Frontier& frontier) const {
  Repeats repeats;
  for (const Item& item : frontier.items) {
    repeats.free |= !AddRepeats(item.stack, repeats, 0);
  }
  return repeats;
}

// Whether some value is in the way of every reading that returns to the stack.
bool ElementSearch::AddRepeats(StackId stack, Repeats& repeats, int depth) const {
  constexpr int kDeepest = 600;  // nested values are less deep
  ++work_;
  if (stack < 0 || !stacks_.HoldsDistinct(stack) || depth > kDeepest) return false;
  bool all = true;
  for (const Site& site : stacks_.SitesOf(stack)) {
    const bool bound = AddRepeatsOf(site, repeats, depth);
    all = all && bound;
  }
  return all;
}

bool ElementSearch::AddRepeatsOf(const Site& site, Repeats& repeats, int depth) const {
  const Program::CountEdge* edge =
      site.IsCount() ? &program_.count_edges[static_cast<std::size_t>(site.count_edge())] : nullptr;
  if (edge == nullptr || !edge->of_values()) return AddRepeats(site.below, repeats, depth + 1);
  if (edge->distinct) {  // between elements, of which the next may have to be a repeat
    AddRepeats(site.below, repeats, depth + 1);
    return true;
  }
  const std::string begun = WithoutSpace(
      std::string_view(text_).substr(static_cast<std::size_t>(site.done)), &repeats.place);
  work_ += static_cast<std::int64_t>(begun.size());
  bool bound = false;
  for (const Site& list : stacks_.SitesOf(site.below)) {
    for (std::int32_t at = list.done; at > 0; at = stacks_.SeenAt(at).before, ++work_) {
      const std::string& text = stacks_.SeenAt(at).text;
      if (!text.starts_with(begun)) continue;
      work_ += static_cast<std::int64_t>(text.size() / 8);
      repeats.rests.push_back(text.substr(begun.size()));
      bound = true;
    }
    const bool outer = AddRepeats(list.below, repeats, depth + 1);
    bound = bound || outer;
  }
  return bound;
}

bool ElementSearch::Takes(const Frontier& frontier, std::string_view bytes) {
  const Stacks::Position mark = stacks_.Mark();
  const std::size_t length = text_.size();
  Frontier at = frontier, next;
  bool takes = true;
  for (std::size_t i = 0; i < bytes.size() && takes; ++i) {
    text_ += bytes[i];
    stepper_.StepByte(at.items, static_cast<std::uint8_t>(bytes[i]), next);
    takes = !next.Dead();
    std::swap(at, next);
  }
  takes = takes && CanGoOn(at);
  text_.resize(length);
  stacks_.Release(mark);
  return takes;
}

}  // namespace sglrun::grammar
