# SPDX-License-Identifier: Apache-2.0
"""Finds the instance in whose always block a register of a flat netlist was described.

A flat netlist may name a register after a port that it drives, in another instance. But its attribute `src` still has
the places of the instantiations above it. The same places are known for every instance from the nets inside it
(`hdlname`).
"""
from collections.abc import Iterator

Places = frozenset[str]


def places_of(src: str) -> Places:
    """Returns the places of a `src` attribute that are in the source. Places in cell libraries have absolute paths."""
    return frozenset(place for place in src.split("|") if place and not place.startswith("/"))


class Instances:
    """The instances of a flat netlist by the places of their instantiations."""

    def __init__(self, module: dict):
        above: dict[tuple[str, ...], Places] = {}
        for path, places in nets_of(module):
            for depth in range(1, len(path) + 1):
                known = above.get(path[:depth])
                above[path[:depth]] = places if known is None else known & places
        self.at: dict[Places, list[str]] = {}
        for path, places in above.items():
            if len(places) == len(path):  # otherwise the name was lost when equal nets were merged
                self.at.setdefault(places, []).append(".".join(path))
        self.known = {place for places in self.at for place in places}
        self.names: dict[int, list[str]] = {}  # for each bit, its names inside instances
        self.declared: dict[str, tuple[int, Places]] = {}  # for each such name, its depth and places
        for name, net in module["netnames"].items():
            attributes, text = net.get("attributes", {}), name.replace("$flatten", "").replace("\\", "")
            if "hdlname" in attributes:
                self.declared[text] = len(attributes["hdlname"].split()) - 1, places_of(attributes.get("src", ""))
            for bit in net["bits"] if "hdlname" in attributes else ():
                self.names.setdefault(bit, []).append(text)

    def of(self, src: str) -> list[str]:
        """Returns the instances that a cell with this `src` may be in, several for a generate loop. "" is the module
        itself. The list is empty if the place of the cell is not known."""
        places = places_of(src)
        own = places - self.known
        return self.at.get(places & self.known, [""] if places == own else []) if len(own) == 1 else []

    def beside(self, bit: int, src: str) -> list[str]:
        """Returns the names of a bit inside the instance that contains a cell with this `src`. Needs no other net of
        the instance."""
        places = places_of(src)
        depth = {text: self.declared[text] for text in self.names.get(bit, ())}
        return [text for text, (levels, own) in depth.items() if levels == len(own & places)]


def nets_of(module: dict) -> Iterator[tuple[tuple[str, ...], Places]]:
    """Yields the path of instances and the places of each net that was inside an instance."""
    for net in module["netnames"].values():
        attributes = net.get("attributes", {})
        path = tuple(attributes.get("hdlname", "").split()[:-1])
        if path:
            yield path, places_of(attributes.get("src", ""))
