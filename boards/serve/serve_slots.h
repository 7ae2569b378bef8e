// SPDX-License-Identifier: Apache-2.0
// The slots of a card: how many requests run at a time, and which. A design without slots has one. The caller holds
// the queue's lock.
#ifndef RILL_SERVE_SLOTS_H
#define RILL_SERVE_SLOTS_H

#include <stdbool.h>

enum { SLOTS_MOST = 16 };

struct job;
struct slots {
    int count;
    struct job *running[SLOTS_MOST]; // NULL: the slot is free
};

int slots_busy(const struct slots *slots);
bool slots_enter(struct slots *slots, struct job *job); // false: no slot is free
void slots_leave(struct slots *slots, const struct job *job);

#endif
