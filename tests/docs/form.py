#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Form of the pages: lines and sentences.

usage: form.py PAGE...    prints what is too long, as PAGE:LINE: what; the status is 0 all the same
Lines have at most 100 columns, in examples and comments 150, and sentences at most 35 words; a colon or a semicolon
ends one as a full stop does, and code is a word. Rows of tables cannot be broken, and hold lists: they are as long as
they are.
"""
import re
import sys

COLUMNS, EXAMPLE_COLUMNS, WORDS = 100, 150, 35
WHOLE = re.compile(r"\||!\[|\s*`[^`]*`[.:,;]?$|\S+$")  # what cannot be broken
ITEM = re.compile(r"\s*([-*+]|\d+\.)\s")


def texts(lines):
    """Paragraphs and items with the number of their first line; no code, tables or headings."""
    kept, first = [], 0
    for number, line in enumerate(lines + [""], 1):
        row = line.startswith("|")
        ends = row or not line.strip() or line.startswith(("#", "<")) or ITEM.match(line)
        if kept and ends:
            yield first, " ".join(kept)
            kept = []
        if not row and line.strip() and not line.startswith(("#", "<")) and (kept or not line.startswith("    ")):
            first = first if kept else number
            kept.append(line.strip())


def sentences(text):
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.split(r"(?<=[.!?:;])\s+", text)


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            most = EXAMPLE_COLUMNS if line.startswith(("    ", "<!-- ")) else COLUMNS
            if len(line) > most and not WHOLE.match(line):
                print(f"{path}:{number}: {len(line)} columns")
        for number, text in texts(lines):
            for sentence in sentences(text):
                if len(sentence.split()) > WORDS:
                    print(f"{path}:{number}: {len(sentence.split())} words: {' '.join(sentence.split()[:6])} ...")


main()
