# SPDX-License-Identifier: Apache-2.0
"""Regenerates the models of tests/onnx/run.sh, with inputs and the results that numpy computes for them:
models/NAME.onnx, NAME.in.safetensors, NAME.want.safetensors. Needs numpy; the tests themselves do not.

models.py [NAME...]
"""
import math
import sys
from pathlib import Path

import numpy as np

from tensors import write_safetensors
from wire import Graph

ROWS = 5  # rows of the inputs of every model
random = np.random.default_rng(7)


def weights(*shape):
    """Returns random weights whose standard deviation is 1 / sqrt(last dimension)."""
    return (random.standard_normal(shape) / math.sqrt(shape[-1])).astype(np.float32)


def linear(g, x, rows, cols, bias=True):
    """Adds a product that turns `cols` elements into `rows` elements."""
    x = g.node("MatMul", x, g.const(weights(cols, rows)))
    return g.node("Add", x, g.const(weights(rows))) if bias else x


def layer_norm(g, x, n, square="Pow", inverse=False):
    """Adds a layer norm of n elements that is written out in simpler operators, in one of several forms."""
    d = g.node("Sub", x, g.node("ReduceMean", x, axes=[-1]))
    p = g.node("Pow", d, 2.0) if square == "Pow" else g.node("Mul", d, d)
    s = g.node("Sqrt", g.node("Add", g.node("ReduceMean", p, axes=[-1]), 1e-5))
    y = g.node("Mul", d, g.node("Reciprocal", s)) if inverse else g.node("Div", d, s)
    return g.node("Add", g.node("Mul", y, g.const(weights(n))), g.const(weights(n)))


def gelu_erf(g, x):
    e = g.node("Erf", g.node("Div", x, math.sqrt(2)))
    return g.node("Mul", g.node("Mul", x, g.node("Add", e, 1.0)), 0.5)


def gelu_tanh(g, x):
    cube = g.node("Mul", x, g.node("Mul", x, x))
    inner = g.node("Mul", g.node("Add", x, g.node("Mul", cube, 0.044715)), math.sqrt(2 / math.pi))
    return g.node("Mul", g.node("Mul", x, 0.5), g.node("Add", g.node("Tanh", inner), 1.0))


def silu(g, x):
    return g.node("Mul", x, g.node("Sigmoid", x))


# ---- models ----


def mlp(g):
    """A perceptron, with a factor for the product and one for the bias of the last layer."""
    x = g.input("x", ["N", 24])
    h = g.node("Relu", g.node("Gemm", x, g.const(weights(40, 24), "fc1.weight"), g.const(weights(40), "fc1.bias"), transB=1))
    h = g.node("Relu", g.node("Gemm", h, g.const(weights(32, 40), "fc2.weight"), g.const(weights(32), "fc2.bias"), transB=1))
    g.output(g.node("Gemm", h, g.const(weights(32, 10)), g.const(weights(1, 10)), alpha=0.5, beta=2.0, out="y"))


def images(g):
    """Layout operators before a product, which the import folds into its weights."""
    x = g.input("x", ["N", 3, 4, 5])
    t = g.node("Transpose", x, perm=[0, 2, 3, 1])
    h = linear(g, g.node("Flatten", t), 16, 60)
    g.output(g.node("Clip", h, g.const(np.float32(0)), g.const(np.float32(1)), out="y"))


def residual(g):
    """A residual connection, with layer norms and a GELU that are written out."""
    x = g.input("x", ["N", 48])
    h = g.node("Add", x, linear(g, gelu_tanh(g, linear(g, layer_norm(g, x, 48), 64, 48)), 48, 64))
    g.output(layer_norm(g, h, 48, "Mul", True))


def blocks(g):
    """Six equal blocks, with tensor names as exporters write them."""
    h = g.input("x", ["batch", 16])
    for layer in range(6):
        name = f"encoder.layer.{layer}"
        n = g.node("LayerNormalization", h, g.const(weights(16), name + ".norm.weight"), g.const(weights(16), name + ".norm.bias"))
        up = g.node("Gemm", n, g.const(weights(24, 16), name + ".up.weight"), g.const(weights(24), name + ".up.bias"), transB=1)
        down = g.node("MatMul", silu(g, up), g.const(weights(24, 16), name + ".down.weight"))
        h = g.node("Add", h, down, out=f"/encoder/layer.{layer}/Add_output_0")
    g.output(linear(g, h, 8, 16))


