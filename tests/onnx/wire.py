# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX files without the onnx package, and evaluates them with numpy in double precision. The tests of
`rill import` compare the results of the imported specs with these values. Field numbers and type codes are those of
onnx.proto. The functions that evaluate() calls compute the operators with ONNX's semantics, as far as the tests use
them."""
import functools
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


# A field of a protobuf message is an integer (number), or bytes, a text or another message (data).
def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


# Returns an AttributeProto. Field 20 is the type, which follows from the Python type of the value.
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
    if value and isinstance(value[0], str):
        return out + b"".join(data(9, v) for v in value) + number(20, 8)
    return out + b"".join(number(8, v) for v in value) + number(20, 7)


def tensor(name, array, form="raw", outside=None):
    """Returns a TensorProto. form: raw (bytes in raw_data), typed (for example float_data) or bfloat16 (raw, after a
    conversion). outside: (file, offset, length) of data in another file, each None if the entry is to be absent."""
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
    """Returns a ValueInfoProto. shape: sizes, or names of open axes. kind: a code of TYPES."""
    dims = b"".join(data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in shape)
    return data(1, name) + data(2, data(1, number(1, kind) + data(2, dims)))


class Graph:
    """A graph that a test builds node by node. `bytes` returns it as an ONNX file, `run` evaluates it."""

    def __init__(self, opset=17, form="raw"):
        self.opset, self.form, self.count = opset, form, 0
        self.nodes, self.constants, self.inputs, self.outputs, self.outside = [], {}, [], [], {}

    def input(self, name, shape, kind=1):
        self.inputs.append((name, shape, kind))
        return name

    def output(self, *names):
        self.outputs += names

    def const(self, array, name=None):
        """Adds a constant and returns its name."""
        self.count += 1
        name = name or f"c{self.count}"
        self.constants[name] = np.asarray(array)
        return name

    def node(self, op, *operands, out=None, domain="", outs=1, **attributes):
        """Adds a node and returns the name of its output, or the list of names if there are several. An operand is a
        name, or a number that becomes a float32 constant. An empty name leaves an operand out."""
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
        """Returns the output arrays, in the order of `output`, for the input arrays by name."""
        values = {**self.constants, **feeds}
        for op, operands, names, attributes, _ in self.nodes:
            if op == "If":
                got = attributes["then_branch" if values[operands[0]] else "else_branch"].run(values)
            else:
                got = evaluate(op, [values[o] if o else None for o in operands], attributes)
            for name, value in zip(names, got if isinstance(got, list) else [got]):
                values[name] = value
        return [values[o] for o in self.outputs]


def moments(x, axes, keep=True):
    """Returns the mean over axes."""
    return np.mean(x, axis=axes, keepdims=keep)


def norm(x, gamma, beta, eps, axis=-1):
    """Normalizes over `axis` and all axes after it."""
    axes = tuple(range(axis % x.ndim, x.ndim))
    d = x - moments(x, axes)
    y = d / np.sqrt(moments(d * d, axes) + eps) * gamma
    return y if beta is None else y + beta


ERF = np.vectorize(math.erf, otypes=[np.float64])
UNARY = {
    "Relu": lambda x: np.maximum(x, 0), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Tanh": np.tanh, "Erf": ERF,
    "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Abs": np.abs, "Neg": np.negative, "Reciprocal": lambda x: 1 / x,
    "Softplus": lambda x: np.log1p(np.exp(x)), "Identity": lambda x: x, "Dropout": lambda x: x, "Cast": lambda x: x,
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Sin": np.sin, "Sign": np.sign, "Not": np.logical_not, "Round": np.rint, "Floor": np.floor, "Ceil": np.ceil,
}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power,
          "Max": np.maximum, "Min": np.minimum, "Greater": np.greater, "Less": np.less, "Equal": np.equal,
          "GreaterOrEqual": np.greater_equal, "LessOrEqual": np.less_equal, "And": np.logical_and, "Or": np.logical_or,
          "Xor": np.logical_xor}


def gelu(x, approximate="none"):
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + ERF(x / math.sqrt(2)))


def gemm(x, w, c=0, alpha=1.0, beta=1.0, transA=0, transB=0):
    return alpha * (x.T if transA else x) @ (w.T if transB else w) + beta * c


def batch_norm(x, scale, shift, mean, var, epsilon=1e-5):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + epsilon) * scale.reshape(shape) + shift.reshape(shape)


# Returns the padding before and after one dimension of an image, for auto_pad SAME_UPPER or the given `pads`.
def sides(extent, kernel, stride, pads, auto):
    if auto == "NOTSET":
        return pads
    all_of_it = max((-(-extent // stride) - 1) * stride + kernel - extent, 0)
    return (all_of_it // 2, all_of_it - all_of_it // 2)


def dilated(w, dilations):
    """Returns the weights of a convolution with zeros between them."""
    y = np.zeros((*w.shape[:2], *(d * (n - 1) + 1 for d, n in zip(dilations, w.shape[2:]))))
    y[:, :, ::dilations[0], ::dilations[1]] = w
    return y


def conv(x, w, b=None, pads=(0, 0, 0, 0), strides=(1, 1), group=1, auto_pad="NOTSET", dilations=(1, 1),
         kernel_shape=None):
    w = dilated(w, dilations)
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


def conv_transposed(x, w, b, strides, pads, output_padding=(0, 0), dilations=(1, 1), group=1):
    """Adds every element of one image, multiplied by all weights of its channel, to the result. The batch is 1."""
    (_, _, high, wide), (_, own, kh, kw), each = x.shape, w.shape, x.shape[1] // group
    size = [s * (n - 1) + d * (k - 1) + 1 + o for s, n, d, k, o in zip(strides, (high, wide), dilations, (kh, kw), output_padding)]
    y = np.zeros((1, own * group, *size))
    for c in range(x.shape[1]):
        for i in range(kh):
            for j in range(kw):
                rows = slice(c // each * own, (c // each + 1) * own)
                top, left = i * dilations[0], j * dilations[1]
                y[0, rows, top:top + strides[0] * (high - 1) + 1:strides[0], left:left + strides[1] * (wide - 1) + 1:strides[1]] += \
                    x[0, c] * w[c, :, i, j][:, None, None]
    return y[:, :, pads[0]:size[0] - pads[2], pads[1]:size[1] - pads[3]] + b[:, None, None]


def conv_1d(x, w, b, pads, strides, group=1):
    return conv(x[:, :, None], w[:, :, None], b, (0, pads[0], 0, pads[1]), (1, strides[0]), group)[:, :, 0]


def depth_to_space(x, blocksize, mode):
    """Computes the mode CRD, the only one that the tests use."""
    n, c, h, w = x.shape
    y = x.reshape(n, c // blocksize**2, blocksize, blocksize, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, c // blocksize**2, h * blocksize, w * blocksize)


def space_to_depth(x, blocksize):
    n, c, h, w = x.shape
    y = x.reshape(n, c, h // blocksize, blocksize, w // blocksize, blocksize).transpose(0, 3, 5, 1, 2, 4)
    return y.reshape(n, c * blocksize**2, h // blocksize, w // blocksize)


def pool(x, how, kernel_shape, strides, pads=(0, 0, 0, 0), count_include_pad=0):
    """how: np.max or np.mean. A mean counts padding only if count_include_pad is set."""
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
    """Reduces x[0]. The axes are an attribute, or the operand x[1] from opset 18 on."""
    return how(x[0], axis=tuple(int(v) for v in (x[1] if len(x) > 1 else a["axes"])), keepdims=bool(a.get("keepdims", 1)))


def part(x, starts, ends, axes=None, steps=None):
    """Computes Slice."""
    index = [slice(None)] * x.ndim
    for k, (a, b) in enumerate(zip(starts, ends)):
        index[int(axes[k]) if axes is not None else k] = slice(int(a), int(b), int(steps[k]) if steps is not None else 1)
    return x[tuple(index)]


def turned(x, cos, sin, num_heads, rotary_embedding_dim, interleaved=0):
    """Computes RotaryEmbedding of x[batch][rows][heads * size]."""
    y = x.reshape(*x.shape[:2], num_heads, -1).copy()
    n, cos, sin = rotary_embedding_dim, cos[:, :, None], sin[:, :, None]
    first, second = (slice(0, n, 2), slice(1, n, 2)) if interleaved else (slice(0, n // 2), slice(n // 2, n))
    a, b = y[..., first].copy(), y[..., second].copy()
    y[..., first], y[..., second] = a * cos - b * sin, a * sin + b * cos
    return y.reshape(x.shape)


def attention(q, k, v, mask, q_num_heads, kv_num_heads, is_causal=0, softcap=0.0):
    """Computes Attention with a mask of truth values and a soft cap, which must not be 0 here."""
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
    """Computes Resize with mode nearest, half_pixel coordinates and rounding round_prefer_floor."""
    for k, s in enumerate(scales):
        at = np.ceil((np.arange(int(x.shape[k] * s)) + 0.5) / s - 1).clip(0, x.shape[k] - 1)
        x = np.take(x, at.astype(int), k)
    return x


def centered(x, shape, axes):
    """Computes CenterCropPad."""
    for n, k in zip(shape, axes):
        more = int(n) - x.shape[k]
        if more < 0:
            x = np.take(x, np.arange(-more // 2, -more // 2 + int(n)), k)
        else:
            x = np.pad(x, [(more // 2, more - more // 2) if i == k else (0, 0) for i in range(x.ndim)])
    return x


# ---- indices ----


def arg(x, find, axis=0, keepdims=1, select_last_index=0):
    at = x.shape[axis] - 1 - find(np.flip(x, axis), axis) if select_last_index else find(x, axis)
    return np.expand_dims(at, axis) if keepdims else at


def top(x, k, axis=-1, largest=1, **_):
    at = np.take(np.argsort(-x if largest else x, axis, kind="stable"), np.arange(int(k[0])), axis)
    return [np.take_along_axis(x, at, axis), at]


def hardmax(x, axis=-1):
    y = np.zeros_like(x)
    np.put_along_axis(y, np.expand_dims(np.argmax(x, axis), axis), 1, axis)
    return y


# ---- quantized files ----


def along(d, x, axis):
    """Returns d, one value or one for each place of an axis, in a shape that goes with x."""
    return d if d.size == 1 else d.reshape([-1 if k == axis else 1 for k in range(x.ndim)])


def quantized(x, scale, zero, axis=1):
    low, high = (0, 255) if zero.dtype == np.uint8 else (-128, 127)
    return np.clip(np.rint(x / along(scale, x, axis)) + along(zero.astype(int), x, axis), low, high)


def dequantized(x, scale, zero=np.int8(0), axis=1):
    return (x - along(zero.astype(int), x, axis)) * along(scale, x, axis)


def quantized_any(x):
    """Computes DynamicQuantizeLinear: returns the result, the scale and the zero point."""
    low, high = min(x.min(), 0), max(x.max(), 0)
    scale = (high - low) / 255
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return [np.clip(np.rint(x / scale) + zero, 0, 255), np.float64(scale), np.float64(zero)]


def quant(x, scale, zero, bits, signed, narrow, **_):
    """Computes QONNX's Quant, which quantizes and converts back."""
    low = narrow - 2 ** (bits - 1) if signed else 0
    return (np.clip(np.rint(x / scale + zero), low, 2 ** (bits - signed) - 1 - (narrow and not signed)) - zero) * scale


