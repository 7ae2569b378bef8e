#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the longest path between registers (or ports) of a netlist that Yosys wrote (synth_xilinx -family xcup,
write_json). model.py is the delay model, and delays.txt has its delays, for an UltraScale+ part of speed grade -2. The
results are in ns and are estimates.

docs/delay-model.md says what the model leaves out.
"""
import argparse
import hashlib
import json
import os
import re
import sys
from dataclasses import asdict, dataclass

from dies import Dies
from graph import NEVER, Loop
from model import CLOCK_PORTS, ENABLES, LOGIC, End, Netlist, Table, read_delays

HALF = " in half a cycle"  # suffix of a path with half a cycle, whose ns are doubled
# Suffix of the file with the longest paths of a netlist, and with the table of its ports for the surrounding modules.
TABLES = ".table"
# Matches the start of a path that begins at a reset.
RESET = re.compile(r"^(rst \(input\)|(core_|soft_)?(rst|flush)(_\d+)?(_q|_one|_arrived)?(\[\d+\])?)$")

STAGE = re.compile(r"([^.\[]*)\[(\d+)\](\.[^.\[]*)")  # an instance in a generate loop


@dataclass
class Path:
    """A path from a register or input to a register or output."""
    ns: float  # the clock period that the path needs
    nodes: list[int]
    start: str
    end: str
    cell: str  # the cell in which the path ends; "" for an output
    half: bool = False  # the path has half a cycle, and ns is doubled


@dataclass
class Fan:
    """The nets with the most loads, one of each kind, as (loads, name)."""
    wide: tuple[int, str]    # loads, without enables and resets
    enable: tuple[int, str]  # enables and resets of a net from a register or an input
    stall: tuple[int, str]   # enables and resets of a net from logic


class Walk:
    """The paths of a netlist. at: for each node the latest arrival in ns from any start or input. at_fast: the latest
    arrival from starts at clk_2x; None if there are none. before, before_fast: for each node the arc over which this
    arrival comes (graph.py). The place of a cell is its name in the source as the method `place` returns it."""

    def __init__(self, net: Netlist):
        self.net, self.ns = net, net.ns
        self.loads_of: dict[int, list[tuple[str, str]]] = {}
        self.places: dict[str, str] = {}
        self.outputs = [End(bit, net.net(bit) + self.ns["ff_setup"], "", name)
                        for name, bits in net.outputs.items() for bit in bits]
        outside = [(bit, self.ns["ff_clock_to_q"])
                   for name, bits in net.inputs.items() if name not in CLOCK_PORTS for bit in bits]
        self.at, self.before = net.graph.arrivals(net.starts + outside)
        self.at_fast, self.before_fast = net.graph.arrivals(net.fast_starts) if net.fast_starts else (None, None)

    def timed(self) -> list[tuple[float, End, bool]]:
        """Returns each end with the clock period that it needs, and whether it has only half a cycle. Paths that begin
        or end at clk_2x have half a cycle, so their time counts twice."""
        ends, skew = self.net.ends + self.outputs, self.ns["clock_skew"]
        found = [((self.at[end.bit] + end.ns + skew) * (1 + end.half), end, end.half)
                 for end in ends if self.at[end.bit] > NEVER]
        if self.at_fast is not None:
            found += [(2 * (self.at_fast[end.bit] + end.ns + skew), end, True)
                      for end in ends if not end.half and self.at_fast[end.bit] > NEVER]
        return found

    def worst(self, count: int, of_reset: bool | None = None, of_half: bool | None = None) -> list[Path]:
        """Returns the longest paths. Paths whose starts and ends differ only in the index of a vector or lane count
        once. `of_reset` selects only paths that begin at a reset (True) or only other paths (False). `of_half` selects
        paths with half a cycle in the same way."""
        found: list[Path] = []
        seen = set()
        for ns, end, half in sorted(self.timed(), key=lambda t: -t[0]):
            if of_half not in (None, half):
                continue
            nodes = self.net.graph.path(end.bit, self.before if end.half or not half else self.before_fast)
            start, to = self.start_name(nodes[0]), f"{end.port} (output)" if not end.cell else self.net.end_name(end)
            key = re.sub(r"\[\d+\]", "", start), re.sub(r"[\[.]\d+", "", to)
            if key not in seen and of_reset in (None, bool(RESET.match(start))):
                seen.add(key)
                found.append(Path(ns, nodes, start, to, end.cell, half))
            if len(found) == count:
                break
        return found

    def start_name(self, node: int) -> str:
        """Returns the name of the register or of the input at which a path begins."""
        for name, bits in self.net.inputs.items():
            if node in bits:
                return f"{name} (input)"
        return self.net.name_of(node)

    def levels(self, path: Path) -> int:
        """Returns the number of LUTs, multiplexers, DSPs, distributed RAMs and bitwise cells of Yosys on a path after
        its start."""
        kinds = [self.kind_at(node) for node in path.nodes[1:]]
        return sum(1 for kind in kinds if kind in ("lut", "muxf", "dsp", "lutram", "bitwise"))

    def kind_at(self, node: int) -> str:
        """Returns the kind of the cell that drives a node; "chain" for a node that is no net, "port" for an input."""
        cell = self.net.driver.get(node, (None, ""))[0]
        return self.net.kind[cell] if cell else "chain" if node in self.net.virtual else "port"

    def fan(self) -> Fan:
        net = self.net
        name = net.name_of
        driven = {bit: net.kind[net.driver[bit][0]] in LOGIC if bit in net.driver else False for bit in net.enables}
        wide = max(((n, name(b)) for b, n in net.loads.items()), default=(0, "-"))
        stall = max(((n, name(b)) for b, n in net.enables.items() if driven[b]), default=(0, "-"))
        enable = max(((n, name(b)) for b, n in net.enables.items() if not driven[b]), default=(0, "-"))
        return Fan(wide, enable, stall)

    def table(self) -> Table:
        """Returns the table of the ports of the module (model.py)."""
        net = self.net
        need, _ = net.graph.needs([(end.bit, end.ns * (1 + end.half)) for end in net.ends])
        at, _ = net.graph.arrivals(net.starts)
        latest = lambda values, bits: max((values[b] for b in bits), default=NEVER)
        arrive = {name: latest(need, bits) for name, bits in net.inputs.items() if name not in CLOCK_PORTS}
        depart = {name: latest(at, bits) for name, bits in net.outputs.items()}
        return Table({n: round(v, 3) for n, v in arrive.items() if v > NEVER},
                     {n: round(v, 3) for n, v in depart.items() if v > NEVER}, self.through(), round(net.clbs, 1),
                     [name for name, bits in net.inputs.items() if self.bare(bits)], self.inside())

    def inside(self) -> dict[str, list[str]]:
        """Returns for each port the places of its registers in the source, each instance once. From them the
        surrounding design finds the die of a port, because instances of this module may be on several dies."""
        found = {name: {place for bit in bits for pin in self.readers(bit) for place in self.places_at(*pin)}
                 for name, bits in self.net.inputs.items() if name not in CLOCK_PORTS}
        found.update((name, {place for bit in bits if bit in self.net.driver
                             for place in self.places_at(*self.net.driver[bit])})
                     for name, bits in self.net.outputs.items())
        return {name: sorted(self.stage_of(name, place) for place in places - {""})
                for name, places in found.items() if places - {""}}

    def stage_of(self, port: str, place: str) -> str:
        """Returns the place of the register of a port. If the port is the end of a chain of stages that a generate
        loop makes, Yosys names the last register only after the port. Its place is then that of the last named stage,
        with the index one higher."""
        if place != port:
            return place
        stages = [found for found in map(STAGE.fullmatch, {self.place(cell) for cell in self.net.cells}) if found]
        last = max(stages, key=lambda found: int(found[2]), default=None)
        return f"{last[1]}[{int(last[2]) + 1}]{last[3]}" if last else place

    def places_at(self, cell: str, port: str) -> list[str]:
        """Returns the place of a cell, or for a module the places inside it that its port is connected to."""
        inside = self.net.table_of(cell).inside.get(port, []) if self.net.kind[cell] == "box" else []
        return [f"{self.place(cell)}.{place}" for place in inside] or [self.place(cell)]

    def readers(self, bit: int) -> list[tuple[str, str]]:
        """Returns the cells and ports to which a net leads, through logic whose place is unknown."""
        if not self.loads_of:
            for name in self.net.cells:
                for port, is_out, load in self.net.pins(name):
                    if not is_out:
                        self.loads_of.setdefault(load, []).append((name, port))
        found, waiting, seen = [], [bit], {bit}
        for at in waiting:  # grows in the loop
            for cell, port in self.loads_of.get(at, []):
                if self.net.kind[cell] != "lut" and self.place(cell):
                    found.append((cell, port))
                    continue
                outs = {out for _, is_out, out in self.net.pins(cell) if is_out} - seen
                seen |= outs
                waiting += outs
        return found

    def place(self, cell: str) -> str:
        """Returns the name of a cell without its index in a vector and without the name of a register inside an
        instance."""
        if cell not in self.places:
            name = re.sub(r"(\[\d+\])+$", "", self.net.source_name(cell))
            self.places[cell] = name.rsplit(".", 1)[0] if name.count(".") > 1 else name
        return self.places[cell]

    def bare(self, bits: list[int]) -> bool:
        """Returns whether each bit drives only the data input of one register."""
        ends = {end.bit for end in self.net.ends if self.net.kind[end.cell] == "ff" and end.port not in ENABLES}
        return bool(bits) and all(bit in ends and self.net.loads.get(bit) == 1 and not self.net.enables.get(bit)
                                  for bit in bits)

    def through(self) -> list[tuple[str, str, float]]:
        """Returns the paths from an input to an output without a register between. Follows only the few inputs that
        have such a path."""
        net = self.net
        outs = {bit: name for name, bits in net.outputs.items() for bit in bits}
        reach, _ = net.graph.needs([(bit, 0.0) for bit in outs])
        found = []
        for name, bits in net.inputs.items():
            near = [bit for bit in bits if reach[bit] > NEVER]
            if name in CLOCK_PORTS or not near:
                continue
            at, _ = net.graph.arrivals([(bit, 0.0) for bit in near])
            for out, out_bits in net.outputs.items():
                ns = max((at[b] for b in out_bits), default=NEVER)
                if ns > NEVER:
                    found.append((name, out, round(ns, 3)))
        return found


def netlist_name(line: str) -> str:
    """Returns the name of the files of a netlist, as in netlist.sh."""
    return re.sub(r"[^A-Za-z0-9_]", "_", line)[:100] + "_" + hashlib.sha256((line + "\n").encode()).hexdigest()[:6]


def top_of(modules: dict) -> dict:
    """Returns the top module of a netlist."""
    return next(m for m in modules.values() if m.get("attributes", {}).get("top", "0").strip("0"))


def box_lines(modules: dict) -> dict[str, str]:
    """Returns the empty modules of the netlist: {type: line of modules.txt}."""
    used = {cell["type"] for cell in top_of(modules)["cells"].values()}
    found = {}
    for name in sorted(used & set(modules)):
        module = modules[name]
        if not module["attributes"].get("blackbox", "0").strip("0") or "rill_" not in name:
            continue
        values = sorted(module.get("parameter_default_values", {}).items())
        text = [f"{n}={int(v, 2)}" if set(v) <= {"0", "1"} else f'{n}="{v.strip()}"' for n, v in values]
        found[name] = " ".join([module["attributes"]["hdlname"].strip("\\ "), *text])
    return found


def read_table(path: str) -> Table:
    """Returns the table of a module that write_table has written."""
    with open(path, encoding="utf-8") as f:
        said = json.load(f)
    return Table(said["arrive"], said["depart"], [tuple(arc) for arc in said["through"]], said["clbs"], said["bare"],
                 said.get("inside", {}))


def tables_of(modules: dict, folder: str) -> dict[str, Table]:
    """Returns the tables of those empty modules that were walked."""
    paths = {kind: os.path.join(folder, netlist_name(line) + TABLES) for kind, line in box_lines(modules).items()}
    return {kind: read_table(path) for kind, path in paths.items() if os.path.exists(path)}


def read_netlist(path: str, delays: dict[str, float], dies: Dies | None = None) -> Netlist:
    """Returns the netlist in a file of Yosys. Ends the program if it has a combinational loop."""
    with open(path, encoding="utf-8") as f:
        modules = json.load(f)["modules"]
    boxes, parts = tables_of(modules, os.path.dirname(path)), sorted(box_lines(modules).values())
    top = top_of(modules)
    modules.clear()
    partial = Netlist.__new__(Netlist)  # so that the message of a loop can name its cells
    try:
        partial.__init__(top, delays, boxes, *((dies.of, dies.all) if dies else ()))
    except Loop as loop:
        sys.exit(f"error: a combinational loop: {partial.loop_names(loop.loops)}")
    partial.parts = parts
    return partial


def write_table(walk: Walk, path: str) -> None:
    """Writes the table of the module, the lines of its empty parts, and its longest paths."""
    said = asdict(walk.table())
    said["parts"] = walk.net.parts
    for key, of_reset in (("paths", False), ("resets", True)):
        said[key] = [(round(p.ns, 2), walk.levels(p), p.start, p.end + HALF * p.half) for p in walk.worst(3, of_reset)]
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(said, f)
    os.replace(path + ".new", path)


def print_path(walk: Walk, path: Path) -> None:
    for node in path.nodes:
        loads = walk.net.loads.get(node, 0) + walk.net.enables.get(node, 0)
        print(f"  {walk.at[node]:6.2f}  {walk.kind_at(node):8} {loads:5} loads  {walk.net.name_of(node)}")


def print_worst(walk: Walk, count: int) -> None:
    for path in walk.worst(count):
        print(f"worst {path.ns:.2f} ns, {walk.levels(path)} levels: {path.start} to {path.end}")


def print_loads(walk: Walk, count: int) -> None:
    net = walk.net
    total = {bit: net.loads.get(bit, 0) + net.enables.get(bit, 0) for bit in set(net.loads) | set(net.enables)}
    for bit, loads in sorted(total.items(), key=lambda item: -item[1])[:count]:
        print(f"{loads} loads ({net.enables.get(bit, 0)} enables, {net.net(bit):.2f} ns): {net.name_of(bit)} "
              f"{walk.kind_at(bit)}")


def faults(path: Path, fan: Fan, given: argparse.Namespace) -> list[str]:
    """Returns a message for each limit that the longest path or a net exceeds."""
    found = [] if path.ns <= given.limit else [f"longest path {path.ns:.2f} ns is above {given.limit:.2f} ns"]
    for (loads, name), cap, what in ((fan.wide, given.fanout, "has"), (fan.enable, given.enables, "enables"),
                                     (fan.stall, given.stall, "enables")):
        if loads > cap:
            found.append(f"{name} {what} {loads} {'loads' if what == 'has' else 'cells'}, above {cap}")
    return found


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("netlist")
    parser.add_argument("--limit", type=float, default=4.0, help="ns of the longest path (default 4.0: 250 MHz)")
    parser.add_argument("--fanout", type=int, default=1600, help="loads of a net, no enables or resets (default 1600)")
    parser.add_argument("--enables", type=int, default=3200,
                        help="enables and resets of a net from a register or a port (default 3200)")
    parser.add_argument("--stall", type=int, default=8000,
                        help="enables of a net from logic, such as that of stages that stall together (default 8000)")
    parser.add_argument("--worst", type=int, default=0, help="also print this many longest paths and widest nets")
    parser.add_argument("--path", action="store_true", help="show the longest path, net by net")
    parser.add_argument("--boxes", action="store_true",
                        help="only print the modules that the netlist leaves empty, with their parameters")
    parser.add_argument("--table", action="store_true", help="write the table of the ports next to the netlist")
    parser.add_argument("--dies", help="the pblocks.tcl of a design, for nets that leave a die")
    parser.add_argument("--inside", default="", help="with --dies: the instance that this netlist is, as u_shared.u_engine.")
    parser.add_argument("--delays", help="a table of delays in the place of delays.txt")
    return parser.parse_args()


def half_cycle(walk: Walk) -> str:
    """Returns a text about the longest path with half a cycle, with its real time (not doubled)."""
    found = walk.worst(1, of_half=True)
    return f"; in half a cycle {found[0].ns / 2:.2f} ns, {found[0].start} to {found[0].end}" if found else ""


def main() -> int:
    given = options()
    if given.boxes:
        with open(given.netlist, encoding="utf-8") as f:
            print(*box_lines(json.load(f)["modules"]).values(), sep="\n")
        return 0
    delays = read_delays(given.delays) if given.delays else read_delays()
    walk = Walk(read_netlist(given.netlist, delays, Dies(given.dies, given.inside) if given.dies else None))
    paths, fan = walk.worst(max(given.worst, 1)), walk.fan()
    path = paths[0] if paths else Path(0.0, [], "-", "-", "")
    data = walk.worst(1, False) or [path]
    print(f"{path.ns:.2f} ns, {walk.levels(path)} levels, {path.start} to {path.end}; without resets {data[0].ns:.2f}; "
          f"most loads {fan.wide[0]} ({fan.wide[1]}), enables {fan.enable[0]}, of a stall {fan.stall[0]}"
          f"{half_cycle(walk)}")
    if given.table:
        write_table(walk, re.sub(r"\.json$", "", given.netlist) + TABLES)
    if given.worst:
        print_worst(walk, given.worst)
        print_loads(walk, given.worst)
    if given.path:
        print_path(walk, path)
    bad = faults(path, fan, given)
    for line in bad:
        print(f"error: {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