def batch_norms(g):
    """Batch norms after a product and before one."""
    x = g.input("x", ["N", 20])
    p = [g.const(np.abs(weights(20)) + 0.5) for _ in range(4)]
    h = g.node("BatchNormalization", linear(g, x, 20, 20), *p)
    q = [g.const(np.abs(weights(20)) + 0.5) for _ in range(4)]
    h = g.node("BatchNormalization", g.node("Relu", h), *q, epsilon=1e-3)
    g.output(linear(g, h, 6, 20))


def functions(g):
    """Elementwise operators. Most become one operation each; Pow with exponent 3 becomes products."""
    x = g.input("x", ["N", 16])
    y = [g.node("LeakyRelu", x, alpha=0.2), g.node("HardSigmoid", x), g.node("HardSwish", x), g.node("Tanh", x)]
    y += [g.node("PRelu", x, g.const(np.float32([0.25]))), g.node("Abs", x), g.node("Neg", g.node("Sigmoid", x))]
    h = y[0]
    for v in y[1:]:
        h = g.node("Add", h, v)
    h = g.node("Sub", h, g.node("Mul", x, 0.3))
    h = g.node("Max", h, g.const(np.float32(-1.5)))
    g.output(g.node("Pow", h, 3.0))


def rms(g):
    """RMS norms, written out and as an operator, and the mean over an axis."""
    x = g.input("x", ["N", 6, 32])
    s = g.node("Sqrt", g.node("Add", g.node("ReduceMean", g.node("Pow", x, 2.0), axes=[-1]), 1e-6))
    h = g.node("Mul", g.node("Mul", x, g.node("Reciprocal", s)), g.const(weights(32)))
    h = linear(g, g.node("RMSNormalization", h, g.const(weights(32))), 12, 32, bias=False)
    mean = g.node("ReduceMean", h, axes=[2], keepdims=0)
    g.output(linear(g, mean, 4, 6))


def mixer(g):
    """Operators that mix axis 1: products between two transposes, and a product with a constant on the left."""
    x = g.input("x", [1, 8, 24])
    t = g.node("Transpose", layer_norm(g, x, 24), perm=[0, 2, 1])
    h = g.node("Transpose", linear(g, gelu_tanh(g, linear(g, t, 16, 8)), 8, 16), perm=[0, 2, 1])
    h = g.node("Add", x, h)
    g.output(g.node("MatMul", g.const(weights(4, 8)), h))


def moved(g):
    """Transpositions of four axes."""
    x = g.input("x", ["N", 2, 3, 4, 5])
    y = g.node("Transpose", x, perm=[0, 3, 1, 4, 2])
    g.output(g.node("Relu", y), g.node("Transpose", y, perm=[0, 4, 3, 2, 1]))


def shapes(g):
    """Shape computations as exporters write them."""
    x = g.input("x", ["N", 4, 6])
    n = g.node("Gather", g.node("Shape", x), g.const(np.int64(0)), axis=0)
    target = g.node("Concat", g.node("Unsqueeze", n, g.const(np.int64([0]))), g.const(np.int64([24])), axis=0)
    h = g.node("Reshape", x, target)
    ones = g.node("ConstantOfShape", g.const(np.int64([24])), value=np.float32([2.0]))
    w = g.node("DequantizeLinear", g.const(random.integers(-127, 127, (24, 24)).astype(np.int8)), g.const(np.float32(0.004)))
    g.output(g.node("Add", g.node("MatMul", h, w), g.node("Identity", ones)))


