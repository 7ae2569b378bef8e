#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages of Rill, one a line: those of the refused specs, of docs/debug.md, and the texts of errors in the program.

usage: messages.py expected|debug|sources|runs
`expected`: of tests/pass/*.expect and tests/spec/*.expect, of messages that differ in names and numbers alone the
first.
`debug`: the table and the examples of docs/debug.md. `sources`: formats of diag_error and diag_warning in gen/, with
`x` for what is put in; a format that is nothing but that is none. `runs`: the same of simulations, requests and
command lines.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STRINGS = r'((?:"(?:[^"\\]|\\.)*"\s*(?:PRI\w+\s*)?)+)'


def expected():
    seen = set()
    for path in sorted(ROOT.glob("tests/pass/*.expect")) + sorted(ROOT.glob("tests/spec/*.expect")):
        for text in re.findall(r"^\S+: ((?:error|warning): .*)$", path.read_text(), flags=re.M):
            alike = re.sub(r"-?[\d.]+(?:e-?\d+)?", "0", re.sub(r"`[^`]*`", "``", text))
            if alike not in seen:
                seen.add(alike)
                yield text


def debug():
    text = (ROOT / "docs/debug.md").read_text()
    table = re.search(r"^\|-.*\n((?:\|.*\n)+)", text, flags=re.M)[1]  # the first of the page
    yield from (row.replace("`", "") for row in re.findall(r"^\| ([^|]+) \|", table, flags=re.M))
    yield from re.findall(r"^    (rill \w+: error: .*)$", text, flags=re.M)


def sources():
    seen = set()
    for path in sorted(ROOT.glob("gen/**/*.c")):
        for found in re.finditer(r"\bdiag_(?:error|warning)\([^\";]{0,120}?" + STRINGS, path.read_text()):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r'%"\s*PRI\w+\s*"', "%d", found[1])))
            text = re.sub(r"%[-+ #0-9.*]*(?:ll|z|l|h)?[a-zA-Z]|%$", "x", text.replace('\\"', '"'))
            if re.search(r"[a-wyz]{3}.* | .*[a-wyz]{3}", text) and text not in seen:
                seen.add(text)
                yield text


def runs():
    """Of simulations, requests and command lines, which no reader of specs reports."""
    seen = set()
    paths = [*ROOT.glob("verif/harness/*.c"), *ROOT.glob("gen/request/requests.c"), *ROOT.glob("gen/options/parse.c"),
             *ROOT.glob("gen/base/sampling.c")]
    calls = r"\b(?:sim_fail\([^\";]*?|arena_printf\([^\";]{0,80}?|return )"
    for path in sorted(paths):
        for found in re.finditer(calls + STRINGS, path.read_text()):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r'%"\s*PRI\w+\s*"', "%d", found[1])))
            text = re.sub(r"%[-+ #0-9.*]*(?:ll|z|l|h)?[a-zA-Z]|%$", "x", text.replace('\\"', '"'))
            if path.name == "parse.c":
                text = text.replace("`x` ", "`--x` ").replace("`x`:", "`--x`:")
            piece = text.startswith((";", ",", "x at", "from"))
            if not piece and re.search(r"[a-wyz]{3}.* .*[a-wyz]{3}", text) and text not in seen:
                seen.add(text)
                yield text


print("\n".join({"expected": expected, "debug": debug, "sources": sources, "runs": runs}[sys.argv[1]]()))
