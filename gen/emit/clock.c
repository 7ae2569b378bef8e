// SPDX-License-Identifier: Apache-2.0
// Reads the delay model's record of a design (NAME.timing.json), and answers questions about it. Anything wrong in the
// record is an error at its line and column.
#include "gen/emit/clock.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/schema.h"

const char clock_beside_design[] = "design.timing.json";

enum { REPORTED = 3 /* most paths that clock_worst gives */ };
static const double LEAST_NS = 0.01, MOST_NS = 10000; // range of a path's delay

struct record { // rtl: hash of the Verilog for which the record was made
    const char *name, *rtl;
};
static const struct schema_field record_fields[] = {
    {.key = "name", .type = SCHEMA_STRING, .offset = offsetof(struct record, name), .required = true},
    {.key = "rtl", .type = SCHEMA_STRING, .offset = offsetof(struct record, rtl), .required = true},
};
static const struct schema_field path_fields[] = {
    {.key = "ns",
     .type = SCHEMA_FLOAT,
     .offset = offsetof(struct clock_path, ns),
     .required = true,
     .min = LEAST_NS,
     .max = MOST_NS},
    {.key = "path", .type = SCHEMA_STRING, .offset = offsetof(struct clock_path, text), .required = true},
};

// Returns the list under a key. Returns NULL after an error: the list is missing or empty, or is not a list.
static const struct yaml_node *list_of(const struct yaml_node *map, const char *key, struct diag *diag) {
    const struct yaml_node *list = yaml_get(map, key);
    if (list && !yaml_expect(list, YAML_KIND_SEQ, key, diag)) return NULL;
    if (list && list->count) return list;
    if (list) diag_error(diag, list->loc, MSG_CLOCK_RECORD_LIST, key);
    else diag_error(diag, map->loc, MSG_CLOCK_RECORD, key);
    return NULL;
}

static bool read_path(const struct yaml_node *node, struct arena *arena, struct clock_part *part, struct diag *diag) {
    struct clock_path path = {0};
    if (!schema_read(node, "path", path_fields, COUNT_OF(path_fields), NULL, 0, &path, arena, diag)) return false;
    VEC_PUSH(arena, part->paths, path);
    return true;
}

// Lists the places that paths of this design can have (clock_part.where). Returns their number.
static int list_places(const struct ir *ir, const char *words[IR_MAX_DIES + 2]) {
    int count = 0;
    bool spread = ir->design.dies > 1 && ir->dies > 1;
    for (int d = 0; d < ir->dies && spread; d++) words[count++] = ir->die[d].name;
    words[count++] = spread ? "between dies" : "design";
    words[count++] = "resets";
    return count;
}

// Reads the paths of one part of the design and adds the part to out->parts. Returns false after an error.
static bool read_part(const struct ir *ir, const struct yaml_node *node, struct clock_model *out, struct diag *diag) {
    const char *words[IR_MAX_DIES + 2];
    int at = 0, count = list_places(ir, words);
    const struct yaml_node *where = yaml_get(node, "where"), *paths = list_of(node, "paths", diag);
    struct clock_part part = {0};
    if (!paths) return false;
    if (!where) return diag_error(diag, node->loc, MSG_CLOCK_RECORD_PLACE), false;
    if (!yaml_word(where, words, (size_t)count, "where", &at, diag)) return false;
    part.where = words[at];
    for (size_t i = 0; i < paths->count; i++)
        if (!read_path(paths->items[i], ir->arena, &part, diag)) return false;
    VEC_PUSH(ir->arena, out->parts, part);
    return true;
}

// Reads the record. If it was made for other Verilog, it is stale, and the rest of it is not read.
static bool read_record(const struct ir *ir, const struct yaml_node *root, struct clock_model *out, struct diag *diag) {
    static const char *const others[] = {"class", "parts", "crossings"};
    struct record record = {0};
    if (!schema_read(root, "record", record_fields, COUNT_OF(record_fields), others, COUNT_OF(others), &record,
                     ir->arena, diag))
        return false;
    out->state = strcmp(record.rtl, out->rtl) ? CLOCK_STALE : CLOCK_CURRENT;
    if (out->state == CLOCK_STALE) return true;
    const struct yaml_node *parts = list_of(root, "parts", diag);
    for (size_t i = 0; parts && i < parts->count; i++)
        if (!read_part(ir, parts->items[i], out, diag)) return false;
    return parts;
}

// Returns the path of the record next to a spec: NAME.timing.json for NAME.yaml.
static const char *beside(struct arena *arena, const char *spec) {
    size_t len = strlen(spec);
    return arena_printf(arena, "%.*s.timing.json", (int)(file_has_suffix(spec, ".yaml") ? len - 5 : len), spec);
}

bool clock_read(const struct ir *ir, const char *file, const char *spec, const struct emit_rtl *rtl,
                struct clock_model *out, struct diag *diag) {
    *out = (struct clock_model){.path = file ? file : beside(ir->arena, spec), .rtl = rtl->hash};
    if (!file && access(out->path, F_OK)) return true;
    const struct yaml_node *root = yaml_read_file(out->path, ir->arena, diag);
    return root && yaml_expect(root, YAML_KIND_MAP, "the delay model's record", diag) &&
           read_record(ir, root, out, diag);
}

// ---- the record's figures ----

double clock_part_ns(const struct clock_part *part) {
    double ns = 0;
    for (size_t i = 0; i < part->paths.count; i++) ns = fmax(ns, part->paths.items[i].ns);
    return ns;
}

double clock_longest_ns(const struct clock_model *clock) {
    double ns = 0;
    for (size_t i = 0; i < clock->parts.count; i++) ns = fmax(ns, clock_part_ns(&clock->parts.items[i]));
    return ns;
}

double clock_mhz_of(double ns) { return floor(1000 / ns); }

// Returns the number of paths that are longer than this one. Equal paths are ranked in the record's order.
static int rank_of(const struct clock_model *clock, const struct clock_path *path) {
    int before = 0;
    bool passed = false;
    for (size_t p = 0; p < clock->parts.count; p++)
        for (size_t i = 0; i < clock->parts.items[p].paths.count; i++) {
            const struct clock_path *other = &clock->parts.items[p].paths.items[i];
            passed |= other == path;
            before += other->ns > path->ns || (other->ns == path->ns && !passed);
        }
    return before;
}

const struct clock_path *clock_worst(const struct clock_model *clock, int n, const struct clock_part **part) {
    for (size_t p = 0; n < REPORTED && p < clock->parts.count; p++)
        for (size_t i = 0; i < clock->parts.items[p].paths.count; i++) {
            const struct clock_path *path = &clock->parts.items[p].paths.items[i];
            *part = &clock->parts.items[p];
            if (rank_of(clock, path) == n) return path;
        }
    return NULL;
}

void clock_warn(const struct ir *ir, const struct clock_model *clock, struct loc loc, struct diag *diag) {
    double ns = clock_longest_ns(clock), mhz = ir->design.clock_mhz;
    if (clock->state != CLOCK_CURRENT || mhz <= clock_mhz_of(ns)) return;
    const struct clock_part *part;
    clock_worst(clock, 0, &part);
    diag_warning(diag, loc, MSG_CLOCK_TOO_FAST, mhz, clock_mhz_of(ns), ns, part->where);
    diag_note(diag, loc, "`clock_mhz: %g` is within it", clock_mhz_of(ns));
}
