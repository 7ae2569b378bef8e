#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates faults from the syntax, for code without planted faults. tests/mutants/operators.sh runs them.

usage: operators.py lines DATA OBJECTS COMMAND SECONDS FILE   writes to FILE which C lines COMMAND has executed, and its
                                                run time SECONDS. Reads the coverage data (*.gcda) in the folder DATA,
                                                and links the compiler's notes (*.gcno) in OBJECTS beside them
       operators.py draw [--sample N] [--seed S] FILE...    the files from which the faults of that sample are taken
       operators.py table MAP [--sample N] [--seed S] [--most N] FILE...   entries in the form of faults.txt, each with
                                                the commands that execute its line, the fastest first, at most as many
                                                as --most (default 12, 0: all). For C, these commands are in the
                                                folder MAP, in files that `lines` wrote. With --sample, only N entries,
                                                drawn at random
       operators.py count FILE...               how many faults of each class the files have
       operators.py summary TABLE RESULTS       how many of each class and language were found, and the survivors with
                                                their lines; tests/mutants/survivors.txt says which are equivalent

A fault changes one place:
  compare     a comparison includes or excludes equality, or == and != change places
  arithmetic  + and -, * and /, << and >>, or & and | change places, % becomes /, or ^ becomes |
  condition   in C, one side of && or || is dropped, or an `if` without `else` never runs; in Verilog, && and || change
              places
  constant    a number is larger by one; in Verilog, also 1'b0 and 1'b1 change places
  arguments   two neighbouring arguments of one type change places (C only)
A sample of N faults is drawn in two steps. First, N files are drawn, with repetition; the chance of a file is
proportional to its size. Then a file that was drawn M times gives M of its faults, or all if it has fewer. So only the
drawn files must be parsed, and MAP needs only their lines.
C is read through clang's syntax tree, so a place is an expression outside of macros. Verilog is read as tokens: only
assignments (also those of localparams), conditions and case items count, not declarations of ports, not defaults of
parameters, and not indices and ranges in brackets.
"""
import json
import os
import random
import re
import subprocess
import sys

SURVIVORS = "tests/mutants/survivors.txt"  # faults that no test finds, with the reasons
CLASSES = ("compare", "arithmetic", "condition", "constant", "arguments")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPARE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|",
              "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<="}


# ---- C: faults from the syntax tree ----

def tree_of(path):
    command = ["clang", "-std=c11", "-D_GNU_SOURCE", "-I.", "-fsyntax-only", "-Xclang", "-ast-dump=json", path]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{path}: clang does not read it: {done.stderr.splitlines()[0]}")
    return json.loads(done.stdout)


def span(node):
    """Returns the first byte and the end of a node, or None if a part of it comes from a macro."""
    begin, end = node.get("range", {}).get("begin", {}), node.get("range", {}).get("end", {})
    if "offset" not in begin or "offset" not in end:
        return None
    return begin["offset"], end["offset"] + end["tokLen"]


def functions(tree, text):
    """Yields the bodies of the functions that are defined in the file itself, not in a header. The offset of a header's
    function is a place in the header, where this file has other text than the function's name."""
    for node in tree["inner"]:
        at = node.get("loc", {}).get("offset")
        if node["kind"] == "FunctionDecl" and at is not None and text[at:at + len(node["name"])] == node["name"]:
            yield from (part for part in node.get("inner", []) if part["kind"] == "CompoundStmt")


def nodes(node):
    """All nodes of a subtree. For missing parts of a `for`, clang has empty nodes, which are left out."""
    if "kind" in node:
        yield node
    for part in node.get("inner", []):
        yield from nodes(part)


def operator_between(text, left, right, operator):
    """Returns the place of the operator between two operands, or None if the text between them has anything else than
    the operator, blanks and parentheses."""
    gap = text[left[1]:right[0]]
    return left[1] + gap.index(operator) if gap.strip(" \n()") == operator else None


def faults_of_binary(node, text):
    operator, (left, right) = node["opcode"], map(span, node["inner"])
    if not left or not right:
        return
    at = operator_between(text, left, right, operator)
    if at is None:
        return
    if operator in COMPARE:
        yield "compare", (at, at + len(operator)), COMPARE[operator]
    elif operator in ARITHMETIC:
        yield "arithmetic", (at, at + len(operator)), ARITHMETIC[operator]
    elif operator in ("&&", "||"):
        yield "condition", (left[0], right[1]), text[left[0]:left[1]]
        yield "condition", (left[0], right[1]), text[right[0]:right[1]]


