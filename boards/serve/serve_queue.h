// SPDX-License-Identifier: Apache-2.0
// The queue of requests, in the order in which they came, with their answers so far. The thread of a client submits a
// job and waits for its text. The thread of the card takes jobs for its slots and adds tokens. A slow client never
// delays a slot.
#ifndef RILL_SERVE_QUEUE_H
#define RILL_SERVE_QUEUE_H

#include <pthread.h>
#include <time.h>

#include "boards/serve/serve_answer.h"
#include "boards/serve/serve_metrics.h"
#include "boards/serve/serve_request.h"
#include "boards/serve/serve_slots.h"

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE };
enum job_finish { FINISH_STOP, FINISH_LENGTH };

struct job {
    struct api_request request;
    uint32_t *prompt, prompt_count, max_new;
    char id[40];
    time_t created;
    // The lock of the queue protects the members below until the job is done.
    enum job_state state;
    struct answer_text answer;
    struct text made; // the answer so far
    uint32_t count;   // tokens so far
    bool cancelled;   // its client is gone or has waited too long
    bool at_end;      // an end-of-text token has come
    bool told;        // the card was told to stop
    enum job_finish finish;
    struct api_error error;              // its status is 0 if there is no error
    double arrived, begun, first, ended; // times; `first` is that of the first token
    // Values from the counters of the design, which are written without the lock before the job is done.
    uint64_t cycles, bytes, drafts, drafts_accepted;
    uint64_t new_cycles, new_bytes; // cycles and bytes that no earlier job has
    uint32_t kept;                  // prompt tokens that the card held from the previous request
    int holders;                    // client and queue: the last one frees the job
    struct job *next;               // the next job in the queue
    pthread_cond_t changed;
};

enum queue_mode { QUEUE_OPEN, QUEUE_DRAINING, QUEUE_CLOSED };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct slots slots;
    struct job *first, **last;
    unsigned waiting, limit; // jobs that wait, and how many may wait
    enum queue_mode mode;
    char down[400]; // the reason why the card is gone, or "" if it is there
    double mean;    // mean seconds of a request, in which later requests count more
    struct metrics *metrics;
};

double queue_now(void); // seconds of a clock that is never set
void queue_init(struct queue *queue, int slots, unsigned limit, struct metrics *metrics);
void queue_destroy(struct queue *queue);

struct job *job_new(void);
// Gives up the hold of the client or of the queue on a job. The last release frees the job.
void job_release(struct queue *queue, struct job *job);

// ---- for the threads of clients ----

// Adds a job. Returns false and fills job->error if the queue is full or drains, or if the card is gone.
bool queue_submit(struct queue *queue, struct job *job);
// Waits until the answer has more than `seen` bytes or is done, at most `seconds`. Returns the bytes that it has now.
size_t queue_wait(struct queue *queue, struct job *job, size_t seen, double seconds, bool *done);
// Appends the bytes of the answer from `seen` on.
void queue_copy(struct queue *queue, struct job *job, size_t seen, struct text *out);
// Ends a job early. If `error` is not NULL, it becomes the error of the job.
void queue_cancel(struct queue *queue, struct job *job, const struct api_error *error);

// ---- for the thread of the card ----

// Takes the next job into a free slot. Returns NULL if there is none. With `wait`, waits for a job, and NULL then means
// that the queue is closed.
struct job *queue_next(struct queue *queue, bool wait);
// Adds a token. `ends` is true for an end-of-text token.
void queue_token(struct queue *queue, struct job *job, const char *bytes, size_t count, bool ends);
// Returns true at most once for each job, when the caller must tell the card to stop it.
bool queue_stops(struct queue *queue, struct job *job);
void queue_done(struct queue *queue, struct job *job, enum job_finish finish, const struct api_error *error);
// Notes the reason why the card is gone. Every waiting job then fails with this reason. NULL means that the card is
// back.
void queue_set_down(struct queue *queue, const char *why);
bool queue_pause(struct queue *queue, double seconds); // waits; returns false as soon as the queue is closed

// ---- for the whole server ----

void queue_drain(struct queue *queue); // refuses new jobs from now on
void queue_close(struct queue *queue); // also ends the jobs that wait or run
// Waits until no job runs or waits. Returns false if that takes longer than `seconds`.
bool queue_is_idle(struct queue *queue, double seconds);
// Gives the state as a word, and in `why` the reason if the card is gone. Returns whether requests are accepted.
bool queue_health(struct queue *queue, const char **word, char *why, size_t bytes);
void queue_counts(struct queue *queue, unsigned *running, unsigned *waiting);

#endif
