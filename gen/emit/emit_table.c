// SPDX-License-Identifier: Apache-2.0
// Prints list parameters of kernels: each entry on one line, with a comment that says what it is for.
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

static void add_firing(const struct table *t, int entry, struct text *out) {
    static const char *const modes[] = {"int8", "int4", "scores", "values"};
    const struct ir_firing *f = firing_at(t->ir, t->engine, entry);
    if (!f) return;
    text_addf(out, "firing of %s: %s", t->ir->node[f->node].name, modes[f->mode]);
    if (f->row_steps) text_addf(out, ", %lld row-steps", (long long)f->row_steps);
    if (f->mode >= ENGINE_MODE_SCORES) text_addf(out, ", head %d", f->head);
}

static uint64_t field_of(const struct ir_word *w, enum field f) {
    return ir_word_field(w, field_first(f), field_width(f));
}

static void add_segment(const struct ir_segment *seg, int64_t first, const char *before, struct text *out) {
    text_addf(out, "%s%s", before, seg->name);
    if (first > seg->offset) text_addf(out, " from byte %lld", (long long)(first - seg->offset));
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
        add_segment(seg, first, count++ ? ", " : "", out);
    }
}

static void add_stream(const struct table *t, const struct ir_word *w, struct text *out) {
    int port = ir_steered_port(t->ir, t->kernel, (int)field_of(w, STEER_PORT));
    int edge = port == IR_NONE ? IR_NONE : t->ir->kernel[t->kernel].port[port].edge;
    if (edge != IR_NONE) text_add(out, t->ir->edge[edge].name);
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
    add_note(t, t->value->words - 1 - i, w, &note);
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

void emit_value(const struct ir *ir, int kernel, const struct ir_param *param, struct text *out) {
    const struct ir_value *v = &param->value;
    struct table t = {ir, kernel, engine_of_table(ir, kernel), v};
    bool is_list = v->kind == IR_VALUE_LIST;
    struct ir_value one = is_list && v->words == 1 ? one_of(v->word) : *v;
    if (!schedule_is_table(&ir->kernel[kernel], param)) return text_add(out, ir_value_print(ir->arena, &one));
    text_add(out, "{ // the last entry first; fields: docs/rtl.md, section 5\n");
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

void emit_describe_value(const struct ir *ir, const struct ir_param *param, struct text *out) {
    const struct ir_value *v = &param->value;
    if (v->kind == IR_VALUE_WORD && v->word->radix == IR_FLOAT) {
        uint32_t bits = (uint32_t)v->word->value;
        float number;
        memcpy(&number, &bits, sizeof number);
        text_addf(out, "        // %.9g\n", (double)number);
    }
    if (schedule_sections(param)) add_sections(ir, schedule_sections(param), out);
}
