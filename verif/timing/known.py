#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the results of walks, so that a module is walked again only after a change of its logic. A walk searches the
netlist of a module for its longest paths (walk.py).

usage: known.py --stale LINES [--floorplan FILE]            prints the lines that need a walk, and writes the stored
                                                            tables of the others to build/timing
       known.py --mark LINE [--floorplan FILE]              adds the key to the table that a walk of LINE has written,
                                                            and compares its longest path with paths.txt
       known.py --store LINES [--floorplan FILE]            writes these lines' tables to paths.txt and tables.jsonl;
                                                            exit status 1 if a line was not walked since the last change
                                                            of its key, which is printed as `not walked`
       known.py --check                                     prints each row of paths.txt whose logic has changed since
                                                            it was written; exit status 1 if there are any
LINES: a file of lines `MODULE NAME=VALUE...`. A line's key is a hash of the text of its templates without comments and
white space, of the line, of the delays and of the model's VERSION. Yosys is not needed. --floorplan: the pblocks.tcl of
the design. Only the matrix engine is placed part by part, so only its keys depend on it.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import sys

from model import VERSION, read_delays
from walk import TABLES, netlist_name

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "build" / "timing"
PATHS, STORE = HERE / "paths.txt", HERE / "tables.jsonl"
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|\s+', re.DOTALL)
INSTANCE = re.compile(r"^ *(rill_[a-z0-9_]+) +(?:#\(|#$|u_[a-z0-9_]+ *\()", re.MULTILINE)
INCLUDE = re.compile(r'^ *`include "([a-z0-9_]+\.vh)"', re.MULTILINE)
PLACER = re.compile(r',user_sll_reg="true"|\(\*user_sll_reg="true"\*\)')
PLACED = "rill_engine"  # the only module whose parts are on several dies
INSIDE = "u_shared/u_engine/"


def logic(text: str) -> str:
    """Returns the text without comments and without the attribute that only a placer reads. White space stays only
    where it separates two words. The end of the line of a directive stays, because the directive ends there."""
    def kept(found: re.Match) -> str:
        piece = found[0]
        return piece if piece[0] == '"' else " "
    plain = TOKEN.sub(lambda found: "\n" if "\n" in found[0] and found[0][0] != '"' else kept(found), text)
    lines = []
    for line in plain.split("\n"):
        words = re.sub(r"\s+", " ", line).strip()
        if words:
            lines.append(f"\n{words}\n" if words[0] == "`" else words)
    plain = re.sub(r" ?([^\w\s$`\"'\\]) ?", r"\1", re.sub(r" *\n+ *", "\n", " ".join(lines)))
    return PLACER.sub("", plain)


