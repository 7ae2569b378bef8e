# SPDX-License-Identifier: Apache-2.0
"""Checks and summarizes the runs of bench/simulation.sh.
usage: simulation.py check FILE PLAIN    compares the verdict, tokens and hashes of two results of `rill sim --json`
       simulation.py table FILE          prints a row of Markdown for each build in FILE, whose lines are: build, seconds
                                         of a plain run, of a plain run with more tokens, and of two such runs of the
                                         build"""
import json
import statistics
import sys


def result(path: str) -> list:
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    return [whole[key] for key in ("match", "token_ids", "logits_hash")]


def check(path: str, plain: str) -> None:
    if result(path) != result(plain):
        sys.exit(f"error: {path} and {plain} have different results")


def table(path: str) -> None:
    pairs: dict[str, list[tuple[float, float]]] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            build, *times = line.split()
            plain_one, plain_more, one, more = map(float, times)
            pairs.setdefault(build, []).append((plain_more - plain_one, more - one))
    print("| build | seconds | seconds of plain | gain |\n|---|---:|---:|---:|")
    for build, times in pairs.items():
        gain = statistics.median(plain / time for plain, time in times)
        plain, time = (statistics.median(column) for column in zip(*times))
        print(f"| {build} | {time:.2f} | {plain:.2f} | {gain:.2f} |")


if __name__ == "__main__":
    if sys.argv[1] == "check":
        check(sys.argv[2], sys.argv[3])
    else:
        table(sys.argv[2])
