// SPDX-License-Identifier: Apache-2.0
// Advice for a design: tries changes of single keys, and orders the changes by their effect on speed and area. All
// changes are estimated, and the best of them are evaluated at the level `whole`.
#include <stdlib.h>
#include <string.h>

#include "gen/explore/explore.h"

enum { MOST_CHANGES = 2 * EXPLORE_KEYS + 16 }; // further changes are not tried

// ---- why a change helps ----

static const struct reason {
    const char *key;
    int way; // the value becomes larger (1), smaller (-1), or another word (0)
    const char *why;
} reasons[] = {
    {"channels", 1, "another channel reads more weights at a time, for a lane and a memory port"},
    {"channels", -1, "takes a lane and a memory port off the die of the memory"},
    {"lanes", 1, "vector kernels process more values per cycle, so the engine waits less for operands"},
    {"lanes", -1, "vector kernels and their converters become narrower: norms, softmax, activation functions"},
    {"unroll", 1, "more lanes for the slowest vector kernels"},
    {"unroll", -1, "fewer lanes for the vector kernels that are fast enough"},
    {"T", 1, "a step processes more prompt tokens, so weights are read less often for a prompt"},
    {"T", -1, "buffers of operands and results hold fewer tokens"},
    {"A", 1, "more prompt tokens share a beat of weights in the same cycle"},
    {"A", -1, "every lane has fewer accumulators and multipliers"},
    {"pump", 1, "half the multipliers at the same speed, for a second clock"},
    {"pump", -1, "no second clock, for twice the multipliers"},
    {"query_heads", 1, "a decode step reads keys and values once for several heads"},
    {"query_heads", -1, "the engine holds the queries of fewer heads"},
    {"prefetch_beats", 1, "the memory reads further ahead while the engine waits"},
    {"prefetch_beats", -1, "smaller prefetch FIFOs: block RAM or UltraRAM next to the memory"},
    {"outstanding", 1, "more read bursts in flight hide the latency of the memory"},
    {"outstanding", -1, "smaller tables in the DMA engines"},
    {"dies", 1, "parts of the design move to another die"},
    {"dies", -1, "fewer streams cross between dies"},
    {"context", -1, "smaller stores of keys' scales, scores and positions"},
    {"context", 1, "longer requests, for larger stores of keys' scales, scores and positions"},
    {"weights", 0, "another format of the weights: other bytes to read, other lanes, other accuracy"},
    {"activations", 0, "mantissas of another width: other lanes, other accuracy"},
};

static const char *reason_of(const char *key, int way) {
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (!strcmp(reasons[i].key, key) && reasons[i].way == way) return reasons[i].why;
    return "";
}

// ---- the changes ----

static bool is_number(const struct explore_key *k) { return k->field->type == SCHEMA_INT; }

// Adds the change of key k to its value number `to`, unless there is no such value or it is the spec's own.
static void add_change(const struct explore *x, int k, int to, struct explore_advice *list, int *count) {
    const struct explore_key *key = &x->key[k];
    if (to < 0 || to >= key->values || to == key->own || *count == MOST_CHANGES) return;
    struct explore_advice *a = &list[(*count)++];
    *a = (struct explore_advice){.point = explore_own(x)};
    a->point.at[k] = (uint8_t)to;
    a->change = explore_changes(x, &a->point, x->arena);
    a->why = reason_of(key->name, is_number(key) ? (to > key->own ? 1 : -1) : 0);
}

// Lists the changes to try. A numeric key gets the next value on either side, any other key all of its other values.
static int list_changes(const struct explore *x, struct explore_advice *list) {
    enum { FAR = 4 }; // `channels` is also tried with a value this many places lower
    int count = 0;
    for (int k = 0; k < x->keys; k++) {
        const struct explore_key *key = &x->key[k];
        // `unroll: 0` means that lanes have no budget. Any budget would be a large change, so `unroll` is left out.
        bool off = !strcmp(key->name, "unroll") && !strcmp(key->value[key->own], "0");
        if (off) continue;
        if (is_number(key)) {
            add_change(x, k, key->own + 1, list, &count);
            add_change(x, k, key->own - 1, list, &count);
            if (!strcmp(key->name, "channels")) add_change(x, k, key->own - FAR, list, &count);
            continue;
        }
        for (int v = 0; v < key->values; v++) add_change(x, k, v, list, &count);
    }
    return count;
}

