"""llama.cpp through its C interface (package llama-cpp-python): the loops that a careful user of it would write."""

import ctypes
import statistics
import time

from peers import work

GGML_TYPE_BF16 = 30  # of enum ggml_type; the package does not name it
SLOTS, BATCH = 32, 512


class Llama:
    def __init__(self, path, threads):
        import llama_cpp
        import numpy

        self.api, self.numpy, self.threads = llama_cpp, numpy, threads
        # The callback object must outlive every call of the library.
        self.silent = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(self.silent, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        load = getattr(llama_cpp, "llama_model_load_from_file", None) or llama_cpp.llama_load_model_from_file
        self.model = load(path.encode(), llama_cpp.llama_model_default_params())
        self.vocab = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))

    def open(self, rows, tokens_a_row, unified=False):
        api = self.api
        params = api.llama_context_default_params()
        params.n_ctx = rows * tokens_a_row
        params.n_batch = params.n_ubatch = max(BATCH, rows)
        params.n_seq_max = rows
        params.n_threads = params.n_threads_batch = self.threads
        params.type_k = params.type_v = GGML_TYPE_BF16
        if hasattr(params, "kv_unified"):
            params.kv_unified = unified
        new = getattr(api, "llama_init_from_model", None) or api.llama_new_context_with_model
        self.context = new(self.model, params)
        self.batch = api.llama_batch_init(max(BATCH, rows), 0, 1)

    def close(self):
        self.api.llama_batch_free(self.batch)
        self.api.llama_free(self.context)

    def memory(self):
        return self.api.llama_get_memory(self.context)

    def step(self, tokens):
        """tokens: (id, position, row, wants logits); returns the greedy token of each that wants logits, by row."""
        batch = self.batch
        batch.n_tokens = len(tokens)
        for i, (token, position, row, wanted) in enumerate(tokens):
            batch.token[i] = token
            batch.pos[i] = position
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = row
            batch.logits[i] = wanted
        if self.api.llama_decode(self.context, batch) != 0:
            raise SystemExit("llama_decode failed")
        return {token[2]: self.argmax(i) for i, token in enumerate(tokens) if token[3]}

    def argmax(self, index):
        pointer = self.api.llama_get_logits_ith(self.context, index)
        return int(self.numpy.ctypeslib.as_array(pointer, shape=(self.vocab,)).argmax())

    # ---- the work ----

    def prefill(self, length):
        self.open(1, length)
        ids = work.ids(length, 1, self.vocab)
        rates = []
        for _ in range(4):
            self.api.llama_memory_clear(self.memory(), True)
            start = time.perf_counter()
            self.step([(t, i, 0, i == length - 1) for i, t in enumerate(ids)])
            rates.append(length / (time.perf_counter() - start))
        self.close()
        return statistics.median(rates[1:])

    def decode(self, rows):
        self.open(rows, work.PROMPT + work.STEPS + 16)
        last = {}
        for row, ids in enumerate(work.rows(rows, self.vocab)):
            last |= self.step([(t, i, row, i == work.PROMPT - 1) for i, t in enumerate(ids)])
        start = time.perf_counter()
        for step in range(work.STEPS):
            last = self.step([(last[row], work.PROMPT + step, row, True) for row in range(rows)])
        rate = rows * work.STEPS / (time.perf_counter() - start)
        self.close()
        return rate

    def serve(self, prompts, new_tokens):
        """Continuous batching as its server does it: free slots take the next prompt, which is computed in the chunks
        that the decoding rows leave room for."""
        slots = min(SLOTS, len(prompts))
        self.open(slots, max(len(p) for p in prompts) + new_tokens + 16)
        waiting = list(reversed(prompts))
        running = {}  # row: [prompt, computed, made, last token]
        while waiting or running:
            for row in range(slots):
                if row not in running and waiting:
                    running[row] = [waiting.pop(), 0, 0, None]
            tokens = [(r[3], len(r[0]) + r[2] - 1, row, True) for row, r in running.items() if r[2] > 0]
            for row, r in running.items():
                if r[2] > 0:
                    continue
                end = min(len(r[0]), r[1] + BATCH - len(tokens))
                tokens += [(r[0][i], i, row, i == len(r[0]) - 1) for i in range(r[1], end)]
                r[1] = end
            for row, token in self.step(tokens).items():
                running[row][2] += 1
                running[row][3] = token
                if running[row][2] == new_tokens:
                    self.api.llama_memory_seq_rm(self.memory(), row, -1, -1)
                    del running[row]
        self.close()

    def serve_shared_by_hand(self, prompts, prefix, new_tokens):
        """The prefix computed once and its cache given to every row: what its server does not do."""
        rows = len(prompts)
        self.open(rows, prefix + 64 + new_tokens, unified=True)
        for begin in range(0, prefix, BATCH):
            self.step([(t, begin + i, 0, False) for i, t in enumerate(prompts[0][begin : min(prefix, begin + BATCH)])])
        for row in range(1, rows):
            self.api.llama_memory_seq_cp(self.memory(), 0, row, 0, prefix)
        last, size = {}, len(prompts[0])
        tokens = [(p[i], i, row, i == size - 1) for row, p in enumerate(prompts) for i in range(prefix, size)]
        for begin in range(0, len(tokens), BATCH):
            last |= self.step(tokens[begin : begin + BATCH])
        for step in range(new_tokens - 1):
            last = self.step([(last[row], size + step, row, True) for row in range(rows)])
        self.close()


def worker(item, path, threads):
    """Does one item of work and returns its figure; whole-process times are taken outside."""
    side = Llama(path, threads)
    kind, _, size = item.partition(":")
    if kind == "prefill":
        return side.prefill(int(size))
    if kind == "decode":
        return side.decode(int(size))
    if kind == "job":
        side.serve(work.job(side.vocab), work.JOB_NEW)
    elif kind == "shared":
        side.serve(work.shared(side.vocab), work.SHARED_NEW)
    elif kind == "shared-by-hand":
        side.serve_shared_by_hand(work.shared(side.vocab), work.SHARED_PREFIX, work.SHARED_NEW)
    elif kind == "first":
        side.serve([work.ids(16, 1, side.vocab)], 1)
    return None
