#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the clock that the delay model supports for a whole design (class: estimated), from the longest path in each
module and the paths between modules, which leave one module and end in another.

usage: verif/timing/design.py DESIGN TOP_JSON ROWS [--borders FILE [--alone] | --ends] [--record FILE] [--worst N]
DESIGN: the folder that `rill gen` wrote; TOP_JSON: its rill_top with empty modules (verif/timing/run.sh makes it);
ROWS: the file of the lines that were walked, `MODULE NAME=VALUE...`. --borders: writes a line for each port with bits
from another die that do not come over one boundary directly from a register to a register. This is forbidden, except
for resets and the matrix engine, which are left out. --alone: does nothing else. --ends: prints only the modules at
whose ports a signal crosses between dies. --record: writes the clock and its paths as JSON. --worst: how many paths of
each die, and how many ports, are printed (default 3).
"""
import argparse
import json
import os
import pathlib
import re
import sys
from dataclasses import dataclass

from dies import Dies
from graph import Loop
from model import Netlist, Table, plain, read_delays
from walk import TABLES, Path, Walk, netlist_name, read_table, top_of

# Nets of resets may cross between dies with logic on their way, because a module on several dies has its reset on each.
EXCEPTED = re.compile(r"(^|\.)core_(rst|flush)|\.u_(to|from)_\w+\.rst")


@dataclass
class Said:
    """The length of a path, its description, its die (-1: between dies), and whether it begins at a reset."""
    ns: float
    text: str
    die: int
    reset: bool


class Rows:
    """The tables that walk.py wrote, by module."""

    def __init__(self, path: str):
        self.folder = os.path.dirname(path)
        self.of: dict[str, list[tuple[str, dict[str, str]]]] = {}
        with open(path, encoding="utf-8") as f:
            for line in f:
                words = line.split()
                if words and words[0] != "design":
                    pairs = dict(w.split("=", 1) for w in words[1:] if not w.startswith("box="))
                    self.of.setdefault(words[0], []).append((line.strip(), pairs))

    def line_of(self, module: str, parameters: dict[str, str]) -> str | None:
        """Returns the line for an instance of a module. If no line has its parameters, returns the walked line with the
        most equal ones, or None if no line of the module was walked."""
        best, score = None, -1
        for line, pairs in self.of.get(module, []):
            alike = sum(1 for name, value in pairs.items() if number(value) == number(parameters.get(name, "")))
            if alike > score and os.path.exists(self.path(line)):
                best, score = line, alike
        return best

    def path(self, line: str) -> str:
        """Returns the path of the file with the table of a line."""
        return os.path.join(self.folder, netlist_name(line) + TABLES)


def number(text: str) -> int | str:
    """Returns the value of a constant in Verilog or in the JSON of Yosys. For a string, returns it without quotes."""
    if set(text) <= {"0", "1"} and len(text) >= 32:
        return int(text, 2)
    based = re.fullmatch(r"\d+'([hd])([0-9a-fA-F]+)", text)
    if based:
        return int(based[2], 16 if based[1] == "h" else 10)
    return int(text) if text.isdigit() else text.strip('" ')


def own_paths(instance: str, path: str, die: int) -> list[Said]:
    """Returns the longest paths inside a module, and inside those of its parts that were walked separately. Paths from
    an input other than rst, paths to an output, and the table's `resets` are left out."""
    with open(path, encoding="utf-8") as f:
        said = json.load(f)
    parts = {os.path.join(os.path.dirname(path), netlist_name(line) + TABLES): line.split()[0]
             for line in said.get("parts", [])}
    inside = [one for part, module in parts.items() if os.path.exists(part)
              for one in own_paths(f"{instance}, {module}", part, die)]
    return inside + [Said(ns, f"{instance}: {start} to {end}, {levels} levels", die, key == "resets")
            for key in ("paths", "resets") for ns, levels, start, end in said[key]
            if "(input)" not in start.replace("rst (input)", "") and "(output)" not in end and key == "paths"]


