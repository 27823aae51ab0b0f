#!/usr/bin/env python3
"""Lets lm-eval (the Language Model Evaluation Harness) score a model through `sglrun batch`.

Importing this module registers the model "sglrun": scripts/lm-eval does it for the command `lm-eval`; a
program then calls simple_evaluate(model="sglrun", ...). Every call of lm-eval (loglikelihood,
loglikelihood_rolling, generate_until) becomes one batch file, one run of `sglrun batch`, and the
answers read back.

Arguments of the model (--model_args name=value,...):
    model            a Hugging Face directory or a .gguf file; required
    sglrun           the program; "sglrun" on the PATH unless given
    options          further options of `sglrun batch`, as one text: "--dtype f32 --threads 4"
    work_dir         a folder for the batch files and their results. A call that was stopped
                     continues there, and one that was finished is not computed again. Without it a
                     temporary folder is used and removed.
    max_length       most tokens that predict others; the model's context less 2 unless given: the
                     token that is predicted last is part of a prompt here, and a prompt leaves room
                     for one token
    max_gen_toks     tokens to generate where the task does not say; 256
    prefix_token_id  what stands before a text without context; the token that begins a sequence,
                     else the only one that ends it
    batch_size, max_batch_size, device  accepted and not used: sglrun forms its batches itself

As lm-eval's own `hf` model does it: context and continuation are encoded together and split by the
length of the encoded context, blanks at the end of the context belong to the continuation, and what
is too long loses tokens at its beginning. Defaults of the model's generation_config.json are left
out (--sampling-defaults openai): what is not in the task is not applied.

Compared with the `hf` model on the same weights (SmolLM2-135M-Instruct, Q4_1 made float32): lm-eval
0.4.13, transformers 5.24.0, torch 2.15.0, CPU, float32, tests/lm_eval. Equal: every choice, every
is_greedy, every generated text and so every score; log-likelihoods agree to 1e-5.
"""

import functools
import hashlib
import json
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from lm_eval import utils
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.models.utils import handle_stop_sequences, normalize_gen_kwargs

# Generation arguments of tasks that are sampling parameters of the same name and meaning.
SAMPLING_NAMES = {"temperature", "top_p", "top_k", "min_p", "repetition_penalty"}
MAX_STOPS = 32  # of one record


class SglrunError(RuntimeError):
    """What sglrun said when it could not answer."""


