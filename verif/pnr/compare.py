#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints nextpnr's result for a design, and compares its arrival times with a delay model that knows no placement.

usage: verif/pnr/compare.py NETLIST_JSON REPORT_JSON --mhz N
The model is that of verif/timing without distances, with the delays of the ECP5: each kind of cell has a delay, and
the delay of a net depends only on its fan-out. The delays of cells are those of nextpnr's database for speed grade 8,
rounded. The delay of a net is that of verif/timing/delays.txt, multiplied by the factor by which a LUT is slower here.
Unlike there, the delay of a net has an upper limit.
For each data pin of a register, the routed arrival time is divided by the model's. If all quotients were equal, the
model would order the paths as the router does. Exit status 1: the routed clock is slower than N MHz.
"""
import argparse
import json
import math
import statistics

# all delays in ns
CLOCK_TO_Q, LUT, MUX = 0.40, 0.18, 0.14
CARRY_IN, CARRY_STEP, CARRY_OUT = 0.35, 0.06, 0.33
MULTIPLY, RAM_READ = 3.60, 4.26
SLOWER = LUT / 0.10  # 0.10: delay of a LUT in verif/timing/delays.txt
# NET_MOST: upper limit of a net's delay. It is assumed; delays.txt has no such limit.
NET, NET_DOUBLING, NET_MOST = 0.25 * SLOWER, 0.08 * SLOWER, 0.90 * SLOWER
# names of clock ports of cells
CLOCKS = {"CLK", "WCK", "CLKA", "CLKB", "CLK0", "CLK1", "CLK2", "CLK3"}
# beginnings of the names of ports on which no output of the same cell depends, because they act at a clock edge
NOT_FOLLOWED = ("WAD", "DI", "WRE", "CE", "RST")
WORST = 10  # number of registers with the latest arrival that are printed


class Netlist:
    """The cells of a module, and the arrival times of the model in ns. A net is named by its bit, a number in the JSON.
    driver: the cell and port that drive a net. loads: the number of input pins on a net."""

    def __init__(self, module):
        self.cells, self.driver, self.loads, self.arrival = module["cells"], {}, {}, {}
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                for bit in bits:
                    if isinstance(bit, str) or port in CLOCKS:
                        continue
                    if cell["port_directions"][port] == "output":
                        self.driver[bit] = (name, port)
                    else:
                        self.loads[bit] = self.loads.get(bit, 0) + 1

    def net(self, bit):
        """Returns the delay of a net in ns, which follows from its number of loads."""
        return min(NET + NET_DOUBLING * math.log2(max(self.loads.get(bit, 1), 1)), NET_MOST)

    def wire(self, bit, cell, port):
        """Returns the delay of a net to a pin: 0 inside a carry chain and between a slice's LUTs and multiplexers."""
        inside = port in ("CIN", "ALUT", "BLUT") or cell["type"] == "L6MUX21" and port in ("D0", "D1")
        return 0.0 if inside else self.net(bit)

    def starts(self, bit):
        """Returns the arrival time of a net at which a path begins (input, register, block RAM), or None for others."""
        if bit not in self.driver:
            return 0.0
        return {"TRELLIS_FF": CLOCK_TO_Q, "DP16KD": RAM_READ}.get(self.cells[self.driver[bit][0]]["type"])

    @staticmethod
    def through(kind, port_in, port_out):
        """Returns the delay of a combinational cell from one of its inputs to one of its outputs."""
        if kind == "CCU2C":
            first = CARRY_STEP if port_in == "CIN" else CARRY_IN
            return first if port_out == "COUT" else first + CARRY_OUT - (CARRY_STEP if port_in == "CIN" else 0)
        return {"PFUMX": MUX, "L6MUX21": MUX, "MULT18X18D": MULTIPLY}.get(kind, LUT)

    def sources(self, bit):
        """Returns (bit, port) of the inputs of the cell that drives a net, if its output depends on them."""
        name, out = self.driver[bit]
        cell, found = self.cells[name], []
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output" or port in CLOCKS or port.startswith(NOT_FOLLOWED):
                continue
            # S0 is the lower sum of a CCU2C. The inputs that end in 1 only act on the upper sum.
            if out == "S0" and port in ("A1", "B1", "C1", "D1"):
                continue
            found += [(b, port) for b in bits if not isinstance(b, str)]
        return found

    def settle(self, bit):
        """Returns the arrival time of a net. Computes those of the nets on which it depends first, on a stack, because
        paths can be long."""
        stack = [bit]
        while stack:
            top = stack[-1]
            start = self.starts(top)
            if top in self.arrival or start is not None:
                self.arrival.setdefault(top, start)
                stack.pop()
                continue
            sources = self.sources(top)
            waiting = [b for b, _ in sources if b not in self.arrival]
            if waiting:
                stack.extend(waiting)
                continue
            name, out = self.driver[top]
            cell = self.cells[name]
            self.arrival[top] = max((self.arrival[b] + self.wire(b, cell, port) + self.through(cell["type"], port, out)
                                     for b, port in sources), default=0.0)
            stack.pop()
        return self.arrival[bit]

    def at_register(self, name):
        """Returns the arrival time at the data pin of a register, or None if no cell drives the pin (a constant or an
        input of the module)."""
        bit = self.cells[name]["connections"]["DI"][0]
        return None if isinstance(bit, str) or bit not in self.driver else self.settle(bit) + self.net(bit)


