// SPDX-License-Identifier: Apache-2.0
// Derives the registers of a design from the rows of registers.def (gen/ir/registers.h), and writes the rows as the
// table in docs/registers.md.
#include "gen/ir/registers.h"

const struct register_row register_rows[REGISTER_ROWS] = {
#define REGISTER(id, name, offset, skip, per, bits, access, role, meaning)                                             \
    {name, offset, skip, REGISTER_##per, bits, REGISTER_##access, REGISTER_##role, meaning},
#include "include/registers.def"
};

const struct register_field register_fields[] = {
#define REGISTER(...)
#define FIELD(id, name, bit, bits, access, meaning) {REGISTER_ID_##id, name, bit, bits, REGISTER_##access, meaning},
#include "include/registers.def"
};
const int register_field_count = COUNT_OF(register_fields);

// Returns the distance in bytes from one register of a row to the next.
static uint32_t stride_of(const struct register_row *r) {
    if (r->per == REGISTER_END_ID) return REGISTER_END_ID_STRIDE;
    return r->role == REGISTER_COUNTER ? REGISTER_COUNTER_STRIDE : REGISTER_POINTER_STRIDE;
}

// Adds the registers of row `id`: one, or one for each channel, further counter value or further end id.
static void add_row(struct arena *arena, struct register_map *map, int id, int channels, int values) {
    const struct register_row *r = &register_rows[id];
    const int counts[] = {[REGISTER_ONE] = 1,
                          [REGISTER_CHANNEL] = channels,
                          [REGISTER_VALUE] = values,
                          [REGISTER_END_ID] = REGISTER_END_IDS};
    int count = counts[r->per];
    for (int i = 0; i < count; i++) {
        const char *name = r->per == REGISTER_ONE ? r->name : arena_printf(arena, "%s_%02d", r->name, i);
        uint32_t offset = r->offset + stride_of(r) * (uint32_t)(r->skip * channels + i);
        VEC_PUSH(arena, *map, (struct register_item){name, (enum register_id)id, i, offset, r});
    }
}

struct register_map register_map_make(struct arena *arena, int channels, int values) {
    struct register_map map = {0};
    for (int id = 0; id < REGISTER_ROWS; id++) add_row(arena, &map, id, channels, values);
    return map;
}

// Returns the text that docs/registers.md adds to the name of a row with several registers.
static const char *index_suffix(const struct register_row *r) {
    return r->per == REGISTER_ONE ? "" : r->per == REGISTER_CHANNEL ? "_c" : "_i";
}

const char *register_row_name(const struct register_row *r, struct arena *arena) {
    return arena_printf(arena, "%s%s", r->name, index_suffix(r));
}

void register_row_offset(const struct register_row *r, struct text *out) {
    static const char *const before[] = {"", "C + ", "2C + "};
    text_addf(out, "0x%03X", r->offset);
    if (r->per == REGISTER_ONE) return;
    const char *index = r->per == REGISTER_CHANNEL ? "c" : "i";
    const char *stride = r->per == REGISTER_END_ID ? "4" : r->role == REGISTER_COUNTER ? "8" : "0xC";
    if (r->skip) text_addf(out, " + %s*(%s%s)", stride, before[r->skip], index);
    else text_addf(out, " + %s*%s", stride, index);
}

void register_write_markdown(struct text *out) {
    text_add(out, "| offset | name | access | meaning |\n|---|---|---|---|\n");
    for (int i = 0; i < 2 * REGISTER_ROWS; i++) { // counters last: they have the highest offsets
        const struct register_row *r = &register_rows[i % REGISTER_ROWS];
        if ((r->role == REGISTER_COUNTER) != (i >= REGISTER_ROWS)) continue;
        text_add(out, "| ");
        register_row_offset(r, out);
        text_addf(out, " | %s%s | %s | %s |\n", r->name, index_suffix(r), r->access == REGISTER_RW ? "rw" : "ro",
                  r->meaning);
    }
}
