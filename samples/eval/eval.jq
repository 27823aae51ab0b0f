# What the evaluations of this folder have in common: jq -L samples/eval 'include "eval"; ...'

# The rows of a run; an error row ends the evaluation with its reason.
def rows: if length == 0 then error("no rows") else to_entries | map(
  if (.value | type) == "object" and (.value | has("error"))
  then error("record \(.key + 1) failed: \(.value.error.message)") else .value end) end;

# Three decimals.
def rounded: . * 1000 | round / 1000;

# [true, false, true] -> "2 of 3 (66.7 %)"
def share: (map(select(.)) | length) as $right
  | "\($right) of \(length) (\(1000 * $right / length | round / 10) %)";

# "  Paris.\n" -> "Paris": an answer without the blanks and the full stop around it.
def answer: gsub("^\\s+|[\\s.]+$"; "");
