#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the jobs of a test script, called items here, as processes on this machine, through a launcher such as
`srun -n1`, or as one batch. Prints the lines of each item when the item has ended. Prints a FAIL line for an item that
is lost, late, ends with another status than 0 or ran twice, or whose lines are not the announced checks. `run_jobs` of
tests/verdict.sh calls this program, and docs/testing.md describes the options.

usage: launch.py FOLDER [--jobs N] [--launch CMD | --batch CMD] [--limit SECONDS] [--journal FILE --key KEY]
FOLDER/items has a line for each item: its number of checks, a tab, its command in the syntax of bash. FOLDER must be
the same on all machines. At the end FOLDER/counts has the numbers of checks that passed, failed, were skipped, and were
announced by the items themselves."""
import argparse
import fcntl
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

NAP = 0.02  # seconds between two looks at the processes
TRIES = 2  # runs of an item that is lost, if a launcher or a batch runs the items
GRACE = 3  # seconds to wait for files that another machine has written
# Each item ends its lines with such a line: number of the item, number of the run, exit status, name of the machine.
# Without this line the end of the item was not seen, whatever status the launcher gives.
END = re.compile(rb"rill-end (\d+) (\d+) (\d+) (\S+)\n")
# Variables that belong to the machine or to the launcher's own session, so an item does not take them along.
LOCAL = re.compile(r"(SLURM|SBATCH|PARALLEL|SSH_|PMI|BASH_|HOSTNAME$|PWD$|OLDPWD$|SHLVL$|TMPDIR$|_$)")

# Runs the command with its own stderr, but hides bash's message about a command that was killed.
SCRIPT = """{environment}cd {folder} || exit
{{ (exec 2>&3 3>&-; exec {command} </dev/null); status=$?; }} 3>&2 2>/dev/null
echo "rill-end {number} {run} $status ${{SLURMD_NODENAME:-$(uname -n)}}"
exit $status
"""


@dataclass
class Item:
    """checks: number of announced checks. runs: runs that have begun. begin: time.time() of the latest beginning.
    late: the item was stopped because of --limit."""
    number: int
    checks: int
    command: str
    runs: int = 0
    begin: float = 0
    process: subprocess.Popen | None = None
    late: bool = False


@dataclass
class End:
    """How a run of an item ended. status: the item's exit status, or the launcher's if `seen` is false. lines: what the
    item printed. seen: the output has the item's own last line (END), so its exit status is known. amiss: what the
    launcher did wrong, or an empty text."""
    status: int
    host: str
    lines: list[str]
    seen: bool
    amiss: str = ""


@dataclass
class Counts:
    """Numbers of checks. planned: those that items announced themselves, by lines `plan  N`."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    planned: int = 0

    def add(self, other: "Counts") -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def count(lines: list[str], checks: int) -> tuple[Counts, str]:
    """Returns the numbers of an item's checks, and a text that says how the checks differ from the announced ones. The
    text is empty if they do not differ."""
    verdicts = [line for line in lines if line.startswith(("ok   ", "FAIL ", "skip "))]
    plans = [re.fullmatch(r"plan  (-?\d+)", line) for line in lines]
    kinds = Counter(line[:4] for line in verdicts)
    counts = Counts(kinds["ok  "], kinds["FAIL"], kinds["skip"], sum(int(plan[1]) for plan in plans if plan))
    want, twice = checks + counts.planned, [line for line, times in Counter(verdicts).items() if times > 1]
    if twice:
        return counts, f"a check twice: {twice[0][6:]}"
    if len(verdicts) > want or (counts.failed == 0 and len(verdicts) != want):
        return counts, f"{len(verdicts)} checks instead of {want}"
    return counts, ""


def read_end(item: Item, output: bytes, status: int | None) -> End:
    """Reads what a run of an item printed. status: exit status of the process that ran the item, or minus the number of
    the signal that ended it. None: this is a batch, whose status says nothing about one item."""
    ends = list(END.finditer(output))
    text = (output[:ends[0].start()] if ends else output).decode("utf-8", "surrogateescape")
    lines = text.removesuffix("\n").split("\n") if text else []
    status = 128 - status if status is not None and status < 0 else status
    if not ends:
        return End(1 if status is None else status, "", lines, False)
    number, run, own, host = (int(word) if word.isdigit() else word.decode() for word in ends[0].groups())
    end = End(own, str(host), lines, True)
    if len(ends) > 1:
        end.amiss = f"it ran {len(ends)} times; the launcher must start one process"
    elif (number, run) != (item.number, item.runs):
        end.amiss = f"the launcher gave run {run} of item {number}"
    elif own == 0 and status:  # the launcher lost something
        end = End(status, str(host), lines, False)
    return end


