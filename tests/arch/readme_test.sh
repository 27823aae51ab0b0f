#!/usr/bin/env bash
# Runs every fenced block of README.md marked "sh test", in order, in one scratch folder where `sglrun` is on
# the PATH and samples/ stands.  readme_test.sh SOURCE_DIR SGLRUN
set -euo pipefail
source_dir=$1
binary=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s "$source_dir/samples" "$scratch/samples"
ln -s "$source_dir/configs" "$scratch/configs"
mkdir "$scratch/bin"
ln -s "$binary" "$scratch/bin/sglrun"
export PATH="$scratch/bin:$PATH"

script=$(awk '/^```sh test$/ {inside = 1; next} /^```/ {inside = 0} inside' "$source_dir/README.md")
[ "$(printf '%s\n' "$script" | grep -c sglrun)" -ge 8 ] || { echo "README.md holds too few examples"; exit 1; }
cd "$scratch"
while IFS= read -r command; do
  [ -n "$command" ] || continue
  echo "\$ $command"
  bash -o pipefail -ec "$command"
done <<<"$script"

# Nothing is left beside what git ignores.
left=$(ls -A | grep -vxE 'bin|configs|samples|out' || true)
[ -z "$left" ] || { echo "README.md leaves behind: $left"; exit 1; }
grep -qx '/out/' "$source_dir/.gitignore"

# What the examples promise: a row for each record, and the joined shards equal the whole.
cd out
[ "$(wc -l < first.jsonl)" -eq "$(grep -c . ../samples/prompts.jsonl)" ]
[ "$(grep -c '"error"' first.jsonl greedy.jsonl more.jsonl all.jsonl | grep -vc ':0$' || true)" -eq 0 ]
sed 's/,"cached_tokens":[0-9]*//g; s/,"e2e_latency":[0-9.e-]*//g' first.jsonl > a
sed 's/,"cached_tokens":[0-9]*//g; s/,"e2e_latency":[0-9.e-]*//g' all.jsonl > b
cmp a b
