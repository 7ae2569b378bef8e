#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layouts of bits that hardware and generator share: include/fields.def, and all that must agree with it.

usage: fields.py layouts   fields that overlap, or leave their word
       fields.py names     localparams of templates and benches that differ; bits of such words that are taken by number
       fields.py header    whether verif/unit/rill_fields.vh, the localparams for the benches, differs
       fields.py page      tables of docs/rtl.md that differ
       fields.py write     writes header and tables
Prints what is wrong, a line each; exit status 0 all the same.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "include/fields.def"
HEADER = ROOT / "verif/unit/rill_fields.vh"
PAGE = ROOT / "docs/rtl.md"
NUMBERED = re.compile(  # a word of a layout, with bits by number
    r"\b(?:[sm]_axis_(?:walk_)?step_tdata|step_(?:q|data|word)|step|[sm]_axis_entry_tdata|entry(?:_data)?)(?:\[i\])?\[(\d+)(?::\d+)?\]")
ENABLES = ("rill_layernorm.v", "rill_rmsnorm.v", "rill_softmax.v")  # their step[0] is a clock enable


def rows():
    """The rows of the table in order: kind and columns, texts joined."""
    text = re.sub(r'"\s*\n\s*"', "", re.sub(r"^(#|//).*", "", TABLE.read_text(), flags=re.M))
    for kind, columns, meaning in re.findall(r'(LAYOUT|FIELD|VALUE)\(([\w, ]*?),\s*"(.*?)"\)', text, flags=re.S):
        yield kind, (*(int(word) if word.isdigit() else word for word in columns.split(", ")), meaning)


def constants():
    """Names and values as Verilog has them: STEP_BITS, STEP_POS, STEP_POS_W, ENGINE_MODE_INT4."""
    for kind, row in rows():
        if kind == "LAYOUT":
            yield f"{row[0]}_BITS", row[1]
        elif kind == "FIELD":
            yield f"{row[0]}_{row[1]}", row[2]
            yield f"{row[0]}_{row[1]}_W", row[3]
        else:
            yield f"{row[0]}_{row[1]}_{row[2]}", row[3]


def header():
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield "// Fields of words that hardware and generator share, of include/fields.def: made by tests/fields.py. First bits, widths, values."
    for name, value in constants():
        yield f"localparam {name} = {value};"


def table(layout):
    """Markdown: a row for each field, those of values behind it."""
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


def layouts():
    return [row[0] for kind, row in rows() if kind == "LAYOUT"]


def in_page(page, layout, lines):
    """The page with a layout's table replaced, or None where it has no place for it."""
    mark = f"<!-- fields {layout}, by tests/fields.py -->\n"
    start = page.find(mark)
    if start < 0:
        return None
    start += len(mark)
    end = page.find("\n\n", start)
    return page[:start] + "\n".join(lines) + page[end:]


def written_page():
    page = PAGE.read_text()
    for layout in layouts():
        page = in_page(page, layout, table(layout)) or page
    return page


def wrong_page():
    page = PAGE.read_text()
    for layout in layouts():
        new = in_page(page, layout, table(layout))
        if new is None:
            yield f"docs/rtl.md: no table of {layout}"
        elif new != page:
            yield f"docs/rtl.md: the table of {layout} differs"


def wrong_layouts():
    """Fields that overlap, or leave their word."""
    sizes, taken = {}, {}
    for kind, row in rows():
        if kind == "LAYOUT":
            sizes[row[0]] = row[1]
        elif kind == "FIELD":
            bits = set(range(row[2], row[2] + row[3]))
            if bits & taken.get(row[0], set()) or max(bits) >= sizes[row[0]]:
                yield f"include/fields.def: {row[0]}_{row[1]} has bits of another field, or outside its word"
            taken.setdefault(row[0], set()).update(bits)


def wrong_text(path, values):
    layout = re.compile(rf"({'|'.join(layouts())})_")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where, code = f"{path.relative_to(ROOT)}:{number}", line.split("//")[0]
        if code.strip().startswith("localparam"):
            for name, value in re.findall(r"(\w+) = (?:\d+'d)?(\w+)", code):
                if layout.match(name) and values.get(name) != value:
                    yield f"{where}: {name} is {value}, {values.get(name, 'nothing')} in include/fields.def"
        for word, bit in ((m[0], m[1]) for m in NUMBERED.finditer(code)):
            if not re.search(r"(wire|reg) *\[", code[:code.find(word)]) and not (word == "step[0]" and path.name in ENABLES):
                yield f"{where}: {word} takes bits by number"


def wrong_header():
    if HEADER.read_text() != "\n".join(header()) + "\n":
        yield "verif/unit/rill_fields.vh differs"


def wrong_names():
    values = {name: str(value) for name, value in constants()}
    for path in sorted([*ROOT.glob("rtl-templates/*/*.v"), *ROOT.glob("verif/unit/*_tb.v"), *ROOT.glob("verif/formal/properties/*.v")]):
        yield from wrong_text(path, values)


def main():
    kinds = {"layouts": wrong_layouts, "names": wrong_names, "header": wrong_header, "page": wrong_page}
    if sys.argv[1:] == ["write"]:
        HEADER.write_text("\n".join(header()) + "\n")
        PAGE.write_text(written_page())
    elif len(sys.argv) == 2 and sys.argv[1] in kinds:
        for line in kinds[sys.argv[1]]():
            print(line)
    else:
        sys.exit(__doc__)


main()
