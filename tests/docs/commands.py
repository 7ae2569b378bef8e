#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the commands of the pages: each is in commands.txt, and the files and options that it names exist.

usage: commands.py --check          prints a line for each mistake; the exit status is 0 even then
       commands.py --list CLASS     prints the commands of that class, a line each
       commands.py --found          prints all commands of the pages, as rows for commands.txt without class and reason
A command is a line of an indented block that begins with a program of PROGRAMS or a script of the tree, after an
optional `$ ` and variables. A line that ends with a backslash continues on the next one. Two blanks or ` # ` begin a
remark. In every class, the subcommands, options, targets and files of the tree must exist. Words in capitals are
placeholders. Rows of commands.txt: class | page | command | where it runs, or why it does not. Classes: `quick`
(tests/docs/run.sh), `deep` (tests/e2e/docs.sh), `page` (tests/e2e/docs.sh runs the page as a whole), `part` (the part
of the tests that the row names runs it) and `static` (checked, but not run).
"""
import collections
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = ROOT / "tests/docs/commands.txt"
CLASSES = ("quick", "deep", "page", "part", "static")
PROGRAMS = "rill make cd sed export mkdir cat gtkwave python3 sudo apt-get vivado xbutil printf echo head tail pip git"
FOLDERS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in ("build", ".git"))
# FIRST: how a command begins. RILL: a use of `rill`, with its command (or several, as in `gen|pack`) and its arguments.
FIRST = re.compile(rf"(?:[A-Z_]+=\S+;? )*(?:{'|'.join(PROGRAMS.split())}|build/rill|\./\S+|"
                   rf"(?:{'|'.join(FOLDERS)})/\S+(?:\.sh|\.py))(?=\s|$)")
RILL = re.compile(r"(?:^|[\s;&|(])(?:build/)?rill ([a-z]+(?:\|[a-z]+)*)((?:[^;&|]|\|[a-z])*)")


def commands_of(text):
    """Yields the commands of a page, each as one line."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        found = re.match(r" {4,}(\$ )?(.*)$", lines[at])
        at += 1
        # A line such as `rill sim: ...` is output of a command.
        if not found or not (found[1] or FIRST.match(found[2])) or re.match(r"rill \w+: ", found[2]):
            continue
        whole = found[2]
        while whole.endswith("\\") and at < len(lines):
            whole = whole[:-1].rstrip() + " " + lines[at].strip()
            at += 1
        # A line such as `rill = ...` is an assignment in a program.
        if re.match(r"\w+ = ", found[2]):
            continue
        yield re.match(r"""(?:'[^']*'|"[^"]*"|(?! {2,}| # ).)*""", whole)[0].strip()


def found():
    """Yields (page, command) for every command of the pages."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for command in commands_of(page.read_text()):
            yield str(page.relative_to(ROOT)), command


def rows():
    """Yields (class, page, command, reason) for every row of commands.txt."""
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, page, rest = line.split(" | ", 2)
            command, why = rest.rsplit(" | ", 1)
            yield kind, page, command, why


@functools.lru_cache(None)
def help_of(command):
    """Returns the help of a command of `rill`, or "" if there is no such command."""
    run = subprocess.run([ROOT / "build/rill", command, "--help"], capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 and f"rill {command}" in run.stdout else ""


@functools.lru_cache(None)
def targets():
    """Returns the targets of the Makefiles in the tree, and of those that gen/package writes."""
    text = "".join(path.read_text() for path in [ROOT / "Makefile", *ROOT.glob("boards/vitis/Makefile*"),
                                                  *(ROOT / "gen/package").glob("*.c"), *(ROOT / "boards").rglob("Makefile*")])
    lines = re.findall(r"^(?:\.PHONY: )?([\w $/().%-]+):", text.replace("\\n", "\n"), re.M)
    return {word for line in lines for word in line.split()}


def wrong_rill(command):
    """Yields the commands and options of `rill` that do not exist."""
    for name, rest in RILL.findall(command):
        options = re.findall(r"(?<![\w=-])--?[a-z][a-z-]*", re.sub(r"\"[^\"]*\"|'[^']*'", "", rest))
        for one in name.split("|"):
            if not help_of(one):
                yield f"no command `rill {one}`"
                continue
            for option in options:
                if not re.search(rf"(?<![\w-]){option}(?![\w-])", help_of(one)):
                    yield f"`rill {one}` has no option `{option}`"


def wrong_make(command):
    """Yields the targets of make that do not exist."""
    for rest in re.findall(r"(?:^|[;&] ?)make((?: [^;&|]*)?)", command):
        words = re.sub(r"-C \S+|\w+=(\"[^\"]*\"|\S+)|(?<!\S)-\S+", "", rest).split()
        for word in words:
            if word not in targets():
                yield f"no target `{word}`"


def wrong_files(command):
    """Yields the files of the tree that do not exist, and the options that a script does not have."""
    for word in re.findall(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./*-]+", command):
        if not list(ROOT.glob(word)):
            yield f"no file `{word}`"
    script = re.match(rf"(?:[A-Z_]+=\S+ )*((?:{'|'.join(FOLDERS)})/\S+(?:\.sh|\.py))(.*)$", command)
    if script and (ROOT / script[1]).is_file():
        text = (ROOT / script[1]).read_text()
        if not (ROOT / script[1]).stat().st_mode & 0o100:
            yield f"`{script[1]}` cannot be executed"
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", script[2]):
            if option not in text:
                yield f"`{script[1]}` has no option `{option}`"


def main():
    shown = collections.Counter(found())
    if sys.argv[1:] == ["--found"]:
        for page, command in shown:
            print(f"{page} | {command}")
    elif sys.argv[1] == "--list":
        print("\n".join(command for kind, _, command, _ in rows() if kind == sys.argv[2]))
    else:
        listed = {(page, command): (kind, why) for kind, page, command, why in rows()}
        for page, command in shown:
            if (page, command) not in listed:
                print(f"{page}: not in tests/docs/commands.txt: {command}")
        for (page, command), (kind, why) in listed.items():
            if (page, command) not in shown:
                print(f"tests/docs/commands.txt: {page} has no such command: {command}")
            if kind not in CLASSES or not why:
                print(f"tests/docs/commands.txt: no class, or no reason: {command}")
        for page, command in shown:
            for what in (*wrong_rill(command), *wrong_make(command), *wrong_files(command)):
                print(f"{page}: {what}: {command}")
        counts = collections.Counter(kind for kind, _ in listed.values())
        said = re.search(r"^# Of each class: (.*)$", TABLE.read_text(), flags=re.M)
        are = ", ".join(f"{kind} {counts[kind]}" for kind in CLASSES)
        if not said or said[1] != are:
            print(f"tests/docs/commands.txt: of each class: {are}")


main()