def faults_of_call(node, text):
    arguments = node["inner"][1:]
    for first, second in zip(arguments, arguments[1:]):
        one, two = span(first), span(second)
        if one and two and first["type"] == second["type"] and text[slice(*one)] != text[slice(*two)]:
            yield "arguments", (one[0], two[1]), text[slice(*two)] + text[one[1]:two[0]] + text[slice(*one)]


def faults_of_c(path, text):
    for body in functions(tree_of(path), text):
        for node in nodes(body):
            kind = node["kind"]
            if kind in ("BinaryOperator", "CompoundAssignOperator"):
                yield from faults_of_binary(node, text)
            elif kind == "CallExpr":
                yield from faults_of_call(node, text)
            elif kind == "IntegerLiteral" and (place := span(node)) and text[slice(*place)].isdigit():
                yield "constant", place, str(int(text[slice(*place)]) + 1)
            elif kind == "IfStmt" and not node.get("hasElse") and (place := span(node["inner"][0])):
                yield "condition", place, "0"


# ---- Verilog: faults from tokens ----

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|`\w+[^\n]*|\d*\'[bdh][0-9a-fA-F_xz]+|\d+|\w+|<<<?|>>>?|[<>=!]=+|&&|\|\||\S', re.S)
DECLARES = {"parameter", "localparam", "input", "output", "inout", "reg", "wire", "genvar", "integer", "module"}


def faults_of_verilog(text):
    """Yields class, place and replacement of each fault. A statement begins after `;`, `begin`, `end` or `else`. In a
    declaration, only the part after `=` counts."""
    declares, default, brackets, parentheses, assigned, before = False, False, 0, 0, False, ""
    for match in TOKEN.finditer(text):
        token = match[0]
        if token[0] in "/\"`" and len(token) > 1:
            continue
        if token in (";", "begin", "end", "else"):
            declares, default, parentheses, assigned = False, False, 0, False
        elif token in DECLARES:
            declares, default = True, token == "parameter"
        elif token in "[]":
            brackets += 1 if token == "[" else -1
        elif token in "()":
            parentheses += 1 if token == "(" else -1
        counts = not brackets and not default and (not declares or assigned and before not in DECLARES)
        if token in COMPARE and counts and (token != "<=" or parentheses or assigned):
            yield "compare", match.span(), COMPARE[token]
        elif token in ARITHMETIC and counts and (assigned or parentheses) and re.match(r"[\w)\]}]", before[-1:]):
            yield "arithmetic", match.span(), ARITHMETIC[token]
        elif token in ("&&", "||") and counts:
            yield "condition", match.span(), "||" if token == "&&" else "&&"
        elif token in ("1'b0", "1'b1") and counts and assigned:
            yield "constant", match.span(), "1'b1" if token == "1'b0" else "1'b0"
        elif token.isdigit() and counts and assigned and before not in ("'", "#"):
            yield "constant", match.span(), str(int(token) + 1)
        if token == "=" or token == "<=" and not parentheses:
            assigned = not declares or token == "="
        before = token


# ---- entries ----

def in_comment(text, at):
    return "//" in text[text.rfind("\n", 0, at) + 1:at]


def pattern_of(text, place, put):
    """Returns as much text around a place as occurs only once in the file, and its replacement. Returns None if white
    space matters there, or if the text would be longer than 600 characters."""
    begin, end = place
    while True:
        pattern = text[begin:end]
        loose = r"\s+".join(re.escape(word) for word in pattern.split())
        if in_comment(text, begin) and "\n" in pattern:
            return None  # what follows the comment would become a part of it
        if "//" in pattern or re.search(r'"[^"\n]*  |\n\s*[#`]', pattern) or pattern.count('"') % 2:
            return None
        if len(re.findall(loose, text)) == 1 and pattern == pattern.strip():
            new = text[begin:place[0]] + put + text[place[1]:end]
            return " ".join(pattern.split()), " ".join(new.split())
        begin, end = max(begin - 1, 0), min(end + 1, len(text))
        while begin and text[begin - 1].isalnum() and text[begin].isalnum():
            begin -= 1
        while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
            end += 1
        if end - begin > 600:
            return None


