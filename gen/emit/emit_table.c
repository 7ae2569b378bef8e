// SPDX-License-Identifier: Apache-2.0
// Prints list parameters of kernels: each entry on one line, with a comment that says what it is for.
#include <math.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/schedule.h"

enum { COLUMNS = 120 };

struct table {
    const struct ir *ir;
    int kernel, engine; // the engine that the kernel is or walks for; IR_NONE: neither
    const struct ir_value *value;
};

// ---- what an entry is for ----

// The firing at an index of an engine's schedule, counted region by region.
static const struct ir_firing *firing_at(const struct ir *ir, int engine, int entry) {
    for (int r = 0; r < ir->regions; r++)
        for (int f = 0; f < ir->firings; f++)
            if (ir->firing[f].engine == engine && ir->firing[f].region == r && entry-- == 0) return &ir->firing[f];
    return NULL;
}

// The operand of a firing, and whether the firing is the first or the last one that uses it.
static void add_operand(const struct table *t, const struct ir_firing *f, struct text *out) {
    const struct ir *ir = t->ir;
    int tensor = ir->node[f->node].inputs ? ir->node[f->node].in[0] : IR_NONE;
    if (tensor == IR_NONE) return;
    text_addf(out, "; %s %s",
              f->x_take && f->x_free ? "takes and frees"
              : f->x_take            ? "takes"
              : f->x_free            ? "frees"
                                     : "uses",
              ir->tensor[tensor].name);
}

static void add_firing(const struct table *t, int entry, struct text *out) {
    static const char *const modes[] = {"int8", "int4", "scores", "values"};
    const struct ir_firing *f = firing_at(t->ir, t->engine, entry);
    if (!f) return;
    text_addf(out, "%s: %s", t->ir->node[f->node].name, modes[f->mode]);
    if (f->mode >= ENGINE_MODE_SCORES) text_addf(out, ", attention head %d", f->head);
    if (f->row_steps) text_addf(out, ", %lld row-steps", (long long)f->row_steps);
    if (f->mode < ENGINE_MODE_SCORES) text_addf(out, " of %lld beats", (long long)f->beats);
    add_operand(t, f, out);
    if (f->outer) text_add(out, ", K outermost");
    if (t->ir->region[f->region].when == IR_LAST) text_add(out, ", one token");
}

static uint64_t field_of(const struct ir_word *w, enum field f) {
    return ir_word_field(w, field_first(f), field_width(f));
}

static void add_segment(const struct ir_segment *seg, int64_t first, const char *before, struct text *out) {
    text_addf(out, "%s%s", before, seg->name);
    if (first > seg->offset) text_addf(out, " from byte %lld", (long long)(first - seg->offset));
}

// Which head of a cache a run reads, and how much of it.
static void add_head(const struct ir_segment *seg, const struct ir_word *w, int64_t first, struct text *out) {
    bool values = field_of(w, SEGMENT_KIND) == SEGMENT_KIND_V;
    int64_t beats = (int64_t)field_of(w, SEGMENT_BEATS), outer = (int64_t)field_of(w, SEGMENT_OUTER);
    text_addf(out, "%s from byte %lld: ", seg->name, (long long)(first - seg->offset));
    if (values) text_addf(out, "%lld runs of vblocks", (long long)outer);
    else text_add(out, "krows");
    if (beats > 1) text_addf(out, " * %lld", (long long)beats);
    text_add(out, " beats");
}

// Lists the segments that begin in a run, and the segment that the run begins in.
static void add_run(const struct table *t, const struct ir_word *w, struct text *out) {
    const struct ir *ir = t->ir;
    int64_t first = (int64_t)field_of(w, SEGMENT_OFFSET);
    int64_t bytes = (int64_t)field_of(w, SEGMENT_BEATS) * ir->design.beat_bits / 8, count = 0;
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        bool begins = seg->offset >= first && seg->offset < first + bytes,
             holds = seg->offset <= first && first < seg->offset + seg->bytes;
        if (seg->channel != IR_NONE || ir_engine_of(ir, seg->node) != t->engine || !(begins || holds)) continue;
        bool cache = seg->kind == IR_SEG_K || seg->kind == IR_SEG_V;
        if (cache && !count && field_of(w, SEGMENT_KIND) != SEGMENT_KIND_WEIGHTS) return add_head(seg, w, first, out);
        add_segment(seg, first, count++ ? ", " : "weights of ", out);
    }
}

static void add_stream(const struct table *t, const struct ir_word *w, struct text *out) {
    int port = ir_steered_port(t->ir, t->kernel, (int)field_of(w, STEER_PORT));
    int edge = port == IR_NONE ? IR_NONE : t->ir->kernel[t->kernel].port[port].edge;
    if (edge == IR_NONE) return;
    const struct ir_edge *e = &t->ir->edge[edge];
    text_addf(out, "%s -> %s", ir_port_text(t->ir, e->src_kernel, e->src_port),
              ir_port_text(t->ir, e->dst_kernel, e->dst_port));
}

