#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds crossings between dies that do not go from flip-flop to flip-flop, with the placement as Vivado applies it.

usage: crossings.py HIERARCHY NETLIST MODE:PLACEMENT...    MODE: soft, hard

HIERARCHY and NETLIST are Yosys' JSON of one design before and after `flatten` (crossings.sh writes both), PLACEMENT is
placement.tcl. Its lines name instances of rill_top below u_top. The last line that names an instance sets its die. An
instance that no line names is on the die of the instance around it, and a cell outside all named instances may be on
any die. The mode `hard` reads the lines of rill_place, which can also name flip-flops and other cells. The mode `soft`
reads the lines of rill_prefer, which place only instances, because Vivado ignores the preferred die of a cell.

Connected cells may be on two dies only if a flip-flop drives the data input of another flip-flop. All other connected
cells are joined to groups. It is an error if
- a group has cells on two dies;
- a line names no instance or, in the mode `hard`, neither an instance nor a cell;
- one of the two flip-flops of a crossing has no attribute user_sll_reg. Three kinds of flip-flops need none: a driver
  with loads on its own die, for which Vivado ignores the attribute; a copy of a reset (rill_reset_stage), which must be
  near its many loads; and the end of a delay line (rill_delay_line), because few delay lines cross and with few bits.
Every line of the output begins with `MODE:PLACEMENT: `. The exit status is 1 if a placement has an error.
"""
import collections
import gc
import json
import re
import sys

FLIP_FLOP = re.compile(r"^\$(_S?DFF|_DFF|s?dff|a?dff|aldff|dffsr)")
# Cells whose bits do not depend on each other, so that each bit counts as a separate cell.
BITWISE = {"$and", "$or", "$xor", "$xnor", "$not", "$mux", "$pos"}
CLOCKS = {"CLK", "RD_CLK", "WR_CLK", "C"}  # ports of Yosys' cells that are clocks
LISTED = 20  # errors of each kind that are printed; the others are counted


def instances(modules, top):
    """Returns {Yosys' flat name of an instance below the top: its path in the vendor's tools, with `/`}, and the set of
    the paths whose flip-flops need no user_sll_reg."""
    found, elsewhere, todo = {}, set(), [("", "", top)]
    while todo:
        flat, path, module = todo.pop()
        for name, cell in modules[module]["cells"].items():
            if cell["type"] in modules and not modules[cell["type"]]["attributes"].get("blackbox"):
                # Yosys adds a block genblkN around the `if` of an `else if`. The vendor's tools have no such block.
                here = (flat + name, path + re.sub(r"\bgenblk\d+\.", "", name))
                found[here[0]] = here[1]
                if "rill_reset_stage" in cell["type"] or "rill_delay_line" in cell["type"]:
                    elsewhere.add(here[1])
                todo.append((here[0] + ".", here[1] + "/", cell["type"]))
    return found, elsewhere


def lines_of(text, mode):
    """Returns the lines of placement.tcl for the mode, in order: (die, path)."""
    word = {"soft": r"rill_prefer (\S+)", "hard": r"rill_place pblock_(\S+)"}[mode]
    return re.findall(r"^" + word + r" \{([^}]*)\}$", text, re.M)


def pattern_of(path):
    """Returns a pattern that matches as in Vivado's get_cells: `*` matches any characters except `/`, and brackets
    match themselves."""
    return re.compile("".join("[^/]*" if c == "*" else re.escape(c) for c in path) + r"\Z")


class Placement:
    """The dies to which the lines of a placement assign instances. A path has the form u_top/u_shared/... ."""

    def __init__(self, lines, paths, cells_too):
        self.cells_too = cells_too  # whether a line can also place a single cell
        self.plain, self.globs, self.used = {}, [], set()
        for number, (die, path) in enumerate(lines):
            path = f"u_top/{path}"
            if "*" in path:
                self.globs.append((number, die, pattern_of(path), path.count("/"), path.split("*")[0]))
            else:
                self.plain[path] = (number, die)
        self.lines, self.cache = lines, {}
        for path in paths:
            self.own(path)

    def own(self, path):
        """Returns the last line that names exactly this path: (number, die), or None. Counts lines as used."""
        best = self.plain.get(path)
        if best:
            self.used.add(best[0])
        depth = path.count("/")
        for number, die, pattern, slashes, begin in self.globs:
            if depth == slashes and path.startswith(begin) and pattern.match(path):
                self.used.add(number)
                if not best or number > best[0]:
                    best = (number, die)
        return best

    def die(self, path):
        """Returns the die of an instance: that of its last line, or that of the instance around it, or None."""
        if path not in self.cache:
            own = self.own(path)
            self.cache[path] = own[1] if own else self.die(path.rpartition("/")[0]) if "/" in path else None
        return self.cache[path]

    def unused(self):
        return [path for number, (_, path) in enumerate(self.lines) if number not in self.used]


def registers(modules, paths, top):
    """Returns {flat name of a net that flip-flops of an instance drive: flat name of the instance}."""
    found, todo = {}, [("", top)]
    driven = {}
    for name, module in modules.items():
        bits = {bit for cell in module["cells"].values() if FLIP_FLOP.match(cell["type"])
                for bit in cell["connections"]["Q"]}
        driven[name] = [net for net, about in module["netnames"].items() if not bits.isdisjoint(about["bits"])]
    while todo:
        flat, module = todo.pop()
        for net in driven[module]:
            found[f"{flat}.{net}" if flat else net] = flat
        for name, cell in modules[module]["cells"].items():
            here = f"{flat}.{name}" if flat else name
            if here in paths:
                todo.append((here, cell["type"]))
    return found


def homes(cells, netnames, paths, register):
    """Returns {cell: (path of its instance, its own path as in the vendor's tools)}. When Yosys adds an enable or a
    reset to a flip-flop, the name of the new cell has no instance. Then `register`, the result of registers(), gives
    the instance by the net that the cell drives."""
    names = collections.defaultdict(list)
    for name, net in netnames.items():
        if not net.get("hide_name") and "$" not in name:
            for bit in net["bits"]:
                names[bit].append(name)
    prefixes = {}

    def prefix(flat):  # returns the innermost instance of the flat name
        parts, best = flat, ""
        while True:
            if parts in paths:
                best = parts
                break
            if "." not in parts:
                break
            parts = parts.rpartition(".")[0]
        return best

    for name, cell in cells.items():
        plain = re.sub(r"^\$flatten", "", name).replace("\\", "")
        flat = prefix(plain.split("$")[0].rstrip("."))
        out = cell["connections"].get("Q") or cell["connections"].get("Y") or []
        if not flat and FLIP_FLOP.match(cell["type"]):
            flat = next((register[net] for net in names[out[0]] if net in register), "")
        where = paths.get(flat, "")
        local = [n[len(flat) + 1:] if flat else n for bit in out[:1] for n in names[bit] if not flat or n.startswith(flat + ".")]
        local = min(local, key=len) if local else plain[len(flat) + 1:] if flat else plain
        local = re.sub(r"\bgenblk\d+\.", "", local)
        prefixes[name] = (where, f"{where}/{local}" if where else local)
    return prefixes


class Groups:
    """A union-find structure: `join` merges the groups of two members, `find` returns the representative of a group."""

    def __init__(self):
        self.parent = {}

    def find(self, a):
        root = a
        while self.parent.setdefault(root, root) != root:
            root = self.parent[root]
        while self.parent[a] != root:
            self.parent[a], a = root, self.parent[a]
        return root

    def join(self, a, b):
        self.parent[self.find(a)] = self.find(b)


def node_of(cell, name, port, bit):
    """Returns the nodes (cell, bit) to which a bit of a port belongs. A flip-flop or a bitwise cell has a node for each
    bit; any other cell is a single node."""
    if FLIP_FLOP.match(cell["type"]) or cell["type"] in BITWISE:
        width = len(cell["connections"].get("Q") or cell["connections"].get("Y"))
        if len(cell["connections"][port]) == width and (width > 1 or port in "QYDAB"):
            return [(name, bit)]
        return [(name, i) for i in range(width)]  # an input on which all bits depend
    return [(name, 0)]


class Netlist:
    """The flat design. It is read once for all placements, because that takes most of the time."""

    def __init__(self, hierarchy, flat):
        with open(hierarchy, encoding="utf-8") as file:
            modules = json.load(file)["modules"]
        with open(flat, encoding="utf-8") as file:
            design = next(iter(json.load(file)["modules"].values()))
        top = next(name for name, module in modules.items() if module["attributes"].get("top"))
        self.paths, self.elsewhere = instances(modules, top)
        self.cells = design["cells"]
        self.where = homes(self.cells, design["netnames"], self.paths, registers(modules, self.paths, top))
        self.flops = {name for name, cell in self.cells.items() if FLIP_FLOP.match(cell["type"])}
        self.wires = self.wires_of_cells()
        nets = design["netnames"].values()
        marked = {bit for net in nets if "user_sll_reg" in net["attributes"] for bit in net["bits"]}
        self.at_border = {name for name in self.flops if marked.issuperset(self.cells[name]["connections"]["Q"])
                          or self.where[name][0] in self.elsewhere}

    def wires_of_cells(self):
        """Returns {(source, its port, sink, its port): connected bits}. Each entry is (source's bit << 20 | sink's
        bit). Clocks are left out."""
        drivers, wires = {}, collections.defaultdict(list)
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                if cell["port_directions"].get(port) == "output":
                    for i, bit in enumerate(bits):
                        drivers[bit] = (name, port, i)
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                if cell["port_directions"].get(port) == "output" or port in CLOCKS:
                    continue
                for i, bit in enumerate(bits):
                    if bit in drivers:
                        source, out, k = drivers[bit]
                        wires[source, out, name, port].append(k << 20 | i)
        return wires

    def nodes(self, name, port, bits):
        """Returns the nodes of each of these bits of a port."""
        cell = self.cells[name]
        return [node_of(cell, name, port, bit) for bit in bits]


def judge(netlist, placement, say):
    """Reports the errors of a placement with `say`, then a summary. Returns whether there are none."""
    cells, where = netlist.cells, netlist.where

    def die_of(name):
        home, own = where[name]
        line = placement.own(own) if placement.cells_too and own != home else None
        return line[1] if line else placement.die(home) if home else None

    dies = {name: die_of(name) for name in cells}
    for path in placement.unused():
        say(f"error: no instance {path}")
    groups, edges, crossings, direct, plain = Groups(), collections.defaultdict(list), 0, {}, set()
    at_home = {source for source, _, name, _ in netlist.wires if dies[name] in (None, dies[source])}
    for (source, out, name, port), bits in netlist.wires.items():
        flop, apart = name in netlist.flops, dies[source] != dies[name]
        # Two cells that lines put on the same die need not be joined: the groups only have to find paths from one die
        # to another through cells without a die.
        if dies[source] and not apart:
            continue
        if flop and port == "D" and source in netlist.flops:
            crossings += len(bits) * apart
            if apart and dies[name] and dies[source]:
                plain |= {end for end in (source, name) if end not in netlist.at_border} - (at_home & {source})
            continue
        if dies[source] and dies[name]:
            direct.setdefault((where[source][1], where[name][1]), (dies[source], dies[name]))
            continue
        for of_source, of_sink in zip(netlist.nodes(source, out, (bit >> 20 for bit in bits)),
                                      netlist.nodes(name, port, (bit & 0xFFFFF for bit in bits))):
            for a in of_source:
                for b in of_sink:
                    groups.join(a, b)
                    edges[a].append((b, port))
                    edges[b].append((a, out))
    members = collections.defaultdict(lambda: collections.defaultdict(list))
    for node in groups.parent:
        if dies[node[0]]:
            members[groups.find(node)][dies[node[0]]].append(node)
    for (source, name), (start, end) in list(direct.items())[:LISTED]:
        say(f"error: not from flip-flop to flip-flop: {source} ({start}) - {name} ({end})")
    if len(direct) > LISTED:
        say(f"error: {len(direct) - LISTED} more such crossings")
    plain = sorted({where[name][1] for name in plain})
    for name in plain[:LISTED]:
        say(f"error: a flip-flop of a crossing without user_sll_reg: {name}")
    if len(plain) > LISTED:
        say(f"error: {len(plain) - LISTED} more such flip-flops")
    wrong = [by_die for by_die in members.values() if len(by_die) > 1]
    for by_die in wrong[:LISTED]:
        report(by_die, edges, dies, where, say)
    if len(wrong) > LISTED:
        say(f"error: {len(wrong) - LISTED} more groups")
    placed = sum(1 for die in dies.values() if die)
    say(f"{len(placement.lines)} lines, {placed} of {len(cells)} cells on dies, {crossings} crossings from flip-flop to "
        f"flip-flop, {len(direct)} others, {len(wrong)} groups of cells between two dies")
    return not (wrong or direct or plain or placement.unused())


def main():
    if len(sys.argv) < 4 or not all(re.match("(soft|hard):", pair) for pair in sys.argv[3:]):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    gc.disable()  # the netlist is kept to the end, and searching it for reference cycles takes a third of the time
    netlist, right = Netlist(*sys.argv[1:3]), True
    for pair in sys.argv[3:]:
        mode, _, path = pair.partition(":")
        with open(path, encoding="utf-8") as file:
            placement = Placement(lines_of(file.read(), mode), netlist.paths.values(), mode == "hard")
        right &= judge(netlist, placement, lambda text, pair=pair: print(f"{pair}: {text}", flush=True))
    sys.exit(not right)


def report(by_die, edges, dies, where, say):
    """Reports the shortest path from a cell on one die, through cells without a die, to a cell on another die."""
    die, start = next((die, nodes) for die, nodes in by_die.items())
    came = {node: None for node in start}
    todo = collections.deque(start)
    while todo:
        node = todo.popleft()
        if dies[node[0]] not in (None, die):
            way = [node]
            while came[way[-1]]:
                way.append(came[way[-1]])
            say("error: not from flip-flop to flip-flop: " + " - ".join(f"{where[n][1]} ({dies[n] or 'no die'})" for n, _ in reversed(way)))
            return
        if dies[node[0]] == die or dies[node[0]] is None:
            for other, _ in edges[node]:
                if other not in came:
                    came[other] = node
                    todo.append(other)
    say("error: not from flip-flop to flip-flop, in a group of " + ", ".join(f"{len(v)} cells of {k}, first {where[v[0][0]][1]}" for k, v in by_die.items()))


main()
