# SPDX-License-Identifier: Apache-2.0
"""Compares two verdicts of `rill verify --json`. All figures that do not depend on time and machines must be equal. In
the second verdict, TWICE shards must have run twice, and no shard more often.

usage: equal.py ALONE.json CLUSTER.json TWICE"""
import json
import sys

alone, cluster = ({}, {})
for path, into in zip(sys.argv[1:3], (alone, cluster)):
    with open(path, encoding="utf-8") as file:
        into.update(json.load(file))
for key in ("verified", "steps", "cycles", "logits_hash", "cold_steps", "token_ids", "step_cycles"):
    if alone[key] != cluster[key]:
        sys.exit(f"error: {key} is {cluster[key]} instead of {alone[key]}")
for key in ("state", "first", "last", "values_compared"):
    if [shard[key] for shard in alone["shards"]] != [shard[key] for shard in cluster["shards"]]:
        sys.exit(f"error: {key} of the shards differs")
if not cluster["verified"]:
    sys.exit("error: not verified")
tries = [shard["tries"] for shard in cluster["shards"]]
if tries.count(2) != int(sys.argv[3]) or max(tries) > 2:
    sys.exit(f"error: runs of the shards: {tries}, but {sys.argv[3]} of them must have run twice")
