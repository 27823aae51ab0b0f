#!/usr/bin/env python3
"""`sglrun chat` in a real pseudo-terminal: chat_terminal.py SGLRUN SOURCE_DIR [NAME...]

Every function whose name begins with check_ is a case; NAMEs choose some. Standard library only.
"""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback

SGLRUN, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MODEL = os.path.join(SOURCE, "samples", "model")
PATIENCE = 60.0
CTRL_C, CTRL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]")


class Chat:
    """A chat that runs in a terminal of its own."""

    running = []

    def __init__(self, folder, *arguments, columns=80, model=MODEL, term="xterm", env=None,
                 answers=None):
        self.folder = folder
        self.raw = b""
        self.seen = 0  # characters of text() that were matched
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_STATE_HOME": folder + "/state",
                       "LC_ALL": "C", **({"TERM": term} if term else {}), **(env or {})}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        command = [SGLRUN, "chat", "-m", model, *arguments]

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(command, stdin=slave, stdout=answers or slave, stderr=slave,
                                        cwd=folder, env=environment, preexec_fn=own_terminal)
        self.master, self.slave = master, slave
        Chat.running.append(self.process)

    def text(self):
        return ESCAPES.sub("", self.raw.decode("utf-8", "replace")).replace("\r\n", "\n")

    def expect(self, pattern, patience=PATIENCE):
        """Waits for the pattern in what was not matched before; gives the match."""
        end = time.monotonic() + patience
        while True:
            found = re.compile(pattern, re.S).search(self.text(), self.seen)
            if found:
                self.seen = found.end()
                return found
            if time.monotonic() > end or not self.read(end - time.monotonic()):
                raise AssertionError(f"no {pattern!r} in {self.text()[self.seen:]!r}\nall: {self.text()!r}")

    def read(self, patience):
        ready, _, _ = select.select([self.master], [], [], max(patience, 0))
        if not ready:
            return False
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            return False
        self.raw += piece
        return bool(piece)

    def type(self, text):
        os.write(self.master, text.encode())

    def prompt(self):
        self.expect(r"(?:^|\n|\r)> ")

    def say(self, line):
        """Types a line at the prompt; gives what is shown until the next prompt."""
        start = self.seen
        self.type(line + "\n")
        self.expect(r"\n(?:.*?[\n\r])?> $")
        # Keys and pastes make the editor draw its lines again, which is no prompt.
        while "\x1b" in line and self.read(0.7):
            self.seen = start
            self.expect(r"\n(?:.*?[\n\r])?> $")
        return self.text()[start:self.seen]

    def start(self):
        self.prompt()
        return self

    def leave(self, code=0, key=CTRL_D):
        if key:
            self.type(key)
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.02)
        while self.read(0):  # what it wrote last
            pass
        got = self.process.poll()
        assert got == code, f"exit code {got}, expected {code}\n{self.text()}"
        assert termios.tcgetattr(self.slave) == self.before, "the terminal is not as it was"
        os.close(self.master)
        os.close(self.slave)


def greedy(folder, *arguments, **keywords):
    return Chat(folder, "--set", "temperature=0", *arguments, **keywords).start()


def batch_output_ids(folder, lines):
    run = subprocess.run([SGLRUN, "batch", lines, "-m", MODEL, "-q"], cwd=folder, check=True, capture_output=True)
    return [json.loads(row)["output_ids"] for row in run.stdout.splitlines()]


def saved_output_ids(folder, file):
    with open(os.path.join(folder, file), encoding="utf-8") as saved:
        return [made["output_ids"] for made in json.load(saved)["made"] if made]


def check_conversation_streams_and_is_kept(folder):
    chat = greedy(folder)
    assert "93" in chat.say("What is 64 plus 29?")
    shown = chat.say("What is the opposite of hot?")
    assert "cold" in shown, shown
    assert "[user]\nWhat is 64 plus 29?" in chat.say("/show")
    chat.leave()


