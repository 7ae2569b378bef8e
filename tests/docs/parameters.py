#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the table in the header of each template lists every parameter with name, meaning, unit and range.

usage: parameters.py
A range is `any`, `not 0`, `not all 0` (a vector of numbers), `derived` (computed from other parameters, never set), constants like `1, 2, 4` or
`"auto", "block"`, `1 to 32` or `1 or more`; a bound may be a parameter, or `NAME - 1`. The values in the
sets of lint.txt, or else the default, must be in the range. Prints a line for each mistake; the exit status is 0 even
then.
"""
import pathlib
import re
import shlex

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TITLE = re.compile(r"// name +meaning +unit +range")
BOUND = r"-?\d+(?:\^\d+)?|[A-Z]\w*(?: - 1)?"
RANGE = re.compile(rf'any|not 0|not all 0|derived|-?\d+(?:, -?\d+)+|"\w+"(?:, "\w+")+|(?:{BOUND}) to (?:{BOUND})|(?:{BOUND}) or more')


def parameters(text):
    """Returns the names and the default values of the parameters of a module."""
    found = re.search(r"^module \w+ #\((.*?)^\) \(", text, flags=re.M | re.S)
    return dict(re.findall(r"^ *parameter (?:\[.*?\] )?(\w+) = (.*?),?$", found[1], flags=re.M)) if found else {}


def rows(text):
    """Returns the rows of the table at the end of the header, without the lines in which a long meaning continues."""
    lines = text[:text.find("\n`default_nettype")].rstrip().splitlines()
    start = next((at for at, line in enumerate(lines) if TITLE.fullmatch(line)), len(lines))
    return [re.split(r" {2,}", line.removeprefix("// ")) for line in lines[start + 1:] if not line.startswith("//  ")]


def number(text, values):
    """Returns the value of a Verilog constant, a power or a parameter, or None for any other text."""
    if text.endswith(" - 1"):
        most = number(text[:-4], values)
        return most and most - 1
    text = values.get(text, text)
    if found := re.fullmatch(r"(?:\d+'([dhb]))?(-?[0-9a-f]+)", text.replace("_", "")):
        base = {"h": 16, "b": 2}.get(found[1], 10)
        return int(found[2], base) if base == 16 or found[2].lstrip("-").isdigit() else None
    found = re.fullmatch(r"(\d+)\^(\d+)", text)
    return int(found[1]) ** int(found[2]) if found else None


def inside(value, said, values):
    """Returns whether a value is in the range of the header. A default that is computed from other parameters counts as
    in range."""
    if said == "any":
        return True
    if '"' in said:
        return value in said.split(", ")
    value = number(value, values)
    if said in ("not 0", "not all 0"):
        return value != 0
    if ", " in said:
        return value is None or value in [int(word) for word in said.split(", ")]
    low, _, high = said.replace(" or more", " to ").partition(" to ")
    least, most = number(low, values), number(high, values) if high else None
    return value is None or (least is None or value >= least) and (most is None or value <= most)


def wrong_rows(names, table):
    """Yields the mistakes of a table. names: {parameter: default} of the module."""
    for row in table:
        if len(row) != 4 or not RANGE.fullmatch(row[3]):
            yield f"not a name, a meaning, a unit and a range: {'  '.join(row)}"
        elif row[3] == "derived" and not any(re.search(rf"\b{other}\b", names.get(row[0], "")) for other in names):
            yield f"{row[0]} is not made of other parameters"
    if not any(len(row) != 4 for row in table) and [row[0] for row in table] != list(names):
        missing = [name for name in names if name not in {row[0] for row in table}]
        yield f"no row for {', '.join(missing)}" if missing else "rows that are no parameters, or in another order"


def wrong_sets(module, names, ranges):
    """Yields legal sets that leave the range. Parameters that a set does not mention have their defaults."""
    for path in ROOT.glob("rtl-templates/*/lint.txt"):
        for line in path.read_text().splitlines():
            words = shlex.split(line, posix=False, comments=True)
            if not words or words[0] != module:  # illegal sets begin with `!`
                continue
            values = {**names, **dict(word.split("=", 1) for word in words[1:])}
            for name, said in ranges.items():
                if said != "derived" and not inside(values[name], said, values):
                    yield f"{name} is {values[name]} in {path.parent.name}/lint.txt, {said} in the header"


def wrong_module(path):
    """Returns the mistakes of a template. The sets are only checked if the table is right."""
    text = path.read_text()
    names, table = parameters(text), rows(text)
    wrong = [*wrong_rows(names, table)]
    return wrong or wrong_sets(path.stem, names, {row[0]: row[3] for row in table})


def main():
    for path in sorted(ROOT.glob("rtl-templates/*/*.v")):
        for what in wrong_module(path):
            print(f"{path.relative_to(ROOT)}: {what}")


main()
