// SPDX-License-Identifier: Apache-2.0
// The report's sections about resources, cycles, power, kernels and FIFOs. docs/cost.md explains the figures.
#include <string.h>

#include "gen/ir/ops.h"
#include "gen/report/report_parts.h"

struct report report_make(const struct ir *ir, const struct clock_model *clock) {
    struct report r = {.ir = ir, .clock = clock, .position = ir->design.context / 2};
    r.cost = cost_design(ir);
    r.measured = cost_rows_read(ir->arena);
    r.step = cost_usual_step(ir, r.position);
    int engine = cost_slowest_engine(ir, &r.step);
    if (engine != IR_NONE) r.beats = cost_step_beats(ir, engine, &r.step);
    r.bound = cost_step_bound(ir, &r.step);
    return r;
}

void report_figures(const struct cost_resources *c, struct report_figure out[REPORT_RESOURCES]) {
    const struct report_figure figures[REPORT_RESOURCES] = {{"LUT", "lut", false, c->lut},
                                                            {"FF", "ff", false, c->ff},
                                                            {"DSP", "dsp", false, c->dsp},
                                                            {"BRAM36", "bram36", true, c->bram18},
                                                            {"URAM", "uram", false, c->uram}};
    memcpy(out, figures, sizeof figures);
}

void report_count(const struct report_figure *f, int width, struct text *out) {
    long long whole = f->halves ? f->count / 2 : f->count;
    if (f->halves && f->count % 2) text_addf(out, "%*lld.5", width > 2 ? width - 2 : 0, whole);
    else text_addf(out, "%*lld", width, whole);
}

// Adds the counts of a row. In all functions below, the columns of LUTs and FFs have 9 characters, the others 7.
static void add_counts(const struct cost_resources *c, struct text *out) {
    struct report_figure f[REPORT_RESOURCES];
    report_figures(c, f);
    for (int i = 0; i < REPORT_RESOURCES; i++) report_count(&f[i], i < 2 ? 9 : 7, out);
}

static void add_titles(const char *first, int width, struct text *out) {
    struct report_figure f[REPORT_RESOURCES];
    report_figures(&(struct cost_resources){0}, f);
    text_addf(out, "%-*s", width, first);
    for (int i = 0; i < REPORT_RESOURCES; i++) text_addf(out, "%*s", i < 2 ? 9 : 7, f[i].title);
}

static void add_share(const struct report *r, const struct cost_resources *available, struct text *out) {
    struct report_figure have[REPORT_RESOURCES], use[REPORT_RESOURCES];
    report_figures(available, have);
    report_figures(&r->cost.total, use);
    text_addf(out, "  %-34s", "share of it, %");
    for (int i = 0; i < REPORT_RESOURCES; i++)
        text_addf(out, "%*.1f", i < 2 ? 9 : 7,
                  have[i].count ? 100.0 * (double)use[i].count / (double)have[i].count : 0.0);
    text_add(out, "\n");
}

void report_resources(const struct report *r, struct text *out) {
    const struct {
        const char *name;
        const struct cost_resources *sum;
    } rows[] = {{"kernels", &r->cost.kernels},
                {"FIFOs", &r->cost.fifos},
                {"DMA engines", &r->cost.memory},
                {"all", &r->cost.total}};
    struct cost_resources available = cost_available(r->ir);
    text_add(out, "\n");
    add_titles("resources, estimated", 36, out);
    text_add(out, "\n");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        text_addf(out, "  %-34s", rows[i].name);
        add_counts(rows[i].sum, out);
        text_add(out, "\n");
    }
    const char *ports = cost_ports(r->ir, cost_memory_die(r->ir)).lut ? " and ports" : "";
    text_addf(out, "  %-34s", arena_printf(r->ir->arena, "%s without its platform%s", r->ir->design.board, ports));
    add_counts(&available, out);
    text_add(out, "\n");
    add_share(r, &available, out);
}

static void add_engine(const struct report *r, int id, struct text *out) {
    const struct ir_engine *e = &r->ir->engine[id];
    struct cost_beats beats = cost_step_beats(r->ir, id, &r->step);
    text_addf(out, "    %-32s%9lld  ", e->name, (long long)(beats.weights + beats.scores + beats.values));
    if (ir_is_resident(e)) text_addf(out, "%d lanes, weights on chip\n", e->lanes);
    else text_addf(out, "channels %d to %d\n", e->first_channel, e->first_channel + e->channels - 1);
}

