#!/usr/bin/env bash
# Perplexity of a text file: exp of the mean of -log p(token | the tokens before it).
#   samples/eval/perplexity.sh MODEL [TEXT [OPTION...]]
# The text is cut into windows of WINDOW tokens (default 256) that begin STRIDE (default 128) tokens
# apart. Every token but the first is scored once, in the first window that has it, with at least
# WINDOW - STRIDE tokens before it wherever the text has them.
set -euo pipefail
here=$(dirname "$0")
model=$1 text=${2:-$here/perplexity.txt}

jq -Rs . "$text" | sglrun tokenize -m "$model" |
  jq -c --argjson window "${WINDOW:-256}" --argjson stride "${STRIDE:-128}" '.input_ids as $ids
    | ($ids | length) as $total
    | range(0; [$total - $window + $stride, 1] | max; $stride) as $begin
    | {input_ids: $ids[$begin:$begin + $window], return_logprob: true,
       logprob_start_len: (if $begin == 0 then 0 else $window - $stride - 1 end),
       sampling_params: {max_new_tokens: 0}}' |
  sglrun batch - -m "$model" -q "${@:3}" |
  jq -rs -L "$here" 'include "eval";
    rows | map(.meta_info.input_token_logprobs[1:][][0])
    | "perplexity: \(-add / length | exp | rounded) over \(length) tokens"'
