#include "tokenizer/regex.h"

#include <algorithm>
#include <cstdint>

#include "base/pcre2_ptr.h"
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

// A run of a million blanks may take a million backtracks; only more than that is hopeless.
std::uint32_t MatchLimit(std::size_t text_bytes) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      64 * static_cast<std::uint64_t>(text_bytes), 10'000'000, 0xFFFFFFFF));
}

}  // namespace

struct Regex::Code {
  PcreCode code;
};

namespace {

// One pass over one text. PCRE2's scratch objects belong to a pass, so that a Regex can be shared.
class Pass {
 public:
  Pass(const pcre2_code* code, std::string_view text)
      : code_(code),
        text_(text),
        data_(pcre2_match_data_create(1, nullptr)),
        context_(pcre2_match_context_create(nullptr)) {
    pcre2_set_match_limit(context_.get(), MatchLimit(text.size()));
  }

  // 1 found, 0 none, negative: PCRE2's error.
  int MatchFrom(std::size_t start, std::uint32_t options) {
    int rc = Run(start, options);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT && !stack_) {
      stack_.reset(pcre2_jit_stack_create(64 << 10, 64 << 20, nullptr));
      pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
      rc = Run(start, options);
    }
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT) rc = Run(start, options | PCRE2_NO_JIT);
    if (rc == PCRE2_ERROR_NOMATCH) return 0;
    return rc >= 0 ? 1 : rc;
  }

  Match Found() const {
    const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data_.get());
    return {offsets[0], offsets[1]};
  }

 private:
  int Run(std::size_t start, std::uint32_t options) {
    return pcre2_match(code_, PcreUnits(text_), text_.size(), start, options | PCRE2_NO_UTF_CHECK,
                       data_.get(), context_.get());
  }

  const pcre2_code* code_;
  std::string_view text_;
  PcreMatchData data_;
  PcreMatchContext context_;
  PcreJitStack stack_;
};

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

Result<Regex> Regex::CompileWith(std::string_view pattern, unsigned options) {
  if (pattern.size() > kMaxPatternBytes) {
    return Error{"the pattern has " + std::to_string(pattern.size()) + " bytes, at most " +
                 std::to_string(kMaxPatternBytes) + " are supported"};
  }
  const PcreCompileContext context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  PCRE2_SIZE offset = 0;
  PcreCode compiled(pcre2_compile(PcreUnits(pattern), pattern.size(), options | PCRE2_UTF, &code,
                                  &offset, context.get()));
  if (compiled == nullptr) {
    return Error{"the pattern does not compile: " + PcreMessage(code) + " at byte " +
                 std::to_string(offset)};
  }
  pcre2_jit_compile(compiled.get(), PCRE2_JIT_COMPLETE);  // without it matching is slower only
  return Regex(std::unique_ptr<Code>(new Code{std::move(compiled)}));
}

Result<Regex> Regex::Compile(std::string_view pattern) {
  auto translated = TranslatePattern(pattern);
  if (!translated.ok()) return Error{"the pattern: " + translated.error().message};
  // In Oniguruma ^ and $ are borders of lines. \C would match half a character.
  return CompileWith(*translated, PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C);
}

Result<Regex> Regex::CompileLiteral(std::string_view text) {
  return CompileWith(text, PCRE2_LITERAL);
}

Status Regex::FindAll(std::string_view text, std::vector<Match>& out) const {
  Pass pass(code_->code.get(), text);
  const std::size_t first = out.size();
  std::size_t pos = 0;
  while (pos <= text.size()) {
    const int found = pass.MatchFrom(pos, 0);
    if (found < 0) return Error{"a pattern gave up on the text: " + PcreMessage(found)};
    if (found == 0) break;
    const Match match = pass.Found();
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
