#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a tiny Gemma 3 checkpoint and the logits of a float64 forward pass: model.safetensors, logits.npy.

test_oracle_float.c compares the oracle with these logits. The model has five layers in periods of two: the first layer
of a period has a sliding window, the second one attends to all positions. The pass is written from the papers and
Hugging Face's description, without Rill. Needs Debian's python3-numpy.
"""
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "witness"))
import files
LAYERS, HIDDEN, HEADS, KV_HEADS, HEAD, FFN, VOCABULARY, PERIOD, WINDOW = 5, 12, 2, 1, 8, 10, 13, 2, 5
THETA, LOCAL_THETA, EPS = 1e6, 1e4, 1e-6
IDS = [1, 7, 12, 3, 3, 0, 9, 5, 2, 11, 7, 4]  # the prompt, for each of whose positions there are logits


def make_weights():
    """Returns random weights {name: array}. Gains are around 0, because a norm adds 1 to them."""
    r, weights = np.random.RandomState(5), {}

    def matrix(name, rows, cols):
        weights[f"model.{name}.weight"] = (r.normal(0, 1, (rows, cols)) / np.sqrt(cols)).astype(np.float32)

    def gain(name, n):
        weights[f"model.{name}.weight"] = (0.3 * r.normal(0, 1, n)).astype(np.float32)

    matrix("embed_tokens", VOCABULARY, HIDDEN)
    for p in (f"layers.{i}." for i in range(LAYERS)):
        for name, rows, cols in (("q", HEADS * HEAD, HIDDEN), ("k", KV_HEADS * HEAD, HIDDEN),
                                 ("v", KV_HEADS * HEAD, HIDDEN), ("o", HIDDEN, HEADS * HEAD)):
            matrix(f"{p}self_attn.{name}_proj", rows, cols)
        for name, rows, cols in (("gate", FFN, HIDDEN), ("up", FFN, HIDDEN), ("down", HIDDEN, FFN)):
            matrix(f"{p}mlp.{name}_proj", rows, cols)
        for name in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            gain(f"{p}{name}_layernorm", HIDDEN)
        for name in "qk":
            gain(f"{p}self_attn.{name}_norm", HEAD)
    gain("norm", HIDDEN)
    return weights


def norm(x, gain):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * (1 + gain)


def turned(x, theta):
    """Returns x[positions][heads][HEAD] after the rotary embedding."""
    angle = np.arange(len(x))[:, None] * theta ** (-np.arange(0, HEAD, 2) / HEAD)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    a, b = x[..., : HEAD // 2], x[..., HEAD // 2 :]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def hidden(positions, window):
    """Returns a mask that is added to scores. It is -1e30 for positions that a row does not attend to: later positions,
    and positions that are `window` or more before the row."""
    apart = np.arange(positions)[:, None] - np.arange(positions)
    return np.where((apart < 0) | (apart >= window), -1e30, 0)


def attention(n, w, theta, window):
    """n: rows after the norm. w(name) returns a weight of the layer. window: positions that a row attends to."""
    def heads(name, count):
        return (n @ w(f"self_attn.{name}_proj").T).reshape(len(n), count, HEAD)

    q = turned(norm(heads("q", HEADS), w("self_attn.q_norm")), theta)
    k = turned(norm(heads("k", KV_HEADS), w("self_attn.k_norm")), theta)
    v, out = heads("v", KV_HEADS), np.zeros((len(n), HEADS, HEAD))
    for j in range(HEADS):
        of = j // (HEADS // KV_HEADS)
        s = q[:, j] @ k[:, of].T / np.sqrt(HEAD) + hidden(len(n), window)
        e = np.exp(s - s.max(-1, keepdims=True))
        out[:, j] = e / e.sum(-1, keepdims=True) @ v[:, of]
    return out.reshape(len(n), -1) @ w("self_attn.o_proj").T


def mlp(n, w):
    g = n @ w("mlp.gate_proj").T
    g = 0.5 * g * (1 + np.tanh(np.sqrt(2 / np.pi) * (g + 0.044715 * g**3)))
    return (g * (n @ w("mlp.up_proj").T)) @ w("mlp.down_proj").T


def forward(weights, ids):
    def at(prefix):
        return lambda name: weights[f"model.{prefix}{name}.weight"].astype(np.float64)

    table = at("")("embed_tokens")
    x = table[ids] * 3.46875  # sqrt(12) = 3.4641 rounded to bfloat16, whose step is 1/64 from 2 to 4
    for i in range(LAYERS):
        w = at(f"layers.{i}.")
        of_all = (i + 1) % PERIOD == 0
        theta, window = (THETA, len(ids)) if of_all else (LOCAL_THETA, WINDOW)
        x = x + norm(attention(norm(x, w("input_layernorm")), w, theta, window), w("post_attention_layernorm"))
        x = x + norm(mlp(norm(x, w("pre_feedforward_layernorm")), w), w("post_feedforward_layernorm"))
    return norm(x, at("")("norm")) @ table.T


if __name__ == "__main__":
    made = make_weights()
    files.write_safetensors(HERE / "model.safetensors", made)
    np.save(HERE / "logits.npy", forward(made, IDS).astype(np.float32))
