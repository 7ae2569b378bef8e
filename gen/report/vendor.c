// SPDX-License-Identifier: Apache-2.0
// The vendor's figures beside the estimates: kernel by kernel, streams, memory engines, all; die by die; slack.
#include "gen/report/vendor.h"

#include <inttypes.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/report/report_parts.h"

struct pair {
    const char *name;
    struct cost_resources estimate, vendor;
    bool found; // the tool's report has it
};
struct table {
    VEC(struct pair) kernels;
    struct pair streams, memory, others, all;
    struct pair *die; // NULL without partition
    int dies, missing, lanes_missing;
};

static const struct cost_resources *is_of(const struct vendor *v, int row) { return &v->rows.items[row].is; }

static bool begins(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

struct sought {
    const char *instance;
    int die; // IR_NONE: not met
};

static void meet(void *state, const char *instance, int die) {
    struct sought *s = state;
    if (!strcmp(s->instance, instance)) s->die = die;
}

// Whether an instance is a stream's, and its die.
static bool is_of_stream(const struct ir *ir, const char *instance, int *die) {
    struct sought s = {instance, IR_NONE};
    for (int e = 0; e < ir->edges && s.die == IR_NONE; e++) emit_walk_stream(ir, e, meet, &s);
    return *die = s.die, s.die != IR_NONE;
}

static void add_die(struct table *t, int die, const struct cost_resources *what, int64_t times) {
    if (t->die) cost_add(&t->die[die].vendor, what, times);
}

// Lanes lie where they were put, the rest of an engine at home.
static void add_lanes(const struct ir *ir, const struct vendor *v, int kernel, int row, struct table *t) {
    for (int e = 0; e < ir->engines; e++)
        for (int c = 0; ir->engine[e].kernel == kernel && c < ir->engine[e].channels; c++) {
            int lane = vendor_find(v, row, arena_printf(ir->arena, "gen_lane[%d].u_lane", c));
            t->lanes_missing += lane == IR_NONE;
            if (lane == IR_NONE) continue;
            add_die(t, ir->engine[e].lane_die[c], is_of(v, lane), 1);
            add_die(t, ir->kernel[kernel].die, is_of(v, lane), -1);
        }
}

static void add_kernel(const struct ir *ir, const struct vendor *v, const struct cost_design *cost, int k,
                       struct table *t) {
    struct pair p = {.name = ir->kernel[k].name, .estimate = cost->kernel[k]};
    int row = vendor_find(v, v->top, arena_printf(ir->arena, "u_%s", p.name));
    p.found = row != IR_NONE;
    if (p.found) {
        p.vendor = *is_of(v, row);
        add_die(t, ir->kernel[k].die, &p.vendor, 1);
        add_lanes(ir, v, k, row, t);
    } else t->missing++;
    VEC_PUSH(ir->arena, t->kernels, p);
}

static bool is_kernel(const struct ir *ir, const char *name) {
    for (int k = 0; begins(name, "u_") && k < ir->kernels; k++)
        if (!strcmp(name + 2, ir->kernel[k].name)) return true;
    return false;
}

// What leads to the memory: engines, and from the walkers to them.
static bool is_of_memory(const struct ir *ir, const char *name) {
    for (int e = 0; e < ir->engines; e++)
        if (!strcmp(name + 2, ir_engine_name(ir, e, "walk_fork")) ||
            !strcmp(name + 2, ir_engine_name(ir, e, "walk_slice")))
            return true;
    return begins(name, "u_read_") || begins(name, "u_write_");
}

static void add_rest(const struct ir *ir, const struct vendor *v, struct table *t) {
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct vendor_row *row = &v->rows.items[i];
        if (row->parent != v->top || is_kernel(ir, row->name)) continue;
        int die;
        bool stream = is_of_stream(ir, row->name, &die);
        bool memory = begins(row->name, "u_") && is_of_memory(ir, row->name);
        struct pair *to = stream ? &t->streams : memory ? &t->memory : &t->others;
        cost_add(&to->vendor, &row->is, 1);
        to->found = true;
        if (stream) add_die(t, die, &row->is, 1);
        if (memory) add_die(t, cost_memory_die(ir), &row->is, 1);
    }
}

