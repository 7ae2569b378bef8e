// SPDX-License-Identifier: Apache-2.0
// Implements the slots as an array of jobs.
#include "boards/serve/serve_slots.h"

#include <stddef.h>

int slots_busy(const struct slots *slots) {
    int busy = 0;
    for (int i = 0; i < slots->count; i++) busy += slots->running[i] != NULL;
    return busy;
}

// Replaces `old` by `job` in the first slot that has `old`. Returns false if none has it. NULL is a free slot.
static bool replace(struct slots *slots, const struct job *old, struct job *job) {
    for (int i = 0; i < slots->count; i++)
        if (slots->running[i] == old) return slots->running[i] = job, true;
    return false;
}

bool slots_enter(struct slots *slots, struct job *job) { return replace(slots, NULL, job); }

void slots_leave(struct slots *slots, const struct job *job) { replace(slots, job, NULL); }
