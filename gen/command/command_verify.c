// SPDX-License-Identifier: Apache-2.0
// rill verify: simulates one long request in shards, that is, parts of its steps that run in parallel processes. The
// replay runs first, without the design, and saves its state at every position. Each shard then starts from the state
// before its first step. gen/shards divides the request, runs the processes and joins the results. A journal keeps
// results, so that an interrupted run continues.
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/command/command.h"
#include "gen/shards/shards.h"

// MOST_TRIES: most runs of a shard, or of the replay, if a run dies. GOLDEN: number of the replay's run among the
// shards.
enum { MOST_SHARDS = 10000, MOST_TRIES = 2, GOLDEN = -1 };

struct verify_options {
    struct sim_options sim;
    bool quick, tune;
    int64_t shards, jobs, warm, limit; // limit: seconds of a shard; 0: none
    const char *launch, *work;
};

typedef VEC(char *) arg_list;

struct verify {
    struct run *run;
    struct arena *arena;
    struct verify_options *o;
    const char *exe, *work; // executable of the simulation; folder of journal, state and results
    struct journal journal;
    uint64_t *known;                // hashes of the results in the journal: the replay's, then each shard's; 0: none
    struct shards_request *request; // read from the replay's result
    struct shard *shard;            // [count]
    int count;
    int *shard_of; // per job: its shard
    struct pool_job *job;
    int jobs;                  // shards that this run simulates
    int64_t steps, steps_done; // simulated steps of all jobs, and of those that have ended
    double seconds;            // time from the start of the first shard to the end of the last one
    int golden_status;         // 0: the replay passed
    int golden_tries;          // runs of the replay so far
    bool shown;                // a line of progress is on the terminal
};

// ---- files and arguments ----

// Returns the path of a file of a shard, or of the replay.
static const char *file_of(struct verify *v, int shard, const char *ending) {
    if (shard == GOLDEN) return arena_printf(v->arena, "%s/golden.%s", v->work, ending);
    return arena_printf(v->arena, "%s/shard_%04d.%s", v->work, shard, ending);
}

static void add(struct verify *v, arg_list *args, const char *word) { VEC_PUSH(v->arena, *args, (char *)word); }

static void add_pair(struct verify *v, arg_list *args, const char *option, const char *value) {
    add(v, args, option);
    add(v, args, value);
}

// Adds the arguments of this command that belong to a table of options.
static void add_table(struct verify *v, arg_list *args, const struct option_row *table) {
    char **words = ARENA_ARRAY(v->arena, char *, (size_t)v->run->argc + 1);
    int count = options_select(&command_verify.options, table, v->run->argc, v->run->argv, words);
    for (int i = 0; i < count; i++) add(v, args, words[i]);
}

// Adds the words of --launch, which are separated by blanks.
static void add_launcher(struct verify *v, arg_list *args) {
    char *words = arena_strdup(v->arena, v->o->launch ? v->o->launch : ""), *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) add(v, args, word);
}

// Adds the launcher, the executable and the options of every run.
static void add_program(struct verify *v, arg_list *args) {
    add_launcher(v, args);
    add(v, args, v->exe);
    add_pair(v, args, "--dir", v->o->sim.dir);
    add(v, args, "--quiet");
}

// Returns the arguments of the run without the design, which writes the replay's state at every position.
static char *const *golden_args(struct verify *v) {
    arg_list args = {0};
    add_program(v, &args);
    add_table(v, &args, request_rows);
    add_pair(v, &args, "--write-state", file_of(v, GOLDEN, "state"));
    add_pair(v, &args, "--json", file_of(v, GOLDEN, "json"));
    add(v, &args, NULL);
    return args.items;
}

static const char *number(struct verify *v, int64_t n) { return arena_printf(v->arena, "%lld", (long long)n); }

// Returns the first `count` tokens of the prompt as a list for --prompt-ids.
static const char *prompt_list(struct verify *v, int64_t count) {
    struct text text = {0};
    for (int64_t i = 0; i < count; i++) text_addf(&text, "%s%u", i ? "," : "", v->request->prompt[i]);
    const char *list = arena_strdup(v->arena, text_cstr(&text));
    text_free(&text);
    return list;
}

