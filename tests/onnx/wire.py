# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX files without the onnx package, and evaluates them with numpy."""
import math
import struct

import numpy as np

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11}
BFLOAT16 = 16


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def attribute(name, value):
    out = data(1, name)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return out + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return out + data(4, value) + number(20, 3)
    if isinstance(value, np.ndarray):
        return out + data(5, tensor("", value)) + number(20, 4)
    if isinstance(value, Graph):
        return out + data(6, value.graph()) + number(20, 5)
    return out + b"".join(number(8, v) for v in value) + number(20, 7)


def tensor(name, array, form="raw", outside=None):
    """form: raw, typed, bfloat16; outside: (file, offset, length) of data that is elsewhere."""
    kind = BFLOAT16 if form == "bfloat16" else TYPES[array.dtype.name]
    out = b"".join(number(1, d) for d in array.shape) + number(2, kind) + data(8, name)
    if outside:
        for key, value in zip(("location", "offset", "length"), outside):
            if value is not None:
                out += data(13, data(1, key) + data(2, str(value)))
        return out + number(14, 1)
    if form == "bfloat16":
        return out + data(9, (array.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes())
    if form != "typed":
        return out + data(9, array.astype(array.dtype.newbyteorder("<")).tobytes())
    if kind == 1:
        return out + data(4, array.astype("<f4").tobytes())
    if kind == 11:
        return out + data(10, array.astype("<f8").tobytes())
    if kind == 10:
        return out + data(5, b"".join(varint(int(v)) for v in array.view(np.uint16).ravel()))
    return out + data(7 if kind == 7 else 5, b"".join(varint(int(v)) for v in array.ravel()))


def info(name, shape, kind=1):
    dims = b"".join(data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in shape)
    return data(1, name) + data(2, data(1, number(1, kind) + data(2, dims)))


class Graph:
    def __init__(self, opset=17, form="raw"):
        self.opset, self.form, self.count = opset, form, 0
        self.nodes, self.constants, self.inputs, self.outputs, self.outside = [], {}, [], [], {}

    def input(self, name, shape, kind=1):
        self.inputs.append((name, shape, kind))
        return name

    def output(self, *names):
        self.outputs += names

    def const(self, array, name=None):
        self.count += 1
        name = name or f"c{self.count}"
        self.constants[name] = np.asarray(array)
        return name

    def node(self, op, *operands, out=None, domain="", outs=1, **attributes):
        self.count += 1
        names = [out or f"{op.lower()}_{self.count}"] if outs == 1 else [f"{op.lower()}_{self.count}_{k}" for k in range(outs)]
        operands = [o if isinstance(o, str) else self.const(np.asarray(o, np.float32)) for o in operands]
        self.nodes.append((op, operands, names, attributes, domain))
        return names[0] if outs == 1 else names

    def graph(self):
        out = b""
        for k, (op, operands, names, attributes, domain) in enumerate(self.nodes):
            body = b"".join(data(1, o) for o in operands) + b"".join(data(2, o) for o in names)
            body += data(3, f"node_{k}") + data(4, op) + (data(7, domain) if domain else b"")
            out += data(1, body + b"".join(data(5, attribute(*a)) for a in attributes.items()))
        for name, array in self.constants.items():
            out += data(5, tensor(name, array, self.form, self.outside.get(name)))
        out += b"".join(data(11, info(*i)) for i in self.inputs)
        return out + data(2, "graph") + b"".join(data(12, info(o, ())) for o in self.outputs)

    def bytes(self):
        opset = data(8, number(2, self.opset))
        return number(1, 8) + data(2, "wire.py") + data(7, self.graph()) + opset

    def run(self, feeds):
        """The outputs for named arrays, one array each."""
        values = {**self.constants, **feeds}
        for op, operands, names, attributes, _ in self.nodes:
            got = evaluate(op, [values[o] if o else None for o in operands], attributes)
            for name, value in zip(names, got if isinstance(got, list) else [got]):
                values[name] = value
        return [values[o] for o in self.outputs]


def moments(x, axes, keep=True):
    return np.mean(x, axis=axes, keepdims=keep)


def norm(x, gamma, beta, eps, axis=-1):
    axes = tuple(range(axis % x.ndim, x.ndim))
    d = x - moments(x, axes)
    y = d / np.sqrt(moments(d * d, axes) + eps) * gamma
    return y if beta is None else y + beta


ERF = np.vectorize(math.erf, otypes=[np.float64])
UNARY = {
    "Relu": lambda x: np.maximum(x, 0), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Tanh": np.tanh, "Erf": ERF,
    "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Abs": np.abs, "Neg": np.negative, "Reciprocal": lambda x: 1 / x,
    "Softplus": lambda x: np.log1p(np.exp(x)), "Identity": lambda x: x, "Dropout": lambda x: x, "Cast": lambda x: x,
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Sin": np.sin,
}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power,
          "Max": np.maximum, "Min": np.minimum}


