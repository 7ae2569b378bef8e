# SPDX-License-Identifier: Apache-2.0
"""Compares the verdict of `rill verify` (JOINED.json) with the result of `rill sim` for the whole request (WHOLE.json).
Tokens, hash and number of steps must be equal. The cycles of each step may differ by 2 % plus 64 cycles, and the sum of
the cycles in JOINED.json must be the total that `rill verify` gives. Ends with a message and exit status 1 at the first
difference.
usage: compare.py WHOLE.json JOINED.json"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    whole = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    joined = json.load(file)

ends = [whole["cycle_start"]] + whole["step_ends"]
steps = [after - before for before, after in zip(ends, ends[1:])]
if not joined["verified"]:
    sys.exit("not verified")
if joined["token_ids"] != whole["token_ids"]:
    sys.exit("other tokens")
if joined["logits_hash"] != whole["logits_register"]:
    sys.exit("another hash of the logits")
if joined["steps"] != len(steps) or len(joined["step_cycles"]) != len(steps):
    sys.exit(f"{joined['steps']} steps instead of {len(steps)}")
for index, (want, got) in enumerate(zip(steps, joined["step_cycles"])):
    if abs(want - got) > 0.02 * want + 64:
        sys.exit(f"step {index}: {got} cycles instead of {want}")
if joined["cycles"] != sum(joined["step_cycles"]):
    sys.exit("cycles are not the sum of the steps' cycles")
