// SPDX-License-Identifier: Apache-2.0
// Static schedules: the tables of rill_schedule, a part of several kernels (docs/rtl.md section 5). A table says, entry
// by entry, what a kernel does in a step: the kernel walks the entries of a section in order, as often as the section
// says, then those of the next one. In most tables there is one section per region, and an entry is a firing or a turn.
// The first half of this header builds tables, the second half reads them back.
#ifndef RILL_SCHEDULE_H
#define RILL_SCHEDULE_H

#include "gen/ir/fields.h"
#include "gen/ir/ir.h"

enum {
    SECTION_BITS = 16, // bits of a section's length in entries, and of its repetitions
    SECTION_MOST = (1 << SECTION_BITS) - 1
};

// A table under construction: entries of a fixed width in program order, divided into sections.
struct schedule {
    struct ir *ir;
    int entry_bits; // width of an entry: at most 256 bits
    int sections, entries;
    struct schedule_section {
        int64_t length, repeat; // entries; how often a step walks them
        bool when_head;         // walked only in steps that need the head
    } * section;
    uint64_t (*entry)[4]; // lowest word first
    bool *many;           // per entry: skipped in steps of one token
    bool *part;           // per entry: walked once for each part of a step
    size_t section_capacity, entry_capacity, many_capacity, part_capacity;
};

void schedule_init(struct schedule *, struct ir *, int entry_bits);
// Opens a section, to which the following entries belong. The first entry needs one. A step walks it `repeat` times, at
// most SECTION_MOST. when_head: only steps that need the head walk it.
void schedule_section(struct schedule *, int64_t repeat, bool when_head);
// Appends an entry of zeros; schedule_field then sets its fields.
void schedule_entry(struct schedule *);
void schedule_many(struct schedule *); // marks the last entry as skipped in steps of one token
void schedule_part(struct schedule *); // marks the last entry as walked once for each part of a step
// Sets a field of the last entry. Ends the program with an internal error if the value does not fit.
void schedule_field(struct schedule *, enum field, uint64_t value); // field: of fields.h, such as ENGINE_MODE
uint64_t schedule_get(const struct schedule *, enum field);         // of the last entry
// Sets the kernel's parameters SECTIONS, ENTRIES, SECTION_LEN, SECTION_REPEAT, SECTION_WHEN_HEAD and TABLE, and
// ENTRY_MANY if any entry is skipped in steps of one token. In a design whose steps have several parts, it also sets
// PARTS, and ENTRY_PART if any entry is walked once per part. Ends the program with an internal error if a section has
// more than SECTION_MOST entries or repetitions, if its last entry is skipped in steps of one token (kernels learn from
// the last entry that the step is over), or if its entries that are walked once per part are not adjacent.
void schedule_set_params(const struct schedule *, int kernel);

// A table read back from a kernel.
struct schedule_table {
    int entry_bits, sections;
    struct schedule_run {              // a section
        int64_t first, length, repeat; // first: index of its first entry
        bool when_head;
    } * section;
    int64_t entries;
    const uint8_t *bit;  // the bits of all entries, one per byte, lowest bit of entry 0 first
    const uint8_t *many; // per entry: skipped in steps of one token; NULL: no entry is
    const uint8_t *part; // per entry: walked once for each part of a step; NULL: no entry is
};
// Returns false if the kernel has no such table, or if the parts of the table do not fit together.
bool schedule_read(struct arena *, const struct ir_kernel *, int entry_bits, struct schedule_table *);
// Returns the value of a field in an entry.
int64_t schedule_at(const struct schedule_table *, int64_t entry, enum field);
// Returns whether the parameter is TABLE, with a constant for each entry, and has more than one entry.
bool schedule_is_table(const struct ir_kernel *, const struct ir_param *);
// Returns the number of sections if the parameter is SECTION_LEN, the list of their lengths; otherwise 0.
int schedule_sections(const struct ir_param *);

#endif
