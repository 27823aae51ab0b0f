#!/usr/bin/env bash
# kill -9 at each call that changes files, of a run whose end replaces the output and drops rows, and of a merge:
# the same command again makes what an undisturbed one makes, and nothing half is left beside it.
# kill_at_calls.sh SGLRUN SOURCE_DIR KILL_AT_CALL STEP     every STEP-th call
set -euo pipefail
binary=$1 source_dir=$2 killer=$3 step=$4

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
record() { echo "{\"text\":\"$1 + 3 =\",\"return_hidden_states\":true,\"sampling_params\":{\"max_new_tokens\":3}}"; }
for i in 1 2 3 4 5; do record "$i"; done > five.jsonl
for i in 4 6 2; do record "$i"; done > edited.jsonl
command=("$binary" batch -m "$source_dir/samples/model" --no-timing -q -t 1 --hidden-states npy)
mkdir before
(cd before && "${command[@]}" ../five.jsonl -o out.jsonl --report page.html)

# tried NAME COMMAND...: in a folder that begins as `before`; what is there afterwards is in the folder NAME.
again() { rm -rf work && cp -r before work && cd work; }
account() { find . -type f ! -name '*.run.json' ! -name 'page.html' ! -name '*.journal' | sort | xargs sha256sum; }
tried() {
  local name=$1 n code
  shift
  (again && "$@" && account > ../"$name")
  for ((n = 1; ; n += step)); do
    code=0
    (again && "$killer" "$n" "$@") || code=$?
    [ "$code" -ne 77 ] || { echo "programs may not be traced here"; exit 77; }
    (
      cd work
      "$@"
      account > ../found
      cmp ../"$name" ../found || { diff ../"$name" ../found; ls -la; echo "$name: killed at call $n"; exit 1; }
      if compgen -G '*.unfinished' || compgen -G '*.new*'; then echo "$name: left by a kill at call $n"; exit 1; fi
    )
    [ "$code" -eq 137 ] || break
  done
  echo "$name: killed at $((n / step)) calls"
}
tried edited "${command[@]}" ../edited.jsonl -o out.jsonl --report page.html
tried merged "$binary" merge out.jsonl -o merged.jsonl
