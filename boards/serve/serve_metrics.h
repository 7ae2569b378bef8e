// SPDX-License-Identifier: Apache-2.0
// Counters of the server, and their text for Prometheus.
#ifndef RILL_SERVE_METRICS_H
#define RILL_SERVE_METRICS_H

#include <pthread.h>

#include "gen/base/base.h"

enum { METRICS_STATUSES = 16 }; // most different statuses of HTTP that are counted

struct job;
struct metrics { // sums since the server was started; metrics_text describes each of them
    pthread_mutex_t lock;
    uint64_t prompt_tokens, kept, tokens, requests, cycles, bytes, drafts, drafts_accepted, restarts;
    double prompt_seconds, token_seconds, waited; // seconds; `waited` is the time that requests were in the queue
    struct {
        int status; // 0 if the entry is free
        uint64_t count;
    } answers[METRICS_STATUSES];
};

void metrics_init(struct metrics *metrics); // sets all counters to 0; the functions below may be called by any thread
void metrics_request(struct metrics *metrics, const struct job *job); // counts a job that has run
void metrics_answer(struct metrics *metrics, int status);             // counts an HTTP answer
void metrics_restart(struct metrics *metrics);                        // counts a restart of the card
// Appends all metrics in the text format of Prometheus. slots, running, waiting and up are the present state.
void metrics_text(struct metrics *metrics, int slots, unsigned running, unsigned waiting, bool up, struct text *out);

#endif
