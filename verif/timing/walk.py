#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Longest register-to-register path of a netlist that Yosys wrote (synth_xilinx -family xcup, write_json), by a stated delay model.

The figures are nanoseconds of an UltraScale+ part of speed grade -2L at 0.85 V: rounded up from what vendor reports of this family show for
the cell alone; a DSP or RAM from the maximum frequencies of the data sheet. Placement is not known, so a net costs by its fan-out only.
docs/timing.md says what the model leaves out.
"""
import argparse
import json
import math
import sys

CLOCK_TO_Q, SETUP, SETUP_ENABLE = 0.08, 0.05, 0.10
LUT, MUXF = 0.10, 0.06
CARRY_IN, CARRY_STEP, CARRY_OUT = 0.12, 0.02, 0.10  # S or DI to the chain, through a cell of it, chain to O
NET, NET_DOUBLING, NET_MOST = 0.25, 0.08, 0.90      # a load; each doubling of the loads; at most (a tool replicates the driver)
DSP_MULTIPLY, DSP_SETUP = 2.00, 0.10                # A or B to P without MREG
DSP_READ, DSP_CASCADE = 0.30, 1.10                  # clock to P with PREG; PCIN to the register of P
BRAM_READ, URAM_READ, SRL_READ, RAM_SETUP = 0.95, 1.05, 0.55, 0.25
ENABLE_PINS = {"CE", "R", "S", "CLR", "PRE", "RSTP", "CEP"}


def kind_of(cell):
    t = cell["type"]
    if t.startswith("FD") or t.startswith("LD"):
        return "ff"
    if t.startswith("LUT") or t in ("INV", "BUF"):
        return "lut"
    if t.startswith("MUXF"):
        return "muxf"
    if t.startswith("CARRY"):
        return "carry"
    if t.startswith("DSP"):
        return "dsp" if int(cell["parameters"].get("PREG", "0"), 2) == 0 else "dsp_reg"
    if t.startswith("SRL"):
        return "srl"
    if t.startswith("RAMB"):
        return "bram"
    if t.startswith("URAM"):
        return "uram"
    if t.startswith("RAM"):
        return "lutram"
    return "constant" if t in ("GND", "VCC") else "box" if "rill_" in t else "unknown"


READ = {"bram": BRAM_READ, "uram": URAM_READ, "srl": SRL_READ, "ff": CLOCK_TO_Q, "dsp_reg": DSP_READ, "box": CLOCK_TO_Q}  # a box: a module walked on its own


class Netlist:
    def __init__(self, module):
        self.cells = module["cells"]
        self.kind = {name: kind_of(c) for name, c in self.cells.items()}
        self.driver, self.loads, self.enables = {}, {}, {}
        self.arrival, self.before, self.own = {}, {}, {}
        for name, cell in self.cells.items():
            copies = 1
            if "rill_register_tree" in cell["type"]:
                copies = len(cell["connections"]["q"]) // len(cell["connections"]["d"])
            for port, bits in cell["connections"].items():
                out = cell["port_directions"][port] == "output"
                for bit in bits:
                    if isinstance(bit, str):
                        continue
                    if out:
                        self.driver[bit] = (name, port)
                    elif port in ENABLE_PINS:
                        self.enables[bit] = self.enables.get(bit, 0) + 1
                    elif port not in ("C", "CLK", "CLKA", "CLKB", "WCLK", "CLKARDCLK", "CLKBWRCLK"):
                        self.loads[bit] = self.loads.get(bit, 0) + copies
        # A product's registers are the multiplier's own: one enable for all its bits.
        inside = {}
        for name, cell in self.cells.items():
            if self.kind[name] == "ff":
                source = self.multiplier(cell["connections"]["D"][0])
                for port in ENABLE_PINS & set(cell["connections"]) if source else ():
                    bit = cell["connections"][port][0]
                    if isinstance(bit, str):
                        continue
                    if (source, bit) in inside:
                        self.enables[bit] -= 1
                    inside[(source, bit)] = True
        self.total = {b: self.loads.get(b, 0) + self.enables.get(b, 0) for b in set(self.loads) | set(self.enables)}
        self.names = {}
        for name, net in module["netnames"].items():
            for bit in net["bits"]:
                if not isinstance(bit, str) and (bit not in self.names or len(name) < len(self.names[bit])):
                    self.names[bit] = name

    def net(self, bit):
        loads = self.loads.get(bit, 0) + self.enables.get(bit, 0)
        return min(NET + NET_DOUBLING * math.log2(max(loads, 1)), NET_MOST)

    def wire(self, bit, to_kind, port):
        """Delay from the driver's pin to the load's: none inside a carry chain, a slice's multiplexers, or between a DSP and its registers."""
        from_kind = self.kind[self.driver[bit][0]] if bit in self.driver else "ff"
        if from_kind == "carry" and to_kind == "carry" and port == "CI" or port == "PCIN":
            return 0.0
        if (from_kind, to_kind) in (("lut", "muxf"), ("muxf", "muxf")) or (from_kind == "lut" and to_kind == "carry" and self.loads.get(bit, 0) <= 2):
            return 0.0
        if "dsp" in (from_kind, to_kind) and "ff" in (from_kind, to_kind):
            return 0.0
        if from_kind == "carry" and to_kind == "ff" and self.own_adder(self.driver[bit][0]):
            return 0.0
        return self.net(bit)

    def through(self, kind, port_in, port_out, steps):
        if kind == "carry":
            if port_out.startswith("O"):
                return CARRY_STEP * steps + CARRY_OUT if port_in == "CI" else CARRY_IN + CARRY_STEP * steps
            return CARRY_STEP * steps if port_in == "CI" else CARRY_IN + CARRY_STEP * steps
        return {"lut": LUT, "lutram": LUT, "muxf": MUXF, "dsp": DSP_MULTIPLY}[kind]

    def multiplier(self, bit):
        """The multiplier that drives a bit, through its own adder too."""
        name, _ = self.driver.get(bit, (None, None))
        if name and self.kind[name] == "carry" and self.own_adder(name):
            for port in ("S", "DI"):
                for b in self.cells[name]["connections"].get(port, []):
                    driver = self.driver.get(b, (None, None))[0]
                    if driver and self.kind[driver] == "lut":
                        driver = next((self.driver[x][0] for p, d in self.cells[driver]["port_directions"].items() if d == "input"
                                       for x in self.cells[driver]["connections"][p] if x in self.driver), None)
                    if driver and self.kind[driver] == "dsp":
                        return driver
        return name if name and self.kind[name] == "dsp" else None

    def own_adder(self, name):
        """Whether a carry cell adds a constant to a product and nothing else: that is the multiplier's own adder, which sums its partial products
        in any case."""
        if name not in self.own:
            cell, good, product = self.cells[name], True, False
            for port in ("S", "DI", "CI", "CI_TOP", "CYINIT"):
                for bit in cell["connections"].get(port, []):
                    if isinstance(bit, str):
                        continue
                    driver, out = self.driver.get(bit, (None, None))
                    if driver and self.kind[driver] == "lut":  # an inverter
                        inputs = [b for p, d in self.cells[driver]["port_directions"].items() if d == "input" for b in self.cells[driver]["connections"][p]]
                        inputs = [b for b in inputs if not isinstance(b, str)]
                        driver, out = self.driver.get(inputs[0], (None, None)) if len(inputs) == 1 else (None, None)
                    if driver and self.kind[driver] == "dsp":
                        product = True
                    elif not (driver and self.kind[driver] == "constant") and not (out == "CO" and self.own_adder(driver)):
                        good = False
            self.own[name] = good and (product or any(
                not isinstance(b, str) and self.kind[self.driver[b][0]] == "carry" for b in cell["connections"].get("CI", []) if b in self.driver))
        return self.own[name]

    def sources(self, bit):
        """(bit, port) of the inputs that an output of a combinational cell follows; None at a start of paths."""
        if bit not in self.driver:
            return None
        name, port = self.driver[bit]
        kind, cell = self.kind[name], self.cells[name]
        if kind in READ or kind in ("constant", "unknown"):
            return None
        if kind == "lutram":  # asynchronous read
            index = port[-1] if port.startswith("DO") or port.startswith("DP") else ""
            ports = [p for p in cell["connections"] if p.startswith("ADDR" + (index if len(port) == 3 else "")) or p.startswith("DPRA") or p in ("A",)]
        else:
            ports = [p for p, d in cell["port_directions"].items() if d == "input" and p not in ENABLE_PINS and p not in ("CLK", "C")]
        own = cell["connections"][port].index(bit)
        found = []
        for p in ports:
            bits = cell["connections"][p]
            for i, b in enumerate(bits):
                if isinstance(b, str) or (kind == "carry" and len(bits) > 1 and i > own):
                    continue
                found.append((b, p, own - i + 1 if kind == "carry" and len(bits) > 1 else own + 1))
        return found

    def settle(self, bit):
        """Arrival of a bit at its driver's pin. Iterative: paths are longer than Python's stack."""
        stack = [bit]
        while stack:
            top = stack[-1]
            if top in self.arrival:
                stack.pop()
                continue
            sources = self.sources(top)
            if sources is None:
                kind = self.kind[self.driver[top][0]] if top in self.driver else "ff"
                self.arrival[top] = READ.get(kind, 0.0)
                stack.pop()
                continue
            waiting = [b for b, _, _ in sources if b not in self.arrival]
            if waiting:
                if len(stack) > 100000:
                    sys.exit("error: a combinational loop")
                stack.extend(waiting)
                continue
            name, port = self.driver[top]
            best = (0.0, None)
            for b, p, steps in sources:
                if self.kind[name] == "carry" and self.own_adder(name):
                    best = max(best, (self.arrival[b], b), key=lambda x: x[0])
                    continue
                at = self.arrival[b] + self.wire(b, self.kind[name], p) + self.through(self.kind[name], p, port, steps)
                best = max(best, (at, b), key=lambda x: x[0])
            self.arrival[top], self.before[top] = best
            stack.pop()
        return self.arrival[bit]

    def ends(self, outputs):
        """(delay, bit, what) of every end of a path."""
        for name, cell in self.cells.items():
            kind = self.kind[name]
            if kind not in ("ff", "bram", "uram", "srl", "dsp", "dsp_reg", "lutram", "box"):
                continue
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] != "input" or port.startswith("C") and port != "CE" or port in ("WCLK",):
                    continue
                if kind in ("dsp", "lutram") and not (kind == "lutram" and port.startswith(("DI", "WE"))):
                    continue  # combinational here
                for bit in bits:
                    if isinstance(bit, str):
                        continue
                    setup = SETUP_ENABLE if port in ENABLE_PINS else SETUP if kind == "ff" else RAM_SETUP
                    if kind == "dsp_reg" and port not in ENABLE_PINS:
                        setup = DSP_CASCADE if port == "PCIN" else DSP_MULTIPLY + DSP_SETUP
                    yield self.settle(bit) + self.wire(bit, kind, port) + setup, bit, f"{kind}.{port}"
        for bit in outputs:
            yield self.settle(bit) + NET + SETUP, bit, "port"

    def path(self, bit):
        steps = []
        while bit is not None:
            steps.append(bit)
            bit = self.before.get(bit)
        return steps[::-1]


