// SPDX-License-Identifier: Apache-2.0
// The dies of a board (SLRs), as allocate-memories and place-dies see them.
#ifndef RILL_IR_DIE_H
#define RILL_IR_DIE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    IR_MAX_DIES = 8,
    IR_MAX_LANES = 32,
    IR_RESET_LEAST = 2, /* registers from the token loop's reset to what it resets, on its own die */
    IR_LANE_GROUP = 8   /* lanes of an engine that share their copy of the operand (FAN_OUT) */
};

// What a die has without what the shell keeps of it.
struct ir_die {
    const char *name;
    int64_t lut, ff, dsp, bram36, uram;
    int64_t shell_lut, shell_ff, shell_dsp, shell_bram36, shell_uram; // what it keeps
    bool hbm;                                                         // the memory's ports enter here
};

#endif
