#!/usr/bin/env python3
"""Compares the model of scripts/lm-eval with lm-eval's own `hf` model: the same scores in float32.

    compare_with_hf.py SGLRUN GGUF

Runs the tasks of samples/eval/lm_eval with both on the same weights, plain and, for the generating
task, with the chat template; then requests that are hard to cut right. Exits 77 where lm-eval or
the model is missing.
"""

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TASKS = ["sglrun_choice", "sglrun_exact", "sglrun_text"]
MAX_LENGTH = 64  # so that the lines of the text need several windows
TOLERANCE = 1e-4

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


sys.path.insert(0, str(ROOT / "scripts/lib"))
try:
    import gguf
    import lm_eval
    import torch
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager
    from transformers import PreTrainedTokenizerFast

    import lm_eval_sglrun
    import smollm2
except ImportError as missing:
    skip(f"{missing.name} is not installed")


def hf_model(path):
    """The same weights, made float32, as a transformers model."""
    reader = gguf.GGUFReader(path)
    model = smollm2.load_model(reader)
    model.generation_config.eos_token_id = 2
    model.generation_config.pad_token_id = 2
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=smollm2.load_tokenizer(reader),
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        pad_token="<|im_end|>",
        chat_template=smollm2.field(reader, "tokenizer.chat_template"),
    )
    return HFLM(
        pretrained=model, tokenizer=tokenizer, max_length=MAX_LENGTH, batch_size=4, device="cpu"
    )


def sglrun_model(program, path, work_dir):
    return lm_eval_sglrun.SglrunLM(
        model=path,
        sglrun=program,
        options="--dtype f32 --kv-dtype f32",
        work_dir=work_dir,
        max_length=MAX_LENGTH,
    )


def evaluate(model, tasks, **options):
    return lm_eval.simple_evaluate(
        model=model,
        tasks=tasks,
        task_manager=TaskManager(include_path=str(ROOT / "samples/eval/lm_eval")),
        bootstrap_iters=0,
        log_samples=True,
        verbosity="ERROR",
        **options,
    )


def answers(results, task):
    """What the model said to each document: (logprob, is_greedy), a text, or a logprob."""
    samples = sorted(results["samples"][task], key=lambda sample: sample["doc_id"])
    return [sample["resps"] for sample in samples]


def flat(value):
    """A nested answer as one list of its leaves."""
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


def difference(ours, theirs):
    """Of logprobs and scores, absolute below 1 and relative above; texts and truths are equal or
    not."""
    if isinstance(theirs, float):
        return abs(ours - theirs) / max(1.0, abs(theirs))
    return 0.0 if ours == theirs else float("inf")


def check(what, ours, theirs):
    ours, theirs = flat(ours), flat(theirs)
    differences = [difference(*pair) for pair in zip(ours, theirs)]
    print(f"{what}: {len(theirs)} values, largest difference {max(differences):.1e}")
    return len(ours) == len(theirs) and max(differences) <= TOLERANCE


def compare_tasks(ours, theirs, tasks, **options):
    mine, hf = evaluate(ours, tasks, **options), evaluate(theirs, tasks, **options)
    good = True
    for task in tasks:
        good &= check(f"{task} answers", answers(mine, task), answers(hf, task))
        scores = [
            {name: value for name, value in results["results"][task].items() if name != "alias"}
            for results in (mine, hf)
        ]
        print(f"{task} scores: sglrun {scores[0]}, hf {scores[1]}")
        good &= check(f"{task} scores", list(scores[0].values()), list(scores[1].values()))
    return good


def request(kind, *arguments):
    return Instance(request_type=kind, doc={}, arguments=arguments, idx=0)


def compare_edges(ours, theirs):
    """No context, blanks on both sides, a context too long for the model, a continuation of many
    tokens, and stops within a token."""
    pairs = [
        ("", "The sky is blue."),
        ("", "<|im_start|>user"),
        ("The capital of France is ", "Paris"),
        ("The capital of France is   ", "  Paris "),
        ("One, two, three, " * 30, "four, five, six"),
        ("Line one\n\n", "Line two\n"),
        ("naïve caf", "é au lait 😀"),
        ("12345", "6789"),
    ]
    requests = [request("loglikelihood", *pair) for pair in pairs]
    good = check(
        "edges, loglikelihood", ours.loglikelihood(requests), theirs.loglikelihood(requests)
    )
    texts = ["Short.", "", "One, two, three, four. " * 40, "<|im_start|>x"]
    requests = [request("loglikelihood_rolling", text) for text in texts]
    good &= check(
        "edges, loglikelihood_rolling",
        ours.loglikelihood_rolling(requests),
        theirs.loglikelihood_rolling(requests),
    )
    prompts = [
        ("Count: one, two, three,", {"until": [" six"], "max_gen_toks": 24}),
        ("Count: one, two, three, " * 20, {"until": ["\n\n"], "max_gen_toks": 12}),
        ("The capital of France is", {"until": "aris", "max_gen_toks": 8, "temperature": 0.0}),
        ("Once upon a time", {"max_gen_toks": 20}),
    ]
    requests = [request("generate_until", *prompt) for prompt in prompts]
    return good & check(
        "edges, generate_until", ours.generate_until(requests), theirs.generate_until(requests)
    )


def compare_again(ours):
    """The same call again is answered from the files of before."""
    request_of_before = [request("loglikelihood", "The capital of France is", " Paris")]
    first = ours.loglikelihood(request_of_before)
    files = sorted(ours.work_dir.iterdir())
    again = ours.loglikelihood(request_of_before)
    return check("again", again, first) and files == sorted(ours.work_dir.iterdir())


def compare_templates(ours, theirs):
    """A question, a system prompt, and an answer that has begun: nothing may follow it."""
    question = {"role": "user", "content": "What is 2 + 2?\n\n"}
    chats = [
        ([question], True),
        ([{"role": "system", "content": "Be brief."}, question], True),
        ([question, {"role": "assistant", "content": "The answer is "}], False),
    ]
    texts = [
        [model.apply_chat_template(chat, add_generation_prompt=opened) for chat, opened in chats]
        for model in (ours, theirs)
    ]
    return check("chat templates", *texts)


def main():
    program, path = sys.argv[1:3]
    if not Path(path).is_file():
        skip(f"there is no {path}")
    os.chdir(ROOT)
    torch.set_num_threads(2)
    theirs = hf_model(path)
    with tempfile.TemporaryDirectory() as work_dir:
        ours = sglrun_model(program, path, work_dir)
        good = compare_tasks(ours, theirs, TASKS)
        good &= compare_tasks(ours, theirs, ["sglrun_exact"], apply_chat_template=True)
        good &= compare_edges(ours, theirs)
        good &= compare_templates(ours, theirs)
        good &= compare_again(ours)
    print("equal" if good else "NOT EQUAL")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
