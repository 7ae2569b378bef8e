#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the first path from an input to an output of a netlist without registers, or, if there is none, the numbers of
inputs and outputs.

usage: ports.py NETLIST    Yosys' JSON of a flat design; ports.sh makes it. The exit status is 1 if there is a path.
"""
import json
import sys


def top_of(modules):
    tops = [m for m in modules.values() if m.get("attributes", {}).get("top", "0").strip("0")]
    if len(tops) != 1:
        sys.exit("error: no top module")
    return tops[0]


def readers_of(cells):
    """Returns {bit: [(cell that reads it, the cell's output bits)]}. Every output of a cell is assumed to depend on
    each of its inputs."""
    readers = {}
    for name, cell in cells.items():
        ways = cell["port_directions"]
        outputs = [b for p, bits in cell["connections"].items() if ways[p] == "output" for b in bits if not isinstance(b, str)]
        for port, bits in cell["connections"].items():
            if ways[port] == "input":
                for bit in bits:
                    readers.setdefault(bit, []).append((name, outputs))
    return readers


def path_from(start, readers, ends):
    """Returns the bits of a path from `start` to one of the bits `ends`, or None."""
    before, waiting = {start: None}, [start]
    while waiting:
        bit = waiting.pop()
        if bit in ends:
            path = []
            while bit is not None:
                path.append(bit)
                bit = before[bit]
            return path[::-1]
        for _, outputs in readers.get(bit, []):
            for out in outputs:
                if out not in before:
                    before[out] = bit
                    waiting.append(out)
    return None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        top = top_of(json.load(file)["modules"])
    ports = {way: {b: name for name, p in top["ports"].items() if p["direction"] == way for b in p["bits"]}
             for way in ("input", "output")}
    readers = readers_of(top["cells"])
    names = {b: name for name, net in top["netnames"].items() for b in net["bits"]}
    for bit, name in ports["input"].items():
        path = path_from(bit, readers, ports["output"])
        if path:
            end = ports["output"][path[-1]]
            sys.exit(f"error: {end} depends on {name} in the same cycle: " + ", ".join(names.get(b, "?") for b in path))
    if min(len(ports["input"]), len(ports["output"])) < 100:
        sys.exit("error: hardly any ports")
    print(f"no path: {len(ports['input'])} bits of inputs, {len(ports['output'])} of outputs, {len(top['cells'])} cells")


main()
