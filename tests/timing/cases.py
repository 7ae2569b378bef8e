# SPDX-License-Identifier: Apache-2.0
"""Tests the delay model (verif/timing) with small netlists whose paths are known. usage: cases.py [CASE]. Without CASE,
the program lists the cases.

A case fails with an AssertionError. Most cases compute the expected delay as a sum of entries of the table of delays.
"""
import json
import os
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "verif", "timing"))
import published  # noqa: E402
from dies import Dies  # noqa: E402
from design import (Said, by_port, crossings, loose_borders, own_paths, parts_of,  # noqa: E402
                    write_record)
from graph import Loop  # noqa: E402
from model import Netlist, Table, read_delays  # noqa: E402
from walk import HALF, TABLES, Walk, netlist_name, write_table  # noqa: E402

NS = read_delays()  # the table of delays: {name: ns}
LIMIT = 4.0  # ns; the tests call a path long if it takes more


class Module:
    """A netlist in the form of Yosys' JSON. The methods add nets and cells. `bit`, `flop` and `lut` return the new
    bit."""

    def __init__(self) -> None:
        self.bits, self.cells, self.names, self.ports = 1, {}, {}, {}

    def bit(self, name: str | None = None) -> int:
        self.bits += 1
        if name:
            self.names[name] = {"bits": [self.bits]}
        return self.bits

    def cell(self, name: str, kind: str, out: tuple[str, ...], pins: dict, **parameters: str) -> None:
        pins = {port: bits if isinstance(bits, list) else [bits] for port, bits in pins.items()}
        self.cells[name] = {"type": kind, "parameters": parameters, "connections": pins,
                            "port_directions": {port: "output" if port in out else "input" for port in pins}}

    def flop(self, name: str, data: int | None = None, kind: str = "FDRE", **pins: int) -> int:
        q = self.bit(name)
        self.cell(name + "_reg", kind, ("Q",), {"C": "0", "D": data if data else "0", "Q": q, **pins})
        return q

    def clock_2x(self) -> int:  # adds the port clk_2x; cells without it are clocked by clk
        clock = self.bit()
        self.port("clk_2x", "input", clock)
        return clock

    def lut(self, name: str, *inputs: int) -> int:
        out = self.bit(name)
        self.cell("lut_" + name, f"LUT{len(inputs)}", ("O",), {"O": out, **{f"I{k}": b for k, b in enumerate(inputs)}})
        return out

    def port(self, name: str, direction: str, *bits: int) -> None:
        self.ports[name] = {"direction": direction, "bits": list(bits)}
        self.names[name] = {"bits": list(bits)}

    def json(self) -> dict:
        return {"cells": self.cells, "ports": self.ports, "netnames": self.names}

    def net(self, *more) -> Netlist:  # more: the further arguments of Netlist, such as tables of modules and dies
        return Netlist(self.json(), NS, *more)

    def worst(self, *more):  # returns the longest path
        return Walk(self.net(*more)).worst(1)[0]


def near(value: float, want: float) -> None:  # ns
    assert abs(value - want) < 0.002, f"{value:.3f} ns instead of {want:.3f}"


def one_load() -> float:
    """Returns the delay of a net with one load next to its driver."""
    return NS["net"] + NS["clb"] * (1 / NS["loads_of_clb"]) ** 0.5


def chain(module: Module, count: int) -> None:
    """Adds a path from a flip-flop through `count` LUTs to a flip-flop."""
    bit = module.flop("first")
    for k in range(count):
        bit = module.lut(f"step_{k}", bit)
    module.flop("last", bit)


def case_long_path() -> None:
    """The time of a chain of LUTs is the sum over its cells and nets. The path is named by its registers."""
    module = Module()
    chain(module, 12)
    path = module.worst()
    near(path.ns, NS["ff_clock_to_q"] + 12 * NS["lut"] + 13 * one_load() + NS["ff_setup"] + NS["clock_skew"])
    assert (path.start, path.end) == ("first", "last.D"), path
    assert path.ns > LIMIT


