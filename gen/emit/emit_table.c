// SPDX-License-Identifier: Apache-2.0
// Prints the parameters of kernels in the emitted Verilog, with comments that explain them. A table (a schedule of an
// engine, a walker, a multiplexer or a demultiplexer) has one line per entry, with a comment that says for which
// operation the entry is.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/ir/layout.h"
#include "gen/ir/schedule.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"

enum { COLUMNS = 120 }; // longest line of emitted Verilog

struct table { // a table that is printed: parameter `value` of `kernel`
    const struct ir *ir;
    int kernel, engine; // engine: the engine that the kernel is, or whose walker the kernel is; else IR_NONE
    int steered;        // engine whose operands a multiplexer, or whose results a demultiplexer, steers; else IR_NONE
    const struct ir_value *value; // its words are in the order of the text: the last entry of the table first
    // The firings of `engine`, or of `steered`, in the order of the engine's table: entry n of that table is for firing
    // n. A table may have thousands of entries, so the firings are listed once and not searched for each entry.
    const struct ir_firing **firing;
    int firings;
    int *take, takes; // take[n]: entry of the n-th firing that takes an operand
};

// ---- what an entry is for ----

// Lists the firings of an engine, region by region.
static void list_firings(struct table *t, int engine) {
    const struct ir *ir = t->ir;
    if (engine == IR_NONE) return;
    t->firing = ARENA_ARRAY(ir->arena, const struct ir_firing *, (size_t)ir->firings + 1);
    t->take = ARENA_ARRAY(ir->arena, int, (size_t)ir->firings + 1);
    for (int r = 0; r < ir->regions; r++)
        for (int f = 0; f < ir->firings; f++) {
            if (ir->firing[f].engine != engine || ir->firing[f].region != r) continue;
            if (ir->firing[f].x_take) t->take[t->takes++] = t->firings;
            t->firing[t->firings++] = &ir->firing[f];
        }
}

// Adds the operand of a firing, and whether the firing is the first one that uses it (takes), the last one (frees),
// both or neither.
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

// Adds the beats of a row-step of values: those of the complete blocks in memory, then those of the open block.
static void add_values(const struct ir *ir, const struct ir_firing *f, struct text *out) {
    int64_t beats = LAYOUT_V_BLOCK * 8 / ir->design.beat_bits; // elements of a block are bytes
    if (beats > 1) text_addf(out, " of (vblocks + 1) * %lld beats, the last %lld", (long long)beats, (long long)beats);
    else text_add(out, " of vblocks + 1 beats, the last");
    text_addf(out, " from row %lld on of the open block", (long long)f->tail_base);
}

// Describes the firing of an entry of an engine's table: its operation, mode, size and operand.
static void add_firing(const struct table *t, int entry, struct text *out) {
    static const char *const modes[] = {"int8", "int4", "scores", "values"};
    if (entry >= t->firings) return;
    const struct ir_firing *f = t->firing[entry];
    text_addf(out, "%s: %s", t->ir->node[f->node].name, modes[f->mode]);
    if (f->mode >= ENGINE_MODE_SCORES) text_addf(out, ", attention head %d", f->head);
    if (f->row_steps) text_addf(out, ", %lld row-step%s", (long long)f->row_steps, f->row_steps == 1 ? "" : "s");
    if (f->mode == ENGINE_MODE_SCORES) text_add(out, ", krows row-steps");
    if (f->mode == ENGINE_MODE_VALUES) add_values(t->ir, f, out);
    else text_addf(out, " of %lld beat%s", (long long)f->beats, f->beats == 1 ? "" : "s");
    if (f->mode == ENGINE_MODE_SCORES) text_add(out, " from memory, then the step's own keys");
    add_operand(t, f, out);
    if (f->outer) text_add(out, ", column by column");
    if (f->kv_keep) text_add(out, ", the next query head has the same values");
    if (ir_takes_last(t->ir, f->region)) text_add(out, ", one token");
}

static uint64_t field_of(const struct ir_word *w, enum field f) {
    return ir_word_field(w, field_first(f), field_width(f));
}

// Adds the name of a segment of memory. first: byte at which the run begins, if this is inside the segment.
static void add_segment(const struct ir_segment *seg, int64_t first, const char *before, struct text *out) {
    text_addf(out, "%s%s", before, seg->name);
    if (first > seg->offset) text_addf(out, " from byte %lld", (long long)(first - seg->offset));
}

// Writes the byte of the channel at which a run of reads begins, as in memory_map.json, and the distance to the same
// run of the next layer.
static void add_place(const struct ir_word *w, struct text *out) {
    uint64_t stride = field_of(w, SEGMENT_LAYER_STRIDE);
    text_addf(out, "byte %llu of each channel", (unsigned long long)field_of(w, SEGMENT_OFFSET));
    if (stride) text_addf(out, ", %llu more per layer", (unsigned long long)stride);
}

