#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the files of a package with one another and with its Verilog. tests/package/run.sh runs it.

usage: check.py WHAT PACKAGE [FILE]...
  registers       package.json, kernel.xml, component.xml and design.tcl have the registers of rtl/rill_axil_regs.v
  pins            component.xml has the pins of the kernel's module, and constant AXI signals have the platform's values
  tcl RECORD      RECORD is what package_xo.tcl did under the mock: registers, interfaces, clock, reset, parameters
  link            link.cfg: the compute units, every memory port of each on a separate bank
  core            the FuseSoC core names the files of filelist.f
  docs FILE       FILE is the table of `rill package --registers` and has the registers of rtl/rill_axil_regs.v
  xclbin FILE     FILE is what XRT's library reads from a binary: arguments, offsets, banks
  one_clock FILE  a design with one clock has no MMCM. FILE lists its instances
  clocks FILE     a design with two clocks: how they are made, and the constraints between them. FILE lists the
                  instances
If there is a difference, the first one is printed and the exit status is 1.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
# HOST_NAMES: names for the host, by the names of signals in the register file, where they differ. CONTROL: names of the
# control registers, which are not arguments, by offset.
HOST_NAMES = {"ids_count": "ids_written", "fault_code": "fault", "ignore_eot": "flags", "clock_state": "clock",
              "held_now": "held", "slots_now": "slots",
              "ignored_q": "ignored_writes"}
CONTROL = {0: "CTRL", 4: "GIER", 8: "IP_IER", 12: "IP_ISR"}
SETTINGS = range(0x200, 0x400)  # registers that the host writes but that are not arguments


def fail(text):
    sys.exit(f"error: {text}")


