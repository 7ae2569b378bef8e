// SPDX-License-Identifier: Apache-2.0
// The sampling settings of a request, that is, how it selects its generated tokens, in the form of the registers
// (include/registers.def; docs/numerics.md section 10). If all are 0, the choice is greedy.
#ifndef RILL_SAMPLING_H
#define RILL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct sampling {
    uint32_t inverse; // fp32 bits of 1 / temperature; 0: greedy
    uint32_t top_k;   // number of candidates (the ids with the largest logits) to choose from; 0: all ids
    uint32_t min_p;   // fp32 bits of the least probability of a candidate, relative to the largest one; 0: no limit.
                      // Needs top_k
    uint64_t seed;    // key of the random numbers
};

// Returns the message (a constant text) that says why a design cannot take these settings, or NULL if the design can.
// most: the largest top_k of the design; 0: the design does not sample, so it takes only settings that are all 0.
const char *sampling_refusal(const struct sampling *, int64_t most);

#endif
