#!/usr/bin/env bash
# pass@k: of so many samples of each prompt, how likely is a right one among k?
#   samples/eval/pass_at_k.sh MODEL [DATA [OPTION...]]
# DATA: lines {"prompt": "47 + 38 =", "answer": "85"}. Ten samples are drawn (`n`); with c of n right,
# pass@k is 1 - C(n-c, k) / C(n, k), the estimate without bias. The same seed, the same samples.
set -euo pipefail
here=$(dirname "$0")
model=${1:?usage: pass_at_k.sh MODEL [DATA [OPTION...]]}
data=$(jq -c . "${2:-$here/pass_at_k.jsonl}") # read once: it may come from a pipe

jq -c '{text: .prompt, sampling_params: {n: 10, temperature: 1, max_new_tokens: 8, stop: "\n"}}' \
  <<<"$data" |
  sglrun batch - -m "$model" -q "${@:3}" |
  jq -rs -L "$here" --slurpfile data <(printf %s "$data") 'include "eval";
    def pass($n; $c; $k): if $n - $c < $k then 1
      else 1 - reduce range($n - $c + 1; $n + 1) as $i (1; . * (1 - $k / $i)) end;
    rows | [., $data] | transpose | map(.[1].answer as $answer
      | {n: (.[0] | length), c: (.[0] | map(select((.text | answer) == $answer)) | length)})
    | . as $counts | [1, 2, 5, 10]
    | map(. as $k | "pass@\($k) \($counts | map(pass(.n; .c; $k)) | add / length | rounded)")
    | join(", ")'
