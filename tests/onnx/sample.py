# SPDX-License-Identifier: Apache-2.0
"""A sample of single ONNX nodes whose RTL is simulated: the table of the nodes, the functions that make ONNX files of
them, and the comparison of their results. `tests/onnx/run.sh --set deep` runs the sample.

sample.py make [DESIGN...]          makes sample/DESIGN.onnx, .in.safetensors and .want.safetensors (needs numpy)
sample.py list                      prints a line for each node: design, place in the design, operator, description
sample.py compare DESIGN PLACE GOT  compares the results of one node in the file GOT with those that numpy computed

A design has several nodes, because building a simulation takes much longer than simulating a few rows. The nodes of a
design read only inputs and constants, never each other.
"""
import sys
from pathlib import Path

from plain import read

FOLDER = Path(__file__).parent / "sample"
ROWS = 3  # rows of the inputs of every design
# Tolerances, relative to the largest magnitude of a result. PRODUCT is for nodes that multiply by int8 weights. EQUAL
# is for whole numbers, for truth values, and for elements that are only moved or chosen.
FLOAT, PRODUCT, EQUAL = 1e-4, 2e-2, 0


# Constants of nodes, each as its kind and its shape or values. A plain number is an fp32 constant as well.
def weights(*shape):
    return "weights", shape


def positive(*shape):
    return "positive", shape


def whole(*values):
    return "whole", values


def numbers(*values):
    return "numbers", values


def truth(*values):
    return "truth", values


def byte(value):
    return "byte", value


