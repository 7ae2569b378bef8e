// SPDX-License-Identifier: Apache-2.0
// rill import of an ONNX file: writes the spec, with design keys that fit the board, and next to it the weights
// (model.safetensors). gen/onnx translates the graph.
#include "gen/command/import_onnx.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/cost/cost.h"
#include "gen/explore/explore.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"
#include "gen/report/design_report.h"
#include "gen/spec/spec.h"
#include "gen/timing/depths.h"

// Lanes to try, and whether the design is divided over all dies of the board. The fastest choice comes first.
static const struct {
    int lanes;
    bool all_dies;
} rungs[] = {{8, false}, {8, true}, {4, false}, {4, true}, {2, false}, {1, false}};
// MOST_ROWS: most rows of a tensor that share reads (`tensor_rows`). MOST_TOKENS: most rows of a request in a step (T).
// CHANNEL_BYTES: bytes of weights that are worth a channel. MOST_DIM: largest size of an axis in --dim.
enum { MOST_CHANNELS = 32, MOST_ROWS = 8, MOST_TOKENS = 4, CHANNEL_BYTES = 1 << 17, MOST_DIM = 1048576 };
static const double MOST_VALUE = 16777216; // whole numbers up to it are exact in fp32

const char *command_take_dim(struct arena *arena, void *into, const char *value) {
    struct onnx_options *o = into;
    const char *equal = strchr(value, '=');
    char *end = NULL;
    long long n = equal ? strtoll(equal + 1, &end, 10) : 0;
    if (!equal || equal == value || !equal[1] || *end || n < 1 || n > MOST_DIM)
        return arena_printf(arena, MSG_ONNX_DIM, value);
    if (o->dims == ONNX_MAX_DIMS) return "too many axes";
    o->dim[o->dims].name = arena_strndup(arena, value, (size_t)(equal - value));
    o->dim[o->dims++].value = (double)n;
    return NULL;
}

const char *command_take_set(struct arena *arena, void *into, const char *value) {
    struct onnx_options *o = into;
    const char *equal = strchr(value, '=');
    char *end = NULL;
    double x = equal ? strtod(equal + 1, &end) : 0;
    if (!equal || equal == value || !equal[1] || *end || !(fabs(x) <= MOST_VALUE))
        return arena_printf(arena, MSG_ONNX_SET, value);
    if (o->sets == ONNX_MAX_DIMS) return "too many inputs";
    o->set[o->sets].name = arena_strndup(arena, value, (size_t)(equal - value));
    o->set[o->sets++].value = x;
    return NULL;
}

struct fitting {
    const struct onnx_import *m;
    const char *path; // path of the spec, for messages
    struct arena *arena;
};

// Makes the spec of a design and builds it up to the pass `last` (NULL: all passes). Returns NULL after an error.
static struct ir *build(const struct fitting *f, const struct onnx_design *d, const char *last, struct text *spec,
                        struct diag *diag) {
    text_free(spec);
    onnx_import_spec(f->m, d, spec);
    const struct rill_spec *read = rill_spec_read_bytes(f->path, text_cstr(spec), spec->len, f->arena, diag);
    return read ? command_build_spec(read, f->arena, diag, last) : NULL;
}

// The pass before size-fifos, and the pass before place-dies.
static const char before_depths[] = "split-forks", after_depths[] = "allocate-memories";

// Returns the number of words that all streams carry in a step. The time that the forecasts of size-fifos take is
// proportional to this number.
static int64_t words_of_step(const struct ir *ir) {
    int64_t words = 0;
    for (int e = 0; e < ir->edges; e++) words += safe_words(ir, &ir->edge[e]);
    return words;
}

// Divides a design over its dies. Returns false if its resources cannot be within the limits of the dies: this is known
// from a lower bound, which takes much less time than the division.
static bool place(struct ir *ir, struct diag *diag) {
    return ir->design.dies < 2 || (place_dies_excess(ir) <= 0 && pass_place_dies(ir, NULL, diag));
}

// Builds the design without the pass size-fifos: every FIFO gets the depth of the safe rule, which is an upper bound.
// Sets *brief if the step is short enough for size-fifos to look for smaller depths. apart: without the division over
// dies. Returns NULL after an error, or if the design cannot fit its dies.
static struct ir *build_bound(const struct fitting *f, const struct onnx_design *d, bool apart, struct text *spec,
                              struct diag *diag, bool *brief) {
    struct ir *ir = build(f, d, before_depths, spec, diag);
    *brief = !ir || words_of_step(ir) <= TIMING_BRIEF_PASS;
    if (!ir) return NULL;
    pass_safe_depths(ir);
    return pass_allocate_memories(ir, NULL, diag) && (apart || place(ir, diag)) ? ir : NULL;
}

