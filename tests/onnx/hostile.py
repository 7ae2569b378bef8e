# SPDX-License-Identifier: Apache-2.0
"""hostile.py DIR: writes files that `rill import` must refuse, and prints a line for each: its name, and an extended
regular expression that the message must match. Needs no Python package."""
import struct
import sys
from pathlib import Path


# ---- fields and messages of protobuf, with the field numbers of onnx.proto ----


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    """Returns a field that is an integer."""
    return varint(field << 3) + varint(value)


def data(field, content):
    """Returns a field that is a text, bytes, or another message."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def info(name, shape, kind=1):
    """Returns a ValueInfoProto. shape: sizes, or names of open axes. kind: type of the elements, 1 for float32."""
    dims = b"".join(data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in shape)
    return data(1, name) + data(2, data(1, number(1, kind) + data(2, dims)))


def node(op, ins, outs, body=b""):
    """Returns a node as a field of a graph. body: its attributes."""
    return data(1, b"".join(data(1, i) for i in ins) + b"".join(data(2, o) for o in outs) + data(3, "the_node") + data(4, op) + body)


def tensor(name, shape, body, kind=1):
    """Returns a constant as a field of a graph. body: the field with its elements."""
    return data(5, b"".join(number(1, d) for d in shape) + number(2, kind) + data(8, name) + body)


def model(*graph, opset=17):
    """Returns the bytes of a file. graph: the fields of its graph."""
    return number(1, 8) + data(7, b"".join(graph)) + data(8, number(2, opset))


def place(*pairs):
    """Returns the fields of a tensor whose elements are in another file. pairs: location, offset, length."""
    return b"".join(data(13, data(1, k) + data(2, v)) for k, v in pairs) + number(14, 1)


X, Y = data(11, info("x", ["N", 4])), data(12, info("y", []))
RELU = node("Relu", ["x"], ["y"])
WEIGHTS = struct.pack("<16f", *range(16))
MATMUL = node("MatMul", ["x", "w"], ["y"])


def with_weights(*arguments, **more):
    return model(X, tensor("w", *arguments, **more), MATMUL, Y)


def many(count, inside):
    """Returns a message that is wrapped `count` times in the field 7, which is the graph of a model."""
    for _ in range(count):
        inside = data(7, inside)
    return inside


def branch(graph, name="then_branch"):
    """Returns an attribute of a node whose value is a graph: a body of If."""
    return data(5, data(1, name) + data(6, graph))


def deep(count):
    """Returns a branch with `count` nodes If, each inside the branch of the one before."""
    inside = RELU
    for _ in range(count):
        inside = node("If", ["x"], ["y"], body=branch(inside))
    return branch(inside)


# name of the file: its bytes, and the pattern that the message must match
FILES = {
    "empty": (b"", "no graph"),
    "text": (b"this is no model\n", "byte [0-9]+"),
    "truncated": (model(X, RELU, Y)[:-9], "byte [0-9]+: a length beyond the end"),
    "length": (number(1, 8) + varint(7 << 3 | 2) + varint(1 << 62), "a length beyond the end"),
    "endless": (number(1, 8) + varint(7 << 3 | 2) + b"\xff" * 12, "a length beyond the end"),
    "group": (number(1, 8) + varint(7 << 3 | 3), "unknown type"),
    "field_zero": (b"\x00\x01", "without a legal number"),
    "wrong_wire": (model(data(1, number(4, 7)), X, Y), "wire type 0"),
    "two_graphs": (model(X, RELU, Y) + data(7, RELU), "a second graph"),
    "nested": (many(2000, model(X, RELU, Y)), "the output|a second graph|opset|computes nothing"),
    "opset": (model(X, RELU, Y, opset=5), "opset 5 is not supported"),
    "no_opset": (number(1, 8) + data(7, X + RELU + Y), "no opset for ONNX's own operators"),
    "other_domain": (number(1, 8) + data(7, X + node("Scaler", ["x"], ["y"], data(7, "ai.onnx.ml")) + Y) +
                     data(8, data(1, "ai.onnx.ml") + number(2, 1)), "the domain `ai.onnx.ml`, such as `Scaler`"),
    "huge_dims": (with_weights([1 << 40, 1 << 40], data(9, WEIGHTS)), "`w`: its shape is too large"),
    "negative_dim": (with_weights([4, -4], data(9, WEIGHTS)), "`w`: its shape is too large, or has a negative"),
    "rank": (with_weights([1] * 9, data(9, WEIGHTS)), "more than 8 dimensions"),
    "input_rank": (model(data(11, info("x", [1] * 9)), RELU, Y), "more than 8 dimensions"),
    "few_bytes": (with_weights([4, 4], data(9, WEIGHTS[:-4])), "takes 64 bytes, the file holds 60"),
    "few_elements": (with_weights([4, 4], data(4, WEIGHTS[:-4])), "15 of the 16 elements"),
    "many_elements": (with_weights([4, 4], data(4, WEIGHTS + WEIGHTS)), "more elements than its shape"),
    "claimed_elements": (with_weights([1 << 20, 1 << 19], data(4, WEIGHTS)), "more elements than the file has bytes"),
    "wrong_list": (with_weights([4, 4], data(7, varint(1) * 16)), "in the list of another type"),
    "twice": (model(X, RELU, node("Relu", ["y"], ["y"]), Y), "`y` is defined twice"),
    "twice_weight": (model(X, tensor("w", [1], data(9, WEIGHTS[:4])) * 2, RELU, Y), "`w` is defined twice"),
    "cycle": (model(X, node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"]), Y),
              "before it is made: .* loop"),
    "undefined": (model(X, node("Add", ["x", "nothing"], ["y"]), Y), "reads `nothing`, which nothing"),
    "no_output": (model(X, RELU, data(12, info("z", []))), "nothing in the file makes the output `z`"),
    "shapes": (model(X, tensor("w", [3, 4], data(9, WEIGHTS[:48])), MATMUL, Y), "different lengths"),
    "permutation": (model(X, node("Transpose", ["x"], ["y"], data(5, data(1, "perm") + number(8, 0) + number(8, 0))), Y),
                    "no permutation"),
    "no_shape": (model(data(11, data(1, "x")), RELU, Y), "input `x` has no shape"),
    "up": (with_weights([4, 4], place(("location", "../weights.bin"))), "not in the folder of the model"),
    "up_inside": (with_weights([4, 4], place(("location", "a/../../weights.bin"))), "not in the folder of the model"),
    "absolute": (with_weights([4, 4], place(("location", "/etc/passwd"))), "not in the folder of the model"),
    "no_place": (with_weights([4, 4], place(("offset", "0"))), "not in the folder of the model"),
    "no_file": (with_weights([4, 4], place(("location", "nowhere.bin"))), "`nowhere.bin` cannot be read"),
    "offset": (with_weights([4, 4], place(("location", "short.bin"), ("offset", "4"))), "64 bytes at 4 are not all in"),
    "far_offset": (with_weights([4, 4], place(("location", "short.bin"), ("offset", str(2**64 - 1)))), "are not all in"),
    "length_differs": (with_weights([4, 4], place(("location", "short.bin"), ("length", "63"))), "are not all in"),
    "no_number": (with_weights([4, 4], place(("location", "short.bin"), ("offset", "-1"))), "`-1` is no number"),
    "bomb": (model(X, tensor("s", [4], data(7, b"".join(varint(9999) for _ in range(4))), 7),
                   node("ConstantOfShape", ["s"], ["c"]), node("Add", ["x", "c"], ["y"]), Y), "an illegal shape"),
    "axis": (model(data(11, info("x", ["N", "seq", 4])), RELU, Y), "axis 1 of input `x` has no size in the file; give it with `--dim seq=N`"),
    "many_inputs": (model(*[data(11, info(f"x{k}", ["N", 4])) for k in range(9)],
                          *[node("Add", ["x0" if k == 1 else f"s{k - 1}", f"x{k}"], [f"s{k}"]) for k in range(1, 9)],
                          data(12, info("s8", []))), "9 inputs; a design has at most 8"),
    "bodies": (model(X, node("If", ["x"], ["y"], body=deep(9)), Y), "nested more than 8 deep"),
    "body_results": (model(X, tensor("c", [], data(9, b"\1"), 9), node("If", ["c"], ["y"], body=branch(b"")), Y), "a body with fewer results"),
    "body_undefined": (model(X, tensor("c", [], data(9, b"\1"), 9),
                             node("If", ["c"], ["y"], body=branch(node("Relu", ["nothing"], ["r"]) + data(12, info("r", [])))), Y),
                       "reads `nothing`"),
    "body_wire": (model(X, node("If", ["x"], ["y"], body=branch(number(1, 7))), Y), "wire type 0"),
    "loop": (model(X, node("If", ["x"], ["y"]), Y), "cannot be written"),
}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "short.bin").write_bytes(WEIGHTS)
    for name, (content, said) in FILES.items():
        (folder / f"{name}.onnx").write_bytes(content)
        print(f"{name}\t{said}")


main()
