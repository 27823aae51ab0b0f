"""OpenVINO GenAI (package openvino-genai), which reads GGUF files of its own types: F16, Q8_0, Q4_0."""

import statistics
import time

from peers import work


class OpenVino:
    def __init__(self, path, threads, cache_gib=2):
        import numpy
        import openvino
        import openvino_genai

        self.api, self.openvino, self.numpy = openvino_genai, openvino, numpy
        scheduler = openvino_genai.SchedulerConfig()
        scheduler.cache_size = cache_gib
        scheduler.max_num_batched_tokens = 512
        scheduler.max_num_seqs = 64
        scheduler.enable_prefix_caching = True
        self.pipeline = openvino_genai.ContinuousBatchingPipeline(
            path, scheduler, "CPU", {"INFERENCE_PRECISION_HINT": "bf16", "INFERENCE_NUM_THREADS": threads})
        self.vocab = 32000

    def generate(self, prompts, new_tokens):
        config = self.api.GenerationConfig()
        config.max_new_tokens = config.min_new_tokens = new_tokens
        config.ignore_eos = True
        tensors = [self.openvino.Tensor(self.numpy.array([p], dtype=self.numpy.int64)) for p in prompts]
        start = time.perf_counter()
        self.pipeline.generate(tensors, [config] * len(prompts))
        return time.perf_counter() - start

    # Every prompt is new, so that its cache of prefixes has nothing of an earlier call.

    def prefill(self, length):
        seconds = [self.generate([work.ids(length, 10 + i, self.vocab)], 1) for i in range(4)]
        return length / statistics.median(seconds[1:])

    def decode(self, rows):
        prompts = work.rows(2 * rows, self.vocab)
        first = self.generate(prompts[:rows], 1)
        whole = self.generate(prompts[rows:], work.STEPS + 1)
        return rows * work.STEPS / (whole - first)


def worker(item, path, threads):
    side = OpenVino(path, threads)
    kind, _, size = item.partition(":")
    if kind == "prefill":
        return side.prefill(int(size))
    if kind == "decode":
        return side.decode(int(size))
    if kind == "job":
        side.generate(work.job(side.vocab), work.JOB_NEW)
    elif kind == "shared":
        prompts = work.shared(side.vocab)
        side.generate([prompts[0][: work.SHARED_PREFIX]], 1)  # primes its cache: requests that arrive together do not share
        side.generate(prompts, work.SHARED_NEW)
    elif kind == "first":
        side.generate([work.ids(16, 1, side.vocab)], 1)
    return None
