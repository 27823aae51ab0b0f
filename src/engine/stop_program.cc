#include "engine/stop_program.h"

#include <string_view>
#include <utility>

#include "base/utf8.h"

namespace sglrun::engine {
namespace {

using Step = StopProgram::Step;
using StepKind = StopProgram::Step::Kind;

// The maximum number of steps per character: some microseconds. A pattern that needs more is
// searched by PCRE2 with a budget.
constexpr std::size_t kMostSteps = 4096;
// The maximum number of nodes visited during layout; it also counts repetitions of nothing, which
// take no steps.
constexpr std::size_t kMostVisits = 64 * kMostSteps;

bool MatchesAlone(const pcre2_code* code, char32_t character) {
  std::string text;
  AppendUtf8(text, character);
  // Kept per thread, because the first match allocates memory that later ones reuse.
  static thread_local const PcreMatchData match(pcre2_match_data_create(1, nullptr));
  return pcre2_match(code, PcreUnits(text), text.size(), 0, PCRE2_NO_UTF_CHECK, match.get(),
                     nullptr) >= 0;
}

}  // namespace

PcreCode CompileStopPattern(std::string_view pattern, std::uint32_t more_options, int& error,
                            std::size_t& offset) {
  const PcreCompileContext context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  // \C would match half a character, after which a text is no longer valid UTF-8.
  return PcreCode(pcre2_compile(PcreUnits(pattern), pattern.size(),
                                PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | more_options,
                                &error, &offset, context.get()));
}

// Lays nodes out from the end of the pattern to its start: each node receives the step that follows
// it and returns its first step.
class StopProgram::Builder {
 public:
  explicit Builder(StopProgram& program) : program_(program) {}

  bool Build(const StopNode& root) {
    program_.start_ = Lay(root, Add({.kind = StepKind::kMatch}));
    return !too_large_;
  }

 private:
  std::uint32_t Add(Step step) {
    too_large_ |= program_.steps_.size() >= kMostSteps;
    if (too_large_) return 0;
    program_.steps_.push_back(step);
    return static_cast<std::uint32_t>(program_.steps_.size() - 1);
  }
  std::uint32_t Split(std::uint32_t next, std::uint32_t other) {
    return Add({.kind = StepKind::kSplit, .next = next, .other = other});
  }

  std::uint32_t Lay(const StopNode& node, std::uint32_t next) {
    too_large_ |= ++visits_ > kMostVisits;
    if (too_large_) return 0;
    switch (node.kind) {
      case StopNode::Kind::kAtom:
        return Add(
            {.kind = StepKind::kAtom, .atom = static_cast<std::uint32_t>(node.atom), .next = next});
      case StopNode::Kind::kAssertion:
        return LayAssertion(node.assertion, next);
      case StopNode::Kind::kSequence:
        for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part) {
          next = Lay(*part, next);
        }
        return next;
      case StopNode::Kind::kChoice:
        return LayChoice(node, next);
      case StopNode::Kind::kRepeat:
        break;
    }
    return LayRepeat(node, next);
  }

  std::uint32_t LayAssertion(StopAssertion assertion, std::uint32_t next) {
    program_.asks_for_words_ |=
        assertion == StopAssertion::kWordBoundary || assertion == StopAssertion::kNoWordBoundary;
    program_.asks_for_text_end_ |= assertion == StopAssertion::kTextEnd;
    return Add({.kind = StepKind::kAssertion, .assertion = assertion, .next = next});
  }

  std::uint32_t LayChoice(const StopNode& node, std::uint32_t next) {
    std::uint32_t begin = Lay(node.parts.back(), next);
    for (std::size_t i = node.parts.size() - 1; i-- > 0;) {
      begin = Split(Lay(node.parts[i], next), begin);
    }
    return begin;
  }

  std::uint32_t LayRepeat(const StopNode& node, std::uint32_t next) {
    const StopNode& part = node.parts.front();
    std::uint32_t begin = next;
    std::uint32_t copies = node.least;
    if (node.most == StopNode::kNoEnd) {
      const std::uint32_t loop = Split(0, next);
      const std::uint32_t body = Lay(part, loop);
      if (too_large_) return 0;
      program_.steps_[loop].next = body;
      begin = copies > 0 ? body : loop;
      copies -= copies > 0 ? 1 : 0;
    } else {
      for (std::uint32_t i = node.least; i < node.most && !too_large_; ++i) {
        begin = Split(Lay(part, begin), next);
      }
    }
    for (; copies > 0 && !too_large_; --copies) begin = Lay(part, begin);
    return begin;
  }

  StopProgram& program_;
  std::size_t visits_ = 0;
  bool too_large_ = false;
};

bool StopProgram::AddAtom(const StopAtom& atom) {
  Atom made{.literal = atom.literal};
  if (!atom.pattern.empty()) {
    int error = 0;
    std::size_t offset = 0;
    made.code = CompileStopPattern(atom.pattern, PCRE2_ANCHORED | PCRE2_ENDANCHORED, error, offset);
    if (made.code == nullptr) return false;
  }
  for (char32_t c = 0; c < made.ascii.size(); ++c) {
    made.ascii[c] = made.code != nullptr ? MatchesAlone(made.code.get(), c) : c == atom.literal;
  }
  atoms_.push_back(std::move(made));
  return true;
}

std::shared_ptr<const StopProgram> StopProgram::Make(std::string_view pattern) {
  auto tree = ReadStopPattern(pattern);
  if (!tree) return nullptr;
  const std::shared_ptr<StopProgram> program(new StopProgram());
  if (!Builder(*program).Build(tree->root)) return nullptr;
  program->word_atom_ = static_cast<std::uint32_t>(tree->atoms.size());
  if (program->asks_for_words_) tree->atoms.push_back({.pattern = "\\w"});
  for (const StopAtom& atom : tree->atoms) {
    if (!program->AddAtom(atom)) return nullptr;
  }
  return program;
}

bool StopProgram::Matches(std::uint32_t atom, char32_t character) const {
  const Atom& members = atoms_[atom];
  if (character < members.ascii.size()) return members.ascii[character];
  if (members.code == nullptr) return character == members.literal;
  return MatchesAlone(members.code.get(), character);
}

}  // namespace sglrun::engine
