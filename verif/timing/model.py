# SPDX-License-Identifier: Apache-2.0
"""The delay model: a netlist that Yosys wrote (synth_xilinx -family xcup, write_json) as a graph of bits with delays.

The delays are those of delays.txt. docs/delay-model.md says what the model leaves out. Placement is not known, so the
length of a net follows from its loads, from the lanes that they are in, and from the area of the module.
"""
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from graph import Graph, Loop
from places import Instances, places_of

# Any change of the model, of the walk or of the synthesis (netlist.sh) that changes a delay must raise VERSION. The
# rows of paths.txt are then walked again. A walk that differs from a row of paths.txt with equal logic and version is
# an error.
VERSION = 1

Bit = int
# ports of device cells: clocks; enables and resets; links to the neighbouring cell of a column
CLOCKS = {"C", "CLK", "CLKA", "CLKB", "WCLK", "CLKARDCLK", "CLKBWRCLK", "G"}
CLOCK_PORTS = {"clk", "clk_2x"}  # clock ports of modules
ENABLES = {"CE", "R", "S", "CLR", "PRE", "RSTP", "CEP", "EN", "SRST"}
CASCADES = ("PCIN", "ACIN", "BCIN", "CAS_IN", "CASDIN")
BITWISE = {"$mux", "$and", "$or", "$xor", "$xnor", "$not", "$pos", "$_NOT_", "$_AND_", "$_OR_", "$_XOR_", "$_MUX_"}
# the parameter of a DSP that says whether an input has a register
DSP_DATA = {"A": "AREG", "B": "BREG", "D": "DREG", "C": "CREG", "INMODE": "INMODEREG"}
DSP_ENABLE = {"A": "CEA2", "B": "CEB1", "D": "CED"}  # enable of the register that takes the input
# Names of an enable that is high only at edges of clk_2x that are also edges of clk (rill_pump_phase).
COINCIDENT = re.compile(r"(^|\.)second_q$")
LOGIC = ("lut", "muxf", "carry", "bitwise", "reduce")
LOOP = re.compile(r"\[\d+\]")  # index of a generate loop
# the part of a name up to the first instance of a generate loop, here called a lane
LANE = re.compile(r"^.*?\[\d+\]\.")


def read_delays(path: str = os.path.join(os.path.dirname(os.path.abspath(__file__)), "delays.txt")) -> dict[str, float]:
    """Returns the delays and sizes of delays.txt by name, in the units of this file."""
    found: dict[str, float] = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split(None, 3)
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 4:
                raise SystemExit(f"error: {path}:{number}: a delay has a name, a value, a unit and its source")
            if words[0] in found:  # a second row of a delay only continues its source
                continue
            found[words[0]] = float(words[1])
    return found


def kind_of(cell: dict) -> str:
    """Returns the kind of a cell in the model: `box` for an empty module, `unknown` for a cell without a delay."""
    kind = cell["type"]
    starts = (("FD", "ff"), ("$dff", "ff"), ("$sdff", "ff"), ("$reduce_", "reduce"), ("$logic_", "reduce"),
              ("LD", "ff"), ("LUT", "lut"), ("MUXF", "muxf"), ("CARRY", "carry"), ("DSP", "dsp"), ("SRL", "srl"),
              ("RAMB", "bram"), ("URAM", "uram"), ("RAM", "lutram"))
    for start, found in starts:
        if kind.startswith(start):
            return found
    if kind in ("INV", "BUF"):
        return "lut"
    if kind in ("GND", "VCC"):
        return "constant"
    if kind in BITWISE:
        return "bitwise"
    # A module of a custom kernel. The names of device cells are in capitals.
    custom = not kind.startswith("$") and not kind.isupper()
    return "box" if "rill_" in kind or custom else "unknown"


def is_copies(cell: dict) -> bool:
    """Returns whether a cell is a module of equal registers, each of which drives a part of the loads."""
    return any(name in cell["type"] for name in ("rill_register_copies", "rill_reset_stage"))


@dataclass
class End:
    """A pin at which paths end."""
    bit: Bit
    ns: float  # from the driver of the bit to the clock edge: net and setup
    cell: str
    port: str
    half: bool = False  # the register takes a value at each edge of clk_2x, so the path has half a cycle


@dataclass
class Table:
    """The delays of paths through the ports of a module, by port, for the surrounding module."""
    arrive: dict[str, float] = field(default_factory=dict)  # input to a register: net inside, logic, setup
    depart: dict[str, float] = field(default_factory=dict)  # register to an output
    through: list[tuple[str, str, float]] = field(default_factory=list)  # input to output without a register
    clbs: float = 0.0
    bare: list[str] = field(default_factory=list)  # inputs of which each bit drives one register and nothing else
    # for each port, the places inside the module that it is connected to
    inside: dict[str, list[str]] = field(default_factory=dict)


