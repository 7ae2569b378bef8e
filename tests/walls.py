#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the dependencies between the folders of C code against tests/layers.txt ("the list"), and where names and
numbers may occur.

usage: walls.py includes  files that include a file by a path that does not begin at the top of the tree
       walls.py arrows    files that include what their folder may not, unused rows of the list, circular dependencies
       walls.py twins     C files of gen and verif that have the name of another one
       walls.py names     operations and modules of the RTL library that are named outside of gen/kernel, and classes or
                          parameters that are looked up by name there
       walls.py texts     texts that are parsed or compared where values and objects are meant
       walls.py ports     ports that are found by their names, or streams by their widths, instead of by their roles;
                          widths of words that are written as numbers
       walls.py homes     files that name an operation and that CONTRIBUTING.md does not list; operations that too many
                          files name
       walls.py cycles    cycles of modules that are numbers outside of their contracts and include/latency.def
       walls.py dot       the list as a graph for Graphviz (docs/folders.svg)
       walls.py picture   arrows in which docs/folders.svg and the list differ
Prints one line for each fault. The exit status is 0 even if there are faults.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/layers.txt"
PICTURE = ROOT / "docs/folders.svg"
# Folders with files as users write them. Their includes need not begin at the top of the tree.
USERS = ("tests/e2e/kernels", "tests/e2e/families/kernels")


def read_list():
    """Returns the folders, lowest layer first, each with the folders from which it may include."""
    rows = (re.fullmatch(r"(\S+) *<(.*)", line) for line in LIST.read_text().splitlines() if not line.startswith("#"))
    return {row[1]: row[2].split() for row in rows if row}


def files(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".cpp", ".hpp", ".def", ".inc"):
                yield path.relative_to(ROOT)


def sources():
    return (path for path in files("gen", "verif", "include") if "modules" not in path.parts)


def includes(paths):
    """Yields (file, line, included file) for all includes in quotes."""
    for path in paths:
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            name = re.match(r'#include "([^"]+)"', line)
            if name:
                yield path, number, pathlib.Path(name[1])


def wrong_includes():
    for path, number, name in includes(files("gen", "verif", "include", "boards", "bench", "tests")):
        users = str(path.parent) in USERS
        if not users and not (ROOT / name).is_file() and not re.match("Vrill_|verilated|svdpi", str(name)):
            yield f"{path}:{number}: {name} is no file as seen from the top of the tree"


def wrong_arrows():
    layers = read_list()
    place, used = list(layers), set()
    for folder, below in layers.items():
        for other in below:
            if other not in place or place.index(other) >= place.index(folder):
                yield f"tests/layers.txt: {folder} < {other}: {other} does not stand above it"
    for path, number, found in includes(sources()):
        if not (ROOT / found).is_file():
            continue
        folder, other = str(path.parent), str(found.parent)
        if folder not in layers or other not in layers:
            yield f"{path}:{number}: tests/layers.txt does not know {path if folder not in layers else found}"
        elif other != folder:
            used.add((folder, other))
            if other not in layers[folder]:
                yield f"{path}:{number}: {folder} may not include {found}, which is {other}'s"
    for folder, below in layers.items():
        for other in below:
            if (folder, other) not in used:
                yield f"tests/layers.txt: {folder} < {other}: nobody needs it"


def library():
    return {path.stem for path in (ROOT / "rtl-templates").rglob("*.v")}


# Code that makes an instance may choose a class by name. Code that examines an instance must use its traits.
CLASSES = re.compile(r"[!=]= *&rtl_|&rtl_\w+ *[!=]=|\b(is\w*|has\w*)\([^()]*&rtl_|\brtl_\w+\.(?!module\b)")


# Parameters are read through gen/kernel/kernel.h and gen/ir/schedule.h. Code that makes an instance sets them by name.
PARAMETERS = re.compile(r'\b(ir_param|ir_param_int|args_value|args_int|args_item)\([^;"]*"')
OF_CUSTOM = "gen/bind/bind_custom.c"  # may look up parameters by name, because they belong to users' modules


def named(path, modules):
    """Yields operations and modules that a file names, and classes that it searches for, with their lines."""
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        if CLASSES.search(line):
            yield number, "a class instead of traits"
        if PARAMETERS.search(line) and path.parts[1] != "ir" and str(path) != OF_CUSTOM:
            yield number, "a parameter by name"
        if re.search(r"\bIR_OP_[A-Z]", line):
            yield number, "an operation by name"
        for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
            for module in re.findall(r"\b(rill_\w+)(?=$| #\(| u_)", text):
                if module in modules:
                    yield number, f"module {module} by name"


def wrong_twins():
    first = {}
    for path in files("gen", "verif"):
        if path.suffix == ".c" and first.setdefault(path.name, path) != path:
            yield f"{path}: {first[path.name]} has this name, too"


def wrong_names():
    modules = library()
    for path in sources():
        if path.parent.as_posix() in ("gen/kernel", "verif/harness", "verif/model") or path.stem == "ops":
            continue
        for number, what in named(path, modules):
            yield f"{path}:{number}: {what}"


