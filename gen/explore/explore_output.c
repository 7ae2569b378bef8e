// SPDX-License-Identifier: Apache-2.0
// Writes the result of a search as a table, as JSON, and as specs. html.c writes the page.
#include <inttypes.h>
#include <string.h>

#include "gen/explore/explore.h"

const char *explore_method(const struct explore *x, const struct explore_outcome *o, struct arena *arena) {
    (void)x;
    if (o->exact) return arena_printf(arena, "exhaustive: all %.0f points, the front is exact", o->size);
    if (o->exhaustive)
        return arena_printf(arena,
                            "exhaustive, cut short: %d of %.0f points could still be on the front, which is not exact; "
                            "raise --whole",
                            o->left, o->size);
    return arena_printf(arena, "NSGA-II with guided moves: %d of %.3g points, the front is not exact", o->count,
                        o->size);
}

// The figures that the table always shows.
static const enum explore_metric usual[] = {EXPLORE_TOKENS_S, EXPLORE_TTFT_MS, EXPLORE_TOKENS_J, EXPLORE_LUT,
                                            EXPLORE_DSP,      EXPLORE_BRAM36,  EXPLORE_URAM,     EXPLORE_FILL};

static bool is_usual(int metric) {
    for (size_t i = 0; i < COUNT_OF(usual); i++)
        if ((int)usual[i] == metric) return true;
    return false;
}

// Selects the columns of the table: the goals that are not among the usual figures, then the usual figures.
static int columns(const struct explore *x, int column[EXPLORE_METRICS]) {
    int count = 0;
    for (int g = 0; g < x->goals; g++)
        if (!is_usual(x->goal[g])) column[count++] = x->goal[g];
    for (size_t i = 0; i < COUNT_OF(usual); i++) column[count++] = (int)usual[i];
    return count;
}

static int width_of(int metric) {
    int title = (int)strlen(explore_metric[metric].title);
    return title > 8 ? title + 2 : 10;
}

static void add_counts(const struct explore_outcome *o, struct text *out) {
    text_addf(out,
              "%d points in %.1f s (%.0f a second): %d refused, %d beyond a limit by their bounds, %d estimated, %d "
              "evaluated in full, %d worse than the front by their bounds\n",
              o->count, o->seconds, o->seconds > 0 ? o->count / o->seconds : 0, o->refused, o->excluded, o->estimated,
              o->evaluated, o->pruned);
}

void explore_table(const struct explore *x, const struct explore_outcome *o, struct text *out) {
    int column[EXPLORE_METRICS], count = columns(x, column);
    text_addf(out, "%s\n", explore_method(x, o, x->arena));
    add_counts(o, out);
    text_addf(out, "request %" PRId64 ":%" PRId64 ", forecast and estimated\n\n%4s", x->prompt, x->tokens, "");
    for (int c = 0; c < count; c++) text_addf(out, "%*s", width_of(column[c]), explore_metric[column[c]].title);
    text_add(out, "  changes\n");
    for (int i = 0; i < o->fronts; i++) {
        const struct explore_seen *s = &o->seen[o->front[i]];
        text_addf(out, "%4d", i + 1);
        for (int c = 0; c < count; c++)
            text_addf(out, "%*.*f", width_of(column[c]), explore_metric[column[c]].decimals,
                      s->result.value[column[c]]);
        text_addf(out, "  %s\n%6s%s\n", explore_changes(x, &s->point, x->arena), "", s->result.words);
    }
}

// Adds a point of the front as an object of JSON: its line of the journal, without the line break.
static void add_point(const struct explore *x, const struct explore_seen *s, struct text *out) {
    struct text line = {0};
    explore_write_line(x, &s->point, &s->result, &line);
    text_add_bytes(out, line.data, line.len - 1);
    text_free(&line);
}

// Returns by how many percent the forecast is above the simulation; 0 if nothing was simulated.
static double difference(double forecast, int64_t simulated) {
    return simulated ? 100 * (forecast / (double)simulated - 1) : 0;
}

void explore_trial_table(const struct explore_trial *run, int runs, struct text *out) {
    text_addf(out, "\nsimulated with random weights, in cycles\n%4s%12s%12s%9s%12s%12s%9s%14s  %s\n", "", "prompt",
              "forecast", "", "decode", "forecast", "", "values", "equal");
    for (int i = 0; i < runs; i++) {
        const struct explore_trial *r = &run[i];
        text_addf(out, "%4d%12" PRId64 "%12.0f%+7.2f %%%12" PRId64 "%12.0f%+7.2f %%%14" PRId64 "  %s\n", i + 1,
                  r->prefill, r->forecast_prefill, difference(r->forecast_prefill, r->prefill), r->decode,
                  r->forecast_decode, difference(r->forecast_decode, r->decode), r->values, r->match ? "yes" : "no");
    }
}

