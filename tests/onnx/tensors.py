# SPDX-License-Identifier: Apache-2.0
"""Functions for the scripts of this folder. They write and read safetensors files of fp32 tensors, and read the shapes
that `rill import` prints. numpy is imported when a function is called, because tests/onnx/real.py installs it first."""
import json
import struct


def write_safetensors(path, arrays):
    """Writes arrays, by their names, as fp32 tensors. path: a pathlib.Path."""
    import numpy as np
    header, blob = {}, b""
    for key, value in arrays.items():
        raw = np.ascontiguousarray(value, "<f4").tobytes()
        header[key] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(blob), len(blob) + len(raw)]}
        blob += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + blob)


def read_safetensors(path):
    """Returns the tensors in the order of their data, each as an array with one dimension."""
    import numpy as np
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    parts = sorted(h["data_offsets"] for k, h in header.items() if k != "__metadata__")
    return [np.frombuffer(raw[8 + size + a:8 + size + b], "<f4") for a, b in parts]


def shapes(table, kind):
    """Returns the shapes by name from the lines of the printed table that begin with `kind`, input or output."""
    return {line.split()[1]: json.loads(line[line.index("["):line.index("]") + 1])
            for line in table.splitlines() if line.startswith(kind + " ")}
