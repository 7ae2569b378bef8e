// SPDX-License-Identifier: Apache-2.0
// Compares the vendor's reports with Rill's estimates: resources by kernel, of streams and DMA engines, in total and by
// die. Also prints the slack. vendor_read.c reads the reports.
#include "gen/report/vendor.h"

#include <inttypes.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/report/report_parts.h"

struct pair { // a row of the comparison
    const char *name;
    struct cost_resources estimate, vendor;
    bool found; // the tool's report has a figure for it
};
struct table {
    VEC(struct pair) kernels;
    struct pair streams, memory, others, all; // memory: DMA engines; others: instances without an estimate
    struct pair *die;                         // per die; NULL if the design is not split over dies
    int dies, missing, lanes_missing;         // missing, lanes_missing: kernels and lanes that are not in the report
};

// Returns the resources of a row, with all instances inside it.
static const struct cost_resources *is_of(const struct vendor *v, int row) { return &v->rows.items[row].is; }

static bool begins(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

static void add_die(struct table *t, int die, const struct cost_resources *what, int64_t times) {
    if (t->die) cost_add(&t->die[die].vendor, what, times);
}

// Moves the resources of each lane from the engine's die to the die on which the design places the lane.
static void add_lanes(const struct ir *ir, const struct vendor *v, int kernel, int row, struct table *t) {
    for (int e = 0; e < ir->engines; e++)
        for (int c = 0; ir->engine[e].kernel == kernel && c < ir->engine[e].lanes; c++) {
            int lane = vendor_find(v, row, arena_printf(ir->arena, "gen_lane[%d].u_lane", c));
            t->lanes_missing += lane == IR_NONE;
            if (lane == IR_NONE) continue;
            add_die(t, ir->engine[e].lane_die[c], is_of(v, lane), 1);
            add_die(t, ir->kernel[kernel].die, is_of(v, lane), -1);
        }
}

// Returns the row of a path below the top, or IR_NONE if the tool has dissolved an instance of the path.
static int find_path(const struct ir *ir, const struct vendor *v, const char *path) {
    int row = v->top;
    for (const char *end; row != IR_NONE; path = end + 1) {
        end = path + strcspn(path, "/");
        row = vendor_find(v, row, arena_strndup(ir->arena, path, (size_t)(end - path)));
        if (!*end) return row;
    }
    return row;
}

// Adds the row of a kernel, and adds what the report has for the kernel to its die.
static void add_kernel(const struct emit_plan *plan, const struct vendor *v, const struct cost_design *cost, int k,
                       struct table *t) {
    const struct ir *ir = plan->ir;
    struct pair p = {.name = ir->kernel[k].name, .estimate = cost->kernel[k]};
    int row = find_path(ir, v, emit_kernel_path(plan, k));
    p.found = row != IR_NONE;
    if (p.found) {
        p.vendor = *is_of(v, row);
        add_die(t, ir->kernel[k].die, &p.vendor, 1);
        add_lanes(ir, v, k, row, t);
    } else t->missing++;
    VEC_PUSH(ir->arena, t->kernels, p);
}

static bool is_kernel(const struct emit_plan *plan, int module, const char *name) {
    for (int k = 0; begins(name, "u_") && k < plan->ir->kernels; k++)
        if (plan->home[k] == module && !strcmp(name + 2, plan->ir->kernel[k].name)) return true;
    return false;
}

// Returns whether an instance is the tree that brings the descriptors of a walker to the memory engines.
static bool is_walk(const struct ir *ir, const char *name) {
    for (int e = 0; begins(name, "u_") && e < ir->engines; e++)
        if (!strcmp(name + 2, ir_engine_name(ir, e, "walk_tree"))) return true;
    return false;
}

static void add_to(struct pair *to, const struct cost_resources *what) {
    cost_add(&to->vendor, what, 1);
    to->found = true;
}

// Adds the resources that an instance has itself, without the instances inside it, to `others`.
static void add_own(const struct vendor *v, int row, struct table *t) {
    struct cost_resources own = *is_of(v, row);
    for (size_t i = 0; i < v->rows.count; i++)
        if (v->rows.items[i].parent == row) cost_add(&own, &v->rows.items[i].is, -1);
    add_to(&t->others, &own);
}

// Returns whether the report has rows of instances inside this one.
static bool has_parts(const struct vendor *v, int row) {
    for (size_t i = 0; i < v->rows.count; i++)
        if (v->rows.items[i].parent == row) return true;
    return false;
}

// ---- streams ----

struct link { // an instance in a module that carries a stream, or a part of one
    const struct ir *ir;
    const struct vendor *v;
    struct table *t;
    const char *path; // path of the instance
    int row;
    bool met, whole; // met: the instance carries a stream; whole: it is a link on one die, without parts on other dies
};

// Is called for each instance of a stream with its die. Counts the instance if it is the link or a part of the link.
static void meet(void *state, const char *path, int die) {
    struct link *l = state;
    size_t len = strlen(l->path);
    if (strncmp(path, l->path, len) != 0 || (path[len] && path[len] != '/')) return;
    l->met = true;
    l->whole = !path[len];
    int row = l->whole ? l->row : vendor_find(l->v, l->row, path + len + 1);
    if (row == IR_NONE) return;
    add_die(l->t, die, is_of(l->v, row), 1);
    add_to(&l->t->streams, is_of(l->v, row));
}

// Counts an instance if it is the link of a stream. Returns false if it belongs to no stream.
static bool add_link(const struct emit_plan *plan, const struct vendor *v, int module, int row, struct table *t) {
    const char *path = arena_printf(plan->ir->arena, "%s/%s", emit_module_path(plan, module), v->rows.items[row].name);
    struct link l = {.ir = plan->ir, .v = v, .t = t, .path = path, .row = row};
    for (int e = 0; e < plan->ir->edges && !l.met; e++)
        if (emit_link_home(plan, e) == module) emit_walk_stream(plan, e, meet, &l);
    if (l.met && !l.whole && !has_parts(v, row)) add_to(&t->streams, is_of(v, row)); // its parts are dissolved
    else if (l.met && !l.whole) add_own(v, row, t);
    return l.met;
}

// ---- everything except kernels ----

// Counts the instances of a module that are not kernels, and the resources that the module has itself.
static void add_module(const struct emit_plan *plan, const struct vendor *v, int module, int row, struct table *t) {
    add_own(v, row, t);
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct vendor_row *part = &v->rows.items[i];
        if (part->parent != row || is_kernel(plan, module, part->name)) continue;
        if (is_walk(plan->ir, part->name)) {
            add_to(&t->memory, &part->is);
            add_die(t, cost_memory_die(plan->ir), &part->is, 1);
        } else if (!add_link(plan, v, module, (int)i, t)) add_to(&t->others, &part->is);
    }
}

