"""Processes that are timed: seconds from start to end, the peak of their memory, and what they printed."""

import json
import os
import subprocess
import time


class Finished:
    def __init__(self, process, started):
        self.text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = time.perf_counter() - started
        self.peak_bytes = usage.ru_maxrss * 1024
        if process.returncode != 0:
            raise SystemExit(f"bench-peers: {' '.join(process.args)} ended with {process.returncode}")

    def json(self):
        return json.loads(self.text.splitlines()[-1])


def start(command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL), time.perf_counter()


def run(command):
    return Finished(*start(command))


def run_together(command, count):
    return [Finished(*each) for each in [start(command) for _ in range(count)]]