def routed_arrivals(report):
    """Returns {register: routed arrival time at its data pin in ns}."""
    found = {}
    for net in report["detailed_net_timings"]:
        for end in net["endpoints"]:
            # nextpnr moves the data of a register from pin DI to pin M, unless the cell that drives it is in the slice.
            if end["port"] in ("DI", "M"):
                delay = end["delay"] if isinstance(end["delay"], (int, float)) else max(end["delay"])
                found[end["cell"]] = max(found.get(end["cell"], 0.0), delay)
    return found


def print_use(report):
    """Prints how many cells of each kind the design uses."""
    for name, cell in sorted(report["utilization"].items()):
        if cell["used"] and cell["available"]:
            used, there = cell["used"], cell["available"]
            print(f"  {name:14} {used:6} of {there:6} {100 * used / there:5.1f} %")


def print_longest(report):
    """Prints the longest routed path: its parts (cells, nets, setup) and its ends."""
    path = report["critical_paths"][0]["path"]
    by_type = {}
    for step in path:
        by_type[step["type"]] = by_type.get(step["type"], 0.0) + step["delay"]
    parts = ", ".join(f"{kind} {ns:.2f}" for kind, ns in by_type.items())
    print(f"longest path: {sum(by_type.values()):.2f} ns, {parts}")
    print(f"  from {path[0]['from']['cell']}\n  to   {path[-1]['to']['cell']}")


def ranks(values):
    """Returns the rank of each value, 0 for the smallest."""
    order = sorted(range(len(values)), key=values.__getitem__)
    rank = [0] * len(values)
    for place, index in enumerate(order):
        rank[index] = place
    return rank


def print_comparison(net, report):
    """Prints the quotients of routed and modelled arrival times, and the latest registers by the router."""
    pairs = []
    for name, routed in routed_arrivals(report).items():
        cell = net.cells.get(name)
        model = net.at_register(name) if cell and cell["type"] == "TRELLIS_FF" else None
        if model:
            pairs.append((routed, model, name))
    if not pairs:
        raise SystemExit("error: no register of the netlist is in the report")
    quotients = sorted(routed / model for routed, model, _ in pairs)
    tenth = len(quotients) // 10
    agreement = statistics.correlation(ranks([p[0] for p in pairs]), ranks([p[1] for p in pairs]))
    print(f"model against router: data pins of {len(pairs)} registers; routed / model: "
          f"median {statistics.median(quotients):.2f}, eight of ten in {quotients[tenth]:.2f} to "
          f"{quotients[-1 - tenth]:.2f}; correlation of ranks {agreement:.2f}")
    print(f"the {WORST} latest by the router: routed ns, model ns, place by the model")
    place = {name: at + 1 for at, (_, _, name) in enumerate(sorted(pairs, key=lambda p: -p[1]))}
    for routed, model, name in sorted(pairs, reverse=True)[:WORST]:
        print(f"  {routed:6.2f} {model:6.2f} {place[name]:6}  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("netlist")
    parser.add_argument("report")
    parser.add_argument("--mhz", type=float, required=True, help="clock that was asked for")
    given = parser.parse_args()
    with open(given.netlist, encoding="utf-8") as f:
        module = json.load(f)["modules"]["rill_pnr_shell"]
    with open(given.report, encoding="utf-8") as f:
        report = json.load(f)
    clock, = report["fmax"].values()
    print(f"routed: {clock['achieved']:.1f} MHz, asked for {given.mhz:.0f}")
    print_use(report)
    print_longest(report)
    print_comparison(Netlist(module), report)
    return 0 if clock["achieved"] >= given.mhz else 1


if __name__ == "__main__":
    raise SystemExit(main())
