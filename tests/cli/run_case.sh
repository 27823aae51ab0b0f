#!/usr/bin/env bash
# Runs one case of tests/cli: run_case.sh CASE_DIR SGLRUN SOURCE_DIR
#
#   cmd            a bash script; `sglrun` is on the PATH, helpers.sh is sourced before it
#   input*         whatever cmd reads; it runs in a scratch copy of the folder
#   expected.out   standard output, byte for byte (when the file is there)
#   expected.err   each line must occur in standard error
#   exit           the exit code, 0 when there is no such file
set -euo pipefail
case_dir=$1 binary=$2 source_dir=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$case_dir" "$scratch/case"
mkdir "$scratch/bin"
ln -s "$binary" "$scratch/bin/sglrun"
export PATH="$scratch/bin:$PATH" LC_ALL=C
export SAMPLES="$source_dir/samples" SOURCE="$source_dir"
export MODEL="$SAMPLES/model" GGUF="$SAMPLES/model.gguf"

code=0
cd "$scratch/case"
# Ends before ctest's own limit of 300 s, which would not show what the case has printed.
timeout --kill-after=5 240 bash -c 'set -euo pipefail; source "$0"; source ./cmd' "$source_dir/tests/cli/helpers.sh" \
  >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?

fail() {
  echo "$(basename "$case_dir"): $1"
  echo "--- stderr"; head -c 4000 "$scratch/err"
  echo "--- stdout"; head -c 4000 "$scratch/out"
  exit 1
}
want=0
[ ! -f exit ] || want=$(cat exit)
[ "$code" -eq "$want" ] || fail "exit code $code, expected $want"
if [ -f "$case_dir/expected.out" ]; then
  diff -u "$case_dir/expected.out" "$scratch/out" || fail "stdout differs from expected.out"
fi
if [ -f "$case_dir/expected.err" ]; then
  while IFS= read -r line; do
    grep -qF -- "$line" "$scratch/err" || fail "stderr lacks: $line"
  done <"$case_dir/expected.err"
fi