def between_paths(walk: Walk, count: int) -> list[Said]:
    """Returns the `count` longest paths of rill_top that begin at a reset, and as many others. Each crosses the
    boundary of at least one module."""
    found = []
    for of_reset in (False, True):
        for path in walk.worst(count, of_reset):
            nodes = [walk.net.name_of(node) for node in path.nodes]
            found.append(Said(path.ns, f"between modules: {path.start} to {path.end}, over {', '.join(nodes[-3:])}",
                              die_of_path(walk, path), of_reset))
    return found


def die_of_path(walk: Walk, path: Path) -> int:
    """Returns the die of all cells of a path, or -1 if they are on several dies or on none."""
    cells = [walk.net.driver[node][0] for node in path.nodes if node in walk.net.driver]
    dies = {walk.net.die(cell) for cell in cells + [path.cell] if cell} - {None}
    return dies.pop() if len(dies) == 1 else -1


def read_top(given: argparse.Namespace, rows: Rows, dies: Dies) -> tuple[Netlist, dict[str, str]]:
    """Returns the netlist of rill_top, and the walked line for each instance in it."""
    with open(given.top, encoding="utf-8") as f:
        top = top_of(json.load(f)["modules"])
    lines: dict[str, str] = {}
    missing = set()
    for name, cell in top["cells"].items():
        if cell["type"].startswith("$"):
            continue
        line = rows.line_of(cell["type"], cell["parameters"])
        if line is None:
            missing.add(cell["type"])
        else:
            lines[name] = line
    if missing and not given.ends and not given.alone:
        print(f"not walked, a register at each port: {', '.join(sorted(missing))}")
    boxes: dict[str, Table] = {name: read_table(rows.path(line)) for name, line in lines.items()}
    net = Netlist.__new__(Netlist)
    try:
        net.__init__(top, read_delays(), boxes, dies.of, dies.all)
    except Loop as loop:
        sys.exit(f"error: a combinational loop between modules: {net.loop_names(loop.loops)}")
    return net, lines


@dataclass
class Crossing:
    """A bit that crosses from one die to another."""
    bit: int
    source: str  # the cell that drives it
    name: str    # the cell that takes it
    port: str    # the port of this cell
    bare: bool  # crosses one boundary, directly from a register to a register


def crossings(net: Netlist) -> list[Crossing]:
    """Returns the crossing bits, each once for every pin that takes it on another die."""
    found = []
    for name in net.cells:
        for port, is_out, bit in net.pins(name):
            source, out = net.driver.get(bit, (None, ""))
            if is_out or source is None:
                continue
            borders = net.borders(source, out, name, port)
            if borders:
                bare = borders == 1 and net.bare(bit, source, name, port)
                found.append(Crossing(bit, source, name, port, bare))
    return found


def by_port(found: list[Crossing]) -> dict[str, tuple[int, int]]:
    """Counts the crossing bits of each port that takes them: all bits, and those that are not bare."""
    ports: dict[str, tuple[int, int]] = {}
    for one in found:
        key = f"{plain(one.name)}.{one.port}"
        bits, loose = ports.get(key, (0, 0))
        ports[key] = bits + 1, loose + (not one.bare)
    return ports


def excepted(net: Netlist, one: Crossing) -> bool:
    """Returns whether other rules hold for a crossing: resets, and the matrix engine, whose ports are on several
    dies."""
    engine = any("rill_engine" in net.cells[name]["type"] for name in (one.source, one.name))
    return engine or EXCEPTED.search(net.name_of(one.bit)) is not None


def loose_borders(net: Netlist, found: list[Crossing]) -> list[str]:
    """Returns the lines of --borders."""
    kept = by_port([one for one in found if not excepted(net, one)])
    return [f"{loose} bits of {name}" for name, (_, loose) in sorted(kept.items()) if loose]


