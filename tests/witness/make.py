#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes weights, inputs and expected values of the graphs of this folder. usage: make.py [GRAPH...] (default: all)

Each GRAPH.yaml gets a folder GRAPH with model.safetensors. For a graph with rows, the folder has inputs.npy or
inputs.safetensors, and the outputs in exact.* (bit by bit) and float.* (in float64, rounded once). For a language
model, it has prompt and ids (the ids of the prompt and the generated ones), and the logits of each generated id in
exact.npy and float.npy. Prints how far the exact outputs and those in float64 are apart. Needs python3-numpy and
python3-yaml of Debian.
"""
import pathlib
import sys

import numpy as np

from files import Store, write_safetensors
from graph import Exact, Graph, Real, Run

HERE = pathlib.Path(__file__).resolve().parent
ROWS = {"attention": 136, "floor": 135, "lookup": 12, "norms": 3, "rotary": 37, "gains": 12, "caps": 70, "window": 140}
# ROWS: positions of a graph with rows (default 5). For language models: generated ids, and ids of the prompt.
NEW_IDS = {"language": 8}
PROMPTS = {"language": 61}
F32 = np.float32


def normal(r, rows, shape):
    return r.normal(0, 1, (rows,) + shape).astype(F32)


def product_inputs(r, graph, rows):
    x = normal(r, rows, (80,))
    x[1, :64] *= F32(2.0**-9)  # below the least exponent of the coarse quantizer; the rest of the row is above it
    x[2, :64] *= F32(2.0**-21)  # above the least exponent of the fine quantizer, below the default one
    x[3] *= F32(40)
    x[4, 64:] = 0
    return {"x": x}


def spread_inputs(r, graph, rows):
    x = normal(r, rows, (3, 72))
    x[0, 0, :64] = 0
    x[0, 1, 64:] *= F32(2.0**-14)
    x[1] *= (2.0 ** r.randint(-10, 12, (3, 72))).astype(F32)
    x[2, 2] = F32(2.0**-9) * 127 / 64  # the largest value that still rounds to 127, and ties
    x[2, 2, ::3] = F32(2.0**-15 * 1.5)
    x[3, 0, 0] = F32(2.0**12)  # among values that are far smaller
    return {"x": x}


def vectors_inputs(r, graph, rows):
    x, z = normal(r, rows, (48,)), normal(r, rows, (48,))
    x[1] *= F32(1e-3)
    x[2] = F32(3.25)  # no variance at all
    x[3] *= F32(1e5)
    z[1] = np.linspace(-12, 12, 48).astype(F32)
    z[2] = np.linspace(-105, 105, 48).astype(F32)
    ends = [0.0, -0.0, 1e-40, -1e-40, 1e-45, 2.0**-126, -(2.0**-126), 3e-38, -3e-38, 1e-30, 1e30, -1e30, 3e38, -3e38]
    ends += [88.7, 88.8, -88.7, -87.4, -103.9, 1.5e19, -1.5e19, 5e12, -5e12, 0.5]
    z[3, :24], z[3, 24:] = ends, np.array(ends[::-1], F32) * F32(0.5)
    x[3, 12:14] = 0.25  # 3e38 stays finite
    x[3, 24 + 10 : 24 + 12] = 0.5
    z[4], x[4] = F32(1) + r.randint(0, 2, 48) * F32(2.0**-23), np.where(r.randint(0, 2, 48), F32(-1), F32(2.0**-24))
    return {"x": x, "z": z}


def formats_inputs(r, graph, rows):
    x = normal(r, rows, (150,))
    x[1] *= F32(2.0**-13)  # The result is below the least exponent of the second quantizer, above the default one.
    return {"x": x}


def turns_inputs(r, graph, rows):
    x = normal(r, rows, (3, 4, 16))
    x[1] *= F32(2.0**-5)  # below the least exponent of the coarse quantizer
    x[2, 0, 1] *= F32(2.0**-6)
    return {"x": x}


def norms_inputs(r, graph, rows):
    return {"x": (normal(r, rows, (4, 6, 5)) * F32(0.05))}


def floor_inputs(r, graph, rows):
    """Makes scores that differ from block to block of positions, and values of about 2^-9, so that the largest weights
    of the blocks reach 2^-30."""
    k, v = normal(r, rows, (4,)), normal(r, rows, (4,)) * F32(2.0**-9)
    q = normal(r, rows, (4,)) * F32(0.25)
    q[:, 0], k[:, 0] = 3, 4
    k[:64, 0], k[64:100, 0] = -4, 0
    q[110:114] *= F32(2.0**-8)  # below the least exponent
    return {"q": q, "k": k, "v": v.astype(F32)}


def caps_inputs(r, graph, rows):
    q, k, v = (normal(r, rows, (n,)) for n in (16, 8, 8))
    q[5:] *= F32(3)  # gives scores below and above their cap
    x = (normal(r, rows, (24,)) * (2.0 ** r.randint(-12, 12, (rows, 24)))).astype(F32)
    x[1, :8] = [0.0, -0.0, 1e-40, -3e38, 3e38, 1e-30, -1e30, 2.0**-126]
    return {"q": q, "k": k, "v": v, "x": x}


SPECIAL = {
    "caps": caps_inputs,
    "product": product_inputs,
    "spread": spread_inputs,
    "vectors": vectors_inputs,
    "norms": norms_inputs,
    "floor": floor_inputs,
    "formats": formats_inputs,
    "turns": turns_inputs,
}


def make_inputs(name, graph):
    r, rows = np.random.RandomState(len(name) * 7919 + ord(name[0])), ROWS.get(name, 5)
    if name in SPECIAL:
        return SPECIAL[name](r, graph, rows)
    return {n: normal(r, rows, shape) for n, shape in graph.inputs.items()}


def save(folder, name, arrays):
    """Writes one array to NAME.npy, or several to NAME.safetensors. Removes an older file of this name."""
    for old in folder.glob(name + ".*"):
        old.unlink()
    arrays = {n: np.ascontiguousarray(a, "<f4") for n, a in arrays.items()}
    if len(arrays) == 1:
        np.save(folder / f"{name}.npy", *arrays.values())
    else:
        write_safetensors(folder / f"{name}.safetensors", arrays)


def distance(a, b):
    """Returns the root mean square of a - b as a share of that of b."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return float(np.sqrt(np.mean((a - b) ** 2) / max(np.mean(b * b), 1e-60)))


