#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A utilization report in which every instance of a list has a LUT of its own, and the check of what `rill report --vendor`
makes of it: every LUT is on a die or among the other instances.

usage: hierarchy.py make CELLS > REPORT      CELLS: paths of instances, those below u_top count
       hierarchy.py check CELLS REPORT.json DESIGN.yaml
"""
import json
import re
import sys


def paths(file):
    with open(file, encoding="utf-8") as cells:
        found = [line.strip().split("inst/u_top", 1)[1] for line in cells if "inst/u_top" in line]
    return [tuple(path.strip("/").split("/")) if path else () for path in found]


def make(cells):
    counts = {}
    for path in cells:
        for depth in range(len(path) + 1):
            counts[path[:depth]] = counts.get(path[:depth], 0) + 1
    print("| Tool Version : Vivado v.2022.2 (lin64)\n| Design State : Synthesized\n\n1. Utilization by Hierarchy\n")
    print("| Instance | Module | Total LUTs | FFs | RAMB36 | RAMB18 | URAM | DSP48 Blocks |")
    for path in sorted(counts):
        name, module = (path[-1], "some") if path else ("rill_top", "rill_top")
        print(f"| {'  ' * len(path)}{name} | {module} | {counts[path]}(0.1%) | 0 | 0 | 0 | 0 | 0 |")


def check(cells, report, design):
    with open(report, encoding="utf-8") as file:
        got = json.load(file)
    sums = {row["name"]: row["reported"]["lut"] for row in got["sums"] if row["reported"]}
    dies = {row["name"]: row["reported"]["lut"] for row in got["dies"]}
    if sums["all"] != len(cells) or sum(dies.values()) + sums.get("other instances", 0) + 1 != len(cells):
        sys.exit(f"error: {sums} and {dies} of {len(cells)} instances")
    with open(design, encoding="utf-8") as file:
        names = re.findall(r"^  - \{name: (SLR\d)", file.read(), re.M)
    placed = {}
    for path in cells:
        lane = path[1:2] and path[0] == "u_engine" and re.fullmatch(r"gen_lane\[(\d+)\]\.u_lane", path[1])
        if lane:
            placed[int(lane[1])] = placed.get(int(lane[1]), 0) + 1
    if len(dies) != 3 or len(placed) < 2 or min(dies.values()) < min(placed.values()):
        sys.exit(f"error: lanes {placed} are not spread over {dies} {names}")
    print("ok")


if sys.argv[1] == "make":
    make(paths(sys.argv[2]))
else:
    check(paths(sys.argv[2]), *sys.argv[3:])