# design: (shapes of one row of each input, nodes). The first letter of the name of an input selects its values: x and y
# have normally distributed numbers, p has positive ones, w has small whole ones, and b has truth values.
# A node: operator, operands (an empty name leaves an operand out), attributes, tolerance, and the number of its outputs
# if it has several.
DESIGNS = {
    "curves": ({"x": [20], "p": [20]}, [
        ("LeakyRelu", ["x"], {"alpha": 0.2}, FLOAT),
        ("HardSigmoid", ["x"], {"alpha": 0.3, "beta": 0.4}, FLOAT),
        ("HardSwish", ["x"], {}, FLOAT),
        ("Tanh", ["x"], {}, FLOAT),
        ("Softplus", ["x"], {}, FLOAT),
        ("Gelu", ["x"], {"approximate": "tanh"}, FLOAT),
        ("Log", ["p"], {}, FLOAT),
        ("Sqrt", ["p"], {}, FLOAT)]),
    "powers": ({"x": [4, 5], "p": [4, 5]}, [
        ("Exp", ["x"], {}, FLOAT),
        ("Erf", ["x"], {}, FLOAT),
        ("Reciprocal", ["p"], {}, FLOAT),
        ("Pow", ["x", 3.0], {}, FLOAT),
        ("Elu", ["x"], {"alpha": 0.5}, FLOAT),
        ("Softsign", ["x"], {}, FLOAT),
        ("PRelu", ["x", weights(4, 1)], {}, FLOAT),
        ("Shrink", ["x"], {"lambd": 0.4, "bias": 0.1}, FLOAT)]),
    "signs": ({"x": [20]}, [
        ("Sigmoid", ["x"], {}, FLOAT),
        ("Relu", ["x"], {}, EQUAL),
        ("Selu", ["x"], {}, FLOAT),
        ("Celu", ["x"], {"alpha": 2.0}, FLOAT),
        ("Mish", ["x"], {}, FLOAT),
        ("ThresholdedRelu", ["x"], {"alpha": 0.5}, EQUAL),
        ("Abs", ["x"], {}, EQUAL),
        ("Neg", ["x"], {}, EQUAL)]),
    "pairs": ({"x": [4, 6], "y": [4, 6], "x_row": [1, 6], "x_column": [4, 1], "p": [4, 6]}, [
        ("Add", ["x", "x_row"], {}, FLOAT),
        ("Sub", ["x_column", "y"], {}, FLOAT),
        ("Mul", ["x", "x_column"], {}, FLOAT),
        ("Div", ["x_row", "p"], {}, FLOAT),
        ("Max", ["x", "y", "x_row"], {}, FLOAT),
        ("Min", ["x", "x_column"], {}, FLOAT),
        ("Mean", ["x", "y", "p"], {}, FLOAT),
        ("Clip", ["x", -0.5, 0.75], {}, FLOAT)]),
    "choices": ({"x": [4, 6], "y": [4, 6], "w": [4, 6], "w_row": [1, 6], "b": [4, 6], "b_column": [4, 1]}, [
        ("Less", ["x", "y"], {}, EQUAL),
        ("Equal", ["w", "w_row"], {}, EQUAL),
        ("GreaterOrEqual", ["w", 1.0], {}, EQUAL),
        ("And", ["b", "b_column"], {}, EQUAL),
        ("Xor", ["b", "b_column"], {}, EQUAL),
        ("Where", ["b", "x", "y"], {}, EQUAL),
        ("Sign", ["w"], {}, EQUAL),
        ("Round", ["x"], {}, EQUAL)]),
    "numbers": ({"x": [4, 6], "y": [4, 6], "x_row": [1, 6], "w": [4, 6], "w_row": [1, 6], "b": [4, 6],
                 "b_row": [1, 6]}, [
        ("Greater", ["x", "y"], {}, EQUAL),
        ("LessOrEqual", ["w", "w_row"], {}, EQUAL),
        ("Or", ["b", "b_row"], {}, EQUAL),
        ("Not", ["b"], {}, EQUAL),
        ("Floor", ["x"], {}, EQUAL),
        ("Ceil", ["x"], {}, EQUAL),
        ("Sum", ["x", "y", "x_row"], {}, FLOAT),
        ("Expand", ["x_row", whole(1, 3, 6)], {}, EQUAL)]),
    "reductions": ({"x": [4, 5, 3]}, [
        ("ReduceMax", ["x", whole(1)], {"keepdims": 0}, FLOAT),
        ("ReduceMin", ["x", whole(2, 3)], {"keepdims": 1}, FLOAT),
        ("ReduceMean", ["x", whole(3)], {"keepdims": 0}, FLOAT),
        ("ReduceL2", ["x", whole(1, 2)], {"keepdims": 1}, FLOAT),
        ("ReduceLogSumExp", ["x", whole(-1)], {"keepdims": 0}, FLOAT),
        ("Softmax", ["x"], {"axis": 1}, FLOAT),
        ("LogSoftmax", ["x"], {"axis": -1}, FLOAT),
        ("GlobalMaxPool", ["x"], {}, FLOAT)]),
    "sums": ({"x": [4, 4, 6], "p": [5, 7]}, [
        ("ReduceSum", ["x", whole(1, 3)], {"keepdims": 0}, FLOAT),
        ("ReduceL1", ["x", whole(2)], {"keepdims": 0}, FLOAT),
        ("ReduceSumSquare", ["x", whole(-1)], {"keepdims": 1}, FLOAT),
        ("ReduceLogSum", ["p", whole(1)], {"keepdims": 0}, FLOAT),
        ("SpaceToDepth", ["x"], {"blocksize": 2}, EQUAL)]),
    "searches": ({"x": [5, 7], "w": [5, 7]}, [
        ("ArgMax", ["w"], {"axis": 1, "select_last_index": 1}, EQUAL),
        ("ArgMin", ["x"], {"axis": 2, "keepdims": 0}, EQUAL),
        ("TopK", ["x", whole(3)], {"axis": -1}, EQUAL, 2),
        ("Hardmax", ["w"], {"axis": 1}, EQUAL),
        ("QuantizeLinear", ["x", 0.017, byte(128)], {}, EQUAL)]),
    "products": ({"x": [4, 6], "y": [6, 5], "x_image": [3, 7, 6], "x_signal": [4, 9], "x_vector": [12]}, [
        ("Gemm", ["x_vector", weights(7, 12), weights(7)], {"alpha": 0.5, "beta": 2.0, "transB": 1}, PRODUCT),
        ("MatMul", ["x", weights(6, 10)], {}, PRODUCT),
        ("MatMul", ["x", "y"], {}, FLOAT),
        ("Conv", ["x_image", weights(5, 3, 3, 3), weights(5)], {"strides": [2, 1], "pads": [1, 1, 1, 1]}, PRODUCT),
        ("Conv", ["x_image", weights(4, 3, 2, 2)], {"dilations": [2, 3]}, PRODUCT),
        ("Conv", ["x_signal", weights(4, 2, 3), weights(4)], {"group": 2, "pads": [2, 0], "strides": [1]}, PRODUCT),
        ("ConvTranspose", ["x_image", weights(3, 2, 2, 2), weights(2)], {"strides": [2, 2], "pads": [0, 1, 1, 0]},
         PRODUCT)]),
    "layouts": ({"x": [4, 6], "y": [3, 6], "x_image": [4, 3, 2]}, [
        ("Transpose", ["x_image"], {"perm": [0, 3, 1, 2]}, EQUAL),
        ("Slice", ["x", whole(-1), whole(-100), whole(2), whole(-2)], {}, EQUAL),
        ("Concat", ["x", "y"], {"axis": 1}, EQUAL),
        ("Pad", ["x", whole(0, 1, 2, 0, 0, 3)], {"mode": "reflect"}, EQUAL),
        ("Gather", ["x", whole(3, 0, 3)], {"axis": 1}, EQUAL),
        ("DepthToSpace", ["x_image"], {"blocksize": 2, "mode": "CRD"}, EQUAL),
        ("Tile", ["y", whole(1, 2, 3)], {}, EQUAL),
        ("Resize", ["x_image", "", numbers(1, 1, 2, 1.5)], {"mode": "nearest"}, EQUAL)]),
    "norms": ({"x": [6, 4], "x_image": [6, 3, 4]}, [
        ("LayerNormalization", ["x", weights(6, 4), weights(6, 4)], {"axis": 1, "epsilon": 1e-3}, FLOAT),
        ("RMSNormalization", ["x", weights(4)], {}, FLOAT),
        ("InstanceNormalization", ["x", weights(6), weights(6)], {}, FLOAT),
        ("GroupNormalization", ["x_image", weights(6), weights(6)], {"num_groups": 3}, FLOAT),
        ("LpNormalization", ["x"], {"axis": 1, "p": 2}, FLOAT),
        ("BatchNormalization", ["x_image", weights(6), weights(6), weights(6), positive(6)], {}, FLOAT),
        ("LRN", ["x_image"], {"size": 3, "alpha": 0.1, "bias": 1.5}, FLOAT),
        ("MeanVarianceNormalization", ["x_image"], {"axes": [0, 2, 3]}, FLOAT)]),
    "images": ({"x": [3, 6, 5], "x_matrix": [4, 6]}, [
        ("MaxPool", ["x"], {"kernel_shape": [3, 3], "strides": [2, 1], "pads": [1, 1, 0, 1]}, EQUAL),
        ("AveragePool", ["x"], {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [0, 1, 0, 1],
                                 "count_include_pad": 1}, FLOAT),
        ("GlobalAveragePool", ["x"], {}, FLOAT),
        ("Resize", ["x", "", numbers(1, 1, 1.5, 0.6)], {"mode": "linear"}, FLOAT),
        ("CenterCropPad", ["x", whole(4, 8)], {"axes": [2, 3]}, EQUAL),
        ("Split", ["x_matrix", whole(1, 3)], {"axis": 1}, EQUAL, 2),
        ("Compress", ["x_matrix", truth(1, 0, 0, 1, 1, 0)], {"axis": 2}, EQUAL)]),
    "sequences": ({"x": [3, 4], "x_queries": [3, 16], "x_keys": [5, 8]}, [
        ("LSTM", ["x", weights(1, 12, 4), weights(1, 12, 3), weights(1, 24), "", weights(1, 1, 3)],
         {"hidden_size": 3, "direction": "reverse", "layout": 1}, PRODUCT, 3),
        ("GRU", ["x", weights(1, 9, 4), weights(1, 9, 3), weights(1, 18)],
         {"hidden_size": 3, "linear_before_reset": 1, "layout": 1}, PRODUCT),
        ("RNN", ["x", weights(2, 3, 4), weights(2, 3, 3)],
         {"hidden_size": 3, "direction": "bidirectional", "activations": ["Tanh", "Relu"], "layout": 1}, PRODUCT),
        ("RotaryEmbedding", ["x_queries", weights(1, 3, 2), weights(1, 3, 2)],
         {"num_heads": 4, "rotary_embedding_dim": 4, "interleaved": 1}, FLOAT),
        ("Attention", ["x_queries", "x_keys", "x_keys", truth([1, 0, 1, 1, 1], [0, 1, 1, 0, 1], [1, 1, 0, 1, 1])],
         {"q_num_heads": 4, "kv_num_heads": 2, "softcap": 2.0}, FLOAT)]),
}


