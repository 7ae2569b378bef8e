// SPDX-License-Identifier: Apache-2.0
// Latencies of the RTL library's modules as constants for C, from include/latency.def: of arithmetic units in enabled
// clock cycles, of other modules in cycles.
#ifndef RILL_LATENCY_H
#define RILL_LATENCY_H

enum latency { // LATENCY_ADD, LATENCY_RSQRT ...
#define LATENCY(id, clocks, module, meaning) LATENCY_##id = (clocks),
#include "include/latency.def"
};

enum cycles { // CYCLES_FIFO, CYCLES_LOOP_ID ...
#define CYCLES(id, cycles, ...) CYCLES_##id = (cycles),
#include "include/latency.def"
};

#endif
