#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks include/messages.def, the table of all messages, against the code. Prints a line for each fault, and nothing
if there is none.

The rules: the id of a row is its name in lower case with dashes; every name occurs once; the code uses every row; and
the code reports no error or warning whose text is not a row of the table.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CODE = [path for folder in ("gen", "verif") for path in sorted((ROOT / folder).rglob("*.[ch]"))]
# These files define the reporting functions, and call them with texts that are not rows of the table.
DEFINED = [ROOT / path for path in ("gen/base/diag.c", "gen/base/diag.h", "gen/base/messages.h", "verif/harness/sim_internal.h")]


def rows():
    """Returns the name and the id of every row."""
    text = (ROOT / "include/messages.def").read_text()
    return re.findall(r'^(?:MESSAGE|ALSO)\((\w+),\s*"([^"]*)"', text, flags=re.M)


def check_rows(code):
    seen = set()
    for name, shown in rows():
        if shown != name.lower().replace("_", "-"):
            yield f"{name}: the id is `{shown}`"
        if name in seen:
            yield f"{name} is in the table twice"
        if not re.search(rf"\bMSG_{name}\b", code):
            yield f"{name} is not used"
        seen.add(name)


def check_calls(path, text):
    """Every call must use a message MSG_... of the table, or pass on a text that was made with one (`, "%s"`)."""
    for found in re.finditer(r"\b(?:diag_(?:error|warning)|sim_fail)\(([^;{]*);", text):
        if not re.search(r'\bMSG_|, "%s"', found[1]):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: the message is not a row of include/messages.def"


def faults():
    texts = {path: path.read_text() for path in CODE}
    yield from check_rows("\n".join(texts.values()))
    for path, text in texts.items():
        if path not in DEFINED:
            yield from check_calls(path, text)


print("".join(fault + "\n" for fault in faults()), end="")
