// SPDX-License-Identifier: Apache-2.0
// The search over the keys of `design`: which values make the best designs of a spec (docs/explore.md).
//
// A point is one value for each key that varies or is fixed. It is evaluated in three levels, each more exact and
// slower than the previous one:
//   bounds    the passes before size-fifos, and figures that no evaluation of the point can beat (about 3 ms)
//   estimate  a few simulated steps of a few layers, with FIFOs as deep as these steps need (about 15 ms)
//   whole     all passes, and the forecast that `rill forecast` prints (seconds for a large model)
// The front has only points of the last level. The first two levels decide which points reach it, and in which order.
// Bounds may exclude a point for good. An estimate postpones a point; it may leave it out only if the space is too
// large to be estimated as a whole. The front has the points that meet all limits and that no other such point
// dominates, that is, equals or beats in every goal and beats in at least one (explore_dominates).
#ifndef RILL_EXPLORE_H
#define RILL_EXPLORE_H

#include "gen/base/schema.h"
#include "gen/spec/spec.h"

// EXPLORE_KEYS: most keys that vary or are fixed. EXPLORE_VALUES: most values of a key. EXPLORE_GOALS, EXPLORE_LIMITS:
// most goals and limits. EXPLORE_WORDS: bytes of the text in a result.
enum { EXPLORE_KEYS = 24, EXPLORE_VALUES = 64, EXPLORE_GOALS = 4, EXPLORE_LIMITS = 24, EXPLORE_WORDS = 400 };

// ---- figures of a design ----

enum explore_metric {
#define METRIC(name, key, up, title, decimals, help) EXPLORE_##name,
#include "gen/explore/metrics.def"
#undef METRIC
    EXPLORE_METRICS
};
struct explore_metric_row {
    const char *key, *title, *help; // name on the command line, heading in tables, meaning
    bool up;                        // more is better
    int decimals;                   // decimals in tables
};
extern const struct explore_metric_row explore_metric[];
int explore_find_metric(const char *key, size_t len); // -1: there is no such figure
// Returns the end of a message about an unknown key: the most similar key, or a list of all.
const char *explore_metric_hint(struct arena *, const char *key);

struct explore_limit { // of the search
    int metric;        // enum explore_metric
    double value;      // in the unit of the metric, at least 0
    bool most;         // true: the metric must be at most the value; false: at least
    bool part;         // the limit was given in percent of what the board has; `value` is the resulting amount
};

// ---- the space ----

struct explore_key {
    const char *name;    // name of the key in `design`, or `context`
    const char *pattern; // for `weights.PATTERN`: the pattern of tensor names; else NULL
    const struct schema_field *field;
    const char *value[EXPLORE_VALUES]; // as YAML
    int values, own;                   // number of values; index of the spec's own value (fixed: 0)
    bool fixed; // the key has a single value, which all points have even if the spec does not set it
};

struct explore_point {
    uint8_t at[EXPLORE_KEYS]; // index of each key's value
};

struct explore {
    struct arena *arena;
    struct diag *diag;
    const char *path, *text; // the spec's file and its contents
    size_t len;              // bytes of `text`
    const struct rill_spec *spec;
    struct explore_key key[EXPLORE_KEYS];
    int keys;
    int goal[EXPLORE_GOALS], goals; // metrics, of which the first orders the front; how many
    struct explore_limit limit[EXPLORE_LIMITS];
    int limits;
    bool over;              // also shows designs beyond the board's limits
    int64_t prompt, tokens; // request with which points are compared: prompt tokens (or rows), generated tokens
    uint64_t base;          // hash of what all points share: spec, board, family, request, version
};

// Settings of the command line. Each list ends with NULL, and a list may be NULL.
struct explore_words {
    // vary: `KEY` or `KEY=A,B,C`. fix: `KEY=VALUE`. goal: `FIGURE,FIGURE...`. least, most: `FIGURE=NUMBER`, a lower or
    // an upper limit. limit: `FIGURE=NUMBER`, a lower limit if more of the figure is better, else an upper limit. A
    // NUMBER may be a percentage of what the board has (`40%`).
    const char *const *vary, *const *fix, *const *goal, *const *limit, *const *least, *const *most;
    int64_t prompt, tokens; // 0: chosen from the context
    bool over;
    bool also; // formats, and the context if the spec gives it, vary in addition to the other keys
};
// Reads the spec and the settings. Without goals, these are tokens/s and TTFT. Without keys in `vary`, those vary that
// the table of keys marks (schema_field.search). Returns false after an error.
bool explore_begin(struct explore *, const char *path, const struct explore_words *, struct arena *, struct diag *);
// Does the same for a spec that is given as a text. Relative paths in it begin at the folder of `path`.
bool explore_begin_text(struct explore *, const char *path, const struct text *, const struct explore_words *,
                        struct arena *, struct diag *);
