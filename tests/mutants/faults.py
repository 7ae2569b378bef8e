#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Reads the planted faults from the faults.txt of every folder (docs/testing.md has the format). Checks or lists them,
# or plants one.
import fnmatch
import hashlib
import os
import re
import shlex
import subprocess
import sys

USAGE = """usage: faults.py [--table FILE]... check LEAST   every entry is well formed and beside the code that it breaks, its pattern occurs once, its
                                                test exists; at least LEAST entries, enough of them found by `make test` and
                                                `make test-deep`: their shares are printed
       faults.py [--table FILE]... list [--kind K] [A-B | ID]...   number, id, file, kind, place (`test`, `deep`: make test-deep, or `extra`:
                                                neither) and test of each, those of one test together
       faults.py [--table FILE]... plant ID ROOT     plants the fault in the tree at ROOT
       faults.py [--table FILE]... key ID            the key of an entry in a file of results
       faults.py [--table FILE]... recorded RESULTS [--failed] ID...   the last result of each entry that the file has,
                                                as its line; `run ID` for the other entries, and with --failed for
                                                those that failed
Without --table: the faults.txt of every folder, in the order of their paths.
"""
KEYS = ("id", "file", "find", "put", "kind", "test", "why")
KINDS = ("rtl", "pass", "packer", "reader", "golden", "model", "check", "forecast", "cost", "emit", "harness", "oracle", "runner", "operator", "equivalent")
# Tests that `make test` and `make test-deep` run must find at least this share of the faults, in per cent.
WITHIN = 90
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BESIDE = "faults.txt"  # a table with this name holds faults of files in its folder and in the folders below


class Entry(dict):
    """The keys of an entry, and its `place`: the table and the line where it begins. A missing key reads as an empty
    text."""
    def __getattr__(self, key):
        return self.get(key, "")


def tables_of_tree():
    """Returns the paths of all faults.txt, sorted, so that the order is the same on every machine."""
    found = []
    for folder, below, files in os.walk(ROOT):
        if folder == ROOT:
            below[:] = [name for name in below if name not in ("build", ".git")]
        if BESIDE in files:
            found.append(os.path.relpath(os.path.join(folder, BESIDE), ROOT))
    return sorted(found, key=lambda path: path.split("/")[:-1])


def read_tables(paths):
    return [entry for path in paths for entry in read_table(path)]


def read_table(path):
    """Returns the entries of one table. Exits with an error at a key that is unknown or given twice."""
    entries, entry = [], Entry()
    with open(os.path.join(ROOT, path), encoding="utf-8") as table:
        lines = table.read().split("\n")
    for number, line in enumerate(lines + [""], 1):
        key, _, value = line.partition(" ")
        if line.startswith("#"):
            continue
        if not line.strip():
            if entry:
                entries.append(entry)
            entry = Entry()
        elif key not in KEYS:
            sys.exit(f"{path}:{number}: error: no key `{key}`; the keys are {' '.join(KEYS)}")
        elif key in entry:
            sys.exit(f"{path}:{number}: error: `{key}` is given twice; a blank line stands between entries")
        else:
            entry.setdefault("place", f"{path}:{number}")
            entry[key] = value.strip()
    return entries


def places(entry, root):
    """Returns the text of the entry's file, and where the pattern occurs in it. White space of the pattern matches any
    white space, so that formatting a file breaks no entry."""
    with open(os.path.join(root, entry.file), encoding="utf-8") as file:
        text = file.read()
    pattern = r"\s+".join(re.escape(word) for word in entry.find.split())
    return text, [match.span() for match in re.finditer(pattern, text)]


def plant(entry, root):
    text, found = places(entry, root)
    if len(found) != 1:
        sys.exit(f"pattern occurs {len(found)} times in {entry.file}")
    with open(os.path.join(root, entry.file), "w", encoding="utf-8") as file:
        file.write(text[: found[0][0]] + entry.put + text[found[0][1] :])


def key_of(entry):
    """Returns a checksum of the entry's id, file, pattern and replacement, and of the content of the file."""
    with open(os.path.join(ROOT, entry.file), "rb") as file:
        return hashlib.sha1("\n".join((entry.id, entry.file, entry.find, entry.put)).encode() + file.read()).hexdigest()[:16]