def check_export_replays_to_the_same_tokens(folder):
    chat = Chat(folder, "--set", "temperature=1.3", "-s", "You talk.").start()
    chat.say("Tell me a story.")
    chat.say("/regen")
    chat.say("What is 3 plus 4?")
    chat.say("/set temperature 0.8")
    chat.say("/set min_new_tokens 8")
    chat.say("/regex [a-z ]{5,20}")
    chat.say("And a name?")
    chat.say("/regex")
    chat.say("/set ignore_eos true")
    chat.type("Tell me another story.\n")
    chat.expect(r"\n\w+ \w+")
    chat.type(CTRL_C)
    chat.expect(r"\(stopped\)")
    chat.prompt()
    assert "Saved" in chat.say("/save chat.json")
    assert "Wrote 4 lines" in chat.say("/export replay.jsonl")
    assert "exists already" in chat.say("/export replay.jsonl")
    chat.leave()
    drawn = saved_output_ids(folder, "chat.json")
    assert len(drawn) == 4 and all(drawn), drawn
    assert batch_output_ids(folder, "replay.jsonl") == drawn
    # A loaded chat goes on and exports the same lines.
    chat = Chat(folder).start()
    assert "Loaded 9 messages" in chat.say("/load chat.json")
    chat.say("/export again.jsonl")
    chat.leave()
    with open(folder + "/replay.jsonl") as one, open(folder + "/again.jsonl") as two:
        assert one.read() == two.read()


def check_prefix_is_never_computed_again(folder):
    chat = Chat(folder, "--set", "temperature=1").start()
    context = 0
    for turn, question in enumerate(["What is 12 plus 30?", "Tell me a story.", "What is the capital of Japan?"]):
        chat.say(question)
        stats = chat.say("/stats")
        prompt, cached, computed, output = [int(n) for n in re.search(
            r"last answer: (\d+) prompt tokens, (\d+)\s+from the cache, (\d+)\s+computed; (\d+) tokens", stats).groups()]
        # Whole pages of 16 tokens are found again; the last drawn token was never fed.
        assert cached == max(context - 1, 0) // 16 * 16, (turn, stats)
        context = prompt + output
    # The same prompt once more: all but its last page, whose last row must be computed.
    chat.say("/regen")
    again = re.search(r"last answer: (\d+) prompt tokens, (\d+)", chat.say("/stats"))
    assert int(again[2]) == (int(again[1]) - 1) // 16 * 16, again[0]
    chat.leave()


def check_ctrl_c_stops_the_answer_only(folder):
    chat = Chat(folder, "--set", "ignore_eos=true").start()
    chat.type("Tell me a story.\n")
    chat.expect(r"\n\w+")
    chat.type(CTRL_C)
    chat.expect(r"\(stopped\)")
    chat.prompt()
    # At the prompt it takes the line back; inside a message of several lines, the message.
    chat.type("/quit" + CTRL_C)
    chat.prompt()
    chat.type('"""\n')
    chat.expect(r"\.\.\. ")
    chat.type("/quit\n")
    chat.expect(r"\.\.\. ")
    chat.type(CTRL_C)
    chat.prompt()
    chat.type(CTRL_C + CTRL_C)
    chat.prompt()
    # A long prompt is being read.
    chat.say("/clear")
    chat.type('"""\n' + "".join(f"{n} plus {n}\n" for n in range(50)) + '"""\n')
    chat.expect(r"49 plus 49\n\.\.\. \"\"\"\n")
    chat.type(CTRL_C)
    chat.expect(r"stopped")
    chat.prompt()
    assert "/regen" in chat.say("/help")
    chat.leave()


def check_ctrl_c_while_the_model_loads(folder):
    for moment in (0.0, 0.02, 0.05, 0.1, 0.2, 0.4):
        chat = Chat(folder)
        time.sleep(moment)
        chat.type(CTRL_C)
        # Before the chat has begun it leaves (before the handler is there, by the signal); later
        # only a line is given up.
        end = time.monotonic() + PATIENCE
        at_prompt = re.compile(r"(?:^|\n|\r)> ")  # Ctrl+C drops output that was not read
        while chat.process.poll() is None and not at_prompt.search(chat.text()) and time.monotonic() < end:
            chat.read(0.1)
        if chat.process.poll() is None:
            chat.leave()
        else:
            assert chat.process.poll() in (130, -signal.SIGINT), chat.process.poll()


def write_slow_schema(folder, keys, length):
    parts = ", ".join(f'"k{n}": {{"type": "string", "pattern": "^(a|b)*c{{{n % 60}}}$", "maxLength": {length + n}}}'
                      for n in range(keys))
    with open(folder + "/schema.json", "w") as schema:
        schema.write('{"type": "object", "properties": {' + parts + '}}')


