#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares tables of the pages with the output of `rill check`, `rill forecast`, `rill depths`, `rill memory` and
`bench/families.sh`.

usage: tables.py [--deep | --long] PAGE...    prints the cells that differ, as PAGE:LINE: what; the exit status is 0
                                              even then, so the caller fails if there is output
       RILL_UPDATE=1 tables.py PAGE...        writes the right values into these cells
Comments directly before a table say how its columns are made. The parts of a comment are separated by `; `:
    <!-- rill check SPEC; without KEY; COLUMN: FIGURE; COLUMN: FIGURE -->
    <!-- rill forecast SPEC IN:OUT; with KEY VALUE; COLUMN: FIGURE -->
    <!-- rill depths SPEC; deep; COLUMN: FIGURE -->
    <!-- rill memory SPEC; with KEY VALUE; COLUMN: FIGURE -->
    <!-- bench/families.sh OPTIONS; long; COLUMN: PRINTED COLUMN -->
SPEC is a file. A `*` in it is replaced by the first word of the row's first cell (if that is empty, of the row above). A
spec that does not exist is searched for in configs/. With the part `named`, a cell has its value and then the word
for the `*`, as in "12 (`NAME`)". A cell without such a name is then not compared.
A column whose head is a key of the design (one of KEYS below) sets that key to the first word of the cell. With an
empty cell, the spec's value stays.
`without` then removes a key from the design, and `with` sets one. COLUMN is the head of a column, FIGURE the kind of
value in its cells. For `rill check`:
    lut ff dsp bram36 uram    share of the board without platform and ports (the line `share of it` of `rill check`)
    DIE lut (...)             share of the whole die DIE with shell and reserve; in brackets with the second reserve;
                              bold: over a limit
    die lut (...)             the same for the die that the cell in column `die` names
    wires                     share of the wires from the die in column `die` to the next die, with those of the
                              platform; bold: over the limit
    wires of the region       share of the wires of the region, without those of the platform
    within                    whether every die and boundary is within its limits: yes or no
    within most               the same with the second reserve
    clock                     the clock in MHz that the spec asks for
    supports                  the clock in MHz that the delay model supports, by the record beside the spec
    supports PART             the same for a die, or for resets
For `rill forecast`; a cell keeps its number of decimals, and a cell without decimals has commas between thousands:
    tokens first latency      tokens/s of decoding; time to the first token and of the whole request, ms
    sustained                 share of the memory's sustained rate while decoding
    both                      tokens/s, a slash, and the time to the first token
    planned                   tokens/s at the clock to plan with (docs/clock.md)
    cycles                    cycles of the prompt, from the start register to the interrupt
    power joule               W while decoding, from the lower to the higher estimate; tokens/J in the same way
A column `requests` is the option --slots. Its figures are those of all requests together:
    all generate              tokens/s in the steps in which all generate
    step engine memory        cycles of such a step, of the engine and of the memory in it
    whole                     tokens/s from the start to the last token
    last first                time to the first token of the request whose first token is the last one, ms
