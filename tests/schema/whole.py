#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the entries of `rill explain --all` have a meaning, a type, legal values, a default and a page, as far as
their kind needs them, and that the pages to which they and the table of messages refer exist.

usage: whole.py FILE    FILE: output of `rill explain --all`. Prints a line for each thing that is missing.
The number of entries of each kind must reach a minimum (LEAST), so that a lost kind is found.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAST = {"key": 150, "value": 40, "parameter": 100, "operation": 25, "attribute": 60, "register": 25, "command": 15,
         "option": 80}
TYPES = "integer|number|true or false|word|text|name|file|map|list|expression|one of|`"
# Words that lead nowhere in a single entry: `(null)`, a reference to another place of the table, a Markdown link.
VAGUE = re.compile(r"\(null\)|\(?\bbelow\)|\(above\)|\]\(")
# The form of the first line of each kind of entry.
HEADS = [("value", r"`[^`]+` is a value of (attribute )?[\w.]+: \S.*"),
         ("parameter", r"parameter \w+\.\w+: a key of `model` with `family: \w+`"),
         ("operation", r"operation \w+: \d in, \d out"),
         ("attribute", r"attribute of operation \w+"),
         ("register", r"register \w+: offset 0x\w+( \+ [^,]+)?, \d+ bits, .*"),
         ("command", r"command `rill \w+`: \S.*"),
         ("option", r"option of `rill \w+`: .+"),
         ("key", rf"[\w.]+: (an? )?(\d|{TYPES}).*; default: \S.*")]


def heads_of(page):
    """Returns the anchors of all headings of a page, as GitHub forms them."""
    text = (ROOT / page).read_text()
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in re.findall(r"^#+ +(.*)$", text, re.M)}


def wrong_page(page):
    """Returns what is wrong with a reference PATH or PATH#ANCHOR, or an empty text."""
    path, _, part = page.partition("#")
    if not (ROOT / path).is_file():
        return f"no page {path}"
    return f"no part {page}" if part and part not in heads_of(path) else ""


def wrong_entry(head, body, kinds):
    """Returns what is wrong with an entry, or an empty text, and counts its kind in `kinds`."""
    kind = next((kind for kind, form in HEADS if re.fullmatch(form, head)), None)
    if not kind:
        return "no kind of entry"
    kinds[kind] += 1
    if kind == "value":
        return ""  # the entry of its key or attribute follows, which is checked
    if VAGUE.search(head + "\n".join(body)):
        return "leads nowhere"
    meanings = [line for line in body if re.match(r"  [^ -]", line) and not line.startswith("  more: ")]
    if kind == "parameter":
        meanings = meanings[1:] if re.search("required|default: ", meanings[0]) else []
    if kind == "attribute":
        meanings = meanings if re.fullmatch("    .*[a-z].*", body[1]) else []
    silent = [before.split(":")[0].strip() for before, line in zip(body, body[1:]) if re.match(r"    \s*$", line)]
    if kind == "operation" and silent:
        return f"attribute {silent[0]} has no meaning (include/meanings.def)"
    if kind != "command" and not any(re.search("[A-Za-z]{2}", line) for line in meanings):
        return "no meaning"
    if any("does not say what it means" in line for line in body):
        return "no meaning in the family's file"
    more = [line[8:] for line in body if line.startswith("  more: ")]
    if len(more) != 1:
        return "not one page"
    return "" if more[0].startswith("rill ") else wrong_page(more[0])


def main():
    entries = []
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(" ") and entries:
                entries[-1][1].append(line)
            else:
                entries.append((line, []))
    kinds = collections.Counter()
    for head, body in entries:
        wrong = wrong_entry(head, body, kinds)
        if wrong:
            print(f"{head}: {wrong}")
    for kind, least in LEAST.items():
        if kinds[kind] < least:
            print(f"{kinds[kind]} entries of kind {kind}, {least} at least")
    table = (ROOT / "docs/messages.md").read_text()
    for page in sorted(set(re.findall(r"\]\(([\w./#-]+)\) \|$", table, flags=re.M))):
        wrong = wrong_page("docs/" + ("messages.md" if page.startswith("#") else "") + page)
        if wrong:
            print(f"docs/messages.md: {wrong}")


main()
