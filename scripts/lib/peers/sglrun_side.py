"""Our side: `sglrun bench` for rates, `sglrun batch` for whole jobs."""

import json
import os

from peers import work

VOCAB = 32000  # ids below this exist in every model that is compared


def write_records(folder, item):
    """The records of a whole job; returns their file."""
    if item == "job":
        prompts, new_tokens = work.job(VOCAB), work.JOB_NEW
    elif item == "shared":
        prompts, new_tokens = work.shared(VOCAB), work.SHARED_NEW
    else:
        prompts, new_tokens = [work.ids(16, 1, VOCAB)], 1
    path = os.path.join(folder, item + ".jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for prompt in prompts:
            params = {"max_new_tokens": new_tokens, "ignore_eos": True, "temperature": 0}
            file.write(json.dumps({"input_ids": prompt, "sampling_params": params}) + "\n")
    return path


def command(binary, item, path, form, threads, folder):
    dtype, _, kv_dtype = form.partition("/")
    common = ["-m", path, "--threads", str(threads), "--dtype", dtype, "--kv-dtype", kv_dtype or "auto"]
    kind, _, size = item.partition(":")
    if kind in ("prefill", "decode"):
        sizes = ["--prefill-lengths", size if kind == "prefill" else "16", "--batch-sizes", size if kind == "decode" else "1"]
        lengths = ["--prompt-tokens", str(work.PROMPT), "--output-tokens", str(work.STEPS if kind == "decode" else 2)]
        return [binary, "bench", *common, *sizes, *lengths, "--json"]
    return [binary, "batch", write_records(folder, item), *common, "-o", "-", "-q"]


def figure(item, finished):
    kind, _, size = item.partition(":")
    return finished.json()[kind][size] if kind in ("prefill", "decode") else None
