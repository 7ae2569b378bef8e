// SPDX-License-Identifier: Apache-2.0
#include "boards/serve/serve_slots.h"

#include <stddef.h>

int slots_busy(const struct slots *slots) {
    int busy = 0;
    for (int i = 0; i < slots->count; i++) busy += slots->running[i] != NULL;
    return busy;
}

int slots_of(const struct slots *slots, const struct job *job) {
    for (int i = 0; i < slots->count; i++)
        if (slots->running[i] == job) return i;
    return -1;
}

void slots_enter(struct slots *slots, int slot, struct job *job) { slots->running[slot] = job; }

void slots_leave(struct slots *slots, int slot) { slots->running[slot] = NULL; }
