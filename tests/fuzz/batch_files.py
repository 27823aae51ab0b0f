#!/usr/bin/env python3
"""Runs `batch` on files of hostile records under a limit of memory: one row a line, in order, whatever a line says.

  batch_files.py SGLRUN SOURCE FIRST_SEED FILES [DIRECTORY]    DIRECTORY keeps the files that found something

Each file is made of its seed alone. Records that may take long in a healthy program are rare and few.
"""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

LINES = 60
MEMORY = 1536 << 20  # of address space; a sanitizer takes far more, so no limit is set for a program that has one
SECONDS = 200

TEXT_FIELDS = ["text", "json_schema", "regex", "ebnf", "structural_tag", "stop", "stop_regex"]
SAMPLING = ["max_new_tokens", "min_new_tokens", "temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty",
            "repetition_penalty", "n", "stop", "stop_token_ids", "stop_regex", "ignore_eos", "skip_special_tokens", "logit_bias",
            "json_schema", "regex", "ebnf", "structural_tag", "sampling_seed", "no_stop_trim", "stream_interval"]
TOP = ["text", "input_ids", "input_embeds", "messages", "rid", "return_logprob", "logprob_start_len", "top_logprobs_num",
       "token_ids_logprob", "return_hidden_states", "sampling_params", "tools", "response_format", "stream", "image_data"]


def scalar(r):
    return r.choice([None, True, False, 0, 1, -1, 2, 7, 1e308, -1e-308, 0.5, 2**31, 2**63, -2**63, 10**400, "", "a", "\u0000", "\u2028", "é" * 9,
                     "\ud7ff", "a" * r.choice([10, 1000, 100000]), "<|im_end|>", "$$ANY$$", "(" * r.choice([3, 3000]), "[a-z]{0,%d}" % r.choice([3, 60000])])


def value(r, depth=0):
    kind = r.randrange(10)
    if depth > 3 or kind < 6:
        return scalar(r)
    if kind < 8:
        return [value(r, depth + 1) for _ in range(r.choice([0, 1, 2, 5]))]
    if kind < 9:
        return {str(scalar(r))[:40]: value(r, depth + 1) for _ in range(r.choice([0, 1, 3]))}
    inner = scalar(r)
    for _ in range(r.choice([10, 200, 600])):
        inner = [inner] if r.random() < 0.5 else {"a": inner}
    return inner


def schema(r, depth=0):
    if depth > 3 or r.random() < 0.3:
        return r.choice([{"type": "string", "maxLength": r.choice([1, 300, 10**6])}, {"type": "integer", "multipleOf": r.choice([1, 7, 99991, 0])},
                         {"enum": [value(r, 3) for _ in range(4)]}, {"pattern": "^(a|b)*c{0,%d}$" % r.choice([2, 5000])}, {"$ref": "#"}, True, False,
                         {"$ref": "#/nowhere"}, {"format": r.choice(["uri", "email", "date-time", "uuid", "odd"])}, {"type": scalar(r)}])
    return r.choice([
        lambda: {"type": "object", "properties": {f"k{i}": schema(r, depth + 1) for i in range(r.choice([0, 2, 9]))}, "required": ["k0", scalar(r)][:r.randrange(3)]},
        lambda: {"type": "array", "items": schema(r, depth + 1), "minItems": r.choice([0, 3, 10**9]), "uniqueItems": r.random() < 0.3},
        lambda: {r.choice(["anyOf", "oneOf", "allOf"]): [schema(r, depth + 1) for _ in range(r.choice([1, 2, 30]))]},
        lambda: {"patternProperties": {f"^{c}.*{d}$": schema(r, depth + 1) for c in "ab" for d in "xy"}, "minProperties": r.choice([0, 3])},
        lambda: {"not": schema(r, depth + 1)},
    ])()


def ebnf(r):
    count = r.choice([1, 3, 40, 2000])
    rules = [f'r{i} ::= r{i + 1} r{i + 1} | "a"' for i in range(count)] + [f'r{count} ::= "b" | r{r.randrange(count + 1)}']
    text = "\n".join(rules).replace("r0 ", "root ", 1)
    cut = r.randrange(len(text) + 1) if r.random() < 0.3 else len(text)
    return text[:cut]


def tag(r):
    kind = r.choice(["regex", "grammar", "dispatch", "token_dispatch", "json_schema", "any_text", "const_string", "sequence", "or", "tag",
                     "triggered_tags", "tags_with_separator", "optional", "star", "repeat", "qwen_xml_parameter", "no_such_format"])
    parts = {"regex": {"pattern": "a+"}, "grammar": {"grammar": 'root ::= "a"'}, "json_schema": {"json_schema": schema(r)},
             "const_string": {"value": "x"}, "sequence": {"elements": [{"type": "any_text"}]}, "or": {"elements": [{"type": "const_string", "value": "q"}]},
             "tag": {"begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"}, "any_text": {"excludes": ["b"]}}.get(kind, {})
    parts = {k: v for k, v in parts.items() if r.random() < 0.85}
    return {"type": "structural_tag", "format": {"type": kind, **parts}}


