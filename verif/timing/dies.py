# SPDX-License-Identifier: Apache-2.0
"""The die of each instance, from the pblocks.tcl of a design."""
import re

PLACE = re.compile(r"rill_place pblock_SLR(\d+) \{([^}]*)\}")
UNNAMED = re.compile(r"\bgenblk\d+\.")  # what Yosys calls an `else if` of a generate block, which is no block


class Dies:
    def __init__(self, path: str, inside: str = ""):
        """inside: the instance whose cells are asked for, `u_engine.`; of rill_top nothing."""
        with open(path, encoding="utf-8") as f:
            found = [(name, int(die)) for die, name in PLACE.findall(f.read())]
        found.sort(key=lambda item: -item[0].count("/"))  # those deep inside others first
        self.all = {die for _, die in found}
        self.inside = inside
        self.patterns = [(re.compile(re.escape(name.replace("/", ".")).replace(r"\*", ".*") + r"(\.|\[|$)"), die)
                         for name, die in found]

    def of(self, name: str) -> int | None:
        """None: no line places it."""
        whole = UNNAMED.sub("", self.inside + name)
        return next((die for pattern, die in self.patterns if pattern.match(whole)), None)
