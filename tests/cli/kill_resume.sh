#!/usr/bin/env bash
# kill -9 at random moments (MOMENTS of them) of runs over RECORDS records: what is there in the end equals an
# uninterrupted run, byte for byte.  kill_resume.sh SGLRUN SOURCE_DIR MOMENTS RECORDS
set -euo pipefail
binary=$1 source_dir=$2
moments=$3 records=$4

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
for ((i = 0; i < records; ++i)); do
  case $((i % 5)) in
    0) echo "{\"text\":\"$i + 3 =\",\"sampling_params\":{\"max_new_tokens\":24}}" ;;
    1) echo "{\"text\":[\"A story\",\"$i\"],\"sampling_params\":{\"n\":2,\"max_new_tokens\":20}}" ;;
    2) echo "{\"text\":\"$i\",\"sampling_params\":{\"top_p\":2}}" ;;
    3) echo "{\"text\":\"$i - 1 =\",\"return_logprob\":true,\"sampling_params\":{\"ignore_eos\":true,\"max_new_tokens\":40}}" ;;
    4) echo "{\"text\":\"the same prompt\",\"sampling_params\":{\"max_new_tokens\":16}}" ;;
  esac
done > input.jsonl

# No function around it: in the background $! has to be the program itself.
command=("$binary" batch input.jsonl -m "$source_dir/samples/model" --no-timing -q --max-rows 16 -t 1)

started=$(date +%s%N)
code=0
"${command[@]}" -o whole.jsonl || code=$?
[ "$code" -eq 1 ] || { echo "exit code $code, expected 1 (some records are wrong)"; exit 1; }
took=$((($(date +%s%N) - started) / 1000000))

killed=0 finished=0 RANDOM=7
while [ "$killed" -lt "$moments" ]; do
  "${command[@]}" -o part.jsonl & child=$!
  # Anywhere between the start and somewhat after the end.
  sleep "$(awk -v r=$RANDOM -v t="$took" 'BEGIN { printf "%.4f", r / 32768 * t / 1000 * 0.6 }')"
  if kill -9 "$child" 2>/dev/null; then killed=$((killed + 1)); fi
  code=0
  wait "$child" 2>/dev/null || code=$?
  if [ "$code" -eq 1 ]; then
    cmp whole.jsonl part.jsonl
    finished=$((finished + 1))
    rm -f part.jsonl part.jsonl.*
  fi
done
code=0
"${command[@]}" -o part.jsonl || code=$?
[ "$code" -eq 1 ]
cmp whole.jsonl part.jsonl
echo "killed $killed times, finished $((finished + 1)) times"
