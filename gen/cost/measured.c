// SPDX-License-Identifier: Apache-2.0
// Reads the table of syntheses, verif/cost/measured.txt, and calculates how far the cost formulas are from it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/kernel/args.h"
#include "gen/cost/cost.h"

enum { WORD_BITS = 32, TABLE_BYTES = 1 << 20, LEAST = 300 /* cells: percentages of smaller rows are not meaningful */ };

// Reads a parameter's value. The table writes a list as one constant of 32-bit words (verif/cost/instances.sh).
static struct ir_value read_value(struct arena *arena, const char *text) {
    const char *digits = strstr(text, "'h");
    int64_t bits = strtoll(text, NULL, 10), words = bits / WORD_BITS;
    if (!digits || words < 2 || bits % WORD_BITS || (int64_t)strlen(digits + 2) != bits / 4)
        return ir_value_read(arena, text);
    struct ir_word *word = ARENA_ARRAY(arena, struct ir_word, (size_t)words);
    for (int64_t w = 0; w < words; w++) {
        const char *piece = arena_strndup(arena, digits + 2 + w * WORD_BITS / 4, WORD_BITS / 4);
        word[w] = (struct ir_word){.bits = WORD_BITS, .radix = IR_DECIMAL, .value = strtoull(piece, NULL, 16)};
    }
    return ir_value_list(arena, word, (int)words);
}

// Reads a row: "MODULE NAME=VALUE... : LUT FF DSP BRAM36 URAM". Returns false for comments and rows without figures.
static bool read_row(struct arena *arena, char *line, struct cost_row *row) {
    char *colon = strstr(line, " : "), *save = NULL;
    double lut, ff, dsp, bram36, uram;
    if (line[0] == '#' || !colon || sscanf(colon + 3, "%lf %lf %lf %lf %lf", &lut, &ff, &dsp, &bram36, &uram) != 5)
        return false;
    *colon = '\0';
    *row = (struct cost_row){.module = strtok_r(line, " ", &save),
                             .is = {(int64_t)lut, (int64_t)ff, (int64_t)dsp, (int64_t)(2 * bram36), (int64_t)uram}};
    row->param = ARENA_ARRAY(arena, struct ir_param, (size_t)(colon - line)); // more than enough
    for (char *word, *equals; (word = strtok_r(NULL, " ", &save)) && (equals = strchr(word, '='));) {
        *equals = '\0';
        if (!strcmp(word, "apart")) continue; // says how the row was measured, and is not a parameter
        row->param[row->params++] = (struct ir_param){word, read_value(arena, equals + 1)};
    }
    return true;
}

struct cost_rows cost_rows_read(struct arena *arena) {
    struct cost_rows rows = {0};
    const char *path = file_find_shared(arena, "verif/cost/measured.txt"), *why;
    size_t len;
    char *text = path ? file_read(arena, path, TABLE_BYTES, &len, &why) : NULL, *save = NULL;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
        struct cost_row row;
        if (read_row(arena, line, &row)) VEC_PUSH(arena, rows, row);
    }
    return rows;
}

// Adds a row to the errors of a fit.
static void count(struct cost_fit_of *fit, int64_t estimate, int64_t measured) {
    if (measured < LEAST) return;
    double error = 100.0 * (double)(estimate - measured) / (double)measured, size = error < 0 ? -error : error;
    fit->mean = (fit->mean * fit->rows + size) / (fit->rows + 1);
    fit->rows++;
    if (size > (fit->worst < 0 ? -fit->worst : fit->worst)) fit->worst = error;
}

struct cost_fit cost_fit(const struct cost_rows *rows, const char *module) {
    struct cost_fit fit = {0};
    for (size_t i = 0; i < rows->count; i++) {
        const struct cost_row *row = &rows->items[i];
        struct cost_resources r;
        if ((module && strcmp(row->module, module) != 0) || !cost_module(row->module, row->param, row->params, &r))
            continue;
        fit.rows++;
        count(&fit.lut, r.lut, row->is.lut);
        count(&fit.ff, r.ff, row->is.ff);
    }
    return fit;
}

// Returns whether `have` has the parameter with this value. The contents of schedules (TABLE, SECTION_...) are not
// compared, because measured rows have random ones.
static bool same_value(const struct ir_param *want, const struct kernel_args *have) {
    if (!strcmp(want->name, "TABLE") || !strncmp(want->name, "SECTION_", 8)) return true;
    const struct kernel_args one = {want, 1};
    const struct ir_value *a = &want->value, *b = args_value(have, want->name);
    int64_t none = INT64_MIN, left = args_int(&one, want->name, none), right = args_int(have, want->name, none);
    if (left != none && right != none) return left == right;
    if (!b || a->kind != b->kind) return false;
    return a->kind == IR_VALUE_STYLE ? a->style == b->style : a->kind == IR_VALUE_TEXT && !strcmp(a->text, b->text);
}

const struct cost_row *cost_row_of(const struct cost_rows *rows, const char *module, const struct ir_param *param,
                                   int params) {
    const struct kernel_args have = {param, params};
    for (size_t i = 0; i < rows->count; i++) {
        const struct cost_row *row = &rows->items[i];
        if (strcmp(row->module, module) != 0 || row->params != params) continue;
        int same = 0;
        while (same < params && same_value(&row->param[same], &have)) same++;
        if (same == params) return row;
    }
    return NULL;
}
