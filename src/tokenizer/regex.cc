#include "tokenizer/regex.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/pcre2_ptr.h"
#include "base/stop_flag.h"
#include "tokenizer/ascii_automaton.h"
#include "tokenizer/regex_dialect.h"

namespace sglrun::tokenizer {
namespace {

// Patterns of real files have a few hundred bytes.
constexpr std::size_t kMaxPatternBytes = 1 << 16;

std::string PcreMessage(int code) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

// Before a pattern: at each place where PCRE2 tries to match, it calls StopsAtSignal.
constexpr std::string_view kCallout = "(?C)";

int StopsAtSignal(pcre2_callout_block*, void*) {
  return StopFlag::requested() ? PCRE2_ERROR_CALLOUT : 0;
}

// A run of a million blanks may take a million backtracks; only more than that is hopeless.
std::uint32_t MatchLimit(std::size_t text_bytes) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      64 * static_cast<std::uint64_t>(text_bytes), 10'000'000, 0xFFFFFFFF));
}

}  // namespace

struct Regex::Code {
  PcreCode code;
  std::unique_ptr<AsciiAutomaton> ascii;  // the same but faster, for most text; none: PCRE2 is used
};

// Searches one text after the other. PCRE2's scratch objects belong to it, so that a Regex can be
// shared; they are made when PCRE2 is needed.
class Regex::Search::Pass {
 public:
  explicit Pass(const Code& code) : code_(code) {}

  void Begin(std::string_view text) {
    text_ = text;
    // After too many failed walks PCRE2 is used instead, which has a limit.
    ascii_steps_ = code_.ascii != nullptr ? MatchLimit(text.size()) : 0;
    if (context_) pcre2_set_match_limit(context_.get(), MatchLimit(text.size()));
  }

  // 1 found, 0 none, negative: PCRE2's error.
  int FindFrom(std::size_t start, Match& match) {
    while (ascii_steps_ > 0 && !StopFlag::requested()) {
      start = code_.ascii->NextStart(text_, start);
      std::size_t reached = start;
      const std::size_t end = code_.ascii->EndOfMatch(text_, start, reached);
      if (end == AsciiAutomaton::kUnknown) break;
      ascii_steps_ -= std::min<std::size_t>(reached - start + 1, ascii_steps_);
      if (end != AsciiAutomaton::kNoMatch) {
        match = {start, end};
        return 1;
      }
      if (++start > text_.size()) return 0;
    }
    return FindByPcre(start, match);
  }

 private:
  int FindByPcre(std::size_t start, Match& match) {
    if (!context_) MakeScratch();
    int rc = Run(start, 0);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT && !stack_) {
      stack_.reset(pcre2_jit_stack_create(64 << 10, 64 << 20, nullptr));
      pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
      rc = Run(start, 0);
    }
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT) rc = Run(start, PCRE2_NO_JIT);
    if (rc == PCRE2_ERROR_NOMATCH) return 0;
    if (rc < 0) return rc;
    const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data_.get());
    match = {offsets[0], offsets[1]};
    return 1;
  }

  void MakeScratch() {
    data_.reset(pcre2_match_data_create(1, nullptr));
    context_.reset(pcre2_match_context_create(nullptr));
    pcre2_set_match_limit(context_.get(), MatchLimit(text_.size()));
    pcre2_set_callout(context_.get(), StopsAtSignal, nullptr);
  }

  int Run(std::size_t start, std::uint32_t options) {
    return pcre2_match(code_.code.get(), PcreUnits(text_), text_.size(), start,
                       options | PCRE2_NO_UTF_CHECK, data_.get(), context_.get());
  }

  const Code& code_;
  std::string_view text_;
  std::size_t ascii_steps_ = 0;  // that the automaton may still take
  PcreMatchData data_;
  PcreMatchContext context_;
  PcreJitStack stack_;
};

namespace {

std::size_t NextCharacter(std::string_view text, std::size_t pos) {
  ++pos;
  while (pos < text.size() && (static_cast<unsigned char>(text[pos]) & 0xC0) == 0x80) ++pos;
  return pos;
}

}  // namespace

