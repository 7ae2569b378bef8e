# SPDX-License-Identifier: Apache-2.0
"""The single-node tests of the onnx package through `rill import`: how many are imported and give the expected values.

nodes.py [--list] [NAME...]   NAME: a part of the names of tests

Needs the packages onnx and numpy, for example in a virtual environment. Inputs that are weights, shapes, indices or
bounds become constants with the test's own data. --list prints every test with its result.
"""
import collections
import json
import subprocess
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

ROOT = Path(__file__).resolve().parents[2]
# How many inputs of an operator are streams. For other operators only the first input is one.
STREAMS = dict.fromkeys(["Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean", "Concat"], 8)
STREAMS |= {"MatMul": 2, "Gemm": 2, "Einsum": 2, "Attention": 3, "SwiGLU": 2}
TOLERANCE = 1e-4


def write_safetensors(path, arrays):
    header, blob = {}, b""
    for key, value in arrays.items():
        raw = np.ascontiguousarray(value, "<f4").tobytes()
        header[key] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(blob), len(blob) + len(raw)]}
        blob += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + blob)


def read_safetensors(path):
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    parts = sorted(h["data_offsets"] for k, h in header.items() if k != "__metadata__")
    return [np.frombuffer(raw[8 + size + a:8 + size + b], "<f4") for a, b in parts]


def rill(*arguments):
    run = subprocess.run([ROOT / "build/rill", *arguments], capture_output=True, text=True, timeout=120)
    lines = [line for line in (run.stderr + run.stdout).splitlines() if "error" in line]
    return run.returncode == 0, (lines or [""])[0], run.stdout


def shapes(table, kind):
    """Shapes of rows of the inputs or outputs, as the import prints them."""
    return {line.split()[1]: json.loads(line[line.index("["):line.index("]") + 1])
            for line in table.splitlines() if line.startswith(kind + " ")}


def reason(table):
    lines = table.splitlines()
    at = [i for i, line in enumerate(lines) if line.startswith("missing")]
    return " ".join(lines[at[0] + 1].split()[2:]) if at else "?"


def run_test(test, work):
    model = onnx.ModelProto()
    model.CopyFrom(test.model)
    graph, op = model.graph, model.graph.node[0].op_type
    values, want = test.data_sets[0]
    if op == "LayerNormalization":  # without the outputs mean and deviation, which networks do not use
        del graph.output[1:], want[1:]
    kept = STREAMS.get(op, 1)
    for value, info in zip(values[kept:], list(graph.input)[kept:]):
        graph.initializer.append(numpy_helper.from_array(value, info.name))
        graph.input.remove(info)
    onnx.save(model, work / "m.onnx")
    good, why, table = rill("import", work / "m.onnx", "-o", work / "out")
    if not good:
        return reason(table) if "onnx-missing" in why else why[why.find("error"):]
    feeds = {name: values[k] for k, name in enumerate(shapes(table, "input"))}
    count = values[0].shape[0] if "one row at a time" in table and values[0].ndim else 1
    write_safetensors(work / "in.safetensors", {n: feeds[n].reshape([count] + s) for n, s in shapes(table, "input").items()})
    good, why, _ = rill("golden", work / "out/m.yaml", "--weights", work / "out", "--float", "--inputs", work / "in.safetensors",
                        "--outputs", work / "got.safetensors")
    if not good:
        return why
    for a, b in zip(want, read_safetensors(work / "got.safetensors")):
        if a.size != b.size or not np.all(np.abs(a.ravel() - b) <= TOLERANCE * np.max(np.abs(a)) + 1e-6):
            return "DIFFERS"
    return ""


def in_scope(test):
    graph = test.model.graph
    first = graph.input[0].type.tensor_type if graph.input else None
    return first and first.elem_type == 1 and len(graph.node) == 1 and "_expanded" not in test.name


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    passed, failed = collections.Counter(), collections.defaultdict(collections.Counter)
    for test in sorted(collect_testcases(None), key=lambda test: test.name):
        if (names and not any(n in test.name for n in names)) or not in_scope(test):
            continue
        op = test.model.graph.node[0].op_type
        with tempfile.TemporaryDirectory() as work:
            try:
                why = run_test(test, Path(work))
            except Exception as error:  # a test whose data has another form
                why = f"script: {type(error).__name__} {error}"[:90]
        passed[op] += not why
        if why:
            failed[op][why] += 1
        if "--list" in sys.argv:
            print(f"{test.name}: {why or 'passed'}")
    for op in sorted(set(passed) | set(failed)):
        print(f"{op:28} {passed[op]:3} passed" + "".join(f"\n{n:36} {why[:100]}" for why, n in failed[op].items()))
    print(f"{sum(passed.values())} passed, {sum(sum(f.values()) for f in failed.values())} not")


main()