CONSTRAINTS = {"json_schema": lambda r: json.dumps(schema(r)), "ebnf": ebnf, "structural_tag": lambda r: json.dumps(tag(r)),
               "regex": lambda r: r.choice(["(a|b)*", "[^x]{1,500}", "(?=.{0,900}$)[a-z]+@[a-z]+", "(a*)*b", "\\p{L}{1,2000}", "a{2,1}", "(", "(?<=a)b"])}


def record(r):
    sampling = {"max_new_tokens": r.choice([0, 1, 2, 4]), "temperature": r.choice([0, 1])}
    line = {"text": r.choice(["a", "Once upon", "é", "x" * 300]), "sampling_params": sampling}
    if r.random() < 0.4:
        name = r.choice(list(CONSTRAINTS))
        sampling[name] = CONSTRAINTS[name](r)
    if r.random() < 0.2:
        sampling["stop_regex"] = r.choice(["(\\w+\\s*)*END", "(a|aa)+$", "\\W", "(", "(?=x)"])
    if r.random() < 0.1:
        line["text"] = ["a"] * r.choice([0, 1, 300])
    if r.random() < 0.05:
        sampling["n"] = r.choice([2, 512])
    if r.random() < 0.1:
        line = {"messages": [{"role": r.choice(["user", "system", "odd"]), "content": value(r)}], "max_tokens": 2}
    if r.random() < 0.1:
        line.update(return_logprob=True, top_logprobs_num=r.choice([0, 5, 10**6]), logprob_start_len=r.choice([-1, 0, 9]))
    for _ in range(r.choice([0, 0, 1, 2])):  # of any field, any value
        place, names = r.choice([(line, TOP), (sampling, SAMPLING)])
        place[r.choice(names)] = value(r)
    return line


def line(r):
    text = json.dumps(record(r), ensure_ascii=r.random() < 0.5).encode("utf-8", "surrogatepass")
    kind = r.random()
    if kind < 0.1:  # torn, or with a byte changed
        at = r.randrange(len(text))
        text = text[:at] + (b"" if r.random() < 0.5 else bytes([r.randrange(256)]) + text[at + 1:])
    elif kind < 0.12:
        text = b'{"text":' + r.choice([b"[", b'{"a":', b'"x', b"1"]) * r.choice([10, 200000]) + b"}"
    return text.replace(b"\n", b" ").replace(b"\r", b" ").strip() or b"{}"


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def fault(sglrun, model, path, lines):
    """What is wrong with the run of a file, or None."""
    out = path + ".out"
    environment = dict(os.environ, LC_ALL="C")
    sanitized = b"__asan_init" in open(sglrun, "rb").read()
    try:
        run = subprocess.run([sglrun, "batch", path, "-m", model, "-o", out, "-q", "-t", "2", "--no-timing"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, preexec_fn=None if sanitized else limit, timeout=SECONDS, env=environment)
    except subprocess.TimeoutExpired:
        return f"not ended after {SECONDS} s"
    if run.returncode not in (0, 1):
        return f"exit code {run.returncode}: {run.stderr[-600:].decode(errors='replace')}"
    rows = open(out, "rb").read().split(b"\n")
    if rows.pop() != b"" or len(rows) != lines:
        return f"{len(rows)} rows of {lines} lines"
    for number, row in enumerate(rows, 1):
        answer = json.loads(row)
        if isinstance(answer, dict) and "error" in answer:
            if answer["error"]["line"] != number:
                return f"row {number} speaks of line {answer['error']['line']}"
            if not answer["error"]["message"]:
                return f"row {number} has no message"
        elif run.returncode == 0 and not isinstance(answer, (dict, list)):
            return f"row {number} is {row[:60]!r}"
    return None


def main():
    sglrun, source, first, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    keep = sys.argv[5] if len(sys.argv) > 5 else None
    failed = 0
    for seed in range(first, first + files):
        r = random.Random(seed)
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, f"hostile-{seed}.jsonl")
            with open(path, "wb") as file:
                for _ in range(LINES):
                    file.write(line(r) + b"\n")
            found = fault(sglrun, os.path.join(source, "samples/model"), path, LINES)
            if found:
                failed += 1
                print(f"seed {seed}: {found}", file=sys.stderr)
                if keep:
                    os.makedirs(keep, exist_ok=True)
                    shutil.copy(path, keep)
    print(f"{files} files of {LINES} lines, {failed} with a fault")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
