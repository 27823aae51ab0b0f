#!/usr/bin/env python3
"""The speeds that scripts/gpu-check measured, as lines for people and as results.json.

    gpu_table.py FOLDER CARD     reads kernels.json, bench-*.json and table.txt of FOLDER
"""
import json
import pathlib
import sys

KERNEL_SHAPE = "llama-3.1-8b"  # the one whose kernels the table shows; results.json has all


def read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def kernel_lines(kernels):
    """One line a kernel: its share of what the card reaches, for each number of rows."""
    yield "ceilings: copy %.0f GB/s, product %.0f TFLOP/s" % (
        kernels["copy_bytes_per_s"] / 1e9, kernels["product_flops_per_s"] / 1e12)
    by_kernel = {}
    for line in kernels["kernels"]:
        if line["shape"] == KERNEL_SHAPE:
            by_kernel.setdefault(line["kernel"], []).append(line)
    yield f"{KERNEL_SHAPE}, rows: microseconds (share of the ceiling); of products beside cuBLASLt's, [error, 1 is allowed]"
    for kernel, lines in by_kernel.items():
        cells = "  ".join("%d: %.1f (%.0f %%)" % (l["rows"], l["us"], 100 * l["share_of_peak"]) +
                          (" [%.2f]" % l["error"] if l["error"] > 0 else "") for l in lines)
        yield "%-24s %s" % (kernel, cells)


def share(report, rows, kernels):
    if not kernels:
        return None
    return max(report["decode_bytes_per_s"][rows] / kernels["copy_bytes_per_s"],
               report["decode_flops_per_s"][rows] / kernels["product_flops_per_s"])


def bench_lines(name, report, kernels):
    cells = []
    for rows, speed in report["decode"].items():
        part = share(report, rows, kernels)
        cells.append("%s: %.0f" % (rows, speed) + ("" if part is None else " (%.0f %%)" % (100 * part)))
    yield "%-24s %s" % ("decode " + name, "  ".join(cells))
    cells = ["%s: %.0f" % item for item in report["prefill"].items()]
    yield "%-24s %s" % ("prefill " + name, "  ".join(cells))


def main():
    folder, card = pathlib.Path(sys.argv[1]), sys.argv[2]
    kernels = read(folder / "kernels.json")
    lines = list(kernel_lines(kernels)) if kernels else []
    benches = {}
    for path in sorted(folder.glob("bench-*.json")):
        report = read(path)
        if not report:
            continue
        name = path.stem.removeprefix("bench-")
        benches[name] = report | {"share_of_peak": {rows: share(report, rows, kernels) for rows in report["decode"]}}
        lines += bench_lines(name, report, kernels)
    if benches:
        lines.insert(len(lines) - 2 * len(benches), "tokens/s by rows (share of the ceiling)")
    checks = (folder / "table.txt").read_text().splitlines()
    (folder / "results.json").write_text(
        json.dumps({"card": card, "checks": checks, "kernels": kernels, "bench": benches}, indent=1) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