def case_latest() -> None:
    """The later of two inputs of a LUT counts, whichever pin it has. The longer of two paths from an input counts as
    well."""
    for turned in (False, True):
        module = Module()
        source = module.bit()
        module.port("s_data", "input", source)
        late = module.lut("late", module.lut("later", source))
        module.flop("last", module.lut("join", *((late, source) if turned else (source, late))))
        walk = Walk(module.net())
        far = [walk.net.net(bit) for bit in (source, late)]
        want = far[0] + one_load() + far[1] + one_load() + 3 * NS["lut"]
        near(walk.worst(1)[0].ns, NS["ff_clock_to_q"] + want + NS["ff_setup"] + NS["clock_skew"])
        near(walk.table().arrive["s_data"], want + NS["ff_setup"])


def case_deep_chain() -> None:
    """A very long path with very many ways through it is found in seconds: the walk makes one pass and does not
    recurse."""
    module, began = Module(), time.monotonic()
    bit = module.flop("first")
    for k in range(60000):
        bit = module.lut(f"join_{k}", bit, bit, bit)
    module.flop("last", bit)
    assert module.worst().ns > 10000
    assert time.monotonic() - began < 60


def case_true_loop() -> None:
    """The message about a combinational loop names the cells of the loop, but not the cells before and after it."""
    module = Module()
    back = module.bit("back")
    one = module.lut("one", module.flop("in"), back)
    two = module.lut("two", one)
    module.cell("lut_three", "LUT1", ("O",), {"I0": two, "O": back})
    module.flop("out", module.lut("behind", back))
    net = Netlist.__new__(Netlist)
    try:
        net.__init__(module.json(), NS)
    except Loop as loop:
        assert net.loop_names(loop.loops) == "lut_one, lut_three, lut_two", net.loop_names(loop.loops)
        return
    raise AssertionError("the loop was not found")


def case_own_loop() -> None:
    """A cell that drives its own input is a loop."""
    module = Module()
    out = module.bit("self")
    module.cell("lut_self", "LUT1", ("O",), {"I0": out, "O": out})
    try:
        module.net()
    except Loop as loop:
        assert loop.loops == [[out]], loop.loops
        return
    raise AssertionError("the loop was not found")


def case_false_loop_mux() -> None:
    """In a wide multiplexer, an upper bit may depend on a lower bit of the same cell. That is no loop."""
    module = Module()
    low, high, select = module.bit("low"), module.bit("high"), module.flop("select")
    module.cell("wide", "$mux", ("Y",), {"A": [module.flop("a"), low], "B": ["0", "1"], "S": select, "Y": [low, high]})
    module.flop("out", high)
    path = module.worst()
    assert path.ns > NS["ff_clock_to_q"] + 2 * NS["lut"] + 3 * NS["net"], path.ns


def case_false_loop_carry() -> None:
    """In a carry cell, an upper bit may depend on a lower output. A lower bit that depends on an upper output is a
    loop."""
    for place, is_loop in ((3, False), (0, True)):
        module = Module()
        sums = [module.bit(f"sum_{k}") for k in range(4)]
        selects = [module.flop(f"s_{k}") for k in range(4)]
        selects[place] = module.lut("back", sums[1])
        pins = {"S": selects, "DI": ["0"] * 4, "CI": "0", "O": sums, "CO": ["x"] * 4}
        module.cell("chain", "CARRY4", ("O", "CO"), pins)
        module.flop("out", sums[3])
        try:
            module.net()
        except Loop:
            assert is_loop, "a false loop was refused"
            continue
        assert not is_loop, "a true loop was not found"


def case_false_loop_ram() -> None:
    """In a distributed RAM, one read port may address the other one. That is no loop."""
    module = Module()
    first, second = module.bit("first"), module.bit("second")
    module.cell("ram", "RAM32M16", ("DOA", "DOB"), {"ADDRA": module.flop("address"), "ADDRB": first, "DIA": "0",
                                                   "DOA": first, "DOB": second, "WCLK": "0", "WE": "0"})
    module.flop("out", second)
    assert module.worst().ns > NS["ff_clock_to_q"] + 2 * NS["lut"] + 3 * NS["net"]