// Returns the arguments of a shard's run. The run has the request up to the shard's last step, and begins at the
// shard's first position with the replay's state.
static char *const *shard_args(struct verify *v, int shard) {
    const struct shard *s = &v->shard[shard];
    const struct sim_options *sim = &v->o->sim;
    arg_list args = {0};
    add_program(v, &args);
    add_pair(v, &args, "--prompt-ids", prompt_list(v, s->prompt));
    add_pair(v, &args, "--tokens", number(v, s->tokens));
    if (sim->ignore_eot) add(v, &args, "--ignore-eot");
    add_pair(v, &args, "--seed", arena_printf(v->arena, "%" PRIu64, sim->seed));
    add_pair(v, &args, "--compare", sim->compare ? "min" : "all");
    add_table(v, &args, sampling_rows);
    add_table(v, &args, figure_rows);
    if (s->from > 0) add_pair(v, &args, "--from", number(v, s->from));
    if (s->from > 0) add_pair(v, &args, "--state", file_of(v, GOLDEN, "state"));
    add_pair(v, &args, "--json", file_of(v, shard, "json"));
    add(v, &args, NULL);
    return args.items;
}

// ---- the journal ----

// Adds the path, size and time of a file, if it exists.
static void add_file(struct text *text, const char *path) {
    struct stat s;
    if (!stat(path, &s))
        text_addf(text, "%s %lld %lld.%09ld\n", path, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                  s.st_mtim.tv_nsec);
}

// Returns a key that is equal for runs whose results can be joined. It is a hash of the options that change a result,
// and of size and time of the executable and of the image's manifest.
static const char *key_of(struct verify *v) {
    struct text text = {0};
    arg_list args = {0};
    add_table(v, &args, request_rows);
    add_table(v, &args, figure_rows);
    for (size_t i = 0; i < args.count; i++) text_addf(&text, "%s\n", args.items[i]);
    text_addf(&text, "%lld %lld %" PRIu64 " %d\n", (long long)v->o->shards, (long long)v->o->warm, v->o->sim.seed,
              v->o->sim.compare);
    add_file(&text, v->exe);
    add_file(&text, arena_printf(v->arena, "%s/image/manifest.json", v->o->sim.dir));
    const char *key = arena_printf(v->arena, "%016" PRIx64, bytes_hash(text.data, text.len));
    text_free(&text);
    return key;
}

// journal_open calls this for each end of a shard, in the order of the journal. Notes the hash of the result if the
// shard passed, and forgets an earlier result otherwise.
static void note_known(void *context, int shard, const char *state, uint64_t result) {
    struct verify *v = context;
    if (shard >= GOLDEN && shard < v->o->shards)
        v->known[shard + 1] = !strcmp(state, shard_ends[SHARD_PASSED]) ? result : 0;
}

static void write_begin(struct verify *v, int shard, long pid, char *const *args) {
    struct text text = {0};
    for (int i = 0; args[i]; i++) {
        if (i) text_add(&text, ", ");
        text_add_json_string(&text, args[i], strlen(args[i]));
    }
    journal_line(&v->journal, "\"event\": \"begin\", \"shard\": %d, \"pid\": %ld, \"command\": [%s]", shard, pid,
                 text_cstr(&text));
    text_free(&text);
}

static void write_end(struct verify *v, int shard, enum shard_end state, double seconds, uint64_t result,
                      const char *why) {
    struct text text = {0};
    text_add_json_string(&text, why ? why : "", why ? strlen(why) : 0);
    journal_line(&v->journal,
                 "\"event\": \"end\", \"shard\": %d, \"state\": \"%s\", \"seconds\": %.1f, \"result\": \"%016" PRIx64
                 "\", \"why\": %s",
                 shard, shard_ends[state], seconds, result, text_cstr(&text));
    text_free(&text);
}

// ---- progress: a line on the terminal that is overwritten ----