def recorded(paths, results, again, ids):
    """Prints the stored result of each entry, or `run ID` if there is none. The last result of an entry counts. again:
    prints `run ID` also for an entry whose result is FAIL."""
    with open(results, encoding="utf-8", errors="replace") as file:
        results = dict(line.rstrip("\n").partition(" ")[::2] for line in file if line.endswith("\n"))
    entries = {entry.id: entry for entry in read_tables(paths)}
    for name in ids:
        result = results.get(key_of(entries[name]), "")
        if not result or again and result.startswith("FAIL"):
            result = f"run {name}"
        print(result)


def run(*command):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def parts_of_set(name):
    """Returns the parts of `make test` (test) or `make test-deep` (deep), each as the words of its command."""
    lines = run("tests/run.sh", "--set", name, "--list").splitlines()
    return [line.partition(": ")[2].split() for line in lines]


class Tests:
    """The tests that find faults: checks that they exist, and finds the set that runs them. later_sets: modules with a
    bench that has quick sets in `deep`. recorded: the set that checks each spec of tests/emit/hashes.txt."""

    def __init__(self):
        self.parts = {name: parts_of_set(name) for name in ("test", "deep")}
        self.later_sets = {line.split()[0] for line in run("verif/modules/run.sh", "--quick", "--set", "deep", "--list").splitlines()}
        self.points_of = {name: run("tests/e2e/matrix.sh", "--set", name, "--list").split() for name in ("test", "deep")}
        self.points = run("tests/e2e/matrix.sh", "--list").split()
        with open(os.path.join(ROOT, "tests/emit/hashes.txt"), encoding="utf-8") as table:
            self.recorded = {words[2]: words[1] for line in table if (words := line.split()) and words[0] != "#"}
        self.all_points = run("tests/e2e/matrix.sh", "--all", "--list").split()

    def missing(self, test):
        """Returns the first script, unit test, bench or design point of the test that does not exist, or None."""
        words = shlex.split(test)
        if not os.access(os.path.join(ROOT, words[0]), os.X_OK):
            return words[0]
        names = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
        for name in names:
            if words[0] == "tests/unit/run.sh" and not self.unit_test(name):
                return name
            if words[0] == "verif/modules/run.sh" and not self.exists(f"verif/modules/{name}_tb.v"):
                return name
            if words[0] == "tests/e2e/matrix.sh" and name not in (self.all_points if "--all" in words else self.points):
                return name
        return None

    def unit_test(self, name):
        file, _, case = name.partition(":")
        if file.endswith(".sh"):
            return self.exists(f"tests/unit/{file}")
        if not self.exists(f"tests/unit/{file}.c"):
            return False
        with open(os.path.join(ROOT, f"tests/unit/{file}.c"), encoding="utf-8") as source:
            return not case or re.search(rf"cmocka_unit_test\w*\({case}[,)]", source.read()) is not None

    @staticmethod
    def exists(path):
        return os.path.exists(os.path.join(ROOT, path))

    def place(self, test):
        """Returns the set that runs a test: `test`, `deep`, or `extra` if neither does."""
        words = shlex.split(test)
        if words[:2] == ["tests/emit/hashes.sh", "--check"]:
            return "test" if all(self.recorded.get(spec) == "test" for spec in words[2:]) else "deep"
        for name in ("test", "deep"):
            if any(self.is_in(words, part, name) for part in self.parts[name] if part[0] == words[0]):
                return name
        return "extra"

    def is_in(self, words, part, name):
        """Returns whether a part of the set `name` runs what a test runs. If a part is in both sets, each set runs only
        some of its checks."""
        names = [word for word in words[1:] if not word.startswith("-")]
        if words[0] == "tests/e2e/matrix.sh":
            return "--all" not in words and all(point in self.points_of[name] for point in names)
        if words[0] == "tests/fuzz/run.sh":
            return all(word.startswith("tests/fuzz/found/") and "found" in part for word in names if "/" in word)
        if words[0] == "tests/host/run.sh":
            return words[1:] == part[1:]
        if words[0] == "tests/harness/run.sh":
            return ("--kills" in words) == ("--kills" in part)
        if words[0] == "tests/unit/run.sh":
            slow = any(re.search(r"(^|:)slow_", word) for word in names)
            same = all((option in words) == (option in part) for option in ("--sanitize", "--clang"))
            return same and slow == ("deep" in part)
        if words[0] == "verif/modules/run.sh":
            return "--quick" in words and (name == "deep" or not self.later_sets.intersection(names))
        if words[0] == "tests/docs/run.sh":
            return ("deep" in words) == ("deep" in part)
        quick = words[0] not in ("verif/formal/run.sh", "verif/modules/lint_templates.sh") or "--quick" in words
        return quick and "--all" not in words