def walk(path, options):
    with open(path, encoding="utf-8") as f:
        modules = json.load(f)["modules"]
    tops = [m for m in modules.values() if m.get("attributes", {}).get("top", "0").strip("0")]
    net = Netlist(tops[0])
    unknown = sorted({c["type"] for n, c in net.cells.items() if net.kind[n] == "unknown"})
    if unknown:
        sys.exit(f"error: no delay for the cell {unknown[0]}")
    outputs = [b for p in tops[0]["ports"].values() if p["direction"] == "output" for b in p["bits"] if not isinstance(b, str)]
    ends = sorted(net.ends(outputs), key=lambda e: -e[0])
    worst = ends[0] if ends else (0.0, None, "nothing")
    if options.worst:
        seen = set()
        for delay, bit, end in ends:
            key = (net.names.get(net.path(bit)[0]), net.names.get(bit))
            if key not in seen and len(seen) < options.worst:
                seen.add(key)
                print(f"{delay:.2f} {key[0]} -> {key[1]} ({end})")
        for bit, loads in sorted(net.total.items(), key=lambda l: -l[1])[:options.worst]:
            print(f"{loads} loads ({net.enables.get(bit, 0)} enables): {net.names.get(bit)} {net.kind[net.driver[bit][0]] if bit in net.driver else 'port'}")
    wide = max(net.loads.items(), key=lambda l: l[1], default=(None, 0))
    by_logic = lambda bit: bit in net.driver and net.kind[net.driver[bit][0]] in ("lut", "muxf", "carry")
    stall = max(((b, n) for b, n in net.enables.items() if by_logic(b)), key=lambda l: l[1], default=(None, 0))
    enable = max(((b, n) for b, n in net.enables.items() if not by_logic(b)), key=lambda l: l[1], default=(None, 0))
    return net, worst, wide, enable, stall