For `rill depths`: safe timed least uniform, in bits; ratio, timed / least.
For `rill memory`: bits, the on-chip bits of the design; groups, the number of groups; ratio REGION, the bits of the
region's streams and of those of all regions, divided by the bits of the region's tensors in double buffers; kernels
REGION, the same ratio with the buffers of kernels added to the streams. A column `positions` is the option of that
name.
A column `in:out`, or an IN:OUT after FIGURE, is the request. COLUMN `MHz` means all heads with `N MHz`, which is the
clock. With the part `rows`, COLUMN is the first cell of a row, and FIGURE a number of cycles of a step in the phase with
which a head begins (prompt, decode): cycles memory_cycles engine_busy beats operands room turn.
`bench/families.sh` prints a table. Its row for a row of the page has the same model in the first cell, and the same cell
in the column `weights` if the page has this column. Without a COLUMN, all columns that both tables have are compared. If
several comments fill a column, the last one with such a row counts. If none has it, the cell must be empty.
A comment with the part `deep`, or a COLUMN with that word, takes long: it is compared only with `--deep`, which
tests/e2e/docs.sh uses and which compares nothing else. `long` is the same for what takes minutes, with `--long`, which
`tests/e2e/docs.sh --all` uses.
"""
import atexit
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEYS = ("channels", "lanes", "unroll", "T", "A", "pump", "fifo", "weights", "head", "beat_bits", "prefetch_beats",
        "on_chip_kib", "tensor_rows")
KINDS = ("lut", "ff", "dsp", "bram36", "uram")
MARK = re.compile(r"<!-- (rill check|rill forecast|rill depths|rill memory|bench/families.sh)(.*) -->$")
CLOCK = re.compile(r"(\d+) MHz")
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
NAMED = re.compile(r"(\S+) \(`([^`]*)`\)")


@functools.lru_cache(None)
def folder():
    """Returns a temporary folder for the specs of this run."""
    (ROOT / "build/tests/docs").mkdir(parents=True, exist_ok=True)
    made = tempfile.mkdtemp(dir=ROOT / "build/tests/docs")
    atexit.register(shutil.rmtree, made)
    return made


def rill(*arguments):
    """Returns the standard output of a `rill` command. Raises ValueError with its message if it fails."""
    run = subprocess.run([ROOT / "build/rill", *arguments], capture_output=True, text=True, check=False)
    if run.returncode:
        raise ValueError(run.stderr.strip().split("\n")[0] or f"rill {arguments[0]} failed")
    return run.stdout


@functools.lru_cache(None)
def last_pass():
    return rill("gen", "--dump-after=help").split()[-1]


def written(text, name):
    """Writes a spec to a file and returns its path."""
    spec = pathlib.Path(folder()) / name
    spec.write_text(text)
    return spec


@functools.lru_cache(None)
def compiled(text, name):
    """Returns the path of the IR dump after the last pass, so that a spec is compiled once for all commands and
    requests."""
    made = tempfile.mkdtemp(dir=folder())
    rill("gen", written(text, name), "-o", made, f"--dump-after={last_pass()}")
    return pathlib.Path(made) / f"{last_pass()}.yaml"


@functools.lru_cache(None)
def printed(command, text, name, *arguments):
    """Returns the JSON that a command prints for a spec."""
    # fresh: the command compiles the spec again instead of reading the dump. `rill depths` chooses the depths of FIFOs
    # itself, another clock may change them, and for `rill memory`, run once per spec, a dump would save no time.
    fresh = command in ("rill depths", "rill memory") or "--clock" in arguments
    design = written(text, name) if fresh else compiled(text, name)
    return json.loads(rill(command.split(" ")[1], design, *arguments, "--json"))


@functools.lru_cache(None)
def printed_rows(command):
    """Returns the rows of the table that a command prints, as a list of {head: cell}. Raises ValueError if it fails."""
    run = subprocess.run(command.split(), cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode:
        raise ValueError(f"{command} failed")
    heads, _, *rows = [cells_of(line) for line in run.stdout.splitlines() if line.startswith("|")]
    return [dict(zip(heads, row)) for row in rows]


def planned_clock(text, name):
    """Returns the clock to plan with in MHz, as the first table of docs/clock.md has it for designs with a second clock
    or with `A: 1`."""
    design = compiled(text, name).read_text()
    return 110 if re.search(r"^  family: gemma3$|, halves: true,", design, flags=re.M) else 120


def with_key(text, key, value):
    """Returns the spec with a key changed in its place, so that equal texts are compiled once. The spec must have
    `design:` in block style, indented by two spaces, and the key in no other section with that indent."""
    line = "" if value is None else f"  {key}: {value}\n"
    text, count = re.subn(rf"^  {key}:.*\n", line, text, flags=re.M)
    return text if count else re.sub(r"^design:.*\n", rf"\g<0>{line}", text, count=1, flags=re.M)


def bold(text, yes):
    return f"**{text}**" if yes else text


def share(die, kind):
    """Returns the share of the whole die in percent, with the share of the second reserve in brackets if it differs."""
    first, most = ((round(100 * die[what][kind] / die["whole"][kind], 1), die[what][kind] > die["limit"][kind])
                   for what in ("taken", "taken_most"))
    if first[0] == most[0]:
        return bold(f"{first[0]:.1f}", first[1])
    if first[1]:
        return bold(f"{first[0]:.1f} ({most[0]:.1f})", True)
    return f"{first[0]:.1f} ({bold(f'{most[0]:.1f}', most[1])})"


def within(design, taken):
    """Returns whether every die and boundary is within its limits, yes or no, with the first reserve for memory ports
    (`taken`) or the second (`taken_most`)."""
    wires = design["sll"] and any(die["bits_to_next"] > die["bits_limit"] for die in design["dies"])
    return "no" if wires or any(die[taken][kind] > die["limit"][kind] for die in design["dies"] for kind in KINDS) else "yes"


def supported(design, part):
    """Returns the clock in MHz that the delay model supports, for a part of the record or for the whole design."""
    clock = design["clock"]
    if clock["state"] != "current":
        return "not modelled"
    return str(next(each["mhz"] for each in clock["parts"] if each["where"] == part) if part else clock["mhz"])


def figure(design, what, cells):
    """Returns a figure of `rill check` as the text of a cell. cells: the other cells of the row by head."""
    if what in KINDS:
        return f"{design['resources']['percent'][what]:.1f}"
    if what in ("within", "within most"):
        return within(design, "taken_most" if what == "within most" else "taken")
    if what == "clock":
        return str(design["clock_mhz"])
    if what.startswith("supports"):
        return supported(design, what[len("supports "):])
    dies = {die["name"]: die for die in design["dies"]}
    if what.startswith("wires"):
        die, last = dies[cells["die"]], cells["die"] == list(dies)[-1]
        bits = die["bits_to_next"]
        if last or what == "wires of the region":
            return "" if last else f"{100 * bits / design['sll_region']:.1f}"
        return bold(f"{100 * (bits + die['platform_wires']) / design['sll']:.1f}", bits > die["bits_limit"])
    name, kind = what.split(" ")
    return share(dies[cells["die"] if name == "die" else name], kind)


def number(value, cell):
    """Returns the value with as many decimals as the cell has."""
    decimals = re.search(r"\.(\d+)$", cell)
    return f"{value:.{len(decimals[1])}f}" if decimals else f"{value:,.0f}"


def forecast(request, what, cell):
    """Returns a figure of `rill forecast` for one request as the text of a cell."""
    tokens, first = request["tokens_per_second"], request["ttft_ms"]
    if what == "both":
        return f"{tokens:.0f} / {first:.1f}"
    if what == "power":
        return " to ".join(f"{watts:.0f}" for watts in request["power_w"])
    if what == "joule":
        return " to ".join(f"{tokens / watts:.0f}" for watts in reversed(request["power_w"]))
    return number({"tokens": tokens, "planned": tokens, "first": first, "latency": request["latency_ms"],
                   "cycles": request["cycles_prefill"], "sustained": 100 * request["decode"]["hbm_of_sustained"]}[what],
                  cell)


def of_load(load, what, cell):
    """Returns a figure of requests that run at the same time."""
    full = load["all_generate"]
    return number({"all generate": full["tokens_per_second"], "step": full["cycles"] / full["steps"],
                   "engine": full["engine_busy"] / full["steps"], "memory": full["memory_cycles"] / full["steps"],
                   "whole": load["all_tokens_per_second"], "last first": max(load["ttft_ms"])}[what], cell)


def of_depths(depths, what):
    """Returns a figure of `rill depths` as the text of a cell."""
    return f"{depths['timed_to_least']:.2f}" if what == "ratio" else f"{depths[what + '_bits']:,}"


def of_memory(memory, what, cell):
    """Returns a figure of `rill memory` as the text of a cell."""
    if what in ("bits", "groups"):
        return number(memory["bits"] if what == "bits" else len(memory["groups"]), cell)
    what, region = what.split(" ")
    counted = ("fifos", "pools", "spills") + (("kernels",) if what == "kernels" else ())
    bits = sum(memory["regions"][name][kind] for name in (region, "of all") for kind in counted)
    return number(bits / memory["regions"][region]["unfused"], cell)


def of_step(request, what, head, cell):
    """Returns the average of a number of cycles over the steps of a phase, as the text of a cell."""
    phase = request["prefill" if head.startswith("prompt") else "decode"]
    return number((phase if what in phase else phase["waits"])[what] / phase["steps"], cell)


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


LEVELS = ("deep", "long")  # figures that only the option of the same name compares


class Mark:
    """A comment before a table: the command, and the figure in the cells of each column."""

    def __init__(self, command, text, level):
        self.command = command
        self.spec, *parts = text.strip().split("; ")
        self.options = self.spec
        self.spec, _, self.request = self.spec.partition(" ")
        self.rows, self.named = "rows" in parts, "named" in parts
        self.keys = [(part.split(" ") + [None])[1:3] for part in parts if re.match(r"with(out)? ", part)]
        self.wanted = {}
        for part in parts:
            column, _, figures = part.rpartition(": ")
            word = next((word for word in LEVELS if word in parts or column.startswith(f"{word} ")), "")
            if column and word == level:
                self.wanted[column.removeprefix(f"{word} ")] = figures
        self.prints = command == "bench/families.sh"
        if self.prints and not any(": " in part for part in parts) and level == ("long" if "long" in parts else ""):
            self.wanted["*"] = ""

    def printed_row(self, cells):
        """Returns the row that the command prints for a row of the page, or None."""
        model = next(iter(cells.values()))
        for row in printed_rows(f"{self.command} {self.options}"):
            if row["model"] == model and cells.get("weights", row["weights"]) == row["weights"]:
                return row
        return None

    def column(self, head):
        """Returns the column of the command's table that has the cells below a head of the page, or None."""
        return self.wanted.get(head, head if "*" in self.wanted else None)

    def path(self, name):
        """Returns the path of the spec of a row."""
        path = ROOT / self.spec.replace("*", name)
        return path if path.exists() else ROOT / "configs" / self.file_name(name)

    def file_name(self, name):
        """Returns a name for the spec of a row that is unique in the table. spec.yaml of a case gets the name of its
        folder."""
        path = pathlib.Path(self.spec.replace("*", name))
        return f"{path.parent.name}.yaml" if path.name == "spec.yaml" else path.name

    def design(self, name, heads, row):
        """Returns the spec of a row with the keys of the comment and of the columns."""
        text = re.sub(r"#.*$", "", self.path(name).read_text(), flags=re.M)
        given = [(head, cell.split(" ")[0].strip("`")) for head, cell in zip(heads, row)
                 if cell and head in KEYS and head not in self.wanted]
        for key, value in [*given, *self.keys]:
            text = with_key(text, key, value)
        return text

    def cell(self, text, path, figures, cells, head):
        """Returns the expected text of the cell below a head."""
        cell = cells[head]
        if self.command == "rill check":
            record = (ROOT / self.spec.replace("*", path.removesuffix(".yaml"))).with_suffix(".timing.json")
            recorded = ["--timing", record] if figures.startswith("supports") and record.exists() else []
            return figure(printed(self.command, text, path, *recorded), figures, cells)
        if self.command == "rill depths":
            return of_depths(printed(self.command, text, path), figures)
        if self.command == "rill memory":
            positions = ["--positions", cells["positions"]] if cells.get("positions") else []
            return of_memory(printed(self.command, text, path, *positions), figures, cell)
        if "requests" in cells:
            return of_load(printed(self.command, text, path, self.request, "--slots", cells["requests"]), figures, cell)
        what, _, request = figures.partition(" ")
        clock = CLOCK.search(head)
        mhz = planned_clock(text, path) if what == "planned" else clock and clock[1]
        other = mhz and f"clock_mhz: {mhz}\n" not in text
        said = printed(self.command, text, path, request or cells.get("in:out", self.request),
                       *(["--clock", str(mhz)] if other else []))
        return of_step(said, what, head, cell) if self.rows else forecast(said, what, cell)