def print_ends(net: Netlist, found: list[Crossing]) -> None:
    ends = {net.cells[name]["type"] for one in found if not excepted(net, one) for name in (one.source, one.name)}
    print("\n".join(sorted(kind for kind in ends if kind.startswith("rill_"))))


def print_crossings(found: dict[str, tuple[int, int]], count: int) -> None:
    bits, loose = (sum(n[k] for n in found.values()) for k in (0, 1))
    print(f"crossings: {bits} bits, {loose} without a bare register on both sides")
    for name, (_, without) in sorted(found.items(), key=lambda item: (-item[1][1], item[0]))[:count]:
        if without:
            print(f"  {without} bits  {name}")


@dataclass
class Part:
    """A group of paths, the longest first: those on one die, between dies or from resets, or all of them."""
    where: str
    said: list[Said]

    def __post_init__(self) -> None:
        self.said.sort(key=lambda s: (-s.ns, s.text))

    def print(self, count: int) -> None:
        print(f"{self.where}: {self.said[0].ns:.2f} ns, {int(1000 / self.said[0].ns)} MHz")
        for one in self.said[:count]:
            print(f"  {one.ns:.2f} ns  {one.text}")

    def record(self, count: int) -> dict[str, object]:
        return {"where": self.where, "paths": [{"ns": round(s.ns, 2), "path": s.text} for s in self.said[:count]]}


def parts_of(said: list[Said], has_dies: bool) -> list[Part]:
    """Groups paths by die. A design that is not divided between dies has one group, `design`, for its only die."""
    data = [s for s in said if not s.reset]
    found = [Part(f"SLR{die}" if has_dies else "design", [s for s in data if s.die == die])
             for die in sorted({s.die for s in data if s.die >= 0})]
    found.append(Part("between dies", [s for s in data if s.die < 0]))
    found.append(Part("resets", [s for s in said if s.reset]))
    return [part for part in found if part.said]


def write_record(path: str, design: str, parts: list[Part], found: dict[str, tuple[int, int]], count: int) -> None:
    """Writes the record that `rill check` and the report read (gen/emit/clock.c)."""
    report = json.loads(pathlib.Path(design, "report.json").read_text(encoding="utf-8"))
    bits, loose = (sum(n[k] for n in found.values()) for k in (0, 1))
    record = {"name": report["name"], "rtl": report["rtl"], "class": "estimated",
              "parts": [part.record(count) for part in parts], "crossings": {"bits": bits, "without_registers": loose}}
    pathlib.Path(path).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("design")
    parser.add_argument("top")
    parser.add_argument("rows")
    parser.add_argument("--worst", type=int, default=3)
    parser.add_argument("--borders")
    parser.add_argument("--record")
    parser.add_argument("--ends", action="store_true")
    parser.add_argument("--alone", action="store_true", help="with --borders: no paths")
    given = parser.parse_args()
    rows = Rows(given.rows)
    dies = Dies(os.path.join(given.design, "pblocks.tcl"))
    net, lines = read_top(given, rows, dies)
    crossing = crossings(net)
    if given.borders:
        with open(given.borders, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in loose_borders(net, crossing))
    if given.ends:
        print_ends(net, crossing)
    if given.ends or given.alone:
        return 0
    said = between_paths(Walk(net), 40)
    seen = set()
    for name, line in lines.items():
        key = (line, net.die(name))
        if key not in seen:
            seen.add(key)
            said += own_paths(plain(name), rows.path(line), key[1])
    print("the clock that the delay model supports (estimated, docs/clock.md)")
    parts = parts_of(said, dies.known)
    for part in parts:
        part.print(given.worst)
    print_crossings(by_port(crossing), given.worst)
    Part("all but resets", [s for s in said if not s.reset]).print(given.worst)
    if given.record:
        write_record(given.record, given.design, parts, by_port(crossing), given.worst)
    return 0


if __name__ == "__main__":
    sys.exit(main())
