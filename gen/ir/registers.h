// SPDX-License-Identifier: Apache-2.0
// The register map of s_axi_control, the design's AXI4-Lite port: the rows of registers.def, and the registers that a
// design with a given number of channels has.
#ifndef RILL_REGISTERS_H
#define RILL_REGISTERS_H

#include "gen/base/base.h"

enum { REGISTER_SLOTS = 16 }; // most slots of a design: bits of the register `slots`

enum register_role {
    REGISTER_CONTROL, // of the ap_ctrl_hs protocol
    REGISTER_SCALAR,  // argument: a number
    REGISTER_POINTER, // argument: an address in memory
    REGISTER_STATUS,
    REGISTER_SETTING, // written by the host but not an argument: keeps its value between requests
    REGISTER_COUNTER  // of events or cycles
};
// The registers that a row has: one, or one per channel, per further counter, or per further id that ends a request.
enum register_per { REGISTER_ONE, REGISTER_CHANNEL, REGISTER_VALUE, REGISTER_END_ID };
enum register_access { REGISTER_RO, REGISTER_RW }; // for the host: only to read; to read and write
// Distances in bytes from one register of a row to the next. A pointer takes 64 bits and a spare 32-bit word. A counter
// takes 64 bits. An end id takes 32 bits. REGISTER_SPACE: bytes of the whole address space.
enum { REGISTER_POINTER_STRIDE = 12, REGISTER_COUNTER_STRIDE = 8, REGISTER_END_ID_STRIDE = 4, REGISTER_SPACE = 4096 };
enum { REGISTER_END_IDS = END_IDS_MAX - 1 /* the first has a separate row */ };

enum register_id {
#define REGISTER(id, name, offset, skip, per, bits, access, role, meaning) REGISTER_ID_##id,
#include "include/registers.def"
    REGISTER_ROWS
};
enum register_offset { // offset in bytes of the first register of each row, if no per-channel row precedes it
#define REGISTER(id, name, offset, skip, per, bits, access, role, meaning) REG_##id = (offset),
#include "include/registers.def"
};

struct register_row {
    const char *name; // the host's name of an argument. If the row has several registers, `_` and the index (at least
                      // two digits) follow
    uint32_t offset;  // bytes
    int skip;         // number of rows with one register per channel between `offset` and this row
    enum register_per per;
    int bits; // 32, 64
    enum register_access access;
    enum register_role role;
    const char *meaning;
};
extern const struct register_row register_rows[REGISTER_ROWS];

// Neighbouring bits of a register that have a name.
struct register_field {
    enum register_id id; // the register that contains it
    const char *name;
    int bit, bits; // lowest bit, and number of bits
    enum register_access access;
    const char *meaning;
};
extern const struct register_field register_fields[];
extern const int register_field_count;

struct register_item { // one register of a design
    const char *name;
    enum register_id id;
    int index;       // channel, or number of the counter or end id within the row; 0 for a row with one register
    uint32_t offset; // bytes
    const struct register_row *row;
};
struct register_map { // a vector, ordered by rows
    struct register_item *items;
    size_t count, capacity;
};
// A design with drafts has two counters after those of its engines: the drafts that were checked as tokens of a step,
// and the drafts that were right.
enum { DRAFT_COUNTERS = 2 };
// Lists the registers of a design. channels: 1 to 32; values: number of further counters, 0 to 130.
struct register_map register_map_make(struct arena *, int channels, int values);
static inline bool register_is_argument(const struct register_row *r) {
    return r->role == REGISTER_SCALAR || r->role == REGISTER_POINTER;
}
// register_row_name returns the name of a row, and register_row_offset adds its offset, as docs/registers.md writes
// them, such as `stalls_c` and `0x408 + 8*(C + c)`. `C` is the number of channels, `c` the index of a channel, and `i`
// the index in a row that does not count channels.
const char *register_row_name(const struct register_row *, struct arena *);
void register_row_offset(const struct register_row *, struct text *out);
void register_write_markdown(struct text *out); // the table of docs/registers.md

#endif