NO_TABLE = Table()


class Netlist:
    """Cells, their arcs, and the delays of nets. `boxes` has the tables of modules that are empty here, by type or by
    instance. `die_of` returns the die of the cell with a name."""

    def __init__(self, module: dict, delays: dict[str, float], boxes: dict[str, Table] | None = None,
                 die_of: Callable[[str], int | None] | None = None, all_dies: Iterable[int] = (0,)):
        self.cells, self.ports, self.ns = module["cells"], module["ports"], delays
        self.boxes = boxes or {}
        self.parts: list[str] = []  # the empty modules, as lines of modules.txt
        self.die_of, self.all_dies = die_of, set(all_dies)
        self.dies: dict[str, int | None] = {}
        self.kind = {name: kind_of(cell) for name, cell in self.cells.items()}
        self.driver: dict[Bit, tuple[str, str]] = {}
        self.loads: dict[Bit, int] = {}    # pins of a net except enables and resets
        self.enables: dict[Bit, int] = {}  # enables and resets of a net
        self.own: dict[str, bool] = {}     # results of own_adder
        self.ends: list[End] = []
        self.starts: list[tuple[Bit, float]] = []
        self.fast_starts: list[tuple[Bit, float]] = []  # starts at any edge of clk_2x
        self.virtual: dict[int, str] = {}  # nodes that are not nets, with their cell
        self.port_dies: dict[tuple[str, str], set[int]] = {}
        self.names, self.own_names = short_names(module), short_names(module, own=True)
        self.instances = Instances(module)
        self.blocks: dict[frozenset[str], set[str]] = {}  # registers of the module itself, by their place in the source
        self.inputs = self.port_bits("input")
        self.outputs = self.port_bits("output")
        self.fast_clock = set(self.inputs.get("clk_2x", []))
        self.coincident = {bit for name, net in module["netnames"].items() if COINCIDENT.search(plain(name))
                           for bit in net["bits"]} if self.fast_clock else set()
        self.connect()
        self.clbs = self.area(self.cells)
        self.lanes, self.lane_clbs = self.spread()
        self.graph = Graph(1 + max([bit for bit in self.names] + list(self.driver) + list(self.loads), default=0))
        self.build()

    def table_of(self, name: str) -> Table:
        return self.boxes.get(name) or self.boxes.get(self.cells[name]["type"]) or NO_TABLE

    # ---- nets ----

    def port_bits(self, direction: str) -> dict[str, list[Bit]]:
        return {name: [b for b in port["bits"] if not isinstance(b, str)]
                for name, port in self.ports.items() if port["direction"] == direction}

    def is_clock(self, name: str, port: str) -> bool:
        kind = self.kind[name]
        return port in (CLOCK_PORTS if kind == "box" else CLOCKS) and not (kind == "dsp" and port == "C")

    def pins(self, name: str) -> Iterator[tuple[str, bool, Bit]]:
        """Yields (port, is an output, bit) for each pin of a cell, without constants and clocks."""
        cell = self.cells[name]
        for port, bits in cell["connections"].items():
            if self.is_clock(name, port):
                continue
            out = cell["port_directions"].get(port) == "output"
            for bit in bits:
                if not isinstance(bit, str):
                    yield port, out, bit

    def connect(self) -> None:
        """Finds the driver of each net, and counts its loads and enables."""
        for name, cell in self.cells.items():
            copies = 1
            if is_copies(cell):
                copies = len(cell["connections"]["q"]) // len(cell["connections"]["d"])
            seen: set[Bit] = set()  # a sign bit that drives many pins of one multiplier counts as one load
            for port, out, bit in self.pins(name):
                if out:
                    self.driver[bit] = (name, port)
                elif bit in seen and self.kind[name] == "dsp":
                    continue
                elif port in ENABLES and self.kind[name] != "box":
                    self.enables[bit] = self.enables.get(bit, 0) + 1
                else:
                    self.loads[bit] = self.loads.get(bit, 0) + copies
                    seen.add(bit)
        self.join_enables()

    def join_enables(self) -> None:
        """Counts the enable of the flip-flops that hold a product as one load for all bits of the product, because
        these flip-flops are inside the multiplier."""
        inside = set()
        for name, cell in self.cells.items():
            if self.kind[name] != "ff":
                continue
            source = self.multiplier(cell["connections"]["D"][0])
            for port in ENABLES & set(cell["connections"]) if source else ():
                bit = cell["connections"][port][0]
                if isinstance(bit, str):
                    continue
                if (source, bit) in inside:
                    self.enables[bit] -= 1
                inside.add((source, bit))

    def area(self, names: Iterable[str]) -> float:
        """Returns the CLBs that cells take. This is the largest of the CLBs for their LUTs and flip-flops, where each
        CLB is used only in part, and of the areas of a die that have as many DSPs, block RAMs or URAMs. The CLBs of
        empty modules, which are in their tables, are added."""
        luts = flops = inside = 0.0
        columns = {"dsp": 0.0, "bram": 0.0, "uram": 0.0}
        for name in names:
            kind = self.kind[name]
            luts += {"lut": 1, "srl": 1, "lutram": 8}.get(kind, 0)
            flops += kind == "ff"
            if kind in columns:
                columns[kind] += 0.5 if self.cells[name]["type"].startswith("RAMB18") else 1.0
            elif kind == "box":
                inside += self.table_of(name).clbs
        return max(max(luts / 8, flops / 16) / self.ns["area_used"],
                   *(count * self.ns[kind + "_clbs"] for kind, count in columns.items())) + inside

    def lane_of(self, name: str) -> str | None:
        """Returns the lane that a cell is in, by its name or by the name of a net that it drives, or None if neither
        name has a lane."""
        found = LANE.match(plain(name))
        if not found:
            for _, out, bit in self.pins(name):
                if out:
                    found = LANE.match(self.names.get(bit, ""))
                    break
        return found[0] if found else None

    def spread(self) -> tuple[dict[Bit, set[str]], dict[str, float]]:
        """Returns the lanes of each net with loads in several lanes, and the area of each lane."""
        lanes: dict[Bit, set[str]] = {}
        members: dict[str, list[str]] = {}
        for name in self.cells:
            lane = self.lane_of(name)
            if not lane:
                continue
            members.setdefault(lane, []).append(name)
            for port, out, bit in self.pins(name):
                if not out:
                    lanes.setdefault(bit, set()).add(lane)
        areas = {lane: self.area(names) for lane, names in members.items()}
        return {bit: found for bit, found in lanes.items() if len(found) > 1}, areas

    def span(self, bit: Bit) -> float:
        """Returns the length of a net in CLBs: the side of the area of its loads, or of the lanes that they are in."""
        loads, enables = self.loads.get(bit, 0), self.enables.get(bit, 0)
        near = math.sqrt(loads / self.ns["loads_of_clb"] + enables / self.ns["enables_of_clb"])
        return max(near, math.sqrt(sum(self.lane_clbs[lane] for lane in self.lanes.get(bit, ()))))

    def net(self, bit: Bit, least: float = 0.0) -> float:
        """Returns the delay of a net over at least `least` CLBs. On a die no net is longer than the side of the die."""
        loads = self.loads.get(bit, 0) + self.enables.get(bit, 0)
        far = max(min(self.span(bit), self.ns["die_rows"]), least)
        return self.ns["net"] + self.ns["net_doubling"] * math.log2(max(loads, 1)) + self.ns["clb"] * far

    def wire(self, bit: Bit, name: str, port: str) -> float:
        """Returns the delay from the pin of the driver to the pin of the load. It is 0 inside a slice, a carry chain or
        a cascade, and to the registers of a multiplier."""
        to = self.kind[name]
        source, out = self.driver.get(bit, (None, ""))
        kind = self.kind[source] if source else "ff"
        loads = self.loads.get(bit, 0)
        if port == "PCIN" and out != "PCOUT":
            raise SystemExit(f"error: {plain(name)}: its PCIN is not of a PCOUT, and nothing else can go there")
        if kind == to == "carry" and port in ("CI", "CI_TOP") or port.startswith(CASCADES):
            return 0.0
        if (kind, to) in (("lut", "muxf"), ("muxf", "muxf")) or kind == "lut" and to == "carry" and loads <= 2:
            return 0.0
        free = to == "dsp" and not registers(self.cells[name], DSP_DATA.get(port, ""))
        if kind == "dsp" and to == "ff" and loads == 1 or kind == "ff" and source and free and loads == 1:
            return 0.0  # the register is merged into the cell
        if kind == "carry" and to == "ff" and self.own_adder(source):
            return 0.0
        column = {"dsp", "bram", "uram"} & {kind, to}
        borders, least = self.between(bit, source, name, port)
        return self.net(bit, least) + (self.ns["net_column"] if column else 0.0) + borders * self.ns["die_crossing"]

    def die(self, name: str | None) -> int | None:
        """Returns the die of a cell, if dies are known. The die of a flip-flop follows from the name of the net that it
        drives. None means that the cell is placed with its loads, like copies of a register without a placement."""
        if name is None or self.die_of is None:
            return None
        if not self.dies:
            self.find_dies()
        return self.dies[name]

    def source_name(self, name: str) -> str:
        """Returns the name of a cell with its place in the source: its own name, or that of a net that it drives, or ""
        if there is none."""
        register = self.kind[name] == "ff"
        nets = [self.names[bit] for _, out, bit in self.pins(name) if out and bit in self.names]
        known = (self.register_place(name) + nets if register else []) + [plain(name)] + nets
        return next((text for text in known if not text.startswith("$")), "")

    def register_place(self, name: str) -> list[str]:
        """Returns the place of a register in the source: the instance that contains it, or the memory that it reads.
        This is more reliable than the name of a net, which may be that of a port further on."""
        src = self.cells[name].get("attributes", {}).get("src", "")
        nets = [bit for _, out, bit in self.pins(name) if out]
        if not places_of(src):
            return self.memory_of(name)
        found = self.instances.of(src)
        if found == [""]:
            return [self.own_names[bit] for bit in nets if bit in self.own_names] or self.block_of(src)
        told = [text for place in found for bit in nets for text in self.instances.names.get(bit, ())
                if LOOP.sub("", text).startswith(LOOP.sub("", place) + ".")]
        told = told or [text for bit in nets for text in self.instances.beside(bit, src)]
        return told[:1] or [place + ".q" for place in found if not LOOP.search(place)]

    def block_of(self, src: str) -> list[str]:
        """Returns the place of a register of the module itself that has no name in the source. It is the place of the
        other registers of its always block, if they are all in one block."""
        if not self.blocks:
            for name, cell in self.cells.items():
                own = cell.get("attributes", {}).get("src", "")
                for _, out, bit in self.pins(name) if self.kind[name] == "ff" else ():
                    if out and bit in self.own_names:
                        block = self.own_names[bit].rpartition(".")[0]
                        self.blocks.setdefault(places_of(own), set()).add(block)
        found = self.blocks.get(places_of(src), set())
        return [".".join([*found, "q"]).lstrip(".")] if len(found) == 1 else []

    def memory_of(self, name: str) -> list[str]:
        """Returns the memory whose output register a cell is. At most a few levels of multiplexers are between memory
        and register."""
        level, seen = [name], {name}
        for _ in range(4):
            pins = [(port, bit) for cell in level for port, out, bit in self.pins(cell) if not out]
            sources = {self.driver[bit][0] for port, bit in pins
                       if bit in self.driver and port not in ENABLES} - seen
            found = [plain(source) for source in sources if self.kind[source] == "lutram"]
            if found:
                return [min(found)]
            level = [source for source in sources if self.kind[source] in LOGIC]
            seen |= sources
        return []

    def find_dies(self) -> None:
        """Finds the die of each cell, by its name in the source. Logic without a name is where its loads are, whatever
        the name of the net that it drives. The search for it goes back from the loads, once."""
        floating = set()
        for name in self.cells:
            if self.kind[name] in LOGIC and plain(name).startswith("$"):
                floating.add(name)
                continue
            die = self.die_of(self.source_name(name))
            tree = is_copies(self.cells[name])
            self.dies[name] = 0 if die is None and not tree else die
        waiting = [name for name, die in self.dies.items() if die is not None]
        for name in waiting:  # grows in the loop
            for port, out, bit in self.pins(name):
                source = self.driver.get(bit, (None, ""))[0]
                if not out and source in floating:
                    floating.discard(source)
                    own = self.dies[name]
                    self.dies[source] = max(self.dies_at(name, port, own), key=lambda die: abs(die - own))
                    waiting.append(source)
        self.dies.update((name, 0) for name in floating)

    def borders(self, source: str, out: str, name: str, port: str) -> int:
        """Returns the number of die boundaries between two cells. If a cell is on several dies (copies of a register,
        or cells inside a module at one port), the largest number counts."""
        here, there = self.die(source), self.die(name)
        if here is None:
            return 0
        if there is None:
            return max(abs(a - die) for a in self.dies_at(source, out, here) for die in self.all_dies)
        return max(abs(a - b) for a in self.dies_at(source, out, here) for b in self.dies_at(name, port, there))

    def dies_at(self, name: str, port: str, die: int) -> set[int]:
        """Returns the dies of a cell, or for a module the dies of the cells inside it at the port."""
        if self.kind[name] != "box":
            return {die}
        key = name, port
        if key not in self.port_dies:
            inside = self.table_of(name).inside.get(port, [])
            found = {self.die_of(f"{plain(name)}.{place}") for place in inside} - {None}
            self.port_dies[key] = found or {die}
        return self.port_dies[key]

    def bare(self, bit: Bit, source: str, name: str, port: str) -> bool:
        """Returns whether a bit goes from register to register without logic and other loads. A placer moves both
        registers to the boundary."""
        own = self.loads.get(bit, 0) == 1 and not self.enables.get(bit)
        return own and self.registered(source, self.driver[bit][1], True) and self.registered(name, port, False)

    def registered(self, name: str, port: str, out: bool) -> bool:
        """Returns whether the pin leads directly to a register, without logic inside the cell."""
        if self.kind[name] == "ff":
            return port not in ENABLES
        if self.kind[name] != "box":
            return False
        table = self.table_of(name)
        if out:
            late = table.depart.get(port, 0.0) > self.ns["ff_clock_to_q"] + 0.001
            return not late and all(port != sink for _, sink, _ in table.through)
        return port in table.bare

    def between(self, bit: Bit, source: str | None, name: str, port: str) -> tuple[int, float]:
        """Returns the number of die boundaries to a load, and the minimal distance in CLBs. The distance is half the
        side of the smaller of two modules, or the rows of a die for each boundary unless registers are on both sides of
        it."""
        if source is None:
            return 0, 0.0
        borders = self.borders(source, self.driver[bit][1], name, port) if self.die_of else 0
        if borders:
            near = borders == 1 and self.bare(bit, source, name, port)
            return borders, 0.0 if near else borders * self.ns["die_rows"]
        if self.kind[source] == self.kind[name] == "box":
            return 0, min(math.sqrt(self.table_of(cell).clbs) for cell in (source, name)) / 2
        return 0, 0.0

    # ---- a multiplier and the adder after it ----

    def multiplier(self, bit: Bit | str) -> str | None:
        """Returns the multiplier that drives a bit, directly or through its built-in adder."""
        name, _ = self.driver.get(bit, (None, None))
        if name and self.kind[name] == "carry" and self.own_adder(name):
            for port in ("S", "DI"):
                for below in self.cells[name]["connections"].get(port, []):
                    source = self.behind_inverter(below)[0]
                    if source and self.kind[source] == "dsp":
                        return source
        return name if name and self.kind[name] == "dsp" else None

    def behind_inverter(self, bit: Bit | str) -> tuple[str | None, str | None]:
        """Returns the driver and the port of a bit. For a LUT with one input, the driver of this input counts."""
        name, out = self.driver.get(bit, (None, None))
        if name and self.kind[name] == "lut":
            inputs = [b for _, is_out, b in self.pins(name) if not is_out]
            return self.driver.get(inputs[0], (None, None)) if len(inputs) == 1 else (name, out)
        return name, out

    def carry_below(self, name: str) -> str | None:
        """Returns the carry cell whose carry goes into this one, or None for the first cell of a chain."""
        for bit in self.cells[name]["connections"].get("CI", []):
            source = self.driver.get(bit, (None, None))[0]
            if source and self.kind[source] == "carry":
                return source
        return None

    def own_adder(self, name: str) -> bool:
        """Returns whether a carry cell only adds a constant to a product. Then it is part of the built-in adder of the
        multiplier, which sums its partial products in any case."""
        chain: list[str] = []
        at: str | None = name
        while at is not None and at not in self.own:
            if at in chain:
                raise Loop([])
            chain.append(at)
            at = self.carry_below(at)
        for cell in reversed(chain):
            self.own[cell] = self.adds_constant(cell)
        return self.own[name]

    def adds_constant(self, name: str) -> bool:
        """Returns the result of own_adder for a carry cell, if it is known for the cell below in the chain."""
        product = False
        for port in ("S", "DI", "CI", "CI_TOP", "CYINIT"):
            for bit in self.cells[name]["connections"].get(port, []):
                source, out = self.behind_inverter(bit) if not isinstance(bit, str) else (None, None)
                if isinstance(bit, str) or source and self.kind[source] == "constant":
                    continue
                if source and self.kind[source] == "dsp":
                    product = True
                elif not (source and self.kind[source] == "carry" and out == "CO" and self.own.get(source)):
                    return False
        return product or self.carry_below(name) is not None

    # ---- arcs ----

    def build(self) -> None:
        """Adds the arcs, starts and ends of all cells. Raises Loop if there is a combinational loop."""
        make = {"lut": self.add_all, "muxf": self.add_all, "reduce": self.add_reduce, "bitwise": self.add_bitwise,
                "carry": self.add_carry, "lutram": self.add_lutram, "dsp": self.add_dsp, "ff": self.add_ff,
                "srl": self.add_srl, "bram": self.add_ram, "uram": self.add_ram, "box": self.add_box}
        for name, kind in self.kind.items():
            if kind == "unknown":
                raise SystemExit(f"error: no delay for the cell {self.cells[name]['type']} ({plain(name)})")
            if kind in make:
                make[kind](name)
        self.graph.close()

    def new_node(self, name: str) -> int:
        """Adds a node inside a cell, which is not a net."""
        node = self.graph.new_node()
        self.virtual[node] = name
        return node

    def bits(self, name: str, port: str) -> list[Bit | str]:
        return self.cells[name]["connections"].get(port, [])

    def arc(self, name: str, port: str, bit: Bit | str, to: int, through: float) -> None:
        """Adds an arc from a net through a port of a cell to a node: the net's delay, and `through` ns in the cell."""
        if not isinstance(bit, str):
            self.graph.add(bit, to, self.wire(bit, name, port) + through)

    def end(self, name: str, port: str, bit: Bit, setup: float) -> None:
        """Adds an end of paths at a port of a cell: the delay of the net, and the setup time."""
        self.end_inside(name, port, bit, self.wire(bit, name, port) + setup)

    def end_inside(self, name: str, port: str, node: int, ns: float) -> None:
        self.ends.append(End(node, ns, name, port, self.fast(name) and not self.at_both(name, port)))

    def start(self, bit: Bit | str, ns: float, name: str) -> None:
        """Adds a start of paths at an output of a cell, `ns` after the clock edge."""
        if not isinstance(bit, str):
            self.starts.append((bit, ns))
            if self.fast(name):
                self.fast_starts.append((bit, ns))

    def fast(self, name: str) -> bool:
        """Returns whether a cell works at clk_2x. Empty modules do not count, because their tables already have the
        delays with half a cycle."""
        return bool(self.fast_clock) and self.kind[name] != "box" and any(
            bit in self.fast_clock for port in self.cells[name]["connections"] if self.is_clock(name, port)
            for bit in self.bits(name, port))

    def at_both(self, name: str, port: str) -> bool:
        """Returns whether a register of a cell at clk_2x is enabled only at rising edges of clk. Paths that end at such
        registers have a whole cycle."""
        enable = DSP_ENABLE.get(port) if self.kind[name] == "dsp" else "CE" if port == "D" else None
        return any(bit in self.coincident for bit in self.bits(name, enable or ""))

    def add_all(self, name: str) -> None:
        """Adds the arcs of a cell with one output that depends on all inputs."""
        out = next((bit for _, is_out, bit in self.pins(name) if is_out), None)
        if out is None:
            return
        for port, is_out, bit in self.pins(name):
            if not is_out:
                self.arc(name, port, bit, out, self.ns[self.kind[name]])

    def add_reduce(self, name: str) -> None:
        """Adds the arcs of a wide cell with a one-bit output, which takes levels of six-input LUTs."""
        inputs = [(port, bit) for port, is_out, bit in self.pins(name) if not is_out]
        levels = max(math.ceil(math.log(max(len(inputs), 1), 6)), 1)
        through = levels * self.ns["lut"] + (levels - 1) * self.ns["net"]
        for out in self.bits(name, "Y")[:1]:
            for port, bit in inputs if not isinstance(out, str) else ():
                self.arc(name, port, bit, out, through)

    def add_bitwise(self, name: str) -> None:
        """Adds the arcs of a wide cell. Each output bit depends on the same bit of the inputs and on a one-bit
        select."""
        for place, out in enumerate(self.bits(name, "Y")):
            for port in ("A", "B"):
                source = self.bits(name, port)
                if place < len(source) and not isinstance(out, str):
                    self.arc(name, port, source[place], out, self.ns["lut"])
            for bit in self.bits(name, "S"):
                if not isinstance(out, str):
                    self.arc(name, "S", bit, out, self.ns["lut"])

    def add_carry(self, name: str) -> None:
        """Adds the arcs of a carry cell, with a node for each bit of the chain. O depends on S of its bit and on the
        lower chain, CO on the chain."""
        outs, carries = self.bits(name, "O"), self.bits(name, "CO")
        own = self.own_adder(name)
        into, step, out_of = (0.0, 0.0, 0.0) if own else (self.ns[n] for n in ("carry_in", "carry_step", "carry_out"))
        chain = self.new_node(name)
        for port in ("CI", "CI_TOP", "CYINIT"):
            for bit in self.bits(name, port)[:1]:
                self.arc(name, port, bit, chain, 0.0 if port == "CI" else into)
        for place, select in enumerate(self.bits(name, "S")):
            if place < len(outs) and not isinstance(outs[place], str):
                self.graph.add(chain, outs[place], out_of)
                self.arc(name, "S", select, outs[place], into)
            carry = carries[place] if place < len(carries) else "x"
            above = self.new_node(name) if isinstance(carry, str) else carry
            self.graph.add(chain, above, step)
            self.arc(name, "S", select, above, into)
            for bit in self.bits(name, "DI")[place:place + 1]:
                self.arc(name, "DI", bit, above, into)
            chain = above

    def add_lutram(self, name: str) -> None:
        """Adds the arcs of a distributed RAM. Reads are combinational: an output depends only on its address. Writes
        are clocked."""
        cell = self.cells[name]
        for port, is_out, bit in self.pins(name):
            if is_out:
                for address in read_addresses(port, cell["connections"]):
                    for source in self.bits(name, address):
                        self.arc(name, address, source, bit, self.ns["lut"])
                self.start(bit, self.ns["ff_clock_to_q"] + self.ns["lut"], name)
            elif not port.startswith("DPRA"):
                self.end(name, port, bit, self.ns["bram_setup"])

    def add_dsp(self, name: str) -> None:
        """Adds the arcs of a DSP: two stages, multiplier and adder, and a stage before them if A and D are added. Each
        stage has registers or not, and a separate delay leads from stage to stage."""
        has = {key: registers(self.cells[name], key)
               for key in ("AREG", "BREG", "CREG", "DREG", "INMODEREG", "ADREG", "MREG", "PREG")}
        product, total = self.new_node(name), self.new_node(name)
        stage, setup = self.ns["dsp_stage"], self.ns["dsp_setup"]
        of = dict.fromkeys(("A", "B", "D", "ACIN", "BCIN", "INMODE"), product)
        if has["ADREG"] and self.cells[name]["parameters"].get("AMULTSEL") == "AD":
            of["A"] = of["D"] = of["INMODE"] = before = self.new_node(name)
            self.end_inside(name, "AD", before, stage)
            self.start(before, 0.0, name)
            self.start(product, 0.0, name)
        for port, is_out, bit in self.pins(name):
            if is_out:
                continue
            self.dsp_input(name, port, bit, has, of.get(port, total))
        if has["AREG"] or has["BREG"]:
            self.start(product, 0.0, name)
        if has["MREG"]:
            self.end_inside(name, "M", product, stage)
            self.start(total, stage - setup, name)
        else:
            self.graph.add(product, total, self.ns["dsp_multiply"] - setup)
        if has["PREG"]:
            self.end_inside(name, "P", total, setup)
        for port, is_out, bit in self.pins(name):
            if not is_out:
                continue
            if has["PREG"]:
                self.start(bit, self.ns["dsp_clock_to_p"], name)
            else:
                self.graph.add(total, bit, 0.0)

    def dsp_input(self, name: str, port: str, bit: Bit, has: dict[str, bool], to: int) -> None:
        if port in ENABLES or port.startswith(("CE", "RST")):
            self.end(name, port, bit, self.ns["ff_setup_enable"])
        elif has.get(DSP_DATA.get(port, ""), False):
            self.end(name, port, bit, self.ns["dsp_setup"])
        else:
            adds = port in ("C", "PCIN", "CARRYIN", "CARRYCASCIN")
            self.arc(name, port, bit, to, self.ns["dsp_add"] - self.ns["dsp_setup"] if adds else 0.0)

    def add_ff(self, name: str) -> None:
        for port, is_out, bit in self.pins(name):
            if is_out:
                self.start(bit, self.ns["ff_clock_to_q"], name)
            else:
                self.end(name, port, bit, self.ns["ff_setup_enable" if port in ENABLES else "ff_setup"])

    def add_srl(self, name: str) -> None:
        for port, is_out, bit in self.pins(name):
            if is_out:
                self.start(bit, self.ns["srl_read"], name)
            else:
                self.end(name, port, bit, self.ns["bram_setup"])

    def add_ram(self, name: str) -> None:
        kind = self.kind[name]
        for port, is_out, bit in self.pins(name):
            if is_out:
                registered = "_registered" if ram_registered(self.cells[name], port) else ""
                self.start(bit, self.ns[f"{kind}_read{registered}"], name)
                self.add_cascade(name, port, bit)
            elif not port.startswith(("CAS_IN", "CASDIN")):
                self.end(name, port, bit, self.ns[kind + "_setup"])

    def add_cascade(self, name: str, port: str, out: Bit) -> None:
        """Adds the arcs of a RAM cascade. Without an output register, the data of the previous cell passes through, bit
        by bit."""
        side = "A" if port.rstrip("01234567").endswith("A") or "_A" in port else "B"
        place = self.bits(name, port).index(out)
        for source in self.cells[name]["connections"]:
            if source.startswith(("CAS_IN_DOUT_" + side, "CASDIN" + side)) and place < len(self.bits(name, source)):
                bit = self.bits(name, source)[place]
                if not ram_registered(self.cells[name], port):
                    self.arc(name, source, bit, out, self.ns[self.kind[name] + "_cascade"])
                elif not isinstance(bit, str):
                    self.end(name, source, bit, self.ns[self.kind[name] + "_cascade"])

    def add_box(self, name: str) -> None:
        """Adds the arcs of an empty module: those of its table, or a register at each port if it was not walked. An
        input that the table does not have is not used inside."""
        table = self.table_of(name)
        behind = {sink for _, sink, _ in table.through}
        for port, is_out, bit in self.pins(name):
            if is_out and (port in table.depart or port not in behind):
                self.start(bit, table.depart.get(port, self.ns["ff_clock_to_q"]), name)
            elif not is_out and (table is NO_TABLE or port in table.arrive):  # otherwise nothing inside uses the input
                self.end(name, port, bit, max(table.arrive.get(port, 0.0) - self.ns["net"], self.ns["ff_setup"]))
        for source, sink, ns in table.through:
            node = self.new_node(name)
            for bit in self.bits(name, source):
                self.arc(name, source, bit, node, ns)
            for out in self.bits(name, sink):
                if not isinstance(out, str):
                    self.graph.add(node, out, 0.0)

    # ---- names ----

    def name_of(self, node: int) -> str:
        return self.names.get(node) or plain(self.virtual.get(node, "") or self.driver.get(node, ("?", ""))[0])

    def end_name(self, end: End) -> str:
        """Returns the name of the end of a path: for a register the name of the net that it drives in the source, for
        another cell its own name."""
        for _, is_out, bit in self.pins(end.cell) if self.kind[end.cell] == "ff" else ():
            if is_out and bit in self.names:
                return f"{self.names[bit]}.{end.port}"
        return f"{plain(end.cell)}.{end.port}"

    def loop_names(self, loops: list[list[int]]) -> str:
        """Returns the names of the cells of combinational loops, each once."""
        said = []
        for nodes in loops:
            cells = {self.virtual.get(node) or self.driver[node][0] for node in nodes}
            said.append(", ".join(sorted(plain(cell) for cell in cells)))
        return "; ".join(said)