// Returns the number of the head whose keys or values a run reads. distance: bytes from the start of the segment of the
// keys or values to the start of the run.
static int64_t head_of(const struct ir *ir, const struct ir_segment *seg, bool values, int64_t distance) {
    struct kv_cache cache = kv_cache_of(ir, seg->node);
    struct layout_kv kv =
        layout_kv(&ir->design, ir->engine[ir_engine_of(ir, seg->node)].lanes, cache.heads, cache.head_dim);
    if (values) return distance % kv.v_layer_bytes / (kv.v_rows * kv.v_row_bytes);
    return distance % kv.k_layer_bytes / kv.k_head_bytes;
}

// Describes which head of a cache a run reads, and how much of it.
static void add_head(const struct ir *ir, const struct ir_segment *seg, const struct ir_word *w, int64_t first,
                     struct text *out) {
    bool values = field_of(w, SEGMENT_KIND) == SEGMENT_KIND_V;
    int64_t beats = (int64_t)field_of(w, SEGMENT_BEATS), outer = (int64_t)field_of(w, SEGMENT_OUTER);
    text_addf(out, "%s, head %lld of a layer's %s: ", seg->name,
              (long long)head_of(ir, seg, values, first - seg->offset), values ? "values" : "keys");
    if (values) text_addf(out, "%lld runs of vblocks", (long long)outer);
    else text_add(out, "krows");
    if (beats > 1) text_addf(out, " * %lld", (long long)beats);
    text_add(out, " beats");
    if (outer > 1) text_addf(out, ", %llu bytes apart,", (unsigned long long)field_of(w, SEGMENT_OUTER_STRIDE));
    text_add(out, " from ");
    add_place(w, out);
}

// Describes a run of reads. For a run of keys or values, names the head of the cache. For any other run, lists the
// segments that begin inside the run, and the segment in which the run itself begins.
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
        if (cache && !count && field_of(w, SEGMENT_KIND) != SEGMENT_KIND_WEIGHTS)
            return add_head(ir, seg, w, first, out);
        add_segment(seg, first, count++ ? ", " : "weights of ", out);
    }
    text_addf(out, ": %llu beats, from ", (unsigned long long)field_of(w, SEGMENT_BEATS));
    add_place(w, out);
}

// Returns the number of an engine's firings: only firings that take an operand if `takes` is set, and only firings in
// this mode unless `mode` is IR_NONE.
static int count_firings(const struct ir *ir, int engine, bool takes, int mode) {
    int count = 0;
    for (int f = 0; f < ir->firings; f++)
        count += ir->firing[f].engine == engine && (!takes || ir->firing[f].x_take) &&
                 (mode == IR_NONE || ir->firing[f].mode == mode);
    return count;
}

// Returns the entry of the engine's table that has firing number `index` among the firings in this mode, counted from
// 0. Returns IR_NONE if there are not so many.
static int entry_in_mode(const struct table *t, int mode, int index) {
    for (int entry = 0; entry < t->firings; entry++)
        if (t->firing[entry]->mode == mode && index-- == 0) return entry;
    return IR_NONE;
}

static void add_engine_entry(int entry, struct text *out) {
    if (entry != IR_NONE) text_addf(out, ", for engine entry %d", entry);
}

static void add_engine_entries(int first, int last, struct text *out) {
    if (first == last) add_engine_entry(first, out);
    else text_addf(out, ", for engine entries %d to %d", first, last);
}

// Adds the entries of the engine's table whose firings multiply the weights of a run. The walker's runs and the
// engine's firings have the same order. Adds nothing for a run that has only some of a product's weights, because
// several firings may share them.
static void add_weight_entries(const struct table *t, const struct ir_word *w, struct text *out) {
    const struct ir *ir = t->ir;
    int64_t first = (int64_t)field_of(w, SEGMENT_OFFSET);
    int64_t end = first + (int64_t)field_of(w, SEGMENT_BEATS) * ir->design.beat_bits / 8;
    int from = t->firings, to = IR_NONE, count = 0;
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        if (seg->channel != IR_NONE || ir_engine_of(ir, seg->node) != t->engine) continue;
        if (seg->offset >= end || seg->offset + seg->bytes <= first) continue;
        if (seg->offset < first || seg->offset + seg->bytes > end) return;
        for (int entry = 0; entry < t->firings; entry++) {
            if (t->firing[entry]->node != seg->node) continue;
            from = entry < from ? entry : from;
            to = entry > to ? entry : to;
            count++;
        }
    }
    if (count && to - from + 1 == count) add_engine_entries(from, to, out);
}

// Returns the engine whose operands a multiplexer passes on, or whose results a demultiplexer distributes, if the table
// has one entry for each operand or result. Otherwise returns IR_NONE.
static int steered_engine(const struct ir *ir, int kernel, const struct ir_value *value) {
    for (int e = 0; e < ir->engines; e++) {
        if (ir->engine[e].x_mux == kernel && count_firings(ir, e, true, IR_NONE) == value->words) return e;
        if (ir->engine[e].y_demux == kernel && count_firings(ir, e, false, IR_NONE) == value->words) return e;
    }
    return IR_NONE;
}