static void add_note(const struct table *t, int entry, const struct ir_word *w, struct text *out) {
    if (kernel_is(&t->ir->kernel[t->kernel], KERNEL_MUX | KERNEL_DEMUX)) add_stream(t, w, out);
    else if (t->engine == IR_NONE) return;
    else if (t->ir->engine[t->engine].kernel == t->kernel) add_firing(t, entry, out);
    else add_run(t, w, out);
}

// ---- lines ----

static struct ir_value one_of(const struct ir_word *w) {
    return (struct ir_value){.kind = IR_VALUE_WORD, .word = w, .words = 1};
}

// All digits, so that the fields of entries are below each other.
static void add_digits(const struct ir_word *w, struct text *out) {
    text_addf(out, "%d'h", w->bits);
    for (int first = (w->bits - 1) / 4 * 4; first >= 0; first -= 4)
        text_addf(out, "%x", (unsigned)ir_word_field(w, first, w->bits - first < 4 ? w->bits - first : 4));
}

static void add_entry(const struct table *t, int i, struct text *out) {
    static const char indent[] = "            ";
    const struct ir_word *w = &t->value->word[i];
    struct text note = {0}, number = {0};
    add_digits(w, &number);
    int entry = t->value->words - 1 - i;
    text_addf(&note, "%d ", entry);
    add_note(t, entry, w, &note);
    int columns = (int)(sizeof indent + note.len) + (int)number.len + 5;
    if (note.len && columns > COLUMNS) text_addf(out, "%s// %s\n", indent, text_cstr(&note));
    text_addf(out, "%s%s%s", indent, text_cstr(&number), i + 1 < t->value->words ? "," : "");
    if (note.len && columns <= COLUMNS) text_addf(out, " // %s", text_cstr(&note));
    text_add(out, "\n");
    text_free(&note);
    text_free(&number);
}

static int engine_of_table(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel || ir->engine[e].walker == kernel) return e;
    return IR_NONE;
}

// Where the fields of an entry are explained.
static const char *fields_at(const struct table *t) {
    if (t->engine == IR_NONE || kernel_is(&t->ir->kernel[t->kernel], KERNEL_MUX | KERNEL_DEMUX))
        return "docs/rtl.md, section 5";
    return t->ir->engine[t->engine].kernel == t->kernel ? "docs/engine.md, schedule entry"
                                                        : "docs/memory.md, reading ahead";
}

void emit_value(const struct ir *ir, int kernel, const struct ir_param *param, struct text *out) {
    const struct ir_value *v = &param->value;
    struct table t = {ir, kernel, engine_of_table(ir, kernel), v};
    bool is_list = v->kind == IR_VALUE_LIST;
    struct ir_value one = is_list && v->words == 1 ? one_of(v->word) : *v;
    if (!schedule_is_table(&ir->kernel[kernel], param)) return text_add(out, ir_value_print(ir->arena, &one));
    text_addf(out, "{ // the last entry first, each with its number; fields: %s\n", fields_at(&t));
    if (t.engine != IR_NONE && ir->engine[t.engine].kernel == kernel)
        text_add(out, "            // A row-step is a row of weights, or a position, in each lane.\n");
    for (int i = 0; i < v->words; i++) add_entry(&t, i, out);
    text_add(out, "        }");
}

// The sections of a table are the regions where its kernel works in all of them.
static void add_sections(const struct ir *ir, int sections, struct text *out) {
    text_add(out, "        // sections, the last one first");
    for (int r = ir->regions - 1; r >= 0 && sections == ir->regions; r--)
        text_addf(out, "%s%s", r + 1 < ir->regions ? ", " : ": regions ", ir->region[r].name);
    text_add(out, "\n");
}

// A number with so many decimal digits.
static double rounded(float number, int digits) {
    double unit = number == 0 ? 1 : pow(10, floor(log10(fabs((double)number))) - digits + 1);
    return round((double)number / unit) * unit;
}

// A number as a power of two, or with as few digits as give the same fp32 number.
static void add_number(float number, struct text *out) {
    int power, digits = 1;
    if (frexpf(number, &power) == 0.5F && (power < -3 || power > 12)) {
        text_addf(out, "        // 2^%d\n", power - 1);
        return;
    }
    while (digits < 9 && (float)rounded(number, digits) != number) digits++;
    text_addf(out, "        // %.*g\n", digits, (double)number);
}

void emit_describe_value(const struct ir *ir, const struct ir_param *param, struct text *out) {
    const struct ir_value *v = &param->value;
    if (v->kind == IR_VALUE_WORD && v->word->radix == IR_FLOAT) {
        uint32_t bits = (uint32_t)v->word->value;
        float number;
        memcpy(&number, &bits, sizeof number);
        add_number(number, out);
    }
    if (schedule_sections(param)) add_sections(ir, schedule_sections(param), out);
}
