// SPDX-License-Identifier: Apache-2.0
// Compares the timing of the streams of custom kernels with the timing contracts of these kernels.
#ifndef VERIF_CONTRACTS_H
#define VERIF_CONTRACTS_H

#include "gen/ir/ir.h"

struct contract_pins { // of one cycle; the input fields are bit masks
    int in_tvalid, in_tready, in_tok_last;
    // The step word and the vector parameters of the kernel are valid and stay valid until they are used, or the kernel
    // takes none. False while a kernel may wait for its rows, before the first word of a firing.
    bool beside;
    bool out_tvalid, out_tready;
};

struct contract_finding { // of one kernel, over the whole run
    uint64_t words;       // output words of all requests
    // In cycles. declared: the latency of the contract. latency: the longest latency that was measured, of words that
    // the previous word did not delay.
    int64_t declared, latency;
    uint64_t late, late_at; // late: largest delay in cycles of a word offered too late; late_at: cycle of the first one
    uint64_t refused, refused_at; // cycles in which a word was refused that should have been taken
};

struct contracts;
// Makes the checker of all custom kernels of a design.
struct contracts *contracts_open(struct arena *, const struct ir *);
// For each custom kernel, call contracts_reset in every cycle of its reset, and contracts_cycle in every other cycle in
// which one of its streams offers a word.
void contracts_reset(struct contracts *, int kernel, uint64_t cycle);
void contracts_cycle(struct contracts *, int kernel, const struct contract_pins *, uint64_t cycle);
// Returns what was found so far, or NULL if the kernel is no custom kernel with a contract.
const struct contract_finding *contracts_found(const struct contracts *, int kernel);

#endif