// Describes the stream that an entry of a multiplexer or demultiplexer selects: the tensor or purpose of the stream,
// and the ports at both ends.
static void add_stream(const struct table *t, const struct ir_word *w, struct text *out) {
    int port = ir_steered_port(t->ir, t->kernel, (int)field_of(w, STEER_PORT));
    int edge = port == IR_NONE ? IR_NONE : t->ir->kernel[t->kernel].port[port].edge;
    if (edge == IR_NONE) return;
    const struct ir_edge *e = &t->ir->edge[edge];
    text_addf(out, "%s, %s -> %s", emit_carried_name(t->ir, e), ir_port_text(t->ir, e->src_kernel, e->src_port),
              ir_port_text(t->ir, e->dst_kernel, e->dst_port));
}

// Adds the entries of the engine's table whose firings use the operand of this entry of a multiplexer: from the firing
// that takes the operand to the last one before the next operand is taken.
static void add_reader(const struct table *t, int entry, struct text *out) {
    int e = t->steered;
    if (e == IR_NONE || t->ir->engine[e].x_mux != t->kernel || entry >= t->takes) return;
    int next = entry + 1 < t->takes ? t->take[entry + 1] : t->firings;
    add_engine_entries(t->take[entry], next - 1, out);
}

static int kind_of(const struct ir_word *w) { return (int)field_of(w, SEGMENT_KIND); }

// Adds the entries of the engine's table whose firings multiply a run. The walker's table has the runs of keys in the
// order of the firings of scores, and the runs of values in the order of the firings of values. Adds nothing for a run
// of keys or values if there is not one run for each of these firings.
static void add_multiplier(const struct table *t, int entry, const struct ir_word *w, struct text *out) {
    int kind = kind_of(w), mode = kind == SEGMENT_KIND_V ? ENGINE_MODE_VALUES : ENGINE_MODE_SCORES;
    int runs = 0, index = 0, words = t->value->words;
    if (kind == SEGMENT_KIND_WEIGHTS) return add_weight_entries(t, w, out);
    for (int i = 0; i < words; i++) {
        bool alike = kind_of(&t->value->word[words - 1 - i]) == kind;
        runs += alike;
        index += alike && i < entry;
    }
    if (runs == count_firings(t->ir, t->engine, false, mode)) add_engine_entry(entry_in_mode(t, mode, index), out);
}

// Adds the comment of a table's entry. entry: its number, counted from 0 in the order in which the entries are used.
static void add_note(const struct table *t, int entry, const struct ir_word *w, struct text *out) {
    if (kernel_is(&t->ir->kernel[t->kernel], KERNEL_MUX | KERNEL_DEMUX))
        add_stream(t, w, out), add_reader(t, entry, out);
    else if (t->engine == IR_NONE) return;
    else if (t->ir->engine[t->engine].kernel == t->kernel) add_firing(t, entry, out);
    else add_run(t, w, out), add_multiplier(t, entry, w, out);
}

// ---- lines ----

static struct ir_value one_of(const struct ir_word *w) {
    return (struct ir_value){.kind = IR_VALUE_WORD, .word = w, .words = 1};
}

// Adds a word in hex with leading zeros, so that each field is in the same columns in all entries.
static void add_digits(const struct ir_word *w, struct text *out) {
    text_addf(out, "%d'h", w->bits);
    for (int first = (w->bits - 1) / 4 * 4; first >= 0; first -= 4)
        text_addf(out, "%x", (unsigned)ir_word_field(w, first, w->bits - first < 4 ? w->bits - first : 4));
}

// Adds the line of word `i` of the value, and the note of its entry: on the line above if `above` is set, else at the
// end of the line. Returns the columns of the line with the note at its end.
static int add_entry(const struct table *t, int i, bool above, struct text *out) {
    static const char indent[] = "            ";
    const struct ir_word *w = &t->value->word[i];
    struct text note = {0}, number = {0};
    add_digits(w, &number);
    int entry = t->value->words - 1 - i;
    text_addf(&note, "%d ", entry);
    add_note(t, entry, w, &note);
    if (above) text_addf(out, "%s// %s\n", indent, text_cstr(&note));
    text_addf(out, "%s%s%s", indent, text_cstr(&number), i + 1 < t->value->words ? "," : "");
    if (!above) text_addf(out, " // %s", text_cstr(&note));
    text_add(out, "\n");
    int columns = (int)(sizeof indent + note.len) + (int)number.len + 5;
    text_free(&note);
    text_free(&number);
    return columns;
}

