# SPDX-License-Identifier: Apache-2.0
"""Measures quantized files: how many elements of the exact results differ from the results of the file, in steps of the
output's scale. Prints one row of a table for each network and format of the activations.

qdq.py [--coarse] [--onnxruntime] [--least] [NAME...]
    --coarse       gives each weight tensor one scale instead of one for each output channel
    --onnxruntime  compares with onnxruntime instead of numpy
    --least        exits with status 1 if with int10 more than 0.1 % of the elements of a network are off by one step, or
                   any is off by more

The networks have random weights (seeded). Both operands of each product are int8 (or uint8) numbers with scales. In the
files, QuantizeLinear and DequantizeLinear stand before each product, and QuantizeLinear is the last node. So the results
are integers, and a difference of 1 is one step. numpy computes every node as the file has it, in double precision.
`rill golden` computes the bits of the hardware. Needs numpy, and onnx and onnxruntime for --onnxruntime.
"""
import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tensors import read_safetensors, write_safetensors
from wire import Graph

ROOT = Path(__file__).resolve().parents[2]
ROWS = 1024
INT8, UINT8 = np.int8(0), np.uint8(0)


class Net:
    """A quantized network that is built layer by layer. `at` is the tensor that the next layer reads, with its scale."""

    def __init__(self, options):
        self.o, self.g, self.random = options, Graph(), np.random.default_rng(11)

    def start(self, *shape, scale=4 / 127, zero=INT8):
        self.shape = shape
        self.at = self.g.input("x", ["N", *shape])
        return self.quantize(scale, zero)

    def quantize(self, scale, zero=INT8, last=False):
        """Adds QuantizeLinear, and DequantizeLinear unless it is the last layer."""
        g, self.scale = self.g, np.float32(scale)
        self.at = g.node("QuantizeLinear", self.at, g.const(self.scale), g.const(zero))
        if last:
            g.output(self.at)
        else:
            self.at = g.node("DequantizeLinear", self.at, g.const(self.scale), g.const(zero))
        return self

    def weights(self, *shape):
        """Returns int8 weights that are converted back, and the scales of the sums."""
        w = self.random.standard_normal(shape) / math.sqrt(np.prod(shape[1:]))
        most = np.abs(w).reshape(shape[0], -1).max(1)
        scale = (np.full_like(most, most.max()) if self.o.coarse else most).astype(np.float32) / np.float32(127)
        q = np.clip(np.rint(w / scale.reshape([-1] + [1] * (len(shape) - 1))), -127, 127).astype(np.int8)
        return self.convert(q, scale), scale * self.scale

    def convert(self, q, scale):
        zero = self.g.const(np.zeros(scale.shape, q.dtype))
        return self.g.node("DequantizeLinear", self.g.const(q), self.g.const(scale), zero, axis=0)

    def bias(self, scale):
        return self.convert(np.rint(self.random.standard_normal(scale.size) * 0.1 / scale).astype(np.int32), scale)

    def gemm(self, rows, cols):
        w, sums = self.weights(rows, cols)
        self.at = self.g.node("Gemm", self.at, w, self.bias(sums), transB=1)
        return self

    def conv(self, out, channels, stride=1):
        w, sums = self.weights(out, channels, 3, 3)
        self.at = self.g.node("Conv", self.at, w, self.bias(sums), kernel_shape=[3, 3], pads=[1] * 4, strides=[stride] * 2)
        return self

    def relu(self):
        self.at = self.g.node("Relu", self.at)
        return self

    def residual(self, channels, scale):
        """Adds a convolution and its operand, which both read one DequantizeLinear."""
        from_here = self.at
        self.conv(channels, channels)
        self.at = self.g.node("Add", self.at, from_here)
        return self.quantize(scale, last=True)

    def flatten(self):
        self.at = self.g.node("Flatten", self.at)
        return self


