#!/usr/bin/env python3
"""Writes tests/golden/jinja/: what Python's jinja2, set up by transformers, makes of templates.

    scripts/make_jinja_goldens.py

Needs the Python packages jinja2 (3.1.6 was used) and transformers (5.24.0). strftime_now shows
2026-01-31 12:00:00. Files:
    context.json     the variables of all small templates (scripts/jinja_cases.py)
    cases.jsonl      {"group", "template", "text"} or {"group", "template", "error", "kind"}
    contexts.jsonl   twenty conversations with tools, documents and other variables
    chats.jsonl      {"template", "context", ...}: each template of tests/data/jinja with each of them
"""
import copy
import datetime
import json
import pathlib
import sys

sys.dont_write_bytecode = True
from jinja_cases import CASES, CONTEXT  # noqa: E402
from jinja_contexts import contexts  # noqa: E402
from transformers.utils import chat_template_utils  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "tests/data/jinja"
GOLDENS = ROOT / "tests/golden/jinja"


class FixedTime(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 1, 31, 12, 0, 0)


def render(template, context):
    try:
        compiled = chat_template_utils._cached_compile_jinja_template(template)
        return {"text": compiled.render(**copy.deepcopy(context))}
    except RecursionError as error:
        return {"error": "recursion", "kind": type(error).__name__}
    except Exception as error:  # a template may raise anything
        return {"error": str(error), "kind": type(error).__name__}


def write(name, rows):
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (GOLDENS / name).write_text(text, encoding="utf-8")


def main():
    chat_template_utils.datetime = FixedTime
    GOLDENS.mkdir(parents=True, exist_ok=True)
    write("context.json", [CONTEXT])
    write("cases.jsonl", [{"group": group, "template": template, **render(template, CONTEXT)}
                          for group, templates in CASES for template in templates])
    chats = contexts()
    write("contexts.jsonl", chats)
    write("chats.jsonl", [{"template": path.name, "context": i,
                           **render(path.read_text(encoding="utf-8"), context)}
                          for path in sorted(TEMPLATES.glob("*.jinja"))
                          for i, context in enumerate(chats)])


if __name__ == "__main__":
    main()