def check_ctrl_c_while_a_constraint_is_compiled(folder):
    chat = greedy(folder)
    # Long enough to be stopped, far below the limit, whatever the machine and the build.
    keys, took = 6, 0
    while took < 0.4:
        keys *= 2
        write_slow_schema(folder, keys, 900)
        start = time.monotonic()
        assert "must satisfy" in chat.say("/schema schema.json"), chat.text()
        took = time.monotonic() - start
    chat.type("Go.\n")
    time.sleep(0.05)
    chat.type(CTRL_C)
    chat.prompt()
    chat.say("/schema")
    assert "93" in chat.say("What is 64 plus 29?")
    # While it is set, too.
    write_slow_schema(folder, keys, 903)
    chat.type("/schema schema.json\n")
    time.sleep(0.05)
    chat.type(CTRL_C)
    chat.expect("it is not set")
    chat.prompt()
    assert "93" in chat.say("What is 64 plus 29?")
    chat.leave()


def check_commands_answer_in_sentences(folder):
    with open(folder + "/notes.txt", "w") as notes:
        notes.write("precious")
    with open(folder + "/wrong.json", "w") as wrong:
        wrong.write('[{"role": "user", "content": 7}]')
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    with open(folder + "/messages.json", "w") as file:
        json.dump(messages, file)
    for name, text in ("empty", "[]"), ("empty_object", '{"messages": []}'):
        with open(f"{folder}/{name}.json", "w") as file:
            file.write(text)
    with open(folder + "/with_system.json", "w") as file:
        json.dump([{"role": "system", "content": "S"}] + messages[:1], file)
    with open(folder + "/schema.json", "w") as schema:
        schema.write('{"type": "object", "properties": {"n": {"const": 7}}, "required": ["n"]}')
    with open(folder + "/large.json", "w") as schema:
        schema.write('{"type": "string", "pattern": "^a{1,99999999}$"}')
    chat = greedy(folder)
    for line, sentence in [
            ("/set temprature 1", 'did you mean "temperature"?'),
            ("/set top_p 2", "must be in (0, 1]"),
            ("/set top_p", "top_p is default"),
            ("/set top_p 0.9", "top_p is 0.9"),
            ("/set top_p=0.8", "top_p is 0.8"),
            ("/set temperature=-1", "temperature is -1"),
            ("/set regex =", 'regex is "="'),
            ("/set regex null", "regex is default"),
            ("/sett top_p 1", "did you mean /set?"),
            ("/usr/bin is a folder", "no command /usr/bin"),
            ("/regen", "no message to answer"),
            ("/undo", "no message to remove"),
            ("/export x.jsonl", "no answer of this model"),
            ("/stats", "No answer yet"),
            ("  /stats", "No answer yet"),
            ("/save notes.txt", "is not a saved chat"),
            ("/save! notes.txt", "is not a saved chat"),
            ('/save "notes.txt', 'begins with " and does not end with it'),
            ("/load empty.json", "holds no message; the conversation is unchanged"),
            ("/save " + MODEL + "/config.json", "is not a saved chat"),
            ("/load none.json", "none.json"),
            ("/load wrong.json", "messages[0].content is an integer, must be a string"),
            ("/load notes.txt", "is not valid JSON"),
            ("/schema notes.txt", "is not valid JSON"),
            ("/schema none.json", "none.json"),
            ("/schema wrong.json", "failed to compile the json_schema grammar"),
            ("/schema schema.json", "must satisfy the schema"),
            ("give me n", '{"n": 7'),
            ("/regex (", "failed to compile the regex grammar (invalid)"),
            ("/regex a{1,99999999}", "failed to compile the regex grammar (too_large)"),
            ("/set regex a{1,99999999}", "failed to compile the regex grammar (too_large)"),
            ("/schema large.json", "failed to compile the json_schema grammar (too_large)"),
            ("/set ebnf root ::= x", "failed to compile the ebnf grammar (invalid)"),
            ("/regex yes|no", "match yes|no"),
            ("again", ""),
            ("/regex", "not constrained"),
            ("/system Be brief.", "is set"),
            ("/show", "[system]\nBe brief."),
            ("/undo", "Removed: again"),
            ("/clear", "deleted"),
            ("//2 plus 3", ""),
            ("/show", "[user]\n/2 plus 3"),
            ("/load empty.json", "holds no message; the conversation is unchanged"),
            ("/load empty_object.json", "holds no message; the conversation is unchanged"),
            ("/show", "[user]\n/2 plus 3"),
            (" \t //3 plus 3", ""),
            ("/show", "[user]\n/3 plus 3"),
            ("/undo", "Removed: /3 plus 3"),
            ("/system Be kind.", "is set"),
            ("/load messages.json", "Loaded 3 messages in place of 3. The system message is unchanged."),
            ("/show", "[system] Be kind. [user] hi"),
            ("/set top_p", "top_p is 0.8"),
            ("/load with_system.json", "Loaded 2 messages"),
            ("/show", "[system] S [user] hi"),
            ("/quit now", "takes no operand")]:
        shown = re.sub(r"\s+", " ", chat.say(line))
        assert re.sub(r"\s+", " ", sentence) in shown, f"{line}: {shown}"
    chat.leave(key="/quit\n")
    with open(folder + "/notes.txt") as notes:
        assert notes.read() == "precious"