class Table:
    """One table of a page, with the comments before it."""

    def __init__(self, marks, heads):
        self.heads = [LINK.sub(r"\1", head.replace("`", "")) for head in heads]
        self.marks, self.name = marks, ""
        for mark in marks:
            for head in mark.wanted:
                if head not in self.heads and not mark.rows and head not in ("MHz", "*"):
                    raise ValueError(f"no column `{head}`")

    def wants(self, row):
        """Returns the expected cells of a row, each with the command that gives it."""
        cells = dict(zip(self.heads, row))
        self.name = re.split(r"[ ,]", row[0].strip("`"))[0] or self.name
        wanted = [(cell, "") for cell in row]
        for mark in self.marks:
            if mark.prints:
                self.want_printed(mark, cells, wanted)
                continue
            for at, head in enumerate(self.heads):
                column = row[0] if mark.rows and at else "MHz" if CLOCK.search(head) else head
                figures = mark.wanted.get(column)
                named = NAMED.fullmatch(row[at])
                if figures and (named or not mark.named):
                    name = named[2] if mark.named else self.name
                    said = {**cells, head: named[1]} if mark.named else cells
                    text = mark.design(name, self.heads, row)
                    want = mark.cell(text, mark.file_name(name), figures, said, head)
                    wanted[at] = (f"{want} (`{name}`)" if mark.named else want, mark.command)
        return wanted

    def want_printed(self, mark, cells, wanted):
        """Puts the cells of the row that the mark's command prints into the expected cells."""
        printed_row = mark.printed_row(cells)
        if not printed_row and "*" in mark.wanted:
            raise ValueError(f"{mark.command} prints no such row")
        for at, head in enumerate(self.heads):
            column = mark.column(head)
            if printed_row and column and (column in printed_row or "*" not in mark.wanted):
                wanted[at] = (printed_row[column], mark.command)
            elif not printed_row and column and not wanted[at][1]:
                wanted[at] = ("", mark.command)