def faults_of(path):
    """Yields class, line, and (pattern, replacement) of each fault of a file."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    if not text.isascii():
        return  # clang counts bytes
    for kind, place, put in faults_of_c(path, text) if path.endswith(".c") else faults_of_verilog(text):
        if pattern := pattern_of(text, place, put):
            yield kind, text.count("\n", 0, place[0]) + 1, pattern


# ---- which commands execute a line ----

def benches_of(path):
    """Returns the commands that test a module: its bench, or if it has none the bench of a module that instantiates it,
    then its lint and its proof."""
    name, commands, seen, wanted = os.path.basename(path)[:-2], [], set(), []
    wanted.append(name)
    while wanted and not commands:
        user = wanted.pop(0)
        seen.add(user)
        bench = os.path.join(ROOT, f"verif/modules/{user}_tb.v")
        if os.path.exists(bench):
            with open(bench, encoding="utf-8") as file:
                sets = re.findall(r"^// quick:", file.read(), re.M)
            commands += [f"verif/modules/run.sh --quick --set {part} {user}" for part in ("test", "deep")[:max(len(sets), 1)]]
        else:
            users = subprocess.run(["grep", "-rlE", f"^ +{user}( +(#|[a-z])|$)", "rtl-templates", "--include=*.v"], cwd=ROOT,
                                   stdout=subprocess.PIPE, text=True).stdout.split()
            wanted += [one for file in users if (one := os.path.basename(file)[:-2]) not in seen]
    commands.insert(1, f"verif/modules/lint_templates.sh --quick {name}")
    if os.path.exists(os.path.join(ROOT, f"verif/formal/properties/{name}.v")):
        commands.append(f"verif/formal/run.sh --quick {name}")
    return commands


def add_lines(data, objects, command, seconds, path):
    """Runs `gcov` for every object that was executed, and writes the executed lines to the file `path`. `gcov` needs
    the compiler's notes (*.gcno) beside the data."""
    found, files = [], {}
    for folder, _, names in os.walk(data):
        found += [os.path.join(folder, name) for name in names if name.endswith(".gcda")]
    for name in found:
        notes = name[:-len("gcda")] + "gcno"
        if not os.path.exists(notes):
            os.link(objects + notes.rpartition(objects)[2], notes)
    for at in range(0, len(found), 50):
        done = subprocess.run(["gcov", "--json-format", "--stdout", *found[at:at + 50]], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True)
        for line in done.stdout.splitlines():
            for file in json.loads(line)["files"]:
                lines = {entry["line_number"] for entry in file["lines"] if entry["count"]}
                files.setdefault(os.path.normpath(file["file"]), set()).update(lines)
    executed = {name: sorted(lines) for name, lines in files.items()}
    with open(path + ".new", "w", encoding="utf-8") as out:
        json.dump({"command": command, "seconds": float(seconds), "files": executed}, out)
    os.replace(path + ".new", path)


def read_map(folder):
    """Returns the commands of a map, the fastest first. If several take the same time, the one that executes the least
    code comes first, because it tests that code most closely."""
    commands = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                commands.append(json.load(file))
    for command in commands:
        command["files"] = {path: set(lines) for path, lines in command["files"].items()}
    return sorted(commands, key=lambda one: (round(one["seconds"]), sum(map(len, one["files"].values()))))


def commands_of(known, path, line):
    if path.endswith(".v"):
        return benches_of(path)
    return [one["command"] for one in known if line in one["files"].get(path, ())]


def drawn(sample, seed, paths):
    """Returns how many faults to take from each file. Without a sample, the number is 0, which means all."""
    paths = sorted(paths)
    if not sample:
        return dict.fromkeys(paths, 0)
    sizes = [os.path.getsize(os.path.join(ROOT, path)) for path in paths]
    counts = {}
    for path in random.Random(seed).choices(paths, sizes, k=sample):
        counts[path] = counts.get(path, 0) + 1
    return dict(sorted(counts.items()))


def table(known, sample, seed, most, paths):
    faults = []
    for path, count in drawn(sample, seed, paths).items():
        of_file = [(path, *fault) for fault in faults_of(path)]
        if count:
            of_file = sorted(random.Random(f"{seed} {path}").sample(of_file, min(count, len(of_file))))
        faults += of_file
    seen = {}
    for path, kind, line, (find, put) in faults:
        commands = commands_of(known, path, line)
        name = f"{kind}:{path}:{line}"
        seen[name] = seen.get(name, 0) + 1
        name += f":{seen[name]}"
        if not commands:
            print(f"# {name} no test executes this line\n")
            continue
        test = " && ".join(commands[:most or None])
        print(f"id {name}\nfile {path}\nfind {find}\nput {put}\nkind operator\ntest {test}\n")