def check_a_save_replaces_its_own_file_only(folder):
    os.mkdir(folder + "/my chats")

    def messages(name):
        with open(folder + name, encoding="utf-8") as saved:
            return len(json.load(saved)["messages"])

    chat = greedy(folder)
    chat.say("What is 1 plus 1?")
    assert "Saved to" in chat.say('/save "my chats/one.json"')
    chat.say("What is 2 plus 2?")
    assert "Saved to" in chat.say("/save ~/my chats/one.json")  # the same file: its own
    assert "Saved to" in chat.say("/save '~/my chats/one.json'")
    assert messages("/my chats/one.json") == 4
    chat.say("/clear")
    chat.say("What is 3 plus 3?")
    assert "/save! replaces it" in re.sub(r"\s+", " ", chat.say("/save my chats/one.json"))
    assert messages("/my chats/one.json") == 4
    assert "Saved to" in chat.say("/save ./two.json")
    assert "Saved to" in chat.say("/save! my chats/one.json")
    assert messages("/my chats/one.json") == 2
    assert "/save! replaces it" in re.sub(r"\s+", " ", chat.say("/save two.json"))
    assert "Loaded 2 messages in place of 2." in chat.say("/load 'two.json'")
    chat.say("What is 4 plus 4?")
    assert "Saved to" in chat.say("/save two.json")
    assert messages("/two.json") == 4
    # A saved chat without messages brings its parameters and takes nothing away.
    chat.leave()
    chat = greedy(folder)
    chat.say("/set top_p 0.5")
    chat.say("/save nothing.json")
    chat.say("/load two.json")
    shown = re.sub(r"\s+", " ", chat.say("/load nothing.json"))
    assert "its parameters are set, the conversation is unchanged" in shown, shown
    assert "top_p is 0.5" in chat.say("/set top_p")
    assert "What is 4 plus 4?" in chat.say("/show")
    chat.leave()


def check_regen_draws_anew(folder):
    def answers(chat):
        chat.say("/save! chat.json")
        with open(folder + "/chat.json", encoding="utf-8") as saved:
            made = json.load(saved)["made"][-1]
        return made["sampling_params"]["sampling_seed"], tuple(made["output_ids"])

    chat = Chat(folder, "--set", "temperature=1.5", "--set", "max_new_tokens=24").start()
    chat.say("/set sampling_seed 5")
    chat.say("Tell me a story.")
    made = [answers(chat)]
    for again in (6, 7):
        assert f"drawn with sampling_seed {again}, not again with 5" in re.sub(r"\s+", " ", chat.say("/regen"))
        made.append(answers(chat))
    assert [seed for seed, _ in made] == [5, 6, 7] and len({ids for _, ids in made}) == 3, made
    # Another message begins with the seed that is set; so does one that is set anew.
    chat.say("And another.")
    assert answers(chat)[0] == 5
    chat.say("/set sampling_seed 100")
    chat.say("/regen")
    assert answers(chat)[0] == 100
    chat.say("/set sampling_seed null")
    chat.say("/undo")
    chat.say("/regen")
    seed = answers(chat)[0]
    chat.say("/set temperature 0")
    assert "greedy decoding" in re.sub(r"\s+", " ", chat.say("/regen"))
    chat.say("/set temperature 1.5")
    chat.leave()
    # The first draw of a chat is none that a loaded answer was made with.
    chat = Chat(folder, "--set", "temperature=1.5", "--set", "max_new_tokens=24").start()
    chat.say("Tell me a story.")
    before = answers(chat)
    chat.leave()
    chat = Chat(folder).start()
    chat.say("/load chat.json")
    chat.say("/regen")
    after = answers(chat)
    assert after[0] != before[0] and after[1] != before[1], (before, after)
    # The largest seed has a successor, too.
    chat.say("/set sampling_seed 9223372036854775807")
    chat.say("/regen")
    chat.say("/regen")
    assert answers(chat)[0] == -9223372036854775808
    chat.leave()