def faults_of(entry, seen, tests):
    """Yields what is wrong with an entry. seen: the places of the earlier entries, by id."""
    for key in KEYS[:6]:
        if not entry.get(key) and key != "put":
            yield f"`{key}` is missing"
    if entry.id in seen:
        yield f"an entry of this id is at {seen[entry.id]}; give this one another"
    if entry.kind not in KINDS:
        yield f"no kind `{entry.kind}`"
    if entry.kind == "equivalent" and not entry.why:
        yield "a fault that changes nothing needs a proof: `why`"
    if entry.find.split() == entry.put.split():
        yield "it changes nothing"
    if not tests.exists(entry.file):
        yield f"no file {entry.file}"
    elif not is_beside(entry):
        yield f"{entry.file} is not in this folder; move the entry to {os.path.join(os.path.dirname(entry.file), BESIDE)}"
    elif entry.find and (count := len(places(entry, ROOT)[1])) != 1:
        yield f"pattern occurs {count} times in {entry.file}"
    if entry.test and (missing := tests.missing(entry.test)):
        yield f"`{entry.test}`: there is no {missing}"


def is_beside(entry):
    """Returns whether an entry is in the folder of the file that it breaks, or above. Tables with another name than
    faults.txt may hold any entry."""
    folder, name = os.path.split(entry.place.partition(":")[0])
    way = os.path.relpath(os.path.join(ROOT, entry.file), os.path.join(ROOT, folder))
    return name != BESIDE or way.split("/")[0] != ".."


def check(paths, least):
    """Prints every mistake, and the shares of the sets. Returns whether all is right. least: number of entries."""
    entries, tests, seen, bad = read_tables(paths), Tests(), {}, 0
    for entry in entries:
        for fault in faults_of(entry, seen, tests):
            print(f"{entry.place}: {entry.id}: {fault}")
            bad += 1
        seen.setdefault(entry.id, entry.place)
    real = [entry for entry in entries if entry.kind != "equivalent"]
    places = [tests.place(entry.test) for entry in real]
    quick, both = places.count("test"), places.count("test") + places.count("deep")
    if len(real) < least:
        print(f"{len(real)} faults, at least {least} must be there")
    share = f"`make test` finds {quick} of {len(real)} faults, with `make test-deep` {both}"
    if both * 100 < len(real) * WITHIN:
        print(f"{share}, they must find {WITHIN} %")
    elif bad == 0 and len(real) >= least:
        print(f"{share} by themselves, {len(entries) - len(real)} more change nothing")
    return bad == 0 and len(real) >= least and both * 100 >= len(real) * WITHIN


def is_wanted(entry, number, wanted):
    """wanted: numbers N, ranges A-B, or patterns of ids. An empty list selects every entry."""
    for want in wanted:
        first, _, last = want.partition("-")
        if first.isdigit() and (last or first).isdigit():
            if int(first) <= number <= int(last or first):
                return True
        elif fnmatch.fnmatchcase(entry.id, want):
            return True
    return not wanted


def show_list(paths, arguments):
    kind = None
    if arguments[:1] == ["--kind"]:
        kind, arguments = arguments[1], arguments[2:]
    entries, tests = read_tables(paths), Tests()
    chosen = [(n, e) for n, e in enumerate(entries, 1) if is_wanted(e, n, arguments) and kind in (None, e.kind)]
    order = {}
    for _, entry in chosen:
        order.setdefault(entry.test, len(order))
    for number, entry in sorted(chosen, key=lambda pair: order[pair[1].test]):
        print(number, entry.id, entry.file, entry.kind, tests.place(entry.test), entry.test, sep="\t")


def main():
    arguments, paths = sys.argv[1:], []
    while arguments[:1] == ["--table"] and len(arguments) > 1:
        paths.append(arguments[1])
        arguments = arguments[2:]
    if not arguments or arguments[0] not in ("check", "list", "plant", "key", "recorded"):
        sys.stderr.write(USAGE)
        return 2
    paths = paths or tables_of_tree()
    what, rest = arguments[0], arguments[1:]
    if what == "check":
        return 0 if check(paths, int(rest[0])) else 1
    if what == "list":
        show_list(paths, rest)
        return 0
    if what == "recorded":
        again = rest[1:2] == ["--failed"]
        recorded(paths, rest[0], again, rest[1 + again:])
        return 0
    entry = next(entry for entry in read_tables(paths) if entry.id == rest[0])
    if what == "key":
        print(key_of(entry))
    else:
        plant(entry, rest[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