def multiplier(mreg: str, preg: str, packed: bool) -> float:
    """Returns the worst path of a multiplier between registers. mreg, preg: `1` for a register after the product, and
    at the output. packed: no other cell reads the input register, so the DSP can contain it."""
    module = Module()
    a, p = module.flop("a"), module.bit("p")
    pins = {"A": a, "B": module.flop("b"), "P": p, "CLK": "0"}
    if not packed:
        module.flop("other", a)
    module.cell("product", "DSP48E2", ("P",), pins, AREG="0", BREG="0", CREG="0", MREG=mreg, PREG=preg)
    module.flop("q", p)
    return module.worst().ns


def case_multiplier() -> None:
    """A register inside a multiplier shortens the path. An input register with other loads is outside, so its net
    counts."""
    whole = multiplier("0", "0", True)
    near(whole, NS["ff_clock_to_q"] + NS["dsp_multiply"] - NS["dsp_setup"] + NS["ff_setup"] + NS["clock_skew"])
    assert multiplier("1", "1", True) < whole
    assert multiplier("0", "0", False) > whole + NS["net"] + NS["net_column"]


def two_clocks(source: bool, to: bool, enable: str = "") -> float:
    """Returns the time from a register to another one. source, to: whether clk_2x clocks the first and the second
    register. enable: name of a register at clk_2x that enables the second register."""
    module = Module()
    fast = module.clock_2x()
    pins = {"CE": module.flop(enable, C=fast)} if enable else {}
    module.flop("q", module.flop("a", **({"C": fast} if source else {})), **({"C": fast} if to else {}), **pins)
    walk = Walk(module.net())
    return max(ns for ns, end, _ in walk.timed() if (end.cell, end.port) == ("q_reg", "D"))


def case_half_a_cycle() -> None:
    """A path that begins or ends at clk_2x has half a cycle, so its time counts twice. The exception is a path from clk
    to a register that is enabled only at common edges of both clocks."""
    once = two_clocks(False, False)
    near(once, NS["ff_clock_to_q"] + one_load() + NS["ff_setup"] + NS["clock_skew"])
    for source, to in ((True, False), (False, True), (True, True)):
        near(two_clocks(source, to), 2 * once)
    near(two_clocks(False, True, "gen_copy[0].second_q"), once)
    near(two_clocks(True, True, "gen_copy[0].second_q"), 2 * once)
    near(two_clocks(False, True, "gen_copy[0].first_q"), 2 * once)


def case_half_a_cycle_inside() -> None:
    """Ports of an empty module with both clocks count as clk, because its own walk already doubled the paths at
    clk_2x."""
    module, once = Module(), NS["ff_clock_to_q"] + 1.0 + NS["clock_skew"]
    module.cell("u_lane", "rill_lane", (), {"clk": module.bit("clk"), "clk_2x": module.clock_2x(),
                                            "x": module.flop("a")})
    walk = Walk(module.net({"rill_lane": Table(arrive={"x": 1.0})}))
    assert once < max(ns for ns, end, _ in walk.timed() if end.port == "x") < 1.1 * once


