#!/usr/bin/env python3
"""Makes tests/golden/eval/golden.json: scores of samples/eval on the sample model by transformers.

    scripts/make_eval_goldens.py

Multiple choice, exact match and perplexity as samples/eval/*.sh define them, computed without
sglrun: float32, eager attention, no cache of prefixes, one text at a time. Needs torch and
transformers.
"""

import json
import math
from pathlib import Path

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

ROOT = Path(__file__).resolve().parent.parent
EVAL = ROOT / "samples/eval"
WINDOW, STRIDE = 256, 128


def lines(name):
    return [json.loads(line) for line in (EVAL / name).read_text(encoding="utf-8").splitlines()]


class Scorer:
    def __init__(self):
        path = ROOT / "samples/model"
        self.tokenizer = AutoTokenizer.from_pretrained(path)
        self.model = AutoModelForCausalLM.from_pretrained(
            path, dtype=torch.float32, attn_implementation="eager"
        ).eval()

    @torch.no_grad()
    def logprobs(self, ids):
        """Of each token but the first."""
        table = self.model(torch.tensor([ids])).logits[0].log_softmax(-1)
        return [table[i - 1, ids[i]].item() for i in range(1, len(ids))]

    def answer_logprob(self, question, choice):
        ids = self.tokenizer.encode(f"{question} {choice}")
        begin = len(self.tokenizer.encode(question))
        return sum(self.logprobs(ids)[begin - 1 :])

    @torch.no_grad()
    def greedy(self, prompt, tokens=16):
        ids = self.tokenizer.encode(prompt)
        out = []
        for _ in range(tokens):
            out.append(self.model(torch.tensor([ids + out])).logits[0, -1].argmax().item())
            text = self.tokenizer.decode(out, skip_special_tokens=True)
            if out[-1] in self.model.generation_config.eos_token_id or "\n" in text:
                break
        return text.split("\n")[0].strip().rstrip(".").strip()


def best(values):
    return values.index(max(values))


def multiple_choice(scorer):
    by_sum, by_character, sums = 0, 0, []
    for item in lines("multiple_choice.jsonl"):
        choices = item["choices"]
        scores = [scorer.answer_logprob(item["question"], choice) for choice in choices]
        means = [score / len(choice) for score, choice in zip(scores, choices)]
        by_sum += best(scores) == item["answer"]
        by_character += best(means) == item["answer"]
        sums.append([round(score, 4) for score in scores])
    return {"by_sum": by_sum, "by_character": by_character, "logprobs": sums}


def perplexity(scorer):
    ids = scorer.tokenizer.encode((EVAL / "perplexity.txt").read_text(encoding="utf-8"))
    scored, end, begin = [], 1, 0
    while end < len(ids):
        stop = min(begin + WINDOW, len(ids))
        scored += scorer.logprobs(ids[begin:stop])[end - begin - 1 :]
        begin, end = begin + STRIDE, stop
    return {"value": math.exp(-sum(scored) / len(scored)), "tokens": len(scored)}


def main():
    scorer = Scorer()
    exact = [scorer.greedy(item["prompt"]) == item["answer"] for item in lines("exact_match.jsonl")]
    golden = {
        "tool": f"transformers {transformers.__version__}, torch {torch.__version__}",
        "command": "scripts/make_eval_goldens.py",
        "model": "samples/model in float32",
        "exact_match": sum(exact),
        "multiple_choice": multiple_choice(scorer),
        "perplexity": perplexity(scorer),
    }
    out = ROOT / "tests/golden/eval/golden.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
