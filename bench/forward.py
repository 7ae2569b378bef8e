#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes a forward pass of a Llama or Gemma 3 GGUF file in double precision with numpy, and compares its logits with
those of `rill golden --float --logits`. The pass shares no code with Rill: the `gguf` package reads tensors and
constants. bench/forward.sh runs it.

usage: bench/forward.py MODEL.gguf IDS LOGITS [--limit X]
  IDS        JSON of `rill golden --json`: prompt_ids, token_ids
  LOGITS     fp32, one row of the vocabulary's size for each generated token
  --limit X  largest difference that passes (default 1e-3)
Exit status: 0 if all logits are within the limit and every position has the same likeliest token, otherwise 1.
"""
import argparse
import json
import sys

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize


class Model:
    """The constants of a GGUF file, and access to its tensors. A tensor is converted to double precision when it is
    asked for and is not kept, because a whole model in double precision needs too much memory."""

    def __init__(self, path):
        self.reader = GGUFReader(path)
        self.raw = {t.name: t for t in self.reader.tensors}
        self.family = self.constant("general.architecture", whole=True)
        if self.family not in ("llama", "gemma3"):
            sys.exit(f"{path}: a forward pass of {self.family} is not written here, only of llama and gemma3")
        self.gemma = self.family == "gemma3"
        self.layers = self.constant("block_count")
        self.heads = self.constant("attention.head_count")
        self.kv_heads = self.constant("attention.head_count_kv")
        self.eps = self.constant("attention.layer_norm_rms_epsilon")
        self.theta = self.constant("rope.freq_base")
        self.window = self.constant("attention.sliding_window", 0)

    # Returns the value of a key of the file, or `default`. whole: `key` is the whole name of the key; otherwise the
    # name of the family precedes it.
    def constant(self, key, default=None, whole=False):
        field = self.reader.fields.get(key if whole else f"{self.family}.{key}")
        return default if field is None else field.contents()

    def tensor(self, name):
        t = self.raw.get(name)
        if t is None:
            return None
        shape = [int(n) for n in reversed(t.shape)]
        return dequantize(t.data, t.tensor_type).astype(np.float64).reshape(shape)


def root(n):
    """Gemma's factor of an embedding row: the square root of n, rounded to bfloat16 as in its reference model."""
    bits = np.sqrt(np.float32(n)).view(np.uint32)
    return float(((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32))


def norm(x, weight, eps):
    """Returns the RMS norm of the last dimension, or x if the model has no such norm (weight None)."""
    return x if weight is None else x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def turn(x, theta, halves):
    """Rotates x[position, head, element] (RoPE). With `halves`, element i forms a pair with element i + size / 2,
    otherwise neighbours form a pair."""
    size = x.shape[-1]
    angle = np.arange(len(x))[:, None, None] * theta ** (-np.arange(0, size, 2) / size)
    a, b = (x[..., : size // 2], x[..., size // 2 :]) if halves else (x[..., 0::2], x[..., 1::2])
    c, s = a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)
    return np.concatenate([c, s], -1) if halves else np.stack([c, s], -1).reshape(x.shape)


def activation(x, gemma):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) if gemma else x / (1 + np.exp(-x))


# Returns the attention of a layer for all positions. In Gemma, five layers with a sliding window (theta 1e4) are
# followed by one layer that attends to all positions, and so on.
def attention(m, layer, x):
    get = lambda name: m.tensor(f"blk.{layer}.{name}.weight")  # noqa: E731
    split = lambda name, n: (x @ get(name).T).reshape(len(x), n, -1)  # noqa: E731
    q, k, v = split("attn_q", m.heads), split("attn_k", m.kv_heads), split("attn_v", m.kv_heads)
    q, k = norm(q, get("attn_q_norm"), m.eps), norm(k, get("attn_k_norm"), m.eps)
    local = m.gemma and (layer + 1) % 6 != 0
    q, k = (turn(t, 1e4 if local else m.theta, m.gemma) for t in (q, k))
    k, v = (np.repeat(t, m.heads // m.kv_heads, 1) for t in (k, v))
    score = np.einsum("shd,thd->hst", q, k) / np.sqrt(q.shape[-1])
    age = np.arange(len(x))[:, None] - np.arange(len(x))[None]
    seen = (age >= 0) & (age < m.window if local and m.window else True)
    score = np.exp(np.where(seen, score, -np.inf) - np.where(seen, score, -np.inf).max(-1, keepdims=True))
    score /= score.sum(-1, keepdims=True)
    return np.einsum("hst,thd->shd", score, v).reshape(len(x), -1) @ get("attn_output").T


def forward(m, ids):
    """Returns the logits of all positions."""
    table = m.tensor("token_embd.weight")
    x = table[ids] * (root(table.shape[1]) if m.gemma else 1)
    for layer in range(m.layers):
        get = lambda name, at=layer: m.tensor(f"blk.{at}.{name}.weight")  # noqa: E731
        made = attention(m, layer, norm(x, get("attn_norm"), m.eps))
        x = x + norm(made, get("post_attention_norm"), m.eps)
        h = norm(x, get("ffn_norm"), m.eps)
        made = (activation(h @ get("ffn_gate").T, m.gemma) * (h @ get("ffn_up").T)) @ get("ffn_down").T
        x = x + norm(made, get("post_ffw_norm"), m.eps)
    head = m.tensor("output.weight")
    return norm(x, m.tensor("output_norm.weight"), m.eps) @ (table if head is None else head).T


def main():
    parser = argparse.ArgumentParser(usage=__doc__[__doc__.index("usage: ") + 7 :])
    parser.add_argument("model")
    parser.add_argument("ids")
    parser.add_argument("logits")
    parser.add_argument("--limit", type=float, default=1e-3)
    given = parser.parse_args()
    with open(given.ids, encoding="utf-8") as file:
        said = json.load(file)
    made = len(said["token_ids"])
    rows = np.fromfile(given.logits, np.float32).reshape(made, -1)
    # The last generated token is not an input: its logits row was computed from the tokens before it.
    want = forward(Model(given.model), np.array(said["prompt_ids"] + said["token_ids"][:-1]))[-made:]
    apart = np.abs(rows - want[:, : rows.shape[1]]).max()
    same = int((rows.argmax(-1) == want.argmax(-1)).sum())
    print(f"{rows.size} logits of {made} positions: at most {apart:.2e} apart, the largest {np.abs(want).max():.2f}; "
          f"the likeliest id is the same at {same}")
    return 0 if apart <= given.limit and same == made else 1


if __name__ == "__main__":
    sys.exit(main())
