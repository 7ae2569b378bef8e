#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a tiny Gemma 2 checkpoint and the logits of a float64 forward pass: model.safetensors, logits.npy.

test_oracle_float.c compares the oracle with these logits. The model has three layers, of which the first and the last
have a sliding window, and caps scores and logits. The pass is written from the papers and Hugging Face's description,
without Rill. Norms, angles and the MLP are those of ../gemma3/make.py. Needs Debian's python3-numpy.
"""
import importlib.util
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
found = importlib.util.spec_from_file_location("gemma3", HERE.parent / "gemma3" / "make.py")
gemma3 = importlib.util.module_from_spec(found)
found.loader.exec_module(gemma3)
LAYERS, HEADS, KV_HEADS, HEAD, WINDOW = 3, 2, 1, 8, 5
# SCORE_ROOT: query_pre_attn_scalar of config.json
THETA, SCORE_ROOT, SCORE_CAP, LOGIT_CAP = 1e4, 6, 1.5, 2.5


def capped(x, cap):
    return cap * np.tanh(x / cap)


def attention(n, w, window):
    """n: rows after the norm. w(name) returns a weight of the layer. window: positions that a row attends to."""
    def heads(name, count):
        return (n @ w(f"self_attn.{name}_proj").T).reshape(len(n), count, HEAD)

    q, k, v = gemma3.turned(heads("q", HEADS), THETA), gemma3.turned(heads("k", KV_HEADS), THETA), heads("v", KV_HEADS)
    out = np.zeros((len(n), HEADS, HEAD))
    for j in range(HEADS):
        of = j // (HEADS // KV_HEADS)
        s = capped(q[:, j] @ k[:, of].T / np.sqrt(SCORE_ROOT), SCORE_CAP) + gemma3.hidden(len(n), window)
        e = np.exp(s - s.max(-1, keepdims=True))
        out[:, j] = e / e.sum(-1, keepdims=True) @ v[:, of]
    return out.reshape(len(n), -1) @ w("self_attn.o_proj").T


def forward(weights, ids):
    def at(prefix):
        return lambda name: weights[f"model.{prefix}{name}.weight"].astype(np.float64)

    norm, table = gemma3.norm, at("")("embed_tokens")
    x = table[ids] * 3.46875  # sqrt(12) rounded to bfloat16, as in ../gemma3/make.py
    for i in range(LAYERS):
        w = at(f"layers.{i}.")
        seen = len(ids) if i % 2 else WINDOW
        x = x + norm(attention(norm(x, w("input_layernorm")), w, seen), w("post_attention_layernorm"))
        x = x + norm(gemma3.mlp(norm(x, w("pre_feedforward_layernorm")), w), w("post_feedforward_layernorm"))
    return capped(norm(x, at("")("norm")) @ table.T, LOGIT_CAP)


# The weights of ../gemma3/make.py without its further layers and without the norms of queries and keys, which Gemma 2
# does not have.
made = {n: v for n, v in gemma3.make_weights().items() if "layers" not in n or int(n.split(".")[2]) < LAYERS}
made = {n: v for n, v in made.items() if "q_norm" not in n and "k_norm" not in n}
gemma3.files.write_safetensors(HERE / "model.safetensors", made)
np.save(HERE / "logits.npy", forward(made, gemma3.IDS).astype(np.float32))
