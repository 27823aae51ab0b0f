// The "model" object of a tokenizer.json of type BPE.
#include <algorithm>

#include "tokenizer/bpe_model.h"
#include "tokenizer/model_vocabulary.h"

namespace sglrun::tokenizer {
namespace {

Status CheckNoDropout(const JsonView& json) {
  if (!json.Has("dropout")) return {};
  SGLRUN_ASSIGN_OR_RETURN(const JsonView dropout, json.Member("dropout"));
  const bool zero = dropout.json().is_number() && dropout.json().as_double() == 0;
  if (!zero) return dropout.Expected("null or 0: encoding at random is not supported");
  return {};
}

Result<BpeOptions> ParseOptions(const JsonView& json, const Vocabulary& vocabulary) {
  BpeOptions options;
  SGLRUN_ASSIGN_OR_RETURN(options.fuse_unk, json.BoolOr("fuse_unk", false));
  SGLRUN_ASSIGN_OR_RETURN(options.byte_fallback, json.BoolOr("byte_fallback", false));
  SGLRUN_ASSIGN_OR_RETURN(options.ignore_merges, json.BoolOr("ignore_merges", false));
  SGLRUN_ASSIGN_OR_RETURN(options.continuing_subword_prefix,
                          json.StringOr("continuing_subword_prefix", ""));
  SGLRUN_ASSIGN_OR_RETURN(options.end_of_word_suffix, json.StringOr("end_of_word_suffix", ""));
  if (json.Has("unk_token")) {
    SGLRUN_ASSIGN_OR_RETURN(const JsonView unk, json.Member("unk_token"));
    SGLRUN_ASSIGN_OR_RETURN(const std::string text, unk.String());
    options.unk_id = vocabulary.Find(text);
    if (!options.unk_id) return unk.Expected("a token of the vocabulary");
  }
  return options;
}

Status ParseMerge(const JsonView& json, std::size_t prefix_bytes, std::uint32_t rank,
                  const Vocabulary& vocabulary, MergeTable& merges) {
  static constexpr std::string_view kForm = "\"left right\" or [\"left\", \"right\"]";
  if (json.json().is_string()) {
    const std::string& line = json.json().as_string();
    if (line.starts_with("#version")) return {};  // a header line of merges.txt, carried along
    const auto parts = SplitMergeLine(line);
    if (!parts) return json.Expected(kForm);
    return AddMerge(parts->first, parts->second, prefix_bytes, rank, vocabulary, merges);
  }
  if (!json.json().is_array()) return json.Expected(kForm);
  const Json::Array& parts = json.json().as_array();
  if (parts.size() != 2 || !parts[0].is_string() || !parts[1].is_string()) {
    return json.Expected(kForm);
  }
  return AddMerge(parts[0].as_string(), parts[1].as_string(), prefix_bytes, rank, vocabulary,
                  merges);
}

}  // namespace

std::optional<std::pair<std::string_view, std::string_view>> SplitMergeLine(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(line.substr(0, space), line.substr(space + 1));
}

Status AddMerge(std::string_view left, std::string_view right, std::size_t prefix_bytes,
                std::uint32_t rank, const Vocabulary& vocabulary, MergeTable& merges) {
  const auto missing = [&](std::string_view what) {
    return Error{"merge " + std::to_string(rank) + " (\"" + std::string(left) + "\" and \"" +
                 std::string(right) + "\"): " + std::string(what) + " is not in the vocabulary"};
  };
  const std::optional<TokenId> left_id = vocabulary.Find(left);
  if (!left_id) return missing("the left part");
  const std::optional<TokenId> right_id = vocabulary.Find(right);
  if (!right_id) return missing("the right part");
  std::string joined;
  joined.reserve(left.size() + right.size());
  joined.append(left).append(right.substr(std::min(prefix_bytes, right.size())));
  const std::optional<TokenId> result = vocabulary.Find(joined);
  if (!result) return missing("the result \"" + joined + "\"");
  merges.Set(*left_id, *right_id, {rank, *result});
  return {};
}

Result<ParsedBpe> ParseBpeModel(const JsonView& json) {
  ParsedBpe out;
  SGLRUN_RETURN_IF_ERROR(CheckNoDropout(json));
  SGLRUN_ASSIGN_OR_RETURN(out.vocabulary, ParseModelVocabulary(json));
  SGLRUN_ASSIGN_OR_RETURN(out.options, ParseOptions(json, out.vocabulary));
  SGLRUN_ASSIGN_OR_RETURN(const JsonView merges, json.Member("merges"));
  if (!merges.json().is_array()) return merges.Expected("an array");
  const Json::Array& list = merges.json().as_array();
  out.merges = MergeTable(list.size());
  const std::size_t prefix_bytes = out.options.continuing_subword_prefix.size();
  std::uint32_t rank = 0;
  for (const Json& merge : list) {
    const JsonView view(merge, merges.path() + "[" + std::to_string(rank) + "]");
    const Status added = ParseMerge(view, prefix_bytes, rank, out.vocabulary, out.merges);
    if (!added.ok()) return Error{added.error().message};
    ++rank;
  }
  return out;
}

}  // namespace sglrun::tokenizer