def case_pumped_multiplier() -> None:
    """In a multiplier at clk_2x with all of its registers, each stage is a separate path. Its factors have a whole
    cycle, its other inputs half a cycle."""
    module = Module()
    fast = module.clock_2x()
    second, p = module.flop("u_phase.second_q", C=fast), module.bit("p")
    a, beside = module.flop("a"), module.flop("beside", C=fast)
    pins = {"A": a, "D": module.flop("d"), "B": module.flop("b"), "C": beside, "CLK": fast, "P": p, "CEA2": second,
            "CED": second, "CEB1": second, "INMODE": module.flop("pick", C=fast)}
    parts = {key: "1" for key in ("AREG", "DREG", "ADREG", "INMODEREG", "MREG", "PREG")}
    module.cell("product", "DSP48E2", ("P",), pins, AMULTSEL="AD", BREG="10", CREG="0", **parts)
    latest: dict[str, float] = {}
    walk = Walk(module.net())
    for ns, end, _ in walk.timed():
        latest[end.port] = max(ns, latest.get(end.port, 0.0))
    to_cell = NS["ff_clock_to_q"] + one_load() + NS["net_column"] + NS["clock_skew"]
    for port in "ABD":
        near(latest[port], to_cell + NS["dsp_setup"])
    near(latest["INMODE"], 2 * (to_cell + NS["dsp_setup"]))
    for port in ("AD", "M"):
        near(latest[port], 2 * (NS["dsp_stage"] + NS["clock_skew"]))
    near(latest["P"], 2 * (NS["ff_clock_to_q"] + NS["dsp_add"] + NS["clock_skew"]))


def case_parts_of_a_module() -> None:
    """The clock of a design includes the paths of modules inside its modules. Paths with half a cycle are twice as long
    there."""
    part = Module()
    part.flop("to", part.flop("from", C=part.clock_2x()))
    whole = Module()
    whole.flop("last", whole.flop("first"))
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, netlist_name(line) + TABLES) for line in ("rill_engine BOX=1", "rill_lane N=2")]
        for path, module, parts in zip(paths, (whole, part), (["rill_lane N=2"], [])):
            walk = Walk(module.net())
            walk.net.parts = parts
            write_table(walk, path)
        found = {said.text: said.ns for said in own_paths("u_engine", paths[0], 0)}
    half = f"u_engine, rill_lane: from to to.D{HALF}, 0 levels"
    assert set(found) == {"u_engine: first to last.D, 0 levels", half}, found
    assert abs(found[half] - 2 * min(found.values())) < 0.02, found


def case_cascade_of_products() -> None:
    """In a cascade from PCOUT to PCIN each multiplier adds the delay of an adder, but no net."""
    module = Module()
    cascade = module.bit("cascade")
    module.cell("low", "DSP48E2", ("PCOUT",), {"A": module.flop("a"), "PCOUT": cascade}, AREG="0", MREG="1", PREG="1")
    total = module.bit("total")
    module.cell("high", "DSP48E2", ("P",), {"PCIN": cascade, "P": total}, MREG="1", PREG="1")
    module.flop("q", total)
    walk = Walk(module.net())
    ends = [walk.at[end.bit] + end.ns for end in walk.net.ends if (end.cell, end.port) == ("high", "P")]
    near(max(ends), NS["dsp_clock_to_p"] + NS["dsp_add"])


def case_cascade_of_something_else() -> None:
    """A register that drives PCIN is refused, because only a PCOUT can drive it."""
    module = Module()
    module.cell("high", "DSP48E2", ("P",), {"PCIN": module.flop("a"), "P": module.bit("p")}, PREG="1")
    try:
        module.net()
    except SystemExit as said:
        assert "high: its PCIN" in str(said), said
        return
    raise AssertionError("a register may drive PCIN")


def ram_path(kind: str, output: str, **parameters: str) -> float:
    """Returns the time from a RAM to a flip-flop."""
    module = Module()
    read = module.bit("read")
    module.cell("ram", kind, (output,), {output: read}, **parameters)
    module.flop("q", read)
    return module.worst().ns


def case_output_registers() -> None:
    """An output register shortens the path from a block RAM or URAM, by the difference of the two figures."""
    near(ram_path("RAMB36E2", "DOUTADOUT") - ram_path("RAMB36E2", "DOUTADOUT", DOA_REG="1"),
         NS["bram_read"] - NS["bram_read_registered"])
    near(ram_path("URAM288", "DOUT_B") - ram_path("URAM288", "DOUT_B", OREG_B="TRUE"),
         NS["uram_read"] - NS["uram_read_registered"])


