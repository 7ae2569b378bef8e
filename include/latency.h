// SPDX-License-Identifier: Apache-2.0
// Latencies of the RTL library's arithmetic units (latency.def), in enabled clocks.
#ifndef RILL_LATENCY_H
#define RILL_LATENCY_H

enum latency { // LATENCY_ADD, LATENCY_RSQRT ...
#define LATENCY(id, clocks, module, meaning) LATENCY_##id = (clocks),
#include "include/latency.def"
};

#endif