// Adds all entries. All notes are at the ends of the lines if each line then fits, else all are above the entries.
static void add_entries(const struct table *t, struct text *out) {
    struct text unused = {0};
    bool above = false;
    for (int i = 0; i < t->value->words; i++) above = above || add_entry(t, i, false, &unused) > COLUMNS;
    for (int i = 0; i < t->value->words; i++) add_entry(t, i, above, out);
    text_free(&unused);
}

static int engine_of_table(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel || ir->engine[e].walker == kernel) return e;
    return IR_NONE;
}

static struct table table_of(const struct ir *ir, int kernel, const struct ir_value *value) {
    struct table t = {.ir = ir, .kernel = kernel, .value = value};
    t.engine = engine_of_table(ir, kernel);
    t.steered = steered_engine(ir, kernel, value);
    list_firings(&t, t.engine == IR_NONE ? t.steered : t.engine);
    return t;
}

// Says what the entries of a table are, or where their fields are explained.
static const char *entries_are(const struct table *t) {
    if (t->engine == IR_NONE || kernel_is(&t->ir->kernel[t->kernel], KERNEL_MUX | KERNEL_DEMUX))
        return "an entry is the number of a stream";
    return t->ir->engine[t->engine].kernel == t->kernel ? "fields: below (docs/engine.md, schedule entry)"
                                                        : "fields: below (docs/memory.md, reading ahead)";
}

// Describes the entry of a table that has only one. Its value is printed like that of other parameters.
static void add_only_entry(const struct table *t, struct text *out) {
    struct text note = {0};
    add_note(t, 0, t->value->word, &note);
    if (note.len) text_addf(out, "        // the only entry: %s; fields: README.md\n", text_cstr(&note));
    text_free(&note);
}

// Explains the sizes of scores and values, and says why the entries of all heads of scores are equal.
static void add_attention_terms(const struct table *t, const char *indent, struct text *out) {
    bool scores = count_firings(t->ir, t->engine, false, ENGINE_MODE_SCORES),
         values = count_firings(t->ir, t->engine, false, ENGINE_MODE_VALUES);
    const char *sizes = scores && values ? "krows and vblocks are fields"
                        : scores         ? "krows is a field"
                                         : "vblocks is a field";
    if (scores || values) text_addf(out, "%s%s of the step word (rill_top.v).\n", indent, sizes);
    if (scores)
        text_addf(
            out,
            "%sEntries for scores do not name their attention head, so they are equal. The keys of the heads come in "
            "the order of the walker's entries.\n",
            indent);
}

// Returns the meaning of a field, with the meanings of its values if these have names.
static const char *meaning_of(const struct ir *ir, const char *layout, const char *field, const char *meaning) {
    static const struct {
        const char *layout, *field, *meaning;
        int value;
    } values[] = {
#define VALUE(layout, field, id, value, meaning) {#layout, #field, meaning, value},
#include "include/fields.def"
    };
    const char *before = ": ";
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        if (strcmp(values[i].layout, layout) != 0 || strcmp(values[i].field, field) != 0) continue;
        meaning = arena_printf(ir->arena, "%s%s%d %s", meaning, before, values[i].value, values[i].meaning);
        before = "; ";
    }
    return meaning;
}

bool emit_layout_field(const struct ir *ir, const char *layout, int index, struct emit_layout_field *field) {
    static const struct {
        const char *layout, *name;
        int first, bits;
        const char *meaning;
    } fields[] = {
#define FIELD(layout, id, first, bits, meaning) {#layout, #id, first, bits, meaning},
#include "include/fields.def"
    };
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        if (strcmp(fields[i].layout, layout) != 0 || index-- > 0) continue;
        int first = fields[i].first, bits = fields[i].bits;
        const char *range = bits == 1 ? arena_printf(ir->arena, "[%d]", first)
                                      : arena_printf(ir->arena, "[%d:%d]", first + bits - 1, first);
        char *name = arena_printf(ir->arena, "%s%s", fields[i].name, range);
        for (char *c = name; *c; c++) *c = (char)tolower((unsigned char)*c);
        *field =
            (struct emit_layout_field){name, meaning_of(ir, layout, fields[i].name, fields[i].meaning), first, bits};
        return true;
    }
    return false;
}

static bool is_used(const struct table *t, const struct emit_layout_field *field) {
    for (int w = 0; w < t->value->words; w++)
        if (ir_word_field(&t->value->word[w], field->first, field->bits)) return true;
    return false;
}

// Explains the fields of an entry, the low ones first. Only lists the fields that are 0 in all entries.
static void add_fields(const struct table *t, const char *layout, const char *indent, struct text *out) {
    struct emit_layout_field field;
    text_addf(out, "%sFields of an entry. K and V are keys and values, the V tail is the open block%s:\n", indent,
              strcmp(layout, "ENGINE") ? "" : ", C is the number of lanes (CHANNELS of this instance)");
    for (int i = 0; emit_layout_field(t->ir, layout, i, &field); i++)
        if (is_used(t, &field)) text_addf(out, "%s  %s: %s\n", indent, field.name, field.meaning);
    int count = 0;
    for (int i = 0; emit_layout_field(t->ir, layout, i, &field); i++)
        if (!is_used(t, &field))
            text_addf(out, "%s%s", count++ ? ", " : arena_printf(t->ir->arena, "%s0 in all entries: ", indent),
                      field.name);
    if (count) text_add(out, ".\n");
}

