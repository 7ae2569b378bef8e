// SPDX-License-Identifier: Apache-2.0
// The family gpt2 (Radford et al., 2019) as the graph that it stands for: pre-norm blocks, learned positions, tanh-form
// GELU, tied head. $names are the sizes of `model` and the formats of `design`; weights have the names of Hugging Face
// checkpoints, whose matrices of blocks are [in][out].
#include "graph.h"

const char *const oracle_gpt2_ids = "token", *const oracle_gpt2_next = "next_id";

// clang-format off
#define PRODUCT(name, in, rows, tensor, offset)                                                                        \
    "  - {op: matmul, name: " name "_acc, in: " in ", rows: " rows ", weights: $weights, weight: '" tensor             \
    ".weight', bias: '" tensor ".bias', row_offset: " offset ", transpose: 1}\n"                                       \
    "  - {op: dequantize, name: " name ", in: " name "_acc}\n"
#define NORM(name, in, tensor)                                                                                         \
    "  - {op: layernorm, name: " name ", in: " in ", eps: $norm_eps, gamma: '" tensor ".weight', beta: '" tensor       \
    ".bias'}\n"                                                                                                        \
    "  - {op: quantize, name: " name "_mx, in: " name "}\n"

const char oracle_gpt2_text[] =
    "- name: embed\n"
    "  ops:\n"
    "  - {op: embed, name: token_row, in: token, rows: $vocab, cols: $hidden, format: $head, weight: wte.weight}\n"
    "  - {op: position, name: position_row, rows: $context, cols: $hidden, weight: wpe.weight}\n"
    "  - {op: add, name: embedded, in: [token_row, position_row]}\n"
    "- name: layer\n"
    "  repeat: $layers\n"
    "  carry: {hidden: {init: embedded, next: residual2}}\n"
    "  ops:\n"
    NORM("norm1", "hidden", "h.{layer}.ln_1")
    PRODUCT("q", "norm1_mx", "$hidden", "h.{layer}.attn.c_attn", "0")
    "  - {op: quantize, name: q_mx, in: q, block: $head_dim}\n"
    PRODUCT("k", "norm1_mx", "$hidden", "h.{layer}.attn.c_attn", "$hidden")
    "  - {op: kv_quantize, name: keys, in: k, heads: $heads, role: key}\n"
    PRODUCT("v", "norm1_mx", "$hidden", "h.{layer}.attn.c_attn", "$twice_hidden")
    "  - {op: kv_quantize, name: values, in: v, heads: $heads, role: value}\n"
    "  - {op: attn_scores, name: scores_acc, in: [q_mx, keys]}\n"
    "  - {op: dequantize, name: scores, in: scores_acc}\n"
    "  - {op: softmax, out: [softmax, softmax_inv], in: [scores, keys, values]}\n"
    "  - {op: quantize, name: p_mx, in: softmax, block: 64, exp_min: -36}\n"
    "  - {op: attn_values, name: weighted_acc, in: [p_mx, values]}\n"
    "  - {op: dequantize, name: weighted, in: weighted_acc}\n"
    "  - {op: scale, name: attention, in: [weighted, softmax_inv]}\n"
    "  - {op: quantize, name: attention_mx, in: attention}\n"
    PRODUCT("attention_proj", "attention_mx", "$hidden", "h.{layer}.attn.c_proj", "0")
    "  - {op: add, name: residual1, in: [hidden, attention_proj]}\n"
    NORM("norm2", "residual1", "h.{layer}.ln_2")
    PRODUCT("mlp_up", "norm2_mx", "$ffn", "h.{layer}.mlp.c_fc", "0")
    "  - {op: gelu, name: mlp_act, in: mlp_up}\n"
    "  - {op: quantize, name: mlp_mx, in: mlp_act}\n"
    PRODUCT("mlp_down", "mlp_mx", "$hidden", "h.{layer}.mlp.c_proj", "0")
    "  - {op: add, name: residual2, in: [residual1, mlp_down]}\n"
    "- name: head\n"
    "  when: last\n"
    "  ops:\n"
    NORM("norm_final", "hidden", "ln_f")
    "  - {op: matmul, name: logits_acc, in: norm_final_mx, rows: $vocab, weights: $head, weight: $head_weight}\n"
    "  - {op: dequantize, name: logits, in: logits_acc}\n"
    "  - {op: argmax, name: next_id, in: logits}\n";
// clang-format on