def case_cascade_of_rams() -> None:
    """A cascade of seven URAMs without registers adds the delay of six cells."""
    module = Module()
    before: int | str = "0"
    for k in range(7):
        out = module.bit(f"out_{k}")
        module.cell(f"ram_{k}", "URAM288", ("DOUT_A",), {"DOUT_A": out, "CAS_IN_DOUT_A": before}, OREG_A="FALSE")
        before = out
    module.flop("q", before)
    near(module.worst().ns - ram_path("URAM288", "DOUT_A"), 6 * NS["uram_cascade"])


def broadcast(lanes: bool) -> float:
    """Returns the time of a net to 64 registers. lanes: each register is in a separate lane with 199 others."""
    module = Module()
    source = module.flop("shared")
    for k in range(64):
        for r in range(200):
            name = f"gen_lane[{k}].q_{r}" if lanes else f"q_{k}_{r}"
            module.flop(name, source if r == 0 else None)
    return module.worst().ns


def case_broadcast() -> None:
    """A net to registers in 64 lanes is as long as the area of all lanes. A net to 64 registers in one place is
    shorter."""
    clbs = 64 * 200 / 16 / NS["area_used"]
    near(broadcast(True) - broadcast(False), NS["clb"] * (clbs ** 0.5 - (64 / NS["loads_of_clb"]) ** 0.5))


def case_reset() -> None:
    """A reset from outside to many registers is a path, and is listed among the paths of resets."""
    module = Module()
    rst = module.bit()
    module.port("rst", "input", rst)
    for k in range(1000):
        q = module.bit(f"q_{k}")
        module.cell(f"q_{k}_reg", "FDRE", ("Q",), {"C": "0", "D": "0", "R": rst, "Q": q})
    walk = Walk(module.net())
    far = NS["net"] + NS["net_doubling"] * 9.9658 + NS["clb"] * (1000 / NS["enables_of_clb"]) ** 0.5
    near(walk.worst(1, True)[0].ns, NS["ff_clock_to_q"] + far + NS["ff_setup_enable"] + NS["clock_skew"])
    assert not walk.worst(1, False)


def borders(apart: bool, logic: int, bare: bool = False) -> float:
    """Returns the time of the longest path between two modules, with `logic` LUTs on each side of their border. apart:
    the modules are on two dies. bare: the second module has a register without logic at its input."""
    depart, arrive = NS["ff_clock_to_q"], NS["net"] + NS["ff_setup"]
    step = NS["lut"] + NS["net"]
    given = Table(depart={"q": depart + logic * step})
    taken = Table(arrive={"d": arrive + logic * step}, bare=["d"] if bare else [])
    top = Module()
    wire = top.bit("wire")
    top.cell("u_one", "rill_one", ("q",), {"q": wire})
    top.cell("u_two", "rill_two", (), {"d": wire})
    return top.worst({"u_one": given, "u_two": taken}, lambda name: int(apart and name == "u_two"), (0, 1)).ns


def case_composition() -> None:
    """The time of a path between modules is the departure time, a net and the arrival time."""
    near(borders(False, 2), NS["ff_clock_to_q"] + 4 * (NS["lut"] + NS["net"]) + one_load() + NS["ff_setup"]
         + NS["clock_skew"])


def case_unused_input() -> None:
    """No path ends at an input of a module that nothing inside uses, such as the input of an option that is off."""
    module = Module()
    out = module.flop("x")
    module.cell("box", "rill_small", (), {"used": out, "unused": module.flop("y")})
    box = Table({"used": 1.0})
    ends = {(end.cell, end.port) for end in module.net({"rill_small": box}).ends}
    assert ("box", "used") in ends and ("box", "unused") not in ends, ends


