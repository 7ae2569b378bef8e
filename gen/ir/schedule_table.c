// SPDX-License-Identifier: Apache-2.0
// Builds schedule tables and reads them back (gen/ir/schedule.h).
#include "gen/ir/schedule.h"

#include <string.h>

void schedule_init(struct schedule *s, struct ir *ir, int entry_bits) {
    memset(s, 0, sizeof *s);
    s->ir = ir;
    s->entry_bits = entry_bits;
}

void schedule_section(struct schedule *s, int64_t repeat, bool when_head) {
    s->section = vec_grow(s->ir->arena, s->section, (size_t)s->sections, &s->section_capacity, sizeof *s->section);
    s->section[s->sections++] = (struct schedule_section){0, repeat, when_head};
}

void schedule_entry(struct schedule *s) {
    s->entry = vec_grow(s->ir->arena, s->entry, (size_t)s->entries, &s->entry_capacity, sizeof *s->entry);
    s->many = vec_grow(s->ir->arena, s->many, (size_t)s->entries, &s->many_capacity, sizeof *s->many);
    s->part = vec_grow(s->ir->arena, s->part, (size_t)s->entries, &s->part_capacity, sizeof *s->part);
    s->many[s->entries] = s->part[s->entries] = false;
    memset(s->entry[s->entries++], 0, sizeof *s->entry);
    s->section[s->sections - 1].length++;
}

void schedule_many(struct schedule *s) { s->many[s->entries - 1] = true; }
void schedule_part(struct schedule *s) { s->part[s->entries - 1] = true; }

static bool bit_of(const uint64_t *words, int bit) { return words[bit / 64] >> (bit % 64) & 1; }

void schedule_field(struct schedule *s, enum field f, uint64_t value) {
    int first = field_first(f), behind = first + field_width(f);
    if (!field_fits(f, value))
        base_fatal("schedule: value %llu does not fit bits %d:%d", (unsigned long long)value, behind - 1, first);
    uint64_t *words = s->entry[s->entries - 1];
    for (int b = first; b < behind; b++)
        words[b / 64] = (words[b / 64] & ~(1ull << (b % 64))) | ((value >> (b - first) & 1) << (b % 64));
}

uint64_t schedule_get(const struct schedule *s, enum field f) {
    uint64_t value = 0;
    for (int b = 0; b < field_width(f); b++)
        value |= (uint64_t)bit_of(s->entry[s->entries - 1], field_first(f) + b) << b;
    return value;
}

// Returns a constant with one number per section, the first section in the lowest bits. what: 0 for lengths, 1 for
// repetitions, 2 for the flags when_head.
static struct ir_value section_list(const struct schedule *s, int what) {
    struct ir_word *word = ARENA_ARRAY(s->ir->arena, struct ir_word, (size_t)s->sections + 1);
    for (int i = 0; i < s->sections; i++) {
        int64_t v = what == 0 ? s->section[i].length : what == 1 ? s->section[i].repeat : s->section[i].when_head;
        if (v >> SECTION_BITS) base_fatal("schedule: section of %lld entries or repetitions", (long long)v);
        word[s->sections - 1 - i] =
            (struct ir_word){.bits = what == 2 ? 1 : SECTION_BITS, .radix = IR_DECIMAL, .value = (uint64_t)v};
    }
    return ir_value_list(s->ir->arena, word, s->sections);
}

// Returns a constant with one bit per entry, the first entry lowest. *any: whether some bit is set.
static struct ir_value entry_bits(const struct schedule *s, const bool *bits, bool *any) {
    struct ir_word *word = ARENA_ARRAY(s->ir->arena, struct ir_word, (size_t)s->entries + 1);
    *any = false;
    for (int e = 0; e < s->entries; e++) {
        *any |= bits[e];
        word[s->entries - 1 - e] = (struct ir_word){.bits = 1, .radix = IR_DECIMAL, .value = bits[e]};
    }
    return ir_value_list(s->ir->arena, word, s->entries);
}

// Sets ENTRY_MANY if an entry is skipped in steps of one token. The last entry of a section must not be skipped,
// because it may be the last one of the step, from which kernels learn that the step is over.
static void set_many(const struct schedule *s, int kernel) {
    bool any;
    struct ir_value bits = entry_bits(s, s->many, &any);
    for (int i = 0, end = 0; i < s->sections; i++) {
        end += (int)s->section[i].length;
        if (s->section[i].length && s->many[end - 1]) base_fatal("schedule: the last entry of a section is left out");
    }
    if (any) ir_set_param(s->ir, kernel, "ENTRY_MANY", bits);
}

// Checks that the entries of a section that are walked once for each part follow one another. A kernel walks this run
// of entries as often as the step has parts.
static void check_parts(const struct schedule *s) {
    for (int i = 0, first = 0; i < s->sections; first += (int)s->section[i++].length) {
        int runs = 0;
        for (int e = first; e < first + s->section[i].length; e++)
            runs += s->part[e] && (e == first || !s->part[e - 1]);
        if (runs > 1) base_fatal("schedule: an entry between those that are walked for each part");
    }
}

