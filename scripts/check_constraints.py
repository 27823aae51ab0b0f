#!/usr/bin/env python3
"""Judges what `sglrun grammar check` accepted and sampled by libraries that share nothing with it.

    sglrun grammar check in.jsonl -o out.jsonl --sample 20
    scripts/check_constraints.py in.jsonl out.jsonl [-v]

A JSON Schema is judged by the Python package jsonschema (4.26.0 was used), numbers as exact decimals;
a regex by Python's re. EBNF and structural tags have no such judge and are counted only. Every sample
must be a member, and so must every text of the input that was accepted; a member that was rejected is
counted but no fault (grammar.md names what is given up: the order of keys, exponents of bounded
numbers, ...). Exit status 1 when something was accepted or sampled that the judge refuses.
"""
import argparse
import collections
import copy
import decimal
import json
import re
import sys

import jsonschema
from jsonschema import validators

# Remainders of numbers with 64 digits on either side of the point must be exact.
decimal.getcontext().prec = 3000


def exact_json(text):
    return json.loads(text, parse_float=decimal.Decimal)


def is_number(_, value):
    return isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool)


def is_integer(_, value):
    return is_number(_, value) and value == int(value)


def format_checker():
    """That of draft 2020-12. Its times know no leap seconds: second 60 is judged as 59."""
    checker = copy.deepcopy(jsonschema.Draft202012Validator.FORMAT_CHECKER)
    for name in ("time", "date-time"):
        if name in checker.checkers:
            check, errors = checker.checkers[name]
            checker.checkers[name] = (
                lambda value, check=check: check(
                    value.replace(":60", ":59") if isinstance(value, str) else value),
                errors)
    return checker


class SchemaJudge:
    def __init__(self, schema):
        if isinstance(schema, str):
            schema = {} if schema == "$$ANY$$" else exact_json(schema)
        base = validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        types = base.TYPE_CHECKER.redefine_many({"number": is_number, "integer": is_integer})
        self.validator = validators.extend(base, type_checker=types)(
            schema, format_checker=format_checker())

    def accepts(self, text):
        try:
            value = exact_json(text)
        except ValueError:
            return False
        return self.validator.is_valid(value)


class RegexJudge:
    def __init__(self, pattern):
        # $ before a last line feed is Python's alone.
        self.pattern = re.compile(pattern.replace("\\z", "\\Z"), re.ASCII)

    def accepts(self, text):
        return self.pattern.fullmatch(text) is not None


def judge_of(line):
    if line.get("json_schema") not in (None, ""):
        return SchemaJudge(line["json_schema"])
    if line.get("regex"):
        return RegexJudge(line["regex"])
    return None


class Report:
    def __init__(self, verbose):
        self.verbose = verbose
        self.counts = collections.Counter()
        self.wrong = 0

    def count(self, what):
        self.counts[what] += 1

    def fault(self, where, what, text):
        self.wrong += 1
        print(f"{where}: {what} {text[:300]!r}")

    def note(self, where, what, text):
        self.count(what)
        if self.verbose:
            print(f"{where}: {what} {text[:300]!r}")


def check_line(where, line, row, report):
    report.count(f"constraints {row.get('status', 'error')}")
    if row.get("status") != "ok":
        return
    try:
        judge = judge_of(line)
    except Exception as error:  # whatever the judge cannot read
        report.note(where, "constraints the judge cannot read", str(error))
        return
    if judge is None:
        report.count("constraints without a judge")
        return
    for sample in row.get("samples", []):
        report.count("samples judged")
        judge_text(where, judge, sample, True, "sampled, but no member:", report)
    for text, result in zip(line.get("texts", []), row.get("results", [])):
        report.count("texts judged")
        judge_text(where, judge, text, result["accepted"], "accepted, but no member:", report)


def judge_text(where, judge, text, accepted, fault, report):
    try:
        member = judge.accepts(text)
    except Exception as error:  # a pattern Python cannot compile, a reference it cannot follow
        report.note(where, "texts the judge cannot decide", f"{text[:80]}: {error}")
        return
    if accepted and not member:
        report.fault(where, fault, text)
    elif member and not accepted:
        report.note(where, "members rejected", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input", help="the lines given to sglrun grammar check")
    parser.add_argument("output", help="the lines it wrote")
    parser.add_argument("-v", "--verbose", action="store_true", help="name rejected members too")
    arguments = parser.parse_args()
    report = Report(arguments.verbose)
    with open(arguments.input, encoding="utf-8") as given, \
            open(arguments.output, encoding="utf-8") as written:
        lines = [line for line in given if line.strip()]
        rows = list(written)
    if len(lines) != len(rows):
        sys.exit(f"{len(lines)} lines were given, {len(rows)} were written")
    for number, (line, row) in enumerate(zip(lines, rows), 1):
        check_line(f"{arguments.input}:{number}", json.loads(line), json.loads(row), report)
    for what, count in sorted(report.counts.items()):
        print(f"{count:8} {what}")
    print(f"{report.wrong:8} wrong accepts")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
