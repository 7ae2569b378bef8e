# SPDX-License-Identifier: Apache-2.0
"""Reads safetensors files of fp32 tensors without any package."""
import array
import json
import struct


def read(path):
    """Returns the tensors in the order of their data, each as an array with one dimension."""
    raw = open(path, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    tensors = sorted(h["data_offsets"] for name, h in header.items() if name != "__metadata__")
    return [array.array("f", raw[8 + size + begin:8 + size + end]) for begin, end in tensors]
