// SPDX-License-Identifier: Apache-2.0
// Resources of a device, and of memories by their shape. docs/cost.md.
#ifndef RILL_RESOURCES_H
#define RILL_RESOURCES_H

#include <stdint.h>

#include "include/ram_style.h"

// LUT: LUTs, those used as memory and shift registers included. bram18: halves of a BRAM36.
// Source: formulas fitted to verif/cost/measured.txt (Yosys); memories by their shape, exactly as the device offers it.
// Range: the parameter ranges of docs/rtl.md section 2 and of the modules' headers.
struct cost_resources {
    int64_t lut, ff, dsp, bram18, uram;
};

void cost_add(struct cost_resources *to, const struct cost_resources *what, int64_t times);
// A simple dual port RAM of `words` x `bits`.
struct cost_resources cost_ram(int64_t words, int64_t bits, enum ram_style style);
// rill_fifo: its storage and its control.
struct cost_resources cost_fifo(int64_t depth, int64_t bits, enum ram_style style);

// A memory of a kernel whose RAM_STYLE may be chosen.
struct cost_memory {
    int64_t words, bits, times; // times: so many of it side by side
    enum ram_style style;
    bool mixed;    // they need not be alike:
    int64_t ultra; // so many of them are UltraRAM, whatever the style (parameter ULTRA)
};

#endif
