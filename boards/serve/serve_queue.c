// SPDX-License-Identifier: Apache-2.0
// Implements the queue. One lock protects the queue, the slots and all jobs. Every job has its own condition variable,
// so a token wakes only the thread of its client.
#include "boards/serve/serve_queue.h"

#include <stdlib.h>
#include <string.h>

// TOO_MANY and UNAVAILABLE are statuses of HTTP. RETRY_MOST is the longest `Retry-After` in seconds.
enum { TOO_MANY = 429, UNAVAILABLE = 503, RETRY_MOST = 600 };

double queue_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Converts a time of queue_now().
static struct timespec moment(double at) {
    return (struct timespec){.tv_sec = (time_t)at, .tv_nsec = (long)(1e9 * (at - (double)(time_t)at))};
}

// Initializes a condition variable whose time limits are times of queue_now().
static void condition(pthread_cond_t *c) {
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(c, &steady);
    pthread_condattr_destroy(&steady);
}

void queue_init(struct queue *q, int slots, unsigned limit, struct metrics *metrics) {
    *q = (struct queue){.limit = limit, .slots.count = slots, .metrics = metrics};
    pthread_mutex_init(&q->lock, NULL);
    condition(&q->work);
    condition(&q->idle);
    q->last = &q->first;
}

void queue_destroy(struct queue *q) {
    pthread_cond_destroy(&q->work);
    pthread_cond_destroy(&q->idle);
    pthread_mutex_destroy(&q->lock);
}

// ---- jobs ----

struct job *job_new(void) {
    struct job *job = calloc(1, sizeof *job);
    if (!job) base_fatal("out of memory");
    condition(&job->changed);
    job->holders = 1;
    return job;
}

static void job_free(struct job *job) {
    request_free(&job->request);
    answer_free(&job->answer);
    text_free(&job->made);
    logprobs_free(&job->logprobs);
    free(job->prompt);
    pthread_cond_destroy(&job->changed);
    free(job);
}

void job_release(struct queue *q, struct job *job) {
    pthread_mutex_lock(&q->lock);
    bool last = --job->holders == 0;
    pthread_mutex_unlock(&q->lock);
    if (last) job_free(job);
}

// Callers of the functions up to the next heading hold the lock.

// Marks the job as done and wakes its client, and wakes queue_is_idle if it was the last job.
static void end_job(struct queue *q, struct job *job, const struct api_error *error) {
    job->state = JOB_DONE;
    job->ended = queue_now();
    if (error && !job->error.status) job->error = *error;
    pthread_cond_broadcast(&job->changed);
    if (!q->first && !slots_busy(&q->slots)) pthread_cond_broadcast(&q->idle);
}

// Takes the first waiting job, which must exist.
static struct job *take_first(struct queue *q) {
    struct job *job = q->first;
    q->first = job->next;
    if (!q->first) q->last = &q->first;
    q->waiting--;
    return job;
}

// Removes a job from the waiting jobs, if it is one of them.
static void remove_job(struct queue *q, struct job *job) {
    struct job **at = &q->first;
    while (*at && *at != job) at = &(*at)->next;
    if (!*at) return;
    *at = job->next;
    if (q->last == &job->next) q->last = at;
    q->waiting--;
}

// Returns the seconds after which a refused client should try again: the time that all slots together need for the
// waiting requests and one more.
static unsigned retry_after(const struct queue *q) {
    double seconds = q->mean * (q->waiting + 1) / q->slots.count;
    return seconds < 1 ? 1 : seconds > RETRY_MOST ? RETRY_MOST : (unsigned)seconds;
}

// Returns whether a job is rejected. If so, fills job->error. Jobs that the thread of the card is about to take into
// free slots do not count as waiting.
static bool reject(struct queue *q, struct job *job) {
    struct api_error *e = &job->error;
    unsigned slots_free = (unsigned)(q->slots.count - slots_busy(&q->slots));
    if (q->mode != QUEUE_OPEN) request_refuse(e, UNAVAILABLE, "draining", NULL, "the server is about to end");
    else if (*q->down) request_refuse(e, UNAVAILABLE, "card_unavailable", NULL, "the card is restarted: %s", q->down);
    else if (q->waiting >= q->limit + slots_free)
        request_refuse(e, TOO_MANY, "queue_full", NULL, "%u requests are waiting, which is the limit", q->limit);
    e->retry_after = e->status ? retry_after(q) : 0;
    return e->status != 0;
}

// ---- for the threads of clients ----

bool queue_submit(struct queue *q, struct job *job) {
    pthread_mutex_lock(&q->lock);
    bool refused = reject(q, job);
    if (!refused) {
        job->holders++;
        job->next = NULL;
        *q->last = job;
        q->last = &job->next;
        q->waiting++;
        job->arrived = queue_now();
        pthread_cond_signal(&q->work);
    }
    pthread_mutex_unlock(&q->lock);
    return !refused;
}

size_t queue_wait(struct queue *q, struct job *job, size_t seen, double seconds, bool *done) {
    struct timespec until = moment(queue_now() + seconds);
    pthread_mutex_lock(&q->lock);
    while (job->state != JOB_DONE && job->made.len <= seen)
        if (pthread_cond_timedwait(&job->changed, &q->lock, &until)) break;
    size_t len = job->made.len;
    *done = job->state == JOB_DONE;
    pthread_mutex_unlock(&q->lock);
    return len;
}

void queue_copy(struct queue *q, struct job *job, size_t seen, struct text *out) {
    pthread_mutex_lock(&q->lock);
    if (job->made.len > seen) text_add_bytes(out, job->made.data + seen, job->made.len - seen);
    pthread_mutex_unlock(&q->lock);
}