def short_names(module: dict, own: bool = False) -> dict[Bit, str]:
    """Returns the best name of each bit, with its index in a vector: a name of the source before one that Yosys made,
    then the shortest. With `own`, only names of the module itself count."""
    names: dict[Bit, str] = {}
    ranks: dict[Bit, tuple[bool, int]] = {}
    for name, net in module["netnames"].items():
        if own and ("$" in name or "hdlname" in net.get("attributes", {})):
            continue
        text, wide = plain(name), len(net["bits"]) > 1
        rank = "$" in text, len(text)
        for place, bit in enumerate(net["bits"]):
            if not isinstance(bit, str) and (bit not in names or rank < ranks[bit]):
                names[bit] = f"{text}[{place}]" if wide else text
                ranks[bit] = rank
    return names


def plain(name: str) -> str:
    """Returns a name of the source without the parts that Yosys adds."""
    return name.replace("$flatten", "").replace("\\", "")


def registers(cell: dict, key: str) -> bool:
    """Returns whether a parameter of a cell, a number of registers, is above 0."""
    text = cell.get("parameters", {}).get(key, "0")
    return text not in ("FALSE", "") and set(str(text)) <= {"0", "1"} and int(str(text), 2) > 0


def ram_registered(cell: dict, port: str) -> bool:
    """Returns whether an output port of a block RAM or URAM has a register."""
    parameters = cell.get("parameters", {})
    side = "A" if "A" in port.replace("CAS", "").replace("DATA", "") else "B"
    keys = (f"OREG_{side}", f"DO{side}_REG")
    return any(parameters.get(key) == "TRUE" or registers(cell, key) for key in keys)


def read_addresses(out: str, ports: dict) -> list[str]:
    """Returns the address ports on which an output of a distributed RAM depends."""
    if out.startswith("DO") and len(out) == 3:
        return [port for port in ports if port == "ADDR" + out[-1]]
    if out == "DPO":
        return [port for port in ports if port.startswith("DPRA")]
    return [port for port in ports if re.fullmatch(r"A\d*", port)]