def case_crossing() -> None:
    """A path between two dies is longer than the limit, unless registers without logic are on both sides of the
    border."""
    assert borders(False, 2) < LIMIT
    assert borders(True, 2) > LIMIT
    assert borders(True, 0, True) < LIMIT
    near(borders(True, 0, True),
         NS["ff_clock_to_q"] + one_load() + NS["die_crossing"] + NS["ff_setup"] + NS["clock_skew"])


def case_crossings() -> None:
    """The check of crossings finds bits between dies that have logic or a second load at the border."""
    top = Module()
    clean, gated, shared = top.flop("clean"), top.lut("gated", top.flop("state")), top.flop("shared")
    top.flop("far.clean_q", clean)
    top.flop("far.gated_q", gated)
    top.flop("far.shared_q", shared)
    top.flop("near_q", shared)
    net = top.net(None, lambda name: int(name.startswith("far")), (0, 1))
    ports = by_port(crossings(net))
    found = {name: loose for name, (_, loose) in ports.items() if loose}
    assert sorted(found) == ["far.gated_q_reg.D", "far.shared_q_reg.D"], found
    assert sum(bits for bits, _ in ports.values()) == 3


def case_rule_of_borders() -> None:
    """Only resets and signals of the engine may cross between dies with logic."""
    top = Module()
    for name in ("core_rst", "kernel_fault", "data"):
        top.flop(f"far.{name}_q", top.lut(name, top.flop(f"{name}_state")))
    beats, result = top.bit("beats"), top.bit("result")
    top.cell("u_engine", "rill_engine", ("y",), {"x": beats, "y": result})
    top.cell("far.u_reader", "rill_reader", (), {"x": result})
    net = top.net(None, lambda name: int(name.startswith("far")), (0, 1))
    assert len(crossings(net)) == 4
    assert loose_borders(net, crossings(net)) == ["1 bits of far.data_q_reg.D", "1 bits of far.kernel_fault_q_reg.D"]


def case_tables() -> None:
    """The table of a module's ports, from its own walk, has arrivals, departures and paths through it without a
    register."""
    module = Module()
    one, two = module.bit(), module.bit()
    module.port("s_valid", "input", one)
    module.port("s_data", "input", two)
    module.port("m_valid", "output", module.lut("gate", one, module.flop("state")))
    module.port("m_data", "output", module.flop("data", two))
    table = Walk(module.net()).table()
    near(table.arrive["s_data"], one_load() + NS["ff_setup"])
    near(table.depart["m_data"], NS["ff_clock_to_q"])
    assert [(a, b) for a, b, _ in table.through] == [("s_valid", "m_valid")], table.through
    near(table.through[0][2], one_load() + NS["lut"])
    assert table.bare == ["s_data"], table.bare


def sourced(module: Module, bit: int, *places: str) -> None:
    """Sets the places in the source of the register that drives a bit."""
    for cell in module.cells.values():
        if bit in cell["connections"].get("Q", []):
            cell["attributes"] = {"src": "|".join(places + ("/usr/share/ff_map.v:1.1-1.2",))}


def known(module: Module, name: str, *places: str) -> None:
    """Marks a net as one inside an instance, with the places of its declaration and of the instances above it."""
    module.names[name] |= {"attributes": {"hdlname": name.replace(".", " "), "src": "|".join(places)}}


def case_place_of_register() -> None:
    """A register that the netlist names after a port which it drives is on the die of its own instance."""
    module = Module()
    there = module.flop("u_home.count_q")
    known(module, "u_home.count_q", "home.v:1", "top.v:10")
    module.flop("u_home.full_q", there)
    known(module, "u_home.full_q", "home.v:2", "top.v:10")
    word = module.flop("u_far.d", there)
    known(module, "u_far.d", "far.v:1", "top.v:20")
    taken = module.flop("u_far.word_q", word)
    known(module, "u_far.word_q", "far.v:2", "top.v:20")
    sourced(module, word, "home.v:30", "top.v:10")
    sourced(module, taken, "far.v:30", "top.v:20")
    net = module.net(None, lambda name: int(name.startswith("u_far")), (0, 1))
    assert (net.die("u_far.d_reg"), net.die("u_far.word_q_reg")) == (0, 1)


