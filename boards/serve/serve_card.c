// SPDX-License-Identifier: Apache-2.0
// A fault of a request ends only this request, except for the watchdog's. After the watchdog's fault, or if the card
// hangs or is gone, the waiting requests fail with the reason. Then the card is reset, opened and loaded again until
// that succeeds or the queue is closed.
#include "boards/serve/serve_card.h"

#include <stdio.h>
#include <unistd.h>

// SLOT: a card runs one request at a time, in this slot. PAUSE_MOST: seconds, the longest pause between two starts of
// the card.
enum { UNAVAILABLE = 503, FAULT_WATCHDOG = 7, SLOT = 0, PAUSE_MOST = 30 };

static const char *fail_open(struct serve_card *c) { return c->library->rill_host_message(c->host); }

const char *card_open(struct serve_card *c) {
    c->host = c->library->rill_host_open(&c->options);
    if (c->library->rill_host_failed(c->host)) return fail_open(c);
    return c->library->rill_host_upload(c->host, 0) ? fail_open(c) : NULL;
}

void card_close(struct serve_card *c) {
    c->library->rill_host_close(c->host);
    c->host = NULL;
}

// ---- a request ----

struct running {
    struct serve_card *card;
    struct job *job;
};

static void on_token(void *context, uint32_t id, double seconds) {
    struct running *r = context;
    struct serve_card *c = r->card;
    size_t bytes = 0;
    const char *text = c->library->rill_text_decode(c->text, id, &bytes);
    (void)seconds;
    bool ends = !r->job->request.ignore_eos && c->library->rill_text_ends(c->text, id);
    if (queue_token(c->queue, r->job, text, bytes, ends)) c->library->rill_host_stop(c->host);
}

static uint64_t random_seed(void) {
    uint64_t seed = 0;
    if (getentropy(&seed, sizeof seed)) seed = (uint64_t)(1e9 * queue_now());
    return seed >> 1; // so that a client can send it back as a JSON number
}

static void take_counters(struct job *job, const struct rill_host_result *result) {
    job->cycles = result->cycles;
    job->kept = result->prefix;
    job->drafts = result->drafts, job->drafts_accepted = result->drafts_accepted;
    for (uint32_t i = 0; i < result->channels; i++) job->bytes += result->beats[i] * result->beat_bytes;
}

static enum rill_host_status run_on_card(struct running *r, struct rill_host_result *result) {
    struct api_request *q = &r->job->request;
    if (q->temperature != 0 && !q->has_seed) q->seed = random_seed();
    bool draws = q->temperature != 0; // otherwise the other settings change nothing, and some designs refuse them
    struct rill_host_request request = {.prompt = r->job->prompt,
                                        .prompt_count = r->job->prompt_count,
                                        .max_new = r->job->max_new,
                                        .ignore_eot = q->ignore_eos,
                                        .token = on_token,
                                        .context = r,
                                        .temperature = (float)q->temperature,
                                        .top_k = draws ? q->top_k : 0,
                                        .min_p = draws ? (float)q->min_p : 0,
                                        .seed = draws ? q->seed : 0};
    return r->card->library->rill_host_run(r->card->host, &request, result);
}

// Fills the error of a request that the card did not finish.
static void explain(struct serve_card *c, enum rill_host_status status, struct api_error *error) {
    const char *code = status == RILL_HOST_FAULT     ? "card_fault"
                       : status == RILL_HOST_TIMEOUT ? "card_hangs"
                                                     : "card_error";
    request_refuse(error, UNAVAILABLE, code, NULL, "%s", c->library->rill_host_message(c->host));
    error->retry_after = 1;
}

// Runs a job. Returns whether the card must be started again.
static bool run_job(struct serve_card *c, struct job *job) {
    struct running r = {.card = c, .job = job};
    struct rill_host_result result;
    struct api_error error = {0};
    enum rill_host_status status = run_on_card(&r, &result);
    bool fine = status == RILL_HOST_OK || status == RILL_HOST_STOPPED;
    if (!fine) explain(c, status, &error);
    take_counters(job, &result);
    bool stopped = job->at_end || job->answer.stopped;
    bool broken = status == RILL_HOST_TIMEOUT || status == RILL_HOST_CARD ||
                  (status == RILL_HOST_FAULT && result.fault == FAULT_WATCHDOG);
    if (broken) queue_set_down(c->queue, error.message);
    if (!fine) fprintf(stderr, "rill-serve: error: %s\n", error.message);
    queue_done(c->queue, SLOT, job, stopped ? FINISH_STOP : FINISH_LENGTH, &error);
    return broken;
}

// ---- starting again ----

static const char *start_again(struct serve_card *c, char *message, size_t bytes) {
    card_close(c);
    if (c->library->rill_host_reset(c->options.device, message, bytes)) return message;
    return card_open(c);
}

static void recover(struct serve_card *c) {
    char message[400];
    const char *why;
    unsigned pause = 1;
    metrics_restart(c->metrics);
    while ((why = start_again(c, message, sizeof message))) {
        fprintf(stderr, "rill-serve: error: the card does not start: %s\n", why);
        queue_set_down(c->queue, why);
        if (!queue_pause(c->queue, pause)) return;
        if (pause < PAUSE_MOST) pause *= 2;
    }
    queue_set_down(c->queue, NULL);
    fprintf(stderr, "rill-serve: the card was started again\n");
}

static void *serve_jobs(void *context) {
    struct serve_card *c = context;
    struct job *job;
    while ((job = queue_next(c->queue, SLOT)))
        if (run_job(c, job)) recover(c);
    return NULL;
}

// Called with the queue's lock and only while a job runs, so c->host is open.
static void stop_slot(void *context, int slot) {
    struct serve_card *c = context;
    if (slot == SLOT) c->library->rill_host_stop(c->host);
}

bool card_start(struct serve_card *c) {
    c->queue->stop = stop_slot;
    c->queue->context = c;
    return pthread_create(&c->thread, NULL, serve_jobs, c) == 0;
}

void card_join(struct serve_card *c) { pthread_join(c->thread, NULL); }