// Explains what the notes of an engine's entries say of operands.
static void add_operand_terms(const struct table *t, const char *indent, struct text *out) {
    bool outer = false;
    for (int f = 0; f < t->firings; f++) outer = outer || t->firing[f]->outer;
    text_addf(out,
              "%stakes X: X is the next operand of the stream x. The firing waits until X is complete%s.\n"
              "%suses X: an earlier entry took X, and X stays in its buffer.\n"
              "%sfrees X: this is the last firing with X, which then leaves its buffer.\n",
              indent, outer ? ", unless it is column by column" : "", indent, indent);
    if (outer)
        text_addf(out,
                  "%scolumn by column: the first row-steps are processed together, first beat 0 of each, then beat 1, "
                  "and so on. So the firing begins with the first words of X (docs/engine.md).\n",
                  indent);
}

// Explains the words in the notes of a table.
static void add_terms(const struct table *t, struct text *out) {
    static const char indent[] = "            // ";
    bool steers = kernel_is(&t->ir->kernel[t->kernel], KERNEL_MUX | KERNEL_DEMUX);
    int engine = steers ? t->steered : t->engine;
    if (engine == IR_NONE) return;
    const struct ir_engine *e = &t->ir->engine[engine];
    if (e->kernel == t->kernel) {
        add_operand_terms(t, indent, out);
        add_fields(t, "ENGINE", indent, out);
        add_attention_terms(t, indent, out);
    } else if (e->walker == t->kernel) {
        text_addf(out,
                  "%skrows and vblocks are fields of the step word (rill_top.v). Beats of weights include "
                  "the header beats (row scales, biases, group scales), which the engine's entries do not count "
                  "(docs/engine.md).\n",
                  indent);
        add_fields(t, "SEGMENT", indent, out);
    } else if (e->y_demux == t->kernel)
        text_addf(out, "%sEntry n is the result of entry n of the engine's table.\n", indent);
}

// Returns the engine whose kernel this is, or NULL if the kernel is not an engine.
static const struct ir_engine *engine_at(const struct ir *ir, int kernel) {
    for (int e = 0; e < ir->engines; e++)
        if (ir->engine[e].kernel == kernel) return &ir->engine[e];
    return NULL;
}

// Prints in hex a parameter that packs several fields of 4 bits or 1 bit, so that the digits show the fields. Returns
// false for other parameters.
static bool add_packed(const struct ir_kernel *k, const struct ir_param *param, struct text *out) {
    if (!strcmp(param->name, "COPY_CHAIN") || !strcmp(param->name, "SUMS_CHAIN")) add_digits(param->value.word, out);
    else if (!strcmp(param->name, "CHAIN_AWAY"))
        text_addf(out, "%d'h%02x", IR_MAX_CHAINS, (unsigned)ir_param_int(k, param->name, 0));
    else return false;
    return true;
}

void emit_value(const struct ir *ir, int kernel, const struct ir_param *param, struct text *out) {
    const struct ir_value *v = &param->value;
    bool is_list = v->kind == IR_VALUE_LIST;
    struct ir_value one = is_list && v->words == 1 ? one_of(v->word) : *v;
    const char *is = emit_param_expression(ir, kernel, param);
    if (is) return text_add(out, emit_expression(ir, is, v->integer));
    if (engine_at(ir, kernel) && add_packed(&ir->kernel[kernel], param, out)) return;
    if (!schedule_is_table(&ir->kernel[kernel], param)) return text_add(out, ir_value_print(ir->arena, &one));
    struct table t = table_of(ir, kernel, v);
    text_addf(out, "{ // the last entry first, each with its number; %s\n", entries_are(&t));
    add_terms(&t, out);
    add_entries(&t, out);
    text_add(out, "        }");
}

// Returns whether the kernel is a multiplexer or demultiplexer of the loop around a repeated region. Such a kernel
// passes on a value that the region carries from one repetition to the next.
static bool is_of_loop(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    if (!kernel_is(k, KERNEL_MUX) && !kernel_is(k, KERNEL_DEMUX)) return false;
    for (int p = 0; p < k->ports; p++) {
        int tensor = k->port[p].edge == IR_NONE ? IR_NONE : emit_tensor_at(ir, &ir->edge[k->port[p].edge]);
        for (int r = 0; r < ir->regions && tensor != IR_NONE; r++)
            for (int c = 0; c < ir->region[r].carries; c++)
                if (ir->region[r].carry[c].local == tensor || ir->region[r].carry[c].next == tensor) return true;
    }
    return false;
}

