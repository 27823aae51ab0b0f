#!/usr/bin/env bash
# Exact match: greedy answers, compared with the right ones.
#   samples/eval/exact_match.sh MODEL [DATA [OPTION...]]
# DATA: lines {"prompt": "The capital of Italy is", "answer": "Rome"}. An answer ends with its line;
# blanks and a full stop around it do not count. OPTIONs are those of `sglrun batch`.
set -euo pipefail
here=$(dirname "$0")
model=${1:?usage: exact_match.sh MODEL [DATA [OPTION...]]}
data=$(jq -c . "${2:-$here/exact_match.jsonl}") # read once: it may come from a pipe

jq -c '{text: .prompt, sampling_params: {temperature: 0, max_new_tokens: 16, stop: "\n"}}' <<<"$data" |
  sglrun batch - -m "$model" -q "${@:3}" |
  jq -rs -L "$here" --slurpfile data <(printf %s "$data") 'include "eval";
    rows | [., $data] | transpose | map((.[0].text | answer) == .[1].answer)
    | "exact match: \(share)"'
