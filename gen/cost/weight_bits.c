// SPDX-License-Identifier: Apache-2.0
// Counts the bits that the memory image holds for each weight: the elements, their scales, offsets and biases, and the
// padding of beats.
#include "gen/cost/cost.h"
#include "gen/ir/layout.h"
#include "gen/ir/names.h"
#include "gen/ir/ops.h"

// FP32: `coding` of weights that are not quantized. ROW_BITS: bits of a row's scale and bias. ASYM_GROUP: weights that
// share a scale and an offset in int4_asym.
enum { FP32 = -1, F32_BITS = 32, ROW_BITS = 2 * F32_BITS, ASYM_GROUP = 32 };

// Returns the bits of a row of a product without its weights: scale and bias, and the scales and offsets of groups.
static int64_t product_beside(const struct ir *ir, enum spec_format format, int64_t k) {
    int64_t groups = format == SPEC_INT4        ? layout_div_up(k, ir->design.group)
                     : format == SPEC_INT4_ASYM ? 2 * layout_div_up(k, ASYM_GROUP)
                                                : 0;
    return ROW_BITS + 8 * groups;
}

// Counts the weights of the product to which the segment belongs. The segment takes s->bytes on the channel of each
// lane and, in a repeated region, for each repetition. The segment of a resident engine has the weights of all lanes.
static struct cost_format product(const struct ir *ir, const struct ir_segment *s) {
    const struct ir_node *n = &ir->node[s->node];
    enum spec_format format = layout_format(n);
    int64_t k = ir_vector_length(ir, n), repeat = s->layer_stride ? ir->region[n->region].repeat : 1,
            rows = ir_attr_int(&n->attrs, "rows", 0) * repeat,
            lanes = ir_is_of_store(ir, s) ? 1 : ir->engine[ir_engine_of(ir, s->node)].lanes;
    return (struct cost_format){.holder = COST_PRODUCTS,
                                .coding = (int)format,
                                .what = "products",
                                .format = spec_format_name((int)format),
                                .weights = rows * k,
                                .elements = rows * k * (format == SPEC_INT8 ? 8 : 4),
                                .beside = rows * product_beside(ir, format, k),
                                .stored = 8 * s->bytes * lanes * repeat};
}

// Counts the weights of the table in the segment. A table without quantization counts as fp32.
static struct cost_format table(const struct ir *ir, const struct ir_segment *s) {
    static const int bits[] = {[SPEC_TABLE_INT8] = 8, [SPEC_TABLE_INT4] = 4, [SPEC_TABLE_INT16] = 16};
    const struct ir_node *n = &ir->node[s->node];
    bool quantized = ir_op_weights(ir, n->op) == IR_WEIGHTS_RECORDS;
    int format = (int)layout_table_format(n);
    int64_t tables = names_repeat(ir_attr_string(&n->attrs, "weight", "")) ? ir->region[n->region].repeat : 1,
            cols = ir_attr_int(&n->attrs, "cols", 0), rows = ir_attr_int(&n->attrs, "rows", 0) * tables,
            groups = layout_record(&ir->design, cols, (enum spec_table_format)format).groups;
    return (struct cost_format){.holder = COST_TABLES,
                                .coding = quantized ? format : FP32,
                                .what = "tables",
                                .format = quantized ? spec_table_format_name(format) : "fp32",
                                .weights = rows * cols,
                                .elements = rows * cols * (quantized ? bits[format] : F32_BITS),
                                .beside = quantized ? rows * (F32_BITS + 8 * groups) : 0,
                                .stored = 8 * s->bytes * ir_parts(s->parts)};
}

// Counts the vector parameters in the segment, which are fp32.
static struct cost_format vectors(const struct ir *ir, const struct ir_segment *s) {
    const struct ir_node *n = &ir->node[s->node];
    int64_t weights = ir_vector_length(ir, n) * ir_param_vectors(ir, n) * ir->region[n->region].repeat;
    return (struct cost_format){.holder = COST_VECTORS,
                                .coding = FP32,
                                .what = "vectors",
                                .format = "fp32",
                                .weights = weights,
                                .elements = weights * F32_BITS,
                                .stored = 8 * s->bytes};
}

// Counts the weights of a segment. Caches, ids, the header and computed tables hold none (COST_NOTHING).
static struct cost_format of_segment(const struct ir *ir, const struct ir_segment *s) {
    enum ir_weights has = s->node == IR_NONE ? IR_WEIGHTS_NONE : ir_op_weights(ir, ir->node[s->node].op);
    if (s->kind == IR_SEG_WEIGHTS) return product(ir, s);
    if (s->kind == IR_SEG_PARAMS && has == IR_WEIGHTS_VECTORS) return vectors(ir, s);
    if (s->kind == IR_SEG_TABLE && has != IR_WEIGHTS_COMPUTED) return table(ir, s);
    return (struct cost_format){0};
}

static void add(struct cost_format *sum, const struct cost_format *f) {
    sum->weights += f->weights, sum->elements += f->elements;
    sum->beside += f->beside, sum->stored += f->stored;
}

struct cost_formats cost_formats(const struct ir *ir) {
    struct cost_formats all = {.all = {.what = "all", .format = ""}};
    all.row = ARENA_ARRAY(ir->arena, struct cost_format, (size_t)ir->segments + 1);
    for (int s = 0; s < ir->segments; s++) {
        struct cost_format f = of_segment(ir, &ir->segment[s]);
        int row = 0;
        if (!f.holder) continue;
        while (row < all.rows && (all.row[row].holder != f.holder || all.row[row].coding != f.coding)) row++;
        if (row == all.rows)
            all.row[all.rows++] = (struct cost_format){f.holder, f.coding, f.what, f.format, 0, 0, 0, 0};
        add(&all.row[row], &f);
        add(&all.all, &f);
    }
    return all;
}
