#!/usr/bin/env bash
# Everything that needs a GPU, in one command and under ten minutes: builds for the card; runs every kernel's
# cases with fresh random data against sums in float64, and the engine's tests; compares texts with the CPU's;
# lets compute-sanitizer watch the kernels; measures a copy and a large product as ceilings, each kernel
# against them, and decoding with random weights. Ends in a table of at most 60 lines; beside it lies
# results.json. No network is used.
#   scripts/gpu_check.sh [FOLDER]     results go to FOLDER, gpu-check without it
# Exit code 77: no GPU, driver or nvcc here. 1: something failed.
set -uo pipefail
cd "$(dirname "$0")/.."

out=${1:-gpu-check}
card=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
[ -n "$card" ] || { echo "no NVIDIA driver or no card here"; exit 77; }
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "no nvcc in PATH"; exit 77; }
capability=$(echo "$card" | cut -d, -f2 | tr -d ' .')
architecture=$capability-real
[ "$capability" = 90 ] && architecture=90a-real

readonly whole=585  # seconds for everything
mkdir -p "$out"
out=$(cd "$out" && pwd)
table=$out/table.txt
: > "$table"
rm -f "$out"/*.json "$out"/texts.* "$out"/*.texts "$out"/rows-*.jsonl
failed=0
note() {  # note NAME VERDICT
  printf '%-40s %s\n' "$1" "$2" | tee -a "$table"
  case $2 in FAIL*) failed=1 ;; esac
}
limited() {  # limited SECONDS COMMAND...: no longer than that, nor than what is left of the whole
  local seconds=$1 left=$((whole - SECONDS))
  shift
  [ "$left" -gt 2 ] || { echo "no time left"; return 124; }
  timeout $((seconds < left ? seconds : left)) "$@"
}
try() {  # try NAME SECONDS COMMAND...: its output goes to a log
  local name=$1 seconds=$2 log began=$SECONDS
  log=$out/$(echo "$1" | tr -c 'a-zA-Z0-9\n' _).log
  shift 2
  if limited "$seconds" "$@" > "$log" 2>&1; then note "$name" "ok, $((SECONDS - began)) s"; else note "$name" "FAIL, see $log"; fi
}

echo "$card, $(date -u +%Y-%m-%d)" | tee -a "$table"
build=build/gpu-check
cmake --preset release -B $build -DSGLRUN_TESTS=ON -DSGLRUN_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc" \
    -DSGLRUN_CUDA_ARCHITECTURES="$architecture" > "$out/configure.log" 2>&1 ||
  { note configure "FAIL, see $out/configure.log"; exit 1; }
try "build for $architecture" 330 cmake --build $build -j "$(nproc)" --target sglrun engine_tests cuda_gpu_tests gpu_bench
sglrun=$build/src/cli/sglrun kernel_tests=$build/tests/kernels/cuda/cuda_gpu_tests
[ -x $sglrun ] && [ -x $kernel_tests ] || exit 1

# The reference sums in float64; the sampler must agree to the bit. Another seed every time, told for a rerun.
seed=$((RANDOM % 1000))
for source in gemm quant_gemm paged_attention elementwise chains logits_process sample logprobs; do
  try "$source against float64, seed $seed" 60 env SGLRUN_TEST_SEED=$seed $kernel_tests "--source-file=*/${source}_test.cc"
done
try "engine tests on the GPU" 120 env SGLRUN_TEST_BACKEND=cuda $build/tests/engine/engine_tests

texts() { grep -o '"text":"\([^"\\]\|\\.\)*"' "$1"; }
compare() {  # compare NAME FILE ARGUMENTS...: the same texts as on the CPU
  local name=$1 file=$2 all same
  shift 2
  for device in cpu cuda; do
    limited 20 $sglrun batch -m samples/model "$file" --device $device --overwrite -q -o "$out/texts.$device" "$@" \
        2> "$out/texts.log" || { note "$name" "FAIL, --device $device: $(tail -n 1 "$out/texts.log")"; return; }
    texts "$out/texts.$device" > "$out/$device.texts"
  done
  all=$(wc -l < "$out/cpu.texts")
  same=$(paste -d '\n' "$out/cpu.texts" "$out/cuda.texts" | awk 'NR % 2 { a = $0; next } a == $0 { n++ } END { print n + 0 }')
  if [ "$all" -gt 0 ] && [ "$same" = "$all" ]; then note "$name" "ok, $all texts"; else note "$name" "FAIL, $same of $all"; fi
}
for sample in prompts sampling constrained scoring hidden_states; do
  compare "texts of $sample.jsonl" samples/$sample.jsonl
done
compare "texts of prompts.jsonl, own products" samples/prompts.jsonl --deterministic
# Of int8 the CPU rounds other groups than a GPU.
for form in f32 int4; do
  compare "texts of prompts.jsonl in $form" samples/prompts.jsonl --dtype $form
done

# A promise on a GPU with --deterministic only, for cuBLASLt adds in another order for other numbers of rows.
for rows in 1 256; do
  limited 30 $sglrun batch -m samples/model samples/scoring.jsonl samples/sampling.jsonl --device cuda --deterministic \
      --max-rows $rows --no-timing --overwrite -q -o "$out/rows-$rows.jsonl" 2> "$out/texts.log" ||
    rm -f "$out/rows-$rows.jsonl"
done
if [ -s "$out/rows-1.jsonl" ] && cmp -s "$out/rows-1.jsonl" "$out/rows-256.jsonl"; then
  note "same bytes in any batch, --deterministic" ok
else
  note "same bytes in any batch, --deterministic" FAIL
fi

sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
if [ -x "$sanitizer" ]; then
  for tool in memcheck racecheck initcheck synccheck; do
    try "compute-sanitizer $tool" 25 "$sanitizer" --tool $tool --error-exitcode 1 \
        $sglrun batch -m samples/model samples/scoring.jsonl --device cuda --overwrite -q -o "$out/sanitized.jsonl"
  done
else
  note compute-sanitizer "not here, nothing watched"
fi

try "speed of the kernels" 60 $build/tests/bench/gpu_bench --json "$out/kernels.json"
for shape in smollm2-135m llama-3.2-1b llama-3.1-8b; do
  limited 40 $sglrun bench --shape $shape --device cuda --json --batch-sizes 1,8,64,256 \
      > "$out/bench-$shape.json" 2> "$out/bench-$shape.log" || note "bench of $shape" "FAIL, see $out/bench-$shape.log"
done
timeout 10 python3 scripts/gpu_table.py "$out" "$card" > "$out/speed.txt" || note "table of speeds" FAIL
tee -a "$table" < "$out/speed.txt"
note "whole check" "$SECONDS s"
exit $failed
