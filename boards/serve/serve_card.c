// SPDX-License-Identifier: Apache-2.0
// Runs jobs on the card. A fault of the design ends the requests to which the library assigns it. After a fault of the
// watchdog, or if the card hangs or is gone, all requests that run or wait fail with the reason. Then the card is
// reset, opened and loaded again until that succeeds or the queue is closed.
#include "boards/serve/serve_card.h"

#include <stdio.h>
#include <unistd.h>

#include "gen/base/endings.h"

// UNAVAILABLE is an HTTP status. WAIT_MS is the time between two checks of the queue while requests run. PAUSE_MOST
// limits the pause in seconds before the card is started again: a pause of PAUSE_MOST or more is not doubled.
enum { UNAVAILABLE = 503, WAIT_MS = 2, PAUSE_MOST = 30 };

// Returns the message of the latest call of the library.
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

static struct logprob logprob_of(struct serve_card *c, uint32_t id, double value) {
    struct logprob one = {.value = value};
    one.text = c->library->rill_text_decode(c->text, id, &one.bytes);
    return one;
}

// The library calls this function for each id of a running job whose client wants log probabilities, before on_token.
static void on_record(void *context, const struct rill_host_logprobs *record) {
    struct running *r = context;
    r->latest = (struct token_logprobs){.own = logprob_of(r->card, record->id, record->logprob), .tops = record->count};
    for (uint32_t i = 0; i < record->count; i++)
        r->latest.top[i] = logprob_of(r->card, record->top_id[i], record->top[i]);
}

// The library calls this function for each id of a running job.
static void on_token(void *context, uint32_t id, double seconds) {
    struct running *r = context;
    struct serve_card *c = r->card;
    size_t bytes = 0;
    const char *text = c->library->rill_text_decode(c->text, id, &bytes);
    (void)seconds;
    bool ends = !r->job->request.ignore_eos && c->library->rill_text_ends(c->text, id);
    queue_token(c->queue, r->job, text, bytes, ends, r->job->request.logprobs ? &r->latest : NULL);
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
    job->new_cycles = result->new_cycles, job->new_bytes = result->new_bytes;
}

// Submits the job of `r` to the library, which sets r->number.
static enum rill_host_status submit(struct running *r) {
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
                                        .seed = draws ? q->seed : 0,
                                        .logprobs = q->logprobs,
                                        .record = on_record};
    return r->card->library->rill_host_submit(r->card->host, &request, &r->number);
}

// Fills the error of a request that the card did not finish.
static void explain(struct serve_card *c, enum rill_host_status status, struct api_error *error) {
    const char *code = status == RILL_HOST_FAULT     ? "card_fault"
                       : status == RILL_HOST_TIMEOUT ? "card_hangs"
                                                     : "card_error";
    request_refuse(error, UNAVAILABLE, code, NULL, "%s", c->library->rill_host_message(c->host));
    error->retry_after = 1;
}

// Frees the entry of a job and hands the job back to the queue.
static void end_job(struct serve_card *c, struct running *r, const struct api_error *error) {
    struct job *job = r->job;
    bool stopped = job->at_end || job->answer.stopped;
    r->job = NULL;
    c->count--;
    queue_done(c->queue, job, stopped ? FINISH_STOP : FINISH_LENGTH, error);
}

// Ends all jobs on the card with an error, and notes that the card must be started again.
static void break_down(struct serve_card *c, const struct api_error *error) {
    queue_set_down(c->queue, error->message);
    for (int i = 0; i < SLOTS_MOST; i++)
        if (c->running[i].job) end_job(c, &c->running[i], error);
    c->broken = true;
}

// Handles an error of the library. `r` is the request that has it, or NULL. With `breaks`, ends all jobs.
static void fail(struct serve_card *c, struct running *r, enum rill_host_status status, bool breaks) {
    struct api_error error = {0};
    explain(c, status, &error);
    fprintf(stderr, "rill-serve: error: %s\n", error.message);
    if (breaks) break_down(c, &error);
    else if (r) end_job(c, r, &error);
}

// Gives a job to the card.
static void begin(struct serve_card *c, struct job *job) {
    struct running *r = c->running;
    while (r->job) r++; // the queue gives at most SLOTS_MOST jobs
    *r = (struct running){.card = c, .job = job};
    c->count++;
    enum rill_host_status status = submit(r);
    if (status) fail(c, r, status, status != RILL_HOST_INPUT);
}

// Returns the job with this number of the library, or NULL.
static struct running *running_of(struct serve_card *c, uint32_t number) {
    for (int i = 0; i < SLOTS_MOST; i++)
        if (c->running[i].job && c->running[i].number == number) return &c->running[i];
    return NULL;
}

// Stops jobs whose clients are gone or whose answers are complete, then waits a moment for the end of a job.
static void look(struct serve_card *c) {
    const struct api_error none = {0};
    struct rill_host_result result;
    uint32_t number;
    for (int i = 0; i < SLOTS_MOST; i++)
        if (c->running[i].job && queue_stops(c->queue, c->running[i].job))
            c->library->rill_host_stop_request(c->host, c->running[i].number);
    enum rill_host_status status = c->library->rill_host_wait(c->host, WAIT_MS, &number, &result);
    struct running *r = running_of(c, number);
    if (!r) return status ? fail(c, NULL, status, true) : (void)0;
    take_counters(r->job, &result);
    if (status == RILL_HOST_FAULT) fail(c, r, status, result.fault == FAULT_SILENCE);
    else end_job(c, r, &none);
}

// ---- starting again ----

// Resets the card, opens it and uploads the image. Returns NULL or a message.
static const char *start_again(struct serve_card *c, char *message, size_t bytes) {
    card_close(c);
    if (c->library->rill_host_reset(c->options.device, message, bytes)) return message;
    return card_open(c);
}

// Starts the card again until that succeeds or the queue is closed. The pauses between attempts grow.
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

// The thread of the card. It ends when the queue is closed and no job runs.
static void *serve_jobs(void *context) {
    struct serve_card *c = context;
    for (;;) {
        bool idle = c->count == 0;
        struct job *job = queue_next(c->queue, idle);
        if (job) begin(c, job);
        else if (idle) return NULL;
        else look(c);
        if (c->broken) recover(c);
        c->broken = false;
    }
}

bool card_start(struct serve_card *c) { return pthread_create(&c->thread, NULL, serve_jobs, c) == 0; }

void card_join(struct serve_card *c) { pthread_join(c->thread, NULL); }