Regex::Regex(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::CompileWith(std::string_view pattern, unsigned options,
                                 std::string_view before) {
  if (pattern.size() > kMaxPatternBytes) {
    return Error{"the pattern has " + std::to_string(pattern.size()) + " bytes, at most " +
                 std::to_string(kMaxPatternBytes) + " are supported"};
  }
  const PcreCompileContext context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  PCRE2_SIZE offset = 0;
  const std::string whole = std::string(before).append(pattern);
  PcreCode compiled(pcre2_compile(PcreUnits(whole), whole.size(), options | PCRE2_UTF, &code,
                                  &offset, context.get()));
  if (compiled == nullptr) {
    return Error{"the pattern does not compile: " + PcreMessage(code) + " at byte " +
                 std::to_string(offset - std::min(offset, before.size()))};
  }
  return Regex(std::make_unique<Code>(Code{std::move(compiled), nullptr}));
}

// The ASCII characters that an atom matches, as PCRE2 sees it; nothing when it is no single
// character.
std::optional<AsciiSet> Regex::AsciiSetOfAtom(std::string_view atom, unsigned options) {
  const Result<Regex> regex = CompileWith(atom, options);
  if (!regex.ok()) return std::nullopt;
  std::string characters;
  for (int c = 0; c < 128; ++c) characters.push_back(static_cast<char>(c));
  std::vector<Match> matches;
  if (!regex->FindAll(characters, matches).ok()) return std::nullopt;
  AsciiSet set;
  for (const Match& match : matches) {
    if (match.end != match.begin + 1) return std::nullopt;
    set[match.begin] = true;
  }
  return set;
}

Result<Regex> Regex::Compile(std::string_view pattern) {
  auto translated = TranslatePattern(pattern);
  if (!translated.ok()) return Error{"the pattern: " + translated.error().message};
  // In Oniguruma ^ and $ match at line boundaries. \C would match half a character.
  constexpr unsigned kOptions = PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  SGLRUN_ASSIGN_OR_RETURN(Regex regex, CompileWith(*translated, kOptions, kCallout));
  Code& code = *regex.code_;
  pcre2_jit_compile(code.code.get(), PCRE2_JIT_COMPLETE);  // without it matching is slower only
  const auto tree = ParseRegexTree(*translated, [](std::string_view atom, bool caseless) {
    return AsciiSetOfAtom(atom, kOptions | (caseless ? PCRE2_CASELESS : 0));
  });
  if (tree) code.ascii = AsciiAutomaton::Build(*tree);
  return regex;
}

Result<Regex> Regex::CompileLiteral(std::string_view text) {
  SGLRUN_ASSIGN_OR_RETURN(Regex regex, CompileWith(text, PCRE2_LITERAL));
  pcre2_jit_compile(regex.code_->code.get(), PCRE2_JIT_COMPLETE);
  return regex;
}

Status Regex::FindAll(std::string_view text, std::vector<Match>& out) const {
  return Search(*this).FindAll(text, out);
}

Regex::Search::Search(const Regex& regex) : pass_(std::make_unique<Pass>(*regex.code_)) {}
Regex::Search::~Search() = default;

Status Regex::Search::FindAll(std::string_view text, std::vector<Match>& out) {
  pass_->Begin(text);
  const std::size_t first = out.size();
  std::size_t pos = 0;
  while (pos <= text.size()) {
    if (StopFlag::requested()) return Error{"stopped by a signal"};
    Match match;
    const int found = pass_->FindFrom(pos, match);
    if (found == PCRE2_ERROR_CALLOUT) return Error{"stopped by a signal"};
    if (found < 0) return Error{"a pattern failed on the text: " + PcreMessage(found)};
    if (found == 0) break;
    if (match.begin != match.end) {
      out.push_back(match);
      pos = match.end;
      continue;
    }
    if (out.size() == first || out.back().end != match.begin) out.push_back(match);
    pos = NextCharacter(text, match.begin);
  }
  return {};
}

Status ReplaceAll(const Regex& regex, std::string_view content, std::string& text) {
  std::vector<Match> matches;
  SGLRUN_RETURN_IF_ERROR(regex.FindAll(text, matches));
  if (matches.empty()) return {};
  std::string out;
  out.reserve(text.size() + matches.size() * content.size());
  std::size_t end = 0;
  for (const Match& match : matches) {
    out.append(text, end, match.begin - end).append(content);
    end = match.end;
  }
  text = out.append(text, end);
  return {};
}

}  // namespace sglrun::tokenizer
