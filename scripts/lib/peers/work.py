"""The work that all sides of scripts/bench-peers do, as token ids, the same in every run."""

import random

PROMPT, STEPS = 128, 64  # of the decode rates
JOB_PROMPTS, JOB_NEW = 200, 64
SHARED_REQUESTS, SHARED_PREFIX, SHARED_OWN, SHARED_NEW = 32, 512, 16, 32


def ids(count, seed, vocab):
    generator = random.Random(seed)
    return [generator.randrange(100, vocab) for _ in range(count)]


def rows(count, vocab):
    """Prompts of the decode rates."""
    return [ids(PROMPT, 1000 + row, vocab) for row in range(count)]


def job(vocab):
    """200 prompts of 20 to 400 tokens."""
    generator = random.Random(1)
    return [ids(generator.randrange(20, 401), 2000 + i, vocab) for i in range(JOB_PROMPTS)]


def shared(vocab):
    """32 prompts of 512 common tokens and 16 of their own."""
    prefix = ids(SHARED_PREFIX, 3000, vocab)
    return [prefix + ids(SHARED_OWN, 3001 + i, vocab) for i in range(SHARED_REQUESTS)]
