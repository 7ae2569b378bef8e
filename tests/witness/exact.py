# SPDX-License-Identifier: Apache-2.0
"""Computes every operation bit by bit, from docs/numerics.md alone: fp32 with flushed subnormals, integer products.

This file uses none of Rill's code. It reads the segments of exp, recip and rsqrt as numbers from
gen/numerics/fp32_tables.inc, which the document names as their place.
"""
import pathlib
import re

import numpy as np

F32 = np.float32
LARGEST = np.float32(3.4028234663852886e38)
SMALLEST = 2.0**-126


class Fault(Exception):
    """Raised when a value is outside its format."""


# ---- section 1: fp32 ----

def flush(x):
    """Returns x as fp32, with subnormals replaced by zeros of their sign."""
    x = np.asarray(x, F32)
    return np.where(np.abs(x) < F32(SMALLEST), np.copysign(F32(0), x), x).astype(F32)


def finite(x):
    if not np.all(np.isfinite(x)):
        raise Fault("NaN or infinite")
    return x


def add(a, b):
    with np.errstate(over="ignore"):
        return finite(flush(flush(a) + flush(b)))


def mul(a, b):
    with np.errstate(over="ignore"):
        return finite(flush(flush(a) * flush(b)))


def mul_saturate(a, b):
    """Returns the product, with magnitudes beyond the range of fp32 replaced by the largest one."""
    with np.errstate(over="ignore"):
        return flush(np.clip(flush(a) * flush(b), -LARGEST, LARGEST))


def neg(x):
    return -flush(x)


def float_of(i):
    """Converts an integer of any width to fp32, rounded to nearest, ties to even."""
    i = int(i)
    drop = abs(i).bit_length() - 24
    if drop <= 0:
        return F32(i)
    kept, rest = abs(i) >> drop, abs(i) & ((1 << drop) - 1)
    half = 1 << (drop - 1)
    kept += rest > half or (rest == half and kept & 1)
    value = F32(np.ldexp(float(kept), drop))
    return -value if i < 0 else value


def floats_of(values):
    return np.array([float_of(i) for i in np.ravel(values)], F32).reshape(np.shape(values))


def fix(x, fraction, width):
    """Returns RN(x * 2^fraction) as integers. The product is exact in double precision."""
    scaled = np.rint(flush(x).astype(np.float64) * 2.0**fraction)
    if np.any(np.abs(scaled) >= 2.0 ** (width - 1)):
        raise Fault("fixed point")
    return [int(v) for v in np.ravel(scaled)]


# ---- section 2: functions ----

def read_tables():
    path = pathlib.Path(__file__).resolve().parents[2] / "gen/numerics/fp32_tables.inc"
    tables = {}
    for name, body in re.findall(r"struct segment (\w+)\[\d+\] = \{(.*?)\n\};", path.read_text(), re.S):
        tables[name] = [tuple(map(int, row)) for row in re.findall(r"\{(-?\d+), (-?\d+), (-?\d+)\}", body)]
    return tables


TABLES = read_tables()


def segment(row, d, shift2, shift1):
    """Returns the significand that a row of a table gives at the distance d from the middle of its segment."""
    c0, c1, c2 = row
    u = c1 + (c2 * d >> shift2)
    return (c0 + (u * d >> shift1)) >> 5


def parts(x):
    """Returns sign, exponent and 24-bit significand, or None for zeros and values that count as zero."""
    bits = int(np.asarray(x, F32).view(np.uint32))
    field = bits >> 23 & 255
    return None if field == 0 else (bits >> 31, field - 127, bits & 0x7FFFFF | 1 << 23)


def assemble(sign, exponent, significand):
    """Returns significand / 2^23 * 2^exponent with the sign, for 2^23 <= significand <= 2^24."""
    value = np.ldexp(float(significand), exponent - 23)
    return F32(-value if sign else value)


def exp_one(x):
    p = parts(x)
    t = 0
    if p:
        sign, e, m = p
        if e > 6:
            return F32(0) if sign else LARGEST
        t = ((m * 0x2E2A8ECA5 >> 24 >> (6 - e)) + 1) >> 1
        t = -t if sign else t
    exponent, f = t >> 25, t & (1 << 25) - 1
    if exponent > 127:
        return LARGEST
    if exponent < -126:
        return F32(0)
    significand = segment(TABLES["exp_table"][f >> 18], (f & (1 << 18) - 1) - (1 << 17), 16, 22)
    if significand == 1 << 24 and exponent == 127:
        return LARGEST
    return assemble(0, exponent, significand)