struct hbm_share report_share(const struct report *r) {
    const struct ir_design *d = &r->ir->design;
    double cycle = 1e-6 / d->clock_mhz, seconds = (double)r->bound.cycles * cycle;
    double bytes = (double)r->bound.memory * cycle * hbm_figures_rate(&d->hbm) * 1e9;
    return hbm_figures_share(&d->hbm, bytes, seconds);
}

// Returns a phrase that limits the bound to the step's positions, because steps at earlier positions read fewer keys
// and values and may take fewer cycles. Returns "" for a design where positions do not matter.
const char *report_where(const struct report *r) {
    if (!cost_positions_matter(r->ir)) return "";
    return r->step.tokens > 1 ? " at these positions" : " at this position";
}

void report_decode(const struct report *r, struct text *out) {
    const struct cost_bound *b = &r->bound;
    bool is_lm = r->ir->design.is_lm;
    if (is_lm) text_addf(out, "\none decode step at position %lld, in cycles\n", (long long)r->position);
    else
        text_addf(out, "\none step of %d row%s from position %lld on, in cycles\n", r->step.tokens,
                  r->step.tokens == 1 ? "" : "s", (long long)r->position);
    text_addf(out, "  %-34s%9lld  %lld for weights, %lld for keys, %lld for values\n",
              r->ir->engines > 1 ? "slowest engine" : "engine", (long long)b->engine, (long long)r->beats.weights,
              (long long)r->beats.scores, (long long)r->beats.values);
    for (int e = 0; e < r->ir->engines && r->ir->engines > 1; e++) add_engine(r, e, out);
    text_addf(out, "  %-34s%9lld  at the sustained %.2f GB/s of each channel\n", "fullest channel",
              (long long)b->memory, hbm_figures_rate(&r->ir->design.hbm));
    if (b->busiest != IR_NONE)
        text_addf(out, "  %-34s%9lld  %s\n", "busiest other kernel", (long long)b->kernel,
                  r->ir->kernel[b->busiest].name);
    text_addf(out, "  %-34s%9lld  at most %.1f %s/s%s\n", "bound", (long long)b->cycles, b->tokens_per_second,
              is_lm ? "tokens" : "rows", report_where(r));
    text_addf(out, "  fullest channel at the bound: %s\n",
              hbm_figures_share_text(r->ir->arena, &r->ir->design.hbm, report_share(r)));
}

void report_power(const struct report *r, struct text *out) {
    const struct ir *ir = r->ir;
    const struct board_power *b = &ir->design.figures.power;
    struct cost_power p = cost_step_power(ir, &r->cost, &r->step, (double)r->bound.cycles);
    if (p.high_w <= 0) return;
    text_addf(out, "\npower at the bound, W, estimated: from one set of the board's coefficients to the other\n");
    text_addf(out, "  %-34s%9.1f%9.1f\n", "card without a design", b->idle_low_w, b->idle_high_w);
    text_addf(out, "  %-34s%9.1f%9.1f\n", "memory", p.hbm_low_w, p.hbm_high_w);
    text_addf(out, "  %-34s%9.1f%9.1f\n", "logic", p.logic_low_w, p.logic_high_w);
    text_addf(out, "  %-34s%9.1f%9.1f  the card's limit is %g\n", "all", p.low_w, p.high_w, b->limit_w);
    text_addf(out, "  %-34s%9.1f%9.1f\n", ir->design.is_lm ? "tokens/J" : "rows/J",
              r->bound.tokens_per_second / p.high_w, r->bound.tokens_per_second / p.low_w);
}

void report_power_json(const struct report *r, struct text *out) {
    struct cost_power p = cost_step_power(r->ir, &r->cost, &r->step, (double)r->bound.cycles);
    if (p.high_w <= 0) return;
    text_addf(out,
              " \"power_w\": {\"low\": %.1f, \"high\": %.1f, \"memory\": [%.1f, %.1f], \"logic\": [%.1f, %.1f], "
              "\"limit\": %g},\n",
              p.low_w, p.high_w, p.hbm_low_w, p.hbm_high_w, p.logic_low_w, p.logic_high_w,
              r->ir->design.figures.power.limit_w);
}

