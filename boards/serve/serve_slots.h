// SPDX-License-Identifier: Apache-2.0
// The slots of a card: how many requests run at a time, and which. Today's designs have one slot. The caller holds the
// queue's lock.
#ifndef RILL_SERVE_SLOTS_H
#define RILL_SERVE_SLOTS_H

enum { SLOTS_MOST = 16 };

struct job;
struct slots {
    int count;
    struct job *running[SLOTS_MOST]; // NULL: the slot is free
};

int slots_busy(const struct slots *slots);
int slots_of(const struct slots *slots, const struct job *job); // -1: it is in none
void slots_enter(struct slots *slots, int slot, struct job *job);
void slots_leave(struct slots *slots, int slot);

#endif