# ---- recurrent operators ----

GATES = {"Sigmoid": UNARY["Sigmoid"], "Tanh": np.tanh, "Relu": UNARY["Relu"]}


def steps_of(op, x, w, r, b, h, c, p, f, before):
    """Runs one direction of a recurrent operator on x[steps][batch][width]. Returns the states h after each step, the
    last h and the last cell state c. f: activation functions; before: linear_before_reset; p: peepholes."""
    n, out = r.shape[1], []
    bx, bh = (b[:b.size // 2], b[b.size // 2:])
    for t in x:
        gx, gh = t @ w.T + bx, h @ r.T + bh
        if op == "RNN":
            h = f[0](gx + gh)
        elif op == "GRU":
            z, reset = (f[0](gx[:, k * n:(k + 1) * n] + gh[:, k * n:(k + 1) * n]) for k in (0, 1))
            own = reset * gh[:, 2 * n:] if before else (reset * h) @ r[2 * n:].T + bh[2 * n:]
            h = (1 - z) * f[1](gx[:, 2 * n:] + own) + z * h
        else:
            i, o, keep, new = np.split(gx + gh, 4, 1)
            c = f[0](keep + p[2 * n:] * c) * c + f[0](i + p[:n] * c) * f[1](new)
            h = f[0](o + p[n:2 * n] * c) * f[2](c)
        out.append(h)
    return np.stack(out), h, c


def recurrent(op, x, w, r, b=None, _=None, h=None, c=None, p=None, direction="forward", hidden_size=0, activations=None,
              linear_before_reset=0, layout=0):
    """Computes RNN, GRU and LSTM in all directions. Operands that are left out are None."""
    if layout:
        x = x.swapaxes(0, 1)
    each = {"RNN": 1, "GRU": 2, "LSTM": 3}[op]
    names = activations or {1: ["Tanh"], 2: ["Sigmoid", "Tanh"], 3: ["Sigmoid", "Tanh", "Tanh"]}[each] * w.shape[0]
    zero, all_y = np.zeros((x.shape[1], hidden_size)), []
    for k in range(w.shape[0]):
        back = direction == "reverse" or k == 1
        y, last, cell = steps_of(
            op, x[::-1] if back else x, w[k], r[k], np.zeros(2 * len(w[k])) if b is None else b[k], zero if h is None else h[k],
            zero if c is None else c[k], np.zeros(3 * hidden_size) if p is None else p[k],
            [GATES[a] for a in names[k * each:(k + 1) * each]], linear_before_reset)
        all_y.append((y[::-1] if back else y, last, cell))
    y, h, c = (np.stack(v, 1 if k == 0 else 0) for k, v in enumerate(zip(*all_y)))
    return [y.transpose(2, 0, 1, 3), h.swapaxes(0, 1), c.swapaxes(0, 1)] if layout else [y, h, c]


def linear_resize(x, scales):
    """Computes Resize with mode linear and half_pixel coordinates."""
    for k, s in enumerate(scales):
        if s == 1:
            continue
        at = ((np.arange(int(x.shape[k] * s)) + 0.5) / s - 0.5).clip(0, x.shape[k] - 1)
        low = np.floor(at).astype(int)
        part = (at - low).reshape([-1 if i == k else 1 for i in range(x.ndim)])
        x = np.take(x, low, k) * (1 - part) + np.take(x, np.minimum(low + 1, x.shape[k] - 1), k) * part
    return x


def padded(x, pads, axes=None, mode="constant"):
    """Computes Pad. Negative pads cut elements off."""
    axes = range(x.ndim) if axes is None else [int(k) for k in axes]
    for k, low, high in zip(axes, pads[:len(pads) // 2], pads[len(pads) // 2:]):
        x = np.take(x, np.arange(max(-low, 0), x.shape[k] - max(-high, 0)), k)
        x = np.pad(x, [(max(low, 0), max(high, 0)) if i == k else (0, 0) for i in range(x.ndim)], mode)
    return x


def evaluate(op, x, a):
    """Returns the output of an operator, or the list of outputs. x: operands, None if left out. a: attributes."""
    x = [v.astype(np.float64) if v is not None and v.dtype.kind == "f" else v for v in x]
    if op in UNARY:
        return UNARY[op](x[0])
    if op in BINARY:
        return functools.reduce(BINARY[op], x)
    many = {
        "MatMul": lambda: x[0] @ x[1], "Gemm": lambda: gemm(*x, **a), "Gelu": lambda: gelu(x[0], **a),
        "Reshape": lambda: x[0].reshape([int(v) or x[0].shape[k] for k, v in enumerate(x[1])]), "Transpose": lambda: np.transpose(x[0], a.get("perm")),
        "Flatten": lambda: x[0].reshape(int(np.prod(x[0].shape[:a.get("axis", 1)])), -1),
        "Unsqueeze": lambda: np.expand_dims(x[0], tuple(int(v) for v in x[1])),
        "Squeeze": lambda: np.squeeze(x[0], tuple(int(v) for v in x[1])),
        "ReduceMean": lambda: reduced(x, np.mean, a), "ReduceSum": lambda: reduced(x, np.sum, a),
        "LayerNormalization": lambda: norm(x[0], x[1], x[2] if len(x) > 2 else None, a.get("epsilon", 1e-5), a.get("axis", -1)),
        "RMSNormalization": lambda: x[0] / np.sqrt(moments(x[0] ** 2, (-1,)) + a.get("epsilon", 1e-5)) * x[1],
        "BatchNormalization": lambda: batch_norm(*x, **a),
        "InstanceNormalization": lambda: norm(x[0], 1, None, a.get("epsilon", 1e-5), 2) * x[1].reshape(1, -1, 1)
        + x[2].reshape(1, -1, 1),
        "Conv": lambda: conv(*x, **a) if x[0].ndim == 4 else conv_1d(*x, **a), "DepthToSpace": lambda: depth_to_space(x[0], **a),
        "SpaceToDepth": lambda: space_to_depth(x[0], **a),
        "ConvTranspose": lambda: conv_transposed(*x, **a),
        "AveragePool": lambda: pool(x[0], np.mean, **a), "MaxPool": lambda: pool(x[0], np.max, **a),
        "Softmax": lambda: softmax(x[0], **a), "LogSoftmax": lambda: np.log(softmax(x[0], **a)),
        "ReduceMax": lambda: reduced(x, np.max, a), "ReduceMin": lambda: reduced(x, np.min, a),
        "ReduceL1": lambda: reduced(x, lambda v, **k: np.sum(abs(v), **k), a),
        "ReduceSumSquare": lambda: reduced(x, lambda v, **k: np.sum(v * v, **k), a),
        "ReduceLogSum": lambda: reduced(x, lambda v, **k: np.log(np.sum(v, **k)), a),
        "ReduceL2": lambda: reduced(x, lambda v, **k: np.sqrt(np.sum(v * v, **k)), a),
        "ReduceLogSumExp": lambda: reduced(x, lambda v, **k: np.log(np.sum(np.exp(v), **k)), a),
        "Pad": lambda: padded(x[0], x[1], x[3] if len(x) > 3 else None, a.get("mode", "constant")),
        "Tile": lambda: np.tile(x[0], x[1]),
        "GlobalAveragePool": lambda: moments(x[0], tuple(range(2, x[0].ndim))),
        "GlobalMaxPool": lambda: np.max(x[0], tuple(range(2, x[0].ndim)), keepdims=True),
        "Mish": lambda: x[0] * np.tanh(np.log1p(np.exp(x[0]))), "Sum": lambda: sum(x), "Mean": lambda: sum(x) / len(x),
        "Clip": lambda: np.clip(x[0], x[1], x[2]), "LeakyRelu": lambda: np.where(x[0] < 0, a.get("alpha", 0.01) * x[0], x[0]),
        "PRelu": lambda: np.where(x[0] < 0, x[1] * x[0], x[0]),
        "HardSigmoid": lambda: np.clip(a.get("alpha", 0.2) * x[0] + a.get("beta", 0.5), 0, 1),
        "Shape": lambda: np.array(x[0].shape), "Gather": lambda: np.take(x[0], x[1], a.get("axis", 0)),
        "Concat": lambda: np.concatenate([np.atleast_1d(v) for v in x], a.get("axis", 0)), "Slice": lambda: part(*x),
        "Split": lambda: np.split(x[0], np.cumsum(x[1])[:-1], a["axis"]), "Constant": lambda: a["value"],
        "ConstantOfShape": lambda: np.full([int(v) for v in x[0]], a["value"][0]),
        "DequantizeLinear": lambda: dequantized(*x, **a), "Expand": lambda: x[0] * np.ones([int(v) for v in x[1]]),
        "RotaryEmbedding": lambda: turned(*x, **a), "Attention": lambda: attention(*x, **a),
        "GroupNormalization": lambda: group_norm(*x, **a), "LRN": lambda: local_response(x[0], **a),
        "Elu": lambda: np.where(x[0] < 0, a["alpha"] * np.expm1(x[0]), x[0]),
        "Selu": lambda: 1.0507009873554805 * np.where(x[0] < 0, 1.6732632423543772 * np.expm1(x[0]), x[0]),
        "Celu": lambda: np.where(x[0] < 0, a["alpha"] * np.expm1(x[0] / a["alpha"]), x[0]),
        "Softsign": lambda: x[0] / (1 + np.abs(x[0])),
        "LpNormalization": lambda: x[0] / np.linalg.norm(x[0], a["p"], a["axis"], keepdims=True),
        "ArgMax": lambda: arg(x[0], np.argmax, **a), "ArgMin": lambda: arg(x[0], np.argmin, **a),
        "TopK": lambda: top(*x, **a), "Hardmax": lambda: hardmax(x[0], **a), "Where": lambda: np.where(*x),
        "ThresholdedRelu": lambda: np.where(x[0] > a["alpha"], x[0], 0),
        "Swish": lambda: x[0] / (1 + np.exp(-a["alpha"] * x[0])),
        "Shrink": lambda: np.sign(x[0]) * (np.abs(x[0]) - a["bias"]) * (np.abs(x[0]) > a["lambd"]),
        "QuantizeLinear": lambda: quantized(*x, **a), "DynamicQuantizeLinear": lambda: quantized_any(x[0]),
        "Quant": lambda: quant(*x, **a), "Compress": lambda: np.compress(x[1], x[0], a["axis"]),
        "MeanVarianceNormalization": lambda: (x[0] - moments(x[0], tuple(a["axes"]))) / np.std(x[0], tuple(a["axes"]), keepdims=True),
        "RNN": lambda: recurrent(op, *x, **a), "GRU": lambda: recurrent(op, *x, **a), "LSTM": lambda: recurrent(op, *x, **a),
        "Resize": lambda: (nearest if a["mode"] == "nearest" else linear_resize)(x[0], x[2]), "CenterCropPad": lambda: centered(x[0], x[1], a["axes"]),
        "Range": lambda: np.arange(int(x[0]), int(x[1]), int(x[2])),
    }
    return many[op]()