@register_model("sglrun")
class SglrunLM(LM):
    def __init__(
        self,
        model,
        sglrun="sglrun",
        options="",
        work_dir=None,
        max_length=None,
        max_gen_toks=256,
        prefix_token_id=None,
        batch_size=None,
        max_batch_size=None,
        device=None,
    ):
        super().__init__()
        self.model = str(model)
        self.program = shutil.which(str(sglrun))
        if self.program is None:
            raise SglrunError(f"there is no program {sglrun}: name it with sglrun=PATH")
        self.options = shlex.split(options)
        self.max_gen_toks = int(max_gen_toks)
        if not work_dir:
            self._temporary = tempfile.TemporaryDirectory(prefix="lm_eval_sglrun.")
        self.work_dir = Path(work_dir or self._temporary.name)
        self.work_dir.mkdir(parents=True, exist_ok=True)
        self.facts = json.loads(self._run(["inspect", self.model, "--json"], allowed=(0, 1)))
        if not self.facts["usable"]:
            raise SglrunError(self.facts["reason"])
        self.max_length = int(max_length or self.facts["context_length"] - 2)
        self._prefix_token_id = None if prefix_token_id is None else int(prefix_token_id)

    # --- what lm-eval asks for ---------------------------------------------------------------

    def loglikelihood(self, requests, disable_tqdm=False):
        pairs = self._encode_pairs([request.args for request in requests])
        results = self._score(pairs, "loglikelihood")
        self._remember("loglikelihood", requests, results)
        return results

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        windows, owners = [], []
        for owner, ids in enumerate(self._encode([request.args[0] for request in requests])):
            rolling = utils.get_rolling_token_windows(
                token_list=ids,
                prefix_token=self.prefix_token_id,
                max_seq_len=self.max_length,
                context_len=1,
            )
            for window in map(utils.make_disjoint_window, rolling):
                windows.append(window)
                owners.append(owner)
        totals = [0.0] * len(requests)
        for owner, (logprob, _) in zip(owners, self._score(windows, "rolling"), strict=True):
            totals[owner] += logprob
        self._remember("loglikelihood_rolling", requests, totals)
        return totals

    def generate_until(self, requests, disable_tqdm=False):
        contexts = self._encode([request.args[0] for request in requests])
        records, stops = [], []
        for ids, request in zip(contexts, requests, strict=True):
            until, params = self._sampling_params(request.args[1])
            room = self.max_length - params["max_new_tokens"]
            if room <= 0:
                raise SglrunError(
                    f"the task asks for {params['max_new_tokens']} tokens, max_length is "
                    f"{self.max_length}"
                )
            records.append({"input_ids": ids[-room:], "sampling_params": params})
            stops.append(until)
        rows = self._batch(records, "generate")
        texts = [cut_at(row["text"], until) for row, until in zip(rows, stops, strict=True)]
        self._remember("generate_until", requests, texts)
        return texts

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        line = {"messages": chat_history, "add_generation_prompt": add_generation_prompt}
        text = self._filter(["template"], [line])[0]["text"]
        if add_generation_prompt:
            return text
        # The last message is a beginning that the model continues: nothing may follow it.
        last = chat_history[-1]["content"]
        last = last if last in text else last.strip()
        return text[: text.rindex(last) + len(last)]

    @property
    def tokenizer_name(self):
        return self.model.replace("/", "__")

    def chat_template(self, chat_template=False):
        return f"the chat template of {self.model}" if chat_template else None

    # --- text to tokens ----------------------------------------------------------------------

    @functools.cached_property
    def prefix_token_id(self):
        if self._prefix_token_id is not None:
            return self._prefix_token_id
        if self.facts["bos_token_id"] is not None:
            return self.facts["bos_token_id"]
        ends = list(self.facts["stop_tokens"])
        if len(ends) != 1:
            raise SglrunError(
                f"{self.model} has no token that begins a sequence and {len(ends)} that end one: "
                "choose what stands before a text without context with prefix_token_id=ID"
            )
        return int(ends[0])

    @functools.cached_property
    def prefix_text(self):
        return self._filter(["detokenize"], [[self.prefix_token_id]])[0]["text"]

    def _encode(self, texts, special=None):
        """The ids of each text, with the tokens that the tokenizer puts around it unless the text
        begins with the first of them already, or `special` says otherwise."""
        lines = []
        for text in texts:
            add = not text.startswith(self.prefix_text) if special is None else special
            lines.append({"text": text, "add_special_tokens": add})
        return [row["input_ids"] for row in self._filter(["tokenize"], lines)]

    def _encode_pairs(self, pairs):
        """(context ids, continuation ids) of each pair of texts."""
        pairs = [move_blanks(context, continuation) for context, continuation in pairs]
        wholes = self._encode([context + continuation for context, continuation in pairs])
        contexts = self._encode([context for context, _ in pairs])
        alone = self._encode([continuation for _, continuation in pairs], special=False)
        encoded = []
        for (text, _), whole, context, continuation in zip(
            pairs, wholes, contexts, alone, strict=True
        ):
            if text:
                encoded.append((context, whole[len(context) :]))
            elif continuation[:1] == [self.prefix_token_id]:
                encoded.append((continuation[:1], continuation[1:]))
            else:
                encoded.append(([self.prefix_token_id], continuation))
        return encoded

    # --- records and rows --------------------------------------------------------------------

    def _score(self, pairs, name):
        """(sum of logprobs, whether greedy decoding would give it) of each continuation."""
        records = []
        for context, continuation in pairs:
            if not 0 < len(continuation) <= self.max_length:
                raise SglrunError(
                    f"a continuation has {len(continuation)} tokens, must have 1 to "
                    f"{self.max_length} (max_length)"
                )
            ids = (context + continuation)[-(self.max_length + 1) :]
            records.append(
                {
                    "input_ids": ids,
                    "return_logprob": True,
                    "logprob_start_len": len(ids) - len(continuation) - 1,
                    "top_logprobs_num": 1,
                    "sampling_params": {"max_new_tokens": 0},
                }
            )
        return [read_score(row["meta_info"]) for row in self._batch(records, name)]

    def _sampling_params(self, gen_kwargs):
        kwargs = normalize_gen_kwargs(dict(gen_kwargs), self.max_gen_toks)
        until = [stop for stop in handle_stop_sequences(kwargs.pop("until", None), None) if stop]
        if len(until) > MAX_STOPS:
            raise SglrunError(f"the task names {len(until)} stop strings; at most {MAX_STOPS} fit")
        params = {"max_new_tokens": kwargs.pop("max_gen_toks"), "stop": until}
        if not kwargs.pop("do_sample", False):
            kwargs["temperature"] = 0.0
        unknown = sorted(set(kwargs) - SAMPLING_NAMES)
        if unknown:
            raise SglrunError(
                f"generation argument {unknown[0]!r} of the task is not known here; known are "
                f"until, max_gen_toks, do_sample, {', '.join(sorted(SAMPLING_NAMES))}"
            )
        params.update(kwargs)
        return until, params

    def _batch(self, records, name):
        """One batch file, one run; the rows in order. An error row ends the evaluation."""
        if not records:
            return []
        lines = "".join(json.dumps(record) + "\n" for record in records)
        key = json.dumps([self.model, self.options, lines]).encode()
        stem = self.work_dir / f"{name}-{hashlib.sha256(key).hexdigest()[:16]}"
        batch, output = stem.with_suffix(".jsonl"), stem.with_suffix(".out.jsonl")
        batch.write_text(lines, encoding="utf-8")
        command = ["batch", str(batch), "--output", str(output), "--model", self.model]
        command += ["--sampling-defaults", "openai", *self.options]
        self._run(command, allowed=(0, 1), show=True)
        with output.open(encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        for number, row in enumerate(rows, 1):
            if "error" in row:
                raise SglrunError(f"{batch}:{number}: {row['error']['message']}")
        if len(rows) != len(records):
            raise SglrunError(f"{output} has {len(rows)} rows for {len(records)} records")
        return rows

    def _filter(self, command, values):
        """The answers of a JSONL filter, in order."""
        text = "".join(json.dumps(value) + "\n" for value in values)
        out = self._run([*command, "--model", self.model], text=text)
        return [json.loads(line) for line in out.splitlines()]

    def _run(self, arguments, text=None, allowed=(0,), show=False):
        done = subprocess.run(
            [self.program, *arguments],
            input=text,
            stdout=subprocess.PIPE,
            stderr=None if show else subprocess.PIPE,
            encoding="utf-8",
        )
        if done.returncode not in allowed:
            reason = (done.stderr or done.stdout or "see above").strip().splitlines()[-1]
            raise SglrunError(f"sglrun {arguments[0]} left with code {done.returncode}: {reason}")
        return done.stdout

    def _remember(self, method, requests, results):
        for request, result in zip(requests, results, strict=True):
            self.cache_hook.add_partial(method, request.args, result)


def move_blanks(context, continuation):
    """Blanks between the two belong to the second: tokens begin with a blank, few end with one."""
    kept = context.rstrip()
    return kept, context[len(kept) :] + continuation


def read_score(meta_info):
    """Of the continuation's positions; the first one that is reported has no logprob."""
    tokens = meta_info["input_token_logprobs"][1:]
    best = meta_info["input_top_logprobs"][1:]
    is_greedy = all(top[0][1] == token for (_, token, _), top in zip(tokens, best, strict=True))
    return sum(logprob for logprob, _, _ in tokens), is_greedy


def cut_at(text, stops):
    for stop in stops:
        text = text.split(stop)[0]
    return text