static void add_runs(const struct explore_trial *run, int runs, struct text *out) {
    if (runs) text_add(out, ",\n \"simulated\": [");
    for (int i = 0; i < runs; i++)
        text_addf(out,
                  "%s{\"cycles_prefill\": %" PRId64 ", \"cycles_decode\": %" PRId64
                  ", \"forecast_prefill\": %.0f, \"forecast_decode\": %.0f, \"values_compared\": %" PRId64
                  ", \"match\": %s}",
                  i ? ",\n  " : "\n  ", run[i].prefill, run[i].decode, run[i].forecast_prefill, run[i].forecast_decode,
                  run[i].values, run[i].match ? "true" : "false");
    if (runs) text_add(out, "]");
}

void explore_json(const struct explore *x, const struct explore_outcome *o, const struct explore_trial *run, int runs,
                  struct text *out) {
    text_addf(out, "{\"size\": %.17g, \"method\": \"%s\", \"exact\": %s, \"points\": %d, \"refused\": %d,\n", o->size,
              o->exhaustive ? "exhaustive" : "nsga2", o->exact ? "true" : "false", o->count, o->refused);
    text_addf(out, " \"excluded\": %d, \"estimated\": %d, \"whole\": %d, \"pruned\": %d, \"left\": %d,\n", o->excluded,
              o->estimated, o->evaluated, o->pruned, o->left);
    text_addf(out, " \"request\": [%" PRId64 ", %" PRId64 "], \"goals\": [", x->prompt, x->tokens);
    for (int g = 0; g < x->goals; g++) text_addf(out, "%s\"%s\"", g ? ", " : "", explore_metric[x->goal[g]].key);
    text_add(out, "],\n \"front\": [");
    for (int i = 0; i < o->fronts; i++) {
        text_add(out, i ? ",\n  " : "\n  ");
        add_point(x, &o->seen[o->front[i]], out);
    }
    text_add(out, "]");
    add_runs(run, runs, out);
    text_add(out, "}\n");
}

// ---- specs ----

const char *explore_spec_name(const struct explore *x, int index) {
    return arena_printf(x->arena, "%s-%02d.yaml", x->spec->name, index + 1);
}

// Adds the comment lines at the start of a spec of the front.
static void add_header(const struct explore *x, const struct explore_seen *s, const char *command, struct text *out) {
    const double *v = s->result.value;
    text_addf(out, "# Found by: %s\n# Changed: %s\n", command, explore_changes(x, &s->point, x->arena));
    text_addf(out, "# Forecast for %" PRId64 ":%" PRId64 ": %.1f tokens/s, TTFT %.2f ms. %s\n", x->prompt, x->tokens,
              v[EXPLORE_TOKENS_S], v[EXPLORE_TTFT_MS], s->result.words);
}

// Rewrites a relative path in the user's spec for a spec in another folder.
static const char *placed(const struct explore *x, const char *word, const char *dir) {
    const char *whole = file_from(x->arena, file_dir(x->arena, x->path), word);
    return file_relative(x->arena, dir, whole);
}

static bool emit_one(const struct explore *x, const struct explore_seen *s, const char *name, const char *command,
                     struct output *out) {
    struct text header = {0}, spec = {0};
    add_header(x, s, command, &header);
    explore_spec_text(x, &s->point, text_cstr(&header), &spec);
    bool ok = output_text(out, name, &spec);
    text_free(&header);
    text_free(&spec);
    return ok;
}

// Returns whether the spec may name files by paths. *which: the first key that does, or NULL.
static bool has_paths(const struct explore *x, const char **which) {
    const struct yaml_node *root = x->spec->root, *board = yaml_get(root, "board"),
                           *family = yaml_get(yaml_get(root, "model"), "family");
    *which = yaml_get(root, "kernels")              ? "kernels"
             : board && file_is_path(board->text)   ? "board"
             : family && file_is_path(family->text) ? "model.family"
                                                    : NULL;
    return *which;
}

bool explore_emit(const struct explore *x, const struct explore_outcome *o, const char *dir, const char *command) {
    struct output out;
    const char *which, *there = file_whole(x->arena, dir), *here = file_whole(x->arena, file_dir(x->arena, x->path));
    bool ok = true;
    output_begin(&out, x->arena, dir);
    for (int i = 0; ok && i < o->fronts; i++)
        ok = emit_one(x, &o->seen[o->front[i]], explore_spec_name(x, i), command, &out);
    if (ok && output_commit(&out)) {
        if (has_paths(x, &which) && strcmp(there, here) != 0)
            fprintf(stderr, "note: paths below `%s` of the specs in %s are relative to %s\n", which, dir,
                    placed(x, ".", there));
        return true;
    }
    output_abort(&out);
    diag_error_text(x->diag, loc_none(), out.error);
    return false;
}