def gelu(x, approximate="none"):
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + ERF(x / math.sqrt(2)))


def gemm(x, w, c=0, alpha=1.0, beta=1.0, transA=0, transB=0):
    return alpha * (x.T if transA else x) @ (w.T if transB else w) + beta * c


def batch_norm(x, scale, shift, mean, var, epsilon=1e-5):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + epsilon) * scale.reshape(shape) + shift.reshape(shape)


def sides(extent, kernel, stride, pads, auto):
    if auto == "NOTSET":
        return pads
    all_of_it = max((-(-extent // stride) - 1) * stride + kernel - extent, 0)
    return (all_of_it // 2, all_of_it - all_of_it // 2)


def conv(x, w, b=None, pads=(0, 0, 0, 0), strides=(1, 1), group=1, auto_pad="NOTSET"):
    (p, q) = (sides(x.shape[k + 2], w.shape[k + 2], strides[k], (pads[k], pads[k + 2]), auto_pad) for k in (0, 1))
    x = np.pad(x, ((0, 0), (0, 0), p, q))
    high, wide = ((x.shape[k + 2] - w.shape[k + 2]) // strides[k] + 1 for k in (0, 1))
    y = np.zeros((x.shape[0], w.shape[0], high, wide))
    own, each = w.shape[1], w.shape[0] // group
    for r in range(w.shape[0]):
        channels = x[:, r // each * own:(r // each + 1) * own]
        for i in range(high):
            for j in range(wide):
                at = channels[:, :, i * strides[0]:, j * strides[1]:][:, :, :w.shape[2], :w.shape[3]]
                y[:, r, i, j] = np.sum(at * w[r], (1, 2, 3)) + (0 if b is None else b[r])
    return y


def depth_to_space(x, blocksize, mode):
    n, c, h, w = x.shape
    y = x.reshape(n, c // blocksize**2, blocksize, blocksize, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, c // blocksize**2, h * blocksize, w * blocksize)


def pool(x, how, kernel_shape, strides, pads=(0, 0, 0, 0), count_include_pad=0):
    """How: np.max or np.mean. Elements of the padding count in a mean only if asked for."""
    high, wide = ((x.shape[k + 2] + pads[k] + pads[k + 2] - kernel_shape[k]) // strides[k] + 1 for k in (0, 1))
    y = np.zeros((*x.shape[:2], high, wide))
    for i in range(high):
        for j in range(wide):
            at = [i * strides[0] - pads[0], j * strides[1] - pads[1]]
            inside = x[:, :, max(at[0], 0):at[0] + kernel_shape[0], max(at[1], 0):at[1] + kernel_shape[1]]
            y[:, :, i, j] = how(inside, (2, 3))
            if count_include_pad and how is np.mean:
                y[:, :, i, j] *= inside.shape[2] * inside.shape[3] / np.prod(kernel_shape)
    return y


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def reduced(x, how, a):
    return how(x, axis=tuple(a["axes"]), keepdims=bool(a.get("keepdims", 1)))


def part(x, starts, ends, axes=None, steps=None):
    index = [slice(None)] * x.ndim
    for k, (a, b) in enumerate(zip(starts, ends)):
        index[int(axes[k]) if axes is not None else k] = slice(int(a), int(b), int(steps[k]) if steps is not None else 1)
    return x[tuple(index)]


def turned(x, cos, sin, num_heads, rotary_embedding_dim, interleaved=0):
    y = x.reshape(*x.shape[:2], num_heads, -1).copy()
    n, cos, sin = rotary_embedding_dim, cos[:, :, None], sin[:, :, None]
    first, second = (slice(0, n, 2), slice(1, n, 2)) if interleaved else (slice(0, n // 2), slice(n // 2, n))
    a, b = y[..., first].copy(), y[..., second].copy()
    y[..., first], y[..., second] = a * cos - b * sin, a * sin + b * cos
    return y.reshape(x.shape)


def attention(q, k, v, mask, q_num_heads, kv_num_heads, is_causal=0, softcap=0.0):
    q, k, v = (t.reshape(*t.shape[:2], n, -1).transpose(0, 2, 1, 3) for t, n in ((q, q_num_heads), (k, kv_num_heads), (v, kv_num_heads)))
    k, v = (np.repeat(t, q_num_heads // kv_num_heads, 1) for t in (k, v))
    s = softcap * np.tanh(q @ k.swapaxes(2, 3) / math.sqrt(q.shape[3]) / softcap)
    seen = mask & np.tri(*mask.shape, dtype=bool) if is_causal else mask
    y = softmax(np.where(seen, s, -np.inf)) @ v
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)


def group_norm(x, scale, bias, num_groups):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    y = norm(x.reshape(x.shape[0], num_groups, -1), 1, None, 1e-5)
    return y.reshape(x.shape) * scale.reshape(shape) + bias.reshape(shape)


def local_response(x, size, alpha=1e-4, beta=0.75, bias=1.0):
    sums = np.zeros_like(x)
    for c in range(x.shape[1]):
        sums[:, c] = np.sum(x[:, max(0, c - (size - 1) // 2):c + size // 2 + 1] ** 2, axis=1)
    return x / (bias + alpha / size * sums) ** beta


def nearest(x, scales):
    for k, s in enumerate(scales):
        at = np.ceil((np.arange(int(x.shape[k] * s)) + 0.5) / s - 1).clip(0, x.shape[k] - 1)
        x = np.take(x, at.astype(int), k)
    return x


def centered(x, shape, axes):
    for n, k in zip(shape, axes):
        more = int(n) - x.shape[k]
        if more < 0:
            x = np.take(x, np.arange(-more // 2, -more // 2 + int(n)), k)
        else:
            x = np.pad(x, [(more // 2, more - more // 2) if i == k else (0, 0) for i in range(x.ndim)])
    return x


def evaluate(op, x, a):
    x = [v.astype(np.float64) if v is not None and v.dtype.kind == "f" else v for v in x]
    if op in UNARY:
        return UNARY[op](x[0])
    if op in BINARY:
        return BINARY[op](x[0], x[1])
    many = {
        "MatMul": lambda: x[0] @ x[1], "Gemm": lambda: gemm(*x, **a), "Gelu": lambda: gelu(x[0], **a),
        "Reshape": lambda: x[0].reshape([int(v) or x[0].shape[k] for k, v in enumerate(x[1])]), "Transpose": lambda: np.transpose(x[0], a.get("perm")),
        "Flatten": lambda: x[0].reshape(int(np.prod(x[0].shape[:a.get("axis", 1)])), -1),
        "Unsqueeze": lambda: np.expand_dims(x[0], tuple(int(v) for v in x[1])),
        "Squeeze": lambda: np.squeeze(x[0], tuple(int(v) for v in x[1])),
        "ReduceMean": lambda: moments(x[0], tuple(a["axes"]), bool(a.get("keepdims", 1))),
        "ReduceSum": lambda: np.sum(x[0], tuple(int(v) for v in x[1]), keepdims=bool(a.get("keepdims", 1))),
        "LayerNormalization": lambda: norm(x[0], x[1], x[2] if len(x) > 2 else None, a.get("epsilon", 1e-5), a.get("axis", -1)),
        "RMSNormalization": lambda: x[0] / np.sqrt(moments(x[0] ** 2, (-1,)) + a.get("epsilon", 1e-5)) * x[1],
        "BatchNormalization": lambda: batch_norm(*x, **a),
        "InstanceNormalization": lambda: norm(x[0], 1, None, a.get("epsilon", 1e-5), 2) * x[1].reshape(1, -1, 1)
        + x[2].reshape(1, -1, 1),
        "Conv": lambda: conv(*x, **a), "DepthToSpace": lambda: depth_to_space(x[0], **a),
        "AveragePool": lambda: pool(x[0], np.mean, **a), "MaxPool": lambda: pool(x[0], np.max, **a),
        "Softmax": lambda: softmax(x[0], **a), "LogSoftmax": lambda: np.log(softmax(x[0], **a)),
        "ReduceMax": lambda: reduced(x[0], np.max, a), "ReduceMin": lambda: reduced(x[0], np.min, a),
        "ReduceL2": lambda: np.sqrt(reduced(x[0] ** 2, np.sum, a)),
        "Pad": lambda: np.pad(x[0], np.reshape(x[1], (2, -1)).T, a.get("mode", "constant")),
        "Tile": lambda: np.tile(x[0], x[1]),
        "GlobalAveragePool": lambda: moments(x[0], tuple(range(2, x[0].ndim))),
        "Clip": lambda: np.clip(x[0], x[1], x[2]), "LeakyRelu": lambda: np.where(x[0] < 0, a.get("alpha", 0.01) * x[0], x[0]),
        "PRelu": lambda: np.where(x[0] < 0, x[1] * x[0], x[0]),
        "HardSigmoid": lambda: np.clip(a.get("alpha", 0.2) * x[0] + a.get("beta", 0.5), 0, 1),
        "Shape": lambda: np.array(x[0].shape), "Gather": lambda: np.take(x[0], x[1], a.get("axis", 0)),
        "Concat": lambda: np.concatenate([np.atleast_1d(v) for v in x], a.get("axis", 0)), "Slice": lambda: part(*x),
        "Split": lambda: np.split(x[0], len(x[1]), a["axis"]), "Constant": lambda: a["value"],
        "ConstantOfShape": lambda: np.full([int(v) for v in x[0]], a["value"][0]),
        "DequantizeLinear": lambda: x[0] * x[1], "Expand": lambda: x[0] * np.ones([int(v) for v in x[1]]),
        "RotaryEmbedding": lambda: turned(*x, **a), "Attention": lambda: attention(*x, **a),
        "GroupNormalization": lambda: group_norm(*x, **a), "LRN": lambda: local_response(x[0], **a),
        "Elu": lambda: np.where(x[0] < 0, a["alpha"] * np.expm1(x[0]), x[0]),
        "Selu": lambda: 1.0507009873554805 * np.where(x[0] < 0, 1.6732632423543772 * np.expm1(x[0]), x[0]),
        "Celu": lambda: np.where(x[0] < 0, a["alpha"] * np.expm1(x[0] / a["alpha"]), x[0]),
        "Softsign": lambda: x[0] / (1 + np.abs(x[0])),
        "LpNormalization": lambda: x[0] / np.linalg.norm(x[0], a["p"], a["axis"], keepdims=True),
        "Resize": lambda: nearest(x[0], x[2]), "CenterCropPad": lambda: centered(x[0], x[1], a["axes"]),
        "Range": lambda: np.arange(int(x[0]), int(x[1]), int(x[2])),
    }
    return many[op]()
