// SPDX-License-Identifier: Apache-2.0
// What a simulation measured, from the file that `rill sim --json` wrote.
#include <jansson.h>
#include <string.h>

#include "report_html.h"

enum { MAX_BYTES = 256 << 20, MAX_WINDOWS = 4096 };

// The record of one FIFO over the run.
static void read_fill(struct ir *ir, const json_t *fill, int edge, struct measured *m) {
    size_t count = json_array_size(fill);
    if (!count || count > MAX_WINDOWS) return;
    m->windows[edge] = (int)count;
    m->fill[edge] = ARENA_ARRAY(ir->arena, int64_t, count);
    for (size_t w = 0; w < count; w++) m->fill[edge][w] = json_integer_value(json_array_get(fill, w));
}

static bool read_fifos(struct ir *ir, const json_t *fifos, struct measured *m, struct diag *diag, struct loc loc) {
    size_t known = 0;
    for (int e = 0; e < ir->edges; e++) {
        const json_t *fifo = json_object_get(fifos, ir->edge[e].name);
        m->high_water[e] = -1;
        if (!fifo) continue;
        known++;
        m->high_water[e] = json_integer_value(json_object_get(fifo, "high_water"));
        read_fill(ir, json_object_get(fifo, "fill"), e, m);
        int64_t depth = json_integer_value(json_object_get(fifo, "depth"));
        if (depth == ir->edge[e].depth) continue;
        diag_error(diag, loc, "the run had %lld words in `%s`, the design has %lld: another design's run", (long long)depth, ir->edge[e].name,
                   (long long)ir->edge[e].depth);
        return false;
    }
    if (json_is_object(fifos) && known == json_object_size(fifos) && known) return true;
    diag_error(diag, loc, "no FIFOs of this design (is it what `rill sim --json` wrote for it?)");
    return false;
}

struct measured *measured_read(struct ir *ir, const char *path, struct diag *diag) {
    size_t len;
    const char *why, *data = file_read(ir->arena, path, MAX_BYTES, &len, &why);
    struct loc loc = loc_file(ir->arena, path);
    if (!data) return diag_error(diag, loc, "%s", why), NULL;
    json_error_t error;
    json_t *root = json_loadb(data, len, 0, &error);
    if (!root) return diag_error(diag, loc, "line %d: %s", error.line, error.text), NULL;
    struct measured *m = ARENA_NEW(ir->arena, struct measured);
    m->high_water = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->edges + 1);
    m->fill = ARENA_ARRAY(ir->arena, int64_t *, (size_t)ir->edges + 1);
    m->windows = ARENA_ARRAY(ir->arena, int, (size_t)ir->edges + 1);
    m->window = json_integer_value(json_object_get(root, "fill_window"));
    m->cycles = json_integer_value(json_object_get(root, "cycles"));
    m->tokens_per_second = json_number_value(json_object_get(root, "tokens_per_second"));
    m->match = json_is_true(json_object_get(root, "match"));
    bool ok = read_fifos(ir, json_object_get(root, "fifos"), m, diag, loc);
    json_decref(root);
    return ok ? m : NULL;
}