static const char *operation_of(const struct report *r, const struct ir_kernel *k) {
    return k->node == IR_NONE ? "" : ir_op_of(r->ir, r->ir->node[k->node].op)->name;
}

// Prints a kernel's busy cycles and its latency, or a dash if its latency is unknown.
static void add_cycles(const struct cost_work *w, struct text *out) {
    text_addf(out, "%9lld", (long long)w->busy);
    if (w->latency == IR_NONE) text_addf(out, "%9s", "-");
    else text_addf(out, "%9lld", (long long)w->latency);
}

static int name_width(const struct ir *ir) {
    size_t width = 16;
    for (int k = 0; k < ir->kernels; k++)
        if (strlen(ir->kernel[k].name) > width) width = strlen(ir->kernel[k].name);
    return (int)width;
}

void report_kernels(const struct report *r, struct text *out) {
    text_addf(out,
              "\nkernels: estimated resources; cycles of work in a decode step at position %lld, cycles from the first "
              "word in to the first out\n",
              (long long)r->position);
    int width = name_width(r->ir);
    add_titles("  name", width + 24, out);
    text_addf(out, "%9s%9s  operation\n", "busy", "latency");
    for (int k = 0; k < r->ir->kernels; k++) {
        const struct ir_kernel *kernel = &r->ir->kernel[k];
        struct cost_work work = cost_kernel_work(r->ir, k, r->position);
        text_addf(out, "  %-*s %-21s", width, kernel->name, kernel->module);
        if (r->cost.known[k]) add_counts(&r->cost.kernel[k], out);
        else text_addf(out, "%9s%9s%7s%7s%7s", "-", "-", "-", "-", "-");
        add_cycles(&work, out);
        text_addf(out, "%s%s\n", *operation_of(r, kernel) ? "  " : "", operation_of(r, kernel));
    }
}

const char *report_contract(const struct report *r, int kernel) {
    struct cost_work work = cost_kernel_work(r->ir, kernel, r->position);
    const char *name = r->ir->kernel[kernel].name;
    if (work.latency == IR_NONE)
        return arena_printf(r->ir->arena, "%s -/%lld", name, (long long)work.contract.interval);
    return arena_printf(r->ir->arena, "%s %lld/%lld", name, (long long)work.latency, (long long)work.contract.interval);
}

// Explains the depth of each FIFO with more than two words: the step that filled it, the path for which its reader
// waited, and how long the word waited.
static void report_certificates(const struct report *r, struct text *out) {
    bool timed = r->ir->design.fifo != SPEC_SAFE;
    text_addf(out, "\nwhat asks for more than two words%s\n",
              timed ? ": the step that filled the FIFO, for which path its reader waited, and how long"
                    : " (fifo: safe)");
    text_add(out, "  writer and reader with initial delay / interval in cycles, in a decode step\n");
    for (int e = 0; e < r->ir->edges; e++) {
        const struct ir_edge *edge = &r->ir->edge[e];
        if (edge->depth <= 2 || !edge->forced_by) continue;
        text_addf(out, "  %7lld  %-40s  %s", (long long)edge->depth, edge->name, edge->forced_by);
        if (edge->delay > 0) text_addf(out, " (%lld cycles)", (long long)edge->delay);
        if (edge->run_ahead) text_add(out, ", runs ahead");
        text_addf(out, "; %s -> %s\n", report_contract(r, edge->src_kernel), report_contract(r, edge->dst_kernel));
    }
}

void report_fifos(const struct report *r, struct text *out) {
    text_add(out, "\n");
    add_titles("FIFOs: depth x bits, memory", 36, out);
    text_add(out, "  stream\n");
    for (int e = 0; e < r->ir->edges; e++) {
        const struct ir_edge *edge = &r->ir->edge[e];
        text_addf(out, "  %7lld x %-5lld %-18s", (long long)edge->depth, (long long)cost_edge_bits(r->ir, edge),
                  ram_style_words[edge->ram_style]);
        add_counts(&r->cost.edge[e], out);
        text_addf(out, "  %s\n", edge->name);
    }
    report_certificates(r, out);
}