def description(node):
    """Returns the operator of a node, the shapes of its operands as far as they are constants, and its attributes."""
    op, operands, attributes = node[:3]
    words = [o if isinstance(o, str) else str(o) if isinstance(o, float) else f"{o[0]} {o[1]}" for o in operands]
    return f"{op}({', '.join(words)})" + "".join(f" {name}={value}" for name, value in attributes.items())


def outputs_of(node):
    return node[4] if len(node) > 4 else 1


# ---- making the files ----


def values(kind, shape, random):
    """Returns random values. kind: the first letter of the name of an input."""
    import numpy as np
    x = random.standard_normal(shape)
    x = {"p": abs(x) + 0.2, "w": np.rint(1.5 * x), "b": x > 0}.get(kind, x)
    return x.astype(np.float32)


def operand(g, o, random):
    """Returns an operand of the table as Graph.node takes it."""
    import numpy as np
    if not isinstance(o, tuple):
        return o
    kind, content = o
    if kind == "weights":
        return g.const(values("x", content, random) / np.float32(np.sqrt(content[-1])))
    if kind == "positive":
        return g.const(values("p", content, random))
    return g.const(np.array(content, {"whole": np.int64, "numbers": np.float32, "truth": bool, "byte": np.uint8}[kind]))


def make(design):
    import numpy as np
    from models import squeezed
    from tensors import write_safetensors
    from wire import Graph
    inputs, nodes = DESIGNS[design]
    random = np.random.default_rng(7)
    g = Graph(opset=23)
    for name, shape in inputs.items():
        g.input(name, ["N", *shape], kind=9 if name[0] == "b" else 1)
    for node in nodes:
        op, operands, attributes = node[:3]
        names = g.node(op, *(operand(g, o, random) for o in operands), outs=outputs_of(node), **attributes)
        g.output(*([names] if isinstance(names, str) else names))
    feeds = {name: values(name[0], [ROWS, *shape], random) for name, shape in inputs.items()}
    typed = {name: v.astype(bool) if name[0] == "b" else v for name, v in feeds.items()}
    rows = [g.run({name: v[k:k + 1] for name, v in typed.items()}) for k in range(ROWS)]  # as the design computes them
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{design}.onnx").write_bytes(g.bytes())
    write_safetensors(FOLDER / f"{design}.in.safetensors",
                      {n: v.reshape([ROWS, *squeezed(v.shape[1:])]) for n, v in feeds.items()})
    write_safetensors(FOLDER / f"{design}.want.safetensors",
                      {str(i): np.stack([row[i] for row in rows]).reshape(ROWS, -1) for i in range(len(g.outputs))})


