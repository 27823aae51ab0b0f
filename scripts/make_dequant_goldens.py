#!/usr/bin/env python3
"""Writes tests/golden/dequant/: blocks of every weight format that sglrun reads, and the float32
values that the gguf package gives for them. Needs Python with gguf and numpy; run without
arguments from anywhere. The random blocks come from a fixed seed, so a second run writes the same
bytes."""

import importlib.metadata
import json
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

NAMES = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K",
         "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4"]
# Byte offsets of the float16 scales of a block: random bits there would often be NaN or huge.
HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82],
          "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0],
          "IQ4_XS": [0]}
WEIGHTS = 1024


def blocks(name, random):
    elements, size = GGML_QUANT_SIZES[GGMLQuantizationType[name]]
    count = WEIGHTS // elements
    if name in ("F32", "F16"):
        values = (random.standard_normal(count) * 3).astype(np.float32 if name == "F32" else np.float16)
        return values.view(np.uint8).reshape(count, size)
    data = random.integers(0, 256, size=(count, size), dtype=np.uint8)
    if name == "BF16":
        data[:, 1] = 0x3C + (data[:, 1] & 0x83)  # exponents near one, either sign
    for offset in HALVES.get(name, []):
        scales = (random.standard_normal(count) * 0.05).astype(np.float16)
        scales[0] = np.float16(3e-6)  # a subnormal
        data[:, offset:offset + 2] = scales.view(np.uint8).reshape(count, 2)
    if name == "MXFP4":
        data[:, 0] = random.integers(110, 135, size=count)
        data[:3, 0] = [0, 1, 254]
    return data


def main():
    folder = Path(__file__).resolve().parent.parent / "tests" / "golden" / "dequant"
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(20261128)
    for name in NAMES:
        data = blocks(name, random)
        with np.errstate(over="ignore"):
            values = dequantize(data, GGMLQuantizationType[name]).astype(np.float32).ravel()
        assert values.size == WEIGHTS
        (folder / f"{name}.in").write_bytes(data.tobytes())
        (folder / f"{name}.f32").write_bytes(values.tobytes())
    origin = {"tool": "gguf", "version": importlib.metadata.version("gguf"),
              "numpy": np.__version__, "command": "scripts/make_dequant_goldens.py",
              "weights": WEIGHTS, "formats": NAMES}
    (folder / "origin.json").write_text(json.dumps(origin, indent=1) + "\n")


if __name__ == "__main__":
    main()
