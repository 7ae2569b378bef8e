// SPDX-License-Identifier: Apache-2.0
// Assembles the text of the design report from the sections in the other files of this folder. `rill gen` writes the
// report to report.txt, and `rill check` prints only its first sections, the summary.
#include "gen/report/design_report.h"

#include "gen/report/report_parts.h"

static void add_graph(const struct ir *ir, struct text *out) {
    const struct ir_design *d = &ir->design;
    text_addf(out, "%s: %d operations in %d region%s, %d tensors\n", ir->name, ir->nodes, ir->regions,
              ir->regions == 1 ? "" : "s", ir->tensors);
    if (d->derived) text_addf(out, "family %s, sizes that follow: %s\n", d->family, d->derived);
    for (int r = 0; r < ir->regions; r++)
        text_addf(out, "  region %-12s x%-4lld %s, %d operations\n", ir->region[r].name,
                  (long long)ir->region[r].repeat,
                  ir_takes_last(ir, r)            ? "last token"
                  : ir->region[r].when == IR_LAST ? "last step"
                                                  : "always",
                  ir->region[r].nodes);
    text_addf(out, "design: %d channels x %d bit, %d lanes, T = %d, A = %d, %.0f MHz, %s on %s\n", d->channels,
              d->beat_bits, d->lanes, d->tokens, d->copies, d->clock_mhz, spec_binding_name(d->binding), d->board);
    if (ir_second_clock(ir))
        text_addf(out, "second clock: %.0f MHz, of multipliers that work twice in a cycle\n", 2 * d->clock_mhz);
    text_addf(out, "hardware: %d kernels, %d streams, %lld FIFO bits\n", ir->kernels, ir->edges,
              (long long)report_fifo_bits(ir));
    struct report_uniform u = report_uniform_depths(ir);
    text_addf(
        out,
        "FIFO depths: %s; without step words and parameters by the safe rule %lld bits, all as deep as the deepest "
        "(%lld words) %lld\n",
        spec_fifo_name(ir->design.fifo), (long long)u.safe, (long long)u.deepest, (long long)u.all);
    if (d->strategy) text_addf(out, "FIFO strategy %s\n", ir_strategy_text(ir));
    text_addf(out, "memory: %lld bytes of each channel used\n", (long long)report_channel_used(ir));
}

// Adds the line about the weights that stay on chip: their bytes, and the resources of their stores. Adds nothing if
// there are none.
static void add_resident(const struct report *r, struct text *out) {
    struct cost_resources sum = {0};
    int64_t bytes = 0;
    int engines = 0, lanes = 0;
    for (int e = 0; e < r->ir->engines; e++) {
        const struct ir_engine *engine = &r->ir->engine[e];
        if (engine->store == IR_NONE) continue;
        cost_add(&sum, &r->cost.kernel[engine->store], 1);
        engines++;
        lanes += engine->lanes;
    }
    for (int s = 0; s < r->ir->segments; s++)
        if (ir_is_of_store(r->ir, &r->ir->segment[s]))
            bytes += r->ir->segment[s].bytes * ir_segment_copies(r->ir, &r->ir->segment[s]);
    if (!engines) return;
    text_addf(out,
              "weights on chip: %lld bytes for %d engine%s with %d lanes; %lld LUT, %lld FF, %g BRAM36, %lld URAM\n",
              (long long)bytes, engines, engines == 1 ? "" : "s", lanes, (long long)sum.lut, (long long)sum.ff,
              (double)sum.bram18 / 2, (long long)sum.uram);
}

static void add_summary(const struct report *r, struct text *out) {
    add_graph(r->ir, out);
    add_resident(r, out);
    report_resources(r, out);
    report_dies(r, out);
    report_clock(r, out);
    report_decode(r, out);
    report_power(r, out);
    report_weights(r, out);
}

static void add_segments(const struct ir *ir, struct text *out) {
    text_add(out, "\nmemory map: offset, bytes, layer stride, channel, segment\n");
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        text_addf(out, "  0x%09llx %11lld %9lld %4s %s\n", (unsigned long long)seg->offset, (long long)seg->bytes,
                  (long long)seg->layer_stride, ir_segment_channels(ir, seg, "all"), seg->name);
    }
}

void design_report_summary(const struct ir *ir, const struct clock_model *clock, struct text *out) {
    struct report r = report_make(ir, clock);
    add_summary(&r, out);
}

void design_report_crossings(const struct ir *ir, struct text *out) {
    struct report r = report_make(ir, NULL);
    report_crossings(&r, out);
}

void design_report_text(const struct ir *ir, const struct clock_model *clock, struct text *out) {
    struct report r = report_make(ir, clock);
    add_summary(&r, out);
    report_kernels(&r, out);
    report_fit(&r, out);
    report_fifos(&r, out);
    report_memories(&r, out);
    report_crossings(&r, out);
    if (ir->groups) design_report_memory(ir, 0, out);
    add_segments(ir, out);
}