def parts(g):
    """One product for queries, keys and values, cut along its result."""
    x = g.input("x", ["N", 16])
    h = linear(g, x, 48, 16)
    q, k, v = g.node("Split", h, g.const(np.int64([16, 16, 16])), outs=3, axis=1)
    half = g.node("Slice", h, g.const(np.int64([8])), g.const(np.int64([2**63 - 1])), g.const(np.int64([1])), g.const(np.int64([2])))
    g.output(g.node("Add", g.node("Mul", q, k), v), half)


def rows(g):
    """A fixed axis 0 that counts rows."""
    x = g.input("x", [ROWS, 12])
    g.output(g.node("Relu", linear(g, x, 12, 12)))


def two_inputs(g):
    """Two inputs of different shapes, and two outputs."""
    a, b = g.input("left", ["N", 16]), g.input("right", ["N", 2, 8])
    h = g.node("Add", linear(g, a, 16, 16), g.node("Reshape", b, g.const(np.int64([-1, 16]))))
    g.output(h, g.node("Mul", h, a))


def channels(g):
    """A norm for each channel, and the mean of each channel."""
    x = g.input("x", ["N", 6, 10])
    h = g.node("InstanceNormalization", x, g.const(np.full(6, 1.5, np.float32)), g.const(np.full(6, 0.25, np.float32)))
    g.output(linear(g, g.node("Squeeze", g.node("GlobalAveragePool", h), g.const(np.int64([2]))), 4, 6))


def constants(g):
    """Constants that belong to no product: one for all rows, one per place, one per channel."""
    x = g.input("x", [1, 6, 10])
    h = g.node("Mul", g.node("Sub", x, g.const(weights(10))), g.const(weights(6, 10)))
    h = g.node("BatchNormalization", h, *[g.const(np.abs(weights(6)) + 0.5) for _ in range(4)])
    g.output(h, g.node("ReduceMean", h, axes=[1], keepdims=0))


def picture(g):
    """A small convolutional network: needs the operation `conv`."""
    x = g.input("x", ["N", 3, 9, 8])
    h = g.node("Conv", x, g.const(weights(8, 3, 3, 3)), g.const(weights(8)), pads=[1, 1, 1, 1], strides=[2, 1])
    h = g.node("BatchNormalization", h, *[g.const(np.abs(weights(8)) + 0.5) for _ in range(4)])
    h = g.node("Relu", h)
    d = g.node("Conv", h, g.const(weights(8, 1, 3, 3)), auto_pad="SAME_UPPER", group=8)
    h = g.node("Add", h, g.node("Relu", d))
    h = g.node("Conv", h, g.const(weights(12, 8, 1, 1)), g.const(weights(12)))
    h = g.node("DepthToSpace", h, blocksize=2, mode="CRD")
    h = g.node("Clip", g.node("AveragePool", h, kernel_shape=[2, 2], strides=[2, 2]), g.const(np.float32(-1)),
               g.const(np.float32(1)))
    g.output(h, linear(g, g.node("Flatten", h), 4, 3 * 5 * 8))


def squeezed_channels(g):
    """Factors for every channel that come from a convolution, as squeeze-and-excitation has them."""
    x = g.input("x", ["N", 4, 5, 6])
    h = g.node("Conv", x, g.const(weights(8, 4, 1, 1)), g.const(weights(8)))
    s = g.node("Conv", g.node("GlobalAveragePool", h), g.const(weights(8, 8, 1, 1)), g.const(weights(8)))
    g.output(g.node("Mul", h, g.node("HardSigmoid", s)))


def signals(g):
    """A convolution along one axis of several signals, then a maximum. An RNN takes the results as one sequence."""
    x = g.input("x", [1, 5, 3, 12])
    h = g.node("Conv", g.node("Squeeze", x, g.const(np.int64([0]))), g.const(weights(4, 3, 3)), g.const(weights(4)), pads=[1, 0],
               strides=[2])
    h = g.node("ReduceMax", g.node("Relu", h), axes=[2], keepdims=0)
    g.output(g.node("RNN", g.node("Unsqueeze", h, g.const(np.int64([1]))), g.const(weights(1, 6, 4)), g.const(weights(1, 6, 6)),
                    hidden_size=6))