def blocks_of(path):
    """Returns the entries of a table as dictionaries, and the names in its comments about lines that no test
    executes."""
    entries, unreached = [], []
    with open(path, encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            lines = [line for line in block.strip().splitlines() if not line.startswith("#")]
            fields = dict(line.partition(" ")[::2] for line in lines)
            if "id" in fields:
                entries.append(fields)
            elif block.startswith("# ") and block.strip().endswith("no test executes this line"):
                unreached.append(block.split()[1])
    return entries, unreached


def results_of(path, entries):
    """Returns `ok`, `survived` or `illegal` for each entry that has a result, by the last of its results. `illegal`:
    the runner could not decide, for example because the faulty file does not compile."""
    results = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            # A line of tests/mutants/run.sh: `ok    ID: text` or `FAIL  ID: text`, in a stored result after a hash.
            words = re.search(r"(?:^|[0-9a-f] )(ok   |FAIL ) ?(\S+): (.*)", line)
            if words and words[2] in entries:
                survived = "survived" if words[3].startswith("survived") else "illegal"
                results[words[2]] = "ok" if words[1] == "ok   " else survived
    return results


def verdicts_of(entries, results):
    """Returns the results, with `equivalent` for the survivors that tests/mutants/survivors.txt proves to be so."""
    path, verdicts = os.path.join(ROOT, SURVIVORS), dict(results)
    known = blocks_of(path)[0] if os.path.exists(path) else []
    equivalent = {(one["file"], one["find"], one["put"]) for one in known if one["kind"] == "equivalent"}
    for name, fields in entries.items():
        if (fields["file"], fields["find"], fields["put"]) in equivalent and results.get(name) == "survived":
            verdicts[name] = "equivalent"
    return verdicts


def summary(table_path, results_path):
    entries, unreached = blocks_of(table_path)
    entries = {fields["id"]: fields for fields in entries}
    results = results_of(results_path, entries)
    verdicts = verdicts_of(entries, results)
    verdicts.update(dict.fromkeys(unreached, "not executed"))
    groups = [(kind, lambda name, kind=kind: name.startswith(kind + ":")) for kind in CLASSES]
    groups += [("C", lambda name: ".c:" in name), ("Verilog", lambda name: ".v:" in name), ("all", lambda name: True)]
    kinds = ("ok", "survived", "not executed", "equivalent", "illegal")
    print(f"{'':<12}{'found':>9}{'survived':>14}{'not executed':>14}{'equivalent':>14}{'no result':>14}{'found of the first three':>26}")
    for title, belongs in groups:
        counts = [sum(belongs(name) and verdict == kind for name, verdict in verdicts.items()) for kind in kinds]
        share = 100 * counts[0] / max(sum(counts[:3]), 1)
        print(f"{title:<12}{counts[0]:>9}" + "".join(f"{count:>14}" for count in counts[1:]) + f"{share:>24.1f} %")
    for name in (name for name in verdicts if verdicts[name] == "survived"):
        print(f"survived {name}\n    {entries[name]['find']}\n    {entries[name]['put']}")
    for name in unreached:
        print(f"not executed {name}")
    if len(entries) > len(results):
        print(f"{len(entries) - len(results)} faults have not been run")


def options_of(words):
    """Returns sample, seed, the most commands of a fault, and the files."""
    options = {"--sample": 0, "--seed": 1, "--most": 12}
    while words and words[0] in options:
        options[words[0]] = int(words[1])
        words = words[2:]
    return *options.values(), words


def main():
    what, rest = sys.argv[1:2], sys.argv[2:]
    if what == ["lines"] and len(rest) == 5:
        add_lines(*rest)
    elif what == ["summary"] and len(rest) == 2:
        summary(*rest)
    elif what == ["count"] and rest:
        kinds = [kind for path in rest for kind, *_ in faults_of(path)]
        for kind in sorted(set(kinds)):
            print(f"{kind:<12}{kinds.count(kind):>6}")
    elif what == ["draw"] and rest:
        sample, seed, _, paths = options_of(rest)
        print(*drawn(sample, seed, paths), sep="\n")
    elif what == ["table"] and len(rest) > 1:
        table(read_map(rest[0]), *options_of(rest[1:]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
