// SPDX-License-Identifier: Apache-2.0
// config.json against the graph: what the shapes of the tensors cannot tell (heads, eps, the kind of model) would give
// a wrong text silently.
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint.h"
#include "image.h"
#include "ops.h"
#include "tokenizer.h"

static const struct ir_node *find_node(const struct ir *ir, int op) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].op == op) return &ir->node[n];
    return NULL;
}

static bool is_head_tied(const struct ir *ir, const struct ir_node *embed) {
    const char *table = ir_attr_string(&embed->attrs, "weight", "");
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].op == IR_OP_MATMUL && !strcmp(ir_attr_string(&ir->node[n].attrs, "weight", ""), table))
            return true;
    return false;
}

bool pack_check_config(const struct ir *ir, const char *dir, struct diag *diag) {
    const struct ir_node *embed = find_node(ir, IR_OP_EMBED), *position = find_node(ir, IR_OP_POSITION),
                         *norm = find_node(ir, IR_OP_LAYERNORM), *keys = find_node(ir, IR_OP_KV_QUANTIZE),
                         *gelu = find_node(ir, IR_OP_GELU);
    if (!ir->design.family || strcmp(ir->design.family, "gpt2") || !embed || !position || !norm || !keys || !gelu)
        return true; // a graph has no config
    struct gpt2_config have, want = {
                                 .layers = ir->region[keys->region].repeat,
                                 .hidden = ir_attr_int(&embed->attrs, "cols", 0),
                                 .heads = ir_attr_int(&keys->attrs, "heads", 0),
                                 .ffn = ir_tensor_elements(&ir->tensor[gelu->in[0]]),
                                 .vocab = ir_attr_int(&embed->attrs, "rows", 0),
                                 .context = ir_attr_int(&position->attrs, "rows", 0),
                                 .norm_eps = ir_attr_float(&norm->attrs, "eps", 1e-5),
                                 .tied_head = is_head_tied(ir, embed),
                             };
    return gpt2_config_read(ir->arena, dir, &have, diag) && gpt2_config_check(ir->arena, dir, &have, &want, diag);
}

bool pack_has_tokenizer(const struct ir *ir, const char *dir) {
    for (size_t i = 0; i < PACK_TOKENIZER_FILES; i++)
        if (access(arena_printf(ir->arena, "%s/%s", dir, pack_tokenizer_file[i]), F_OK) == 0) return true;
    return false;
}

bool pack_check_tokenizer(const struct ir *ir, const char *dir, struct diag *diag) {
    int64_t rows = ir_vocabulary(ir);
    if (!rows || !pack_has_tokenizer(ir, dir)) return true; // ids in, ids out
    struct tokenizer *t = tokenizer_open(ir->arena, dir, diag);
    if (!t) return false;
    int64_t have = tokenizer_vocab(t);
    tokenizer_close(t);
    if (have <= rows) return true;
    diag_error(diag, loc_file(ir->arena, dir), "the tokenizer has %" PRId64 " tokens, the spec's vocabulary %" PRId64,
               have, rows);
    return false;
}
