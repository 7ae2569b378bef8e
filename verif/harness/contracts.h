// SPDX-License-Identifier: Apache-2.0
// Timing contracts of custom kernels, held against what their streams do.
#ifndef VERIF_CONTRACTS_H
#define VERIF_CONTRACTS_H

#include "gen/ir/ir.h"

struct contract_pins { // of one cycle; inputs: bits
    int in_tvalid, in_tready, in_tok_last;
    bool beside; // its step word is there and stays, its parameters are there; or it takes none
    bool out_tvalid, out_tready;
};

struct contract_finding {
    uint64_t words;               // out, of all requests
    int64_t declared, latency;    // cycles; the longest that was measured where nothing else held a word back
    uint64_t late, late_at;       // most cycles by which a word was offered too late; the first time
    uint64_t refused, refused_at; // cycles in which a word was not taken that should have been
};

struct contracts;
struct contracts *contracts_open(struct arena *, const struct ir *);
void contracts_reset(struct contracts *, int kernel, uint64_t cycle);
void contracts_cycle(struct contracts *, int kernel, const struct contract_pins *, uint64_t cycle);
const struct contract_finding *contracts_found(const struct contracts *, int kernel); // NULL: no custom kernel

#endif
