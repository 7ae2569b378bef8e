#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts how often drafts would be right in the answers to the texts of bench/draft_texts.txt. `rill golden` makes the
answers, so no hardware is simulated: drafts change no token, and their number follows from the tokens alone by the
rules of verif/check/check_drafts.c. Prints a line for each text, and the list for `rill forecast --drafts`.
usage: drafts.py SPEC WEIGHTS [--drafts N] [--confidence N] [--tokens N] [--context N] [--chat NAME] [KIND]...
KIND: the texts of these kinds. --confidence: that with which a request begins, design.draft_confidence (default 1).
--context: positions of the design (default 1024)"""
import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = 64  # positions of a block


def find(ids, drafts):
    """Returns the ids after the longest match of the last two or three ids, of equally long ones the latest; or []."""
    for length in (3, 2):
        for end in range(len(ids) - drafts, length - 1, -1):
            if ids[end - length:end] == ids[-length:]:
                return ids[end:end + drafts]
    return []


def count_steps(prompt, made, drafts, context, confidence):
    """Returns the number of drafts, and a list: the number of generating steps without drafts, then of those whose
    first 0, 1, ... drafts are right."""
    counts = [0] * (drafts + 2)
    ids, at = prompt + made, len(prompt)  # at: position of the first token of the step, whose id is known
    end = min(len(ids) - 1, context)      # the last id needs no step
    drafted = 0
    while at < end:
        found = find(ids[:at + 1], drafts)
        sent = found[:max(0, min(BLOCK - 1 - at % BLOCK, end - at - 1))] if confidence >= 2 else []
        drafted += len(sent)
        right = 0
        while right < len(sent) and sent[right] == ids[at + right + 1]:
            right += 1
        counts[right + 1 if sent else 0] += 1
        if found:
            confidence = min(confidence + 1, 3) if found[0] == ids[at + 1] else max(confidence - 1, 0)
        at += 1 + right
    return drafted, counts


def texts():
    """Returns pairs of kind and text."""
    parts = (ROOT / "bench/draft_texts.txt").read_text().split("\n=== ")[1:]
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1].strip("\n")) for part in parts]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("spec")
    options.add_argument("weights")
    options.add_argument("kinds", nargs="*")
    options.add_argument("--drafts", type=int, default=3)
    options.add_argument("--confidence", type=int, choices=range(4), default=1)
    options.add_argument("--tokens", type=int, default=64)
    options.add_argument("--context", type=int, default=1024)
    options.add_argument("--chat")
    o = options.parse_intermixed_args()
    template = ["--chat", o.chat] if o.chat else []
    for kind, text in texts():
        if o.kinds and kind not in o.kinds:
            continue
        answer = json.loads(subprocess.check_output(
            [ROOT / "build/rill", "golden", o.spec, "--weights", o.weights, "--prompt", text, "--tokens", str(o.tokens),
             "--json"] + template))
        drafted, counts = count_steps(answer["prompt_ids"], answer["token_ids"], o.drafts, o.context,
                                      o.confidence)
        made, steps = len(answer["token_ids"]) - 1, sum(counts)
        right = sum(n * c for n, c in enumerate(counts[1:]))
        print(f"{kind}: {len(answer['prompt_ids'])} prompt tokens, {made + 1} generated, {steps} steps, "
              f"{drafted} drafts in steps, {right} right, {made / max(steps, 1):.2f} tokens per step "
              f"(--drafts {','.join(map(str, counts))}): {answer['text']!r}", flush=True)


main()
