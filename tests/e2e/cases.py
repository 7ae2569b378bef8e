#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the cases of the end-to-end matrix, tests/e2e/cases/NAME/case.yaml (docs/testing.md has their form).

usage: cases.py [--cases FOLDER] [--set test | --set deep | --set all]
Prints a line for each design point of the set (default: those of test and deep), fields separated by tabs: name, what
its results must equal, spec, weights, request sets, seeds, build, values of the spec. A case that is wrong is refused
with its file and line; then nothing is printed."""
import itertools
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SETS = ("test", "deep", "all")
BUILDS = ("quick", "fast", "whole", "pumped")
REQUESTS = ("prompts", "text", "lengths", "blocks", "end", "span", "drawn", "listed", "quotes", "quotes-drawn", "again", "again-drawn", "predicted", "predicted-drawn", "turns", "turns-drawn", "stop", "ends", "joins", "joins-drawn", "joins-again", "joins-again-drawn", "joins-predicted", "turns-joins", "turns-together", "together", "apart", "rows", "rows-blocks", "rows-file")
# COMMON: keys that a case has for all of its points, or that one point has. NEEDED: keys that every point must have.
COMMON = ("spec", "weights", "equals", "sets", "requests", "seeds", "build")
KEYS = {"case": (*COMMON, "points"), "point": ("name", *COMMON, "values")}
BITS = ("weights", "head", "embedding", "activations", "group")  # values of a spec that change the computed values
NEEDED = ("name", "weights", "sets", "requests", "seeds")


class Wrong(Exception):
    """A mistake in a case, with its place."""

    def __init__(self, node, text):
        super().__init__(f"{place_of(node)}: error: {text}")


def place_of(node):
    """Returns the place of a node as FILE:LINE."""
    return f"{node.start_mark.name.removeprefix(f'{ROOT}/')}:{node.start_mark.line + 1}"


def listed(names):
    return ", ".join(f"`{name}`" for name in names)


def keys_of(node, what):
    """Returns the keys of a map with their nodes."""
    if not isinstance(node, yaml.MappingNode):
        raise Wrong(node, f"a {what} is a map of {listed(KEYS[what])}")
    found = {}
    for key, value in node.value:
        if key.value not in KEYS[what]:
            raise Wrong(key, f"a {what} has no key `{key.value}`; its keys are {listed(KEYS[what])}")
        if key.value in found:
            raise Wrong(key, f"`{key.value}` is given twice; remove one of the two")
        found[key.value] = value
    return found


def word(node, key, known=None):
    """Returns the word in a node, which must be one of the known words, if there are any."""
    if not isinstance(node, yaml.ScalarNode) or not re.fullmatch(r"[^\s]+", node.value):
        raise Wrong(node, f"`{key}` is one word without blanks")
    if known and node.value not in known:
        raise Wrong(node, f"`{key}` has no `{node.value}`; write one of {listed(known)}")
    return node.value


def words(node, key, known=None):
    """Returns the words of a list, which must not be empty and must have no word twice."""
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise Wrong(node, f"`{key}` is a list of at least one" + (f" of {listed(known)}" if known else ""))
    found = [word(item, key, known) for item in node.value]
    if len(set(found)) != len(found):
        raise Wrong(node, f"`{key}` has an entry twice; remove one of the two")
    return found


def numbers(node, key):
    """Returns the words of a list of whole numbers."""
    for text in words(node, key):
        if not text.isdigit():
            raise Wrong(node, f"`{key}` are whole numbers, not `{text}`")
    return words(node, key)


def of_set(node, key, name, sets, needed):
    """Returns a value. If it differs between sets ({deep: ..., all: ...}), returns the value of one set, or None if
    this set has none. needed: a value for each set of `sets` must be given."""
    if not isinstance(node, yaml.MappingNode):
        return node
    for each, _ in node.value:
        word(each, key, SETS)
    found = {each.value: value for each, value in node.value}
    missing = [each for each in sets if each not in found]
    if needed and missing:
        raise Wrong(node, f"`{key}` of set `{missing[0]}` is missing; this point is in {listed(sets)}")
    return found.get(name)


def sweep(node):
    """Returns every combination of the values of a map, in which a list gives each of its entries."""
    if node is None:
        return [[]]
    if not isinstance(node, yaml.MappingNode):
        raise Wrong(node, "`values` is a map of keys of the spec; a list of values makes a point of each")
    choices = []
    for key, value in node.value:
        texts = words(value, key.value) if isinstance(value, yaml.SequenceNode) else [word(value, key.value)]
        choices.append([(key.value, text) for text in texts])
    return [list(each) for each in itertools.product(*choices)]


def filled(node, text, values):
    """Returns the name of a point, such as odd-T{T}, in which {KEY} is replaced by the value of the point."""
    def value(match):
        if match[1] not in dict(values):
            raise Wrong(node, f"`{match[0]}` in `{text}` is no key of `values`; those are {listed(dict(values)) or 'none'}")
        return dict(values)[match[1]]
    return re.sub(r"\{(\w*)\}", value, text)


def path_of(node, key, text):
    """Returns the path of a file, given from the root of the tree, which must exist. Returns random:SEED unchanged."""
    if key == "weights" and re.fullmatch(r"random:\d+", text):
        return text
    if not (ROOT / text).exists():
        raise Wrong(node, f"`{key}`: no {text}; write a path from the root of the tree" + (" or random:SEED" if key == "weights" else ""))
    return str(ROOT / text)


def points_of(folder, node, common, name):
    """Yields the output lines for one entry of `points` in one set, each with its node."""
    own = {**common, **keys_of(node, "point")}
    for key in NEEDED:
        if key not in own:
            raise Wrong(node, f"a point needs `{key}`, here or for the whole case")
    sets = words(own["sets"], "sets", SETS)
    chosen = {key: of_set(own[key], key, name, sets, key != "build") if key in own else None for key in ("requests", "seeds", "build")}
    if name not in sets:
        return
    requests = words(chosen["requests"], "requests", REQUESTS)
    seeds = numbers(chosen["seeds"], "seeds")
    build = word(chosen["build"], "build", BUILDS) if chosen["build"] is not None else BUILDS[0]
    spec = own.get("spec")
    spec = path_of(spec, "spec", word(spec, "spec")) if spec is not None else path_of(node, "spec", f"{folder.relative_to(ROOT)}/spec.yaml")
    weights = path_of(own["weights"], "weights", word(own["weights"], "weights"))
    for values in sweep(own.get("values")):
        equals = word(own["equals"], "equals") if "equals" in own else folder.name
        yield own["name"], [
            filled(own["name"], word(own["name"], "name"), values),
            filled(own.get("equals"), equals, values),
            spec, weights, " ".join(requests), " ".join(seeds), build,
            " ".join(f"{key}={value}" for key, value in values),
        ]


def read_case(path, name):
    """Yields all points of a case in a set."""
    try:
        with open(path, encoding="utf-8") as file:
            node = yaml.compose(file)
    except yaml.MarkedYAMLError as error:
        raise Wrong(error.problem and yaml.ScalarNode("", "", error.problem_mark), error.problem) from None
    if node is None:
        sys.exit(f"{path}:1: error: a case is a map of {listed(KEYS['case'])}")
    common = keys_of(node, "case")
    points = common.pop("points", None)
    if not isinstance(points, yaml.SequenceNode):
        raise Wrong(points or node, "`points` is a list of design points; of a spec that others use alone: `points: []`")
    for point in points.value:
        yield from points_of(path.parent, point, common, name)


def bits_of(line):
    """Returns the weights and the formats of a point, from its values or its spec. All points of a case have the same
    model, so the weights and formats decide the computed values."""
    values = dict(value.split("=", 1) for value in line[7].split())
    spec = pathlib.Path(line[2]).read_text(encoding="utf-8")
    found = {key: re.search(rf"^ +{key}: +([^ #\n]+)", spec, re.M) for key in BITS}
    return line[3], {key: values.get(key, found[key] and found[key][1]) for key in BITS}


def read_set(cases, name, seen, computed):
    """Yields the output lines of a set. `seen` maps each name that is already used to its place, `computed` each label
    of equal results to the weights and formats of its first point."""
    for folder in sorted(each for each in cases.iterdir() if each.is_dir()):
        path = folder / "case.yaml"
        if not path.exists():
            sys.exit(f"{path}:1: error: it is missing; write `points: []` if the spec beside it is for other tests alone")
        for node, line in read_case(path, name):
            if line[0] in seen:
                raise Wrong(node, f"point `{line[0]}` is already at {seen[line[0]]}; give this one another name, or only one of the sets `test` and `deep`")
            seen[line[0]] = place_of(node)
            first, bits = computed.setdefault(line[1], (line[0], bits_of(line)))
            if bits != bits_of(line):
                raise Wrong(node, f"point `{line[0]}` cannot equal `{first}`: its weights or formats are others; give it a label of its own with `equals`")
            yield line


def main():
    arguments, cases, wanted = sys.argv[1:], ROOT / "tests/e2e/cases", SETS[:2]
    while len(arguments) >= 2 and arguments[0] in ("--cases", "--set"):
        if arguments[0] == "--cases":
            cases = pathlib.Path(arguments[1]).resolve()
        elif arguments[1] in SETS:
            wanted = (arguments[1],)
        else:
            break
        arguments = arguments[2:]
    if arguments:
        sys.exit(__doc__)
    try:
        # All sets are read, so that an error in any of them is reported. Names are unique over the sets test and deep.
        seen, computed = {}, {}
        lines = {name: list(read_set(cases, name, *(({}, {}) if name == "all" else (seen, computed)))) for name in SETS}
    except Wrong as error:
        sys.exit(str(error))
    for name in wanted:
        for line in lines[name]:
            print("\t".join(line))


if __name__ == "__main__":
    main()