def check_an_interrupted_answer_reads_as_its_replay(folder):
    chat = Chat(folder).start()
    # Each character takes several draws, so that some of the stops fall inside one.
    chat.say("/regex [\U0001F600-\U0001F64F\u4e00-\u9fff]{400}")
    turn = 0
    while turn < 6:
        chat.type("Go.\n")
        chat.expect("[\U0001F600-\U0001F64F\u4e00-\u9fff]{%d}" % (5 + turn))
        chat.type(CTRL_C)
        ended = chat.expect(r"\(stopped\)|tokens is full")[0]
        chat.prompt()
        turn += 1
        if ended != "(stopped)":  # the key came late, on a busy machine
            chat.say("/clear")
            turn = 0
    chat.say("/save chat.json")
    chat.say("/export replay.jsonl")
    chat.leave()
    with open(folder + "/chat.json", encoding="utf-8") as saved:
        saved = json.load(saved)
    texts = [message["content"] for message in saved["messages"] if message["role"] == "assistant"]
    assert len(texts) == 6 and "\ufffd" not in "".join(texts), texts
    run = subprocess.run([SGLRUN, "batch", "replay.jsonl", "-m", MODEL, "-q"], cwd=folder, check=True,
                         capture_output=True)
    rows = [json.loads(row) for row in run.stdout.splitlines()]
    assert [row["text"] for row in rows] == texts
    assert [row["output_ids"] for row in rows] == [made["output_ids"] for made in saved["made"] if made]


def check_special_tokens_that_are_typed(folder):
    def prompt_tokens(*options):
        chat = greedy(folder, *options)
        chat.say("hello")
        chat.say("a<|im_end|>b")
        count = int(re.search(r"last answer: (\d+)", chat.say("/stats"))[1])
        chat.leave()
        return count

    # One token, or the letters of it.
    assert prompt_tokens("--no-special-in-content") > prompt_tokens() + 3


def check_tab_key_and_history(folder):
    open(folder + "/my chat.json", "w").close()
    chat = greedy(folder)
    # The editor moves the cursor about as it likes; what was typed shows in what it does.
    assert "temperature 0" in chat.say("/sho" + TAB)
    assert "frequency_penalty is 0.5" in chat.say("/set freq" + TAB + "0.5")
    assert "my chat.json is not valid JSON" in chat.say("/load my" + TAB)
    chat.type("/s" + TAB)
    chat.expect("/schema\n/stats\n.*> ")
    assert "takes no operand" in chat.say("how 7")
    chat.say("What is 1 plus 1?")
    chat.leave()
    chat = greedy(folder)
    assert "2" in chat.say(UP)
    chat.leave()
    with open(folder + "/state/sglrun/history") as history:
        assert history.read().splitlines()[-1] == "What is 1 plus 1?"


def check_keys_of_other_terminals(folder):
    chat = greedy(folder)
    end, home, word_left, word_right = "\x1b[4~", "\x1b[1~", "\x1b[1;5D", "\x1b[1;5C"
    chat.say("bc ef" + home + "a" + word_right + " d" + end + "g" + word_left + "(" + "\x1b[2~" + end + ")x"
             + "\x1b[D\x1b[3~")
    assert "[user]\nabc d (efg)\n" in chat.say("/show"), chat.text()
    chat.say("/clear")
    chat.say("\x1b[5~\x1b[5~\x1b[5~\x1b[6~\x1b[5~!")
    assert "[user]\nabc d (efg)!\n" in chat.say("/show"), chat.text()
    chat.leave()


