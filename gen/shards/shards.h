// SPDX-License-Identifier: Apache-2.0
// One long request, simulated in shards (`rill verify`). Each shard starts from a state of the replay (the reference
// model, verif/replay) and runs a range of steps in a separate process, which is started directly or through a launcher
// such as `srun -n1`. A step is one run of the whole design, for up to T prompt tokens or for the next token (with
// drafts, for several). docs/verify.md describes the verdict.
#ifndef RILL_SHARDS_H
#define RILL_SHARDS_H

#include "gen/base/base.h"

// The whole request as the replay ran it.
struct shards_request {
    const uint32_t *prompt, *ids; // ids of the prompt tokens and of the generated tokens
    const char **hashes;          // hash of the logits for each generated token
    int64_t count, made, steps;   // number of prompt tokens, of generated tokens, and of steps
    int64_t tokens;               // prompt tokens per step
    // Forecast cycles of a prompt step and of a later step, on average. Only their ratio matters.
    double prompt_cycles, token_cycles;
};
// Reads the JSON file of `rill sim --write-state`. Returns NULL after an error; *why says which.
struct shards_request *shards_read_request(struct arena *, const char *path, const char **why);

// How a shard ended. DIED: the simulation left no readable result. LATE: it exceeded the time limit.
enum shard_end { SHARD_MISSING, SHARD_PASSED, SHARD_DIFFERS, SHARD_DIED, SHARD_LATE };
extern const char *const shard_ends[]; // their words in the journal

// A shard gives the results of steps `begin` to `end` - 1. It also simulates some steps before them to warm up, until
// memory and FIFOs are as in a whole request, and the first step of the next shard for comparison.
struct shard {
    int64_t begin, end, first, last; // first, last: the steps that are simulated
    int64_t from;                    // position of the first simulated step
    int64_t prompt, tokens;          // its own request: number of prompt tokens and of generated tokens
    bool cut;                        // the request ends within the prompt, so its token is not in the whole request
    // The result:
    enum shard_end state;
    const char *why;  // if it did not pass: the reason
    int tries;        // runs so far
    double seconds;   // of the last run
    uint64_t *cycles; // [steps], for each simulated step; NULL: not known
    uint64_t values;  // number of values that were compared with the replay
    uint64_t result;  // hash of the result file
};

// Divides the steps and fills shard[], which has room for `most` shards, so that the shard with the most forecast
// cycles has as few as possible, including the steps that it simulates for warm-up and for comparison. warm: steps that
// a shard simulates before its own. Returns the number of shards; every shard gives the results of at least one step.
int shards_divide(const struct shards_request *, int most, int64_t warm, struct shard *shard);
int64_t shards_position(const struct shards_request *, int64_t step); // the step's first position
// Reads a shard's result file and compares it with the request. Sets state, why, cycles, values and result.
void shard_judge(struct arena *, const struct shards_request *, const char *path, struct shard *);

// The verdict joins the results of all shards. why: NULL, or a text that says what is missing or contradicts itself.
// exact: the cycles of a step may be compared, because memory delays are not random.
struct shards_sum {
    const char *why;
    uint64_t cycles, values; // cycles: the sum over all steps, each taken from its own shard
    int64_t seams;           // steps whose cycles in two shards were compared
    double most;             // largest difference between two shards, as a fraction
    int64_t cold;            // steps simulated only to warm up; their cycles are not counted
};
struct shards_sum shards_join(struct arena *, const struct shards_request *, const struct shard *, int count,
                              int64_t warm, bool exact);

// ---- the journal: lines of JSON, appended and flushed one by one ----

struct journal {
    struct arena *arena;
    FILE *file;
    const char *path;
};
// Opens a journal. If the file is a journal with the same key, it is continued, and the ends of shards in it are passed
// to `ended` in order. Otherwise a new journal is begun. Returns false after an error; *why says which.
typedef void journal_end(void *context, int shard, const char *state, uint64_t result);
bool journal_open(struct journal *, struct arena *, const char *path, const char *key, journal_end *ended,
                  void *context, const char **why);
void journal_line(struct journal *, const char *fmt, ...) RILL_PRINTF(2, 3); // members of an object, without braces
void journal_close(struct journal *);

// ---- processes ----

struct pool_job {
    char *const *args; // the program and its arguments, as for execvp
    const char *log;   // file for its output
    bool again;        // this is another run of the job, so its log is continued
};
enum { POOL_DIED = -1, POOL_LATE = -2 }; // ended by a signal or not started; killed after `limit`
// pool_run runs jobs, at most `parallel` at a time, each for at most `limit` seconds (0: no limit), and returns when
// all have ended. `begun` gets the id of a job's process. `ended` gets the exit status, POOL_DIED or POOL_LATE; if it
// returns true, the job is run again. `tick` is called about twice a second. `job` is an index. seconds: time since the
// job began or, for `tick`, since pool_run began.
struct pool {
    int parallel;
    int64_t limit;
    void (*begun)(void *context, int job, long pid);
    bool (*ended)(void *context, int job, int status, double seconds);
    void (*tick)(void *context, double seconds);
    void *context;
};
void pool_run(const struct pool *, struct arena *, const struct pool_job *, int jobs);
double pool_seconds(void); // seconds of a monotonic clock

#endif