def case_place_of_lone_register() -> None:
    """A register that is named after a port is on the die of its own instance even if the instance has no other net."""
    module = Module()
    word = module.flop("u_far.d")
    known(module, "u_far.d", "far.v:1", "top.v:20")
    module.names["u_home.word_q"] = {"bits": [word]}
    known(module, "u_home.word_q", "home.v:1", "top.v:10")
    sourced(module, word, "home.v:30", "top.v:10")
    net = module.net(None, lambda name: int(name.startswith("u_far")), (0, 1))
    assert net.die("u_far.d_reg") == 0


def case_place_of_block() -> None:
    """A register without a name in its module is on the die of the other registers of its always block, if there is
    only one such block."""
    module = Module()
    module.flop("first_q")
    second = module.flop("u_far.d")
    known(module, "u_far.d", "far.v:1", "top.v:20")
    lane = module.flop("gen_lane[0].x_q", second)
    for bit in (module.cells["first_q_reg"]["connections"]["Q"][0], second):
        sourced(module, bit, "top.v:5")
    sourced(module, lane, "top.v:7")
    net = module.net(None, lambda name: int(name.startswith(("u_far", "gen_lane"))), (0, 1))
    assert (net.die("u_far.d_reg"), net.die("gen_lane[0].x_q_reg")) == (0, 1)


def case_place_of_memory() -> None:
    """The output register of a memory, which has no name in the source, is on the die of the memory."""
    module = Module()
    read = [module.bit(), module.bit()]
    for k, bit in enumerate(read):
        module.cell(f"u_far.mem.{k}", "RAM64X1D", ("DPO",), {"WCLK": "0", "DPRA0": module.flop(f"at_{k}"), "DPO": bit})
    data = module.flop("m_data", module.lut("$choice", module.flop("which"), *read))
    sourced(module, data)
    assert module.net(None, lambda name: int(name.startswith("u_far")), (0, 1)).die("m_data_reg") == 1


def case_port_places() -> None:
    """A port is on the dies of the cells inside that it is connected to. The table lists their places in the module."""
    module = Module()
    pop, data = module.bit(), module.bit()
    module.port("pop", "input", pop)
    module.port("data", "input", data)
    gated = module.bit()
    module.cell("$gate", "LUT1", ("O",), {"I0": pop, "O": gated})
    module.flop("u_front.taken_q", gated)
    module.port("out", "output", module.flop("q", data))
    table = Walk(module.net()).table()
    assert table.inside == {"pop": ["u_front.taken_q"], "data": ["q"], "out": ["q"]}, table.inside
    top = Module()
    near_by, far = top.flop("near_q"), top.flop("far_q")
    top.cell("u_lane", "rill_lane", ("out",), {"pop": near_by, "data": far, "out": top.bit("sum")})
    net = top.net({"u_lane": table}, lambda name: int(name.startswith("u_lane") and "u_front" not in name), (0, 1))
    assert net.borders("near_q_reg", "Q", "u_lane", "pop") == 0
    assert net.borders("far_q_reg", "Q", "u_lane", "data") == 1
    around = Module()
    pop = around.bit()
    around.port("pop", "input", pop)
    around.cell("u_lane", "rill_lane", ("out",), {"pop": pop, "data": around.flop("far_q"), "out": around.bit("sum")})
    assert Walk(around.net({"u_lane": table})).table().inside["pop"] == ["u_lane.u_front.taken_q"]


def case_last_stage() -> None:
    """The last register of a chain has only the name of the port. Its place follows from the stages before it."""
    module = Module()
    module.port("d", "input", module.bit())
    first = module.flop("gen_stage[0].u_stage.q_q", module.ports["d"]["bits"][0])
    module.port("q", "output", module.flop("q", first))
    assert Walk(module.net()).table().inside["q"] == ["gen_stage[1].u_stage"], Walk(module.net()).table().inside