const struct yaml_node *explore_context(const struct explore *); // the value of `context` in the spec, or NULL
// Returns the number of points of the space; at most 1e18.
double explore_size(const struct explore *);
struct explore_point explore_own(const struct explore *);                 // the spec's own values
struct explore_point explore_nth(const struct explore *, uint64_t index); // the last key changes fastest
// Returns a hash of the point, equal in all searches that share `base`, whatever keys they vary.
uint64_t explore_hash(const struct explore *, const struct explore_point *);
// Returns the keys that differ from the spec, as `channels=24 lanes=8`, or `as the spec`.
const char *explore_changes(const struct explore *, const struct explore_point *, struct arena *);
// Writes the spec with the point's values. lines: comment lines that begin it; or NULL.
void explore_spec_text(const struct explore *, const struct explore_point *, const char *lines, struct text *);

// ---- one point ----

enum explore_level { EXPLORE_NONE, EXPLORE_BOUNDS, EXPLORE_ESTIMATE, EXPLORE_WHOLE };
struct explore_result {
    int level;                     // the level that was reached; EXPLORE_NONE: not evaluated yet
    bool legal;                    // false: the passes refuse the point, or it has no forecast
    bool fits;                     // it is within the limits of the board; at the level `bounds`: it may be within them
    double value[EXPLORE_METRICS]; // the figures at the level that was reached
    double bound[EXPLORE_METRICS]; // figures that no evaluation can beat
    double beyond;                 // largest excess over a limit of the board, as a share of the limit; 0: none
    char words[EXPLORE_WORDS];     // at `whole`: what limits the speed; for a refused or too large design: the reason
};
// Evaluates a point up to a level. An estimate stops at the bounds if these exclude the point.
void explore_evaluate(const struct explore *, const struct explore_point *, int level, struct explore_result *);
// Chooses the request (prompt tokens and generated tokens) with which designs of this context are compared.
void explore_request_of(int64_t context, int64_t *prompt, int64_t *tokens);
// Returns whether a design that is not divided over the dies of its board is larger than the die with the memory ports.
// The totals of the board then tell nothing about a die or the wires, so the design is not known to fit.
struct ir;
bool explore_is_unplaced(const struct ir *);
// Writes one line about a complete design: whether it fits its board (`fits`), its forecast speed, and what limits the
// speed.
void explore_verdict(const struct ir *, bool fits, struct text *);
// In the next three functions, the limits of the board count only without `over`.

// Returns whether a bound of the result already breaks a limit of the search, or the result is beyond a limit of the
// board. No evaluation of the point can then meet this limit.
bool explore_excluded(const struct explore *, const struct explore_result *);
// Returns whether the point is legal and its figures meet all limits of the search and the board.
bool explore_meets(const struct explore *, const struct explore_result *);
// Returns the sum of the amounts by which the figures miss limits of the search and the board, each relative to the
// limit (if a limit of the search is at most 1, the amount itself); 0: none.
double explore_misses(const struct explore *, const struct explore_result *);
// Returns whether the figures a are at least as good as the figures b in every goal, and better in at least one.
bool explore_dominates(const struct explore *, const double *a, const double *b);

// ---- results as lines of JSON, in the journal and in the answers of workers ----

// Adds the line of a point, with its values of the keys, its result, and the hash of explore_hash.
void explore_write_line(const struct explore *, const struct explore_point *, const struct explore_result *,
                        struct text *);
// Reads a line. Returns false if it is incomplete or belongs to a search with another `base` or other values.
bool explore_read_line(const struct explore *, const char *line, struct explore_point *, struct explore_result *);

struct explore_journal { // a file with the results of all evaluations, from which a later search continues
    const char *path;
    int file; // -1: none
};
typedef void explore_take(void *to, const struct explore_point *, const struct explore_result *);
// Opens or creates the file, and passes all lines that belong to this search to `take`. path NULL: there is no journal.
// Returns false after an error.
bool explore_journal_open(const struct explore *, struct explore_journal *, const char *path, explore_take *, void *to);
// Adds a line with one write. Returns false after an error, such as a full disk.
bool explore_journal_add(const struct explore *, struct explore_journal *, const struct text *line);

// ---- workers: processes that evaluate ----

struct explore_worker {
    int pid, ask; // ask: the file descriptor of the pipe to the worker
    FILE *answer; // the pipe from the worker; NULL: the worker is lost
    int busy;     // index of the task on which the worker works, or -1
};
struct explore_workers {
    struct explore_worker *items;
    const char *launch; // command that starts a worker; NULL: workers are forks
    char **argv;        // command line of a launched worker, after `launch`
    int count;
};
struct explore_task {
    struct explore_point point;
    int level;
    struct explore_result result; // filled by explore_workers_run
};
// Starts `jobs` workers as forks of this process, or with `launch` as commands `LAUNCH rill explore ... --work`. argv:
// the words `rill explore ...`. Returns false after an error.
bool explore_workers_start(const struct explore *, struct explore_workers *, int jobs, const char *launch, char **argv);
// Evaluates all tasks. Calls `done` once for each task, in the order in which tasks end. If a launched worker is lost,
// its task goes to another one, once. Returns false after an error, or if `done` returns false.
typedef bool explore_done(void *to, const struct explore_task *);
bool explore_workers_run(const struct explore *, struct explore_workers *, struct explore_task *, int tasks,
                         explore_done *, void *to);
