#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the ids of `rill golden` again in double precision, from the logits from which `rill golden` has drawn them.

usage: draw.py ANSWER.json LOGITS TEMPERATURE TOP_K MIN_P SEED
LOGITS: a file of fp32 values, with one row of the vocabulary's size for each generated id

Ids must be equal. Scores in double precision differ from those of docs/numerics.md section 10 in the seventh digit, so
an id is also right if its score is within 1e-5 of the best one. Some ids must be the most likely ones and some not,
because otherwise the draws would prove little. Ends with a message and exit status 1 if a rule is broken.
"""
import json
import math
import struct
import sys

WORD = 0xFFFFFFFF
TURNS = [13, 15, 26, 6, 17, 29, 16, 24]


def threefry(seed, a, b):
    """Returns the two random words of Threefry-2x32 with the 64-bit key `seed` and the counter (a, b)."""
    keys = [seed & WORD, seed >> 32]
    keys.append(0x1BD11BDA ^ keys[0] ^ keys[1])
    a, b = a + keys[0] & WORD, b + keys[1] & WORD
    for r in range(20):
        by = TURNS[r % 8]
        a = a + b & WORD
        b = (b << by & WORD | b >> 32 - by) ^ a
        if r % 4 == 3:
            n = r // 4 + 1
            a, b = a + keys[n % 3] & WORD, b + keys[(n + 1) % 3] + n & WORD
    return a, b


def noise(seed, i, position):
    """Returns the Gumbel noise of id i at a position."""
    bits = threefry(seed, i // 2, position)[i % 2]
    u = (2 * bits + 1) / 2**33
    rest = (2 * (WORD - bits) + 1) / 2**33  # 1 - u
    return -math.log(-math.log(u) if u < 0.5 else -math.log1p(-rest))


def single(x):
    """Returns x rounded to fp32."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def draw(row, temperature, top_k, min_p, seed, position):
    """Returns the scores of the candidates, {id: score}."""
    inverse = single(1 / single(temperature))
    order = sorted(range(len(row)), key=lambda i: (-row[i], i))
    if top_k:
        order = [i for i in order[:top_k] if math.exp((row[i] - row[order[0]]) * inverse) >= single(min_p)]
    return {i: row[i] * inverse + noise(seed, i, position) for i in order}


def main():
    answer = json.load(open(sys.argv[1]))
    data = open(sys.argv[2], "rb").read()
    settings = float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
    made, first, others = answer["token_ids"], len(answer["prompt_ids"]) - 1, 0
    size = len(data) // len(made)
    for i, one in enumerate(made):
        row = struct.unpack(f"<{size // 4}f", data[i * size:(i + 1) * size])
        scores = draw(row, *settings, first + i)
        best = max(scores, key=scores.get)
        if one not in scores or scores[best] - scores[one] > 1e-5:
            sys.exit(f"other ids: id {i} is {one}, here {best} is drawn")
        others += row[one] != max(row)
    if others in (0, len(made)):
        sys.exit("not both a most likely id and another one among the ids")


main()
