#!/usr/bin/env bash
# Records with mixed constraints in one batch: finished texts are members by an independent judge, and
# the first ALONE records give the same bytes one by one.
#   constrained_mix.sh SGLRUN SCRIPT MODEL COUNT ALONE
set -euo pipefail
sglrun=$1 script=$2 model=$3 count=$4 alone=$5
[ -e "$model" ] || { echo "$model is not there: scripts/get-smollm2 obtains it"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
python3 "$script" write "$count" >input.jsonl
"$sglrun" batch input.jsonl -m "$model" -q --no-timing -o together.jsonl
finished=$(python3 "$script" judge input.jsonl together.jsonl)
echo "$finished of $count finished"
[ "$finished" -ge $((count / 2)) ]
"$sglrun" batch input.jsonl --limit "$alone" -m "$model" -q --no-timing -o alone.jsonl --max-rows 1 -t 1
cmp <(head -n "$alone" together.jsonl) alone.jsonl