def same(what, got, want):
    """Ends with an error if the two differ. For dictionaries, the error names the first key that differs."""
    if got == want:
        return
    if isinstance(got, dict) and isinstance(want, dict):
        for key in sorted(set(got) | set(want), key=str):
            if got.get(key) != want.get(key):
                fail(f"{what}: {key}: {got.get(key)} instead of {want.get(key)}")
    fail(f"{what}: {got} instead of {want}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Package:
    """A package and its Verilog. masters: the names of its memory ports."""

    def __init__(self, path):
        self.path = path
        self.json = json.loads(read(f"{path}/package.json"))
        self.channels = self.json["channels"]
        self.kernel = self.json["kernel"]
        self.prefix = "" if self.kernel == "rill_kernel" else self.kernel + "_"  # prefix of modules and their files
        self.masters = [f"m_axi_hbm_{c:02d}" for c in range(self.channels)]

    def wanted(self):
        """Returns the registers as the Verilog decodes them, with the counters: {byte offset: (name, bits, access)}.
        Two neighbouring words of one name are one register of 64 bits."""
        text = read(f"{self.path}/rtl/{self.prefix}rill_axil_regs.v")
        address = {name: int(value, 16) for name, value in re.findall(r"localparam \[11:0\] (\w+) = 12'h(\w+);", text)}
        words = {}  # byte offset / 4: [name, whether the host can write it]
        pattern = r"(REG_\w+): (?:if \(\w+\[0\]\) )?(\w+)(?:\[\d+:\d+\])? <= (?:merge|w_data)"
        for register, name in re.findall(pattern, text):
            words[address[register] // 4] = [name, True]
        for register, name in re.findall(r"w_address == (REG_\w+)\)\s+(\w+)_q <= merge", text):
            words[address[register] // 4] = [name, True]
        # A write of any value to REG_HELD clears it, so there is no assignment of the written data.
        if "forget_q <= !rst && apply_setting && w_address == REG_HELD;" in text:
            words[address["REG_HELD"] // 4] = ["held_now", True]
        # Writes to these two go to rill_draft_list at once.
        for register, name in (("REG_DRAFT_AT", "draft_at"), ("REG_DRAFT_ID", "draft_id")):
            if f"_q <= !rst && apply && w_address == {register};" in text:
                words[address[register] // 4] = [name, True]
        for register, name in (("REG_SLOT", "slot"), ("REG_SUBMIT", "submit")):
            if f"apply && w_address == {register} && w_strobe_q[0]" in text:
                words[address[register] // 4] = [name, True]
        for register, name in re.findall(r"(REG_\w+): r_(?:plain|more)_q <= (?:\{\d+'d0, |\{\{\(32-EVENTS\)\{1'b0\}\}, )?(\w+)", text):
            known = words.setdefault(address[register] // 4, [name, False])
            if known[0] == name + "_q":  # the output comes from the separate register NAME_q
                known[0] = name
            if address[register] > 12 and known[0] != name:
                fail(f"rill_axil_regs.v: {register} is {known[0]} when written, {name} when read")
        found = {}
        for word, (name, written) in sorted(words.items()):
            if 4 * word in CONTROL:
                found[4 * word] = (CONTROL[4 * word], 32, "rw")
            elif 4 * (word - 1) in found and found[4 * (word - 1)][0] == name:
                found[4 * (word - 1)] = (name, 64, found[4 * (word - 1)][2])
            else:
                found[4 * word] = (HOST_NAMES.get(name, name), 32, "rw" if written else "ro")
        for c in range(self.channels):
            found[address["REG_BASE"] + address["REG_BASE_STRIDE"] * c] = (f"hbm_{c:02d}", 64, "rw")
        first = address["REG_CYCLES"]
        control = next(pathlib.Path(self.path, "rtl").glob("*_control.v")).read_text(encoding="utf-8")
        counters = re.search(r"\w*rill_axil_regs #\([^;]*?\.COUNTERS\((\d+)\)", control)
        names = ["cycles"] + [f"beats_{c:02d}" for c in range(self.channels)]
        names += [f"stalls_{c:02d}" for c in range(self.channels)]
        names += [f"counter_{i:02d}" for i in range(int(counters[1]) if counters else 0)]
        found.update({first + 8 * i: (name, 64, "ro") for i, name in enumerate(names)})
        return found

    def arguments(self):
        """Returns the kernel's arguments {id: (name, offset, bytes, port)}: the writable registers after the control
        registers, in the order of their offsets, without SETTINGS."""
        rows = [(offset, *row) for offset, row in sorted(self.wanted().items()) if row[2] == "rw" and offset >= 0x10 and offset not in SETTINGS]
        return {i: (name, offset, bits // 8, self.port_of(name)) for i, (offset, name, bits, _) in enumerate(rows)}

    def port_of(self, name):
        """Returns the memory port of a pointer, which is that of the DMA engine whose base address it is. Other
        registers belong to s_axi_control."""
        if name.startswith("hbm_"):
            return f"m_axi_{name}"
        if not name.endswith("_ptr"):
            return "s_axi_control"
        top = read(f"{self.path}/rtl/{self.prefix}rill_top.v")
        user = re.search(r"u_channel_(\d\d) \([^;]*\.(?:read|write)_base\(\{?[^()]*\b" + name + r"\b", top)
        return f"m_axi_hbm_{user[1] if user else '00'}"

    def pins(self):
        """Returns the ports of the kernel's module: {name: (`in` or `out`, bits or 0 for a scalar)}."""
        text = read(f"{self.path}/rtl/{self.kernel}.v")
        pattern = r"(input|output)\s+wire\s+(?:\[(\d+):0\]\s+)?(\w+)"
        return {name: (way[:-3], int(high) + 1 if high else 0) for way, high, name in re.findall(pattern, text)}


def kernel_xml(package):
    """Returns the arguments of kernel.xml, in the form of Package.arguments, and its ports: {name: (mode, bits)}."""
    root = ElementTree.parse(f"{package.path}/kernel.xml").getroot()
    kernel = root.find("kernel")
    same("kernel.xml: name", kernel.get("name"), package.kernel)
    arguments = {}
    for a in kernel.iter("arg"):
        same(f"kernel.xml: {a.get('name')}: pointer", a.get("addressQualifier"), "01"[a.get("port") != "s_axi_control"])
        same(f"kernel.xml: {a.get('name')}: hostSize", a.get("hostSize"), a.get("size"))
        arguments[int(a.get("id"))] = (a.get("name"), int(a.get("offset"), 16), int(a.get("size"), 16), a.get("port"))
    ports = {p.get("name"): (p.get("mode"), int(p.get("dataWidth"))) for p in kernel.iter("port")}
    return arguments, ports


def spirit(node, path):
    """Returns the text of an IP-XACT element, or None. `path` has the names of elements without the namespace."""
    found = node.find("/".join(SPIRIT + part for part in path.split("/")))
    return None if found is None else found.text


def check_registers(package):
    want = package.wanted()
    got = {r["offset"]: (r["name"], r["bits"], r["access"]) for r in package.json["registers"]}
    same("package.json", got, want)
    arguments = package.arguments()
    told = [r for r in package.json["registers"] if "argument" in r]
    got = {r["argument"]: (r["name"], r["offset"], r["bits"] // 8, r["port"]) for r in told}
    same("package.json: arguments", got, arguments)
    got, ports = kernel_xml(package)
    same("kernel.xml: arguments", got, arguments)
    wide = {m: ("master", package.json["beat_bits"]) for m in package.masters}
    same("kernel.xml: ports", ports, {"s_axi_control": ("slave", 32), **wide})
    root = ElementTree.parse(f"{package.path}/component.xml").getroot()
    got, bus = {}, {}
    for r in root.iter(SPIRIT + "register"):
        name = spirit(r, "name")
        access = {"read-write": "rw", "read-only": "ro"}[spirit(r, "access")]
        got[int(spirit(r, "addressOffset"), 16)] = (name, int(spirit(r, "size")), access)
        bus[name] = spirit(r, "parameters/parameter/value") or "s_axi_control"
    same("component.xml", got, want)
    same("component.xml: interfaces of the arguments", {a[0]: bus.get(a[0]) for a in arguments.values()},
         {a[0]: a[3] for a in arguments.values()})


def check_pins(package):
    root = ElementTree.parse(f"{package.path}/component.xml").getroot()
    got = {}
    for port in root.iter(SPIRIT + "port"):
        high = spirit(port, "wire/vector/left")
        got[spirit(port, "name")] = (spirit(port, "wire/direction"), int(high) + 1 if high else 0)
    pins = {name: (way if way == "out" else "in", bits) for name, (way, bits) in package.pins().items()}
    same("component.xml: pins", got, {n: ("in" if w.startswith("in") else "out", b) for n, (w, b) in pins.items()})
    mapped = [p.text for p in root.iterfind(f".//{SPIRIT}physicalPort/{SPIRIT}name")]
    same("component.xml: pins of the interfaces", sorted(mapped), sorted(pins))
    text = read(f"{package.path}/rtl/{package.prefix}rill_channel.v")
    ties = dict(re.findall(r"^    assign m_axi_(\w+) = \d+'[bd](\d+);$", text, re.M))
    want = {f"a{way}{pin}": value for way in "rw" for pin, value in (("lock", "0"), ("cache", "3"), ("prot", "0"), ("qos", "0"))}
    same("ties", ties, want)
    scalars = [n for n, (_, bits) in pins.items() if bits == 1 and not n.endswith("id")]
    same("vectors of one bit", scalars, [])


def check_tcl(package, record):
    lines = [line.split("\t") for line in read(record).splitlines()]
    value = {(line[3], line[1]): line[2] for line in lines if line[0] == "set_property"}
    made = [line[1] for line in lines if line[0] == "ipx::add_register"]
    got = {}
    for name in made:
        access = {"read-write": "rw", "read-only": "ro"}[value[f"register:{name}", "access"]]
        offset = int(value[f"register:{name}", "address_offset"], 16)
        got[offset] = (name, int(value[f"register:{name}", "size"]), access)
    want = {offset: row for offset, row in package.wanted().items() if row[2] == "rw" and offset not in SETTINGS}
    same("package_xo.tcl: registers", got, want)
    bus = {name: value.get((f"parameter:{name}:ASSOCIATED_BUSIF", "value"), "s_axi_control") for name in made}
    arguments = {a[0]: a[3] for a in package.arguments().values()}
    same("package_xo.tcl: interfaces of the arguments", {n: b for n, b in bus.items() if n in arguments}, arguments)
    calls = [line[1:] for line in lines if line[0] == "ipx::associate_bus_interfaces"]
    clocked = {call[1] for call in calls if call[0] == "-busif" and call[2:4] == ["-clock", "ap_clk"]}
    same("package_xo.tcl: interfaces on the clock", clocked, {"s_axi_control", *package.masters})
    reset = ["ipx::associate_bus_interfaces", "-clock", "ap_clk", "-reset", "ap_rst_n", "core"]
    same("package_xo.tcl: reset of the clock", reset in lines, True)
    pins = package.pins()
    for master in package.masters:
        want = {"DATA_WIDTH": pins[f"{master}_rdata"][1], "ADDR_WIDTH": 64, "ID_WIDTH": pins[f"{master}_arid"][1],
                "HAS_BURST": 0, "SUPPORTS_NARROW_BURST": 0}
        same(f"package_xo.tcl: {master}", {k: int(value[f"parameter:{master}:{k}", "value"]) for k in want}, want)
        for key, most in (("MAX_BURST_LENGTH", 128), ("NUM_READ_OUTSTANDING", 16), ("NUM_WRITE_OUTSTANDING", 16)):
            if not 1 <= int(value[f"parameter:{master}:{key}", "value"]) <= most:
                fail(f"package_xo.tcl: {master}: {key}")
    want = {("parameter:ap_rst_n:POLARITY", "value"): "ACTIVE_LOW",
            ("parameter:interrupt:SENSITIVITY", "value"): "LEVEL_HIGH", ("core", "sdx_kernel"): "true",
            ("core", "sdx_kernel_type"): "rtl", ("core", "name"): package.kernel, ("fileset", "top"): package.kernel,
            ("parameter:ap_clk:FREQ_HZ", "value"): str(package.json["clock_hz"]), ("block:reg0", "range"): "4096",
            ("parameter:ap_clk:FREQ_HZ", "value_resolve_type"): "user",
            ("interface:s_axi_control", "slave_memory_map_ref"): "s_axi_control"}
    same("package_xo.tcl: properties", {k: value.get(k) for k in want}, want)
    xo = [line for line in lines if line[0] == "package_xo"]
    same("package_xo: once, with its protocol", [("ap_ctrl_hs" in line) for line in xo], [True])


def check_link(package):
    sections = {None: []}
    now = sections[None]
    for line in read(f"{package.path}/link.cfg").splitlines():
        if line.startswith("["):
            now = sections.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            if "=" not in line:
                fail(f"link.cfg: `{line}`")
            now.append(tuple(line.split("=", 1)))
    units = package.json["compute_units"]
    nk = [v for k, v in sections["connectivity"] if k == "nk"]
    same("link.cfg: nk", nk, [f"{package.kernel}:{len(units)}:{'.'.join(units)}"])
    same("link.cfg: units as in design.tcl", units,
         re.search(r"^set rill\(units\) \{(.*)\}$", read(f"{package.path}/design.tcl"), re.M)[1].split())
    sp = [v for k, v in sections["connectivity"] if k == "sp"]
    pins = package.pins()
    banks = {}
    for text in sp:
        found = re.fullmatch(r"(\w+)\.(\w+):HBM\[(\d+)\]", text)
        if not found or found[1] not in units:
            fail(f"link.cfg: sp={text}: not a port of a compute unit and a single bank")
        unit, port, bank = found[1], found[2], int(found[3])
        if f"{port}_arvalid" not in pins or port not in package.masters:
            fail(f"link.cfg: sp={text}: the kernel has no memory port {port}")
        if bank >= 32:
            fail(f"link.cfg: sp={text}: no such bank")
        if bank in banks.values() or (unit, port) in banks:
            fail(f"link.cfg: sp={text}: a bank or port is named twice")
        banks[unit, port] = bank
    same("link.cfg: ports", set(banks), {(u, p) for u in units for p in package.masters})
    same("link.cfg: banks as in package.json", {p: f"HBM[{b}]" for p, b in banks.items()},
         {(u, p["name"]): bank for p in package.json["memory_ports"] for u, bank in zip(units, p["banks"])})
    same("link.cfg: the platform's scalable clock", sections[None],
         [("kernel_frequency", f"0:{package.json['clock_hz'] // 1000000}")])
    others = [k for k, _ in sections["connectivity"] if k not in ("nk", "sp")]
    if set(sections) - {None, "connectivity", "vivado"} or others:
        fail("link.cfg: something else in it")


def check_core(package):
    import yaml
    text = read(f"{package.path}/{package.kernel}.core")
    if not text.startswith("CAPI=2:\n"):
        fail("core: it does not begin with CAPI=2:")
    core = yaml.safe_load(text)
    same("core: name", core["name"], f"rill:{package.json['design'].replace('-', '_')}:{package.kernel}:1.0")
    same("core: name in package.json", package.json["vlnv"], core["name"])
    files = read(f"{package.path}/filelist.f").split()
    same("core: files", core["filesets"]["rtl"]["files"], files)
    for name, target in core["targets"].items():
        same(f"core: top of {name}", target["toplevel"], package.kernel)
        for fileset in target["filesets"]:
            for file in core["filesets"][fileset]["files"]:
                read(f"{package.path}/{file}")
    same("core: lint", core["targets"]["lint"]["flow"], "lint")
    same("core: synth", (core["targets"]["synth"]["flow"], core["targets"]["synth"]["flow_options"]["part"]),
         ("vivado", package.json["part"] or ""))


def check_docs(package, table):
    got = {}
    for line in read(table).splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        form = r"0x([0-9A-F]{3})(?: \+ (0xC|8|4)\*\(?(?:(2?)(C) \+ )?([ci])\)?)?"
        found = re.fullmatch(form, cells[1]) if len(cells) > 4 else None
        if not found:
            continue
        offset, stride, twice, skip, index = int(found[1], 16), found[2], found[3], found[4], found[5]
        counters = sum(1 for r in package.json["registers"] if r["name"].startswith("counter_"))
        rest = sum(1 for r in package.json["registers"] if r["name"].startswith("eot_more_"))
        many = {None: 1, "c": package.channels, "i": rest if stride == "4" else counters}[index]
        first = package.channels * (2 if twice else 1) if skip else 0
        for i in range(many):
            name = cells[2][:-2] + f"_{i:02d}" if index else cells[2]
            got[offset + int(stride or "0", 0) * (first + i)] = (name, cells[3])
    same("register table", got, {o: (name, access) for o, (name, _, access) in package.wanted().items()})


def check_xclbin(package, listing):
    got, units, unit = {}, [], ""
    for line in read(listing).splitlines():
        words = line.split()
        if words[0] == "kernel":
            same("xclbin: kernel", words[1], package.kernel)
            unit = words[2]
            units.append(unit)
        elif words[0] == "argument":
            got[unit, int(words[1])] = (words[2], int(words[3], 0), int(words[4]), words[5], words[6])
        elif words[0] == "banks":
            same("xclbin: banks in use", int(words[1]), package.channels * len(units))
    same("xclbin: units", sorted(units), package.json["compute_units"])
    banks = {p["name"]: dict(zip(package.json["compute_units"], p["banks"])) for p in package.json["memory_ports"]}
    want = {}
    for unit in units:
        for i, (name, offset, size, port) in package.arguments().items():
            want[unit, i] = (name, offset, size, port, banks[port][unit] if port != "s_axi_control" else "-")
    same("xclbin: arguments", got, want)


def exceptions_of(constraints):
    """Returns {variable of clocks.xdc that holds pins: pattern of the names of their instances}. Checks that each
    variable selects the right pins of the multipliers and has its two multicycle exceptions."""
    form = r'^set (\w+) \[get_pins -hierarchical -regexp -filter \{NAME =~ "(\S+)/(\S+)"\}\]$'
    found = re.findall(form, constraints, re.M)
    same("clocks.xdc: filters of pins", len(found), constraints.count("get_pins -hierarchical"))
    for variable, _, pin in found:
        same(f"clocks.xdc: {variable}: pins", [p for p in "ABCD" if re.fullmatch(pin, f"{p}[12]")],
             ["B"] if variable == "rill_weights" else ["A", "D"])
        for kind in ("2 -setup -end", "1 -hold -end"):
            if f"set_multicycle_path {kind} -through ${variable}\n" not in constraints:
                fail(f"clocks.xdc: {variable}: no exception {kind}")
    return {variable: re.compile(cells) for variable, cells, _ in found}


def check_clocks(package, cells):
    """Checks how the second clock is made, and that the constraints name exactly the multipliers whose operands have a
    whole cycle."""
    text = read(f"{package.path}/rtl/{package.kernel}.v")
    made = re.search(r"rill_clock_2x #\(\.PERIOD_PS\((\d+)\), \.MULTIPLY\((\d+)\)\) u_clock \(\s+\.ap_clk\(ap_clk\), \.rst\(rst\), \.clk_2x\(clk_2x\), \.state\(clock_state\)\);", text)
    if not made:
        fail("the kernel makes no second clock")
    period, multiply = int(made[1]), int(made[2])
    same("period of the clock, ps", period, round(1e12 / package.json["clock_hz"]))
    if multiply % 2 or not 800 <= multiply * 1e6 / period <= 1600:
        fail(f"the oscillator has {multiply} times the clock of {1e6 / period:.1f} MHz")
    for part in (".clk(ap_clk), .ap_rst_n(ap_rst_n), .rst(rst)",
                 "rill_top u_top (.clk(ap_clk), .clk_2x(clk_2x), .clock_state(clock_state), .rst(rst)"):
        if part not in text:
            fail(f"the kernel's module has no `{part}`")
    for file in ("sources.tcl", f"{package.kernel}.core"):
        if "clocks.xdc" not in read(f"{package.path}/{file}"):
            fail(f"{file} does not name clocks.xdc")
    names, constraints = read(cells).splitlines(), read(f"{package.path}/clocks.xdc")
    made = {name.split("/inst/", 1)[1] for name in names if "/inst/u_clock/" in name}
    same("cells of the second clock", {name.split("/", 1)[1] for name in made},
         {"u_mmcm", "u_feedback", "u_clk_2x", "u_guard"})
    nets = re.findall(r"^ +wire ([\w, ]*feedback_q[\w, ]*);$", read(f"{package.path}/rtl/rill_clock_2x.v"), re.M)
    if len(nets) != 1:
        fail("rill_clock_2x has no net feedback_q")
    for line in ("set_property CLOCK_DELAY_GROUP rill_clocks [get_nets {u_clock/feedback_q u_clock/clk_2x}]",
                 "set_property CLOCK_DEDICATED_ROUTE ANY_CMT_COLUMN [get_nets -of_objects [get_pins u_clock/u_mmcm/CLKIN1]]"):
        if line not in constraints.splitlines():
            fail(f"clocks.xdc has no `{line}`")
    same("design.tcl: second clock", "set rill(second_clock) 1" in read(f"{package.path}/design.tcl"), True)
    multipliers = [name for name in names if name.endswith("u_mul/u_dsp")]
    exceptions = exceptions_of(constraints)
    for variable, pattern in exceptions.items():
        if not any(pattern.fullmatch(name) for name in names):
            fail(f"clocks.xdc: {variable}: no cell has a name of this pattern")
    halves = any("gen_halves" in name for name in multipliers)
    same("clocks.xdc: exceptions", sorted(exceptions), ["rill_factors"] if halves else ["rill_factors", "rill_weights"])
    timed = {variable: {name for name in multipliers if pattern.fullmatch(name)}
             for variable, pattern in exceptions.items()}
    same("multipliers whose factors have a cycle", len(timed["rill_factors"]), len(multipliers))
    odd = {name for name in multipliers if "gen_halves" in name or "gen_three" in name or re.search(r"gen_height\[[35]\]", name)}
    wrong = sorted(timed.get("rill_weights", set()) ^ (set(multipliers) - odd))
    if wrong:
        fail(f"clocks.xdc: {len(wrong)} multipliers whose weights have another time, first {wrong[0]}")
    if not odd:
        fail("no multipliers of two clocks")


def check_one_clock(package, cells):
    """Checks that a design with one clock has no MMCM and no clock constraints, and uses only ap_clk."""
    names = read(cells).splitlines()
    text = read(f"{package.path}/rtl/{package.kernel}.v")
    same("cells of a second clock", [n for n in names if "mmcm" in n.lower() or "/u_clock" in n], [])
    same("clocks of rill_top", re.findall(r"u_top \((.*?)\.rst", text), [".clk(ap_clk), "])
    for file in ("sources.tcl", f"{package.kernel}.core", "design.tcl"):
        if re.search(r"clocks\.xdc|second_clock\) 1", read(f"{package.path}/{file}")):
            fail(f"{file} speaks of a second clock")
    same("files of a second clock", [f.name for f in pathlib.Path(package.path, "rtl").iterdir() if "clock" in f.name], [])
    same("clocks.xdc", pathlib.Path(package.path, "clocks.xdc").exists(), False)


def main():
    what, package = sys.argv[1], Package(sys.argv[2])
    globals()["check_" + what](package, *sys.argv[3:])


main()