def print_boxes(path):
    """Each module that the netlist leaves empty, as a line of modules.txt."""
    with open(path, encoding="utf-8") as f:
        modules = json.load(f)["modules"]
    used = {c["type"] for m in modules.values() if m.get("attributes", {}).get("top", "0").strip("0") for c in m["cells"].values()}
    for name in sorted(used & set(modules)):
        module = modules[name]
        if module["attributes"].get("blackbox", "0").strip("0") and "rill_" in name:
            bits = lambda v: int(v, 2) if set(v) <= {"0", "1"} else f'"{v.strip()}"'
            parameters = sorted(module.get("parameter_default_values", {}).items())
            print(module["attributes"]["hdlname"].strip("\\ "), *(f"{n}={bits(v)}" for n, v in parameters))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("netlist")
    parser.add_argument("--limit", type=float, default=3.2, help="ns of the longest path (default 3.2: 250 MHz with 20 %% for routing)")
    parser.add_argument("--fanout", type=int, default=1600, help="loads of a net other than enables and resets (default 1600)")
    parser.add_argument("--enables", type=int, default=3200, help="enables and resets of a net from a register or a port (default 3200)")
    parser.add_argument("--stall", type=int, default=8000, help="enables of a net from logic, as of stages that stall together (default 8000)")
    parser.add_argument("--worst", type=int, default=0, help="also the longest paths of so many ends, and the nets with most loads")
    parser.add_argument("--path", action="store_true", help="show the longest path, net by net")
    parser.add_argument("--boxes", action="store_true", help="only print the modules that the netlist leaves empty, with their parameters")
    options = parser.parse_args()
    if options.boxes:
        print_boxes(options.netlist)
        return 0
    net, (delay, bit, end), wide, enable, stall = walk(options.netlist, options)
    steps = net.path(bit) if bit is not None else []
    levels = sum(1 for b in steps if b in net.driver and net.kind[net.driver[b][0]] in ("lut", "muxf", "dsp", "lutram"))
    name = lambda b: net.names.get(b, "?") if b is not None else "-"
    print(f"{delay:.2f} ns, {levels} levels, {name(steps[0]) if steps else '-'} to {name(bit)} ({end}); "
          f"most loads {wide[1]} ({name(wide[0])}), enables {enable[1]}, of a stall {stall[1]}")
    if options.path:
        for b in steps:
            kind = net.kind[net.driver[b][0]] if b in net.driver else "port"
            print(f"  {net.arrival[b]:6.2f}  {kind:8} {net.loads.get(b, 0) + net.enables.get(b, 0):5} loads  {name(b)}")
    bad = [] if delay <= options.limit else [f"longest path {delay:.2f} ns is above {options.limit} ns"]
    bad += [] if wide[1] <= options.fanout else [f"{name(wide[0])} has {wide[1]} loads, above {options.fanout}"]
    bad += [] if enable[1] <= options.enables else [f"{name(enable[0])} enables {enable[1]} cells, above {options.enables}"]
    bad += [] if stall[1] <= options.stall else [f"{name(stall[0])} enables {stall[1]} cells, above {options.stall}"]
    for line in bad:
        print(f"error: {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