// Returns how often a section of a table runs in a step. section: counted from 0 in the order of the sections.
static int64_t repeats_of(const struct ir_kernel *k, int section) {
    for (int p = 0; p < k->params; p++) {
        const struct ir_value *v = &k->param[p].value;
        if (!strcmp(k->param[p].name, "SECTION_REPEAT") && v->kind == IR_VALUE_LIST && section < v->words)
            return (int64_t)v->word[v->words - 1 - section].value;
    }
    return 0;
}

// Names the sections of a loop's table, the last one first, by the repetitions of the region.
static void add_repetitions(const struct ir_kernel *k, int sections, struct text *out) {
    int64_t end = 0;
    for (int s = 0; s < sections; s++) end += repeats_of(k, s);
    for (int s = sections - 1; s >= 0; s--) {
        int64_t first = end - repeats_of(k, s), last = end - 1;
        text_add(out, s + 1 < sections ? ", " : ": ");
        if (first == last) text_addf(out, "repetition %lld", (long long)first);
        else text_addf(out, "repetitions %lld to %lld", (long long)first, (long long)last);
        if (s + 1 == sections) text_add(out, " of the region");
        end = first;
    }
    text_add(out, "\n");
}

// Names the sections of a table. emit_describe_module explains their parameters. In the table of a loop, a section is
// for some repetitions of the region. In any other table with as many sections as regions, each section is for one
// region.
static void add_sections(const struct ir *ir, int kernel, int sections, struct text *out) {
    text_add(out, "        // Sections, the last one first");
    if (is_of_loop(ir, kernel)) return add_repetitions(&ir->kernel[kernel], sections, out);
    for (int r = ir->regions - 1; r >= 0 && sections == ir->regions; r--)
        text_addf(out, "%s%s", r + 1 < ir->regions ? ", " : r ? ": regions " : ": region ", ir->region[r].name);
    text_add(out, "\n");
}

// Returns the number rounded to `digits` significant decimal digits.
static double rounded(float number, int digits) {
    double unit = number == 0 ? 1 : pow(10, floor(log10(fabs((double)number))) - digits + 1);
    return round((double)number / unit) * unit;
}

// Adds a number with the fewest digits that give the same fp32 number. Adds a power of two below 2^-4 or from 2^12 on
// as a power.
static void add_number(float number, struct text *out) {
    int power, digits = 1;
    if (frexpf(number, &power) == 0.5F && (power < -3 || power > 12)) return text_addf(out, "fp32 2^%d", power - 1);
    while (digits < 9 && (float)rounded(number, digits) != number) digits++;
    text_addf(out, "fp32 %.*g", digits, (double)number);
}

// Lists the chains of an engine with their dies.
static void add_chains(const struct ir *ir, const struct ir_engine *engine, struct text *out) {
    struct ir_chains chains = ir_chains_of(engine);
    text_add(out, "        //");
    for (int n = 0; n < chains.count; n++)
        text_addf(out, "%s chain %d: %s", n ? "," : "", n, ir->die[chains.chain[n].die].name);
    text_add(out, "\n");
}

// Explains the parameters of an engine on several dies.
static void add_dies(const struct ir *ir, const struct ir_engine *engine, const char *name, struct text *out) {
    static const struct {
        const char *name, *doc;
    } docs[] = {
        {"COPY_CHAIN", "4 bits for each 8 lanes, the first lanes in the low bits: the chain of their multipliers"},
        {"SUMS_CHAIN", "4 bits for each 8 lanes, the first lanes in the low bits: the chain of their sums"},
        {"CHAIN_AWAY", "bit n: the die of chain n has its own operand buffer"},
        {"EARLY", "bit n: chain n has multipliers only; the sums of its lanes are on another die"},
        {"HOPS", "die crossings from the memory's die to the farthest lanes, and 1 with HALVES"},
        {"HALVES", "1: beats go to lanes on other dies in two halves, at clk_2x"},
        {"RESULT_HOPS", "die crossings from the lanes' results to the output FIFO"},
        {"PULSE_HOPS", "register stages from the output FIFO to the rest of the engine: its die crossings, and 1"}};
    if (!strcmp(name, "COPY_CHAIN")) add_chains(ir, engine, out);
    for (size_t i = 0; i < COUNT_OF(docs); i++)
        if (!strcmp(name, docs[i].name)) text_addf(out, "        // %s\n", docs[i].doc);
}

