# SPDX-License-Identifier: Apache-2.0
"""Makes the weights of a graph with a fixed generator, and writes .safetensors files.

Matrices are made of integers and scales that the packer must find again without any error. In int8, each row has an
element of 127 or -127 (int16: 32767 or -32767). In int4, each group has an element of 7, -7 or -8 or consists of zeros.
In int4_asym, each group has both -8 and 7. In both int4 formats, each row has a group of scale 255. So the file holds
exactly the weights of the hardware, and the results do not depend on how the packer searches scales.
"""
import json
import struct
import zlib

import numpy as np

import exact

F32 = np.float32


def write_safetensors(path, arrays):
    header, at = {}, 0
    for name, a in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(a.shape), "data_offsets": [at, at + a.nbytes]}
        at += a.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(a.astype("<f4").tobytes() for a in arrays.values()))


def row_scales(r, rows, magnitude):
    """Returns scales of 8 significant bits, so that their products with mantissas and group scales are exact in
    fp32."""
    exponent = int(np.round(np.log2(magnitude))) - 7
    return (r.randint(128, 256, rows) * 2.0**exponent).astype(F32)


def int8_matrix(r, rows, k):
    q = np.clip(np.rint(r.normal(0, 45, (rows, k))), -127, 127).astype(np.int64)
    q[np.arange(rows), r.randint(0, k, rows)] = np.where(r.randint(0, 2, rows), 127, -127)
    return exact.Matrix(q, row_scales(r, rows, 0.02 / np.sqrt(k)), None, None)


def int16_matrix(r, rows, k):
    q = np.clip(np.rint(r.normal(0, 12000, (rows, k))), -32767, 32767).astype(np.int64)
    q[np.arange(rows), r.randint(0, k, rows)] = np.where(r.randint(0, 2, rows), 32767, -32767)
    return exact.Matrix(q, row_scales(r, rows, 1e-4 / np.sqrt(k)), None, None)


def int4_matrix(r, rows, k, group):
    groups = -(-k // group)
    q = r.randint(-7, 8, (rows, k))
    scale = r.randint(60, 256, (rows, groups))
    scale[np.arange(rows), r.randint(0, groups, rows)] = 255
    row_scale = row_scales(r, rows, 0.0015 / np.sqrt(k))
    for row in range(rows):
        for g in range(groups):
            part = slice(g * group, min(k, (g + 1) * group))
            q[row, r.randint(part.start, part.stop)] = r.choice([-7, 7])
            if scale[row, g] == 255:
                continue
            kind = r.randint(0, 4)
            if kind == 0:  # a group of zeros
                scale[row, g], q[row, part] = 0, 0
            # -8 exists for one sign only. If a row needs the other sign, the packer negates its row scale.
            elif kind == 1:
                scale[row, g] = r.randint(3, 29)
                q[row, r.randint(part.start, part.stop)] = -8
        if r.randint(0, 3) == 0 and np.any(q[row] == -8):
            row_scale[row] = -row_scale[row]
    return exact.Matrix(q.astype(np.int64), row_scale, scale, group)


def asym_matrix(r, rows, k):
    """Returns a matrix whose offsets need no larger row scale than the group with scale 255."""
    group, groups = 32, -(-k // 32)
    q, scale = r.randint(-8, 8, (rows, k)), r.randint(20, 256, (rows, groups))
    offset = np.where(r.randint(0, 3, (rows, groups)) > 0, scale // 16 + r.randint(-9, 10, scale.shape),
                      r.randint(-90, 121, scale.shape))
    scale[np.arange(rows), r.randint(0, groups, rows)] = 255
    for row in range(rows):
        for g in range(groups):
            part = np.arange(g * group, min(k, (g + 1) * group))
            q[row, r.choice(part, 2, replace=False)] = -8, 7
    return exact.Matrix(q.astype(np.int64), row_scales(r, rows, 0.0007 / np.sqrt(k)), scale, group, offset)


def real(matrix):
    """Returns the weights as fp32, which must hold them exactly."""
    w = matrix.row_scale[:, None].astype(np.float64) * matrix.integers()
    assert np.all(w == w.astype(F32)), "a weight that fp32 does not hold"
    return w.astype(F32)


class Store:
    """The weights of a graph by name. want_matrix and want_vector make a tensor when it is first needed. Each tensor
    has a separate generator, so its values do not depend on the order in which tensors are made."""

    def __init__(self, graph):
        self.name, self.group = graph.spec["name"], graph.design.get("group", 128)
        self.matrices, self.vectors, self.transposed, self.forms = {}, {}, set(), {}

    def _generator(self, name):
        return np.random.RandomState(zlib.crc32(f"{self.name}/{name}".encode()))

    def want_matrix(self, name, rows, k, form, transposed=False):
        if name not in self.matrices:
            r = self._generator(name)
            makers = {"int8": lambda: int8_matrix(r, rows, k), "int4": lambda: int4_matrix(r, rows, k, self.group),
                      "int4_asym": lambda: asym_matrix(r, rows, k), "int16": lambda: int16_matrix(r, rows, k)}
            self.matrices[name] = makers[form]()
            self.forms[name] = form
            if transposed:
                self.transposed.add(name)
        assert self.matrices[name].q.shape == (rows, k) and self.forms[name] == form, name

    def want_vector(self, name, shape, mean):
        if name not in self.vectors:
            self.vectors[name] = self._generator(name).normal(mean, 0.2, shape).astype(F32)

    def matrix(self, name, form):
        assert self.forms[name] == form
        return self.matrices[name]

    def real(self, name):
        return real(self.matrices[name])

    def vector(self, name):
        return self.vectors[name]

    def tensors(self):
        """Returns the tensors in the layout of the checkpoint."""
        out = {n: real(m).T.copy() if n in self.transposed else real(m) for n, m in self.matrices.items()}
        return dict(sorted({**out, **self.vectors}.items()))