static void begin_dies(const struct ir *ir, const struct cost_design *cost, struct table *t) {
    if (ir->design.dies < 2 || ir->dies < 2) return;
    t->dies = ir->dies;
    t->die = ARENA_ARRAY(ir->arena, struct pair, (size_t)ir->dies);
    for (int d = 0; d < ir->dies; d++)
        t->die[d] = (struct pair){.name = ir->die[d].name, .estimate = cost_die(ir, cost, d), .found = true};
}

static struct table make_table(const struct ir *ir, const struct vendor *v) {
    struct cost_design cost = cost_design(ir);
    struct table t = {.streams = {.name = "streams", .estimate = cost.fifos},
                      .memory = {.name = "memory engines", .estimate = cost.memory},
                      .others = {.name = "other instances"},
                      .all = {.name = "all", .estimate = cost.total, .vendor = *is_of(v, v->top), .found = true}};
    begin_dies(ir, &cost, &t);
    for (int k = 0; k < ir->kernels; k++) add_kernel(ir, v, &cost, k, &t);
    add_rest(ir, v, &t);
    return t;
}

// ---- text ----

static void add_pair(const struct pair *p, struct text *out) {
    struct report_figure e[REPORT_RESOURCES], v[REPORT_RESOURCES];
    report_figures(&p->estimate, e);
    report_figures(&p->vendor, v);
    text_addf(out, "  %-40s", p->name);
    for (int i = 0; i < REPORT_RESOURCES; i++) {
        report_count(&e[i], 9, out);
        if (p->found) report_count(&v[i], 9, out);
        else text_addf(out, "%9s", "-");
    }
    text_add(out, "\n");
}

static void add_titles(struct text *out) {
    struct report_figure f[REPORT_RESOURCES];
    report_figures(&(struct cost_resources){0}, f);
    text_addf(out, "  %-40s", "estimated, reported");
    for (int i = 0; i < REPORT_RESOURCES; i++) text_addf(out, "%18s", f[i].title);
    text_add(out, "\n");
}

static const char *said(const char *text) { return text ? text : "not said"; }

static void add_sources(const struct ir *ir, const struct vendor *v, struct text *out) {
    const struct vendor_source *u = &v->utilization;
    text_addf(out, "%s: what the vendor's tool reports, beside the estimates\n", ir->name);
    text_addf(out, "  reported: %s, stage `%s`, device %s (%s); not measured on a board\n", said(u->tool),
              said(u->state), said(u->device), u->path);
    text_add(out, "  estimated: formulas that are fitted to syntheses by Yosys (docs/cost.md)\n");
}

static void add_timing(const struct ir *ir, const struct vendor *v, struct text *out) {
    if (!v->timing.path) {
        text_add(out, "\ntiming: no report\n");
        return;
    }
    text_addf(out, "\ntiming, reported: stage `%s` (%s); not measured on a board\n", said(v->timing.state),
              v->timing.path);
    if (v->has_setup)
        text_addf(out, "  worst slack: setup %.3f ns, %" PRId64 " of %" PRId64 " end points fail\n", v->setup,
                  v->failing, v->ends);
    if (v->has_hold) text_addf(out, "  worst slack: hold %.3f ns\n", v->hold);
    for (size_t i = 0; i < v->clocks.count; i++) {
        const struct vendor_clock *c = &v->clocks.items[i];
        text_addf(out, "  clock %s: period %.3f ns, %.1f MHz", c->name, c->period, 1000 / c->period);
        if (v->has_setup && v->clocks.count == 1 && c->period > v->setup)
            text_addf(out, "; with this slack %.1f MHz", 1000 / (c->period - v->setup));
        text_add(out, "\n");
    }
    text_addf(out, "  the design's clock: %g MHz\n", ir->design.clock_mhz);
}