# Files that read external texts: tables, files of tools and users, the environment.
READERS = ("gen/ir/type_read.c", "gen/ir/op_attrs.c", "gen/ir/value.c", "gen/ir/net_text.c", "gen/cost/measured.c", "gen/numerics/guard.c", "gen/numerics/tables/make_tables.c",
           "gen/emit/emit_library.c", "gen/emit/emit_waivers.c",
           "gen/emit/emit_top.c", "gen/emit/emit_widths.c",  # which find lines and names in the text that they have emitted
           "gen/report/vendor_read.c", "gen/report/vendor.c", "gen/report/html_dot.c")
# Files in which nets of a dump get their roles, and which read a spec's parameters of custom kernels.
NAMES = ("gen/ir/net.c", "gen/ir/custom_ops.c")
PARSES = re.compile(r"\b(strto\w*l|strto[dfu]\w*|ato[ilf]l?|v?sscanf|strstr)\(")
COMPARES = re.compile(r"\bstrn?cmp\((?:[^()]|\([^()]*\))*?(\bnet(\[.*\])?(\.|->)name\b|[.>]use\b|[.>]base\b|ir_use_print|ir_value_print|ir_attr_string|value\.text)")
SLICE = re.compile(r'"[^"]*(%s|\w)\[(%|\d)[^"]*"')
PRINTERS = ("gen/ir", "gen/emit")  # folders that may print nets and parameters: for the dump and the Verilog
OF_USERS = ("gen/bind/bind_custom.c", "`include")  # a file, and the text in its lines that read users' Verilog


def wrong_texts():
    """Yields places that treat parameters, nets and choices as texts. They are values: only the readers parse their
    texts, and only the emitter and the dump print them."""
    for path in files(*(f"gen/{name}" for name in ("ir", "kernel", "pass", "cost", "timing", "simulator", "emit", "package", "report",
                                                   "numerics")), "verif/replay"):
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            known = str(path) in READERS or (str(path) == OF_USERS[0] and OF_USERS[1] in line)
            if PARSES.search(line) and not known:
                yield f"{path}:{number}: a text is parsed"
            if COMPARES.search(line) and str(path) not in (*READERS, *NAMES):
                yield f"{path}:{number}: the text of a parameter, a net or a choice is compared"
    for path in files(*(f"gen/{name}" for name in ("ir", "kernel", "bind", "pass", "cost", "timing", "simulator", "package", "report"))):
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            if "ir_use_print(" in line and path.parent.as_posix() not in PRINTERS:
                yield f"{path}:{number}: what a port is tied to is printed"
            if SLICE.search(line) and path.parts[1] not in ("package", "report") and str(path) != "gen/ir/net_text.c":
                yield f"{path}:{number}: bits of a net are printed"


# The names of ports are for Verilog. Code that needs a stream finds it by its role (include/roles.def). Readers of
# external texts may use names.
PORTS = re.compile(r"\bstrn?cmp\(.*(\bport(\[[^]]*\]|s)?(\.|->)name\b|\bport\[.*\]\.name\b|\bwire(\[.*\])?(\.|->)port\b)")


# WIDTH: code that recognizes a stream by its width. WORD: the width of a word of include/fields.def as a number.
WIDTH = re.compile(r"\bdata_bits [!=]= ([0-9]|[A-Z]+_BITS\b)")
WORD = re.compile(r"\bIR_STREAM_BARE, [0-9]|\bclass_cost_(schedule|window_entries)\(\w+, [0-9]|\bschedule_(init|read)\(.*, [0-9]+[,)]")


def wrong_ports():
    roles = re.findall(r'^ROLE\(\w+, "(\w+)"', (ROOT / "include/roles.def").read_text(), re.M)
    role = re.compile(r"\bstrn?cmp\(.*\"(%s)\"" % "|".join(roles))
    for path in files("gen/kernel", "gen/bind", "gen/cost", "gen/simulator", "gen/timing", "gen/pass", "gen/pack", "verif/check"):
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            if PORTS.search(line) or role.search(line):
                yield f"{path}:{number}: the name of a port is compared, not its role"
    for path in files("gen", "verif"):
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            if WIDTH.search(line):
                yield f"{path}:{number}: a stream is told by its width, not by its role"
            if WORD.search(line):
                yield f"{path}:{number}: the width of a word of include/fields.def is a number here"


PAGE = "silu"                # the operation that CONTRIBUTING.md uses as its example
OPERATIONS = ("rope", PAGE)  # the operations whose files are counted; no other kernel contains them
MOST_FILES = 10              # most files that may name one of them, without gen/reference, which is written separately
PREFIXES = "run|rtl|type|golden|rill|ORACLE|g|class"  # of identifiers that contain the name of an operation


def stands_in(path, operation):
    """Returns whether the code of a file names the operation. Comments and texts other than its name do not count."""
    word = re.compile(r'(?<![\w.>])(?:(?:%s)_)?%s(?:_lane)?(?!\w)|"%s"' % (PREFIXES, operation, operation), re.I)
    for line in (ROOT / path).read_text().splitlines():
        code = re.sub(r'"([^"]*)"', lambda text: text[0] if text[1] == operation else "", line.split("//")[0])
        if word.search(code):
            return True
    return False