static const char *clock_text(struct arena *arena, double seconds) {
    long s = seconds > 0 ? (long)(seconds + 0.5) : 0;
    return arena_printf(arena, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

static void show(struct verify *v, const char *line) {
    if (!isatty(2)) return;
    fprintf(stderr, "\r\033[K%s", line);
    v->shown = true;
}

static void clear(struct verify *v) {
    if (v->shown) fputs("\r\033[K", stderr);
    v->shown = false;
}

static void tick_golden(void *context, double seconds) {
    struct verify *v = context;
    show(v, arena_printf(v->arena, "replay: %s", clock_text(v->arena, seconds)));
}

static void tick_shards(void *context, double seconds) {
    struct verify *v = context;
    double left = v->steps_done ? seconds / (double)v->steps_done * (double)(v->steps - v->steps_done) : 0;
    show(v, arena_printf(v->arena, "%lld of %lld steps, %s, ETA %s", (long long)v->steps_done, (long long)v->steps,
                         clock_text(v->arena, seconds), v->steps_done ? clock_text(v->arena, left) : "?"));
}

// ---- the replay ----

static void golden_begun(void *context, int job, long pid) {
    struct verify *v = context;
    v->golden_tries++;
    write_begin(v, GOLDEN, pid, v->job[job].args);
}

// Notes the end of the replay's run. Returns whether it is to run again: it left no result and reported no error, so
// its machine may have failed. (A launcher may end with status 0 then.)
static bool golden_ended(void *context, int job, int status, double seconds) {
    struct verify *v = context;
    size_t len;
    const char *why, *text = file_read(v->arena, file_of(v, GOLDEN, "json"), 1 << 30, &len, &why);
    bool passed = status == 0 && text;
    (void)job;
    v->golden_status = passed ? 0 : 1;
    write_end(v, GOLDEN, passed ? SHARD_PASSED : SHARD_DIED, seconds, passed ? bytes_hash(text, len) : 0, NULL);
    return !passed && status != POOL_LATE && (status <= 0 || status > RILL_INTERNAL) && v->golden_tries < MOST_TRIES;
}

static struct pool pool_of(struct verify *v) {
    return (struct pool){.parallel = (int)v->o->jobs, .limit = v->o->limit, .context = v};
}

// Returns whether an earlier run left the replay's result and its state.
static bool has_golden(struct verify *v) {
    size_t len;
    const char *why, *text = file_read(v->arena, file_of(v, GOLDEN, "json"), 1 << 30, &len, &why);
    return text && !access(file_of(v, GOLDEN, "state"), R_OK) && v->known[0] == bytes_hash(text, len);
}

// Runs the replay unless an earlier run left its result, and reads the request from the result. Returns false after an
// error.
static bool run_golden(struct verify *v) {
    struct pool pool = pool_of(v);
    struct pool_job job = {golden_args(v), file_of(v, GOLDEN, "log"), false};
    const char *why = NULL;
    v->job = &job;
    v->golden_status = 0;
    pool.begun = golden_begun, pool.ended = golden_ended, pool.tick = tick_golden;
    if (!has_golden(v)) {
        unlink(file_of(v, GOLDEN, "json"));
        pool_run(&pool, v->arena, &job, 1);
    }
    clear(v);
    v->job = NULL;
    if (v->golden_status == 0) v->request = shards_read_request(v->arena, file_of(v, GOLDEN, "json"), &why);
    if (v->request) return true;
    diag_command("verify", "error", MSG_VERIFY_GOLDEN, file_of(v, GOLDEN, "log"));
    return false;
}

// ---- the shards ----

static void shard_begun(void *context, int job, long pid) {
    struct verify *v = context;
    v->shard[v->shard_of[job]].tries++;
    write_begin(v, v->shard_of[job], pid, v->job[job].args);
}

static const char *status_text(struct verify *v, int status) {
    return status == POOL_DIED ? "it was killed" : arena_printf(v->arena, "it ended with status %d", status);
}

// Sets the shard's state when its process has ended. A result that passes counts only with exit status 0.
static void judge(struct verify *v, int shard, int status) {
    struct shard *s = &v->shard[shard];
    if (status == POOL_LATE) {
        s->state = SHARD_LATE;
        s->why = arena_printf(v->arena, "it was still running after %lld s", (long long)v->o->limit);
        return;
    }
    shard_judge(v->arena, v->request, file_of(v, shard, "json"), s);
    if (s->state == SHARD_DIED || (s->state == SHARD_PASSED && status != 0)) {
        s->state = SHARD_DIED;
        s->why = arena_printf(v->arena, "%s without a result", status_text(v, status));
    }
}

// Notes the end of a shard. Returns whether the shard is to run again: it died and has run fewer than MOST_TRIES times.
static bool shard_ended(void *context, int job, int status, double seconds) {
    struct verify *v = context;
    int shard = v->shard_of[job];
    struct shard *s = &v->shard[shard];
    judge(v, shard, status);
    s->seconds = seconds;
    write_end(v, shard, s->state, seconds, s->result, s->why);
    bool again = s->state == SHARD_DIED && s->tries < MOST_TRIES;
    if (again) unlink(file_of(v, shard, "json"));
    else v->steps_done += s->last - s->first + 1;
    return again;
}

// Takes a shard's result that an earlier run left. Returns false if there is none that passed and equals the journal's.
static bool is_done(struct verify *v, int shard) {
    struct shard *s = &v->shard[shard];
    if (!v->known[shard + 1]) return false;
    shard_judge(v->arena, v->request, file_of(v, shard, "json"), s);
    if (s->state == SHARD_PASSED && s->result == v->known[shard + 1]) return true;
    s->state = SHARD_MISSING;
    s->why = NULL;
    return false;
}

static void add_job(struct verify *v, int shard) {
    const struct shard *s = &v->shard[shard];
    unlink(file_of(v, shard, "json"));
    v->shard_of[v->jobs] = shard;
    v->job[v->jobs++] = (struct pool_job){shard_args(v, shard), file_of(v, shard, "log"), false};
    v->steps += s->last - s->first + 1;
}

// Runs all shards whose results are not known from an earlier run.
static void run_shards(struct verify *v) {
    struct pool pool = pool_of(v);
    v->shard = ARENA_ARRAY(v->arena, struct shard, (size_t)v->o->shards);
    v->count = shards_divide(v->request, (int)v->o->shards, v->o->warm, v->shard);
    v->shard_of = ARENA_ARRAY(v->arena, int, (size_t)v->count);
    v->job = ARENA_ARRAY(v->arena, struct pool_job, (size_t)v->count);
    for (int i = 0; i < v->count; i++)
        if (!is_done(v, i)) add_job(v, i);
    pool.begun = shard_begun, pool.ended = shard_ended, pool.tick = tick_shards;
    double start = pool_seconds();
    pool_run(&pool, v->arena, v->job, v->jobs);
    v->seconds = pool_seconds() - start;
    clear(v);
}

// ---- the verdict ----

static void print_shard(struct verify *v, int shard) {
    const struct shard *s = &v->shard[shard];
    if (s->state == SHARD_PASSED) return;
    printf("shard %d, steps %lld to %lld from position %lld: %s: %s\n    log: %s\n", shard, (long long)s->first,
           (long long)s->last, (long long)s->from, shard_ends[s->state], s->why ? s->why : "it was not run",
           file_of(v, shard, "log"));
}

// Prints which steps at the beginning of the shards are warm-up steps. In these steps, FIFOs and prefetch are not yet
// as in a whole run.
static void print_cold(const struct verify *v) {
    const char *before = "cold steps, whose cycles are not compared: ";
    for (int i = 0; i < v->count; i++) {
        const struct shard *s = &v->shard[i];
        if (s->first == s->begin) continue;
        printf("%s%lld to %lld in shard %d", before, (long long)s->first, (long long)s->begin - 1, i);
        before = ", ";
    }
    if (*before == ',') puts("");
}

static void print_sum(const struct verify *v, const struct shards_sum *sum) {
    const struct shards_request *r = v->request;
    printf("%lld steps in %d shards: %" PRIu64 " values equal the replay's\n", (long long)r->steps, v->count,
           sum->values);
    printf("%lld tokens, logits_hash %s, as the replay's\n", (long long)r->made, r->hashes[r->made - 1]);
    print_cold(v);
    printf("%" PRIu64 " cycles in all steps", sum->cycles);
    if (sum->seams)
        printf("; %lld steps at seams take the same cycles in both shards within %.1f %%", (long long)sum->seams,
               100 * sum->most);
    puts("");
}

static void add_steps(const struct verify *v, struct text *out) {
    bool first = true;
    text_add(out, "  \"step_cycles\": [");
    for (int i = 0; i < v->count; i++)
        for (int64_t step = v->shard[i].begin; v->shard[i].cycles && step < v->shard[i].end; step++) {
            text_addf(out, "%s%" PRIu64, first ? "" : ", ", v->shard[i].cycles[step - v->shard[i].first]);
            first = false;
        }
    text_add(out, "],\n  \"shards\": [");
}

static void add_shard(const struct shard *s, const char *before, struct text *out) {
    text_addf(out,
              "%s\n    {\"first\": %lld, \"begin\": %lld, \"end\": %lld, \"last\": %lld, \"from\": %lld, \"state\": "
              "\"%s\", \"tries\": %d, \"seconds\": %.1f, \"values_compared\": %" PRIu64 "}",
              before, (long long)s->first, (long long)s->begin, (long long)s->end, (long long)s->last,
              (long long)s->from, shard_ends[s->state], s->tries, s->seconds, s->values);
}

// Writes the verdict to the file of --json, if given. Returns false after an error.
static bool write_json(struct verify *v, const struct shards_sum *sum, bool passed) {
    struct text out = {0};
    const char *path = v->o->sim.json, *why = NULL;
    const struct shards_request *r = v->request;
    if (!path) return true;
    text_addf(&out, "{\n  \"verified\": %s,\n  \"steps\": %lld,\n  \"cycles\": %" PRIu64 ",\n",
              passed ? "true" : "false", (long long)r->steps, sum->cycles);
    text_addf(&out, "  \"logits_hash\": \"%s\",\n  \"seconds\": %.1f,\n  \"cold_steps\": %lld,\n",
              r->hashes[r->made - 1], v->seconds, (long long)sum->cold);
    text_add(&out, "  \"token_ids\": [");
    for (int64_t i = 0; i < r->made; i++) text_addf(&out, "%s%u", i ? ", " : "", r->ids[i]);
    text_add(&out, "],\n");
    add_steps(v, &out);
    for (int i = 0; i < v->count; i++) add_shard(&v->shard[i], i ? "," : "", &out);
    text_add(&out, "\n  ]\n}\n");
    if (!strcmp(path, "-")) fputs(text_cstr(&out), stdout);
    else why = file_write_text(v->arena, path, &out);
    if (why) diag_command("verify", "error", "%s", why);
    text_free(&out);
    return !why;
}

// Joins the results, prints and writes the verdict, and returns the exit status.
static int verdict(struct verify *v) {
    int failed = 0, first = 0;
    struct shards_sum sum = shards_join(v->arena, v->request, v->shard, v->count, v->o->warm, v->o->sim.seed == 0);
    for (int i = v->count - 1; i >= 0; i--)
        if (v->shard[i].state != SHARD_PASSED) failed++, first = i;
    if (!v->o->sim.quiet)
        for (int i = 0; i < v->count; i++) print_shard(v, i);
    if (failed) diag_command("verify", "error", MSG_VERIFY_FAILED, failed, v->count, first, v->shard[first].why);
    else if (sum.why) diag_command("verify", "error", MSG_VERIFY_JOIN, sum.why);
    else if (!v->o->sim.quiet) print_sum(v, &sum);
    bool passed = !failed && !sum.why;
    journal_line(&v->journal, "\"event\": \"verdict\", \"passed\": %s", passed ? "true" : "false");
    return write_json(v, &sum, passed) && passed ? RILL_OK : RILL_BAD_SPEC;
}

// ---- the command ----

// Makes the folder of work files and opens the journal. Returns false after an error.
static bool open_work(struct verify *v) {
    const char *dir = v->o->sim.dir, *why = NULL;
    v->work = v->o->work ? v->o->work : arena_printf(v->arena, "%s/verify", dir);
    v->known = ARENA_ARRAY(v->arena, uint64_t, (size_t)v->o->shards + 1);
    if (mkdir(v->work, 0777) && errno != EEXIST)
        why = arena_printf(v->arena, MSG_FILE_UNWRITABLE, v->work, strerror(errno));
    const char *path = arena_printf(v->arena, "%s/journal.jsonl", v->work);
    if (!why && journal_open(&v->journal, v->arena, path, key_of(v), note_known, v, &why)) return true;
    diag_command("verify", "error", "%s", why);
    return false;
}

static int start(struct run *run, void *options) {
    struct verify_options *o = options;
    struct verify v = {.run = run, .arena = &run->arena, .o = o};
    o->sim.write_state = "state"; // makes the checks of --write-state apply to the request
    const char *why = sim_options_finish(v.arena, &o->sim);
    if (why) return options_wrong(&command_verify.options, why);
    const struct simulation build = {o->quick, o->tune, (int)o->jobs};
    v.exe = command_simulation(run, &build, &o->sim);
    if (!v.exe || !open_work(&v)) return RILL_BAD_SPEC;
    int status = RILL_BAD_SPEC;
    if (run_golden(&v)) {
        run_shards(&v);
        status = verdict(&v);
    }
    journal_close(&v.journal);
    return status;
}

#define AT(member) offsetof(struct verify_options, member)
static const struct option_row rows[] = {
    {"DIR", NULL, OPTION_FILE, OPTION_NEEDED, AT(sim.dir), .help = "a design that `rill gen` and `rill pack` wrote"},
    {"--shards", "K", OPTION_NUMBER, 0, AT(shards), 1, MOST_SHARDS, .preset = "8",
     .help = "number of parts into which the steps of the request are divided"},
    {"--jobs", "J", OPTION_NUMBER, 0, AT(jobs), 1, 1024, .preset = "2", .help = "shards that run at the same time"},
    {"--launch", "CMD", OPTION_WORD, 0, AT(launch),
     .help = "command that starts a shard on another machine, for example \"srun -n1\". The machines share "
             "the folders of the design and of Rill"},
    {"--warm", "N", OPTION_NUMBER, 0, AT(warm), 1, 1000, .preset = "2",
     .help = "steps that a shard simulates before its own, until FIFOs and prefetch are as in a whole run"},
    {"--limit", "SECONDS", OPTION_NUMBER, 0, AT(limit), 1,
     .help = "end a shard that runs longer, as a failure (default: never)"},
    {"--work", "FOLDER", OPTION_FILE, 0, AT(work),
     .help = "journal, state and results of the shards (default: DIR/verify). A run that was ended goes on "
             "with what its journal has"},
    {"--quick-build", NULL, OPTION_FLAG, 0, AT(quick), .help = "build the simulation as `rill sim --quick-build` does"},
    {"--tune", NULL, OPTION_FLAG, 0, AT(tune), .without = "--quick-build",
     .help = "build the simulation as `rill sim --tune` does"},
    {"--seed", "S", OPTION_COUNT, 0, AT(sim.seed), .preset = "0",
     .help = "seed for random delays of the memory model. 0: none"},
    {"--compare", "all|min", OPTION_CHOICE, 0, AT(sim.compare), .preset = "all",
     .help = "which streams are compared with the replay"},
    {"--json", "FILE", OPTION_FILE, 0, AT(sim.json), .help = "write the verdict as JSON. - stands for standard output"},
    {"--quiet", NULL, OPTION_FLAG, 0, AT(sim.quiet), .help = "print errors only"},
    {0}};

const struct command command_verify = {
    .options = {.name = "verify",
                .purpose = "simulate a long request in shards that run side by side, and join their verdicts",
                .example = "rill verify design --prompt \"Once upon a time\" --tokens 64 --shards 8",
                .page = "verify",
                .table = {{rows, 0}, {request_rows, AT(sim)}, {figure_rows, AT(sim.figures)}}},
    .size = sizeof(struct verify_options),
    .start = start};
