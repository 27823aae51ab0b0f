#!/usr/bin/env bash
# Everything that needs a GPU, in one command and under ten minutes: builds for the card, runs the engine's
# tests on it, compares its texts with the CPU's, lets compute-sanitizer watch a run, and measures decoding
# with random weights. Ends in a table; the measurements lie beside it as JSON. No network is used.
#   scripts/gpu_check.sh [FOLDER]     results go to FOLDER, gpu-check without it
# Exit code 77: no GPU, driver or nvcc here. 1: something failed.
set -uo pipefail
cd "$(dirname "$0")/.."

out=${1:-gpu-check}
card=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
[ -n "$card" ] || { echo "no NVIDIA driver or no card here"; exit 77; }
command -v nvcc >/dev/null || { echo "no nvcc in PATH"; exit 77; }
capability=$(echo "$card" | cut -d, -f2 | tr -d ' .')
architecture=$capability-real
[ "$capability" = 90 ] && architecture=90a-real

mkdir -p "$out"
table=$out/table.txt
: > "$table"
failed=0
note() {  # note NAME VERDICT
  printf '%-44s %s\n' "$1" "$2" | tee -a "$table"
  case $2 in FAIL*) failed=1 ;; esac
}
try() {  # try NAME SECONDS COMMAND...: its output goes to a log
  local name=$1 seconds=$2 log
  log=$out/$(echo "$1" | tr -c 'a-zA-Z0-9\n' _).log
  shift 2
  if timeout "$seconds" "$@" > "$log" 2>&1; then note "$name" ok; else note "$name" "FAIL, see $log"; fi
}

echo "$card" | tee -a "$table"
build=build/gpu-check
cmake --preset release -B $build -DSGLRUN_TESTS=ON -DSGLRUN_CUDA=ON -DSGLRUN_CUDA_ARCHITECTURES="$architecture" \
    > "$out/configure.log" 2>&1 || { note configure "FAIL, see $out/configure.log"; exit 1; }
try "build for $architecture" 420 cmake --build $build --target sglrun engine_tests
sglrun=$build/src/cli/sglrun
[ -x $sglrun ] || exit 1

try "engine tests on the GPU" 180 env SGLRUN_TEST_BACKEND=cuda $build/tests/engine/engine_tests

texts() { grep -o '"text":"\([^"\\]\|\\.\)*"' "$1"; }
compare() {  # compare NAME FILE ARGUMENTS...: the same texts as on the CPU
  local name=$1 file=$2
  shift 2
  for device in cpu cuda; do
    timeout 60 $sglrun batch -m samples/model "$file" --device $device --overwrite -q -o "$out/texts.$device" "$@" \
        2> "$out/texts.log"
    texts "$out/texts.$device" > "$out/$device.texts"
  done
  local all same
  all=$(wc -l < "$out/cpu.texts")
  same=$(paste -d '\n' "$out/cpu.texts" "$out/cuda.texts" | awk 'NR % 2 { a = $0; next } a == $0 { n++ } END { print n + 0 }')
  if [ "$all" -gt 0 ] && [ "$same" = "$all" ]; then note "$name" "ok, $all texts"; else note "$name" "FAIL, $same of $all"; fi
}
for sample in prompts sampling constrained scoring hidden_states; do
  compare "texts of $sample.jsonl" samples/$sample.jsonl
done
for form in f32 int8 int4; do
  compare "texts of prompts.jsonl in $form" samples/prompts.jsonl --dtype $form
done

if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    try "compute-sanitizer $tool" 60 compute-sanitizer --tool $tool --error-exitcode 1 \
        $sglrun batch -m samples/model samples/scoring.jsonl --device cuda --overwrite -q -o "$out/sanitized.jsonl"
  done
fi

for shape in smollm2-135m llama-3.2-1b llama-3.1-8b; do
  if timeout 120 $sglrun bench --shape $shape --device cuda --json --batch-sizes 1,8,64,256 \
      > "$out/bench-$shape.json" 2> "$out/bench-$shape.log"; then
    timeout 5 python3 - "$out/bench-$shape.json" "$shape" << 'END' | tee -a "$table"
import json, sys
report = json.load(open(sys.argv[1]))
for rows, speed in report["decode"].items():
    print("%-44s %.0f tokens/s" % (f"decode of {rows}, {sys.argv[2]}", speed))
for length, speed in report["prefill"].items():
    print("%-44s %.0f tokens/s" % (f"prefill of {length}, {sys.argv[2]}", speed))
END
  else
    note "bench of $shape" "FAIL, see $out/bench-$shape.log"
  fi
done
exit $failed