// Returns what a parameter means if its value is a code, a memory offset, a factor, or a count whose name does not tell
// what it counts; else NULL. A row of `docs` applies to modules whose names end with its `module`; an empty string
// applies to all modules.
static const char *value_doc(const char *module, const char *name) {
    static const struct {
        const char *name, *doc, *module;
    } docs[] = {
        {"MODE", "0: language model, 1: graph on rows of numbers", "loop"},
        {"SLOTS", "requests that can run at the same time", ""},
        {"DRAFTS", "most drafts of a request in a step", "loop"},
        {"CONFIDENCE", "confidence in drafts when a request begins, 0 to 3", "loop"},
        {"PARTS", "most parts of a step", "loop"},
        {"PARTS", "most parts of a step", "part_steps"},
        {"PARTS", "most parts of a step", "stream_mux"},
        {"PARTS", "most parts of a step", "stream_demux"},
        {"PARTS", "most parts of a step", "engine"},
        {"PARTS", "most parts of a step", "segment_walker"},
        {"PARTS", "most parts of a step", "position"},
        {"PARTS", "most parts of a step", "token_select"},
        {"PARTS", "channels over which the rows are distributed", "embed"},
        {"LAYERS", "how often the words of a step's parts are sent: the layers of the attention", "part_steps"},
        {"PLACES", "layers of all slots together, each with its own keys and values", ""},
        {"SLOT_LAYERS", "layers of a slot in the open block of values", "engine"},
        {"K_SLOT_STRIDE", "bytes from the keys of a slot to those of the next", ""},
        {"V_SLOT_STRIDE", "bytes from the values of a slot to those of the next", ""},
        {"JOIN", "1: joins the tensors of a step's parts; 0: cuts the tensor of a step", "part_order"},
        {"FIRE_WORDS", "words of a token in a firing at the output", "part_order"},
        {"WORDS", "words of a token of the whole tensor", "part_order"},
        {"ALL", "1: passes on all tokens; 0: only the last one", "token_select"},
        {"HASHES", "tokens of a step whose logits are hashed", ""},
        {"OUTPUTS", "writers of output rows, of which a language model has none (OUTPUTS is then 1)", "loop"},
        {"MODE", "elements of the table: 0 int8, 1 int4, 2 int16", "embed"},
        {"GROUP", "elements that share a scale in MODE 1; without effect in other modes", "embed"},
        {"GROUP", "elements with one scale (int4 weights), or with one exponent (operands of weights)", "engine"},
        {"PUMP", "products of a multiplier in a cycle of clk", "engine"},
        {"FIRE_BLOCKS", "blocks of a firing at the output; 0: as many as at the input", ""},
        {"REPLAYS", "how often the words of a head are sent: once for each query head that reads them", "kv_scale"},
        {"REPLAYS", "how often each firing is sent", ""},
        {"BEATS", "beats of vector parameters after the image's header", "image_header"},
        {"OFFSET", "byte offset of the header in channel 0 (memory_map.json)", "image_header"},
        {"K_LAYER_STRIDE", "bytes from the keys of a layer to those of the next", ""},
        {"K_HEAD_STRIDE", "bytes from the keys of a head to those of the next", ""},
        {"UNITS", "beats of a head of a token", "k_writer"},
        {"UNITS", "words of a head of a token", "kv_scale"},
        {"V_ROW_STRIDE", "bytes from a row-step to the next: the space of all its blocks", "v_tail"},
        {"HDR_BEATS", "beats with scales at the start of a record; each row of the table is a record", "embed"},
        {"ROW_BEATS", "beats with elements in a record, after its scales", "embed"},
        {"RECORD_BYTES", "bytes from a record to the next", "embed"},
        {"PIECES", "cycles in which a beat is sent to the stores", "param_loader"},
        {"HOPS", "register stages of load_valid in the store, because it is on another die", "param_store"},
        {"HOPS", "register stages of load_valid in the store, because it is on another die", "weight_store"},
        {"ULTRA", "channels, from channel 0 on, whose open block is in UltraRAM", "v_tail"},
        {"COUNTS", "beats of each parameter store, the last store first", "param_loader"},
        {"MS_SCALE", "2^-40 / N", "rmsnorm"},
        {"VAR_SCALE", "2^-40 / N^2", "layernorm"},
        {"MEAN_SCALE", "2^-20 / N", "layernorm"},
        {"SCALE_K", "2^EXP_MIN of the operands that are multiplied with keys", "engine"},
        {"SCALE_V", "2^EXP_MIN of the operands that are multiplied with values", "engine"},
        {"V_LAYER_STRIDE", "bytes from the values of a layer to those of the next", ""},
        {"KV_LAYERS", "layers that write keys and values", ""},
        {"X_UNITS", "length of the longest operand of a token, in units of BEAT_BITS/8 elements", ""},
        {"TURN_TOKENS",
         "tokens for which a lane multiplies a beat in one cycle (key A of a spec, 1 unless it is given)", "engine"},
        {"RSQRT_HD", "the scale of scores, 1/sqrt(HEAD_DIM) unless the graph gives another one", "kv_quantize"},
        {"USE_RSQRT", "1: the scale is multiplied by RSQRT_HD (keys); 0: it is stored as it is (values)", ""},
        {"HAS_KV", "1: reads keys and values", ""},
        {"READY_DELAY", "cycles from the last word of a block until all that is computed from it is complete", ""},
        {"DENSE", "1: words are full except in last row-steps", ""},
        {"COUNT_W", "width of the counts of open descriptors", "kv_tracker"},
        {"COUNT_W", "width of the count of open descriptors", "stream_writer"},
        {"CHUNKS", "words of a row", "stream_reader"},
        {"CHUNKS", "words of a row", "stream_writer"},
        {"LAST_ELEMS", "valid elements in the last word of a firing; 0: tcount gives them", "width_converter"},
        {"LAST_WORDS", "words of a firing at the input, for each token", "width_converter"},
        {"WORDS", "words of a firing at the output, for each token", "frame"},
        {"WORDS", "words of a firing, times the repetitions of the region", "param_store"},
        {"BLOCK", "elements that share an exponent", "quantize"},
        {"EXP_MIN", "least exponent of a block", "quantize"},
        {"LAYERS", "repetitions of the region", "softmax"},
        {"PAIRS", "0: element i is rotated with i + ROTARY/2; 1: element 2i is rotated with 2i + 1", ""},
        {"K_BASE", "byte offset of the cache of keys in every channel (memory_map.json)", ""},
        {"V_BASE", "byte offset of the cache of values in every channel (memory_map.json)", ""}};
    size_t len = strlen(module);
    for (size_t i = 0; i < COUNT_OF(docs); i++) {
        size_t end = strlen(docs[i].module);
        bool here = end <= len && !strcmp(module + len - end, docs[i].module);
        if (here && !strcmp(name, docs[i].name)) return docs[i].doc;
    }
    return NULL;
}