bool explore_begin_advice(struct explore *x, const char *path, struct arena *arena, struct diag *diag) {
    static const char *const none[] = {NULL};
    struct explore_words w = {.goal = none, .over = true, .also = true};
    return explore_begin(x, path, &w, arena, diag);
}

// ---- what they are worth ----

// Returns the relative improvement of a figure: negative if the figure gets worse, 0 if one of the values is not known.
static double gain(const struct explore_result *own, const struct explore_result *r, int metric) {
    double of = own->value[metric], to = r->value[metric];
    if (of <= 0 || to <= 0) return 0;
    return explore_metric[metric].up ? (to - of) / of : (of - to) / to;
}

// Returns the worth of a change: the gains in speed, with little weight the gains in area, and with the most weight the
// relief. If the design exceeds a limit of its board, the relief is the share of this excess that the change removes.
// Otherwise it is the excess that the change causes, with a negative sign.
static double worth_of(const struct explore_result *own, const struct explore_result *r) {
    static const double RELIEF = 10, AREA = 0.1;
    double sum = gain(own, r, EXPLORE_TOKENS_S) + gain(own, r, EXPLORE_TTFT_MS);
    sum += AREA * (gain(own, r, EXPLORE_LUT) + gain(own, r, EXPLORE_DSP));
    double relief = own->beyond > 0 ? (own->beyond - r->beyond) / own->beyond : -r->beyond;
    return sum + RELIEF * relief;
}

static int by_worth(const void *a, const void *b) {
    const struct explore_advice *x = a, *y = b;
    if (x->worth > y->worth || x->worth < y->worth) return x->worth > y->worth ? -1 : 1;
    return strcmp(x->change, y->change);
}

// A callback for explore_workers_run that does nothing with the result of a task.
static bool ignore(void *to, const struct explore_task *task) {
    (void)to;
    (void)task;
    return true;
}

// Evaluates the spec (task 0) and the changes (from task 1 on). Returns NULL after an error.
static struct explore_task *evaluate(const struct explore *x, struct explore_workers *w,
                                     const struct explore_advice *list, int count, int level) {
    struct explore_task *task = ARENA_ARRAY(x->arena, struct explore_task, (size_t)count + 1);
    for (int i = 0; i <= count; i++)
        task[i] = (struct explore_task){.point = i ? list[i - 1].point : explore_own(x), .level = level};
    return explore_workers_run(x, w, task, count + 1, ignore, NULL) ? task : NULL;
}

// Keeps the changes that the passes accept, with their results, the most useful first. Returns their number.
static int take_legal(const struct explore_task *task, struct explore_advice *list, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (!task[i + 1].result.legal) continue;
        list[kept] = list[i];
        list[kept].result = task[i + 1].result;
        list[kept].worth = worth_of(&task[0].result, &task[i + 1].result);
        kept++;
    }
    qsort(list, (size_t)kept, sizeof *list, by_worth);
    return kept;
}

// Predicts the figures of an estimated change: those of the spec at the level `whole`, times the ratio of the two
// estimates.
static void relate(const struct explore_result *own, const struct explore_result *own_estimate,
                   struct explore_result *r) {
    for (int m = 0; m < EXPLORE_METRICS; m++)
        if (own_estimate->value[m] > 0) r->value[m] *= own->value[m] / own_estimate->value[m];
}

