# SPDX-License-Identifier: Apache-2.0
"""Measures quantized files: how many elements of the exact results differ from the floating-point results, in steps of
the output's scale. Prints one row of a table for each network and format of the activations.

qdq.py [--folded] [--coarse] [NAME...]
    --folded  moves the scale of each operand of a product into the weights, as an import could do: the product then
              reads the integers of the file
    --coarse  gives each weight tensor one scale instead of one for each output channel

The networks have random weights (seeded). Both operands of each product are int8 (or uint8) numbers with scales. In the
files, QuantizeLinear and DequantizeLinear stand before each product, and QuantizeLinear is the last node. So the results
are integers, and a difference of 1 is one step. `rill golden --float` computes Q and DQ as the file has them, and
`rill golden` computes the bits of the hardware. Needs numpy.
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
            shown = np.float32(1) if self.o.folded else self.scale
            self.at = g.node("DequantizeLinear", self.at, g.const(shown), g.const(zero))
        return self

    def weights(self, *shape):
        """Returns int8 weights that are converted back, and the scales of the sums."""
        w = self.random.standard_normal(shape) / math.sqrt(np.prod(shape[1:]))
        most = np.abs(w).reshape(shape[0], -1).max(1)
        scale = (np.full_like(most, most.max()) if self.o.coarse else most).astype(np.float32) / np.float32(127)
        q = np.clip(np.rint(w / scale.reshape([-1] + [1] * (len(shape) - 1))), -127, 127).astype(np.int8)
        sums = scale * self.scale
        return self.convert(q, sums if self.o.folded else scale), sums

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

    def flatten(self):
        self.at = self.g.node("Flatten", self.at)
        return self


# The networks. The scales are those of a calibration: the largest values are about 4 (or 3) standard deviations.
NETS = {
    "gemm": lambda n: n.start(64).gemm(32, 64).quantize(4 / 127, last=True),
    "gemm-uint8": lambda n: n.start(64, scale=6 / 255, zero=np.uint8(110)).gemm(32, 64).quantize(6 / 255, np.uint8(120), True),
    "gemm-relu": lambda n: n.start(64).gemm(32, 64).relu().quantize(4 / 255, UINT8, True),
    "conv": lambda n: n.start(3, 12, 12).conv(8, 3).quantize(4 / 127, last=True),
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


def measure(name, options, folder):
    """Imports a network and prints its rows of the table."""
    net = Net(options)
    NETS[name](net)
    (folder / "net.onnx").write_bytes(net.g.bytes())
    write_safetensors(folder / "in.safetensors", {"x": net.random.standard_normal([ROWS, *net.shape]).astype(np.float32)})
    rill("import", folder / "net.onnx", "-o", folder)
    text = (folder / "net.yaml").read_text()
    want = results(folder, folder / "net.yaml", "--float")
    for activations in ("int10", "int8"):
        (folder / "other.yaml").write_text(text.replace("activations: int10", f"activations: {activations}"))
        off = np.rint(np.abs(results(folder, folder / "other.yaml") - want))
        print(f"| {name} | {activations} | {want.size:,} | {100 * np.mean(off == 1):.3f} % | {100 * np.mean(off > 1):.3f} % |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folded", action="store_true")
    parser.add_argument("--coarse", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    print("| network | activations | elements | off by one step | off by more |\n|---|---|---:|---:|---:|")
    for name in options.names or NETS:
        with tempfile.TemporaryDirectory() as folder:
            measure(name, options, Path(folder))


if __name__ == "__main__":
    main()