# The networks. The scales are those of a calibration: the largest values are about 4 (or 3) standard deviations.
NETS = {
    "gemm": lambda n: n.start(64).gemm(32, 64).quantize(4 / 127, last=True),
    "gemm-uint8": lambda n: n.start(64, scale=6 / 255, zero=np.uint8(110)).gemm(32, 64).quantize(6 / 255, np.uint8(120), True),
    "gemm-relu": lambda n: n.start(64).gemm(32, 64).relu().quantize(4 / 255, UINT8, True),
    "conv": lambda n: n.start(3, 12, 12).conv(8, 3).quantize(4 / 127, last=True),
    "conv-uint8": lambda n: n.start(3, 12, 12, scale=6 / 255, zero=np.uint8(110)).conv(8, 3).quantize(6 / 255, np.uint8(120), True),
    "residual": lambda n: n.start(4, 8, 8, scale=6 / 255, zero=np.uint8(110)).residual(4, 6 / 127),
    "three-gemm": lambda n: n.start(64).gemm(48, 64).relu().quantize(4 / 127).gemm(40, 48).relu().quantize(4 / 127)
                             .gemm(32, 40).quantize(4 / 127, last=True),
    "conv-conv-gemm": lambda n: n.start(2, 16, 16).conv(8, 2, 2).relu().quantize(3 / 127).conv(8, 8, 2).relu()
                                 .quantize(3 / 127).flatten().gemm(10, 128).quantize(3 / 127, last=True),
}


def rill(*arguments):
    run = subprocess.run([ROOT / "build/rill", *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr + run.stdout)


def results(folder, spec, *options):
    rill("golden", spec, "--weights", folder, *options, "--inputs", folder / "in.safetensors", "--outputs",
         folder / "got.safetensors")
    return read_safetensors(folder / "got.safetensors")[0]


def wanted(net, x, options):
    """Returns the results of the file, by numpy or by onnxruntime."""
    if not options.onnxruntime:
        return net.g.run({"x": x})[0].ravel()
    import onnx
    import onnxruntime
    model = onnx.load_from_string(net.g.bytes())
    zero = net.g.constants[net.g.nodes[-1][1][2]]  # its type is that of the result
    model.graph.output[0].type.tensor_type.elem_type = onnx.helper.np_dtype_to_tensor_dtype(zero.dtype)
    onnxruntime.set_default_logger_severity(3)
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), plain).run(None, {"x": x})[0].astype(np.float64).ravel()


def measure(name, options, folder):
    """Imports a network and prints its rows of the table. Returns whether its results with int10 are good enough."""
    net, good = Net(options), True
    NETS[name](net)
    (folder / "net.onnx").write_bytes(net.g.bytes())
    x = net.random.standard_normal([ROWS, *net.shape]).astype(np.float32)
    write_safetensors(folder / "in.safetensors", {"x": x})
    rill("import", folder / "net.onnx", "-o", folder)
    text, want = (folder / "net.yaml").read_text(), wanted(net, x, options)
    for activations in ("int10", "int8"):
        (folder / "other.yaml").write_text(text.replace("activations: int10", f"activations: {activations}"))
        off = np.abs(results(folder, folder / "other.yaml") - want)
        one, more = np.mean((off > 0) & (off < 1.5)), np.mean(off > 1.5)
        print(f"| {name} | {activations} | {want.size:,} | {100 * one:.4f} % | {100 * more:.4f} % |", flush=True)
        good &= activations == "int8" or (one <= 0.001 and more == 0)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coarse", action="store_true")
    parser.add_argument("--onnxruntime", action="store_true")
    parser.add_argument("--least", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    print("| network | activations | elements | off by one step | off by more |\n|---|---|---:|---:|---:|")
    good = True
    for name in options.names or NETS:
        with tempfile.TemporaryDirectory() as folder:
            good &= measure(name, options, Path(folder))
    raise SystemExit(options.least and not good)


if __name__ == "__main__":
    main()
