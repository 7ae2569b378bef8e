// SPDX-License-Identifier: Apache-2.0
// The thread that runs the jobs of the queue on a card, as many at the same time as the card has slots. If the card
// hangs or is gone, the thread resets it and opens it again.
#ifndef RILL_SERVE_CARD_H
#define RILL_SERVE_CARD_H

#include "boards/serve/serve_library.h"
#include "boards/serve/serve_queue.h"

struct serve_card;
struct running { // a job on the card
    struct serve_card *card;
    struct job *job;              // NULL if the entry is free
    uint32_t number;              // the number that the library gave to the request
    struct token_logprobs latest; // log probabilities of the token that comes next
};

struct serve_card {
    // library, options, text, queue and metrics are filled in before card_open.
    const struct library *library;
    struct rill_host_options options;
    rill_text *text;
    struct queue *queue;
    struct metrics *metrics;
    rill_host *host;
    pthread_t thread;
    struct running running[SLOTS_MOST];
    int count;   // jobs on the card
    bool broken; // the card must be started again
};

// Opens the card and uploads the image. Returns NULL, or a message. After a message only card_close may be called.
const char *card_open(struct serve_card *card);
bool card_start(struct serve_card *card); // starts the thread that runs jobs; returns false if that fails
// Waits until the thread has ended. It ends after queue_close.
void card_join(struct serve_card *card);
void card_close(struct serve_card *card);

#endif