def digest(*what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()


class Library:
    """The templates, the hashes of their logic, and the templates that each instantiates."""

    def __init__(self) -> None:
        places = [*ROOT.glob("rtl-templates/*/*.v"), *HERE.glob("*.v")]
        self.file = {path.stem: path for path in places}
        self.header = {path.name: path for path in ROOT.glob("rtl-templates/*/*.vh")}
        self.known: dict[str, tuple[str, list[str]]] = {}

    def read(self, module: str) -> tuple[str, list[str]]:
        """Returns a hash of the logic of a module, and the modules that it instantiates."""
        if module not in self.known:
            text = self.file[module].read_text(encoding="utf-8")
            parts = [self.header[name].read_text(encoding="utf-8") for name in INCLUDE.findall(text)]
            said = "\n".join(map(logic, [text, *parts]))
            self.known[module] = digest(said), sorted(set(INSTANCE.findall(text)))
        return self.known[module]

    def closure(self, module: str) -> list[str]:
        """Returns a module and all templates that it instantiates, directly or indirectly, sorted by name."""
        waiting, seen = [module], set()
        while waiting:
            at = waiting.pop()
            if at not in seen and at in self.file:
                seen.add(at)
                waiting += self.read(at)[1]
        return sorted(seen)


class Keys:
    """The keys of lines (see above). placed: the lines of the floorplan for parts of the matrix engine."""

    def __init__(self, floorplan: str | None):
        self.library = Library()
        self.model = repr((VERSION, sorted(read_delays().items())))
        text = pathlib.Path(floorplan).read_text(encoding="utf-8") if floorplan and os.path.exists(floorplan) else ""
        self.placed = repr(sorted(line for line in text.splitlines() if INSIDE in line))

    def of(self, line: str) -> str:
        """Returns the key of a line. The key of the engine ends with a hash of its floorplan."""
        module = line.split()[0]
        parts = [(part, self.library.read(part)[0]) for part in self.library.closure(module)]
        return digest(line, self.model, parts)[:16] + (f"-{digest(self.placed)[:8]}" if module == PLACED else "")


def table_path(line: str) -> pathlib.Path:
    return WORK / (netlist_name(line) + TABLES)


def read_store() -> dict[tuple[str, str], dict]:
    """Returns the stored tables by line and key. One line of the engine has several tables if designs have it with
    different floorplans."""
    if not STORE.exists():
        return {}
    rows = [json.loads(text) for text in STORE.read_text(encoding="utf-8").splitlines() if text]
    return {(row["line"], row["key"]): row["table"] for row in rows}


def read_lines(path: str) -> list[str]:
    """Returns the lines of a file that name a module, without the lines `design SPEC`."""
    return [line.strip() for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()
            if line.strip() and not line.startswith("design ")]


def with_parts(lines: list[str], table_of) -> list[str]:
    """Returns the lines, and those of their parts. A part is a module that is a black box in the netlist of a line, and
    has a netlist and a walk for itself."""
    found: list[str] = []
    waiting = list(reversed(lines))
    while waiting:
        line = waiting.pop()
        if line not in found:
            found.append(line)
            waiting += (table_of(line) or {}).get("parts", [])
    return found


class Tables:
    """Finds the table of a line, in build/timing or else in the store, if it was made from the present logic."""

    def __init__(self, keys: Keys):
        self.keys, self.store = keys, read_store()

    def local(self, line: str) -> dict | None:
        """Returns the table in build/timing."""
        path = table_path(line)
        if not path.exists():
            return None
        table = json.loads(path.read_text(encoding="utf-8"))
        return table if table.get("key") == self.keys.of(line) else None

    def current(self, line: str) -> dict | None:
        """Returns the table in build/timing. If there is none, writes that of the store there and returns it."""
        table = self.local(line)
        if table is None:
            table = self.store.get((line, self.keys.of(line)))
            if table is not None:
                write(table_path(line), json.dumps({**table, "key": self.keys.of(line)}))
        return table

    def stale(self, lines: list[str]) -> list[str]:
        """Returns the lines that need a walk. A line needs one if one of its parts does, because the walk uses the
        tables of the parts."""
        known = {line: self.current(line) for line in with_parts(lines, self.current)}
        return [line for line in lines
                if any(known.get(part) is None for part in with_parts([line], self.current))]


def write(path: pathlib.Path, text: str) -> None:
    """Writes a file so that others see either the old text or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


def longest(table: dict) -> tuple[float, float]:
    """Returns the longest path in ns, and the longest one that does not begin at a reset."""
    data = max((path[0] for path in table["paths"]), default=0.0)
    return max([data] + [path[0] for path in table["resets"]]), data


def read_rows() -> tuple[list[str], list[tuple[str, str, str, str]]]:
    """Returns the comments of paths.txt, and its rows: ns, ns without resets, key, line."""
    text = PATHS.read_text(encoding="utf-8").splitlines()
    rows = [tuple(line.split(" ", 3)) for line in text if line and line[0] != "#"]
    return [line for line in text if line.startswith("#")], rows  # type: ignore[return-value]


def mark(keys: Keys, line: str) -> None:
    """Adds the key to the table of a line. Reports a row that has the same logic but another result."""
    path, key = table_path(line), keys.of(line)
    table = json.loads(path.read_text(encoding="utf-8"))
    write(path, json.dumps({**table, "key": key}))
    ns = f"{longest(table)[0]:.2f}"
    for row in read_rows()[1]:
        if row[2:] == (key, line) and row[0] != ns:
            print(f"{ns} ns, but its row of the same logic says {row[0]} ns: VERSION in model.py was not raised")


def store(tables: Tables, lines: list[str]) -> int:
    """Replaces the rows and tables of these lines. Rows and tables of the engine are replaced only by those of the same
    key, because the same line has other keys with other floorplans. So those of older logic stay as well. Returns 1 if
    a line was not walked."""
    said, rows = read_rows()
    found = {line: tables.local(line) for line in with_parts(lines, tables.local)}
    new = {line: table for line, table in found.items() if table is not None}
    rows = [row for row in rows if row[3] not in new or row[3].split()[0] == PLACED and row[2] != "-"]
    rows += [(*(f"{ns:.2f}" for ns in longest(table)), tables.keys.of(line), line) for line, table in new.items()]
    rows = sorted({(row[3], row[2]): row for row in rows}.values(), key=lambda row: (row[3], row[2]))
    write(PATHS, "\n".join(said + [" ".join(row) for row in rows]) + "\n")
    kept = {key: table for key, table in tables.store.items() if key[0] not in new or key[0].split()[0] == PLACED}
    for line, table in new.items():
        kept[line, tables.keys.of(line)] = {name: part for name, part in table.items() if name != "key"}
    write(STORE, "".join(json.dumps({"line": line, "key": key, "table": table}, separators=(",", ":")) + "\n"
                         for (line, key), table in sorted(kept.items(), key=lambda item: item[0])))
    for line in found:
        if line not in new:
            print(f"not walked: {line}", file=sys.stderr)
    return 0 if len(new) == len(found) else 1


def check(keys: Keys) -> int:
    """Prints the rows whose logic has changed. Ignores the floorplan in the keys, because only the design knows it."""
    stale = [row for row in read_rows()[1] if keys.of(row[3]).partition("-")[0] != row[2].partition("-")[0]]
    for row in stale:
        print(f"stale: {row[3]}")
    return 1 if stale else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stale")
    parser.add_argument("--mark")
    parser.add_argument("--store")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--floorplan")
    given = parser.parse_args()
    keys = Keys(given.floorplan)
    if given.check:
        return check(keys)
    if given.mark:
        mark(keys, given.mark)
    elif given.stale:
        for line in Tables(keys).stale(read_lines(given.stale)):
            print(line)
    elif given.store:
        return store(Tables(keys), read_lines(given.store))
    return 0


if __name__ == "__main__":
    sys.exit(main())
