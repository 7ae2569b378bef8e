// SPDX-License-Identifier: Apache-2.0
#include "include/schedule.h"

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
    s->many[s->entries] = false;
    memset(s->entry[s->entries++], 0, sizeof *s->entry);
    s->section[s->sections - 1].length++;
}

void schedule_many(struct schedule *s) { s->many[s->entries - 1] = true; }

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

// A number of each section, the first one lowest.
static struct ir_value section_list(const struct schedule *s, int what) {
    struct ir_word *word = ARENA_ARRAY(s->ir->arena, struct ir_word, (size_t)s->sections + 1);
    for (int i = 0; i < s->sections; i++) {
        int64_t v = what == 0 ? s->section[i].length : what == 1 ? s->section[i].repeat : s->section[i].when_head;
        if (v >> 16) base_fatal("schedule: section of %lld entries or repetitions", (long long)v);
        word[s->sections - 1 - i] =
            (struct ir_word){.bits = what == 2 ? 1 : 16, .radix = IR_DECIMAL, .value = (uint64_t)v};
    }
    return ir_value_list(s->ir->arena, word, s->sections);
}

// The last entry of a section is in all steps: who walks the table learns from it that the step is over.
static void set_many(const struct schedule *s, int kernel) {
    struct ir_word *word = ARENA_ARRAY(s->ir->arena, struct ir_word, (size_t)s->entries + 1);
    bool any = false;
    for (int e = 0; e < s->entries; e++) {
        any |= s->many[e];
        word[s->entries - 1 - e] = (struct ir_word){.bits = 1, .radix = IR_DECIMAL, .value = s->many[e]};
    }
    for (int i = 0, end = 0; i < s->sections; i++) {
        end += (int)s->section[i].length;
        if (s->section[i].length && s->many[end - 1]) base_fatal("schedule: the last entry of a section is left out");
    }
    if (any) ir_set_param(s->ir, kernel, "ENTRY_MANY", ir_value_list(s->ir->arena, word, s->entries));
}

void schedule_set_params(const struct schedule *s, int kernel) {
    ir_set_int(s->ir, kernel, "SECTIONS", s->sections);
    ir_set_int(s->ir, kernel, "ENTRIES", s->entries);
    ir_set_param(s->ir, kernel, "SECTION_LEN", section_list(s, 0));
    ir_set_param(s->ir, kernel, "SECTION_REPEAT", section_list(s, 1));
    ir_set_param(s->ir, kernel, "SECTION_WHEN_HEAD", section_list(s, 2));
    ir_set_param(s->ir, kernel, "TABLE", ir_value_table(s->ir->arena, s->entry_bits, s->entries, s->entry));
    set_many(s, kernel);
}
