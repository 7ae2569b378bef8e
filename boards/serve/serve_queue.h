// SPDX-License-Identifier: Apache-2.0
// The queue of jobs. A job is a request with its answer so far. The thread of a client submits a job and waits for its
// text. The thread of the card takes jobs, in the order in which they came, for its slots and adds tokens. A slow
// client never delays a slot.
#ifndef RILL_SERVE_QUEUE_H
#define RILL_SERVE_QUEUE_H

#include <pthread.h>
#include <time.h>

#include "boards/serve/serve_answer.h"
#include "boards/serve/serve_logprobs.h"
#include "boards/serve/serve_metrics.h"
#include "boards/serve/serve_request.h"
#include "boards/serve/serve_slots.h"

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE };
// FINISH_STOP: an end-of-text token or a stop string ended the answer. FINISH_LENGTH: it ended otherwise, usually
// because it has max_new tokens.
enum job_finish { FINISH_STOP, FINISH_LENGTH };

struct job {
    struct api_request request;
    uint32_t *prompt, prompt_count, max_new; // ids, which the job owns; max_new: most tokens of the answer
    char id[40];                             // the `id` of the answer
    time_t created;
    // The lock of the queue protects the members below until the job is done.
    enum job_state state;
    struct answer_text answer;
    struct text made;              // the answer so far
    struct logprobs_list logprobs; // of the tokens of the answer so far, if the client wants them
    uint32_t count;                // tokens so far
    bool cancelled;                // its client is gone or has waited too long
    bool at_end;                   // an end-of-text token has come
    bool told;                     // the card was told to stop
    enum job_finish finish;
    struct api_error error;              // its status is 0 if there is no error
    double arrived, begun, first, ended; // times of queue_now(); `first` is the time of the first token
    // Values from the counters of the design, which are written without the lock before the job is done.
    uint64_t cycles, bytes, drafts, drafts_accepted;
    uint64_t new_cycles, new_bytes; // cycles and bytes that no earlier job has
    uint32_t kept;                  // prompt tokens that the card held from an earlier request
    int holders;                    // client and queue: the last one frees the job
    struct job *next;               // the next job in the queue
    pthread_cond_t changed;         // signalled when `made` grows and when the job is done
};

// OPEN: jobs are taken. DRAINING: new jobs are refused, and the others are completed. CLOSED: waiting jobs fail, and
// running jobs are cancelled.
enum queue_mode { QUEUE_OPEN, QUEUE_DRAINING, QUEUE_CLOSED };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t work, idle; // signalled when a job comes or the queue closes, and when no job runs or waits
    struct slots slots;
    struct job *first, **last; // the waiting jobs, and the pointer that a new job is written to
    unsigned waiting, limit;   // jobs that wait, and how many may wait
    enum queue_mode mode;
    char down[400]; // the reason why the card is gone, or "" if it is there
    double mean;    // mean seconds of a request, in which later requests count more
    struct metrics *metrics;
};

double queue_now(void); // returns the seconds of a clock that only runs forward and is never set
// Makes a queue for a card with this many slots, in which at most `limit` jobs wait.
void queue_init(struct queue *queue, int slots, unsigned limit, struct metrics *metrics);
void queue_destroy(struct queue *queue);

struct job *job_new(void); // makes an empty job, which the client holds
// Gives up the hold of the client or of the queue on a job. The last release frees the job.
void job_release(struct queue *queue, struct job *job);

// ---- for the threads of clients ----

// Adds a job. Returns false and fills job->error if the queue is full or drains, or if the card is gone.
bool queue_submit(struct queue *queue, struct job *job);
// Waits until the answer has more than `seen` bytes or is done, at most `seconds`. Returns how many bytes the answer
// has now, and in *done whether it is done.
size_t queue_wait(struct queue *queue, struct job *job, size_t seen, double seconds, bool *done);
// Appends the bytes of the answer from number `seen` on to `out`.
void queue_copy(struct queue *queue, struct job *job, size_t seen, struct text *out);
// Appends the log probabilities of the tokens from number `seen` on to `out`.
void queue_copy_logprobs(struct queue *queue, struct job *job, size_t seen, struct logprobs_list *out);
// Ends a job early: at once if it waits, otherwise as soon as the card stops it. If `error` is not NULL and the job is
// not done, it becomes the error of the job.
void queue_cancel(struct queue *queue, struct job *job, const struct api_error *error);

// ---- for the thread of the card ----

// Takes the next job into a free slot. Returns NULL if no job waits or no slot is free. With `wait`, waits for a job,
// and NULL then means that the queue is closed.
struct job *queue_next(struct queue *queue, bool wait);
// Adds a token, whose bytes are copied. Tokens after the end of the answer are ignored. `ends` is true for an
// end-of-text token, whose bytes do not belong to the answer. logprobs: the token's log probabilities, or NULL.
void queue_token(struct queue *queue, struct job *job, const char *bytes, size_t count, bool ends,
                 const struct token_logprobs *logprobs);
// Returns whether the caller must now tell the card to stop the job. Returns true at most once for each job.
bool queue_stops(struct queue *queue, struct job *job);
// Ends a job that has left the card, counts it and gives up the queue's hold on it. error: NULL, or the error of the
// job if it has none yet.
void queue_done(struct queue *queue, struct job *job, enum job_finish finish, const struct api_error *error);
// Notes the reason why the card is gone. Every waiting job then fails with this reason. NULL means that the card is
// back.
void queue_set_down(struct queue *queue, const char *why);
bool queue_pause(struct queue *queue, double seconds); // waits; returns false as soon as the queue is closed

// ---- for the whole server ----

void queue_drain(struct queue *queue); // refuses new jobs from now on
// Refuses new jobs, ends the waiting ones with an error, and cancels those that run. The thread of the card then ends.
void queue_close(struct queue *queue);
// Waits until no job runs or waits. Returns false if that takes longer than `seconds`.
bool queue_is_idle(struct queue *queue, double seconds);
// Gives the state as a word, and in `why` the reason if the card is gone. Returns whether requests are accepted.
bool queue_health(struct queue *queue, const char **word, char *why, size_t bytes);
// Gives the numbers of jobs that run and that wait.
void queue_counts(struct queue *queue, unsigned *running, unsigned *waiting);

#endif
