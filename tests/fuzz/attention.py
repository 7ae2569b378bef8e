#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists or writes specs of one attention: attention.py list | write FOLDER NAME...

A name is KEYS-HEADSxSIZE-cCHANNELS-tT-lLANES-BINDING-CONTEXT. KEYS is the source of queries, keys and values (SOURCES).
"""

import itertools
import os
import sys

# Sources of queries, keys and values. Each has the operations before the attention, the names of the three tensors, and
# the number of engines that the whole graph needs with `binding: spatial`.
PRODUCT = """
{op: quantize, name: xq, in: x}
{op: matmul, name: qa, in: xq, rows: WIDTH, weight: wq}
{op: dequantize, name: qd, in: qa}"""
SOURCES = {
    "product": (PRODUCT + """
{op: matmul, name: ka, in: xq, rows: WIDTH, weight: wk, bias: bk}
{op: dequantize, name: kd, in: ka}
{op: matmul, name: va, in: xq, rows: WIDTH, weight: wv, bias: bv}
{op: dequantize, name: vd, in: va}""", "qd", "kd", "vd", 5),
    "input": ("", "x", "x", "x", 2),
    "norm": (PRODUCT + """
{op: rmsnorm, name: mn, in: m, gamma: g}""", "qd", "mn", "mn", 3),
    "carried": ("", "h", "h", "h", 2),
    "mixed": (PRODUCT + """
{op: rmsnorm, name: mn, in: m, gamma: g}""", "qd", "m", "mn", 3),
}
ATTENTION = """
{op: quantize, name: q, in: QUERIES, block: SIZE}
{op: kv_quantize, name: k, in: KEYS, heads: HEADS, role: key}
{op: kv_quantize, name: v, in: VALUES, heads: HEADS, role: value}
{op: attn_scores, name: s, in: [q, k]}
{op: dequantize, name: sd, in: s}
{op: softmax, out: [p, inv], in: [sd, k, v]}
{op: quantize, name: pq, in: p, block: 64}
{op: attn_values, name: oa, in: [pq, v]}
{op: dequantize, name: od, in: oa}
{op: scale, name: o, in: [od, inv]}"""


HEADS = (1, 2, 3)
SIZES = (64, 80, 96, 128, 160, 256)
CHANNELS = range(1, 9)
POSITIONS = (1, 2, 4)
LANES = (8, 16)

# The variants whose forecast may differ from the design by more than 2 %, with the allowed percentage. The forecast
# counts the writes of all keys on the one channel that represents all channels of an engine. With one position per step
# on seven channels, it therefore predicts more cycles than the design takes.
WIDER = {"input-3x80-c7-t1-l8-spatial-130": 4}


def names():
    """Yields the names of all variants."""
    values = (SOURCES, (200, 130), HEADS, SIZES, CHANNELS, POSITIONS, LANES, ("shared", "spatial"))
    for source, context, heads, size, channels, positions, lanes, binding in itertools.product(*values):
        if binding == "shared" or channels >= SOURCES[source][4]:
            yield f"{source}-{heads}x{size}-c{channels}-t{positions}-l{lanes}-{binding}-{context}"


def spec(name):
    """Returns the spec of a variant. Raises ValueError or KeyError if the name is wrong."""
    source, shape, channels, positions, lanes, binding, context = name.split("-")
    heads, size = shape.split("x")
    width = str(int(heads) * int(size))
    before, queries, keys, values, _ = SOURCES[source]
    inputs = ["x", "m"] if "in: m" in before else ["x"]
    operations = before + ATTENTION
    words = {"WIDTH": width, "SIZE": size, "HEADS": heads, "QUERIES": queries, "KEYS": keys, "VALUES": values}
    for word, value in words.items():
        operations = operations.replace(word, value)
    carried = source == "carried"
    # The arrival of keys and values does not depend on FIFO depths, so only a quarter of the variants searches for
    # depths.
    fifo = "timed" if lanes == "l16" and context == "130" else "safe"
    return "\n".join([
        "# SPDX-License-Identifier: Apache-2.0", "# requests: to the end of the context",
        *([f"# forecast: within {WIDER[name]} %"] if name in WIDER else []),
        "name: " + name.replace("-", "_"), "graph:", "  inputs:", *(f"    {x}: {{shape: [{width}]}}" for x in inputs),
        f"  outputs: [{'h' if carried else 'o'}]", f"  context: {context}", "  regions:", "    - name: r",
        *(["      repeat: 2", "      carry:", "        h: {init: x, next: o}"] if carried else []),
        "      ops:", *("        - " + line for line in operations.split("\n") if line),
        "design:", f"  lanes: {lanes[1:]}", f"  channels: {channels[1:]}", f"  T: {positions[1:]}",
        f"  A: {2 if positions == 't4' else 1}", f"  binding: {binding}", f"  fifo: {fifo}", ""])


def main(words):
    if words[1:] == ["list"]:
        print("\n".join(names()))
    elif len(words) > 3 and words[1] == "write":
        for name in words[3:]:
            try:
                text = spec(name)
            except (ValueError, KeyError):
                sys.exit(f"attention.py: error: `{name}` is no variant")
            with open(os.path.join(words[2], name + ".yaml"), "w", encoding="ascii") as file:
                file.write(text)
    else:
        sys.exit(__doc__)


main(sys.argv)