void vendor_text(const struct ir *ir, const struct vendor *v, struct text *out) {
    struct table t = make_table(ir, v);
    add_sources(ir, v, out);
    add_titles(out);
    for (size_t i = 0; i < t.kernels.count; i++) add_pair(&t.kernels.items[i], out);
    add_pair(&t.streams, out);
    add_pair(&t.memory, out);
    if (t.others.found) add_pair(&t.others, out);
    add_pair(&t.all, out);
    if (t.missing)
        text_addf(out, "  %d kernels are not in the report (-): the tool has dissolved them, or it ends above them\n",
                  t.missing);
    if (t.die) text_add(out, "\ndies, by where the design puts its instances\n");
    for (int d = 0; d < t.dies; d++) add_pair(&t.die[d], out);
    if (t.die && t.lanes_missing)
        text_addf(out, "  %d lanes are not in the report: they count where their engine lies\n", t.lanes_missing);
    add_timing(ir, v, out);
}

// ---- JSON ----

static void json_string(struct text *out, const char *key, const char *value) {
    text_addf(out, "\"%s\": ", key);
    if (value) text_add_json_string(out, value, strlen(value));
    else text_add(out, "null");
}

static void json_resources(struct text *out, const char *key, const struct cost_resources *c) {
    struct report_figure f[REPORT_RESOURCES];
    report_figures(c, f);
    text_addf(out, ", \"%s\": {", key);
    for (int i = 0; i < REPORT_RESOURCES; i++) {
        text_addf(out, "%s\"%s\": ", i ? ", " : "", f[i].key);
        report_count(&f[i], 0, out);
    }
    text_add(out, "}");
}

static void json_pair(const struct pair *p, struct text *out) {
    text_add(out, "\n  {");
    json_string(out, "name", p->name);
    json_resources(out, "estimated", &p->estimate);
    if (p->found) json_resources(out, "reported", &p->vendor);
    else text_add(out, ", \"reported\": null");
    text_add(out, "}");
}

static void json_source(struct text *out, const char *key, const struct vendor_source *s) {
    text_addf(out, " \"%s\": {", key);
    json_string(out, "file", s->path);
    text_add(out, ", ");
    json_string(out, "tool", s->tool);
    text_add(out, ", ");
    json_string(out, "stage", s->state);
    text_add(out, ", ");
    json_string(out, "device", s->device);
    text_add(out, "},\n");
}

static void json_timing(const struct vendor *v, struct text *out) {
    if (v->has_setup) text_addf(out, " \"setup_slack_ns\": %.3f,\n", v->setup);
    if (v->has_hold) text_addf(out, " \"hold_slack_ns\": %.3f,\n", v->hold);
    if (v->timing.path) text_addf(out, " \"failing_end_points\": %" PRId64 ",\n", v->failing);
    text_add(out, " \"clocks\": [");
    for (size_t i = 0; i < v->clocks.count; i++) {
        text_add(out, i ? ", {" : "{");
        json_string(out, "name", v->clocks.items[i].name);
        text_addf(out, ", \"period_ns\": %.3f}", v->clocks.items[i].period);
    }
    text_add(out, "]");
}

void vendor_json(const struct ir *ir, const struct vendor *v, struct text *out) {
    struct table t = make_table(ir, v);
    const struct pair *const sums[] = {&t.streams, &t.memory, &t.others, &t.all};
    text_add(out, "{");
    json_string(out, "design", ir->name);
    text_add(out, ", \"reported_is\": \"the vendor's tool, not measured on a board\",\n");
    json_source(out, "utilization", &v->utilization);
    json_source(out, "timing", &v->timing);
    text_add(out, " \"kernels\": [");
    for (size_t i = 0; i < t.kernels.count; i++) {
        if (i) text_add(out, ",");
        json_pair(&t.kernels.items[i], out);
    }
    text_add(out, "],\n \"sums\": [");
    for (size_t i = 0; i < COUNT_OF(sums); i++) {
        if (i) text_add(out, ",");
        json_pair(sums[i], out);
    }
    text_add(out, "],\n \"dies\": [");
    for (int d = 0; d < t.dies; d++) {
        if (d) text_add(out, ",");
        json_pair(&t.die[d], out);
    }
    text_add(out, "],\n");
    json_timing(v, out);
    text_add(out, "}\n");
}
