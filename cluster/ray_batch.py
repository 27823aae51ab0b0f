#!/usr/bin/env python3
"""Runs `sglrun batch` on a Ray cluster: one process in each actor, blocks of records as calls.

    sglrun number in.jsonl -o numbered.jsonl
    ray_batch.py numbered.jsonl -m MODEL -o rows --actors 4 --cpus 8 [-- OPTIONS OF sglrun batch]
    sglrun merge --lines rows/* --records numbered.jsonl -o results.jsonl

Program and model must be at the same place on every node. Blocks of a lost node go to the other actors; another actor takes
its place when the cluster has room. The same command continues a stopped run. Needs the Python package ray.
"""

import argparse
import collections
import hashlib
import itertools
import os
import sys
import time
from pathlib import Path

import ray

sys.path.insert(0, str(Path(__file__).resolve().parent))
import sglrun_process  # noqa: E402

BLOCKS_OF_AN_ACTOR = 2  # one that runs, one ahead
MOST_STARTS = 4  # of a block whose actor died each time


class Block:
    def __init__(self, index, lines):
        self.index = index
        self.lines = lines
        self.starts = 0


class Worker:
    """The actor. Several calls may run at a time; the process answers them in turn."""

    def start(self, settings):
        self._process = sglrun_process.SglrunProcess(**settings)

    def rows(self, lines):
        return self._process.submit(lines).result()


class Actors:
    """The actors, and the calls that each of them has not answered."""

    def __init__(self, actor_class, settings, count, blocks):
        self._actor_class = actor_class
        self._settings = settings
        self._blocks = iter(blocks)
        self._lost = collections.deque()  # blocks whose actor died
        self._ready = {}  # actor: number of its calls
        self._calls = {}  # reference: (actor, block); None is the block of the call that starts an actor
        for _ in range(count):
            self._start_actor()

    def answers(self):
        """(block, rows) of every block, as they become ready."""
        while True:
            (reference,), _ = ray.wait(list(self._calls), num_returns=1)
            actor, block = self._calls.pop(reference)
            try:
                rows = ray.get(reference)
            except ray.exceptions.RayActorError as error:
                self._lose(actor, block, error)
            else:
                self._ready[actor] = self._ready.get(actor, 1) - 1
                if block:
                    yield block, rows
            self._send()
            if self._ready and not any(block for _, block in self._calls.values()):
                return

    def _start_actor(self):
        actor = self._actor_class.remote()
        self._calls[actor.start.remote(self._settings)] = (actor, None)

    def _send(self):
        for actor in self._ready:
            while self._ready[actor] < BLOCKS_OF_AN_ACTOR:
                block = self._lost.popleft() if self._lost else next(self._blocks, None)
                if block is None:
                    return
                block.starts += 1
                self._ready[actor] += 1
                self._calls[actor.rows.remote(block.lines)] = (actor, block)

    def _lose(self, actor, block, error):
        if block:
            if block.starts == MOST_STARTS:
                raise SystemExit(f"the actors of block {block.index} died {MOST_STARTS} times: {error}")
            self._lost.append(block)
        if self._ready.pop(actor, None) is not None or not block:
            print("an actor died; its blocks go to the others", file=sys.stderr)
            self._start_actor()


class RowFolder:
    """A file of rows for each block. Its name holds a hash of records and options, by which a finished block is known."""

    def __init__(self, folder, settings):
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._salt = repr((settings["model"], settings["options"])).encode()
        self._found = {path.name.split("-")[0]: path for path in self._folder.glob("*.jsonl")}

    def has(self, block):
        path = self._path(block)
        found = self._found.get(path.name.split("-")[0])
        if found not in (None, path):
            raise SystemExit(f"{found} was made from other records or options; name another folder with -o")
        return found is not None

    def write(self, block, rows):
        path = self._path(block)
        part = path.with_suffix(".part")
        with open(part, "w", **sglrun_process.TEXT) as file:
            file.writelines(row + "\n" for row in rows)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)

    def _path(self, block):
        text = "".join(block.lines).encode("utf-8", "surrogateescape")
        digest = hashlib.sha256(self._salt + text).hexdigest()[:16]
        return self._folder / f"{block.index:08d}-{digest}.jsonl"


class Progress:
    def __init__(self):
        self._begin = self._shown = time.monotonic()
        self._rows = 0

    def add(self, rows):
        self._rows += rows
        if time.monotonic() - self._shown >= 5:
            self.show()

    def show(self):
        self._shown = time.monotonic()
        rate = self._rows / max(self._shown - self._begin, 1e-9)
        print(f"{self._rows:,} rows, {rate:,.1f} rows/s", file=sys.stderr)


def read_blocks(inputs, size):
    lines = itertools.chain.from_iterable(open(name, **sglrun_process.TEXT) for name in inputs)
    for index in itertools.count():
        block = list(itertools.islice(lines, size))
        if not block:
            return
        yield Block(index, block)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sglrun_process.add_arguments(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="folder for the files of rows")
    parser.add_argument("--actors", type=int, default=1, metavar="N", help="number of processes (1)")
    parser.add_argument("--cpus", type=int, default=1, metavar="N", help="threads of each process (1)")
    parser.add_argument("--gpus", type=int, default=0, metavar="N", help="GPUs of each process (0)")
    parser.add_argument("--block", type=int, default=256, metavar="N", help="records of a call (256)")
    parser.add_argument("--address", default=None, help="of the cluster; without it a running one is used, else one is started")
    arguments, settings = sglrun_process.parse_arguments(parser)
    settings["options"] = ["--threads", str(arguments.cpus), *settings["options"]]

    ray.init(address=arguments.address)
    ray.cloudpickle.register_pickle_by_value(sglrun_process)
    actor_class = ray.remote(
        num_cpus=arguments.cpus,
        num_gpus=arguments.gpus,
        max_concurrency=BLOCKS_OF_AN_ACTOR,
        scheduling_strategy="SPREAD",
    )(Worker)
    folder = RowFolder(arguments.output, settings)
    blocks = (block for block in read_blocks(arguments.input, arguments.block) if not folder.has(block))
    progress = Progress()
    try:
        for block, rows in Actors(actor_class, settings, arguments.actors, blocks).answers():
            folder.write(block, rows)
            progress.add(len(rows))
    except ray.exceptions.RayTaskError as error:
        raise SystemExit(f"ray_batch.py: {error.cause}")
    progress.show()


if __name__ == "__main__":
    main()