def recip_one(x):
    p = parts(x)
    if not p:
        raise Fault("recip(0)")
    sign, e, m = p
    fraction = m & 0x7FFFFF
    exponent = -e if fraction == 0 else -e - 1
    if exponent < -126:
        return F32(-0.0) if sign else F32(0)
    if fraction == 0:
        return assemble(sign, exponent, 1 << 23)
    d = (fraction & 0xFFFF) - (1 << 15)
    return assemble(sign, exponent, segment(TABLES["recip_table"][fraction >> 16], d, 14, 19))


def rsqrt_one(x):
    p = parts(x)
    if not p or p[0]:
        raise Fault("rsqrt(x <= 0)")
    _, e, m = p
    fraction, odd, half = m & 0x7FFFFF, e & 1, e >> 1
    if fraction == 0 and not odd:
        return assemble(0, -half, 1 << 23)
    d = (fraction & 0xFFFF) - (1 << 15)
    return assemble(0, -half - 1, segment(TABLES["rsqrt_table"][128 * odd + (fraction >> 16)], d, 14, 19))


def each(function, x):
    """Applies a function of one number to all elements of x."""
    return np.array([function(v) for v in np.ravel(flush(x))], F32).reshape(np.shape(x))


def exp(x):
    return each(exp_one, x)


def recip(x):
    return each(recip_one, x)


def sigmoid(x):
    return recip(add(F32(1), exp(neg(x))))


def silu(x):
    return mul(x, sigmoid(x))


def softcap(x, cap):
    half = add(recip(add(F32(1), exp(mul_saturate(x, F32(-2 / cap))))), F32(-0.5))
    return mul(half, F32(2 * cap))


def gelu(x):
    square = mul_saturate(x, x)
    p = mul_saturate(F32(float.fromhex("0x1.6e4e26p-5")), square)
    p = np.clip(add(p, F32(1)), -LARGEST, LARGEST)
    u = mul_saturate(x, p)
    v = mul_saturate(u, F32(-float.fromhex("0x1.988454p+0")))
    return mul(x, recip(add(F32(1), exp(v))))


# ---- sections 3 to 5: blocks, weights, products ----