// Builds the design with the depths that size-fifos finds, and divides it over its dies. Returns NULL after an error,
// if the design cannot fit its dies, or if size-fifos keeps the depths of the safe rule, as build_bound has these.
static struct ir *build_sized(const struct fitting *f, const struct onnx_design *d, struct text *spec,
                              struct diag *diag) {
    struct ir *ir = build(f, d, after_depths, spec, diag);
    return ir && ir->design.fifo != SPEC_SAFE && place(ir, diag) ? ir : NULL;
}

// A design that is built only to look at it. Its messages are not printed.
struct trial {
    struct diag diag;
    struct text spec;
    char *said; // the messages
    size_t len;
    struct arena_mark mark; // trial_end releases all memory that was allocated after this mark
};

static void trial_begin(const struct fitting *f, struct trial *t) {
    *t = (struct trial){.mark = arena_mark(f->arena)};
    diag_init(&t->diag, open_memstream(&t->said, &t->len));
}

static void trial_end(const struct fitting *f, struct trial *t) {
    fclose(t->diag.out);
    arena_release(f->arena, t->mark);
    text_free(&t->spec);
    free(t->said);
}

// Returns whether the design is legal and within the limits of the board by estimate. A design that is not divided over
// dies must be within those of one die. With `bound`, FIFOs have the depths of build_bound, which also sets *brief.
// apart: the division over dies is not known yet, so only the limits of the whole board count.
static bool fits_by(const struct fitting *f, const struct onnx_design *d, bool bound, bool apart, bool *brief) {
    struct trial t;
    trial_begin(f, &t);
    struct ir *ir = bound ? build_bound(f, d, apart, &t.spec, &t.diag, brief) : build_sized(f, d, &t.spec, &t.diag);
    if (ir) design_report_capacity(ir, loc_none(), &t.diag);
    bool ok = ir && !t.diag.warnings && !t.diag.errors && (apart || !explore_is_unplaced(ir));
    trial_end(f, &t);
    return ok;
}

// Returns whether the design fits the board. Most designs that fit do so with the depths of the safe rule. If one does
// not, and its step is short, size-fifos may find smaller depths with which it fits. Dividing a design over dies takes
// long, so it is tried only if the whole board has enough of everything.
static bool fits(const struct fitting *f, const struct onnx_design *d) {
    bool brief;
    struct onnx_design whole = *d;
    whole.dies = 1;
    if (d->dies > 1 && !fits_by(f, &whole, true, true, &brief)) return false;
    return fits_by(f, d, true, false, &brief) || (brief && fits_by(f, d, false, false, NULL));
}

// Returns the number of dies of the board, or 1 if it is not known.
static int dies_of_board(const struct fitting *f, const struct onnx_design *d) {
    struct trial t;
    trial_begin(f, &t);
    const struct ir *ir = build(f, d, before_depths, &t.spec, &t.diag);
    int dies = ir ? ir->dies : 1;
    trial_end(f, &t);
    return dies;
}

static bool is_legal(const struct fitting *f, const struct onnx_design *d) {
    struct trial t;
    trial_begin(f, &t);
    bool legal = build(f, d, before_depths, &t.spec, &t.diag);
    trial_end(f, &t);
    return legal;
}

// The schedule of an engine has an entry for each row of a tensor, or for each group of rows that share reads of the
// weights. Large images have more rows than it can hold. If the design is not legal, and sharing makes it so, lets the
// fewest rows share. Otherwise rows do not share.
static void share_if_needed(const struct fitting *f, struct onnx_design *d) {
    struct onnx_design with = *d;
    d->tensor_rows = with.tensor_rows = 0;
    if (is_legal(f, d)) return;
    for (with.tensor_rows = 2; with.tensor_rows <= MOST_ROWS; with.tensor_rows *= 2)
        if (is_legal(f, &with)) {
            *d = with;
            return;
        }
}

// Chooses as many channels as the weights keep busy, and with them the most lanes that fit. If none fits, tries half of
// the channels, and so on. Returns false if none fits with one channel; *d is then the smallest legal design.
static bool choose(const struct fitting *f, struct onnx_design *d) {
    int64_t bytes = onnx_import_weight_bytes(f->m);
    int channels = 1;
    *d = (struct onnx_design){.board = d->board, .channels = 1, .tokens = 1, .lanes = rungs[0].lanes};
    int dies = dies_of_board(f, d);
    while (channels < MOST_CHANNELS && bytes > (int64_t)channels * CHANNEL_BYTES) channels *= 2;
    for (; channels >= 1; channels /= 2) {
        d->channels = channels, d->lanes = rungs[0].lanes, d->dies = 1;
        share_if_needed(f, d);
        for (size_t r = 0; r < COUNT_OF(rungs); r++) {
            if (rungs[r].all_dies && dies < 2) continue;
            d->lanes = rungs[r].lanes, d->dies = rungs[r].all_dies ? dies : 1;
            if (fits(f, d)) return true;
        }
    }
    while (!is_legal(f, d) && d->channels < MOST_CHANNELS) {
        d->channels *= 2;
        share_if_needed(f, d);
    }
    return false;
}

