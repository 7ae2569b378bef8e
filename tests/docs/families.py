#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the table of family parameters in docs/spec.md with the output of `rill explain`.

usage: families.py                  prints the lines of the page's table that differ; the exit status is 0 even then
       RILL_UPDATE=1 families.py    writes the table to the page
"""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/spec.md"
MARK = "<!-- parameters of families, by tests/docs/families.py -->\n"


def explain(word):
    return subprocess.run([ROOT / "build/rill", "explain", word], capture_output=True, text=True, check=True).stdout


def parameters():
    """Returns the names of the families, and {(key, range, meaning): {family: default}}, in the order of the family
    with the most keys."""
    rows = {}
    names = sorted(path.stem for path in (ROOT / "families").glob("*.yaml"))
    keys = {name: re.findall(r"^  - (\S+)$", explain(name), flags=re.M) for name in names}
    for name in sorted(names, key=lambda name: -len(keys[name])):
        for key in keys[name]:
            _, said, meaning, *_ = (line.strip() for line in explain(key).split("\n"))
            legal, _, default = said.partition("; ")
            row = key.split(".")[1], re.sub(r"^an? (word: )?", "", legal), meaning
            rows.setdefault(row, {})[name] = default.replace("default: ", "")
    return names, rows


def families(some, names):
    """Returns the names as text, such as "`gpt2`, `llama`", "all" or "all but `gpt2`"."""
    others = [name for name in names if name not in some]
    if not others:
        return "all"
    words = ", ".join(f"`{name}`" for name in (others if len(others) < 2 else some))
    return f"all but {words}" if len(others) < 2 else words


def defaults(of, names):
    """Returns the default as text. If families differ, returns each default with its families."""
    by = {}
    for name in names:
        if name in of:
            by.setdefault(of[name], []).append(name)

    def word(default):
        smaller = re.fullmatch(r"(\w+) < (\w+) \? \1 : \2", default)
        if smaller:
            return f"the smaller of `{smaller[1]}` and {smaller[2]}"
        return "none" if default == "-1" else default if default == "required" else f"`{default}`"

    if len(by) == 1:
        return word(*by)
    return "; ".join(f"{word(default)}: {', '.join(whose)}" for default, whose in by.items())


def table():
    """Yields the lines of the table as the page should have them."""
    names, rows = parameters()
    order = list(dict.fromkeys(key for key, *_ in rows))
    yield "| key | families | type and range | default | meaning |"
    yield "|---|---|---|---|---|"
    for key, legal, meaning in sorted(rows, key=lambda row: order.index(row[0])):
        of = rows[key, legal, meaning]
        yield f"| `{key}` | {families(list(of), names)} | {legal} | {defaults(of, names)} | {meaning} |"


def main():
    text = PAGE.read_text(encoding="utf-8")
    if MARK not in text:
        print(f"docs/spec.md: no line {MARK.strip()}")
        return
    before, after = text.split(MARK)
    held, rest = after.split("\n\n", 1)
    wanted = list(table())
    if os.environ.get("RILL_UPDATE") == "1":
        PAGE.write_text(before + MARK + "\n".join(wanted) + "\n\n" + rest, encoding="utf-8")
        return
    for line in held.split("\n"):
        if line not in wanted:
            print(f"docs/spec.md: no family says: {line}")
    for line in wanted:
        if line not in held.split("\n"):
            print(f"docs/spec.md: lacks: {line}")


main()
