#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of the pages whose cells are what `rill check` prints.

usage: tables.py PAGE...                  prints the cells that differ, as PAGE:LINE: what; the status is 0 all the same
       RILL_UPDATE=1 tables.py PAGE...    writes them
Before such a table stands a comment, its parts divided by `; `:
    <!-- rill check SPEC; without KEY; COLUMN: FIGURE; COLUMN: FIGURE -->
SPEC is a file, or has `*` where the first word of the row's first cell goes (of the row above, where that is empty).
`without` takes a key out of its design; a column whose head is a key of the design sets it, by the first word of the
cell. COLUMN is a head, FIGURE what its cells hold:
    lut ff dsp bram36 uram    share of the board without shell and ports (`share of it`)
    die lut (...)             of the whole die, shell and ports in; in brackets by the second reserve; bold: over a limit
    DIE lut (...)             the same of the die of that name; without a name the cell `die` says which
    wires                     of the wires to the next die, likewise bold
    within                    whether every die and boundary is within its limits
"""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEYS = ("channels", "lanes", "unroll", "T", "A", "fifo", "weights", "beat_bits", "prefetch_beats")
KINDS = ("lut", "ff", "dsp", "bram36", "uram")
MARK = re.compile(r"<!-- rill check (.*) -->$")


@functools.lru_cache(None)
def checked(text, name):
    spec = ROOT / "build/tests/docs" / name
    spec.parent.mkdir(parents=True, exist_ok=True)
    spec.write_text(text)
    run = subprocess.run([ROOT / "build/rill", "check", spec, "--json"], capture_output=True, text=True, check=False)
    if run.returncode:
        raise ValueError(run.stderr.strip().split("\n")[0] or "rill check failed")
    return json.loads(run.stdout)


def with_key(text, key, value):
    text = re.sub(rf"^  {key}:.*\n", "", text, flags=re.M)
    return text if value is None else re.sub(r"^design:.*\n", rf"\g<0>  {key}: {value}\n", text, count=1, flags=re.M)


def bold(text, yes):
    return f"**{text}**" if yes else text


def share(die, kind):
    """Of the whole die, and by the second reserve in brackets where that is another."""
    first, most = ((round(100 * die[what][kind] / die["whole"][kind], 1), die[what][kind] > die["limit"][kind])
                   for what in ("taken", "taken_most"))
    if first[0] == most[0]:
        return bold(f"{first[0]:.1f}", first[1])
    if first[1]:
        return bold(f"{first[0]:.1f} ({most[0]:.1f})", True)
    return f"{first[0]:.1f} ({bold(f'{most[0]:.1f}', most[1])})"


def within(design):
    wires = any(die.get("bits_to_next", 0) > design["sll_limit"] > 0 for die in design["dies"])
    over = [wires or any(die[what][kind] > die["limit"][kind] for die in design["dies"] for kind in KINDS)
            for what in ("taken", "taken_most")]
    return "no" if over[0] else "yes; not by the second reserve" if over[1] else "yes"


def figure(design, what, cells):
    if what in KINDS:
        return f"{design['resources']['percent'][what]:.1f}"
    if what == "within":
        return within(design)
    dies = {die["name"]: die for die in design["dies"]}
    if what == "wires":
        name = cells["die"]
        bits = dies[name].get("bits_to_next", 0)
        return bold(f"{100 * bits / design['sll']:.1f}", bits > design["sll_limit"]) if name != list(dies)[-1] else ""
    name, kind = what.split(" ")
    return share(dies[cells["die"] if name == "die" else name], kind)


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Table:
    """One table of a page, by the comment before it."""

    def __init__(self, mark, heads):
        self.spec, *parts = mark.split("; ")
        self.heads = [head.replace("`", "") for head in heads]
        self.without = [part.split(" ")[1] for part in parts if part.startswith("without ")]
        self.wanted = dict(part.rsplit(": ", 1) for part in parts if not part.startswith("without "))
        self.name = ""
        for head in self.wanted:
            if head not in self.heads:
                raise ValueError(f"no column `{head}`")

    def wants(self, row):
        """The cells of a row as they should be."""
        cells = dict(zip(self.heads, row))
        self.name = re.split(r"[ ,]", row[0])[0] or self.name
        path = ROOT / self.spec.replace("*", self.name)
        text = re.sub(r"#.*$", "", path.read_text(), flags=re.M)
        for key in self.without:
            text = with_key(text, key, None)
        for key in self.heads:
            if key in KEYS and key not in self.wanted:
                text = with_key(text, key, cells[key].split(" ")[0])
        design = checked(text, path.name)
        return [figure(design, self.wanted[head], cells) if head in self.wanted else cell
                for head, cell in zip(self.heads, row)]


def compare(path, lines, update):
    """Yields what differs; with `update` it is written into the lines."""
    table = None
    for at, line in enumerate(lines):
        mark = MARK.match(line)
        if mark and at + 2 < len(lines):
            try:
                table = Table(mark[1], cells_of(lines[at + 1]))
            except ValueError as error:
                yield f"{path}:{at + 1}: {error}"
        elif table and not line.startswith("|"):
            table = None
        elif table and not lines[at - 1].startswith("<!--") and not re.match(r"\|[-:| ]+$", line):
            row = cells_of(line)
            try:
                wanted = table.wants(row)
            except (KeyError, OSError, ValueError) as error:
                yield f"{path}:{at + 1}: {error}"
                continue
            if update:
                lines[at] = "| " + " | ".join(wanted) + " |"
                lines[at] = re.sub(r"\|  (?=\|)", "| ", lines[at])
            for head, cell, want in zip(table.heads, row, wanted):
                if cell != want and not update:
                    yield f"{path}:{at + 1}: {head}: {cell}, rill check: {want}"


def main():
    update = os.environ.get("RILL_UPDATE") == "1"
    for path in sys.argv[1:]:
        page = pathlib.Path(path)
        lines = page.read_text(encoding="utf-8").split("\n")
        before = list(lines)
        for fault in compare(path, lines, update):
            print(fault)
        if lines != before:
            page.write_text("\n".join(lines), encoding="utf-8")


main()
