// SPDX-License-Identifier: Apache-2.0
// Writes the design report as JSON, with the same figures as the text report. Other files of this folder add the
// members for power, memories, weights, dies and the clock.
#include <string.h>

#include "gen/report/design_report.h"
#include "gen/report/report_parts.h"

static void add_string(struct text *out, const char *key, const char *value) {
    text_addf(out, "\"%s\": ", key);
    text_add_json_string(out, value, strlen(value));
}

static void add_resources(const struct cost_resources *c, struct text *out) {
    struct report_figure f[REPORT_RESOURCES];
    report_figures(c, f);
    for (int i = 0; i < REPORT_RESOURCES; i++) {
        text_addf(out, "%s\"%s\": ", i ? ", " : "", f[i].key);
        report_count(&f[i], 0, out);
    }
}

// Adds the member `name` of the resources. `kernels` is the first member, so it gets no comma before it.
static void add_sum(const char *name, const struct cost_resources *c, struct text *out) {
    text_addf(out, "%s\n  \"%s\": {", strcmp(name, "kernels") ? "," : "", name);
    add_resources(c, out);
    text_add(out, "}");
}

static void add_percent(const struct report *r, const struct cost_resources *available, struct text *out) {
    struct report_figure have[REPORT_RESOURCES], use[REPORT_RESOURCES];
    report_figures(available, have);
    report_figures(&r->cost.total, use);
    text_add(out, ",\n  \"percent\": {");
    for (int i = 0; i < REPORT_RESOURCES; i++)
        text_addf(out, "%s\"%s\": %.1f", i ? ", " : "", have[i].key,
                  have[i].count ? 100.0 * (double)use[i].count / (double)have[i].count : 0.0);
    text_add(out, "}");
}

static void add_totals(const struct report *r, struct text *out) {
    struct cost_resources available = cost_available(r->ir);
    text_add(out, " \"resources\": {");
    add_sum("kernels", &r->cost.kernels, out);
    add_sum("fifos", &r->cost.fifos, out);
    add_sum("memory", &r->cost.memory, out);
    add_sum("total", &r->cost.total, out);
    add_sum("available", &available, out);
    add_percent(r, &available, out);
    text_add(out, "},\n");
}

static void add_design(const struct report *r, struct text *out) {
    const struct ir_design *d = &r->ir->design;
    add_string(out, "name", r->ir->name);
    text_addf(
        out,
        ", \"channels\": %d, \"beat_bits\": %d, \"lanes\": %d, \"tokens\": %d, \"copies\": %d, \"clock_mhz\": %g, ",
        d->channels, d->beat_bits, d->lanes, d->tokens, d->copies, d->clock_mhz);
    add_string(out, "board", d->board);
    struct report_uniform u = report_uniform_depths(r->ir);
    text_addf(
        out, ", \"fifo_bits\": %lld, \"fifo_bits_safe\": %lld, \"fifo_bits_uniform\": %lld, \"channel_bytes\": %lld,\n",
        (long long)report_fifo_bits(r->ir), (long long)u.safe, (long long)u.all, (long long)report_channel_used(r->ir));
}

static void add_decode(const struct report *r, struct text *out) {
    const struct cost_bound *b = &r->bound;
    text_addf(out, " \"engine_beats\": {\"weights\": %lld, \"keys\": %lld, \"values\": %lld},\n",
              (long long)r->beats.weights, (long long)r->beats.scores, (long long)r->beats.values);
    text_addf(out,
              " \"decode\": {\"position\": %lld, \"tokens\": %d, \"engine_cycles\": %lld, \"memory_cycles\": %lld, "
              "\"kernel_cycles\": %lld, ",
              (long long)r->position, r->step.tokens, (long long)b->engine, (long long)b->memory, (long long)b->kernel);
    if (b->busiest != IR_NONE) add_string(out, "kernel", r->ir->kernel[b->busiest].name);
    else text_add(out, "\"kernel\": null");
    struct hbm_share share = report_share(r);
    text_addf(out,
              ", \"cycles\": %lld, \"tokens_per_second\": %.1f, \"hbm_of_peak\": %.4f, \"hbm_of_sustained\": %.4f},\n",
              (long long)b->cycles, b->tokens_per_second, share.peak, share.sustained);
}

