# SPDX-License-Identifier: Apache-2.0
"""Compares a request simulated as one shard with the same request in several shards, for bench/verify.sh.
usage: verify.py pair FOLDER SHARDS NUMBER    prints a row: number of the pair, both times in s, their ratio, cycles
       verify.py median FILE                  prints the median of the ratios in such rows"""
import json
import statistics
import sys

SEAM_PERCENT, SEAM_CYCLES = 2, 64  # as at the seams of shards (docs/verify.md)


def read(path: str) -> dict:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def seconds(verdict: dict, count: int) -> float:
    """Returns the time of the slowest shard."""
    shards = verdict["shards"]
    if len(shards) != count or any(shard["tries"] != 1 for shard in shards):
        sys.exit(f"error: {len(shards)} shards instead of {count}, or one of them ran twice")
    return max(shard["seconds"] for shard in shards)


def compare(one: dict, many: dict) -> str:
    """Checks that both verdicts are equal. Returns how far the cycles of single steps differ."""
    for key in ("verified", "steps", "logits_hash", "token_ids"):
        if one[key] != many[key]:
            sys.exit(f"error: {key} is {many[key]} in shards instead of {one[key]}")
    if not one["verified"]:
        sys.exit("error: not verified")
    apart = [(abs(a - b), a, step) for step, (a, b) in enumerate(zip(one["step_cycles"], many["step_cycles"]))]
    for difference, cycles, step in apart:
        if difference > cycles * SEAM_PERCENT / 100 + SEAM_CYCLES:
            sys.exit(f"error: step {step} takes {cycles} cycles in one shard, {difference} more or fewer in several")
    return f"{one['cycles']} cycles, steps differ by at most {100 * max(d / c for d, c, _ in apart):.2f} %"


def main() -> None:
    if sys.argv[1] == "median":
        with open(sys.argv[2], encoding="utf-8") as file:
            ratios = [float(line.split("|")[3]) for line in file]
        print(f"median of {len(ratios)} pairs: {statistics.median(ratios):.3f} of the time of one worker")
        return
    folder, shards, number = sys.argv[2], int(sys.argv[3]), sys.argv[4]
    one, many = read(f"{folder}/verify.1.json"), read(f"{folder}/verify.{shards}.json")
    said, alone, together = compare(one, many), seconds(one, 1), seconds(many, shards)
    print(f"{number} | {alone:.1f} | {together:.1f} | {together / alone:.3f} | {said}")


main()
