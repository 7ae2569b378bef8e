# SPDX-License-Identifier: Apache-2.0
"""The single-node tests of the onnx package (1.23.2) through `rill import`: how many pass.

nodes.py [--list] [--all] [--float] [--least N] [NAME...]
    NAME     a part of the names of tests
    --list   prints every test with its result; without it, the reasons by operator
    --all    also runs the tests that are out of scope
    --float  judges the float side alone
    --least  exits with status 1 if fewer than N tests pass

A test passes if (a) `rill golden --float` gives the expected values within 1e-4 of the largest magnitude plus 1e-6, (b)
`rill gen` accepts the spec, and (c) `rill golden` gives them within the same tolerance, or within 2e-2 if the spec has
a product with weights. Integers and truth values must be equal. Only tests with one node and a first input of float32
count, without those whose name has `_expanded`. Inputs that are weights, shapes, indices, bounds, masks or initial
states become constants with the test's own data.

Needs the packages onnx and numpy, for example in a virtual environment.
"""
import argparse
import collections
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

from tensors import read_safetensors, shapes, write_safetensors

ROOT = Path(__file__).resolve().parents[2]
RILL = os.environ.get("RILL", ROOT / "build/rill")
# How many inputs of an operator are streams. For other operators only the first input is one.
STREAMS = dict.fromkeys(["Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean", "Concat"], 8)
STREAMS |= dict.fromkeys(["MatMul", "Gemm", "Einsum", "SwiGLU", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"], 2)
STREAMS |= {"Attention": 3}
TOLERANCE, WITH_PRODUCT = 1e-4, 2e-2  # relative to the largest magnitude: (a) and (c), and (c) with a product
MOST_ROWS = 100  # most rows that are compared if axis 0 of a test counts rows

# ---- scope ----

# why operators are out of scope: the operators
OUT = {
    "a random result": "Bernoulli RandomNormalLike RandomUniformLike Multinomial",
    "indices that are data": "Scatter ScatterElements ScatterND GatherElements GatherND OneHot ReverseSequence Col2Im TensorScatter "
                             "NonZero Unique",
    "control flow or a state": "Scan FlexAttention LinearAttention CausalConvWithState If Loop SequenceMap",
    "a Fourier transform": "DFT STFT",
    "a trigonometric or rounding function": "Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Round Floor Ceil Mod",
    "an operator that is not meant for inference in a design": "ConvTranspose LpPool GlobalLpPool Hardmax ReduceProd MaxUnpool",
    "strings, sequences, optional values": "StringNormalizer RegexFullMatch TfIdfVectorizer SequenceInsert SequenceConstruct "
                                           "ConcatFromSequence SplitToSequence Optional OptionalGetElement OptionalHasElement SequenceAt",
    "a loss or training": "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss Adam Adagrad Momentum Gradient",
    "detection": "NonMaxSuppression RoiAlign MaxRoiPool",
    "NaN and infinity": "IsNaN IsInf",
    "the shape as a result": "Shape Size Range",
}
OUT_OF = {op: why for why, ops in OUT.items() for op in ops.split()}
FLOAT, UINT8, INT8 = 1, 2, 3


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def out_of_scope(test):
    """Returns why a test does not count; None: it counts."""
    graph, node = test.model.graph, test.model.graph.node[0]
    op, a = node.op_type, attributes(node)
    ins, outs = test.data_sets[0]
    arrays = [v for v in list(ins) + list(outs) if isinstance(v, np.ndarray)]
    if op in OUT_OF:
        return OUT_OF[op]
    if any(v.size == 0 for v in arrays):
        return "an empty tensor"
    if any(not np.all(np.isfinite(v)) for v in arrays if v.dtype.kind == "f"):
        return "NaN and infinity"
    types = [o.type.tensor_type.elem_type for o in graph.output]
    if op in ("Cast", "CastLike", "BitCast") or (op == "QuantizeLinear" and types[0] not in (UINT8, INT8)):
        return "a conversion beyond int8 and uint8"
    if op == "Dropout" and ("training" in test.name or len(graph.input) > 2):
        return "a random result"
    if op == "BatchNormalization" and a.get("training_mode"):
        return "a loss or training"
    if "Pool" in op and len(graph.input[0].type.tensor_type.shape.dim) > 4:
        return "3-D pooling"
    if op == "MaxPool" and len(graph.output) > 1:
        return "MaxPool with indices"
    if op == "Resize" and a.get("mode", b"nearest") != b"nearest":
        return "Resize beyond nearest neighbours"
    if op == "Attention" and (len(graph.output) > 1 or len([i for i in node.input[4:] if i])):
        return "attention with past keys or intermediate results"
    return None


def is_candidate(test):
    graph = test.model.graph
    first = graph.input[0].type.tensor_type if graph.input else None
    return first and first.elem_type == FLOAT and len(graph.node) == 1 and "_expanded" not in test.name


# ---- files and commands ----


def rill(*arguments):
    """Returns whether the command succeeded, its first line with `error`, and its standard output."""
    run = subprocess.run([RILL, *arguments], capture_output=True, text=True, timeout=300)
    lines = [line for line in (run.stderr + run.stdout).splitlines() if "error" in line]
    return run.returncode == 0, (lines or [""])[0], run.stdout


def reason(table):
    """Returns the first reason in the part `missing` of the table that `rill import` printed."""
    lines = table.splitlines()
    at = [i for i, line in enumerate(lines) if line.startswith("missing")]
    return " ".join(lines[at[0] + 1].split()[2:]) if at else "?"


# ---- one test ----


def prepare(test, work):
    """Writes the model, in which all inputs but the streams are constants. Returns the values of all inputs, and the
    expected values of the outputs that remain."""
    model = onnx.ModelProto()
    model.CopyFrom(test.model)
    graph, op = model.graph, model.graph.node[0].op_type
    values, want = test.data_sets[0]
    want = list(want)
    if op in ("LayerNormalization", "RMSNormalization"):  # without mean and deviation, which networks do not use
        del graph.output[1:], want[1:]
    kept = STREAMS.get(op, 1)
    for value, info in zip(values[kept:], list(graph.input)[kept:]):
        graph.initializer.append(numpy_helper.from_array(value, info.name))
        graph.input.remove(info)
    onnx.save(model, work / "m.onnx")
    return values, want


def differs(want, got, tolerance):
    """Returns how the results differ by more than the tolerance, or an empty text."""
    if len(want) != len(got):
        return f"{len(got)} results instead of {len(want)}"
    for a, b in zip(want, got):
        allowed = tolerance * np.max(np.abs(a)) + 1e-6 if a.dtype.kind == "f" else 0
        if a.size != b.size:
            return "another number of elements"
        off = np.max(np.abs(a.ravel().astype(np.float64) - b))
        if not off <= allowed:
            return f"differs by {off / max(np.max(np.abs(a)), 1e-6):.1e} of the largest"
    return ""


def golden(work, *options):
    return rill("golden", work / "out/m.yaml", "--weights", work / "out", *options, "--inputs", work / "in.safetensors",
                "--outputs", work / "got.safetensors")


def run_test(test, work, float_only):
    """Returns why the test fails, or an empty text."""
    values, want = prepare(test, work)
    good, why, table = rill("import", work / "m.onnx", "-o", work / "out")
    if not good:
        return reason(table) if "onnx-missing" in why else why[why.find("error"):]
    feeds = {name: values[k] for k, name in enumerate(shapes(table, "input"))}
    count = values[0].shape[0] if "one row at a time" in table and values[0].ndim else 1
    rows = min(count, MOST_ROWS)
    write_safetensors(work / "in.safetensors",
                      {n: feeds[n].reshape([count] + s)[:rows] for n, s in shapes(table, "input").items()})
    if rows < count:
        want = [w[:rows] for w in want]
    good, why, _ = golden(work, "--float")
    why = "(a) " + why if not good else differs(want, read_safetensors(work / "got.safetensors"), TOLERANCE)
    if why or float_only:
        return "float " + why if why else ""
    good, why, _ = rill("gen", work / "out/m.yaml", "-o", work / "design")
    if not good:
        return "(b) " + why
    good, why, _ = golden(work)
    if not good:
        return "(c) " + why
    spec = (work / "out/m.yaml").read_text()
    product = "op: linear" in spec or "op: conv" in spec
    why = differs(want, read_safetensors(work / "got.safetensors"), WITH_PRODUCT if product else TOLERANCE)
    return "exact " + why if why else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--list", "--all", "--float"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("names", nargs="*")
    o = parser.parse_args()
    passed, failed, outside = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
    for test in sorted(collect_testcases(None), key=lambda test: test.name):
        if (o.names and not any(n in test.name for n in o.names)) or not is_candidate(test):
            continue
        op, out = test.model.graph.node[0].op_type, out_of_scope(test)
        if out and not o.all:
            outside[out] += 1
            if o.list:
                print(f"{test.name}: out of scope: {out}")
            continue
        with tempfile.TemporaryDirectory() as work:
            try:
                why = run_test(test, Path(work), o.float)
            except Exception as error:  # a test whose data has another form
                why = f"script: {type(error).__name__} {error}"[:90]
        passed[op] += not why
        if why:
            failed[op][why] += 1
        if o.list:
            print(f"{test.name}: {why or 'passed'}", flush=True)
    for op in sorted(set(passed) | set(failed)):
        print(f"{op:28} {passed[op]:3} passed" + "".join(f"\n{n:36} {why[:120]}" for why, n in failed[op].items()))
    for why, n in sorted(outside.items()):
        print(f"{n:4} out of scope: {why}")
    good, bad = sum(passed.values()), sum(sum(f.values()) for f in failed.values())
    print(f"{good} of {good + bad} passed; {sum(outside.values())} are out of scope")
    raise SystemExit(good < o.least)


main()
