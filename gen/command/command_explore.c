// SPDX-License-Identifier: Apache-2.0
// rill explore: searches the keys of `design` for the best designs of a spec. gen/explore does the search; this file
// reads the options and writes the results.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/command/explore_simulate.h"

// Values of an option that may be repeated. `ended` adds the NULL that struct explore_words needs.
typedef VEC(const char *) explore_list;

struct explore_options { // values of the options; `rows` explains them
    const char *spec, *journal, *launch, *emit, *html;
    explore_list vary, fix, goal, limit, least, most;
    struct {
        int64_t prompt, tokens;
    } request;
    int64_t points, whole, jobs, simulate;
    uint64_t seed;
    bool json, over, work, quiet;
};

// Returns an argument in single quotes for a shell. A single quote within it becomes '\'' (end of quotes, quote, new
// quotes).
static const char *quoted(struct arena *arena, const char *argument) {
    const char *text = "'";
    for (const char *c = argument; *c; c++) text = arena_printf(arena, *c == '\'' ? "%s'\\''" : "%s%c", text, *c);
    return arena_printf(arena, "%s'", text);
}

// Returns the command as a user would type it: `rill explore` and all arguments, in quotes where a shell needs them.
// The specs and the page that the search writes contain this command.
static const char *command_of(struct arena *arena, int argc, char **argv) {
    const char *text = "rill explore";
    for (int i = 1; i < argc; i++) {
        bool plain = strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/%+") ==
                     strlen(argv[i]);
        text = arena_printf(arena, "%s %s", text, plain ? argv[i] : quoted(arena, argv[i]));
    }
    return text;
}

// Returns the arguments for a worker process that --launch starts: this program, `explore`, and the arguments of this
// command.
static char **worker_arguments(struct arena *arena, int argc, char **argv) {
    char **all = ARENA_ARRAY(arena, char *, (size_t)argc + 2);
    all[0] = file_whole(arena, "/proc/self/exe");
    all[1] = arena_strdup(arena, "explore");
    for (int i = 1; i < argc; i++) all[i + 1] = argv[i];
    return all;
}

// Returns the path from the folder of the page (--html) to the folder of the specs (--emit), for links in the page.
static const char *specs_from(const struct explore *x, const struct explore_options *o) {
    return file_relative(x->arena, file_whole(x->arena, file_dir(x->arena, o->html)), file_whole(x->arena, o->emit));
}

// Writes the page and the specs, simulates designs if asked to, and prints the result. Returns the exit status.
static int print(const struct explore *x, const struct explore_options *o, const struct explore_outcome *out,
                 const char *command) {
    struct text text = {0}, page = {0};
    const char *why = NULL;
    if (o->html) {
        explore_html(x, out, command, o->emit ? specs_from(x, o) : NULL, &page);
        why = file_write_text(x->arena, o->html, &page);
        text_free(&page);
    }
    if (why) return diag_error_text(x->diag, loc_none(), why), RILL_BAD_SPEC;
    if (o->emit && !explore_emit(x, out, o->emit, command)) return RILL_BAD_SPEC;
    int runs = (int)at_most(o->simulate, out->fronts);
    const struct explore_trial *run = runs ? explore_simulate(x, out, o->emit, runs) : NULL;
    if (runs && !run) return RILL_BAD_SPEC;
    if (o->json) explore_json(x, out, run, runs, &text);
    else explore_table(x, out, &text);
    if (runs && !o->json) explore_trial_table(run, runs, &text);
    command_print(&text);
    if (out->fronts) return RILL_OK;
    diag_error(x->diag, loc_none(), MSG_EXPLORE_NONE, out->count);
    return RILL_BAD_SPEC;
}

// Returns the list's items, with a NULL after the last one.
static const char *const *ended(struct arena *arena, explore_list *list) {
    VEC_PUSH(arena, *list, NULL);
    return list->items;
}

static int start(struct run *run, void *options) {
    struct explore_options *o = options;
    struct arena *arena = &run->arena;
    struct explore x;
    struct explore_outcome out;
    const struct explore_words words = {.vary = ended(arena, &o->vary),
                                        .fix = ended(arena, &o->fix),
                                        .goal = ended(arena, &o->goal),
                                        .limit = ended(arena, &o->limit),
                                        .least = ended(arena, &o->least),
                                        .most = ended(arena, &o->most),
                                        .prompt = o->request.prompt,
                                        .tokens = o->request.tokens,
                                        .over = o->over};
    if (!explore_begin(&x, o->spec, &words, &run->arena, &run->diag)) return RILL_BAD_SPEC;
    if (o->work) return explore_work(&x, stdin, stdout);
    const struct explore_search search = {.points = o->points,
                                          .whole = o->whole,
                                          .seed = o->seed,
                                          .jobs = (int)o->jobs,
                                          .launch = o->launch,
                                          .journal = o->journal,
                                          .quiet = o->quiet,
                                          .argv = worker_arguments(&run->arena, run->argc, run->argv)};
    if (!explore_run(&x, &search, &out)) return RILL_BAD_SPEC;
    return print(&x, o, &out, command_of(&run->arena, run->argc, run->argv));
}

// Adds a value to the list of an option that may be repeated.
static const char *read_word(struct arena *arena, void *into, const char *value) {
    explore_list *list = into;
    VEC_PUSH(arena, *list, value);
    return NULL;
}