// Returns whether rows of some tensor could share reads of the weights.
static bool has_rows(const struct ir *ir) {
    for (int f = 0; f < ir->firings; f++)
        if (ir->firing[f].head > 0) return true;
    return false;
}

// Returns the lower bound of the cycles of a step, divided by the rows of the step, or 0 if the design is not legal.
// Sets *rows to whether rows of some tensor could share reads; `rows` may be NULL.
static double bound_of(const struct fitting *f, const struct onnx_design *d, bool *rows) {
    struct trial t;
    trial_begin(f, &t);
    const struct ir *ir = build(f, d, before_depths, &t.spec, &t.diag);
    double cycles = 0;
    if (ir) cycles = (double)cost_step_bound(ir, &(struct cost_step){.tokens = d->tokens, .head = true}).cycles;
    if (rows) *rows = ir && has_rows(ir);
    trial_end(f, &t);
    return cycles / d->tokens;
}

// With --on-chip: lanes of all engines together, and the vector lanes and rows per step to try with each of them.
static const int chip_lanes[] = {48, 32, 24, 16, 12, 8, 4, 2, 1};
static const struct {
    int tokens, lanes, tensor_rows;
} chip_rungs[] = {{8, 16, 1}, {8, 8, 1}, {1, 16, 2}, {1, 16, 1}, {1, 8, 2}, {1, 8, 1}, {1, 4, 1}, {1, 1, 1}};

// Returns whether the design fits one die or, if it does not, all dies of the board. Sets d->dies to the number that
// was tried last.
static bool fits_some_dies(const struct fitting *f, struct onnx_design *d, int dies) {
    d->dies = 1;
    if (fits(f, d)) return true;
    d->dies = dies;
    return dies > 1 && fits(f, d);
}

// Chooses a design that keeps all weights on chip: of those that fit, the one with the lowest bound for a row. More
// lanes must take at least an eighth off the bound of fewer ones. Returns false if none fits.
static bool choose_on_chip(const struct fitting *f, struct onnx_design *d) {
    *d = (struct onnx_design){.board = d->board, .channels = 1, .tokens = 1, .lanes = rungs[0].lanes};
    int dies = dies_of_board(f, d);
    struct onnx_design best = *d;
    double least = DBL_MAX;
    for (int l = (int)COUNT_OF(chip_lanes) - 1; l >= 0; l--)
        for (int r = (int)COUNT_OF(chip_rungs) - 1; r >= 0; r--) {
            struct onnx_design one = *d;
            one.channels = 1, one.resident = chip_lanes[l], one.lanes = chip_rungs[r].lanes;
            one.tokens = chip_rungs[r].tokens, one.tensor_rows = chip_rungs[r].tensor_rows;
            double cycles = bound_of(f, &one, NULL);
            if (cycles <= 0 || cycles > least * 7 / 8 || !fits_some_dies(f, &one, dies)) continue;
            best = one, least = cycles;
        }
    *d = best;
    return best.resident > 0;
}

// Lets rows of tensors share reads of the weights, if this takes at least a quarter off the bound and the design still
// fits. More rows wait longer for one another, so they must take at least a sixteenth off the bound of fewer rows.
static void share_rows(const struct fitting *f, struct onnx_design *d) {
    bool has;
    double alone = bound_of(f, d, &has), most = alone * 3 / 4;
    struct onnx_design best = *d;
    for (int rows = 2; has && rows <= MOST_ROWS; rows *= 2) {
        struct onnx_design with = *d;
        with.tensor_rows = rows;
        double cycles = bound_of(f, &with, NULL);
        if (cycles > 0 && cycles <= most && fits(f, &with)) best = with, most = cycles * 15 / 16;
    }
    *d = best;
}

// Lets the rows of a request share reads of the weights, if the design still fits. Each buffer then has a place for
// each of these rows. A design for vectors grows little, and gains time between steps that the bound does not show. A
// design for tensors of several rows, such as images, becomes much larger, so this must take at least a quarter off the
// bound of a row.
static void share_steps(const struct fitting *f, struct onnx_design *d) {
    bool has;
    double most = bound_of(f, d, &has), part = 1;
    if (has) most *= 3.0 / 4, part = 15.0 / 16;
    struct onnx_design best = *d;
    for (int tokens = 2; tokens <= MOST_TOKENS; tokens *= 2) {
        struct onnx_design with = *d;
        with.tokens = tokens;
        double cycles = bound_of(f, &with, NULL);
        if (cycles > 0 && cycles <= most && fits(f, &with)) best = with, most = cycles * part;
    }
    *d = best;
}