# ---- comparing ----


def compare(design, place, path):
    """Compares the results of one node. path: a file with all results of the design."""
    nodes = DESIGNS[design][1]
    want, got = read(FOLDER / f"{design}.want.safetensors"), read(path)
    counts = [len(want), len(got), sum(map(outputs_of, nodes))]
    if len(set(counts)) != 1:
        sys.exit(f"error: {counts[0]} wanted results, {counts[1]} results, and {counts[2]} outputs in the table")
    first, tolerance = sum(map(outputs_of, nodes[:place])), nodes[place][3]
    for k in range(first, first + outputs_of(nodes[place])):
        if len(want[k]) != len(got[k]):
            sys.exit(f"error: {len(got[k])} elements instead of {len(want[k])}")
        off, largest = max(abs(a - b) for a, b in zip(want[k], got[k])), max(map(abs, want[k]))
        if not off <= tolerance * largest:
            sys.exit(f"error: output {k} differs by {off:.2g}, and its largest magnitude is {largest:.2g}")


def main():
    command, *more = sys.argv[1:] or [""]
    if command == "make":
        for design in more or DESIGNS:
            make(design)
    elif command == "list":
        for design, (_, nodes) in DESIGNS.items():
            for k, node in enumerate(nodes):
                print(design, k, node[0], description(node), sep="\t")
    elif command == "compare" and len(more) == 3:
        compare(more[0], int(more[1]), more[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
