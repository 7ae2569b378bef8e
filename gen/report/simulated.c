// SPDX-License-Identifier: Apache-2.0
// Reads the figures of a simulation (cycles, tokens/s, fill of the FIFOs) from the file that `rill sim --json` wrote,
// for the HTML report.
#include <jansson.h>
#include <string.h>

#include "gen/report/report_html.h"

enum { MAX_BYTES = 256 << 20, MAX_WINDOWS = 4096 }; // limits: bytes of the file, windows in the record of a FIFO

static bool is_count(const json_t *value) { return json_is_integer(value) && json_integer_value(value) >= 0; }

// Reads the record of how full a FIFO was in each window of the run. The record may be absent. Returns false if it has
// a wrong form.
static bool read_fill(struct ir *ir, const json_t *fill, int edge, struct measured *m) {
    size_t count = json_array_size(fill);
    if ((fill && !json_is_array(fill)) || count > MAX_WINDOWS) return false;
    if (!count) return true;
    m->windows[edge] = (int)count;
    m->fill[edge] = ARENA_ARRAY(ir->arena, int64_t, count);
    for (size_t w = 0; w < count; w++) {
        if (!is_count(json_array_get(fill, w))) return false;
        m->fill[edge][w] = json_integer_value(json_array_get(fill, w));
    }
    return true;
}

static bool read_fifo(struct ir *ir, const json_t *fifo, int edge, struct measured *m) {
    const json_t *high_water = json_object_get(fifo, "high_water");
    m->high_water[edge] = json_integer_value(high_water);
    return is_count(high_water) && read_fill(ir, json_object_get(fifo, "fill"), edge, m);
}

// Reads the figures of all FIFOs. Their names and depths must be those of the design; otherwise the run is of another
// design, which is an error.
static bool read_fifos(struct ir *ir, const json_t *fifos, struct measured *m, struct diag *diag, struct loc loc) {
    size_t known = 0;
    for (int e = 0; e < ir->edges; e++) {
        const json_t *fifo = json_object_get(fifos, ir->edge[e].name);
        m->high_water[e] = -1;
        if (!fifo) continue;
        known++;
        int64_t depth = json_integer_value(json_object_get(fifo, "depth"));
        if (depth == ir->edge[e].depth && read_fifo(ir, fifo, e, m)) continue;
        if (depth == ir->edge[e].depth) diag_error(diag, loc, MSG_RUN_FIFO, ir->edge[e].name);
        else
            diag_error(diag, loc, MSG_RUN_OTHER_DESIGN, (long long)depth, ir->edge[e].name,
                       (long long)ir->edge[e].depth);
        return false;
    }
    if (json_is_object(fifos) && known == json_object_size(fifos) && known) return true;
    diag_error(diag, loc, MSG_RUN_NO_FIFOS);
    return false;
}

// Reads the figures of the whole run. Returns false after an error.
static bool read_sums(const json_t *root, struct measured *m, struct diag *diag, struct loc loc) {
    const json_t *cycles = json_object_get(root, "cycles"), *rate = json_object_get(root, "tokens_per_second"),
                 *match = json_object_get(root, "match");
    if (!is_count(cycles) || !json_is_number(rate) || !json_is_boolean(match)) {
        diag_error(diag, loc, MSG_RUN_NO_FIGURES);
        return false;
    }
    m->window = json_integer_value(json_object_get(root, "fill_window"));
    m->cycles = json_integer_value(cycles);
    m->tokens_per_second = json_number_value(rate);
    m->match = json_is_true(match);
    return true;
}

struct measured *measured_read(struct ir *ir, const char *path, struct diag *diag) {
    size_t len;
    const char *why, *data = file_read(ir->arena, path, MAX_BYTES, &len, &why);
    struct loc loc = loc_file(ir->arena, path);
    if (!data) return diag_error_text(diag, loc, why), NULL;
    json_error_t error;
    json_t *root = json_loadb(data, len, 0, &error);
    if (!root) return diag_error(diag, loc, MSG_RUN_JSON, error.line, error.text), NULL;
    struct measured *m = ARENA_NEW(ir->arena, struct measured);
    m->high_water = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->edges + 1);
    m->fill = ARENA_ARRAY(ir->arena, int64_t *, (size_t)ir->edges + 1);
    m->windows = ARENA_ARRAY(ir->arena, int, (size_t)ir->edges + 1);
    bool ok = read_sums(root, m, diag, loc) && read_fifos(ir, json_object_get(root, "fifos"), m, diag, loc);
    json_decref(root);
    return ok ? m : NULL;
}
