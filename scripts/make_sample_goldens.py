#!/usr/bin/env python3
"""Makes tests/golden/sample/golden.json: what transformers answers to samples/prompts.jsonl.

    scripts/make_sample_goldens.py

Only greedy records; float32 arithmetic on the bf16 weights of samples/model. Needs torch and
transformers. Run it again after scripts/train-sample-model.
"""

import json
from pathlib import Path

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

ROOT = Path(__file__).resolve().parent.parent
STOP_IDS = (0, 2)


@torch.no_grad()
def greedy(model, ids, most):
    """Greedy tokens, the stop token included, and the smallest gap of the best two logits."""
    tokens, gap = [], float("inf")
    while len(tokens) < most and not (tokens and tokens[-1] in STOP_IDS):
        best = model(torch.tensor([ids + tokens]), use_cache=False).logits[0, -1].topk(2)
        tokens.append(best.indices[0].item())
        gap = min(gap, (best.values[0] - best.values[1]).item())
    return tokens, gap


def main():
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(ROOT / "samples/model")
    model = AutoModelForCausalLM.from_pretrained(
        ROOT / "samples/model", dtype=torch.float32, attn_implementation="eager"
    ).eval()
    cases = []
    for line in (ROOT / "samples/prompts.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        params = record["sampling_params"]
        if params["temperature"] != 0:
            continue
        texts = record["text"]
        for text in texts if isinstance(texts, list) else [texts]:
            ids = tokenizer(text)["input_ids"]
            tokens, gap = greedy(model, ids, params["max_new_tokens"])
            answer = tokenizer.decode(
                tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
            cases.append(
                {
                    "rid": record["rid"],
                    "text": text,
                    "input_ids": ids,
                    "output_ids": tokens,
                    "output_text": answer,
                    "smallest_gap": float(f"{gap:.3g}"),
                }
            )
            print(record["rid"], repr(answer), cases[-1]["smallest_gap"])
    out = ROOT / "tests/golden/sample/golden.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(
        json.dumps(
            {
                "tool": "transformers",
                "version": transformers.__version__,
                "torch": torch.__version__,
                "command": "scripts/make_sample_goldens.py",
                "settings": "float32 on bf16 weights, eager attention, no KV cache",
                "cases": cases,
            },
            ensure_ascii=False,
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