def check_an_answer_stays_until_another_is_whole(folder):
    chat = greedy(folder)
    chat.say("What is 64 plus 29?")
    chat.say("/set ignore_eos true")
    chat.type("/regen\n")
    chat.expect(r"\n\w+")
    chat.type(CTRL_C)
    chat.expect("the previous answer is kept")
    chat.prompt()
    assert "[assistant]\n64 + 29 = 93\n> " in chat.say("/show"), chat.text()
    chat.leave()


def check_lines_beyond_ascii_are_edited_by_characters(folder):
    chat = greedy(folder)
    chat.type("gr\u00fc\u00dfe \u4f60\u597d\U0001F600\x7f\x7f!\n")
    chat.prompt()
    assert "[user]\ngr\u00fc\u00dfe \u4f60!\n" in chat.say("/show")
    chat.leave()


def check_several_lines_are_one_message(folder):
    chat = greedy(folder)
    chat.type('"""\nfirst\n\n/quit\n"""\n')
    chat.expect(r"\n> $")
    assert "[user]\nfirst\n\n/quit\n" in chat.say("/show")
    chat.type('"""\n')
    chat.expect(r"\.\.\. ")
    chat.leave()


def pasted(text):
    return "\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~"


def check_a_paste_is_one_message(folder):
    chat = greedy(folder)
    assert b"\x1b[?2004h" in chat.raw
    chat.say(pasted("one\n\n// two\tgr\u00fc\u00dfe \x01\n/quit"))
    shown = chat.say("/show")
    assert "[user]\none\n\n// two\tgr\u00fc\u00dfe \n/quit\n\n[assistant]" in shown, shown
    assert shown.count("[user]") == 1, shown
    # It begins and goes on as the person likes, and is found again.
    chat.say("/clear")
    chat.say("Read: " + pasted("a\nb\n") + pasted("// c") + " please")
    assert "[user]\nRead: a\nb\n// c please\n" in chat.say("/show")
    chat.say("/clear")
    chat.say(UP + UP + UP + "!")
    assert "[user]\nRead: a\nb\n// c please!\n" in chat.say("/show")
    # One line is what it would be if it was typed; a system text may have several lines.
    assert "is deleted" in chat.say(pasted("/clear"))
    assert "is set" in chat.say("/system " + pasted("Be brief.\nBe kind."))
    assert "[system]\nBe brief.\nBe kind.\n" in chat.say("/show")
    # Between quotes a paste is part of the message, and may bring the quotes along.
    chat.say('"""' + pasted("x\ny") + '"""')
    assert "[user]\nx\ny\n" in chat.say("/show")
    chat.say("/clear")
    chat.say(pasted('"""\nfirst\n\n/quit\n"""\n'))
    assert "[user]\nfirst\n\n/quit\n\n[assistant]" in chat.say("/show")
    # Ctrl+C in the middle gives the line up.
    chat.type("\x1b[200~half" + CTRL_C)
    chat.prompt()
    assert "half" not in chat.say("/show")
    chat.leave()
    assert chat.raw.rfind(b"\x1b[?2004l") > chat.raw.rfind(b"\x1b[?2004h")


def check_narrow_terminal(folder):
    chat = greedy(folder, columns=20)
    for line, words in (("/set top_p", "top_p is default"), ("/stats", "No answer yet; the context"),
                        ("/sett", "no command /sett,"), ("/show", "temperature 0")):
        shown = chat.say(line)
        assert words in re.sub(r"\s+", " ", shown), shown
        long = [part for part in shown.replace("\r", "\n").split("\n") if len(part) > 20 and " " in part]
        assert not long, long
    chat.type("What is 64 plus 29?\n")
    chat.expect("93")
    chat.prompt()
    assert "What is 64 plus 29?" in chat.say("/show")
    chat.type("/help\n")
    chat.expect(r"Ctrl\+D\s+leaves")
    chat.prompt()
    chat.leave()


def check_terminals_that_cannot_edit(folder):
    for term in ("dumb", "", None):
        chat = greedy(folder, term=term)
        chat.type("What is 64 plus 29?\n")
        chat.expect("93")
        chat.expect("> ")
        chat.type("half a line" + CTRL_C)
        chat.expect("\n> ")
        chat.type(CTRL_D)
        assert b"\x1b" not in chat.raw, chat.raw
        chat.leave(key=None)


