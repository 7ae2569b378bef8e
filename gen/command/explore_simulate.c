// SPDX-License-Identifier: Apache-2.0
// Simulates designs that a search found, by running `rill gen`, `rill pack` and `rill sim` as a user would. A
// difference between the design and the replay ends `rill sim` with an error, and this ends the search with an error.
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/command/explore_simulate.h"
#include "gen/ir/ir.h"

// MAX_BYTES: most bytes of a result of `rill sim`. WORDS: room for the words of a command and the NULL after them.
enum { MAX_BYTES = 256 << 20, WORDS = 16 };

struct simulating {
    const struct explore *x;
    const char *program, *spec, *design, *log, *json; // paths; design: folder
};

// Runs `rill` with these arguments (NULL after the last) and appends its output to the log. Returns the exit status,
// or -1.
static int run(const struct simulating *s, const char *const *word) {
    char *argument[WORDS];
    int count = 0, status = 0, log = open(s->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    argument[count++] = arena_strdup(s->x->arena, s->program);
    for (int i = 0; word[i]; i++) argument[count++] = arena_strdup(s->x->arena, word[i]);
    argument[count] = NULL;
    fflush(NULL);
    pid_t pid = log < 0 ? -1 : fork();
    if (pid == 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        execv(argument[0], argument);
        _exit(127);
    }
    if (log >= 0) close(log);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Runs `rill` as `run` does. Reports an error and returns false if it fails.
static bool succeeds(const struct simulating *s, const char *const *word) {
    int status = run(s, word);
    if (status) diag_error(s->x->diag, loc_none(), MSG_EXPLORE_SIMULATE, word[0], s->spec, status, s->log);
    return status == 0;
}

// Returns the request as an argument: the ids 1, 2, ..., modulo the vocabulary, or `rows` for other graphs.
static const char *ids_of(const struct simulating *s, const struct ir *ir) {
    struct text list = {0};
    if (!ir->design.is_lm) return "rows";
    for (int64_t i = 1; i <= s->x->prompt; i++) text_addf(&list, "%s%" PRId64, i > 1 ? "," : "", i % ir_vocabulary(ir));
    const char *ids = arena_strdup(s->x->arena, text_cstr(&list));
    text_free(&list);
    return ids;
}

// Generates, packs and simulates a design. Returns false after an error.
static bool simulate(const struct simulating *s) {
    struct arena *arena = s->x->arena;
    const char *gen[] = {"gen", s->spec, "-o", s->design, NULL},
               *pack[] = {"pack", s->spec, "--weights", "random:1", "-o", s->design, NULL};
    if (!succeeds(s, gen) || !succeeds(s, pack)) return false;
    const struct ir *ir = ir_read(arena, arena_printf(arena, "%s/design.yaml", s->design), s->x->diag);
    if (!ir) return false;
    int64_t tokens = ir->design.is_lm ? s->x->tokens : s->x->prompt;
    const char *sim[] = {"sim",
                         s->design,
                         ir->design.is_lm ? "--prompt-ids" : "--prompt",
                         ids_of(s, ir),
                         "--tokens",
                         arena_printf(arena, "%" PRId64, tokens),
                         "--quiet",
                         "--json",
                         s->json,
                         ir->design.is_lm ? "--ignore-eot" : NULL,
                         NULL};
    return succeeds(s, sim);
}

// Reads a run's cycles into *r, together with the forecast, which it converts from ms to cycles.
static bool read_cycles(const struct simulating *s, const double *forecast, struct explore_trial *r) {
    size_t len;
    const char *why, *data = file_read(s->x->arena, s->json, MAX_BYTES, &len, &why);
    json_t *root = data ? json_loadb(data, len, 0, NULL) : NULL;
    const json_t *prefill = json_object_get(root, "cycles_prefill"), *decode = json_object_get(root, "cycles_decode");
    double per_ms = json_number_value(json_object_get(root, "clock_mhz")) * 1e3;
    bool ok = json_is_integer(prefill) && json_is_integer(decode);
    double first = forecast[EXPLORE_TTFT_MS] * per_ms, all = forecast[EXPLORE_LATENCY_MS] * per_ms;
    *r = (struct explore_trial){json_integer_value(prefill),
                                json_integer_value(decode),
                                first,
                                all - first,
                                json_integer_value(json_object_get(root, "values_compared")),
                                json_is_true(json_object_get(root, "match"))};
    json_decref(root);
    if (!ok) diag_error(s->x->diag, loc_none(), MSG_EXPLORE_SIMULATED, s->json);
    return ok;
}

struct explore_trial *explore_simulate(const struct explore *x, const struct explore_outcome *o, const char *dir,
                                       int count) {
    struct explore_trial *all = ARENA_ARRAY(x->arena, struct explore_trial, (size_t)count + 1);
    for (int i = 0; i < count; i++) {
        const char *spec = arena_printf(x->arena, "%s/%s", dir, explore_spec_name(x, i)),
                   *name = arena_strndup(x->arena, spec, strlen(spec) - strlen(".yaml"));
        const struct simulating s = {.x = x,
                                     .program = file_whole(x->arena, "/proc/self/exe"),
                                     .spec = spec,
                                     .design = name,
                                     .log = arena_printf(x->arena, "%s.log", name),
                                     .json = arena_printf(x->arena, "%s.sim.json", name)};
        unlink(s.log); // an earlier search may have left it
        if (!simulate(&s) || !read_cycles(&s, o->seen[o->front[i]].result.value, &all[i])) return NULL;
    }
    return all;
}