def run_rows(graph, store, arithmetic, inputs):
    run, outputs = Run(graph, arithmetic, store), {n: [] for n in graph.outputs}
    for row in range(len(next(iter(inputs.values())))):
        tensors = run.step({n: a[row] for n, a in inputs.items()})
        for n in outputs:
            outputs[n].append(tensors[n])
    return {n: np.array(rows) for n, rows in outputs.items()}


def make_rows(name, graph, store, folder):
    inputs = make_inputs(name, graph)
    real, exact = run_rows(graph, store, Real, inputs), run_rows(graph, store, Exact, inputs)
    save(folder, "inputs", inputs)
    save(folder, "exact", exact)
    save(folder, "float", real)
    return {n: distance(exact[n], real[n]) for n in graph.outputs}


def decode(graph, store, arithmetic, prompt, forced, count):
    """Returns the generated ids and the logits from which they were chosen. Continues with the ids `forced` if these
    are given."""
    run, made, logits, ids = Run(graph, arithmetic, store), [], [], list(prompt)
    (name,) = graph.inputs
    while len(made) < count:
        last = run.position + 2 >= len(prompt)
        tensors = run.step({name: ids[run.position + 1]}, last)
        if last:
            made.append(tensors[graph.outputs[0]])
            logits.append(tensors[graph.head])
            ids.append(forced[len(made) - 1] if forced else made[-1])
    return made, np.array(logits)


def make_language(name, graph, store, folder):
    r = np.random.RandomState(len(name))
    vocabulary = next(o["rows"] for o in graph.graph["regions"][0]["ops"] if o["op"] == "embed")
    prompt = [int(i) for i in r.randint(0, vocabulary, PROMPTS[name])]
    decode(graph, store, Real, prompt[:1], None, 1)  # makes the weights
    made, exact = decode(graph, store, Exact, prompt, None, NEW_IDS[name])
    _, real = decode(graph, store, Real, prompt, made, NEW_IDS[name])
    (folder / "prompt").write_text(",".join(map(str, prompt)) + "\n")
    (folder / "ids").write_text(" ".join(map(str, made)) + "\n")
    save(folder, "exact", {"logits": exact})
    save(folder, "float", {"logits": real})
    return {"logits": distance(exact, real)}


def make(name):
    graph, folder = Graph(HERE / f"{name}.yaml"), HERE / name
    store = Store(graph)
    folder.mkdir(exist_ok=True)
    apart = (make_language if graph.is_lm else make_rows)(name, graph, store, folder)
    write_safetensors(folder / "model.safetensors", store.tensors())
    print(name, ", ".join(f"{n}: exact and float64 {100 * d:.3g} % apart" for n, d in apart.items()))


for wanted in sys.argv[1:] or sorted(p.stem for p in HERE.glob("*.yaml")):
    make(wanted)
