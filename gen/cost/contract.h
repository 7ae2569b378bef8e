// SPDX-License-Identifier: Apache-2.0
// Inside the cost model: what the contract table knows of a module beside its contract.
#ifndef RILL_COST_CONTRACT_H
#define RILL_COST_CONTRACT_H

#include "ir.h"

bool cost_is_engine(const struct ir_kernel *);
// Beats that a kernel moves through its own DMA engine in a decode step, 0 for most.
int64_t cost_memory_beats(const struct ir_kernel *);

#endif