// Sets PARTS, and ENTRY_PART if an entry is walked once for each part. A kernel of a design with slots needs PARTS even
// if its table has no such entries, because it receives one step word per part.
static void set_parts(const struct schedule *s, int kernel) {
    bool any;
    struct ir_value bits = entry_bits(s, s->part, &any);
    if (ir_parts_of_step(s->ir) == 1) return;
    check_parts(s);
    ir_set_int(s->ir, kernel, "PARTS", ir_parts_of_step(s->ir));
    if (any) ir_set_param(s->ir, kernel, "ENTRY_PART", bits);
}

void schedule_set_params(const struct schedule *s, int kernel) {
    ir_set_int(s->ir, kernel, "SECTIONS", s->sections);
    ir_set_int(s->ir, kernel, "ENTRIES", s->entries);
    ir_set_param(s->ir, kernel, "SECTION_LEN", section_list(s, 0));
    ir_set_param(s->ir, kernel, "SECTION_REPEAT", section_list(s, 1));
    ir_set_param(s->ir, kernel, "SECTION_WHEN_HEAD", section_list(s, 2));
    ir_set_param(s->ir, kernel, "TABLE", ir_value_table(s->ir->arena, s->entry_bits, s->entries, s->entry));
    set_many(s, kernel);
    set_parts(s, kernel);
}

// ---- reading back ----

enum { MOST_SECTIONS = SECTION_MOST + 1, MOST_ENTRIES = 1 << 20 }; // a table with more is refused

// Returns the bits of a parameter, one per byte, lowest first; NULL if the parameter is missing or has another width.
static uint8_t *bits_of(struct arena *arena, const struct ir_kernel *k, const char *name, int64_t bits) {
    const struct ir_value *v = ir_param(k, name);
    int64_t have = 0;
    for (int i = 0; v && i < v->words; i++) have += v->word[i].bits;
    if (!v || have != bits) return NULL;
    uint8_t *bit = arena_alloc(arena, (size_t)bits + 1, 1);
    ir_value_to_bits(v, bits, bit);
    return bit;
}

static int64_t bits_at(const uint8_t *bit, int64_t from, int count) {
    uint64_t v = 0;
    for (int b = 0; b < count; b++) v |= (uint64_t)bit[from + b] << b;
    return (int64_t)v;
}

// Reads the sections. Returns false if a parameter is wrong or if their lengths do not add up to the entries of the
// table.
static bool read_sections(struct arena *arena, const struct ir_kernel *k, struct schedule_table *t) {
    const uint8_t *length = bits_of(arena, k, "SECTION_LEN", (int64_t)SECTION_BITS * t->sections),
                  *repeat = bits_of(arena, k, "SECTION_REPEAT", (int64_t)SECTION_BITS * t->sections),
                  *head = bits_of(arena, k, "SECTION_WHEN_HEAD", t->sections);
    int64_t first = 0;
    if (!length || !repeat || !head) return false;
    t->section = ARENA_ARRAY(arena, struct schedule_run, (size_t)t->sections + 1);
    for (int i = 0; i < t->sections; i++) {
        t->section[i] = (struct schedule_run){first, bits_at(length, (int64_t)SECTION_BITS * i, SECTION_BITS),
                                              bits_at(repeat, (int64_t)SECTION_BITS * i, SECTION_BITS), head[i] != 0};
        first += t->section[i].length;
    }
    return first == t->entries;
}

bool schedule_read(struct arena *arena, const struct ir_kernel *k, int entry_bits, struct schedule_table *t) {
    int64_t sections = ir_param_int(k, "SECTIONS", 0), entries = ir_param_int(k, "ENTRIES", 0);
    *t = (struct schedule_table){.entry_bits = entry_bits};
    if (sections < 1 || sections > MOST_SECTIONS || entries < 1 || entries > MOST_ENTRIES) return false;
    t->sections = (int)sections;
    t->entries = entries;
    t->bit = bits_of(arena, k, "TABLE", entries * entry_bits);
    t->many = ir_param(k, "ENTRY_MANY") ? bits_of(arena, k, "ENTRY_MANY", entries) : NULL;
    t->part = ir_param(k, "ENTRY_PART") ? bits_of(arena, k, "ENTRY_PART", entries) : NULL;
    return t->bit && read_sections(arena, k, t);
}

int64_t schedule_at(const struct schedule_table *t, int64_t entry, enum field f) {
    return bits_at(t->bit, entry * t->entry_bits + field_first(f), field_width(f));
}

bool schedule_is_table(const struct ir_kernel *k, const struct ir_param *p) {
    return p->value.kind == IR_VALUE_LIST && p->value.words > 1 && !strcmp(p->name, "TABLE") &&
           p->value.words == ir_param_int(k, "ENTRIES", 0);
}
