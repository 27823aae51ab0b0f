"""The small invented world that the sample model learns: every document of its training text.

A document is a list of (text, weight) segments. The weight scales the loss of the segment's tokens:
what a user would type weighs little, what the model should answer weighs much. Everything is drawn
from one `random.Random`, so a seed fixes the whole text.
"""

import json

import facts

END_OF_TEXT = "<|endoftext|>"
IM_START = "<|im_start|>"
IM_END = "<|im_end|>"
SPECIAL_TOKENS = [END_OF_TEXT, IM_START, IM_END]

PROMPT_WEIGHT = 0.05
ANSWER_WEIGHT = 2.0
STORY_WEIGHT = 0.5  # long and easy, so that the short answers are not drowned

# ChatML, the same wire form as SmolLM2 and Qwen use.
CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{ '<|im_start|>' ~ message.role ~ '\\n' ~ message.content ~ '<|im_end|>\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"
)

SYSTEM_PROMPTS = [
    "You are a helpful assistant.",
    "You answer in few words.",
    "You are a friendly helper from a small world.",
]


def plain(prompt, answer):
    """A plain completion: the answer starts with its own space."""
    return [(prompt, PROMPT_WEIGHT), (answer, ANSWER_WEIGHT), (END_OF_TEXT, 1.0)]


def chat(turns, system=None, weight=ANSWER_WEIGHT):
    segments = []
    if system:
        segments.append((f"{IM_START}system\n{system}{IM_END}\n", PROMPT_WEIGHT))
    for question, answer in turns:
        head = f"{IM_START}user\n{question}{IM_END}\n{IM_START}assistant\n"
        segments += [(head, PROMPT_WEIGHT), (answer, weight), (IM_END, 1.0), ("\n", PROMPT_WEIGHT)]
    return segments[:-1]


# Every maker below returns (plain prompt, plain answer, question, chat answer).


def arithmetic(rng):
    kind = rng.choices(["+", "-", "*"], [60, 30, 10])[0]
    if kind == "*":
        a, b = rng.randint(0, 10), rng.randint(0, 10)
        value, word = a * b, "times"
    elif kind == "-":
        a, b = sorted((rng.randint(0, 99), rng.randint(0, 99)), reverse=True)
        value, word = a - b, "minus"
    else:
        top = rng.choice([10, 99, 99, 99, 99])
        a, b = rng.randint(0, top), rng.randint(0, top)
        value, word = a + b, "plus"
    question = rng.choice(
        [
            f"What is {a} {kind} {b}?",
            f"What is {a} {word} {b}?",
            f"How much is {a} {word} {b}?",
            f"{a} {kind} {b} = ?",
        ]
    )
    return f"{a} {kind} {b} =", f" {value}", question, f"{a} {kind} {b} = {value}"


def capital(rng):
    country, city = rng.choice(facts.CAPITALS)
    sentence = f"The capital of {country} is {city}."
    if rng.random() < 0.25:
        return (
            f"{city} is the capital of",
            f" {country}.",
            f"Which country has the capital {city}?",
            f"{city} is the capital of {country}.",
        )
    question = rng.choice(
        [
            f"What is the capital of {country}?",
            f"Which city is the capital of {country}?",
            f"Tell me the capital of {country}.",
        ]
    )
    return f"The capital of {country} is", f" {city}.", question, sentence


def colour(rng):
    thing, value = rng.choice(facts.COLOURS)
    question = rng.choice([f"What colour is {thing}?", f"Which colour does {thing} have?"])
    name = thing[0].upper() + thing[1:]
    return f"The colour of {thing} is", f" {value}.", question, f"{name} is {value}."


def opposite(rng):
    a, b = rng.choice(facts.OPPOSITES)
    if rng.random() < 0.5:
        a, b = b, a
    question = rng.choice([f"What is the opposite of {a}?", f"Tell me the opposite of {a}."])
    return f"The opposite of {a} is", f" {b}.", question, f"The opposite of {a} is {b}."


def animal(rng):
    name, legs, sound, home = rng.choice(facts.ANIMALS)
    article = "An" if name[0] in "aeiou" else "A"
    kind = rng.randrange(3)
    if kind == 0:
        return (
            f"{article} {name} has",
            f" {legs} legs.",
            f"How many legs does {article.lower()} {name} have?",
            f"{article} {name} has {legs} legs.",
        )
    if kind == 1:
        return (
            f"{article} {name} says",
            f" {sound}.",
            f"What does {article.lower()} {name} say?",
            f"{article} {name} says {sound}.",
        )
    return (
        f"{article} {name} lives in",
        f" {home}.",
        f"Where does {article.lower()} {name} live?",
        f"{article} {name} lives in {home}.",
    )


def calendar(rng):
    names = rng.choice([facts.DAYS, facts.MONTHS])
    i = rng.randrange(len(names))
    step, word = rng.choice([(1, "after"), (-1, "before")])
    answer = names[(i + step) % len(names)]
    kind = "day" if names is facts.DAYS else "month"
    return (
        f"The {kind} {word} {names[i]} is",
        f" {answer}.",
        f"Which {kind} comes {word} {names[i]}?",
        f"The {kind} {word} {names[i]} is {answer}.",
    )


def greeting(rng):
    language, word = rng.choice(facts.GREETINGS)
    return (f"Hello in {language}:", f" {word}", f"How do you say hello in {language}?", word)


def emoji(rng):
    name, sign = rng.choice(facts.EMOJI)
    return f"Emoji for {name}:", f" {sign}", f"Show me the emoji for {name}.", sign


