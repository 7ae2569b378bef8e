// SPDX-License-Identifier: Apache-2.0
// Timing contracts of custom kernels, compared with the timing of their streams.
#ifndef VERIF_CONTRACTS_H
#define VERIF_CONTRACTS_H

#include "gen/ir/ir.h"

struct contract_pins { // of one cycle; the input fields are bit masks
    int in_tvalid, in_tready, in_tok_last;
    bool beside; // the kernel's step word and parameters are valid and stay, or it takes none
    bool out_tvalid, out_tready;
};

struct contract_finding {
    uint64_t words;            // output words of all requests
    int64_t declared, latency; // in cycles; latency: longest measured one of words that nothing else delayed
    uint64_t late, late_at; // late: largest delay in cycles of a word offered too late; late_at: cycle of the first one
    uint64_t refused, refused_at; // cycles in which a word was refused that should have been taken
};

struct contracts;
struct contracts *contracts_open(struct arena *, const struct ir *);
void contracts_reset(struct contracts *, int kernel, uint64_t cycle);
void contracts_cycle(struct contracts *, int kernel, const struct contract_pins *, uint64_t cycle);
const struct contract_finding *contracts_found(const struct contracts *, int kernel); // NULL: not a custom kernel

#endif
