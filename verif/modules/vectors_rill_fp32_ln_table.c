// SPDX-License-Identifier: Apache-2.0
// Prints the golden table for rill_fp32_ln_table_tb, one line "c0 c1 c2" per entry, in order. The numbers are
// hexadecimal and cut to the widths of the ROM.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

// The tables in fp32_tables.inc have this type. That file has the tables of all functions. This program uses one of
// them, so the warnings about unused tables are off.
struct segment {
    int32_t c0, c1, c2;
};

#pragma GCC diagnostic ignored "-Wunused-const-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "gen/numerics/fp32_tables.inc"

int main(void) {
    for (int i = 0; i < 128; i++) {
        const struct segment *s = &ln_table[i];
        printf("%" PRIx32 " %" PRIx32 " %" PRIx32 "\n", (uint32_t)s->c0 & 0x3fffffff, (uint32_t)s->c1 & 0x7ffffff,
               (uint32_t)s->c2 & 0x3ffff);
    }
    return 0;
}
