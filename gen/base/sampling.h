// SPDX-License-Identifier: Apache-2.0
// How a request selects its ids, in the form of the registers (include/registers.def; docs/numerics.md section 10). All
// zeros mean greedy.
#ifndef RILL_SAMPLING_H
#define RILL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct sampling {
    uint32_t inverse; // fp32 bits of 1 / temperature; 0: greedy
    uint32_t top_k;   // 0: all ids
    uint32_t min_p;   // fp32 bits
    uint64_t seed;
};

// Returns why a design cannot take these settings, or NULL if it can. most: the design's longest candidate list; 0: the
// design does not sample.
const char *sampling_refusal(const struct sampling *, int64_t most);

#endif