def thinking_template(folder):
    with open(folder + "/thinks.jinja", "w") as template:
        template.write("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
                       "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}")
    return ["--template", "thinks.jinja", "--set", "max_new_tokens=12"]


def check_thoughts_are_dim(folder):
    options = thinking_template(folder)
    chat = greedy(folder, *options)
    chat.say("What is 1 plus 1?")
    assert b"\x1b[2m" in chat.raw and b"\x1b[0m" in chat.raw
    chat.leave()
    chat = greedy(folder, *options, env={"NO_COLOR": "1"})
    chat.say("What is 1 plus 1?")
    assert b"\x1b[2m" not in chat.raw
    chat.leave()
    chat = greedy(folder, *options, env={"NO_COLOR": ""})
    chat.say("What is 1 plus 1?")
    assert b"\x1b[2m" in chat.raw
    chat.leave()


def check_an_empty_prompt_is_a_sentence(folder):
    open(folder + "/nothing.jinja", "w").close()
    chat = greedy(folder, "--template", "nothing.jinja")
    assert "messages give an empty prompt" in chat.say("hello")
    chat.leave()


def check_full_context_keeps_the_conversation(folder):
    chat = greedy(folder, "--set", "ignore_eos=true", "--context-length", "64")
    shown = chat.say("What is 1 plus 1?")
    assert "the context of 64 tokens is full" in shown, shown
    shown = chat.say("And 2 plus 2?")
    assert "there is no room for an answer" in re.sub(r"\s+", " ", shown), shown
    assert "And 2" not in chat.say("/show")[20:]
    chat.say("/undo")
    chat.say("/set ignore_eos null")
    assert "2" in chat.say("1 plus 1")
    chat.leave()


def check_signals_leave_the_terminal_as_it_was(folder):
    for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)):
        chat = greedy(folder)
        chat.process.send_signal(number)
        chat.leave(code, key=None)
        chat = greedy(folder, "--set", "ignore_eos=true")
        chat.type("Tell me a story.\n")
        chat.expect(r"\n\w+")
        chat.process.send_signal(number)
        chat.leave(code, key=None)


def check_terminal_that_goes_away(folder):
    chat = greedy(folder)
    os.close(chat.slave)
    os.close(chat.master)
    assert chat.process.wait(PATIENCE) in (0, 129)


def check_resized_window(folder):
    chat = greedy(folder)
    chat.type("What is 64 plus")
    fcntl.ioctl(chat.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    chat.type(" 29?\n")
    chat.expect("93")
    chat.prompt()
    chat.leave()


def check_keys_pressed_during_an_answer_wait(folder):
    chat = greedy(folder, "--set", "ignore_eos=true", "--set", "max_new_tokens=100")
    chat.type("Tell me a story.\n")
    chat.expect(r"\n\w+")
    chat.leave()  # Ctrl+D
    chat = greedy(folder)
    chat.type("What is 64 plus 29?\nWhat is the opposite of hot?\n")
    chat.expect("93.*cold")
    chat.prompt()
    chat.leave()


def check_answers_alone_on_a_redirected_output(folder):
    with open(folder + "/answers", "wb") as answers:
        chat = Chat(folder, "--set", "temperature=0", answers=answers)
    chat.start()
    chat.say("What is 64 plus 29?")
    chat.say("/show")
    chat.leave()
    with open(folder + "/answers") as answers:
        text = answers.read()
    assert "93" in text and "\x1b" not in text and "temperature" not in text, text


def main():
    chosen = sys.argv[3:]
    failed = 0
    for name, check in list(globals().items()):
        if not name.startswith("check_") or (chosen and not any(c in name for c in chosen)):
            continue
        folder = tempfile.mkdtemp(prefix="sglrun_chat.")
        start = time.monotonic()
        try:
            check(folder)
            print(f"ok    {name} {time.monotonic() - start:.1f} s", flush=True)
        except Exception as problem:  # the next cases run all the same
            failed += 1
            line = next(f.lineno for f in traceback.extract_tb(problem.__traceback__) if f.name == name)
            print(f"FAIL  {name}, line {line}: {type(problem).__name__}: {problem}", flush=True)
        finally:
            for process in Chat.running:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            Chat.running.clear()
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