def wrong_homes():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    listed = set(re.findall(r"[\w]+\.[a-z]+", page[page.index("## How to add an operation"):page.index("## How to add a pass")]))
    sources = [*files("gen", "include", "verif/replay"), *(path.relative_to(ROOT) for path in sorted((ROOT / "rtl-templates").rglob("*.v")))]
    for operation in OPERATIONS:
        found = [path for path in sources if stands_in(path, operation)]
        for path in found:
            if not {path.name, path.name.replace(operation, PAGE)} & listed:
                yield f"{path}: `{operation}` stands here, which CONTRIBUTING.md does not say"
        compiler = [path for path in found if path.parent.name != "reference"]
        if len(compiler) > MOST_FILES:
            yield f"`{operation}` stands in {len(compiler)} files, at most {MOST_FILES} are meant: {', '.join(map(str, compiler))}"


# The cycles that a module takes are a row of include/latency.def or are in its contract (gen/kernel), and nowhere else.
# A constant counts as cycles if its name (TIMES) or its comment says so. In the simulator, every constant counts as
# cycles unless its name tells another unit (OF_ELSE).
TIMES = re.compile(r"(?:^|_)(?:LATENCY|CYCLES?|CLOCKS?|DELAY|STAGES?|WAIT|COUNTED|POPPED|FREED|SETTLED?|WRITTEN|ASKED|COMPARED|LOADED|BEGINS)(?:_|$)")
NUMBER = re.compile(r"(?<![\w.])[1-9][0-9]*\b")
CONSTANT = re.compile(r"\b([A-Z][A-Z0-9_]*) = ((?:[^,;}/]|/(?![/*]))+)[ ,;}]*(//.*|/\*.*)?|^#define ([A-Z][A-Z0-9_]*) ((?:[^/]|/(?![/*]))+)(//.*|/\*.*)?")
OF_ELSE = re.compile(r"(?:^|_)(?:MARK|BITS|BYTES|WORDS|LANES|ROWS|PLACES|QUEUE|ADDRESSES|TURNS|SHIFT|ANY_ID)(?:_|$)")
# Constants that are not cycles of a module: the start of time, initial values of simulations, limits of searches and of
# custom kernels.
SEARCHES = {
    "LONG_AGO", "EARLIEST", "LONG_BEFORE", "MORE_AGE", "ALIKE", "SLOWER_AT_MOST", "SLOWER_IN_ALL", "SLOWER_ON_SOME",
    "MOST_CYCLES"}


def constants(path):
    """Yields constants of a file that are numbers or sums with a number: line, name, value, comment."""
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        for found in CONSTANT.finditer(line):
            name, value, comment = found[1] or found[4], found[2] or found[5], found[3] or found[6] or ""
            if NUMBER.search(value):
                yield number, name, value.strip(), comment.split("*/")[0]


def wrong_cycles():
    left = set(SEARCHES)
    for path in files(*(f"gen/{name}" for name in ("simulator", "timing", "cost", "pass", "ir", "bind"))):
        for number, name, value, comment in constants(path):
            timed = TIMES.search(name) or re.search(r"(?<!per )(?<!a )\bcycles?\b", comment)
            if not timed and (path.parent.name != "simulator" or OF_ELSE.search(name)):
                continue
            if name not in SEARCHES:
                yield f"{path}:{number}: {name} = {value}: cycles of a module are rows of include/latency.def, or in its contract"
            left.discard(name)
    for name in sorted(left):
        yield f"tests/walls.py: there is no {name} any more"


def shown():
    """Returns the folders and arrows of the picture, without the tables of include/."""
    layers = read_list()
    layers.pop("include")
    return {folder: [other for other in below if other != "include"] for folder, below in layers.items()}


def dot():
    layers = shown()
    yield "digraph folders {\n    rankdir=BT\n    node [shape=box, fontname=Helvetica]\n    edge [color=gray40]"
    for folder in layers:
        yield f'    "{folder}"'
    for folder, below in layers.items():
        for other in below:
            yield f'    "{folder}" -> "{other}"'
    yield "}"


def wrong_picture():
    layers = shown()
    wanted = {f"{folder}->{other}" for folder, below in layers.items() for other in below} | set(layers)
    titles = re.findall(r"<title>([^<]*)</title>", PICTURE.read_text())
    drawn = {title.replace("&#45;", "-").replace("&gt;", ">") for title in titles} - {"folders"}
    for arrow in sorted(wanted ^ drawn):
        yield f"docs/folders.svg: {arrow} {'is missing' if arrow in wanted else 'is not in the list'}"


def main():
    kinds = {"includes": wrong_includes, "arrows": wrong_arrows, "twins": wrong_twins, "names": wrong_names, "texts": wrong_texts, "ports": wrong_ports,
             "homes": wrong_homes, "cycles": wrong_cycles, "dot": dot, "picture": wrong_picture}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    for line in kinds[sys.argv[1]]():
        print(line)


main()
