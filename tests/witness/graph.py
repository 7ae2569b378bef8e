# SPDX-License-Identifier: Apache-2.0
"""Evaluates written graphs as docs/spec.md defines them (regions, carries, attributes, shapes) in either arithmetic.

`Exact` computes the values of docs/numerics.md bit by bit. `Real` computes the same mathematics in float64, where every
quantizer is the identity.
"""
import math

import numpy as np
import yaml

import exact


def each(value, layer):
    """Returns the value of an attribute in a layer. The attribute has one value for all layers, or a list with one
    value per layer."""
    return value[layer] if isinstance(value, list) else value


def rope_frequencies(o):
    """Returns the angles of all pairs at position 1 (docs/numerics.md section 9), and the factor of cos and sin."""
    d, theta, kind = o["cols"], float(o.get("theta", 10000)), o.get("scaling", "none")
    factor, original = float(o.get("factor", 1)), float(o.get("original_context", 8192))
    f = [math.pow(theta, -2.0 * i / d) for i in range(d // 2)]
    if kind == "linear":
        return [v / factor for v in f], 1.0
    if kind == "llama3":
        low, high = float(o.get("low_freq_factor", 1)), float(o.get("high_freq_factor", 4))
        turns = [original / (2 * math.pi / v) for v in f]
        blend = [(t - low) / (high - low) for t in turns]
        mixed = [(1 - s) * v / factor + s * v for v, s in zip(f, blend)]
        return [v if t > high else v / factor if t < low else m for v, t, m in zip(f, turns, mixed)], 1.0
    if kind == "yarn":
        fast, slow = float(o.get("beta_fast", 32)), float(o.get("beta_slow", 1))
        place = lambda b: d * math.log(original / (b * 2 * math.pi)) / (2 * math.log(theta))
        first, last = max(math.floor(place(fast)), 0), min(math.ceil(place(slow)), d - 1)
        last += 0.001 if first == last else 0
        share = [min(max((i - first) / (last - first), 0), 1) for i in range(d // 2)]
        g = [v / factor * r + v * (1 - r) for v, r in zip(f, share)]
        return g, float(o.get("attention_factor", 0.1 * math.log(factor) + 1))
    return f, 1.0


def rope_row(o, position):
    """Returns the row of a position: the cosines of all pairs, then the sines."""
    g, m = rope_frequencies(o)
    cos, sin = [math.cos(position * v) * m for v in g], [math.sin(position * v) * m for v in g]
    return np.array(cos + sin, np.float64)


class Exact:
    """The arithmetic of docs/numerics.md, bit by bit. A product is carried as its integers, with what its
    dequantization needs."""

    def __init__(self, store, design):
        self.store, self.group = store, design.get("group", 128)
        self.bits = 10 if design.get("activations") == "int10" else 8

    def number(self, x):
        return exact.flush(x)

    def vector(self, name):
        return exact.flush(self.store.vector(name))

    def embed(self, i, name, rows, cols, form, times):
        return exact.embed(self.store.matrix(name, form), i, times)

    def layernorm(self, x, eps, gamma, beta):
        return exact.layernorm(x, eps, gamma, beta)

    def rmsnorm(self, x, eps, gamma):
        return exact.rmsnorm(x, eps, gamma)

    def quantize(self, x, block, exp_min):
        return exact.Blocks(x, block or self.group, exp_min, self.bits)

    def matmul(self, x, name, form, first, rows, bias):
        matrix = self.store.matrix(name, form).rows(first, rows)
        return exact.product(matrix, x), matrix.row_scale, bias, x.exp_min, x.shape

    def dequantize(self, acc):
        values, scale, bias, exp_min, shape = acc
        return exact.dequantize_product(values, scale, bias, exp_min).reshape(shape[:-1] + (-1,))

    def kv_quantize(self, x, role, root):
        return exact.Head(x, role, root)

    def attn_scores(self, q, keys):
        """Returns scores [heads][positions] from q of all heads and keys[positions][heads], without the scales of the
        keys, and the least exponent of q."""
        width = len(keys[0][0].q)
        rows, shifts = q.q.reshape(-1, width), q.shift.reshape(-1)
        many = len(rows) // len(keys[0])
        return [exact.scores(rows[h], shifts[h], [k[h // many] for k in keys]) for h in range(len(rows))], q.exp_min

    def raw(self, acc):
        """Dequantizes a result of attention for each head: float(acc) * 2^EXP_MIN."""
        values, exp_min = acc
        return exact.mul(exact.floats_of(np.array(values, object)), np.float32(2.0**exp_min))

    def softmax(self, s, keys, values, cap, window):
        return exact.softmax(s, keys, values, cap, window)

    def attn_values(self, p, values):
        return exact.weighted(p, values)

    def exp_min(self, p):
        return p.exp_min

    def scale(self, x, factor):
        return exact.mul(x, factor)

    def row(self, values):
        return values.astype(np.float32)

    def turn(self, x, other, cos, sin, first):
        """Rotates pairs. Returns the elements x of the pairs; `other` are the other ones. first: x are the first."""
        turned = exact.mul(other, sin)
        return exact.add(exact.mul(x, cos), np.where(first, exact.neg(turned), turned))

    gelu, silu, softcap = staticmethod(exact.gelu), staticmethod(exact.silu), staticmethod(exact.softcap)
    add, mul = staticmethod(exact.add), staticmethod(exact.mul)


class Real:
    """The same operations in float64. Their arguments are those of `Exact`; what float64 does not need is ignored."""

    def __init__(self, store, design):
        self.store = store

    def number(self, x):
        return np.asarray(x, np.float64)

    def vector(self, name):
        return self.store.vector(name).astype(np.float64)

    def embed(self, i, name, rows, cols, form, times):
        return self.store.real(name)[i].astype(np.float64) * times

    def layernorm(self, x, eps, gamma, beta):
        return (x - np.mean(x)) / np.sqrt(np.var(x) + eps) * gamma + beta

    def rmsnorm(self, x, eps, gamma):
        return x / np.sqrt(np.mean(x * x) + eps) * gamma

    def quantize(self, x, block, exp_min):
        return x

    def matmul(self, x, name, form, first, rows, bias):
        y = x @ self.store.real(name)[first : first + rows].astype(np.float64).T
        return y if bias is None else y + bias

    def dequantize(self, acc):
        return acc

    def kv_quantize(self, x, role, root):
        return x * np.sqrt(len(x) / root) if root else x

    def attn_scores(self, q, keys):
        width = len(keys[0][0])
        q = np.ravel(q).reshape(-1, width)
        many = len(q) // len(keys[0])
        return np.array([[q[h] @ k[h // many] / np.sqrt(width) for k in keys] for h in range(len(q))]), 0

    def raw(self, acc):
        return np.array(acc[0])

    def softmax(self, s, keys, values, cap, window):
        s = self.softcap(s, cap) if cap else s
        s = np.where(np.arange(len(s), 0, -1) <= (window or len(s)), s, -np.inf)
        e = np.exp(s - np.max(s))
        return e, 1 / np.sum(e)

    def attn_values(self, p, values):
        return p @ np.array(values)

    def exp_min(self, p):
        return 0

    def scale(self, x, factor):
        return x * factor

    def row(self, values):
        return values

    def turn(self, x, other, cos, sin, first):
        return x * cos - other * sin if first else x * cos + other * sin

    def gelu(self, x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    def silu(self, x):
        with np.errstate(over="ignore"):
            return x / (1 + np.exp(-x))

    def softcap(self, x, cap):
        return cap * np.tanh(x / cap)

    add, mul = staticmethod(np.add), staticmethod(np.multiply)


class Attention:
    """A result of attn_scores or attn_values: integers for each head, or float64 in `Real`."""

    def __init__(self, acc):
        self.acc = acc


class Cache:
    """The keys or values of all positions, heads[position][head]."""

    def __init__(self):
        self.heads = []


class Graph:
    """A graph that is read from a spec. head: for a language model, the tensor from which the next id is chosen."""

    def __init__(self, path):
        self.spec = yaml.safe_load(open(path))
        self.graph = self.spec["graph"]
        self.design = self.spec.get("design", {})
        self.inputs = {n: tuple(i["shape"]) for n, i in self.graph["inputs"].items()}
        self.outputs = self.graph["outputs"]
        ops = [o for r in self.graph["regions"] for o in r["ops"]]
        self.is_lm = any(o["op"] == "embed" and o["in"][0] in self.inputs for o in ops)
        self.head = next((o["in"][0] for o in ops if o.get("name") == self.outputs[0] and o["op"] == "argmax"), None)

    def rows_of(self, weight, layer):
        """Returns the number of rows of a weight tensor, which follows from the operations that read it."""
        ops = [o for r in self.graph["regions"] for o in r["ops"]]
        named = [o for o in ops if o.get("weight", "").replace("{layer}", str(layer)) == weight]
        return max(o["rows"] + o.get("row_offset", 0) for o in named)


class Run:
    """A run of a request: its positions in order, which fill the caches."""

    def __init__(self, graph, arithmetic, store):
        self.graph = graph
        self.a, self.store = arithmetic(store, graph.design), store
        self.caches, self.position = {}, -1

    def step(self, values, last=True):
        """Runs one position with values {input name: array or id}. Returns the tensors by name after all regions."""
        self.position += 1
        tensors = {n: v if self.graph.is_lm else self.a.number(v) for n, v in values.items()}
        for region in self.graph.graph["regions"]:
            if last or region.get("when", "always") == "always":
                self._region(region, tensors)
        return tensors

    def _region(self, region, tensors):
        carry = region.get("carry", {})
        for name, c in carry.items():
            tensors[name] = tensors[c["init"]]
        for layer in range(region.get("repeat", 1)):
            for op in region["ops"]:
                self._operation(op, layer, tensors)
            tensors.update({name: tensors[c["next"]] for name, c in carry.items()})

    def _operation(self, op, layer, tensors):
        names = op.get("in", [])
        ins = [tensors[n] for n in ([names] if isinstance(names, str) else names)]
        attributes = {k: v.replace("{layer}", str(layer)) if isinstance(v, str) else v for k, v in op.items()}
        result = getattr(self, "_" + op["op"])(attributes, layer, *ins)
        if "out" in op:
            tensors.update(zip(op["out"], result))
        else:
            tensors[op["name"]] = result

    # ---- operations ----

    def _embed(self, o, layer, i):
        self.store.want_matrix(o["weight"], o["rows"], o["cols"], o.get("format", "int8"))
        times = exact.bf16(np.sqrt(o["cols"])) if o.get("times") == "sqrt_cols" else exact.F32(1)
        return self.a.embed(int(i), o["weight"], o["rows"], o["cols"], o.get("format", "int8"), times)

    def _position(self, o, layer):
        self.store.want_vector(o["weight"], (o["rows"], o["cols"]), 0)
        return self.a.vector(o["weight"])[self.position]

    def _gains(self, o, x):
        n = x.size if o.get("along") is None else x.shape[o["along"]]
        self.store.want_vector(o["gamma"], (n,), 0 if "gamma_plus" in o else 1)
        if "beta" in o:
            self.store.want_vector(o["beta"], (n,), 0)
        return [self.a.vector(o[k]) for k in ("gamma", "beta") if k in o]

    def _vectors(self, o, x, function):
        along = o.get("along")
        if along is None:
            return function(np.ravel(x)).reshape(x.shape)
        moved = np.moveaxis(x, along, -1)
        rows = [function(row) for row in moved.reshape(-1, moved.shape[-1])]
        return np.moveaxis(np.array(rows, x.dtype).reshape(moved.shape), -1, along)

    def _layernorm(self, o, layer, x):
        gamma, beta = self._gains(o, x)
        return self._vectors(o, x, lambda v: self.a.layernorm(v, float(o.get("eps", 1e-5)), gamma, beta))

    def _rmsnorm(self, o, layer, x):
        gamma = self._gains(o, x)[0] + exact.F32(o.get("gamma_plus", 0))
        return self._vectors(o, x, lambda v: self.a.rmsnorm(v, float(o.get("eps", 1e-5)), gamma))

    def _quantize(self, o, layer, x):
        block, exp_min = o.get("block", 0), o.get("exp_min", -24)
        if isinstance(x, list):  # weights of attention are a list of heads
            return [self.a.quantize(p, block, exp_min) for p in x]
        return self.a.quantize(x, block, exp_min)

    def _matmul(self, o, layer, x):
        form = o.get("weights", self.graph.design.get("weights", "int8"))
        first, rows = o.get("row_offset", 0), o["rows"]
        all_rows = self.graph.rows_of(o["weight"], layer)
        self.store.want_matrix(o["weight"], all_rows, x.shape[-1], form, o.get("transpose", 0) == 1)
        if "bias" in o:
            self.store.want_vector(o["bias"], (all_rows,), 0)
        bias = self.a.vector(o["bias"])[first : first + rows] if "bias" in o else None
        return self.a.matmul(x, o["weight"], form, first, rows, bias)

    def _dequantize(self, o, layer, acc):
        return self.a.raw(acc.acc) if isinstance(acc, Attention) else self.a.dequantize(acc)

    def _kv_quantize(self, o, layer, x):
        cache = self.caches.setdefault((o["name"], layer), Cache())
        vectors = np.ravel(x).reshape(o["heads"], -1)
        cache.heads.append([self.a.kv_quantize(v, o["role"], o.get("scale_root")) for v in vectors])
        return cache

    def _attn_scores(self, o, layer, q, keys):
        return Attention(self.a.attn_scores(q, keys.heads))

    def _softmax(self, o, layer, s, keys, values):
        many = len(s) // len(keys.heads[0])
        results = [
            self.a.softmax(
                row,
                [k[h // many] for k in keys.heads],
                [v[h // many] for v in values.heads],
                o.get("cap"),
                each(o.get("window"), layer),
            )
            for h, row in enumerate(s)
        ]
        return [p for p, _ in results], [inverse for _, inverse in results]

    def _attn_values(self, o, layer, p, values):
        many = len(p) // len(values.heads[0])
        acc = [self.a.attn_values(row, [v[h // many] for v in values.heads]) for h, row in enumerate(p)]
        return Attention((acc, self.a.exp_min(p[0])))

    def _scale(self, o, layer, x, factors):
        return np.concatenate([self.a.scale(row, f) for row, f in zip(x, factors)])

    def _rope_table(self, o, layer):
        return self.a.row(rope_row(o, self.position))

    def _rope(self, o, layer, x, row):
        heads = np.ravel(x).reshape(o["heads"], -1)
        half, y = len(row) // 2, np.array(heads)
        beside = o.get("pairs", "half") == "interleaved"
        for p in range(half):
            i, j = (2 * p, 2 * p + 1) if beside else (p, p + half)
            y[:, i] = self.a.turn(heads[:, i], heads[:, j], row[p], row[half + p], True)
            y[:, j] = self.a.turn(heads[:, j], heads[:, i], row[p], row[half + p], False)
        return y.reshape(x.shape)

    def _gelu(self, o, layer, x):
        return self.a.gelu(x)

    def _silu(self, o, layer, x):
        return self.a.silu(x)

    def _softcap(self, o, layer, x):
        return self.a.softcap(x, o["cap"])

    def _add(self, o, layer, x, y):
        return self.a.add(x, y)

    def _mul(self, o, layer, x, y):
        return self.a.mul(x, y)

    def _choose(self, o, layer, x, y):
        return y if each(o["of"], layer) else x

    def _transpose(self, o, layer, x):
        default = list(range(x.ndim - 2)) + [x.ndim - 1, x.ndim - 2]
        return np.transpose(x, o.get("perm", default))

    def _reshape(self, o, layer, x):
        return np.reshape(x, o["shape"])

    def _argmax(self, o, layer, x):
        return int(np.argmax(np.ravel(x)))