// Reads IN:OUT, the numbers of prompt tokens and generated tokens.
static const char *read_request(struct arena *arena, void *into, const char *text) {
    int64_t *request = into;
    int end = 0;
    bool whole = sscanf(text, "%" SCNd64 ":%" SCNd64 "%n", &request[0], &request[1], &end) == 2 && !text[end];
    if (whole && request[0] >= 1 && request[1] >= 1 && request[0] <= INT32_MAX && request[1] <= INT32_MAX) return NULL;
    return arena_printf(arena, MSG_REQUEST_FORM, text);
}

#define AT(member) offsetof(struct explore_options, member)
#define FIGURES "tokens_s, ttft_ms, latency_ms, tokens_j, power_w, lut, ff, dsp, bram36, uram, fill, accuracy"
static const struct option_row rows[] = {
    {"SPEC", NULL, OPTION_FILE, OPTION_NEEDED, AT(spec), .help = "the spec from which the search begins"},
    {"--vary", "KEY[=A,B,C]", OPTION_CALL, OPTION_REPEATS, AT(vary), .call = read_word, .group = "Space",
     .help = "vary this key of `design` over these values, or over all that the table of keys lists. "
             "`weights.PATTERN` stands for a format by name. Without --vary, the keys that change only speed and area "
             "vary: channels, lanes, unroll, T, A, pump, query_heads, prefetch_beats, outstanding, dies"},
    {"--fix", "KEY=VALUE", OPTION_CALL, OPTION_REPEATS, AT(fix), .call = read_word,
     .help = "give all points this value"},
    {"--for", "FIGURE,...", OPTION_CALL, OPTION_REPEATS, AT(goal), .call = read_word, .group = "Goals and limits",
     .help = "up to 4 figures to make as good as possible (default: tokens_s,ttft_ms): " FIGURES},
    {"--limit", "FIGURE=N", OPTION_CALL, OPTION_REPEATS, AT(limit), .call = read_word,
     .help = "accept no worse figure. Resources may be in percent of the board: `dsp=40%`"},
    {"--min", "FIGURE=N", OPTION_CALL, OPTION_REPEATS, AT(least), .call = read_word,
     .help = "accept no smaller figure"},
    {"--max", "FIGURE=N", OPTION_CALL, OPTION_REPEATS, AT(most), .call = read_word, .help = "accept no larger figure"},
    {"--over", NULL, OPTION_FLAG, 0, AT(over), .help = "also accept designs that exceed the limits of the board"},
    {"--request", "IN:OUT", OPTION_CALL, 0, AT(request), .call = read_request,
     .help = "prompt tokens and generated tokens of the forecast (default: 256:256, or halves of a shorter context)"},
    {"--points", "N", OPTION_NUMBER, 0, AT(points), .least = 1, .most = 1000000, .preset = "10000", .group = "Search",
     .help = "points to look at. A space with at most N points is searched exhaustively"},
    {"--whole", "N", OPTION_NUMBER, 0, AT(whole), .least = 1, .most = 1000000, .preset = "40",
     .help = "points within the limits to evaluate with all passes and the forecast, the best by estimate first. As "
             "many others may be evaluated with all passes"},
    {"--seed", "N", OPTION_COUNT, 0, AT(seed), .preset = "1",
     .help = "seed of the search. With the same seed the result is the same, whatever --jobs says"},
    {"--jobs", "N", OPTION_NUMBER, 0, AT(jobs), .least = 1, .most = 1024, .preset = "1",
     .help = "processes that evaluate points"},
    {"--launch", "CMD", OPTION_WORD, 0, AT(launch),
     .help = "put CMD before the command of every such process, such as `srun -n1`"},
    {"--journal", "FILE", OPTION_FILE, 0, AT(journal),
     .help = "write every evaluated point to FILE, and take those that are in it from there. Searches that run at the "
             "same time may share FILE"},
    {"--json", NULL, OPTION_FLAG, 0, AT(json), .group = "Output", .help = "print JSON"},
    {"--emit", "DIR", OPTION_FILE, 0, AT(emit), .help = "write the spec of every point of the front into DIR"},
    {"--simulate", "N", OPTION_NUMBER, 0, AT(simulate), .least = 1, .most = 1000, .with = "--emit",
     .help = "simulate the first N designs of the front with random weights in the folder of --emit, and print their "
             "cycles next to the forecast. Each takes minutes to build (RILL_QUICK_BUILD=1: seconds)"},
    {"--html", "FILE", OPTION_FILE, 0, AT(html), .help = "write a page with a chart of all evaluated points"},
    {"--quiet", NULL, OPTION_FLAG, 0, AT(quiet), .help = "show no progress"},
    {"--work", NULL, OPTION_FLAG, 0, AT(work), .help = "be a worker of a search (used with --launch)"},
    {0}};

const struct command command_explore = {
    .options = {.name = "explore",
                .purpose = "search the keys of `design` for the best designs of a spec",
                .about = "The search evaluates points with the passes of the compiler and the forecast, without a "
                         "simulation, and prints the front: the designs for which no other one is at least as good in "
                         "every goal and better in at least one. The first line says which method was used and "
                         "whether the front is exact.",
                .example = "rill explore configs/gpt2-medium-u55c.yaml --limit dsp=40%",
                .page = "explore",
                .table = {{rows, 0}}},
    .size = sizeof(struct explore_options),
    .start = start};