def case_unnamed_blocks() -> None:
    """Blocks that Yosys adds for an `else if` are ignored in the paths of instances."""
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"pblocks-{os.getpid()}.tcl")
    with open(path, "w", encoding="utf-8") as f:
        f.write("rill_place pblock_SLR0 {u_engine}\nrill_place pblock_SLR2 {u_engine/gen_lane[3].gen_sums.*}\n")
    dies = Dies(path, "u_engine.")
    os.remove(path)
    assert (dies.of("gen_lane[3].genblk2.gen_sums.q"), dies.of("gen_lane[3].u_lane")) == (2, 0)


def case_custom_kernel() -> None:
    """The module of a custom kernel was not walked, so paths end and begin at its ports."""
    top = Module()
    wire, made = top.bit("wire"), top.bit("made")
    top.cell("u_one", "rill_one", ("q",), {"q": wire})
    top.cell("u_relu", "Relu_4", ("y",), {"x": wire, "y": made})
    top.cell("u_two", "rill_two", (), {"d": made})
    slow = Table(depart={"q": NS["ff_clock_to_q"] + 2 * NS["lut"]})
    path = top.worst({"u_one": slow}, None, ())
    assert (path.start, path.end) == ("wire", "u_relu.x"), (path.start, path.end)


def case_unknown_cell() -> None:
    """A cell without a delay is refused by name."""
    module = Module()
    module.cell("odd", "XORCY", ("O",), {"O": module.bit("o")})
    try:
        module.net()
    except SystemExit as said:
        assert "no delay for the cell XORCY (odd)" in str(said), said
        return
    raise AssertionError("not refused")


def case_delays() -> None:
    """A row of delays without a source is refused."""
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"delays-{os.getpid()}.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write("lut 0.10 ns\n")
    try:
        read_delays(path)
    except SystemExit as said:
        assert "a delay has a name, a value, a unit and its source" in str(said), said
        return
    finally:
        os.remove(path)
    raise AssertionError("not refused")


def case_record() -> None:
    """The record lists the paths of each die, the longest first, and has the hash of the design's Verilog."""
    said = [Said(3.104, "a", 0, False), Said(4.2, "b", 2, False), Said(4.416, "c", 2, False), Said(2.0, "d", -1, False),
            Said(9.0, "e", 2, True)]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "report.json"), "w", encoding="utf-8") as f:
            json.dump({"name": "x", "rtl": "0123456789abcdef"}, f)
        path = os.path.join(folder, "x.timing.json")
        write_record(path, folder, parts_of(said, True), {"u_a.d": (5, 0), "u_b.d": (7, 1)}, 1)
        with open(path, encoding="utf-8") as f:
            record = json.load(f)
    assert (record["name"], record["rtl"]) == ("x", "0123456789abcdef"), record
    assert [(part["where"], *part["paths"][0].values(), len(part["paths"])) for part in record["parts"]] == [
        ("SLR0", 3.1, "a", 1), ("SLR2", 4.42, "c", 1), ("between dies", 2.0, "d", 1), ("resets", 9.0, "e", 1)], record
    assert record["crossings"] == {"bits": 12, "without_registers": 1}, record
    assert [part.where for part in parts_of(said[:1], False)] == ["design"]


def case_published() -> None:
    """The tables of docs/delay-model.md match the delays and the published paths."""
    rows = published.read_rows()
    assert sum(row.reports for row in rows) >= 100, "fewer than 100 reports"
    with open(os.path.join(ROOT, "docs", "delay-model.md"), encoding="utf-8") as page:
        said = page.read().splitlines()
    for line in published.class_lines(rows, NS) + published.path_lines(rows, NS):
        assert line in said, f"docs/delay-model.md does not say: {line}"


CASES = {name[5:]: run for name, run in list(globals().items()) if name.startswith("case_")}


def main() -> int:
    if len(sys.argv) < 2:
        print(*CASES, sep="\n")
        return 0
    CASES[sys.argv[1]]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