void queue_copy_logprobs(struct queue *q, struct job *job, size_t seen, struct logprobs_list *out) {
    pthread_mutex_lock(&q->lock);
    for (size_t i = seen; i < job->logprobs.count; i++) logprobs_copy(out, &job->logprobs.items[i]);
    pthread_mutex_unlock(&q->lock);
}

void queue_cancel(struct queue *q, struct job *job, const struct api_error *error) {
    bool waited = false;
    pthread_mutex_lock(&q->lock);
    if (error && job->state != JOB_DONE) job->error = *error;
    if (job->state == JOB_WAITING) {
        remove_job(q, job);
        end_job(q, job, NULL);
        waited = true;
    }
    job->cancelled = true; // queue_stops tells the thread of the card if the job runs
    pthread_mutex_unlock(&q->lock);
    if (waited) job_release(q, job);
}

// ---- for the thread of the card ----

struct job *queue_next(struct queue *q, bool wait) {
    struct job *job = NULL;
    pthread_mutex_lock(&q->lock);
    while (wait && !q->first && q->mode != QUEUE_CLOSED) pthread_cond_wait(&q->work, &q->lock);
    if (q->first && slots_enter(&q->slots, q->first)) {
        job = take_first(q);
        job->state = JOB_RUNNING;
        job->begun = queue_now();
    }
    pthread_mutex_unlock(&q->lock);
    return job;
}

// Adds a token to a running job. The caller holds the lock.
static void add_token(struct job *job, const char *bytes, size_t count, bool ends) {
    size_t before = job->made.len;
    if (job->count++ == 0) job->first = queue_now();
    job->at_end = ends;
    if (!ends) answer_push(&job->answer, bytes, count, &job->made);
    if (job->made.len != before) pthread_cond_broadcast(&job->changed);
}

void queue_token(struct queue *q, struct job *job, const char *bytes, size_t count, bool ends,
                 const struct token_logprobs *logprobs) {
    pthread_mutex_lock(&q->lock);
    if (!job->answer.stopped && !job->cancelled && !job->at_end) {
        if (logprobs && !ends) logprobs_add(&job->logprobs, logprobs);
        add_token(job, bytes, count, ends);
    }
    pthread_mutex_unlock(&q->lock);
}

bool queue_stops(struct queue *q, struct job *job) {
    pthread_mutex_lock(&q->lock);
    bool tell = !job->told && (job->answer.stopped || job->cancelled || job->at_end);
    job->told |= tell;
    pthread_mutex_unlock(&q->lock);
    return tell;
}

void queue_done(struct queue *q, struct job *job, enum job_finish finish, const struct api_error *error) {
    pthread_mutex_lock(&q->lock);
    answer_end(&job->answer, &job->made);
    job->finish = finish;
    slots_leave(&q->slots, job);
    end_job(q, job, error);
    double took = job->ended - job->begun;
    q->mean = q->mean ? 0.8 * q->mean + 0.2 * took : took;
    metrics_request(q->metrics, job);
    pthread_mutex_unlock(&q->lock);
    job_release(q, job);
}

// Ends every waiting job with an error. The caller holds the lock.
static void fail_waiting(struct queue *q, const char *code, const char *why) {
    struct api_error error;
    request_refuse(&error, UNAVAILABLE, code, NULL, "%s", why);
    error.retry_after = 1;
    while (q->first) {
        struct job *job = take_first(q);
        end_job(q, job, &error);
        job->holders--; // the queue gives up its hold; the client still has one
    }
}

void queue_set_down(struct queue *q, const char *why) {
    pthread_mutex_lock(&q->lock);
    snprintf(q->down, sizeof q->down, "%s", why ? why : "");
    if (why) fail_waiting(q, "card_unavailable", why);
    pthread_mutex_unlock(&q->lock);
}

bool queue_pause(struct queue *q, double seconds) {
    struct timespec until = moment(queue_now() + seconds);
    pthread_mutex_lock(&q->lock);
    while (q->mode != QUEUE_CLOSED)
        if (pthread_cond_timedwait(&q->work, &q->lock, &until)) break;
    bool open = q->mode != QUEUE_CLOSED;
    pthread_mutex_unlock(&q->lock);
    return open;
}

// ---- for the whole server ----

void queue_drain(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    if (q->mode == QUEUE_OPEN) q->mode = QUEUE_DRAINING;
    pthread_mutex_unlock(&q->lock);
}

void queue_close(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    q->mode = QUEUE_CLOSED;
    fail_waiting(q, "draining", "the server has ended");
    for (int i = 0; i < q->slots.count; i++)
        if (q->slots.running[i]) q->slots.running[i]->cancelled = true;
    pthread_cond_broadcast(&q->work);
    pthread_mutex_unlock(&q->lock);
}

bool queue_is_idle(struct queue *q, double seconds) {
    struct timespec until = moment(queue_now() + seconds);
    pthread_mutex_lock(&q->lock);
    while (q->first || slots_busy(&q->slots))
        if (pthread_cond_timedwait(&q->idle, &q->lock, &until)) break;
    bool idle = !q->first && !slots_busy(&q->slots);
    pthread_mutex_unlock(&q->lock);
    return idle;
}

bool queue_health(struct queue *q, const char **word, char *why, size_t bytes) {
    pthread_mutex_lock(&q->lock);
    *word = q->mode != QUEUE_OPEN ? "draining" : *q->down ? "restarting" : "ok";
    snprintf(why, bytes, "%s", q->down);
    bool open = q->mode == QUEUE_OPEN && !*q->down;
    pthread_mutex_unlock(&q->lock);
    return open;
}

void queue_counts(struct queue *q, unsigned *running, unsigned *waiting) {
    pthread_mutex_lock(&q->lock);
    *running = (unsigned)slots_busy(&q->slots), *waiting = q->waiting;
    pthread_mutex_unlock(&q->lock);
}
