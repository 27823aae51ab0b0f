#!/usr/bin/env python3
"""Records with constraints of every kind, and a judge for each that shares nothing with sglrun.

  constrained_mix.py write COUNT > input.jsonl
  constrained_mix.py judge input.jsonl out.jsonl    every finished text must be a member; prints how many were

Most constraints differ from record to record; temperatures go from 0 to 1.5.
"""

import datetime
import json
import re
import sys

TEMPERATURES = [0, 0.3, 0.7, 1, 1.5]


def parse_json(text):
    return json.loads(text, parse_constant=lambda name: 1 / 0)


def is_count(value, low, high):
    return type(value) is int and low <= value <= high


def date(i):
    def judge(text):
        year, month, day = map(int, text.split("-"))
        return datetime.date(year, month, day) and year < 3000

    return "json_schema", {"type": "string", "format": "date", "pattern": "^[12]"}, lambda t: judge(parse_json(t))


def code(i):
    pattern = rf"[A-Z]{{2,{2 + i % 4}}}-\d{{{1 + i % 5}}}(?:/(?:north|south|{i}))?"
    return "regex", pattern, lambda t: re.fullmatch(pattern, t, re.ASCII)


def greek(i):
    pattern = f"(é|ß|[α-ω]){{1,{3 + i % 4}}}!"
    return "regex", pattern, lambda t: re.fullmatch(pattern, t)


def person(i):
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 10 + i},
            "age": {"type": "integer", "minimum": i, "maximum": 3 * i + 50},
            "tags": {"type": "array", "items": {"enum": ["red", "green", f"tag {i}"]}, "maxItems": 3},
        },
        "required": ["name", "age"],
    }

    def judge(text):
        value = parse_json(text)
        return (set(value) <= {"name", "age", "tags"} and 1 <= len(value["name"]) <= 10 + i
                and is_count(value["age"], i, 3 * i + 50) and len(value.get("tags", [])) <= 3
                and all(tag in ("red", "green", f"tag {i}") for tag in value.get("tags", [])))

    return "json_schema", schema, judge


def steps(i):
    low, high = -i, i + 5
    schema = {"type": "array", "minItems": 1, "maxItems": 4,
              "items": {"type": "number", "minimum": low, "exclusiveMaximum": high, "multipleOf": 0.5}}
    return "json_schema", schema, lambda t: all(low <= v < high and v * 2 == int(v * 2) for v in parse_json(t)) and \
        1 <= len(parse_json(t)) <= 4


def one_of(i):
    schema = {"oneOf": [{"const": {"k": i}}, {"type": "boolean"}, {"enum": [i, f"n{i}", None]}]}
    return "json_schema", schema, lambda t: parse_json(t) in ({"k": i}, True, False, i, f"n{i}", None)


def tree(i):
    schema = {"$ref": "#/$defs/node", "$defs": {"node": {
        "type": "object", "properties": {"v": {"type": "integer", "minimum": 0, "maximum": i},
                                         "left": {"$ref": "#/$defs/node"}}, "required": ["v"]}}}

    def judge(value):
        return set(value) <= {"v", "left"} and is_count(value["v"], 0, i) and ("left" not in value or judge(value["left"]))

    return "json_schema", schema, lambda t: judge(parse_json(t))


def any_json(i):
    return "json_schema", "$$ANY$$", lambda t: parse_json(t) is not Ellipsis


def sum_of_terms(i):
    grammar = f'root ::= term (" + " term){{0,{2 + i % 3}}}\nterm ::= [1-9] [0-9]{{0,2}} | "(" root ")"\n'
    return "ebnf", grammar, lambda t: re.fullmatch(r"[0-9+ ()]+", t) and eval(t) > 0  # only sums get here


def tagged(i):
    tag = {"structures": [{"begin": f"<f{i}>", "end": "</f>", "schema": {"type": "integer", "minimum": 0, "maximum": i}}],
           "triggers": ["<f"]}

    def judge(text):
        calls = text.split("<f")[1:]
        found = [re.match(rf"{i}>(\d+)</f>", call) for call in calls]
        return all(m and int(m[1]) <= i for m in found)

    return "structural_tag", tag, judge


def wrapped(i):
    tag = {"type": "structural_tag", "format": {"type": "tag", "begin": "<b>", "end": "</b>", "content": {
        "type": "regex", "pattern": f"[a-f]{{1,{i % 7 + 1}}}"}}}
    return "structural_tag", tag, lambda t: re.fullmatch(rf"<b>[a-f]{{1,{i % 7 + 1}}}</b>", t)


KINDS = [date, code, greek, person, steps, one_of, tree, any_json, sum_of_terms, tagged, wrapped]


def write(count):
    for i in range(count):
        kind, constraint, _ = KINDS[i % len(KINDS)](i)
        if kind == "structural_tag":
            constraint = json.dumps(constraint)
        if isinstance(constraint, dict):
            constraint = json.dumps(constraint)
        sampling = {kind: constraint, "temperature": TEMPERATURES[i % len(TEMPERATURES)], "sampling_seed": i,
                    "max_new_tokens": 40}
        print(json.dumps({"text": f"Question {i}: what is it?\nAnswer: ", "sampling_params": sampling}))


def judge(input_path, output_path):
    finished = 0
    with open(input_path) as records, open(output_path) as rows:
        for i, (_, row) in enumerate(zip(records, rows, strict=True)):
            row = json.loads(row)
            if "error" in row:
                raise SystemExit(f"record {i}: {row['error']}")
            if not row["meta_info"]["grammar"]["complete"] or row["meta_info"]["finish_reason"]["type"] != "stop":
                continue
            finished += 1
            make = KINDS[i % len(KINDS)]
            try:
                member = make(i)[2](row["text"])
            except Exception as error:  # whatever a judge trips over is no member
                member, row["text"] = False, row["text"] + f" ({error})"
            if not member:
                raise SystemExit(f"record {i}, {make.__name__}: no member: {row['text']}")
    print(finished)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(int(sys.argv[2]))
    else:
        judge(sys.argv[2], sys.argv[3])
