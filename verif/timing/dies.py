# SPDX-License-Identifier: Apache-2.0
"""Reads the die of each instance from the pblocks.tcl of a design."""
import os
import pathlib
import re

PLACE = re.compile(r"rill_place pblock_SLR(\d+) \{([^}]*)\}")
# Matches the name that Yosys gives to the unnamed block of an `else if` in a generate block.
UNNAMED = re.compile(r"\bgenblk\d+\.")


class Dies:
    """The die of each instance of a design, by its place in the hierarchy."""

    def __init__(self, path: str, inside: str = ""):
        """Reads the file. `inside` is the prefix of the instance whose cells are asked for, such as
        `u_shared.u_engine.`, and empty for rill_top."""
        self.known = os.path.exists(path)  # otherwise the design is not divided between dies
        text = pathlib.Path(path).read_text(encoding="utf-8") if self.known else ""
        found = [(name, int(die)) for die, name in PLACE.findall(text)]
        found.sort(key=lambda item: -item[0].count("/"))  # the deepest instances first
        self.all = {die for _, die in found} or {0}
        self.inside = inside
        self.patterns = [(re.compile(re.escape(name.replace("/", ".")).replace(r"\*", ".*") + r"(\.|\[|$)"), die)
                         for name, die in found]

    def of(self, name: str) -> int | None:
        """Returns the die of a cell, or None if no line places it."""
        whole = UNNAMED.sub("", self.inside + name)
        return next((die for pattern, die in self.patterns if pattern.match(whole)), None)