class Blocks:
    """Rows of mantissas q[rows][k] with an exponent for each block, shift[rows][blocks]."""

    def __init__(self, x, block, exp_min, bits=8):
        x = flush(x)
        self.shape, self.block, self.exp_min, self.bits = x.shape, block, exp_min, bits
        rows = x.reshape(-1, x.shape[-1])
        self.q = np.zeros(rows.shape, np.int64)
        self.shift = np.zeros((rows.shape[0], -(-rows.shape[1] // block)), np.int64)
        for r, row in enumerate(rows):
            for b, first in enumerate(range(0, rows.shape[1], block)):
                self._take(r, b, first, row[first : first + block])

    def _take(self, r, b, first, x):
        """Quantizes x, which is block b of row r and begins at column `first`. A block of zeros stays zero, and so does
        a block of 8-bit mantissas that would need an exponent below exp_min."""
        largest = float(np.max(np.abs(x)))
        if largest == 0:
            return
        e = int(np.frexp(largest)[1]) - 1 - (self.bits - 2)
        if e < self.exp_min and self.bits == 8:
            return
        e = max(e, self.exp_min)
        if e > self.exp_min + (31 if self.bits == 8 else 29):
            raise Fault("block exponent")
        most = 2 ** (self.bits - 1) - 1
        q = np.clip(np.rint(x.astype(np.float64) * 2.0**-e), -most, most)
        self.q[r, first : first + len(x)] = q.astype(np.int64)
        self.shift[r, b] = e - self.exp_min


class Matrix:
    """Weights as they are stored: q[rows][k] and row_scale[rows], for the int4 formats also group_scale[rows][groups],
    and for int4_asym group_offset[rows][groups]. Members of other formats are None."""

    def __init__(self, q, row_scale, group_scale, group, group_offset=None):
        self.q, self.row_scale, self.group_scale, self.group = q, row_scale, group_scale, group
        self.group_offset = group_offset

    def rows(self, first, count):
        part = slice(first, first + count)
        scales = None if self.group_scale is None else self.group_scale[part]
        offsets = None if self.group_offset is None else self.group_offset[part]
        return Matrix(self.q[part], self.row_scale[part], scales, self.group, offsets)

    def integers(self):
        """Returns the matrix without its row scales."""
        if self.group_scale is None:
            return self.q
        k = self.q.shape[1]
        whole = self.q * np.repeat(self.group_scale, self.group, axis=1)[:, :k]
        return whole if self.group_offset is None else whole + 8 * np.repeat(self.group_offset, self.group, axis=1)[:, :k]


def product(matrix, x):
    """Returns the product acc[rows of x][rows of the matrix] in Python integers."""
    if matrix.group_offset is not None:  # Each group is within one block.
        matrix = Matrix(matrix.integers(), matrix.row_scale, None, None)
    group = x.block if matrix.group_scale is None else matrix.group
    if group != x.block:
        raise Fault("blocks of another length than the weights' groups")
    acc = np.zeros((x.q.shape[0], matrix.q.shape[0]), object)
    for b, first in enumerate(range(0, x.q.shape[1], group)):
        part = slice(first, first + group)
        sums = (x.q[:, part] @ matrix.q[:, part].T).astype(object)
        if matrix.group_scale is not None:
            sums = sums * matrix.group_scale[:, b].astype(object)[None, :]
        acc += sums * np.array([1 << int(s) for s in x.shift[:, b]], object)[:, None]
    return acc


def dequantize_product(acc, row_scale, bias, exp_min):
    stored = flush(row_scale * F32(2.0**exp_min))
    y = mul(floats_of(acc), stored[None, :])
    return add(y, np.zeros_like(y) if bias is None else bias[None, :])


def bf16(x):
    """Returns the nearest number of eight significant bits, ties to even."""
    mantissa, exponent = np.frexp(x)
    return F32(np.rint(mantissa * 256) * 2.0 ** (exponent - 8))


def embed(matrix, i, times=F32(1)):
    """Returns row i of the table times `times`. `times` has so few bits that its product with the scale is exact."""
    q, scale = floats_of(matrix.q[i]), matrix.row_scale[i] * times
    if matrix.group_scale is None:
        return mul(scale, q)
    scales = np.repeat(floats_of(matrix.group_scale[i]), matrix.group)[: len(q)]
    return mul(mul(scale, scales), q)


# ---- section 6: attention ----

class Head:
    """The vector of a head in the cache: int8 mantissas and their scale. The scale of a key has the scale of scores,
    1 / sqrt(root), as a factor. root None: the size of the head."""

    def __init__(self, x, role, root):
        x = flush(x)
        largest = F32(np.max(np.abs(x)))
        self.q, self.scale = np.zeros(len(x), np.int64), F32(0)
        if largest > 0:
            inverse = mul(recip(largest), F32(127))
            self.q = np.clip(np.rint(mul_saturate(x, inverse).astype(np.float64)), -127, 127).astype(np.int64)
            self.scale = mul(largest, F32(float.fromhex("0x1.020408p-7")))
        if role == "key":
            self.scale = mul(self.scale, F32(1 / np.sqrt(float(root or len(x)))))


def scores(q, shift, keys):
    """Returns the scores of a query head with the keys of all positions, as integers."""
    return [int(q @ k.q) << int(shift) for k in keys]


def softmax(s, keys, values, cap, window):
    """Converts scores (fp32, without the scales of the keys) to weights and 1 / sum."""
    if window and window < len(s):
        p, inverse = softmax(s[-window:], keys[-window:], values[-window:], cap, None)
        return np.concatenate([np.zeros(len(s) - window, F32), p]), inverse
    s = mul(s, np.array([k.scale for k in keys], F32))
    s = softcap(s, cap) if cap else s
    e = exp(add(s, neg(np.max(s))))
    total = mul(float_of(sum(fix(e, 30, 64))), F32(2.0**-30))
    return mul(e, np.array([v.scale for v in values], F32)), recip(total)


def weighted(p, values):
    """Returns the product of p, quantized in blocks of positions, and the values: an integer for each element of a
    head."""
    v = np.array([v.q for v in values])
    sums = [p.q[0, t : t + p.block] @ v[t : t + p.block] for t in range(0, len(v), p.block)]
    return [sum(int(s[d]) << int(p.shift[0, b]) for b, s in enumerate(sums)) for d in range(v.shape[1])]


# ---- section 7: norms of one vector ----

def layernorm(x, eps, gamma, beta):
    n = len(x)
    fixed = fix(x, 20, 44)
    s1, s2 = sum(fixed), sum(v * v for v in fixed)
    var = mul(float_of(n * s2 - s1 * s1), F32(2.0**-40 / (float(n) * float(n))))
    r = rsqrt_one(add(var, F32(eps)))
    mean = mul(float_of(s1), F32(2.0**-20 / n))
    return add(mul(mul(add(x, neg(mean)), r), gamma), beta)


def rmsnorm(x, eps, gamma):
    n = len(x)
    s2 = sum(v * v for v in fix(x, 20, 44))
    r = rsqrt_one(add(mul(float_of(s2), F32(2.0**-40 / n)), F32(eps)))
    return mul(mul(x, r), gamma)
