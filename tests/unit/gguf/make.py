#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes all_types.gguf, with random blocks of every format, and all_types.f32, with the values that the `gguf` package
# reads from them. Run it by hand in a virtual environment with `pip install gguf`. test_gguf.c compares the compiler's
# reader with both files, which are in the tree.
import pathlib

import gguf
import numpy as np

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(7)
T = gguf.GGMLQuantizationType
types = [T.F32, T.F16, T.BF16, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.Q4_K, T.Q5_K, T.Q6_K]
# The byte offsets of the fp16 numbers in a block of each format. These numbers are made finite; some are subnormal.
halves = {T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q4_K: [0, 2], T.Q5_K: [0, 2],
          T.Q6_K: [208], T.F16: [0]}


def finite_halves(count):
    """Returns random fp16 numbers as bits. Numbers that would be infinite or NaN become subnormal or 0."""
    bits = rng.integers(0, 1 << 16, count, dtype=np.uint16)
    bits[(bits >> 10 & 31) == 31] &= 0x83FF
    return bits


def blocks_of(kind, count):
    """Returns `count` random blocks of a format as bytes, and the number of weights in a block."""
    weights, size = gguf.GGML_QUANT_SIZES[kind]
    raw = rng.integers(0, 256, (count, size), dtype=np.uint8)
    if kind == T.F32:
        raw = rng.standard_normal(count).astype(np.float32).view(np.uint8).reshape(count, 4)
    if kind == T.BF16:
        raw = (rng.standard_normal(count).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        raw = raw.view(np.uint8).reshape(count, 2)
    for at in halves.get(kind, []):
        raw[:, at : at + 2] = finite_halves(count).view(np.uint8).reshape(count, 2)
    return raw, weights


writer = gguf.GGUFWriter(here / "all_types.gguf", "llama")
writer.add_uint32("llama.block_count", 3)
writer.add_float32("llama.attention.layer_norm_rms_epsilon", 1e-5)
writer.add_int32("test.negative", -7)
writer.add_uint64("test.wide", 1 << 62)
writer.add_float64("test.double", -0.1)
writer.add_bool("test.truth", True)
writer.add_array("test.integers", [1, -2, 3])
writer.add_array("tokenizer.ggml.tokens", ["<s>", "", "\u2581a", "nul\0in"])
writer.add_array("tokenizer.ggml.scores", [0.0, -1.5, 2.25, 1e30])
expected = b""
for kind in types:
    weights, _ = gguf.GGML_QUANT_SIZES[kind]
    rows, per_row = 2, 2 if weights > 1 else 48
    raw, weights = blocks_of(kind, rows * per_row)
    raw = raw.reshape(rows, -1)
    if kind == T.F32:
        writer.add_tensor(f"t.{kind.name}", raw.view(np.float32))
    elif kind == T.F16:
        writer.add_tensor(f"t.{kind.name}", raw.view(np.float16))
    else:
        writer.add_tensor(f"t.{kind.name}", raw, raw_dtype=kind)
    expected += np.ascontiguousarray(gguf.quants.dequantize(raw, kind), dtype="<f4").tobytes()
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
(here / "all_types.f32").write_bytes(expected)