// Estimates all changes, and evaluates the best `whole` of them at the level `whole`. Returns the number of changes in
// `list`, or -1 after an error.
static int advise(const struct explore *x, struct explore_workers *w, int whole, struct explore_result *own,
                  struct explore_advice *list) {
    int count = list_changes(x, list);
    struct explore_task *estimate = evaluate(x, w, list, count, EXPLORE_ESTIMATE);
    if (!estimate) return -1;
    count = take_legal(estimate, list, count);
    if (whole > count) whole = count;
    struct explore_task *task = whole ? evaluate(x, w, list, whole, EXPLORE_WHOLE) : estimate;
    if (!task) return -1;
    *own = task[0].result;
    for (int i = whole; i < count; i++) relate(own, &estimate[0].result, &list[i].result);
    if (whole) take_legal(task, list, whole);
    return count;
}

int explore_advise(const struct explore *x, int whole, int jobs, struct explore_result *own,
                   struct explore_advice **out) {
    struct explore_workers w;
    *out = ARENA_ARRAY(x->arena, struct explore_advice, MOST_CHANGES);
    int count = explore_workers_start(x, &w, jobs, NULL, NULL) ? advise(x, &w, whole, own, *out) : -1;
    explore_workers_stop(&w);
    return count;
}

// ---- output ----

// Adds the change of a figure in percent.
static void add_percent(const struct explore_result *own, const struct explore_result *r, int metric, int width,
                        struct text *out) {
    double of = own->value[metric], change = of > 0 ? 100 * (r->value[metric] - of) / of : 0;
    text_addf(out, "%+*.1f", width, change > -0.05 && change < 0.05 ? 0 : change);
}

static const int shown[] = {EXPLORE_TOKENS_S, EXPLORE_TTFT_MS, EXPLORE_LUT, EXPLORE_DSP};

void explore_advice_table(const struct explore *x, const struct explore_result *own, const struct explore_advice *list,
                          int count, struct text *out) {
    text_addf(out, "%s: %.1f tokens/s, TTFT %.2f ms, %s\n  %s\n\n", x->spec->name, own->value[EXPLORE_TOKENS_S],
              own->value[EXPLORE_TTFT_MS], own->fits ? "within the limits" : "beyond the limits of the board",
              own->words);
    text_addf(out, "%-24s%10s%10s%10s%10s  %-10s %s\n", "change", "tokens/s,%", "TTFT, %", "LUT, %", "DSP, %", "limits",
              "why");
    enum { WIDTH = 10 };
    for (int i = 0; i < count; i++) {
        const struct explore_result *r = &list[i].result;
        text_addf(out, "%-24s", list[i].change);
        for (size_t m = 0; m < COUNT_OF(shown); m++) add_percent(own, r, shown[m], WIDTH, out);
        text_addf(out, "  %s%-9s %s\n", r->level == EXPLORE_WHOLE ? " " : "~", r->fits ? "within" : "beyond",
                  list[i].why);
    }
    text_add(out, "\nLines with ~ are estimated; the others are evaluated with all passes and the forecast.\n");
}

// Returns the verb of a note about a change. An estimate does not divide the design over its dies, so only an
// evaluation with all passes can say that a change helps.
static const char *prospect(const struct explore_result *r) {
    if (r->level == EXPLORE_WHOLE) return r->fits ? "fits" : "helps";
    return r->fits ? "may fit" : "may help";
}

void explore_advice_notes(const struct explore_result *own, const struct explore_advice *list, int count,
                          struct text *out) {
    enum { MOST = 3 /* changes that are looked at */ };
    bool estimated = false;
    for (int i = 0; i < count && i < MOST; i++) {
        const struct explore_result *r = &list[i].result;
        if (r->beyond >= own->beyond) continue;
        text_addf(out, "note: `%s` %s (LUTs ", list[i].change, prospect(r));
        add_percent(own, r, EXPLORE_LUT, 0, out);
        text_add(out, " %, tokens/s ");
        add_percent(own, r, EXPLORE_TOKENS_S, 0, out);
        text_addf(out, " %%): %s\n", list[i].why);
        estimated = estimated || r->level != EXPLORE_WHOLE;
    }
    if (estimated)
        text_add(out, "note: these changes are estimated without dividing the design over its dies; "
                      "`rill advise SPEC --whole 4` evaluates the best four\n");
}
