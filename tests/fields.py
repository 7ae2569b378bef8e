#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that templates, benches, the compiler and the pages agree with the bit layouts, registers and latencies of
include/fields.def, registers.def, latency.def and endings.def, and writes the files that are made from these tables.

usage: fields.py layouts    fields that overlap, or that are not inside their word
       fields.py names      templates, benches and proofs that define a name of fields.def themselves, or that take bits
                            of such a word by number
       fields.py header     rtl-templates/stream/rill_fields.vh and rtl-templates/control/rill_registers.vh, if they
                            differ from the tables; registers that rill_axil_regs takes by number
       fields.py latencies  rtl-templates/arith/rill_latency.vh, if it differs from the table; rows of cycles that the
                            compiler does not use; modules whose header contradicts a row; templates and their classes
                            with a latency or a stage as a number; templates with a unit that do not include the file
       fields.py endings    codes of faults and of endings in templates, and in lists of the pages and of `rill sim --help`,
                            that differ from endings.def
       fields.py page       tables of docs/*.md that differ, or that no page has
       fields.py write      writes the .vh files and the tables of docs/*.md
Except with `write`, prints a line for each mistake; the exit status is 0 even then.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "include/fields.def"
HEADER = ROOT / "rtl-templates/stream/rill_fields.vh"
REGISTERS = ROOT / "include/registers.def"
REGISTER_HEADER = ROOT / "rtl-templates/control/rill_registers.vh"
REGISTER_FILE = ROOT / "rtl-templates/control/rill_axil_regs.v"
LATENCIES = ROOT / "include/latency.def"
LATENCY_HEADER = ROOT / "rtl-templates/arith/rill_latency.vh"
ENDINGS = ROOT / "include/endings.def"
LISTS_OF_FAULTS = ("gen/request/sim_options.c", "docs/batches.md", "docs/serve.md")  # faults that end one request alone
PAGES = sorted((ROOT / "docs").glob("*.md"))
NUMBERED = re.compile(  # a word of a layout whose bits are taken by number
    r"\b(?:[sm]_axis_(?:walk_)?step_tdata|step_(?:q|data|word)|step|[sm]_axis_entry_tdata|entry(?:_data)?|tail_addr|[sm]_axis_(?:\w+_)?desc_tdata|desc_data)(?:\[i\])?\[(\d+)(?::\d+)?\]")
COMMAND = ("rill_engine_command.v",)  # its numbers are the cycles of a command, as in its ports
ENABLES = ("rill_layernorm.v", "rill_norm_front.v", "rill_rmsnorm.v", "rill_softmax.v")  # their step[0] is a clock enable


def rows():
    """Yields the rows of the table in order: kind and columns, with adjacent texts joined."""
    text = re.sub(r'"\s*\n\s*"', "", re.sub(r"^(#|//).*", "", TABLE.read_text(), flags=re.M))
    for kind, columns, meaning in re.findall(r'(LAYOUT|FIELD|VALUE)\(([\w, ]*?),\s*"(.*?)"\)', text, flags=re.S):
        yield kind, (*(int(word) if word.isdigit() else word for word in columns.split(", ")), meaning)


def constants():
    """Yields names and values as they are written in Verilog: STEP_BITS, STEP_POS, STEP_POS_W,
    `[1:0] ENGINE_MODE_INT4`."""
    widths = {}
    for kind, row in rows():
        if kind == "LAYOUT":
            yield f"{row[0]}_BITS", row[1]
        elif kind == "FIELD":
            widths[row[0], row[1]] = row[3]
            yield f"{row[0]}_{row[1]}", row[2]
            yield f"{row[0]}_{row[1]}_W", row[3]
        else:
            width = widths[row[0], row[1]]
            yield f"[{width-1}:0] {row[0]}_{row[1]}_{row[2]}", f"{width}'d{row[3]}"


def table_of_constants(title, lines):
    """Yields the lines of a header that Verilog includes inside a module."""
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield title
    yield "// verilator lint_off UNUSEDPARAM"
    yield from lines
    yield "// verilator lint_on UNUSEDPARAM"


def header():
    """Yields the lines of rill_fields.vh."""
    return table_of_constants("// First bits, widths and values of the fields of words "
                              "that hardware and generator share.\n"
                              "// `tests/fields.py write` writes this file from include/fields.def.",
                              (f"localparam {name} = {value};" for name, value in constants()))


STRIDES = {"CHANNEL": 12, "VALUE": 8, "END_ID": 4}  # in bytes, as in gen/ir/registers.h
END_IDS = 7  # end-of-text ids after the first one


def addresses():
    """Yields names and addresses of registers, in bytes: REG_PROMPT, its upper half REG_PROMPT_HIGH,
    REG_EOT_MORE_00."""
    for name, offset, per, bits, role in re.findall(r"^REGISTER\(\s*(\w+), \"\w+\", 0x([0-9A-F]+), 0, (\w+), (\d+), \w+, (\w+),", REGISTERS.read_text(),
                                                    flags=re.M):
        at = int(offset, 16)
        for i in range(END_IDS) if per == "END_ID" else [None]:
            yield f"REG_{name}" if i is None else f"REG_{name}_{i:02d}", at + (STRIDES[per] * i if i else 0)
        if bits == "64" and role != "COUNTER":
            yield f"REG_{name}_HIGH", at + 4
        if per == "CHANNEL" and role != "COUNTER":
            yield f"REG_{name}_STRIDE", STRIDES[per]


def register_header():
    """Yields the lines of rill_registers.vh."""
    return table_of_constants("// Addresses of registers, in bytes. A register that each "
                              "channel has is given with the address for channel 0.\n"
                              "// REG_..._STRIDE is the distance from such a register to that of the next channel.\n"
                              "// `tests/fields.py write` writes this file from include/registers.def.",
                              (f"localparam [11:0] {name} = 12'h{at:03X};" for name, at in addresses()))


def table(layout):
    """Yields the lines of a table in Markdown, with a row for each field and its values."""
    yield "| bits | field | meaning |"
    yield "|---|---|---|"
    values = {}
    for kind, row in rows():
        if kind == "VALUE" and row[0] == layout:
            values.setdefault(row[1], []).append(f"{row[3]} {row[4]}")
    for kind, row in rows():
        if kind == "FIELD" and row[0] == layout:
            first, last = row[2], row[2] + row[3] - 1
            bits = str(first) if first == last else f"{last}:{first}"
            meaning = ": ".join([row[4], "; ".join(values[row[1]])]) if row[1] in values else row[4]
            yield f"| {bits} | {row[1].lower()} | {meaning} |"


def latencies():
    """Yields the rows of the table: id, clocks, module, meaning."""
    for name, clocks, module, meaning in re.findall(r'^LATENCY\((\w+), (\d+), (\w+), "(.*)"\)', LATENCIES.read_text(), flags=re.M):
        yield name, int(clocks), module, meaning


def latency_header():
    """Yields the lines of rill_latency.vh."""
    return table_of_constants("// Latencies of the arithmetic units, in enabled clocks "
                              "from the operands to the result.\n"
                              "// `tests/fields.py write` writes this file from include/latency.def.",
                              (f"localparam LATENCY_{name} = {clocks};".ljust(40) + f"// {module}" for name, clocks, module, _ in latencies()))


def latency_table():
    yield "| unit | enabled clocks | result |"
    yield "|---|---|---|"
    for _, clocks, module, meaning in latencies():
        yield f"| `{module}` | {clocks} | {meaning} |"


def cycles():
    """Yields the rows CYCLES of latency.def: id, cycles, module, meaning, and the text in the header of the module with
    @ for the number, or ""."""
    for row in re.findall(r'^CYCLES\((\w+), (\d+), (\w+),\s*"([^"]*)"(?:,\s*"([^"]*)")?\)', LATENCIES.read_text(), flags=re.M):
        yield row[0], int(row[1]), *row[2:]


def cycle_table():
    """Yields the lines of a table in Markdown, with the rows CYCLES grouped by module, in the order in which modules
    first occur."""
    yield "| module | cycles | from where to where |"
    yield "|---|---|---|"
    modules = [row[2] for row in cycles()]
    for _, number, module, meaning, _ in sorted(cycles(), key=lambda row: modules.index(row[2])):
        yield f"| `{module}` | {number} | {meaning} |"


def tables():
    """Yields the marks of the tables in the pages, with the lines of each."""
    for layout in layouts():
        yield f"fields {layout}", table(layout)
    yield "latencies", latency_table()
    yield "cycles", cycle_table()


def layouts():
    return [row[0] for kind, row in rows() if kind == "LAYOUT"]


def in_page(page, what, lines):
    """Returns the page with a table replaced, or None if the page has no place for the table."""
    mark = f"<!-- {what}, by tests/fields.py -->\n"
    start = page.find(mark)
    if start < 0:
        return None
    start += len(mark)
    end = page.find("\n\n", start)
    return page[:start] + "\n".join(lines) + page[end:]


def written_page(path):
    """Returns the text of a page with its tables as they must be."""
    page = path.read_text()
    for what, lines in tables():
        page = in_page(page, what, lines) or page
    return page


def wrong_page():
    pages = {path: path.read_text() for path in PAGES}
    for what, lines in tables():
        lines = list(lines)
        written = {path: new for path, page in pages.items() if (new := in_page(page, what, lines)) is not None}
        if not written:
            yield f"docs: no page has the table of {what}"
        for path, new in written.items():
            if new != pages[path]:
                yield f"{path.relative_to(ROOT)}: the table of {what} differs"


def wrong_layouts():
    """Yields fields that overlap or do not fit their word."""
    sizes, taken = {}, {}
    for kind, row in rows():
        if kind == "LAYOUT":
            sizes[row[0]] = row[1]
        elif kind == "FIELD":
            bits = set(range(row[2], row[2] + row[3]))
            if bits & taken.get(row[0], set()) or max(bits) >= sizes[row[0]]:
                yield f"include/fields.def: {row[0]}_{row[1]} has bits of another field, or outside its word"
            taken.setdefault(row[0], set()).update(bits)


def wrong_text(path, named):
    """Yields the mistakes of `names` in a file. named: matches the names of fields.def."""
    text = path.read_text()
    used = named.search(re.sub(r"//.*", "", text))
    if used and f'`include "{HEADER.name}"' not in text and "properties" not in path.parts:
        yield f"{path.relative_to(ROOT)}: has {used[0]} and does not include {HEADER.name}"
    for number, line in enumerate(text.splitlines(), 1):
        where, code = f"{path.relative_to(ROOT)}:{number}", line.split("//")[0]
        for own in re.findall(r"(?:localparam|parameter|,|^) *(?:\[[^]]*\])? *(\w+) = ", code):
            if named.fullmatch(own):
                yield f"{where}: {own} is of include/fields.def, which {HEADER.name} has"
        if "properties" in path.parts:  # which may not include the header, since they are read inside a module
            continue
        for word, bit in ((m[0], m[1]) for m in NUMBERED.finditer(code)):
            if not re.search(r"(wire|reg) *\[", code[:code.find(word)]) and not (word == "step[0]" and path.name in ENABLES):
                yield f"{where}: {word} takes bits by number"


def wrong_header():
    if HEADER.read_text() != "\n".join(header()) + "\n":
        yield f"{HEADER.relative_to(ROOT)} differs"
    if REGISTER_HEADER.read_text() != "\n".join(register_header()) + "\n":
        yield f"{REGISTER_HEADER.relative_to(ROOT)} differs"
    for number, line in enumerate(REGISTER_FILE.read_text().splitlines(), 1):
        if re.search(r"1[02]'h", line.split("//")[0]):
            yield f"{REGISTER_FILE.relative_to(ROOT)}:{number}: a register by number"


SPELLED = re.compile(  # a latency that a template has as a number
    r"(?:\b(?:localparam (?:LATENCY|FINISH|ALONG) = |(?:DEPTH|READY_DELAY|(?:TERM|SIDE)_AT|LATENCY|STAGES|LATE)\()|valid(?:_q)?\[)"
    r"([0-9]+)(?:[];,)]| [+-])")
STAGE = re.compile(  # a stage, or a field of the data beside a stage, that is taken by number
    r"\b(?:valid|took|chosen|state|marks?|sides?|active|int4|asym|fine|group_scale|k_lanes)[0-9]*(?:_q|_at|_in)?\[([0-9]+)[]:]"
    r"|\b(?:mark|side)s?(?:_q)?\[[^]]*?(?<![\w'-])(?<!- )([0-9]+)(?!')\b[^]]*\]")
SUM = re.compile(r"\b(\w+) = ([\w*+() -]+?)(?=,|$)")  # a localparam of numbers and other localparams
SPELLED_IN_CLASS = re.compile(r"class_(?:pipe|banks)\((?:.*[ (])?([0-9]+)\);")                        # a latency in a contract


def wrong_spelling(path, spelled):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for clocks in spelled.findall(line.split("//")[0]):
            if int(clocks) > 1:
                yield f"{path.relative_to(ROOT)}:{number}: {clocks} is a latency as a number, not a sum of include/latency.def"


def wrong_stages(path, text, units):
    """Yields stages that are taken by number, and files with a unit that do not include the latencies."""
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        for found in STAGE.finditer(code):
            if int(found[1] or found[2]) > 1:
                yield f"{path.relative_to(ROOT)}:{number}: {found[0]} takes a stage or a field by number"
    used = [unit for unit in units if re.search(rf"^ +{unit} ", text, flags=re.M)]
    if path.parent.name != "arith" and used and f'`include "{LATENCY_HEADER.name}"' not in text:
        yield f"{path.relative_to(ROOT)}: has {used[0]} and does not include {LATENCY_HEADER.name}"


def wrong_sums(path, text, values):
    """Yields headers whose latency, or least number of stages, differs from the localparam that adds it up."""
    values = dict(values)
    for line in re.findall(r"^ *localparam\b([^;]*);", re.sub(r"//.*", "", text), flags=re.M):
        for name, formula in SUM.findall(re.sub(r"\s+", " ", line)):
            if all(word in values or word.isdigit() for word in re.findall(r"\w+", formula)):
                values[name] = eval(formula, {}, values)  # pylint: disable=eval-used
    total = values.get("LATENCY", values.get("Y_STAGES"))
    if total is None:
        return
    for said in (*re.findall(r"^//.*\b[Ll]atency (?:1 \+ )?(\d+)", text, flags=re.M), *re.findall(r"^// STAGES .* (\d+) or more$", text, flags=re.M)):
        if int(said) != total:
            yield f"{path.relative_to(ROOT)}: {said} clocks in its header, {total} as it sums them up"


def wrong_cycles():
    """Yields rows that the compiler does not use, that name no module, or that the header of the module contradicts."""
    code = "".join(re.sub(r"//.*", "", path.read_text()) for path in sorted((ROOT / "gen").rglob("*.[ch]")))
    used, written = set(re.findall(r"\bCYCLES_(\w+)", code)), len(re.findall(r"^CYCLES\(", LATENCIES.read_text(), flags=re.M))
    if written != len(list(cycles())):
        yield f"include/latency.def: {written} rows of cycles, {len(list(cycles()))} of them can be read"
    for name, number, module, _, said in cycles():
        if name not in used:
            yield f"include/latency.def: nobody takes {name}"
        path = next(ROOT.glob(f"rtl-templates/*/{module}.v"), None)
        comments = " ".join(re.findall(r"^// *(.*)", path.read_text(), flags=re.M)) if path else ""
        if not path or said.replace("@", str(number)) not in comments:
            yield f"include/latency.def: {name} is {number} cycles, which the header of {module} does not say"


