// SPDX-License-Identifier: Apache-2.0
// The slots of a card, with the requests that run in them. A design without slots counts as one slot. Callers hold the
// lock of the queue.
#ifndef RILL_SERVE_SLOTS_H
#define RILL_SERVE_SLOTS_H

#include <stdbool.h>

enum { SLOTS_MOST = 16 }; // RILL_HOST_MAX_SLOTS

struct job;
struct slots {
    int count;                       // slots of the design
    struct job *running[SLOTS_MOST]; // NULL if the slot is free
};

int slots_busy(const struct slots *slots);              // returns how many slots have a request
bool slots_enter(struct slots *slots, struct job *job); // puts the job into a free slot; returns false if none is free
void slots_leave(struct slots *slots, const struct job *job); // frees the slot of the job, if it has one

#endif