// Counts the parts of a memory channel, or the whole channel if the report has no parts of it.
static void add_channel(const struct emit_plan *plan, const struct vendor *v, int row, struct table *t) {
    bool whole = !has_parts(v, row);
    if (!whole) add_own(v, row, t);
    for (size_t i = 0; i < v->rows.count; i++) {
        if (whole ? (int)i != row : v->rows.items[i].parent != row) continue;
        add_to(&t->memory, &v->rows.items[i].is);
        add_die(t, cost_memory_die(plan->ir), &v->rows.items[i].is, 1);
    }
}

// Counts everything below the top except kernels.
static void add_rest(const struct emit_plan *plan, const struct vendor *v, struct table *t) {
    for (size_t i = 0; i < v->rows.count; i++) {
        const struct vendor_row *row = &v->rows.items[i];
        int module = plan->modules - 1;
        if (row->parent != v->top) continue;
        while (module >= 0 && strcmp(row->name, emit_module_path(plan, module)) != 0) module--;
        if (module >= 0) add_module(plan, v, module, (int)i, t);
        else if (begins(row->name, "u_channel_")) add_channel(plan, v, (int)i, t);
        else add_to(&t->others, &row->is);
    }
}

static void begin_dies(const struct ir *ir, const struct cost_design *cost, struct table *t) {
    if (ir->design.dies < 2 || ir->dies < 2) return;
    t->dies = ir->dies;
    t->die = ARENA_ARRAY(ir->arena, struct pair, (size_t)ir->dies);
    for (int d = 0; d < ir->dies; d++)
        t->die[d] = (struct pair){.name = ir->die[d].name, .estimate = cost_die(ir, cost, d), .found = true};
}

// Assigns each row of the report to a kernel, the streams, the DMA engines or the rest, and to a die.
static struct table make_table(const struct ir *ir, const struct vendor *v) {
    const struct emit_plan *plan = emit_plan_make(ir, NULL);
    struct cost_design cost = cost_design(ir);
    struct table t = {.streams = {.name = "streams", .estimate = cost.fifos},
                      .memory = {.name = "DMA engines", .estimate = cost.memory},
                      .others = {.name = "other instances"},
                      .all = {.name = "all", .estimate = cost.total, .vendor = *is_of(v, v->top), .found = true}};
    begin_dies(ir, &cost, &t);
    for (int k = 0; k < ir->kernels; k++) add_kernel(plan, v, &cost, k, &t);
    add_rest(plan, v, &t);
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