def wrong_latencies():
    yield from wrong_cycles()
    if LATENCY_HEADER.read_text() != "\n".join(latency_header()) + "\n":
        yield f"{LATENCY_HEADER.relative_to(ROOT)} differs"
    for _, clocks, module, _ in latencies():
        text = next(ROOT.glob(f"rtl-templates/*/{module}.v")).read_text()
        said = re.search(r"^//.*L(?:atency|ATENCY =) (?:(?:log2\(LANES\)|TERM_AT) \+ )?(\d+)", text, flags=re.M)
        if not said or int(said[1]) != clocks:
            yield f"{module}.v: {clocks} clocks in include/latency.def, {said[1] if said else 'nothing'} in its header"
    units = [module for _, _, module, _ in latencies()]
    values = {f"LATENCY_{name}": clocks for name, clocks, _, _ in latencies()}
    for path in sorted(ROOT.glob("rtl-templates/*/*.v")):
        if path.name not in COMMAND:
            yield from wrong_stages(path, path.read_text(), units)
        yield from wrong_sums(path, path.read_text(), values)
        if f'`include "{LATENCY_HEADER.name}"' in path.read_text():
            yield from wrong_spelling(path, SPELLED)
            kernel = ROOT / f"gen/kernel/{path.stem.removeprefix('rill_')}.c"
            if kernel.exists():
                yield from wrong_spelling(kernel, SPELLED_IN_CLASS)


