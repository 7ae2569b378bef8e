// SPDX-License-Identifier: Apache-2.0
// Compares the frequency divisors in a GGUF file with the spec's table of angles for rotary embeddings. Both describe
// how the angles are scaled for long contexts: the file has a divisor per frequency, the spec has `rope` keys.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gen/model/gguf_model.h"
#include "gen/pack/image.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"

#define MOST_APART 1e-4 // largest relative difference; both sides are calculated from rounded numbers

// Returns the node of this name whose table the packer computes instead of reading it from the checkpoint, or NULL.
static const struct ir_node *find_table(const struct ir *ir, const char *name) {
    for (int n = 0; n < ir->nodes; n++)
        if (!strcmp(ir->node[n].name, name) && ir_op_weights(ir, ir->node[n].op) == IR_WEIGHTS_COMPUTED)
            return &ir->node[n];
    return NULL;
}

// Returns the divisor of the frequency of pair `i`, calculated from `row`, the table's row of position 1. A row has all
// cosines first and then all sines. cols: values in a row, two per pair.
static double divisor(const struct ir_node *node, const float *row, int64_t cols, int64_t i) {
    double theta = ir_attr_float(&node->attrs, "theta", 1), plain = pow(theta, -2 * (double)i / (double)cols);
    return plain / atan2((double)row[cols / 2 + i], (double)row[i]);
}

// Compares the `n` divisors `have` of a tensor in the file with a table of the graph. Reports the first difference.
static bool check_table(const struct ir *ir, const struct ir_node *node, const char *tensor, const float *have,
                        int64_t n, struct loc loc, struct diag *diag) {
    int64_t cols = ir_attr_int(&node->attrs, "cols", 0);
    float *table = ARENA_ARRAY(ir->arena, float, (size_t)(2 * cols)), *row = table + cols;
    if (n != cols / 2) {
        diag_error(diag, loc, MSG_ROPE_DIVISORS, tensor, n, cols / 2);
        return false;
    }
    kernel_of_op(ir, node->op)->compute(node, 2, cols, table);
    for (int64_t i = 0; i < n; i++) {
        double want = divisor(node, row, cols, i);
        if (fabs((double)have[i] / want - 1) <= MOST_APART) continue;
        diag_error(diag, loc, MSG_ROPE_FREQUENCY, tensor, i, (double)have[i], want);
        diag_note(diag, loc, "the model's `rope` keys decide this: scaling, factor, context, low and high");
        return false;
    }
    return true;
}

bool pack_check_angles(const struct ir *ir, const struct family *f, const char *path, struct diag *diag) {
    if (!gguf_is_path(path)) return true;
    for (size_t i = 0; i < f->gguf.tensors; i++) {
        const struct family_tensor *t = &f->gguf.tensor[i];
        int errors = diag->errors;
        int64_t n = 0;
        const float *have = t->divides ? gguf_model_vector(ir->arena, path, t->pattern, &n, diag) : NULL;
        const struct ir_node *node = have ? find_table(ir, t->divides) : NULL;
        if (diag->errors != errors) return false;
        if (have && !node) return diag_error(diag, t->loc, MSG_ROPE_TABLE_MISSING, t->divides), false;
        if (node && !check_table(ir, node, t->pattern, have, n, loc_file(ir->arena, path), diag)) return false;
    }
    return true;
}
