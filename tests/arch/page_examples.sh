#!/usr/bin/env bash
# Runs every fenced block of a page marked "sh test", in order, in one scratch folder where `sglrun` is on the PATH
# and samples/ and configs/ stand. A block marked "output" that follows is what the block before it must print.
#   page_examples.sh PAGE SOURCE_DIR SGLRUN
set -euo pipefail
page=$1
source_dir=$2
binary=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/blocks" "$scratch/run/bin" "$scratch/run/out"
ln -s "$source_dir/samples" "$source_dir/configs" "$scratch/run/"
ln -s "$binary" "$scratch/run/bin/sglrun"
export PATH="$scratch/run/bin:$PATH"

awk -v folder="$scratch/blocks" '
  /^```sh test$/ {file = sprintf("%s/%03d.sh", folder, ++count); inside = 1; next}
  /^```output$/ {file = sprintf("%s/%03d.output", folder, count); inside = 1; next}
  /^```/ {inside = 0}
  inside {print > file}' "$page"
[ -e "$scratch/blocks/001.sh" ] || { echo "$page holds no examples"; exit 1; }

cd "$scratch/run"
for block in "$scratch"/blocks/*.sh; do
  cat "$block"
  bash -eo pipefail "$block" >"$scratch/printed" 2>"$scratch/messages" ||
    { cat "$scratch/printed" "$scratch/messages"; echo "an example of $page fails"; exit 1; }
  expected=${block%.sh}.output
  [ ! -e "$expected" ] || diff "$expected" "$scratch/printed" || { echo "$page shows another output"; exit 1; }
done

# Nothing is left beside what git ignores.
left=$(ls -A | grep -vxE 'bin|configs|samples|out' || true)
[ -z "$left" ] || { echo "$page leaves behind: $left"; exit 1; }
grep -qx '/out/' "$source_dir/.gitignore"