def endings():
    """Returns the codes of endings.def by the names that templates give them, and the faults that end one request alone."""
    text = ENDINGS.read_text()
    faults = re.findall(r"^FAULT\((\w+), (\d+), (REQUEST|RUN),", text, flags=re.M)
    codes = {f"FAULT_{name}": int(code) for name, code, _ in faults}
    codes.update((f"END_{name}", int(code)) for name, code in re.findall(r"^ENDING\((\w+), (\d+),", text, flags=re.M))
    return codes, [int(code) for _, code, ends in faults if ends == "REQUEST"]


def numbers_of(words):
    """Returns the numbers of a list such as `1 to 4, 9, and 11`."""
    return [n for first, last in re.findall(r"(\d+)(?: to (\d+))?", words) for n in range(int(first), int(last or first) + 1)]


def wrong_endings():
    codes, alone = endings()
    for path in sorted(ROOT.glob("rtl-templates/control/*.v")):
        for name, code in re.findall(r"\b((?:FAULT|END)_[A-Z_]+) = (?:\d+'d)?(\d+)", path.read_text()):
            if name != "END_IDS" and codes.get(name) != int(code):
                yield f"{path.relative_to(ROOT)}: {name} is {code}, {codes.get(name, 'and unknown')} in include/endings.def"
    for name in LISTS_OF_FAULTS:
        lists = re.findall(r"\b\d+ to \d+, \d+,? (?:and|or) \d+", (ROOT / name).read_text())
        if not lists or any(numbers_of(words) != alone for words in lists):
            yield f"{name}: {lists} are not the faults that end one request alone, {alone} in include/endings.def"
    listed = re.findall(r"^\| (\d+) \|", (ROOT / "docs/host.md").read_text().split("\n## Faults\n")[1].split("\n## ")[0], flags=re.M)
    if [int(code) for code in listed] != sorted(code for name, code in codes.items() if name.startswith("FAULT_")):
        yield f"docs/host.md, section Faults: {listed} are not the faults of include/endings.def"


def wrong_names():
    named = re.compile(rf"\b({'|'.join(name.split()[-1] for name, _ in constants())})\b")
    for path in sorted([*ROOT.glob("rtl-templates/*/*.v"), *ROOT.glob("verif/modules/*_tb.v"), *ROOT.glob("verif/formal/properties/*.v")]):
        yield from wrong_text(path, named)


def main():
    kinds = {"layouts": wrong_layouts, "names": wrong_names, "header": wrong_header, "latencies": wrong_latencies,
             "endings": wrong_endings, "page": wrong_page}
    if sys.argv[1:] == ["write"]:
        HEADER.write_text("\n".join(header()) + "\n")
        REGISTER_HEADER.write_text("\n".join(register_header()) + "\n")
        LATENCY_HEADER.write_text("\n".join(latency_header()) + "\n")
        for path in PAGES:
            written = written_page(path)
            if written != path.read_text():
                path.write_text(written)
    elif len(sys.argv) == 2 and sys.argv[1] in kinds:
        for line in kinds[sys.argv[1]]():
            print(line)
    else:
        sys.exit(__doc__)


main()
