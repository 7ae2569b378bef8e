// SPDX-License-Identifier: Apache-2.0
// Internal to the cost model: the functions of work.c that only step.c calls.
#ifndef RILL_COST_WORK_H
#define RILL_COST_WORK_H

#include "gen/ir/ir.h"

bool cost_is_engine(const struct ir *, int kernel); // whether the kernel is a matrix engine
// Returns the beats that a kernel moves through its own DMA engine in a decode step; 0 for most kernels.
int64_t cost_memory_beats(const struct ir *, int kernel);

#endif