// Returns the cycles per row of a step, if nothing works while a product of two tensors does. Sets *has to whether the
// graph has such products. Returns 0 if the design is not legal.
static double cycles_with_bmm(const struct fitting *f, const struct onnx_design *d, bool *has) {
    struct trial t;
    trial_begin(f, &t);
    const struct ir *ir = build(f, d, before_depths, &t.spec, &t.diag);
    const struct cost_step step = {.tokens = d->tokens, .head = true};
    int64_t waits = ir ? cost_step_waits(ir, &step) : 0;
    double cycles = ir ? (double)(cost_step_bound(ir, &step).cycles + waits) : 0;
    *has = waits > 0;
    trial_end(f, &t);
    return cycles / d->tokens;
}

// Lets products of two tensors multiply several rows at the same time, if the design still fits. This takes a lane for
// each of these rows, so each step must take at least a sixteenth off the cycles.
static void multiply_rows_together(const struct fitting *f, struct onnx_design *d) {
    bool has;
    double most = cycles_with_bmm(f, d, &has) * 15 / 16;
    struct onnx_design best = *d;
    for (int rows = d->bmm_rows ? 2 * d->bmm_rows : 2; has && rows <= IR_MAX_BMM_ROWS; rows *= 2) {
        struct onnx_design with = *d;
        with.bmm_rows = rows;
        double cycles = cycles_with_bmm(f, &with, &has);
        if (cycles > 0 && cycles <= most && fits(f, &with)) best = with, most = cycles * 15 / 16;
    }
    *d = best;
}

static bool write_files(const struct fitting *f, const char *dir, const struct text *spec, struct diag *diag) {
    struct output out;
    output_begin(&out, f->arena, dir);
    FILE *weights = output_open(&out, "model.safetensors");
    const char *name = arena_printf(f->arena, "%s.yaml", onnx_import_name(f->m));
    if (weights && onnx_import_weights(f->m, weights) && output_text(&out, name, spec) && output_commit(&out))
        return true;
    output_abort(&out);
    diag_error_text(diag, loc_none(), out.error ? out.error : arena_printf(f->arena, MSG_DISK_FULL, dir));
    return false;
}

bool command_import_onnx(const struct onnx_options *o, const char *board, const char *dir, struct arena *arena,
                         struct diag *diag) {
    struct text table = {0}, spec = {0};
    struct fitting f = {.m = onnx_import_read(o, arena, &table, diag), .arena = arena};
    struct onnx_design d = {.board = file_is_path(board) ? file_relative(arena, dir, file_whole(arena, board)) : board};
    printf("%s", text_cstr(&table));
    bool ok = f.m;
    if (ok) {
        f.path = arena_printf(arena, "%s/%s.yaml", dir, onnx_import_name(f.m));
        bool fit = o->on_chip ? choose_on_chip(&f, &d) : choose(&f, &d);
        if (o->on_chip && !fit) {
            diag_error(diag, loc_none(), MSG_ONNX_ON_CHIP, board);
            text_free(&table);
            return false;
        }
        // After the engine has become faster, more rows at the same time may pay off.
        if (fit) multiply_rows_together(&f, &d);
        if (fit && !o->on_chip) share_rows(&f, &d);
        if (fit && !o->on_chip && d.dies < 2) share_steps(&f, &d);
        if (fit && !o->on_chip) multiply_rows_together(&f, &d);
        ok = build(&f, &d, before_depths, &spec, diag) && write_files(&f, dir, &spec, diag);
        if (ok)
            printf("\ndesign for board %s: %d channels, %d lanes, T = %d, %s%sweights int8, activations "
                   "int10%s%s%s\n\n%s\n%s/model.safetensors\n",
                   board, d.channels, d.lanes, d.tokens,
                   d.tensor_rows > 1 ? arena_printf(arena, "tensor_rows = %d, A = 2, ", d.tensor_rows) : "",
                   d.dies > 1 ? arena_printf(arena, "%d dies, ", d.dies) : "",
                   d.bmm_rows > 1 ? arena_printf(arena, ", bmm_rows = %d", d.bmm_rows) : "",
                   d.resident ? arena_printf(arena, ", weights on chip for %d engine lanes", d.resident) : "",
                   fit ? ""
                       : "\nit is beyond the board's limits by estimate: it can be simulated, not built "
                         "(`rill check` says where)",
                   f.path, dir);
    }
    text_free(&table);
    text_free(&spec);
    return ok;
}
