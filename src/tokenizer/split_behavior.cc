#include "tokenizer/split_behavior.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/stop_flag.h"

namespace sglrun::tokenizer {
namespace {

struct Part {
  std::size_t begin;
  std::size_t end;
  bool is_delimiter;
};

// Matches and the gaps between them, in order. Empty matches are kept: they separate.
std::vector<Part> MakeParts(std::size_t size, std::span<const Match> matches, Delimiter delimiter) {
  const bool match_delimits = delimiter == Delimiter::kMatch;
  std::vector<Part> parts;
  parts.reserve(2 * matches.size() + 1);
  std::size_t end = 0;
  for (const Match& match : matches) {
    if (StopFlag::requested()) break;
    if (end != match.begin) parts.push_back({end, match.begin, !match_delimits});
    parts.push_back({match.begin, match.end, match_delimits});
    end = match.end;
  }
  if (end != size) parts.push_back({end, size, !match_delimits});
  return parts;
}

// Joins parts where `joins(part, previous part is a delimiter)` says so.
template <class Joins>
void JoinWithPrevious(std::vector<Part>& parts, Joins joins) {
  std::size_t out = 0;
  bool previous = false;
  for (const Part& part : parts) {
    if (out > 0 && joins(part.is_delimiter, previous)) {
      parts[out - 1].end = part.end;
    } else {
      parts[out] = part;
      ++out;
    }
    previous = part.is_delimiter;
  }
  parts.resize(out);
}

void JoinWithNext(std::vector<Part>& parts) {
  std::size_t out = parts.size();
  bool following = false;
  for (std::size_t i = parts.size(); i-- > 0;) {
    const bool joins = out < parts.size() && parts[i].is_delimiter && !following;
    following = parts[i].is_delimiter;
    if (joins) {
      parts[out].begin = parts[i].begin;
    } else {
      parts[--out] = parts[i];
    }
  }
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(out));
}

void AppendPart(const Piece& piece, std::size_t begin, std::size_t end, std::vector<Piece>& out) {
  if (begin == end) return;
  out.push_back({piece.text.substr(begin, end - begin), piece.at_start && begin == 0});
}

// The most common case, without a list of parts.
void Isolate(const Piece& piece, std::span<const Match> matches, std::vector<Piece>& out) {
  std::size_t end = 0;
  for (const Match& match : matches) {
    if (StopFlag::requested()) return;
    AppendPart(piece, end, match.begin, out);
    AppendPart(piece, match.begin, match.end, out);
    end = match.end;
  }
  AppendPart(piece, end, piece.text.size(), out);
}

}  // namespace

Result<SplitBehavior> ParseSplitBehavior(const JsonView& json) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
  SGLRUN_ASSIGN_OR_RETURN(const std::string name, json.String());
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at == kNames.end()) return json.Unsupported(name, kNames);
  return static_cast<SplitBehavior>(at - kNames.begin());
}

void SplitAtMatches(const Piece& piece, std::span<const Match> matches, Delimiter delimiter,
                    SplitBehavior behavior, std::vector<Piece>& out) {
  if (behavior == SplitBehavior::kIsolated) return Isolate(piece, matches, out);
  std::vector<Part> parts = MakeParts(piece.text.size(), matches, delimiter);
  switch (behavior) {
    case SplitBehavior::kRemoved:
      std::erase_if(parts, [](const Part& part) { return part.is_delimiter; });
      break;
    case SplitBehavior::kContiguous:
      JoinWithPrevious(parts,
                       [](bool delimiter_now, bool before) { return delimiter_now == before; });
      break;
    case SplitBehavior::kMergedWithPrevious:
      JoinWithPrevious(parts,
                       [](bool delimiter_now, bool before) { return delimiter_now && !before; });
      break;
    case SplitBehavior::kMergedWithNext:
      JoinWithNext(parts);
      break;
    case SplitBehavior::kIsolated:
      break;
  }
  for (const Part& part : parts) AppendPart(piece, part.begin, part.end, out);
}

}  // namespace sglrun::tokenizer
