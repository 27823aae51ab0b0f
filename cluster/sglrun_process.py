"""One `sglrun batch -` process that answers block after block of records, for engines that hand out work.

    with SglrunProcess("MODEL", ["--threads", "8"]) as process:
        for rows in process.map(blocks):
            ...

A block is a list of lines with one record each. Its rows are lines too: one for each record, in their order. They carry the
line of their record if the records went through `sglrun number`. Needs only Python 3.8 and its standard library.
"""

import atexit
import collections
import concurrent.futures
import itertools
import queue
import subprocess
import sys
import threading
import time

KEPT_MESSAGES = 20  # last lines of standard error, for an exception
TEXT = {"encoding": "utf-8", "errors": "surrogateescape", "newline": "\n"}  # for open(): every byte is kept


class SglrunError(RuntimeError):
    """A process that ended without answering. `exit_code` is that of subprocess: negative after a signal."""

    def __init__(self, message, exit_code=None, stderr=""):
        super().__init__(message, exit_code, stderr)
        self.exit_code = exit_code
        self.stderr = stderr

    def __str__(self):
        return f"{self.args[0]}\n{self.stderr}".strip()


class _Block:
    def __init__(self, lines):
        self.lines = [line.rstrip("\r\n") for line in lines if line.strip(" \t\r\n")]
        self.rows = []
        self.answer = concurrent.futures.Future()


class _Run:
    """One start of the program. `queue` holds the lists of lines that it is still to be sent; None closes its input."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8", errors="surrogateescape"
        )
        self.queue = queue.SimpleQueue()
        self.messages = collections.deque(maxlen=KEPT_MESSAGES)
        self._threads = [_start_thread(self._send), _start_thread(self._read_messages)]

    def _send(self):
        try:
            for lines in iter(self.queue.get, None):
                self.process.stdin.write("".join(line + "\n" for line in lines))
                self.process.stdin.flush()
            self.process.stdin.close()
        except OSError:
            pass  # the process has ended; the end of its rows says so

    def _read_messages(self):
        for line in self.process.stderr:
            self.messages.append(line)
            sys.stderr.write(line)

    def end(self, seconds):
        """Closes the input and waits; kills the process if it goes on. Returns the exit code."""
        self.queue.put(None)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        for thread in self._threads:
            thread.join()
        return code


def _start_thread(target):
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread


class SglrunProcess:
    """`options` are those of `sglrun batch`. `time_limit` is the number of seconds that may pass without a row while records
    wait; loading the model counts. A process that is killed or exceeds the limit is started once more, with the records that
    have no row yet. If it ends again before its next row, or ends by itself, all calls that wait raise SglrunError."""

    def __init__(self, model, options=(), program="sglrun", time_limit=3600.0, ahead=2):
        self._command = [program, "batch", "-", "-m", str(model), "--failed-ok", "--quiet", *map(str, options)]
        self._time_limit = time_limit
        self._ahead = ahead
        self._lock = threading.Condition()
        self._waiting = collections.deque()  # blocks without all their rows, in the order in which they were sent
        self._error = None
        self._run = _Run(self._command)
        self._last_row = time.monotonic()
        self._late = False
        atexit.register(self.close)
        _start_thread(self._serve)
        _start_thread(self._watch)

    def submit(self, lines):
        """A Future of the rows of a block. May be called from several threads, and before earlier blocks are answered."""
        block = _Block(lines)
        with self._lock:
            if self._error:
                raise self._error
            if not self._waiting:
                self._last_row = time.monotonic()
            if block.lines:
                self._waiting.append(block)
                self._run.queue.put(block.lines)
                self._lock.notify_all()
            else:
                block.answer.set_result([])
        return block.answer

    @property
    def ended(self):
        return self._error is not None

    def map(self, blocks):
        """The rows of each block, in order. Some blocks are sent ahead, so that the process never waits for records."""
        blocks = iter(blocks)
        sent = collections.deque(self.submit(lines) for lines in itertools.islice(blocks, 1 + self._ahead))
        while sent:
            yield sent.popleft().result()
            sent.extend(self.submit(lines) for lines in itertools.islice(blocks, 1))

    def close(self):
        """Ends the process. Blocks without an answer get SglrunError."""
        atexit.unregister(self.close)
        with self._lock:
            self._error = self._error or SglrunError("the process has been closed")
            self._fail_waiting()
            self._lock.notify_all()
        self._run.end(10)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _serve(self):
        restarted = False
        while True:
            for row in self._run.process.stdout:
                if not row.endswith("\n"):
                    break  # cut off when the process was killed
                restarted = False
                self._take(row[:-1])
            code = self._run.end(None)
            with self._lock:
                killed = code < 0 or code == 143
                if killed and not restarted:
                    self._lock.wait_for(lambda: self._waiting or self._error)
                if self._error or not killed or restarted:
                    self._error = self._error or self._reason(code)
                    self._fail_waiting()
                    return
                self._restart()
            restarted = True

    def _take(self, row):
        with self._lock:
            self._last_row = time.monotonic()
            if not self._waiting:
                return  # closed
            block = self._waiting[0]
            block.rows.append(row)
            if len(block.rows) == len(block.lines):
                self._waiting.popleft().answer.set_result(block.rows)

    def _restart(self):
        sys.stderr.write("sglrun ended early and is started again\n")
        self._run = _Run(self._command)
        self._last_row = time.monotonic()
        self._late = False
        for block in self._waiting:
            self._run.queue.put(block.lines[len(block.rows) :])

    def _reason(self, code):
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        if self._late:
            how = f"wrote no row for {self._time_limit:g} s"
        return SglrunError(f"sglrun {how}", code, "".join(self._run.messages))

    def _fail_waiting(self):
        while self._waiting:
            self._waiting.popleft().answer.set_exception(self._error)

    def _watch(self):
        while not self._error:
            time.sleep(min(1.0, self._time_limit / 10))
            with self._lock:
                if self._waiting and time.monotonic() - self._last_row > self._time_limit:
                    self._late = True
                    self._run.process.kill()


def add_arguments(parser):
    """The arguments of every client."""
    parser.add_argument("input", nargs="+", help="files of records, numbered by `sglrun number`")
    parser.add_argument("-m", "--model", required=True, help="as of sglrun batch")
    parser.add_argument("--program", default="sglrun", help="where sglrun is (on the PATH)")
    parser.add_argument("--time-limit", type=float, default=3600, metavar="SECONDS", help="longest time without a row (3600)")


def parse_arguments(parser):
    """The arguments, and from them the arguments of SglrunProcess. What follows -- are options of sglrun batch."""
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:end])
    return arguments, {
        "model": arguments.model,
        "options": words[end + 1 :],
        "program": arguments.program,
        "time_limit": arguments.time_limit,
    }


_kept = {}


def kept_process(settings):
    """The process of an earlier call with the same settings, or another if that one has ended."""
    key = repr(settings)
    if key not in _kept or _kept[key].ended:
        for process in _kept.values():
            process.close()
        _kept.clear()
        _kept[key] = SglrunProcess(**settings)
    return _kept[key]
