#!/usr/bin/env bash
# Multiple choice: every answer is scored as the continuation of its question, nothing is generated.
#   samples/eval/multiple_choice.sh MODEL [DATA [OPTION...]]
# DATA: lines {"question": "The capital of Peru is", "choices": ["Oslo", "Lima"], "answer": 1}.
# `logprob_start_len` is the last token of the question, so that the logprobs behind it are those of
# the answer. "by sum" takes the answer of the highest probability, "by character" that of the
# highest mean over its characters, which does not prefer short answers.
set -euo pipefail
here=$(dirname "$0")
model=${1:?usage: multiple_choice.sh MODEL [DATA [OPTION...]]}
data=$(jq -c . "${2:-$here/multiple_choice.jsonl}") # read once: it may come from a pipe

jq -c .question <<<"$data" | sglrun tokenize -m "$model" --count |
  jq -c --slurpfile data <(printf %s "$data") -n '[inputs] | [., $data] | transpose[]
    | .[0].count as $count | .[1].question as $question
    | {text: [.[1].choices[] | "\($question) \(.)"], return_logprob: true,
       logprob_start_len: ($count - 1), sampling_params: {max_new_tokens: 0}}' |
  sglrun batch - -m "$model" -q "${@:3}" |
  jq -rs -L "$here" --slurpfile data <(printf %s "$data") 'include "eval";
    def best: index(max);
    rows | [., $data] | transpose | map(
      .[1] as $item
      | (.[0] | map([.meta_info.input_token_logprobs[1:][][0]] | add)) as $sums
      | ([$sums, $item.choices] | transpose | map(.[0] / (.[1] | length))) as $means
      | {sum: (($sums | best) == $item.answer), mean: (($means | best) == $item.answer)})
    | "multiple choice: by sum \(map(.sum) | share), by character \(map(.mean) | share)"'
