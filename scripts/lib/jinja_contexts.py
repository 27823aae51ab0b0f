"""Twenty conversations for scripts/goldens/jinja, from the plain to the misshapen."""

SYSTEM = {"role": "system", "content": "You are a helpful assistant.\nBe brief."}
USER = {"role": "user", "content": "  What's \"the\" weather <in> Paris & Zürich? 😀\n"}
ANSWER = {"role": "assistant", "content": "It is sunny."}
THOUGHT = {"role": "assistant", "content": "<think>\nhmm\n</think>\n\nSunny.\n"}
RESULT = {"role": "tool", "name": "get_weather", "tool_call_id": "call12345",
          "content": "{\"temp\": 21.5}"}
NOON = {"role": "tool", "name": "now", "tool_call_id": "call67890", "content": "noon"}
PARTS = {"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image"},
                                     {"type": "text", "text": " what is it? "}]}
TOOLS = [
    {"type": "function", "function": {
        "name": "get_weather", "description": "Get the weather",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City <name>"},
                "days": {"type": "integer", "default": 3, "enum": [1, 2, 3]},
                "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
                "opts": {"type": ["object", "null"], "properties": {"x": {"type": "number"}}},
                "tags": {"type": "array", "items": {"type": "string"}, "nullable": True},
                "any": {"oneOf": [{"type": "string"}, {"type": "boolean"}], "default": "sky"}},
            "required": ["city"]},
        "return": {"type": "string"}}},
    {"type": "function", "function": {"name": "now", "description": "",
                                      "parameters": {"type": "object", "properties": {}}}},
]


def call(name, arguments, call_id="call12345"):
    return {"id": call_id, "type": "function",
            "function": {"name": name, "arguments": arguments}}


ARGUMENTS = {"city": "Paris", "days": 2, "factor": 1.0, "none": None, "yes": True}
DOCUMENTS = [{"title": "T1", "text": "Text one"}, {"title": "T2", "text": "Text \"two\"\nlines"}]


def chat(messages, tools=None, documents=None, prompt=True, **variables):
    return {"messages": messages, "tools": tools, "documents": documents,
            "add_generation_prompt": prompt, "bos_token": "<s>", "eos_token": "</s>", **variables}


def contexts():
    asks = {"role": "assistant", "content": None, "tool_calls": [call("get_weather", ARGUMENTS)]}
    asks_twice = {"role": "assistant", "content": "Let me see.",
                  "tool_calls": [call("get_weather", ARGUMENTS), call("now", {}, "call67890")]}
    asks_by_text = {"role": "assistant",
                    "tool_calls": [call("get_weather", "{\"city\": \"Paris\"}", "call12345")]}
    reasons = {"role": "assistant", "content": "Sunny.", "reasoning_content": "I think\nlong",
               "thinking": "I think"}
    return [
        chat([USER]),
        chat([USER], prompt=False),
        chat([SYSTEM, USER]),
        chat([SYSTEM, USER, ANSWER, USER]),
        chat([USER, ANSWER], prompt=False),
        chat([SYSTEM, USER], tools=TOOLS),
        chat([USER], tools=TOOLS, prompt=False),
        chat([SYSTEM, USER, asks, RESULT], tools=TOOLS),
        chat([USER, asks_twice, RESULT, NOON, ANSWER, USER], tools=TOOLS),
        chat([USER, asks_by_text, RESULT, ANSWER], tools=TOOLS, prompt=False),
        chat([PARTS]),
        chat([SYSTEM, PARTS, ANSWER, USER]),
        chat([USER, THOUGHT, USER], enable_thinking=False),
        chat([USER, reasons, USER, reasons], prompt=False, enable_thinking=True, thinking=True),
        chat([ANSWER, USER]),
        chat([USER, USER]),
        chat([]),
        chat([{"role": "weird", "content": "x"}, SYSTEM]),
        chat([{"role": "user", "content": ""}], tools=[], documents=[]),
        chat([SYSTEM, USER], documents=DOCUMENTS, builtin_tools=["search", "code_interpreter"],
             date_string="26 Jul 2024", reasoning_effort="high", model_identity="I am.",
             controls={"citations": True, "length": "long"}),
    ]
