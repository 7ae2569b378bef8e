// SPDX-License-Identifier: Apache-2.0
#include "emit_report.h"

#include <string.h>

#include "layout.h"
#include "ops.h"

static struct layout_matrix matrix_of(const struct ir *ir, const struct ir_firing *f) {
    const struct ir_node *node = &ir->node[f->node];
    return layout_matrix(&ir->design, ir_attr_int(&node->attrs, "rows", 0), ir_tensor_elements(&ir->tensor[node->in[0]]), f->mode == 1);
}

struct report_cycles emit_report_cycles(const struct ir *ir, int64_t position) {
    struct report_cycles c = {0};
    for (int i = 0; i < ir->firings; i++) {
        const struct ir_firing *f = &ir->firing[i];
        int64_t repeat = ir->region[f->region].repeat;
        if (f->mode <= 1) c.weights += repeat * matrix_of(ir, f).stream_beats;
        if (f->mode == 2) c.scores += repeat * (layout_div_up(position, ir->design.channels) + 1) * f->beats;
        if (f->mode == 3) c.values += repeat * f->row_steps * f->beats * (position / LAYOUT_V_BLOCK + 1);
    }
    return c;
}

static int64_t channel_used(const struct ir *ir) {
    int64_t end = 0;
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        int64_t repeat = seg->layer_stride && seg->kind == IR_SEG_WEIGHTS ? ir->region[ir->node[seg->node].region].repeat - 1 : 0;
        if (seg->offset + seg->bytes + repeat * seg->layer_stride > end) end = seg->offset + seg->bytes + repeat * seg->layer_stride;
    }
    return end;
}

static int64_t fifo_bits(const struct ir *ir) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++) bits += ir->edge[e].depth * ir->kernel[ir->edge[e].src_kernel].port[ir->edge[e].src_port].data_bits;
    return bits;
}

void emit_report_summary(const struct ir *ir, struct text *out) {
    const struct ir_design *d = &ir->design;
    struct report_cycles c = emit_report_cycles(ir, d->context / 2);
    int64_t total = c.weights + c.scores + c.values;
    text_addf(out, "%s: %d operations in %d regions, %d tensors\n", ir->name, ir->nodes, ir->regions, ir->tensors);
    for (int r = 0; r < ir->regions; r++)
        text_addf(out, "  region %-12s x%-4lld %s, %d operations\n", ir->region[r].name, (long long)ir->region[r].repeat,
                  ir->region[r].when == IR_LAST ? "last token" : "always", ir->region[r].nodes);
    text_addf(out, "design: %d channels x %d bit, %d lanes, T = %d, %.0f MHz, %s on %s\n", d->channels, d->beat_bits, d->lanes, d->tokens,
              d->clock_mhz, d->binding, d->board);
    text_addf(out, "hardware: %d kernels, %d streams, %lld FIFO bits\n", ir->kernels, ir->edges, (long long)fifo_bits(ir));
    text_addf(out, "memory: %lld bytes of each channel used\n", (long long)channel_used(ir));
    text_addf(
        out,
        "engine, one decode step at position %lld: %lld beats of weights, %lld of keys, %lld of values: at most %.1f steps/s by this bound alone\n",
        (long long)d->context / 2, (long long)c.weights, (long long)c.scores, (long long)c.values, total ? d->clock_mhz * 1e6 / (double)total : 0.0);
}

static void add_kernels(const struct ir *ir, struct text *out) {
    text_add(out, "\nkernels\n");
    for (int k = 0; k < ir->kernels; k++) {
        const struct ir_kernel *kernel = &ir->kernel[k];
        text_addf(out, "  %-24s %-22s %s\n", kernel->name, kernel->module,
                  kernel->node == IR_NONE ? "" : ir_op_table[ir->node[kernel->node].op].name);
    }
}

static void add_fifos(const struct ir *ir, struct text *out) {
    text_add(out, "\nFIFOs: depth x bits, memory, stream\n");
    for (int e = 0; e < ir->edges; e++)
        text_addf(out, "  %7lld x %-5lld %-12s %s\n", (long long)ir->edge[e].depth,
                  (long long)ir->kernel[ir->edge[e].src_kernel].port[ir->edge[e].src_port].data_bits, ir->edge[e].ram_style, ir->edge[e].name);
}

static void add_segments(const struct ir *ir, struct text *out) {
    text_add(out, "\nmemory map: offset, bytes, layer stride, channel, segment\n");
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        text_addf(out, "  0x%09llx %11lld %9lld %4s %s\n", (unsigned long long)seg->offset, (long long)seg->bytes, (long long)seg->layer_stride,
                  seg->channel == IR_NONE ? "all" : arena_printf(ir->arena, "%d", seg->channel), seg->name);
    }
}

void emit_report_text(const struct ir *ir, struct text *out) {
    emit_report_summary(ir, out);
    add_kernels(ir, out);
    add_fifos(ir, out);
    add_segments(ir, out);
}

static void json_string(struct text *out, const char *key, const char *value) {
    text_addf(out, "\"%s\": ", key);
    text_add_json_string(out, value, strlen(value));
}

void emit_report_json(const struct ir *ir, struct text *out) {
    struct report_cycles c = emit_report_cycles(ir, ir->design.context / 2);
    text_add(out, "{");
    json_string(out, "name", ir->name);
    text_addf(
        out,
        ", \"channels\": %d, \"beat_bits\": %d, \"lanes\": %d, \"tokens\": %d, \"clock_mhz\": %g, \"fifo_bits\": %lld, \"channel_bytes\": %lld,\n",
        ir->design.channels, ir->design.beat_bits, ir->design.lanes, ir->design.tokens, ir->design.clock_mhz, (long long)fifo_bits(ir),
        (long long)channel_used(ir));
    text_addf(out, " \"engine_beats\": {\"weights\": %lld, \"keys\": %lld, \"values\": %lld},\n \"kernels\": [", (long long)c.weights,
              (long long)c.scores, (long long)c.values);
    for (int k = 0; k < ir->kernels; k++) {
        text_add(out, k ? ",\n  {" : "\n  {");
        json_string(out, "name", ir->kernel[k].name);
        text_add(out, ", ");
        json_string(out, "module", ir->kernel[k].module);
        text_add(out, "}");
    }
    text_add(out, "],\n \"fifos\": [");
    for (int e = 0; e < ir->edges; e++) {
        text_add(out, e ? ",\n  {" : "\n  {");
        json_string(out, "name", ir->edge[e].name);
        text_addf(out, ", \"depth\": %lld, \"bits\": %lld, ", (long long)ir->edge[e].depth,
                  (long long)ir->kernel[ir->edge[e].src_kernel].port[ir->edge[e].src_port].data_bits);
        json_string(out, "memory", ir->edge[e].ram_style);
        text_add(out, "}");
    }
    text_add(out, "]}\n");
}