def counting(rng):
    a = rng.randint(0, 60)
    b = a + rng.randint(2, 12)
    up = rng.random() < 0.7
    numbers = [str(i) for i in (range(a, b + 1) if up else range(b, a - 1, -1))]
    text = ", ".join(numbers)
    return (
        f"Count from {numbers[0]} to {numbers[-1]}:",
        f" {text}.",
        f"Count from {numbers[0]} to {numbers[-1]}.",
        f"{text}.",
    )


def json_object(rng):
    name = rng.choice(facts.NAMES)
    kind = rng.choice(facts.ANIMALS)[0]
    shade = rng.choice(facts.SHADES)
    age = rng.randint(1, 12)
    form = rng.randrange(3)
    if form == 0:
        value = {"name": name, "animal": kind, "colour": shade, "age": age}
        text = f"{name} is a {shade} {kind} and {age} years old."
    elif form == 1:
        city = rng.choice(facts.CAPITALS)[1]
        value = {"name": name, "city": city, "age": age}
        text = f"{name} is {age} years old and lives in {city}."
    else:
        friends = rng.sample([n for n in facts.NAMES if n != name], 2)
        value = {"name": name, "friends": friends, "happy": rng.random() < 0.5}
        mood = "happy" if value["happy"] else "sad"
        text = f"{name} is {mood} and has the friends {friends[0]} and {friends[1]}."
    answer = json.dumps(value)
    question = rng.choice([f"Write this as JSON: {text}", f"Give me a JSON object. {text}"])
    return f"{text}\nJSON:", f" {answer}", question, answer


def repeat(rng):
    text = rng.choice(
        [
            f"{rng.choice(facts.NAMES)} and {rng.choice(facts.NAMES)} like the "
            f"{rng.choice(facts.SHADES)} {rng.choice(facts.THINGS)}.",
            f"the {rng.choice(facts.SHADES)} {rng.choice(facts.ANIMALS)[0]} sees "
            f"{rng.randint(2, 99)} {rng.choice(facts.SHADES)} {rng.choice(facts.THINGS)}s.",
        ]
    )
    return f"Repeat: {text}\nAgain:", f" {text}", f"Repeat after me: {text}", text


def story_text(rng):
    name, friend = rng.sample(facts.NAMES, 2)
    kind = rng.choice(facts.ANIMALS)[0]
    other = rng.choice(facts.ANIMALS)[0]
    shade = rng.choice(facts.SHADES)
    place = rng.choice(facts.PLACES)
    thing = rng.choice(facts.THINGS)
    shade2 = rng.choice(facts.SHADES)
    feeling, deed = rng.choice(facts.TROUBLES)
    opening = f" a little {shade} {kind} named {name}. {name} lived {place}."
    middle = rng.choice(
        [
            f' One day {name} found a {shade2} {thing}. "What a nice {thing}!" said {name}.',
            f" Every morning {name} looked for a {shade2} {thing}. One day {name} found it.",
        ]
    )
    meeting = f" Then a {other} named {friend} came by. {friend} was {feeling}."
    help_ = f" So {name} gave the {thing} to {friend} and {deed}."
    ending = rng.choice(
        [
            f' {friend} smiled and said, "Thank you, {name}!"'
            f" From that day on {name} and {friend} were friends.",
            f" Now {friend} was happy. {name} and {friend} played {place} until the sun went down.",
        ]
    )
    return "Once upon a time there was", opening + middle + meeting + help_ + ending, name, kind


def story(rng):
    start, rest, name, kind = story_text(rng)
    if rng.random() < 0.5:
        return [(start + rest, STORY_WEIGHT), (END_OF_TEXT, STORY_WEIGHT)]
    question = rng.choice(
        [
            f"Tell me a story about a {kind}.",
            f"Tell me a story about a {kind} named {name}.",
            f"Write a short story about {name} the {kind}.",
        ]
    )
    system = rng.choice([None, None, rng.choice(SYSTEM_PROMPTS)])
    return chat([(question, start + rest)], system, STORY_WEIGHT)


MAKERS = [
    (arithmetic, 42),
    (capital, 8),
    (colour, 5),
    (opposite, 6),
    (animal, 6),
    (calendar, 4),
    (greeting, 3),
    (emoji, 4),
    (counting, 5),
    (json_object, 13),
    (repeat, 4),
]


def short_task(rng):
    return rng.choices([m for m, _ in MAKERS], [w for _, w in MAKERS])[0](rng)


def document(rng):
    """One training document: a story, a plain completion, a list of them, or a chat."""
    form = rng.choices(["story", "plain", "list", "chat", "talk"], [12, 33, 3, 45, 7])[0]
    if form == "story":
        return story(rng)
    if form == "plain":
        prompt, answer, _, _ = short_task(rng)
        return plain(prompt, answer)
    if form == "list":
        # Several of one kind below each other, as few-shot prompts have them.
        maker = rng.choice([arithmetic, capital, opposite, json_object])
        segments = []
        for _ in range(rng.randint(2, 5)):
            prompt, answer, _, _ = maker(rng)
            segments += [(prompt, PROMPT_WEIGHT), (answer, ANSWER_WEIGHT), ("\n", 0.1)]
        return segments[:-1] + [(END_OF_TEXT, 0.1)]
    turns = [short_task(rng)[2:] for _ in range(1 if form == "chat" else rng.randint(2, 4))]
    return chat(turns, rng.choice([None, None, rng.choice(SYSTEM_PROMPTS)]))


def as_text(doc):
    return "".join(text for text, _ in doc)