static void add_kernels(const struct report *r, struct text *out) {
    text_add(out, " \"kernels\": [");
    for (int k = 0; k < r->ir->kernels; k++) {
        struct cost_work work = cost_kernel_work(r->ir, k, r->position);
        text_add(out, k ? ",\n  {" : "\n  {");
        add_string(out, "name", r->ir->kernel[k].name);
        text_add(out, ", ");
        add_string(out, "module", r->ir->kernel[k].module);
        text_add(out, ", ");
        if (r->cost.known[k]) add_resources(&r->cost.kernel[k], out);
        else text_add(out, "\"lut\": null, \"ff\": null, \"dsp\": null, \"bram36\": null, \"uram\": null");
        report_measured_json(r, k, out);
        text_addf(out, ", \"busy\": %lld, \"latency\": ", (long long)work.busy);
        if (work.latency == IR_NONE) text_add(out, "null}");
        else text_addf(out, "%lld}", (long long)work.latency);
    }
    text_add(out, "],\n");
}

// Adds the kernel at one end of a stream, with its latency and interval in a decode step.
static void add_end(const struct report *r, const char *key, int kernel, struct text *out) {
    struct cost_work work = cost_kernel_work(r->ir, kernel, r->position);
    text_addf(out, "\"%s\": {", key);
    add_string(out, "kernel", r->ir->kernel[kernel].name);
    text_add(out, ", \"initial_delay\": ");
    if (work.latency == IR_NONE) text_add(out, "null");
    else text_addf(out, "%lld", (long long)work.latency);
    text_addf(out, ", \"interval\": %lld}, ", (long long)work.contract.interval);
}

static void add_fifos(const struct report *r, struct text *out) {
    text_add(out, " \"fifos\": [");
    for (int e = 0; e < r->ir->edges; e++) {
        const struct ir_edge *edge = &r->ir->edge[e];
        text_add(out, e ? ",\n  {" : "\n  {");
        add_string(out, "name", edge->name);
        text_addf(out, ", \"depth\": %lld, \"bits\": %lld, ", (long long)edge->depth,
                  (long long)cost_edge_bits(r->ir, edge));
        add_string(out, "memory", ram_style_words[edge->ram_style]);
        text_addf(out, ", \"run_ahead\": %s, ", edge->run_ahead ? "true" : "false");
        add_end(r, "writer", edge->src_kernel, out);
        add_end(r, "reader", edge->dst_kernel, out);
        text_addf(out, "\"waits\": %lld, ", (long long)edge->delay);
        if (edge->forced_by) add_string(out, "forced_by", edge->forced_by);
        else text_add(out, "\"forced_by\": null");
        text_add(out, ", ");
        add_resources(&r->cost.edge[e], out);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void add_engines(const struct report *r, struct text *out) {
    text_add(out, " \"engines\": [");
    for (int e = 0; e < r->ir->engines; e++) {
        struct cost_beats b = cost_step_beats(r->ir, e, &r->step);
        text_add(out, e ? ",\n  {" : "\n  {");
        add_string(out, "name", r->ir->engine[e].name);
        const struct ir_engine *engine = &r->ir->engine[e];
        if (ir_is_resident(engine)) text_addf(out, ", \"lanes\": %d, \"resident\": true", engine->lanes);
        else text_addf(out, ", \"first_channel\": %d, \"channels\": %d", engine->first_channel, engine->channels);
        text_addf(out, ", \"cycles\": %lld}", (long long)(b.weights + b.scores + b.values));
    }
    text_add(out, "],\n");
}

void design_report_json(const struct ir *ir, const struct clock_model *clock, struct text *out) {
    struct report r = report_make(ir, clock);
    text_add(out, "{");
    add_design(&r, out);
    add_totals(&r, out);
    add_decode(&r, out);
    report_power_json(&r, out);
    if (ir->engines > 1) add_engines(&r, out);
    add_kernels(&r, out);
    report_fit_json(&r, out);
    report_memories_json(&r, out);
    report_weights_json(&r, out);
    report_dies_json(&r, out);
    report_clock_json(&r, out);
    add_fifos(&r, out);
    text_add(out, "}\n");
}