// Returns what an offset means in a kernel that reads or writes rows of a table or a tensor, with the channels of these
// rows. Returns NULL for other parameters and kernels.
static const char *offset_doc(const struct ir *ir, int kernel, const char *name) {
    const char *what = !strcmp(name, "TABLE_OFFSET") ? "the table" : !strcmp(name, "OFFSET") ? "the rows" : NULL;
    for (int c = 0; what && c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        if (client->kernel != kernel || client->channel == IR_NONE) continue;
        if (client->parts <= 1)
            return arena_printf(ir->arena, "byte offset of %s in channel %d (memory_map.json)", what, client->channel);
        return arena_printf(ir->arena, "byte offset of %s in channels %d to %d (memory_map.json)", what,
                            client->channel, client->channel + client->parts - 1);
    }
    return NULL;
}

// Explains a parameter that has a bit for each entry of a table, and lists the entries whose bit is 1. Returns false
// for any other parameter.
static bool add_entry_bits(const struct ir_param *param, struct text *out) {
    const struct ir_value *v = &param->value;
    bool part = !strcmp(param->name, "ENTRY_PART"), many = !strcmp(param->name, "ENTRY_MANY");
    const char *comma = "";
    if (v->kind != IR_VALUE_LIST || !(part || many)) return false;
    text_addf(out, "        // the last entry first; 1: the entry is %s (entries",
              part ? "walked once for each part of the step" : "left out in steps of one token");
    for (int e = 0, last; e < v->words; e = last + 1) {
        for (last = e; last + 1 < v->words && v->word[v->words - 2 - last].value;) last++;
        if (!v->word[v->words - 1 - e].value) {
            last = e;
            continue;
        }
        text_addf(out, last > e ? "%s %d to %d" : "%s %d", comma, e, last);
        comma = ",";
    }
    text_add(out, ")\n");
    return true;
}

// Adds a comment line about a parameter: the number if the value is the bits of an fp32 number, and the meaning if
// `doc` has one. Adds nothing if there is neither.
static void add_meaning(const struct ir_value *v, const char *doc, struct text *out) {
    bool number = v->kind == IR_VALUE_WORD && v->word->radix == IR_FLOAT;
    if (!number && !doc) return;
    text_add(out, "        // ");
    if (number) {
        uint32_t bits = (uint32_t)v->word->value;
        float value;
        memcpy(&value, &bits, sizeof value);
        add_number(value, out);
    }
    text_addf(out, "%s%s\n", number && doc ? ": " : "", doc ? doc : "");
}

void emit_describe_value(const struct ir *ir, int kernel, const struct ir_param *param, struct text *out) {
    const struct ir_value *v = &param->value;
    const struct ir_engine *engine = engine_at(ir, kernel);
    if (v->kind == IR_VALUE_LIST && v->words == 1 && !strcmp(param->name, "TABLE")) {
        struct table t = table_of(ir, kernel, v);
        add_only_entry(&t, out);
    }
    if (add_entry_bits(param, out)) return;
    if (engine) add_dies(ir, engine, param->name, out);
    const char *doc = value_doc(ir->kernel[kernel].module, param->name);
    // A comment at the constant explains a parameter that is equal to one.
    if (!emit_param_expression(ir, kernel, param)) add_meaning(v, doc ? doc : offset_doc(ir, kernel, param->name), out);
    if (schedule_sections(param)) add_sections(ir, kernel, schedule_sections(param), out);
}
