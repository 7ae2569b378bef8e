#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes a hash of the logic of an elaborated design. The names of nets and instances, comments, places in files and
the order of cells do not change the hash.

usage: logic.py FILE   FILE: the output of Yosys' write_json
The hash of a cell begins with its kind and parameters. Each round adds the hashes of the cells that drive its inputs.
The kind of a submodule is the hash of its logic. The kind of an empty submodule (a black box) is its name.
"""
import hashlib
import json
import sys

ROUNDS = 12  # cells whose inputs are equal up to this distance count as equal


def digest(*what):
    return hashlib.blake2b(repr(what).encode(), digest_size=16).hexdigest()


def is_output(cell, name):
    """Returns whether a port is an output. For primitives without port directions (the DSP), the port name decides."""
    ways = cell.get("port_directions")
    return ways[name] == "output" if ways else name == "P" or name.endswith("OUT")


class Design:
    def __init__(self, modules):
        self.modules, self.known = modules, {}

    def kind(self, cell):
        return self.module(cell["type"]) if cell["type"] in self.modules else cell["type"]

    def module(self, name):
        """Returns the hash of the logic of a module, or the name of an empty module."""
        if name not in self.known:
            module = self.modules[name]
            empty = module.get("attributes", {}).get("blackbox")
            # Yosys names a black box with parameters $paramod$HASH\NAME. The prefix is left out.
            self.known[name] = name.split("\\")[-1] if empty else self.logic(module)
        return self.known[name]

    def logic(self, module):
        ports = [(name, port["direction"], port["bits"]) for name, port in module["ports"].items()]
        cells = list(module["cells"].values())
        inputs = {bit: (name, i) for name, way, bits in ports if way != "output" for i, bit in enumerate(bits)}
        driver = {bit: (at, name, i) for at, cell in enumerate(cells) for name, bits in cell["connections"].items()
                  if is_output(cell, name) for i, bit in enumerate(bits)}
        alone = [digest(self.kind(cell), sorted(cell.get("parameters", {}).items())) for cell in cells]
        ends = [sorted((name, bits) for name, bits in cell["connections"].items() if not is_output(cell, name))
                for cell in cells]
        seen = alone

        def source(bit):
            """Returns what drives a bit: a constant, an input of the module, or the hash and a port of a cell."""
            if isinstance(bit, str) or bit in inputs:
                return inputs.get(bit, bit)
            at, name, i = driver.get(bit, (None, "none", 0))
            return (seen[at] if at is not None else "", name, i)

        for _ in range(ROUNDS):
            seen = [digest(one, [(name, [source(bit) for bit in bits]) for name, bits in end]) for one, end in zip(alone, ends)]
        given = sorted((name, [source(bit) for bit in bits]) for name, way, bits in ports if way == "output")
        return digest(sorted(seen), given)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        modules = json.load(file)["modules"]
    top = next(name for name, module in modules.items() if module.get("attributes", {}).get("top"))
    print(Design(modules).module(top))


main()
