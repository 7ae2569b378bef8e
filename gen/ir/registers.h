// SPDX-License-Identifier: Apache-2.0
// The register map of s_axi_control (registers.def): rows, and the registers that a design of so many channels has.
#ifndef RILL_REGISTERS_H
#define RILL_REGISTERS_H

#include "gen/base/base.h"

enum register_role {
    REGISTER_CONTROL, // of ap_ctrl_hs
    REGISTER_SCALAR,  // argument: a number
    REGISTER_POINTER, // argument: an address in memory
    REGISTER_STATUS,
    REGISTER_SETTING, // written by the host, and no argument: it stays from request to request
    REGISTER_COUNTER
};
enum register_per { REGISTER_ONE, REGISTER_CHANNEL, REGISTER_VALUE, REGISTER_END_ID };
enum register_access { REGISTER_RO, REGISTER_RW };
// Bytes from one register of a row to the next: arguments of 64 bits and a spare word, counters side by side, further
// ids that end a request.
enum { REGISTER_POINTER_STRIDE = 12, REGISTER_COUNTER_STRIDE = 8, REGISTER_END_ID_STRIDE = 4, REGISTER_SPACE = 4096 };
enum { REGISTER_END_IDS = END_IDS_MAX - 1 /* the first has a row of its own */ };

enum register_id {
#define REGISTER(id, name, offset, skip, per, bits, access, role, meaning) REGISTER_ID_##id,
#include "include/registers.def"
    REGISTER_ROWS
};
enum register_offset { // of the first register of each row, where no channels come before it
#define REGISTER(id, name, offset, skip, per, bits, access, role, meaning) REG_##id = (offset),
#include "include/registers.def"
};

struct register_row {
    const char *name; // of arguments: the host's name, and with one per channel followed by `_` and two digits
    uint32_t offset;  // bytes
    int skip;         // rows of one register per channel that lie between `offset` and this row
    enum register_per per;
    int bits; // 32, 64
    enum register_access access;
    enum register_role role;
    const char *meaning;
};
extern const struct register_row register_rows[REGISTER_ROWS];

struct register_field {
    enum register_id id; // of its register
    const char *name;
    int bit, bits;
    enum register_access access;
    const char *meaning;
};
extern const struct register_field register_fields[];
extern const int register_field_count;

struct register_item { // one register of a design
    const char *name;
    enum register_id id;
    int index; // channel or value; 0 for a row of one
    uint32_t offset;
    const struct register_row *row;
};
struct register_map { // a vector, by rows
    struct register_item *items;
    size_t count, capacity;
};
// channels 1..32; values: further counters, 0..128.
struct register_map register_map_make(struct arena *, int channels, int values);
static inline bool register_is_argument(const struct register_row *r) {
    return r->role == REGISTER_SCALAR || r->role == REGISTER_POINTER;
}
void register_write_markdown(struct text *out); // the table of docs/registers.md

#endif
