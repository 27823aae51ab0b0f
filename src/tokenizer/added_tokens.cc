#include "tokenizer/added_tokens.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/unicode.h"

namespace sglrun::tokenizer {
namespace {

// Start of the character that ends at `end`.
std::size_t PreviousCharacter(std::string_view text, std::size_t end) {
  std::size_t pos = end - 1;
  while (pos > 0 && (static_cast<unsigned char>(text[pos]) & 0xC0) == 0x80) --pos;
  return pos;
}

bool WordEndsAt(std::string_view text, std::size_t end) {
  if (end == 0) return false;
  std::size_t pos = PreviousCharacter(text, end);
  return unicode::IsWordCharacter(DecodeUtf8(text, pos));
}

bool WordStartsAt(std::string_view text, std::size_t pos) {
  return pos < text.size() && unicode::IsWordCharacter(DecodeUtf8(text, pos));
}

std::size_t SkipBlanksLeft(std::string_view text, std::size_t pos) {
  while (pos > 0) {
    const std::size_t previous = PreviousCharacter(text, pos);
    std::size_t at = previous;
    if (!unicode::IsWhitespace(DecodeUtf8(text, at))) break;
    pos = previous;
  }
  return pos;
}

std::size_t SkipBlanksRight(std::string_view text, std::size_t pos) {
  while (pos < text.size()) {
    std::size_t next = pos;
    if (!unicode::IsWhitespace(DecodeUtf8(text, next))) break;
    pos = next;
  }
  return pos;
}

// Whether [begin, end) and one of the ranges, which are in order, have a byte in common. Drops
// those that end before.
bool Overlaps(std::size_t begin, std::size_t end, std::span<const TextRange>& ranges) {
  while (!ranges.empty() && ranges.front().end <= begin) ranges = ranges.subspan(1);
  return !ranges.empty() && ranges.front().begin < end;
}

}  // namespace

Result<AddedToken> ParseAddedToken(const JsonView& json) {
  AddedToken token;
  SGLRUN_ASSIGN_OR_RETURN(const JsonView content, json.Member("content"));
  SGLRUN_ASSIGN_OR_RETURN(token.content, content.String());
  SGLRUN_ASSIGN_OR_RETURN(token.special, json.BoolOr("special", false));
  SGLRUN_ASSIGN_OR_RETURN(token.single_word, json.BoolOr("single_word", false));
  SGLRUN_ASSIGN_OR_RETURN(token.lstrip, json.BoolOr("lstrip", false));
  SGLRUN_ASSIGN_OR_RETURN(token.rstrip, json.BoolOr("rstrip", false));
  SGLRUN_ASSIGN_OR_RETURN(token.normalized, json.BoolOr("normalized", !token.special));
  return token;
}

int AddedTokenFinder::Child(int node, unsigned char byte) const {
  const auto& children = nodes_[static_cast<std::size_t>(node)].children;
  const auto at = std::lower_bound(children.begin(), children.end(), std::pair(byte, -1));
  return at != children.end() && at->first == byte ? at->second : -1;
}

int AddedTokenFinder::MakeChild(int node, unsigned char byte) {
  const int known = Child(node, byte);
  if (known >= 0) return known;
  const int child = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  auto& children = nodes_[static_cast<std::size_t>(node)].children;
  children.insert(std::lower_bound(children.begin(), children.end(), std::pair(byte, -1)),
                  {byte, child});
  return child;
}

void AddedTokenFinder::Add(std::string_view text, const AddedToken& token) {
  if (text.empty()) return;
  if (nodes_.empty()) nodes_.emplace_back();
  starts_[static_cast<unsigned char>(text[0])] = true;
  int node = 0;
  for (const char c : text) node = MakeChild(node, static_cast<unsigned char>(c));
  nodes_[static_cast<std::size_t>(node)].token = static_cast<int>(tokens_.size());
  tokens_.push_back({static_cast<TokenId>(token.id), token.special, token.single_word, token.lstrip,
                     token.rstrip});
}

AddedTokenFinder::Found AddedTokenFinder::LongestAt(std::string_view text, std::size_t pos) const {
  Found found;
  int node = 0;
  for (; pos < text.size(); ++pos) {
    node = Child(node, static_cast<unsigned char>(text[pos]));
    if (node < 0) break;
    const int token = nodes_[static_cast<std::size_t>(node)].token;
    if (token >= 0) found = {&tokens_[static_cast<std::size_t>(token)], pos + 1};
  }
  return found;
}

void AddedTokenFinder::Split(std::string_view text, std::vector<Section>& out,
                             std::span<const TextRange> plain) const {
  std::size_t done = 0;
  for (std::size_t pos = 0; !tokens_.empty() && pos < text.size();) {
    if (!starts_[static_cast<unsigned char>(text[pos])]) {
      ++pos;
      continue;
    }
    const Found found = LongestAt(text, pos);
    if (found.token == nullptr || (found.token->special && Overlaps(pos, found.end, plain))) {
      ++pos;
      continue;
    }
    std::size_t begin = pos;
    std::size_t end = found.end;
    pos = found.end;
    if (found.token->single_word && (WordEndsAt(text, begin) || WordStartsAt(text, end))) continue;
    if (found.token->lstrip) begin = std::max(SkipBlanksLeft(text, begin), done);
    if (found.token->rstrip) end = SkipBlanksRight(text, end);
    if (done < begin) out.push_back({text.substr(done, begin - done), std::nullopt});
    // A token may begin within the blanks that the previous token consumed; it is found
    // nevertheless, as in the reference.
    out.push_back({text.substr(begin, end - begin), found.token->id});
    done = end;
  }
  if (done < text.size()) out.push_back({text.substr(done), std::nullopt});
}

}  // namespace sglrun::tokenizer
