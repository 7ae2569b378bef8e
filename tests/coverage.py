#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up the counts of a run of tests/coverage.sh.

usage: coverage.py c TREE FUNCTIONS   prints lines and branches by file and folder, from gcov's data below
                                      TREE/build/obj. Writes the functions that were never called to FUNCTIONS.
       coverage.py rtl ROOT FOLDER    prints lines (with branches) and toggles of the templates by file and folder, from
                                      Verilator's data below FOLDER (*.dat). A toggle is a bit that has changed.
"""
import json
import os
import re
import subprocess
import sys


def notes_below(folder):
    return sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names if name.endswith(".gcno"))


def read_gcov(tree):
    """Returns the files with their lines, branches and functions, each with its count. Objects whose code never ran are
    included."""
    notes, files = notes_below(os.path.join(tree, "build/obj")), {}
    for at in range(0, len(notes), 50):
        command = ["gcov", "--branch-probabilities", "--json-format", "--stdout", *notes[at:at + 50]]
        done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        for line in done.stdout.splitlines():
            for file in json.loads(line)["files"]:
                name = os.path.normpath(file["file"])
                if not name.startswith(("/", "..")):
                    add_file(files.setdefault(name, {"line": {}, "branch": {}, "function": {}}), file)
    return files


def add_file(counts, file):
    """Adds gcov's counts of a file in one object."""
    for line in file["lines"]:
        number = line["line_number"]
        counts["line"][number] = counts["line"].get(number, 0) + line["count"]
        for at, branch in enumerate(line["branches"]):
            counts["branch"][number, at] = counts["branch"].get((number, at), 0) + branch["count"]
    for function in file["functions"]:
        key = function["start_line"], function["name"]
        counts["function"][key] = counts["function"].get(key, 0) + function["execution_count"]


def read_verilator(root, folder):
    """Returns the templates with their lines and bits, each with its count over all instances of all designs."""
    files = {}
    for place, _, names in os.walk(folder):
        for name in (name for name in names if name.endswith(".dat")):
            with open(os.path.join(place, name), encoding="utf-8", errors="replace") as data:
                for line in data:
                    add_point(files, root, line)
    return files


def add_point(files, root, line):
    """Adds a line of Verilator's data: C '\\001KEY\\002VALUE...' COUNT. The key `page` of a point names its kind:
    v_line, v_branch, v_toggle or v_user."""
    match = re.match(r"C '(.*)' (\d+)$", line)
    if not match:
        return
    keys = dict(part.split("\2", 1) for part in match[1].split("\1") if "\2" in part)
    path = re.search(r"(^|/)(rtl-templates/\w+|rtl)/rill_\w+\.v$", keys.get("f", ""))
    kind = keys.get("page", "").split("/")[0]
    if not path or kind not in ("v_line", "v_branch", "v_toggle"):
        return
    name = template(root, os.path.basename(path[0]))
    if name:
        counts = files.setdefault(name, {"line": {}, "toggle": {}})
        kind = "toggle" if kind == "v_toggle" else "line"
        key = keys["l"], keys.get("n"), keys.get("o")
        counts[kind][key] = counts[kind].get(key, 0) + int(match[2])


TEMPLATES = {}
PLURAL = {"line": "lines", "branch": "branches", "toggle": "toggles"}


def template(root, name):
    """Returns the path of the template with this file name, or None. Designs have copies of the templates."""
    if not TEMPLATES:
        for place, _, names in os.walk(os.path.join(root, "rtl-templates")):
            TEMPLATES.update({one: os.path.relpath(os.path.join(place, one), root) for one in names if one.endswith(".v")})
    return TEMPLATES.get(name)


def table(files, kinds):
    """Prints a row for all files, for each folder and for each file: the share of lines, branches or toggles with a
    count above 0."""
    rows = {}
    for path, counts in files.items():
        folder = "/".join(path.split("/")[:2])
        for row in ("all", folder + "/", path):
            sums = rows.setdefault(row, [[0, 0] for _ in kinds])
            for pair, kind in zip(sums, kinds):
                pair[0] += sum(count > 0 for count in counts[kind].values())
                pair[1] += len(counts[kind])
    print(f"{'':<44}" + "".join(f"{PLURAL[kind]:>24}" for kind in kinds))
    for row in sorted(rows, key=lambda name: (name != "all", name)):
        print(f"{row:<44}" + "".join(f"{f'{100 * hit / most:.1f} % of {most}' if most else '-':>24}" for hit, most in rows[row]))


def main():
    what, rest = sys.argv[1:2], sys.argv[2:]
    if what == ["c"] and len(rest) == 2:
        files = {path: counts for path, counts in read_gcov(rest[0]).items() if path.endswith(".c")}
        table(files, ("line", "branch"))
        with open(rest[1], "w", encoding="utf-8") as out:
            for path in sorted(files):
                for (line, name), count in sorted(files[path]["function"].items()):
                    if count == 0:
                        out.write(f"{path}:{line}: {name}\n")
    elif what == ["rtl"] and len(rest) == 2:
        table(read_verilator(*rest), ("line", "toggle"))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
