// SPDX-License-Identifier: Apache-2.0
// Static schedules: the tables of rill_schedule (docs/rtl.md section 5), one section per region.
#ifndef RILL_SCHEDULE_H
#define RILL_SCHEDULE_H

#include "gen/ir/fields.h"
#include "gen/ir/ir.h"

enum {
    SECTION_BITS = 16, // of a section's length in entries, and of its repetitions
    SECTION_MOST = (1 << SECTION_BITS) - 1
};

// A table under construction: entries of a fixed width in program order, cut into sections.
struct schedule {
    struct ir *ir;
    int entry_bits;
    int sections, entries;
    struct schedule_section {
        int64_t length, repeat;
        bool when_head;
    } * section;
    uint64_t (*entry)[4]; // little end first
    bool *many;           // per entry: not in steps of one token
    size_t section_capacity, entry_capacity, many_capacity;
};

void schedule_init(struct schedule *, struct ir *, int entry_bits);
// Opens a section that repeats with its region's `when`.
void schedule_section(struct schedule *, int64_t repeat, bool when_head);
// Appends an entry of zeros; then fields are set in it.
void schedule_entry(struct schedule *);
void schedule_many(struct schedule *); // the last entry is left out of steps of one token
// Sets a field of the last entry; an internal fault if the value does not fit.
void schedule_field(struct schedule *, enum field, uint64_t value);
uint64_t schedule_get(const struct schedule *, enum field); // of the last entry
// Writes SECTIONS, ENTRIES, SECTION_LEN, SECTION_REPEAT, SECTION_WHEN_HEAD and TABLE to the kernel, and
// ENTRY_MANY where there is such an entry.
void schedule_set_params(const struct schedule *, int kernel);

// The same read back from a kernel.
struct schedule_table {
    int entry_bits, sections;
    struct schedule_run { // a section
        int64_t first, length, repeat;
        bool when_head;
    } * section;
    int64_t entries;
    const uint8_t *bit;  // of the table
    const uint8_t *many; // per entry: not in steps of one token; NULL: none
};
// False where the kernel has no such table, or one whose parts do not fit each other.
bool schedule_read(struct arena *, const struct ir_kernel *, int entry_bits, struct schedule_table *);
int64_t schedule_at(const struct schedule_table *, int64_t entry, enum field);
bool schedule_is_table(const struct ir_kernel *, const struct ir_param *); // its entries, several of them

#endif