class Journal:
    """The file of --journal. The first line has the key of the run. If the key is another one, the journal begins
    again. Each further line is the beginning or the end of a run of an item. passed: the end of each item that passed
    when it last ended, by the item's command."""
    def __init__(self, path: str | None, key: str):
        self.file, self.passed = None, {}
        if not path:
            return
        self.file = open(path, "ab+", buffering=0)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"launch.py: error: another run uses the journal {path}. Wait for its end, or name another one")
        self.file.seek(0)
        text = self.file.read()
        whole = text[:text.rfind(b"\n") + 1]  # a killed run may leave a part of a line
        try:
            entries = [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            sys.exit(f"launch.py: error: {path} has lines that are not JSON; it is not a journal. Name another file")
        same = bool(entries) and entries[0].get("key") == key
        self.file.truncate(len(whole) if same else 0)
        if not same:
            self.write(key=key)
        for entry in entries[1:] if same else []:
            if "end" in entry:
                self.passed.pop(entry["item"], None)
                if entry["verdict"] == "passed":
                    self.passed[entry["item"]] = entry

    def write(self, **members) -> None:
        if self.file:
            self.file.write((json.dumps(members) + "\n").encode())


@dataclass
class Run:
    """All items of one call of this program, and their results so far."""
    folder: str
    options: argparse.Namespace
    journal: Journal
    items: list[Item]
    counts: Counts = field(default_factory=Counts)
    ended: Counter = field(default_factory=Counter)  # ends of each item
    start: float = field(default_factory=time.time)
    known: int = 0  # items that passed in an earlier run
    again: int = 0  # items that were lost and ran again
    shown: bool = False  # the terminal shows the line of progress
    parent: int = field(default_factory=os.getppid)  # the test script

    # ---- processes ----

    def path(self, item: Item, ending: str) -> str:
        return f"{self.folder}/{item.number}.{item.runs}.{ending}"

    def environment(self) -> str:
        """Returns commands that set the variables of this process on another machine."""
        if not (self.options.launch or self.options.batch):
            return ""
        words = [f"export {name}={shlex.quote(value)}\n" for name, value in sorted(os.environ.items())
                 if name.isidentifier() and not LOCAL.match(name)]
        return "".join(words)

    def write_script(self, item: Item) -> str:
        """Writes the script of the next run of an item and returns its path. Launchers may split or join words, so
        they get the path alone."""
        item.runs, item.begin = item.runs + 1, time.time()
        path = self.path(item, "sh")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            if self.options.batch:
                file.write(f"exec >{shlex.quote(self.path(item, 'out'))}\n")
            file.write(SCRIPT.format(environment=self.environment(), folder=shlex.quote(os.getcwd()),
                                     command=item.command, number=item.number, run=item.runs))
        self.journal.write(item=item.command, begin=round(item.begin, 1), run=item.runs)
        return path

    def begin(self, item: Item) -> None:
        words = shlex.split(self.options.launch or "") + ["/bin/bash", self.write_script(item)]
        with open(self.path(item, "out"), "wb") as out:
            try:
                item.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, process_group=0)
            except OSError as error:
                sys.exit(f"launch.py: error: {words[0]}: {error.strerror}")

    def stop(self, items: list[Item]) -> None:
        """Ends the processes of items: politely, so that a launcher can end them on other machines, then by force."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            until = time.time() + 2
            for item in items:
                try:
                    os.killpg(item.process.pid, number)
                except ProcessLookupError:
                    pass
            while time.time() < until and any(item.process.poll() is None for item in items):
                time.sleep(NAP)

    def run_side_by_side(self, waiting: list[Item]) -> None:
        """Runs the items, at most --jobs at the same time, and stops those that take longer than --limit."""
        running: list[Item] = []
        try:
            while waiting or running:
                while waiting and len(running) < self.options.jobs:
                    running.append(waiting.pop(0))
                    self.begin(running[-1])
                for item in list(running):
                    limit = self.options.limit
                    if limit and item.process.poll() is None and time.time() > item.begin + limit:
                        item.late = True
                        self.stop([item])
                    if item.process.poll() is None:
                        continue
                    running.remove(item)
                    with open(self.path(item, "out"), "rb") as out:
                        end = read_end(item, out.read(), item.process.returncode)
                    if self.take(item, end):
                        waiting.insert(0, item)
                self.show()
                time.sleep(NAP)
        finally:
            self.stop([item for item in running if item.process.poll() is None])

    # ---- a batch: one command gets the scripts of all items, for example tests/cluster/array.sh ----

    def run_batch(self, waiting: list[Item]) -> None:
        """Runs all items as one batch, then the lost ones as another batch."""
        while waiting:
            words = shlex.split(self.options.batch) + [self.write_script(item) for item in waiting]
            with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=sys.stderr, process_group=0) as process:
                try:
                    waiting = self.await_batch(process, waiting)
                finally:
                    if process.poll() is None:
                        os.killpg(process.pid, signal.SIGTERM)

    def await_batch(self, process: subprocess.Popen, waiting: list[Item]) -> list[Item]:
        """Takes the items as they end, and returns the lost ones that are to run again."""
        until, again = None, []
        while waiting and (until is None or time.time() < until):
            if process.poll() is not None and until is None:
                until = time.time() + GRACE
            for item in list(waiting):
                output = self.output_of(item)
                if END.search(output):
                    waiting.remove(item)
                    again += [item] if self.take(item, read_end(item, output, None)) else []
            self.show()
            time.sleep(10 * NAP)
        return again + [item for item in waiting if self.take(
            item, read_end(item, self.output_of(item), process.returncode))]

    def output_of(self, item: Item) -> bytes:
        try:
            with open(self.path(item, "out"), "rb") as out:
                return out.read()
        except FileNotFoundError:
            return b""

    # ---- verdicts ----

    def take(self, item: Item, end: End) -> bool:
        """Takes the end of a run. Returns whether the item is to run again: it is lost, and may run once more."""
        counts, amiss = count(end.lines, item.checks)
        verdict = "failed"
        lost = not end.amiss and not item.late and (not end.seen or end.status > 128)
        if item.late:
            verdict, amiss = "late", f"still running after {self.options.limit} s"
        elif end.amiss:
            amiss = end.amiss
        elif lost or end.status != 0:
            verdict = "lost" if lost else "failed"
            amiss = f"ended with status {end.status} after {counts.passed + counts.failed + counts.skipped} of " \
                f"{item.checks + counts.planned} checks"
            amiss += "" if end.seen or not self.remote() else ", and its own end was not seen"
        elif not amiss and counts.failed == 0:
            verdict = "passed"
        self.journal.write(item=item.command, host=end.host, begin=round(item.begin, 1), end=round(time.time(), 1),
                           status=end.status, verdict=verdict, why=amiss, lines=end.lines)
        if lost and self.remote() and item.runs < TRIES:
            self.again += 1
            return True
        self.report(item, end.lines, counts, amiss)
        return False

    def remote(self) -> bool:
        return bool(self.options.launch or self.options.batch)

    def report(self, item: Item, lines: list[str], counts: Counts, amiss: str) -> None:
        if amiss:
            lines = lines + [f"FAIL  job {item.command[:120]}: {amiss}"]
            counts.failed += 1
        self.clear()
        text = "".join(line + "\n" for line in lines)
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
        self.counts.add(counts)
        self.ended[item.number] += 1

    def take_known(self) -> list[Item]:
        """Reports the items that passed in an earlier run, and returns the others."""
        left = []
        for item in self.items:
            entry = self.journal.passed.get(item.command)
            counts, amiss = count(entry["lines"], item.checks) if entry else (Counts(), "not known")
            if amiss or counts.failed:
                left.append(item)
            else:
                self.known += 1
                self.report(item, entry["lines"], counts, "")
        return left

    def check_ends(self) -> None:
        """Adds a FAIL line for each item that has no end, or more than one."""
        for item in self.items:
            if self.ended[item.number] != 1:
                print(f"FAIL  job {item.command[:120]}: {self.ended[item.number]} ends instead of 1")
                self.counts.failed += 1

    # ---- progress: a line on the terminal that is overwritten ----

    def show(self) -> None:
        if os.getppid() != self.parent:  # the test script was killed
            sys.exit(1)
        if not (sys.stderr.isatty() and sys.stdout.isatty()):
            return
        done, seconds = sum(self.ended.values()), time.time() - self.start
        left = seconds / (done - self.known) * (len(self.items) - done) if done > self.known else None
        text = f"\r\033[K{done} of {len(self.items)} items, {clock(seconds)}, ETA {clock(left)}"
        print(text + (f", {self.again} ran again" if self.again else ""), end="", file=sys.stderr, flush=True)
        self.shown = True

    def clear(self) -> None:
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self.shown = False


def clock(seconds: float | None) -> str:
    return "?" if seconds is None else f"{seconds // 3600:.0f}:{seconds // 60 % 60:02.0f}:{seconds % 60:02.0f}"


def read_items(path: str) -> list[Item]:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        rows = [line.rstrip("\n").split("\t", 1) for line in file]
    return [Item(number, int(checks), command) for number, (checks, command) in enumerate(rows)]


def end_by_signal(number: int, _frame) -> None:
    sys.exit(128 + number)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--launch")
    parser.add_argument("--batch")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--journal")
    parser.add_argument("--key", default="")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_by_signal)
    for name in ("LAUNCH", "BATCH", "JOBS", "JOURNAL", "LIMIT"):  # an item runs its own jobs without a launcher
        os.environ.pop(name, None)
    run = Run(options.folder, options, Journal(options.journal, options.key), read_items(f"{options.folder}/items"))
    left = run.take_known()
    if run.known:
        print(f"{run.known} of {len(run.items)} items passed before: {options.journal}", file=sys.stderr)
    if options.batch:
        run.run_batch(left)
    else:
        run.run_side_by_side(left)
    run.clear()
    run.check_ends()
    sys.stdout.flush()
    with open(f"{options.folder}/counts", "w", encoding="utf-8") as file:
        print(*vars(run.counts).values(), file=file)


if __name__ == "__main__":
    main()
