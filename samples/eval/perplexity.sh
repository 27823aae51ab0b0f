#!/usr/bin/env bash
# Perplexity of a text file: exp of the mean of -log p(token | the tokens before it).
#   samples/eval/perplexity.sh MODEL [TEXT [OPTION...]]
# The text is cut into windows of WINDOW tokens (default 256) that begin STRIDE tokens (default half
# a window) apart; STRIDE is less than WINDOW, since a window's first token has no context. Every
# token but the first is scored once, in the first window that has it, with at least WINDOW - STRIDE
# tokens before it wherever the text has them.
set -euo pipefail
here=$(dirname "$0")
model=${1:?usage: perplexity.sh MODEL [TEXT [OPTION...]]} text=${2:-$here/perplexity.txt}
window=${WINDOW:-256}
number='^[1-9][0-9]{0,8}$'
if ! [[ $window =~ $number ]] || ((window < 2)); then
  echo "perplexity.sh: WINDOW is \"$window\", must be a number of tokens from 2" >&2
  exit 2
fi
stride=${STRIDE:-$((window / 2))}
if ! [[ $stride =~ $number ]] || ((stride >= window)); then
  echo "perplexity.sh: STRIDE is \"$stride\", must be a number of tokens from 1 to $((window - 1))," \
    "below WINDOW" >&2
  exit 2
fi

jq -Rs . "$text" | sglrun tokenize -m "$model" |
  jq -c --argjson window "$window" --argjson stride "$stride" '.input_ids as $ids
    | ($ids | length) as $total
    | range(0; [$total - $window + $stride, 1] | max; $stride) as $begin
    | {input_ids: $ids[$begin:$begin + $window], return_logprob: true,
       logprob_start_len: (if $begin == 0 then 0 else $window - $stride - 1 end),
       sampling_params: {max_new_tokens: 0}}' |
  sglrun batch - -m "$model" -q "${@:3}" |
  jq -rs -L "$here" 'include "eval";
    rows | map(.meta_info.input_token_logprobs[1:][][0])
    | "perplexity: \(-add / length | exp | rounded) over \(length) tokens"'
