# SPDX-License-Identifier: Apache-2.0
"""Checks and summarizes the runs of bench/simulation.sh.
usage: simulation.py check FILE PLAIN    compares the verdict, tokens and hashes of two results of `rill sim --json`
       simulation.py table FILE          prints a row of Markdown for each build in FILE, whose lines are:
                                         build, seconds of a run, seconds of the same run with more tokens"""
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
    rounds: dict[str, list[float]] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            build, one, more = line.split()
            rounds.setdefault(build, []).append(float(more) - float(one))
    print("| build | seconds | gain |\n|---|---:|---:|")
    for build, times in rounds.items():
        gain = statistics.median(plain / time for plain, time in zip(rounds["plain"], times))
        print(f"| {build} | {statistics.median(times):.2f} | {gain:.2f} |")


if __name__ == "__main__":
    if sys.argv[1] == "check":
        check(sys.argv[2], sys.argv[3])
    else:
        table(sys.argv[2])