void explore_workers_stop(struct explore_workers *); // ends the workers and waits for them
// Runs a worker until `in` ends: reads tasks, a line each, and answers with lines of explore_write_line. Returns the
// exit status.
int explore_work(const struct explore *, FILE *in, FILE *out);

// ---- the search ----

struct explore_search {
    int64_t points;               // most points to examine at any level
    int64_t whole;                // most points to evaluate at the level `whole`: so many that are within the limits,
                                  // and so many others
    uint64_t seed;                // of the random points and changes
    int jobs;                     // number of workers
    const char *launch, *journal; // command that starts a worker, path of the journal; or NULL
    bool quiet;                   // no progress on stderr
    char **argv;                  // of `rill explore`, for launched workers
};
struct explore_seen {
    struct explore_point point;
    struct explore_result result;
};
struct explore_outcome {
    struct explore_seen *seen; // all points that were examined
    int count;
    int *front, fronts;       // indices of the front in `seen`, ordered by the first goal, the best first; how many
    int excluded, refused;    // points beyond a limit by their bounds, and points that the passes refused
    int estimated, evaluated; // estimates and whole evaluations, including those in the journal
    int pruned;               // not evaluated, because a point of the front beats their bounds
    // Points that were not evaluated for other reasons: `whole` points were used up or, in a search that is not
    // exhaustive, an estimate was beaten or missed a limit.
    int left;
    double size;            // points of the space
    bool exhaustive, exact; // exhaustive: all points were estimated. exact: in addition, none is left
    double seconds;         // the time that the search took
};
// Runs the search. Returns false after an error.
bool explore_run(const struct explore *, const struct explore_search *, struct explore_outcome *);

// ---- output ----

struct explore_trial { // a simulated design of the front, next to its forecast; in cycles
    int64_t prefill, decode;
    double forecast_prefill, forecast_decode;
    int64_t values; // values that were compared with the reference model
    bool match;     // all compared values are equal
};
// Returns a text that says how the points were chosen, and whether the front is exact.
const char *explore_method(const struct explore *, const struct explore_outcome *, struct arena *);
// Writes the front as a table, after a line about the method and a line with the counts.
void explore_table(const struct explore *, const struct explore_outcome *, struct text *);
// Writes the result as JSON. runs: number of simulated designs, which are the first ones of the front.
void explore_json(const struct explore *, const struct explore_outcome *, const struct explore_trial *, int runs,
                  struct text *);
// Writes a table of the simulated designs, with the cycles of each and those of its forecast.
void explore_trial_table(const struct explore_trial *, int runs, struct text *);
// Returns the name of the spec of design `index` of the front, in the folder of explore_emit.
const char *explore_spec_name(const struct explore *, int index);
// Writes a page of HTML. command: the command line, for the page's head. specs: the folder with the specs of the front,
// to which the page links; or NULL.
void explore_html(const struct explore *, const struct explore_outcome *, const char *command, const char *specs,
                  struct text *);
// Writes a spec for each design of the front to the folder. Returns false after an error.
bool explore_emit(const struct explore *, const struct explore_outcome *, const char *dir, const char *command);

// ---- advice ----

struct explore_advice {
    struct explore_point point;
    struct explore_result result; // of level `whole` for the first ones, else of level `estimate`
    const char *change, *why;     // `channels=24`, and the reason in words (may be "")
    double worth;                 // of the change; the larger, the better. negative: a loss
};
// Reads the spec that the advice is about. Returns false after an error.
bool explore_begin_advice(struct explore *, const char *path, struct arena *, struct diag *);
// Evaluates single changes of the spec and orders them, the most useful first. Returns their number; -1 after an error.
// *own gets the result of the spec itself. whole: how many changes are evaluated at that level, the best first; with 0,
// all results, also *own, are estimates.
int explore_advise(const struct explore *, int whole, int jobs, struct explore_result *own, struct explore_advice **);
// Writes a table of all changes, with their effects in percent of the spec's own figures.
void explore_advice_table(const struct explore *, const struct explore_result *own, const struct explore_advice *,
                          int count, struct text *);
// Writes notes for `rill check` about the best changes, if they bring a design within its limits or nearer to them.
void explore_advice_notes(const struct explore_result *own, const struct explore_advice *, int count, struct text *);

#endif
