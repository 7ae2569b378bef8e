#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a utilization report in which every instance of a list has one LUT, and checks what `rill report --vendor` reads
from it: every LUT is counted once, and on the die where placement.tcl puts its instance.

usage: hierarchy.py make CELLS > REPORT                 writes the report
       hierarchy.py check CELLS REPORT.json PLACEMENT   checks the output of `rill report --vendor --json`
CELLS has the path of an instance in each line. Only u_top and the instances below it count.
"""
import json
import re
import sys


def paths(file):
    """Returns the paths of the instances below u_top as tuples of names; the path of u_top is ()."""
    with open(file, encoding="utf-8") as cells:
        found = [line.strip().split("inst/u_top", 1)[1] for line in cells if "inst/u_top" in line]
    return [tuple(path.strip("/").split("/")) if path else () for path in found]


def make(cells):
    """Prints the report. An instance counts its own LUT and those of the instances below it."""
    counts = {}
    for path in cells:
        for depth in range(len(path) + 1):
            counts[path[:depth]] = counts.get(path[:depth], 0) + 1
    print("| Tool Version : Vivado v.2022.2 (lin64)\n| Design State : Synthesized\n\n1. Utilization by Hierarchy\n")
    print("| Instance | Module | Total LUTs | FFs | RAMB36 | RAMB18 | URAM | DSP48 Blocks |")
    for path in sorted(counts):
        name, module = (path[-1], "some") if path else ("rill_top", "rill_top")
        print(f"| {'  ' * len(path)}{name} | {module} | {counts[path]}(0.1%) | 0 | 0 | 0 | 0 | 0 |")


def places(pblocks):
    """Returns [(pattern of instances, die)] of placement.tcl: kernels, links and their parts, DMA engines, engine
    lanes. The report counts any other part on the die of the whole. Stages of trees (copies of resets, registers of
    faults) are left out, because the report counts them as other instances."""
    with open(pblocks, encoding="utf-8") as file:
        found = re.findall(r"^rill_place pblock_(\S+) \{(.+)\}$", file.read(), re.M)
    part = re.compile(r"u_\w+/u_\w+/(gen_lane\[\d+\]\.u_lane|gen_far\..*)")
    return [(re.compile(re.escape(path).replace(r"\*", ".*")), die) for die, path in found
            if path.count("/") == 1 and "gen_stage" not in path or part.fullmatch(path)]


def die_of(path, placed):
    """Returns the die of an instance, or None. A line for a path of three names takes precedence over one of two."""
    for depth in (3, 2):
        for pattern, die in placed:
            if len(path) >= depth and pattern.fullmatch("/".join(path[:depth])):
                return die
    return None


def check(cells, report, pblocks):
    """Checks the sums of the report: every LUT is counted, and each die has those of the instances that placement.tcl
    puts there. The LUT of u_top itself is on no die (+ 1). The design has three dies, and links send from at least
    two."""
    with open(report, encoding="utf-8") as file:
        got = json.load(file)
    sums = {row["name"]: row["reported"]["lut"] for row in got["sums"] if row["reported"]}
    dies = {row["name"]: row["reported"]["lut"] for row in got["dies"]}
    if sums["all"] != len(cells) or sum(dies.values()) + sums.get("other instances", 0) + 1 != len(cells):
        sys.exit(f"error: {sums} and {dies} of {len(cells)} instances")
    placed, wanted = places(pblocks), dict.fromkeys(dies, 0)
    for path in cells:
        die = die_of(path, placed) if path else None
        if die:
            wanted[die] += 1
    senders = {die_of(path, placed) for path in cells if path and path[-1] == "gen_far.u_send"}
    if dies != wanted or len(dies) != 3 or len(senders) < 2 or not all(dies.values()):
        sys.exit(f"error: {dies}, placement.tcl puts {wanted}; senders on {sorted(senders)}")
    print("ok")


if sys.argv[1] == "make":
    make(paths(sys.argv[2]))
else:
    check(paths(sys.argv[2]), *sys.argv[3:])