def pools(g):
    """Pooling, factors for every channel, softmax along axes."""
    x = g.input("x", ["N", 8, 6, 7])
    h = g.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    h = g.node("Add", h, g.node("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))
    h = g.node("Mul", h, g.node("Sigmoid", g.node("GlobalAveragePool", h)))
    h = g.node("Sub", h, g.node("ReduceMin", h, axes=[2, 3]))
    g.output(g.node("Softmax", h, axis=1), g.node("ReduceL2", h, axes=[1], keepdims=0),
             g.node("LogSoftmax", g.node("Flatten", h)))


def pieces(g):
    """Parts of an input, padding, repetition."""
    x = g.input("x", ["N", 4, 6])
    a, b = g.node("Split", x, g.const(np.int64([2, 2])), axis=1, outs=2)
    h = g.node("Concat", b, a, g.node("Slice", x, g.const(np.int64([1])), g.const(np.int64([4])), g.const(np.int64([1])),
                                      g.const(np.int64([2]))), axis=1)
    h = g.node("Mul", h, g.node("Gather", x, g.const(np.int64([3])), axis=1))
    h = g.node("Pad", h, g.const(np.int64([0, 1, 2, 0, 0, 1])), mode="reflect")
    g.output(g.node("Pad", h, g.const(np.int64([0, 1, 0, 0, 2, 1]))), g.node("Tile", h, g.const(np.int64([1, 2, 1]))))


def part(g):
    """A graph whose middle can be imported, but not the sines before and after it."""
    x = g.input("x", ["N", 16])
    h = g.node("Sin", x, out="wave")
    h = g.node("Relu", linear(g, h, 24, 16))
    h = g.node("Add", linear(g, h, 16, 24), "wave", out="middle")
    g.output(g.node("Sin", h))


def encoder(g):
    """Two layers of an encoder, as PyTorch exports BERT: heads by Reshape and Transpose, a mask, full attention."""
    rows, width, heads = 6, 16, 2
    h = g.input("x", ["N", rows, width])
    shape = g.const(np.int64([0, rows, heads, width // heads]))
    back = g.const(np.int64([0, rows, width]))
    mask = g.const(np.float32([0, 0, 0, 0, 0, -np.inf]).reshape(1, 1, 1, rows))
    for _ in range(2):
        q, k, v = (g.node("Reshape", linear(g, h, width, width), shape) for _ in range(3))
        q, v = (g.node("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
        scores = g.node("Div", g.node("MatMul", q, g.node("Transpose", k, perm=[0, 2, 3, 1])), math.sqrt(width // heads))
        p = g.node("Softmax", g.node("Add", scores, mask), axis=-1)
        y = g.node("Transpose", g.node("MatMul", p, v), perm=[0, 2, 1, 3])
        h = layer_norm(g, g.node("Add", linear(g, g.node("Reshape", y, back), width, width), h), width)
        h = layer_norm(g, g.node("Add", linear(g, gelu_erf(g, linear(g, h, 32, width)), width, 32), h), width)
    g.output(h)


def contractions(g):
    """Batched MatMuls: of two tensors, with axis 1 broadcast, and of a tensor and a constant of three axes."""
    x, z = g.input("x", ["N", 3, 4, 8]), g.input("z", ["N", 1, 5, 8])
    y = g.node("MatMul", x, g.node("Transpose", z, perm=[0, 1, 3, 2]))
    g.output(y, g.node("MatMul", y, g.node("Tanh", z)))
    g.output(g.node("MatMul", x, g.const(weights(3, 8, 2))))


def matrices(g):
    """A Gemm of two inputs, and products of a matrix and a vector."""
    x, z = (g.node("Squeeze", g.input(name, [1, 5, 6]), g.const(np.int64([0]))) for name in "xz")
    square = g.node("Gemm", x, z, g.const(weights(6)), transA=1, alpha=0.5, beta=2.0)
    vector = g.node("ReduceSum", x, g.const(np.int64([0])), keepdims=0)
    g.output(g.node("Add", g.node("MatMul", vector, square), g.node("MatMul", square, vector)))


def rotated(g):
    """The operator Attention with fewer key heads than query heads, a mask, a soft cap, and rotary embedding."""
    q, k = g.input("q", ["N", 4, 32]), g.input("k", ["N", 6, 16])
    angle = np.outer(np.arange(6), [1, 0.1]).astype(np.float32)
    turn = [g.const(f(angle[:n])[None]) for n in (4, 6) for f in (np.cos, np.sin)]
    at = [g.node("RotaryEmbedding", q, *turn[:2], num_heads=4, rotary_embedding_dim=4),
          g.node("RotaryEmbedding", k, *turn[2:], num_heads=2, rotary_embedding_dim=4, interleaved=1)]
    mask = g.const(np.arange(24).reshape(4, 6) % 5 != 1)
    g.output(g.node("Attention", *at, k, mask, q_num_heads=4, kv_num_heads=2, is_causal=1, softcap=2.0))


def composed(g):
    """Operators that the import writes as several operations."""
    x = g.input("x", ["N", 6, 4, 4])
    t = [g.node("Elu", x, alpha=0.5), g.node("Selu", x), g.node("Celu", x, alpha=2.0), g.node("Softsign", x),
         g.node("LpNormalization", x, axis=1, p=2), g.node("LpNormalization", x, axis=3, p=1),
         g.node("LRN", x, size=3, alpha=0.1, bias=1.5),
         g.node("GroupNormalization", x, g.const(weights(6)), g.const(weights(6)), num_groups=3),
         g.node("PRelu", x, g.const(weights(6, 1, 1))), g.node("Swish", x, alpha=0.5),
         g.node("Mul", x, g.node("Swish", g.const(weights(6, 1, 1)), alpha=3.0))]
    h = t[0]
    for v in t[1:]:
        h = g.node("Add", h, v)
    g.output(g.node("Resize", h, "", g.const(np.float32([1, 1, 1.5, 2])), mode="nearest"))
    g.output(g.node("CenterCropPad", h, g.const(np.int64([3, 7])), axes=[1, 2]))


def decided(g):
    """Comparisons, logic, choices, thresholds, rounding, powers."""
    x, z = g.input("x", ["N", 4, 6]), g.input("z", ["N", 4, 1])
    whole = g.node("Floor", g.node("Mul", x, 2.0))
    a = g.node("Or", g.node("And", g.node("Less", x, z), g.node("GreaterOrEqual", z, 0.0)), g.node("Equal", whole, 1.0))
    b = g.node("Xor", g.node("LessOrEqual", x, 0.5), g.node("Not", g.node("Greater", g.node("Round", z), 0.0)))
    mask = g.const(np.arange(6) % 2 == 0)
    h = g.node("Where", a, x, g.node("Where", mask, z, -3.0))
    h = g.node("Add", h, g.node("ThresholdedRelu", x, alpha=0.5))
    h = g.node("Add", h, g.node("Mul", g.node("Shrink", x, lambd=0.4, bias=0.1), g.node("Sign", z)))
    p = g.node("Add", g.node("Pow", x, 5.0), g.node("Pow", g.node("Abs", x), 1.7))
    g.output(g.node("Add", h, g.node("Cast", b, to=1)), b, p)
    g.output(g.node("Pow", g.node("Softplus", x), z), g.node("Ceil", g.node("Mul", x, 3.0)))


def searched(g):
    """Indices and values of the largest and smallest elements."""
    x = g.input("x", ["N", 5, 7])
    h = g.node("Clip", x, -0.5, 0.5)  # the bounds occur more than once
    g.output(g.node("ArgMax", h, axis=1), g.node("ArgMax", h, axis=2, keepdims=0, select_last_index=1))
    values, places = g.node("TopK", x, g.const(np.int64([3])), outs=2, axis=1)
    low, _ = g.node("TopK", x, g.const(np.int64([2])), outs=2, axis=-1, largest=0)
    g.output(g.node("ArgMin", x, axis=1), values, places, low, g.node("Hardmax", h, axis=1))


def recurrent(g):
    """Recurrent operators in all directions, with initial states."""
    x = g.input("x", [1, 4, 6])
    t = g.node("Transpose", x, perm=[1, 0, 2])
    none = ""
    y, h, c = g.node("LSTM", t, g.const(weights(2, 20, 6)), g.const(weights(2, 20, 5)), g.const(weights(2, 40)), none,
                     g.const(weights(2, 1, 5)), g.const(weights(2, 1, 5)), g.const(weights(2, 15)), outs=3,
                     direction="bidirectional", hidden_size=5)
    g.output(y, h, c)
    first, _ = g.node("GRU", x, g.const(weights(1, 15, 6)), g.const(weights(1, 15, 5)), g.const(weights(1, 30)), outs=2,
                      hidden_size=5, linear_before_reset=1, layout=1)
    g.output(first, g.node("GRU", t, g.const(weights(1, 15, 6)), g.const(weights(1, 15, 5)), hidden_size=5,
                           direction="reverse", activations=["Sigmoid", "Relu"]))
    z = g.node("Reshape", x, g.const(np.int64([4, 2, 3])))  # a batch of 2
    g.output(g.node("RNN", z, g.const(weights(1, 5, 3)), g.const(weights(1, 5, 5)), g.const(weights(1, 10)), hidden_size=5))


def quantized(g):
    """Quantized files: values that are quantized and converted back, and Quant nodes of QONNX."""
    x = g.input("x", ["N", 3, 8])
    one = (g.const(np.float32(0.03)), g.const(np.uint8(128)))
    h = g.node("DequantizeLinear", g.node("QuantizeLinear", x, *one), *one)
    each = (g.const(np.float32([0.017, 0.041, 0.053])), g.const(np.int8([0, 3, -4])))
    g.output(g.node("QuantizeLinear", h, *each, axis=1), *g.node("DynamicQuantizeLinear", h, outs=3))
    more = {"domain": "qonnx.custom_op.general", "narrow": 1, "rounding_mode": "ROUND"}
    w = g.node("Quant", g.const(weights(8, 6)), 0.01, 0.0, 6.0, signed=1, **more)
    g.output(g.node("Quant", g.node("MatMul", h, w), 0.05, 1.0, 4.0, signed=0, **more))


def converted(g, integers, scale):
    """Adds constant integers that are converted back, with one scale or one for each index of their first axis."""
    return g.node("DequantizeLinear", g.const(integers), g.const(scale), g.const(np.zeros(scale.shape, integers.dtype)), axis=0)


def whole_product(g, op, x, scale, shape, each, **attributes):
    """Adds a product of integers that are converted back. each: one scale for each output channel instead of one."""
    w = weights(*shape) * np.linspace(1, 0.4, shape[0]).reshape([-1] + [1] * (len(shape) - 1))
    most = np.abs(w).reshape(shape[0], -1).max(1)
    s = ((most if each else most.max()) / 127).astype(np.float32)
    q = np.rint(w / (s.reshape([-1] + [1] * (len(shape) - 1)) if each else s)).astype(np.int8)
    sums = s * np.float32(scale)
    bias = converted(g, np.rint(weights(shape[0]) / sums).astype(np.int32), sums)
    return g.node(op, x, converted(g, q, s), bias, **attributes)


def steps(g):
    """A quantized file whose results are integers: zero points before padding, results with several readers, one scale
    for each output channel and for a whole tensor. (The script steps.py compares the exact results.)"""
    def quantize(x, scale, zero):
        return g.node("QuantizeLinear", x, g.const(np.float32(scale)), g.const(zero))

    def back(q, scale, zero):
        return g.node("DequantizeLinear", q, g.const(np.float32(scale)), g.const(zero))

    same = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    first, second, third = (6 / 255, np.uint8(110)), (5 / 255, np.uint8(120)), (3 / 127, np.int8(0))
    h = back(quantize(g.input("x", ["N", 3, 12, 12]), *first), *first)
    q = quantize(whole_product(g, "Conv", h, first[0], (8, 3, 3, 3), True, **same), *second)
    g.output(q)
    h = back(q, *second)
    h = g.node("Add", g.node("Relu", whole_product(g, "Conv", h, second[0], (8, 8, 3, 3), False, **same)), h)
    h = back(quantize(h, *third), *third)
    h = whole_product(g, "Gemm", g.node("Flatten", h), third[0], (10, 1152), False, transB=1)
    g.output(quantize(h, 2 / 127, np.int8(-7)))


def taken(g):
    """Elements in another order, interpolation, constants as parts."""
    x = g.input("x", ["N", 3, 40])
    last, first, steps = (g.const(np.int64([v])) for v in (-1, -100, -1))
    h = g.node("Slice", x, last, first, g.const(np.int64([2])), steps)
    h = g.node("Concat", h, g.const(weights(1, 2, 40)), axis=1)
    h = g.node("Compress", h, g.const(np.array([1, 0, 1, 1, 1], bool)), axis=1)
    h = g.node("MeanVarianceNormalization", h, axes=[0, 2])
    g.output(g.node("Pad", h, g.const(np.int64([35, -2])), "", g.const(np.int64([2])), mode="reflect"))
    g.output(g.node("Resize", h, "", g.const(np.float32([1, 1.5, 0.75])), mode="linear"))


def spread(g):
    """Transposed convolutions: blocks with and without overlap, cut ends, groups, dilation."""
    x = g.input("x", ["N", 4, 5, 6])
    h = g.node("ConvTranspose", x, g.const(weights(4, 3, 2, 2)), g.const(weights(3)), strides=[2, 2], pads=[0, 0, 0, 0])
    g.output(g.node("Relu", h))
    g.output(g.node("ConvTranspose", x, g.const(weights(4, 2, 3, 4)), g.const(weights(4)), strides=[2, 3], pads=[1, 2, 0, 1], group=2,
                    output_padding=[1, 0]))
    g.output(g.node("ConvTranspose", x, g.const(weights(4, 1, 3, 2)), g.const(weights(1)), strides=[1, 2], pads=[3, 0, 1, 0],
                    dilations=[2, 3]))


def chosen(g):
    """An If whose condition depends on shapes and on an input that the import makes a constant, with another If in it."""
    x, rate = g.input("x", ["N", 8]), g.input("rate", [], kind=7)
    inner = {}
    for name, function in (("then_branch", "Tanh"), ("else_branch", "Sigmoid")):
        inner[name] = Graph()
        inner[name].output(inner[name].node(function, x, out=f"{function}_of_x"))
    body, other = Graph(), Graph()
    last = body.node("Gather", body.node("Shape", x, out="size"), body.const(np.int64(1), "one"), out="width")
    is_eight = body.node("Equal", last, body.const(np.int64(8), "eight"), out="is_eight")
    body.output(body.node("Add", body.node("If", is_eight, out="inside", **inner), body.const(weights(8), "bias"), out="sum"))
    other.output(other.node("Neg", x, out="sum_of_other"))
    g.output(g.node("If", g.node("Equal", rate, g.const(np.int64(16000))), then_branch=body, else_branch=other))


def signs(g):
    """Products with constants that begin with -1: a single -1 turns all signs, and in a vector it turns one."""
    x = g.input("x", ["N", 16])
    w = weights(16)
    w[0] = -1
    g.output(g.node("Mul", x, g.const(w)))
    g.output(g.node("Mul", x, g.const(np.float32(-1))))
    g.output(g.node("Add", g.node("Mul", x, g.const(np.float32(-1))), g.const(w)))


# name: model, form of the constants. raw, typed and bfloat16 are forms of tensor() in wire.py. half and double are raw
# constants of these types. outside: the constants are in another file.
MODELS = {
    "mlp": (mlp, "raw"), "typed": (mlp, "typed"), "half": (mlp, "half"), "bfloat": (mlp, "bfloat16"),
    "double": (mlp, "double"), "outside": (mlp, "outside"), "images": (images, "raw"), "residual": (residual, "raw"),
    "blocks": (blocks, "raw"), "batch_norms": (batch_norms, "raw"), "functions": (functions, "raw"), "rms": (rms, "raw"),
    "mixer": (mixer, "raw"), "moved": (moved, "raw"), "shapes": (shapes, "raw"), "parts": (parts, "raw"),
    "rows": (rows, "raw"), "two_inputs": (two_inputs, "raw"), "channels": (channels, "raw"), "constants": (constants, "raw"), "picture": (picture, "raw"),
    "encoder": (encoder, "raw"), "contractions": (contractions, "raw"), "matrices": (matrices, "raw"),
    "rotated": (rotated, "raw"), "composed": (composed, "raw"),
    "decided": (decided, "raw"), "searched": (searched, "raw"), "recurrent": (recurrent, "raw"),
    "quantized": (quantized, "raw"), "steps": (steps, "raw"), "squeezed": (squeezed_channels, "raw"), "signals": (signals, "raw"), "taken": (taken, "raw"),
    "spread": (spread, "raw"), "chosen": (chosen, "raw"), "signs": (signs, "raw"),
    "pools": (pools, "raw"), "pieces": (pieces, "raw"), "part": (part, "raw"),
}


def build(name):
    make, form = MODELS[name]
    g = Graph(opset=23 if name in ("rms", "rotated", "composed", "recurrent", "taken", "searched") else 17, form="raw")
    make(g)
    if form == "half":
        g.constants = {k: v.astype(np.float16) for k, v in g.constants.items()}
    if form == "double":
        g.constants = {k: v.astype(np.float64) for k, v in g.constants.items()}
    if form == "bfloat16":
        cut = {k: (v.view(np.uint32) & 0xFFFF0000).view(np.float32) for k, v in g.constants.items()}
        g.constants = cut
    g.form = form if form in ("typed", "bfloat16") else "raw"
    return g


def put_outside(g, folder):
    """Moves all constants to a file next to the model."""
    # 7 bytes are between the constants, so that most of them begin at unaligned offsets.
    blob = b""
    for key, value in g.constants.items():
        g.outside[key] = ("outside.bin", len(blob), value.nbytes)
        blob += value.tobytes() + b"\0" * 7
    (folder / "outside.bin").write_bytes(blob)


def squeezed(shape):
    """Returns the shape that the import gives a row: without axes of 1, and with at most 3 axes."""
    shape = [d for d in shape if d != 1] or [1]
    return [int(np.prod(shape[:-2]))] + shape[-2:] if len(shape) > 3 else shape


def write(name, folder):
    g = build(name)
    if MODELS[name][1] == "outside":
        put_outside(g, folder)
    (folder / f"{name}.onnx").write_bytes(g.bytes())
    if name == "part":  # the input and output of the imported part
        g.inputs, g.outputs = [("wave", ["N", 16], 1)], ["middle"]
        g.nodes = g.nodes[1:-1]
    fixed = g.inputs[0][1][0] == ROWS
    given = {"rate": np.int64(16000)} if name == "chosen" else {}
    feeds = {n: random.standard_normal([ROWS] + list(s[1:])).astype(np.float32) for n, s, _ in g.inputs if n not in given}
    if fixed:
        outs = g.run(feeds)
    else:  # row by row, as the design computes them
        each = [g.run({n: v[k:k + 1] for n, v in feeds.items()} | given) for k in range(ROWS)]
        outs = [np.concatenate([e[i][None] for e in each]) for i in range(len(each[0]))]
    rows = {n: v.reshape([ROWS] + squeezed(v.shape[1:])) for n, v in feeds.items()}
    write_safetensors(folder / f"{name}.in.safetensors", rows)
    write_safetensors(folder / f"{name}.want.safetensors", {str(k): o.reshape(ROWS, -1) for k, o in enumerate(outs)})


def main():
    folder = Path(__file__).parent / "models"
    folder.mkdir(exist_ok=True)
    for name in sys.argv[1:] or MODELS:
        # Each model begins with the same state, so its file does not depend on which other models are made.
        random.bit_generator.state = np.random.default_rng(7).bit_generator.state
        write(name, folder)


if __name__ == "__main__":
    main()