def compare(path, lines, update, level):
    """Yields the cells that differ. With `update`, corrects them in the lines instead."""
    table, marks = None, []
    for at, line in enumerate(lines):
        mark = MARK.match(line)
        if mark:
            marks.append(Mark(mark[1], mark[2], level))
        elif marks:
            marks = [mark for mark in marks if mark.wanted]
            try:
                table = Table(marks, cells_of(line)) if marks else None
            except ValueError as error:
                yield f"{path}:{at}: {error}"
            marks = []
        elif table and not line.startswith("|"):
            table = None
        elif table and not re.match(r"\|[-:| ]+$", line):
            row = cells_of(line)
            try:
                wanted = table.wants(row)
            except (KeyError, OSError, ValueError) as error:
                yield f"{path}:{at + 1}: {error}"
                continue
            if update:  # an empty cell has one space
                lines[at] = "| " + " | ".join(want for want, _ in wanted) + " |"
                lines[at] = re.sub(r"\|  (?=\|)", "| ", lines[at])
            for head, cell, (want, command) in zip(table.heads, row, wanted):
                if cell != want and not update:
                    yield f"{path}:{at + 1}: {head}: {cell}, {command}: {want}"


def main():
    update, options = os.environ.get("RILL_UPDATE") == "1", [word for word in LEVELS if f"--{word}" in sys.argv]
    level = options[0] if options else ""
    for path in sys.argv[1:]:
        if path == f"--{level}":
            continue
        page = pathlib.Path(path)
        lines = page.read_text(encoding="utf-8").split("\n")
        before = list(lines)
        for fault in compare(path, lines, update, level):
            print(fault)
        if lines != before:
            page.write_text("\n".join(lines), encoding="utf-8")


main()
