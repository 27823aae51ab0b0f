"""Asks the trained sample model questions and counts the right answers."""

import itertools
import random

import torch

import world


@torch.no_grad()
def answers(model, tokenizer, prompts, most=96):
    """Greedy continuation of every prompt; prompts of one length run together."""
    result = {}
    encoded = sorted(((tokenizer.encode(p).ids, p) for p in set(prompts)), key=lambda e: len(e[0]))
    for _, group in itertools.groupby(encoded, key=lambda e: len(e[0])):
        group = list(group)
        ids = torch.tensor([e[0] for e in group])
        start = ids.shape[1]
        out = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=most,
            do_sample=False,
            eos_token_id=[0, 2],
            pad_token_id=0,
        )
        for row, (_, prompt) in zip(out.tolist(), group):
            result[prompt] = tokenizer.decode(row[start:], skip_special_tokens=True)
    return result


def report(model, tokenizer, count=200):
    """Prints, for each kind of task, how many of `count` drawn ones are answered exactly."""
    for maker, _ in world.MAKERS:
        rng = random.Random(7)
        tasks = [maker(rng) for _ in range(count)]
        wanted = {}
        for prompt, answer, question, reply in tasks:
            wanted[prompt] = answer
            wanted[world.as_text(world.chat([(question, "")])).removesuffix(world.IM_END)] = reply
        got = answers(model, tokenizer, wanted)
        wrong = [(p, got[p], w) for p, w in wanted.items() if got[p] != w]
        print(f"{maker.__name__}: {len(wanted) - len(wrong)} of {len(wanted)} right", flush=True)
        for prompt, text, want in wrong[:3]:
            print(f"  {prompt!r} -> {text!r}, wanted {want!r}")
    rng = random.Random(3)
    start = world.story_text(rng)[0]
    print(answers(model, tokenizer, [start], 160)[start])
