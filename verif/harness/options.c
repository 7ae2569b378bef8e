// SPDX-License-Identifier: Apache-2.0
// The command line of a simulation executable.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "include/diag.h"
#include "include/rows.h"
#include "verif/harness/sim_internal.h"

enum { MAX_REQUESTS_BYTES = 16 << 20 };

static const char usage[] =
    "usage: Vrill --dir DIR [--prompt TEXT | --prompt-ids 1,2,3 | --requests FILE]... [options]\n"
    "  --dir DIR            the generated design (design.yaml, image/)\n"
    "  --prompt TEXT        one request; may be repeated, requests run one after the other\n"
    "  --chat NAME          prompts are questions to a chat model: chatml, smollm2, llama3, gemma, zephyr\n"
    "  --prompt-ids LIST    the same, as token ids\n"
    "  --requests FILE      one request a line: text, or `ids:` and a list\n"
    "  --tokens N           ids to make (or rows to send); behind a prompt: for that prompt (default 16, or what the "
    "context has room for)\n"
    "  --temperature T, --top-k K, --min-p P, --sampling-seed S\n"
    "                       how ids are drawn at random, in a design with `sampling`\n"
    "  --ignore-eot         do not stop at the end-of-text id\n"
    "  --seed S             jitter of the memory model; 0: none (default)\n"
    "  --data-seed S        random rows of graphs that are no language models (default 1)\n"
    "  --inputs FILE        their rows instead, a .npy (one input) or .safetensors file of arrays [rows][...shape]:\n"
    "                       all of them, or the first --tokens N\n"
    "  --outputs FILE       the rows that come out, in the same formats; written only if all matched\n"
    "  --clock MHZ          clock of the design (default: the spec's)\n"
    "  --hbm KEY=VALUE      another figure of the memory than the board's; may be repeated (--hbm help lists them)\n"
    "  --compare all|min    streams compared with the golden model (default all)\n"
    "  --trace FILE         waveform (FST), when built with tracing\n"
    "  --json FILE          results; - for standard output\n"
    "  --occupancy          how full every FIFO was over the run goes into the JSON file also with --compare min\n"
    "  --beats FILE         every handshake of every stream: a line with edge number, cycle, tlast\n"
    "  --logits FILE        inputs of argmax, raw fp32\n"
    "  --timeline FILE      first and last cycle of every firing on every compared stream, CSV\n"
    "  --inject-error CH:N  the N-th read burst of channel CH answers SLVERR; CH:wN: write burst\n"
    "  --plant FAULT        a fault that the run must find, to try the checks: memory[:BIT] of the results as they lie "
    "in\n"
    "                       memory, short (stopped after a step), open (a read never finished), endless[:N] (the N-th "
    "read\n"
    "                       burst of channel 0 has no RLAST), logits[:BIT] (of the register that hashes them)\n"
    "  --base CH:BYTES      channel CH's image begins BYTES further, and its base register says so\n"
    "  --pause CYCLE --save FILE  ends there, with the whole run in a file\n"
    "  --resume FILE        goes on with a saved run, under its options; again with --pause and --save, if given\n"
    "  --timeout CYCLES     ends the run with a failure (default: none)\n"
    "  --watchdog CYCLES    no beat anywhere for so long is a deadlock (default 20000)\n"
    "  --unchecked          hand a bad request to the design instead of refusing it\n"
    "  --quiet              no text and no summary on standard output\n";

struct reader {
    struct arena *arena;
    struct sim_options *options;
    int argc, at;
    char **argv;
    bool ok, pauses;
};

static void bad(struct reader *r, const char *what, const char *value) {
    if (r->ok)
        fprintf(stderr, "rill sim: error: %s%s%s\n(`rill sim DIR --help` shows the options)\n", what,
                value != NULL ? ": " : "", value != NULL ? value : "");
    r->ok = false;
}

// Options are the words of the usage that begin with two dashes.
static void bad_option(struct reader *r) {
    enum { MOST = 128 };
    const char *words[MOST], *arg = r->argv[r->at];
    size_t count = 0;
    for (const char *p = strstr(usage, "--"); p != NULL && count < MOST; p = strstr(p + 2, "--"))
        words[count++] = arena_strndup(r->arena, p, 2 + strspn(p + 2, "abcdefghijklmnopqrstuvwxyz-"));
    const char *near = diag_nearest_word(arg, words, count);
    bad(r,
        arena_printf(r->arena, near != NULL ? "unknown option `%s`; did you mean `%s`?" : "unknown option `%s`", arg,
                     near),
        NULL);
}

static const char *value_of(struct reader *r) {
    if (r->at + 1 < r->argc) return r->argv[++r->at];
    bad(r, "a value is missing behind", r->argv[r->at]);
    return "0";
}

static const char *path_of(struct reader *r) {
    const char *option = r->argv[r->at], *path = value_of(r);
    if (!*path) bad(r, "the name of a file is missing behind", option);
    return path;
}

static uint64_t number(struct reader *r, const char *text) {
    char *end = NULL;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno != 0 || *end != 0 || text[0] < '0' || text[0] > '9') bad(r, "not a number", text);
    return v;
}

static uint64_t at_least_one(struct reader *r, const char *what) {
    uint64_t v = number(r, value_of(r));
    if (r->ok && v == 0) bad(r, what, NULL);
    return v;
}

static struct sim_prompt *add_prompt(struct reader *r) {
    VEC_PUSH(r->arena, r->options->prompts, (struct sim_prompt){.tokens = -1});
    return &r->options->prompts.items[r->options->prompts.count - 1];
}

static void read_ids(struct reader *r, const char *list, struct sim_prompt *prompt) {
    struct token_ids ids = {0};
    if (!token_ids_read(r->arena, list, &ids)) bad(r, "not a list of ids, as 1,2,3", list);
    prompt->ids = ids.items != NULL ? ids.items : ARENA_ARRAY(r->arena, uint32_t, 1);
    prompt->count = (int64_t)ids.count;
}

static void read_requests(struct reader *r, const char *path) {
    size_t len = 0;
    const char *why = NULL;
    char *data = file_read(r->arena, path, MAX_REQUESTS_BYTES, &len, &why);
    if (data == NULL) {
        bad(r, path, why);
        return;
    }
    for (char *line = strtok(data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        struct sim_prompt *prompt = add_prompt(r);
        if (strncmp(line, "ids:", 4) == 0) read_ids(r, line + 4 + strspn(line + 4, " "), prompt);
        else prompt->text = line;
    }
}

static void read_tokens(struct reader *r) {
    struct sim_options *o = r->options;
    int64_t tokens = (int64_t)number(r, value_of(r));
    if (r->ok && (tokens < 1 || tokens > UINT32_MAX)) bad(r, "--tokens takes 1 to 4294967295", NULL);
    if (o->prompts.count > 0) o->prompts.items[o->prompts.count - 1].tokens = tokens;
    if (o->tokens < 0) o->tokens = tokens;
}

// CH:N or CH:wN.
static void read_error(struct reader *r) {
    const char *text = value_of(r);
    char *colon = NULL;
    unsigned long channel = strtoul(text, &colon, 10);
    if (text[0] < '0' || text[0] > '9' || *colon != ':' || channel > INT_MAX) {
        bad(r, "not CH:N", text);
        return;
    }
    struct sim_error e = {.channel = (int)channel, .is_write = colon[1] == 'w'};
    e.burst = number(r, colon + 1 + e.is_write);
    VEC_PUSH(r->arena, r->options->errors, e);
}

static void read_plant(struct reader *r) {
    const char *text = value_of(r);
    struct plant plant;
    if (plant_read(text, &plant)) VEC_PUSH(r->arena, r->options->plants, plant);
    else bad(r, "--plant takes memory, short, open, endless or logits, not", text);
}

// CH:BYTES.
static void read_base(struct reader *r) {
    const char *text = value_of(r);
    char *colon = NULL;
    unsigned long channel = strtoul(text, &colon, 10);
    if (text[0] < '0' || text[0] > '9' || *colon != ':' || channel > INT_MAX) {
        bad(r, "not CH:BYTES", text);
        return;
    }
    struct sim_base b = {.channel = (int)channel, .bytes = number(r, colon + 1)};
    if (r->ok && b.bytes > SIM_BASE_MOST) bad(r, "--base takes at most 1048576 bytes", NULL);
    VEC_PUSH(r->arena, r->options->bases, b);
}

static void read_compare(struct reader *r) {
    const char *word = value_of(r);
    if (strcmp(word, "all") != 0 && strcmp(word, "min") != 0) bad(r, "--compare takes all or min, not", word);
    r->options->set = strcmp(word, "min") == 0 ? CHECK_MINIMUM : CHECK_ALL;
}

static void read_clock(struct reader *r) {
    const char *text = value_of(r);
    char *end = NULL;
    r->options->clock_mhz = strtod(text, &end);
    if (end == text || *end != 0 || !(r->options->clock_mhz >= 1 && r->options->clock_mhz <= 2000))
        bad(r, "--clock takes 1 to 2000 MHz, not", text);
}

static void read_hbm(struct reader *r) {
    struct hbm_figures alone = {0};
    const char *text = value_of(r), *why = r->ok ? hbm_figures_set(r->arena, &alone, text) : NULL;
    if (why) bad(r, arena_printf(r->arena, "--hbm: %s", why), NULL);
    else VEC_PUSH(r->arena, r->options->hbm, text);
}

// One value is used: a second would replace the first without a word.
static void check_once(struct reader *r) {
    static const char *const once[] = {
        "--dir",      "--seed",   "--data-seed", "--timeout", "--watchdog", "--clock",       "--compare",
        "--pause",    "--save",   "--resume",    "--trace",   "--json",     "--beats",       "--logits",
        "--timeline", "--inputs", "--outputs",   "--top-k",   "--min-p",    "--temperature", "--sampling-seed"};
    for (size_t k = 0; k < COUNT_OF(once); k++)
        for (int i = 1; !strcmp(r->argv[r->at], once[k]) && i < r->at; i++)
            if (!strcmp(r->argv[i], once[k])) bad(r, "given twice", once[k]);
}

static bool is(const struct reader *r, const char *name) { return strcmp(r->argv[r->at], name) == 0; }

static bool read_sampling(struct reader *r) {
    const char *why, *option = r->argv[r->at], *value = r->at + 1 < r->argc ? r->argv[r->at + 1] : "";
    if (!sampling_option(&r->options->sampling, option, value, &why)) return false;
    value_of(r);
    if (why) bad(r, why, value);
    return true;
}

static bool read_run_option(struct reader *r) {
    struct sim_options *o = r->options;
    if (is(r, "--seed")) o->seed = number(r, value_of(r));
    else if (is(r, "--data-seed")) o->data_seed = number(r, value_of(r));
    else if (is(r, "--timeout")) o->timeout = number(r, value_of(r));
    else if (is(r, "--watchdog")) o->watchdog = at_least_one(r, "--watchdog takes a number of cycles of at least 1");
    else if (is(r, "--clock")) read_clock(r);
    else if (is(r, "--hbm")) read_hbm(r);
    else if (is(r, "--compare")) read_compare(r);
    else if (is(r, "--pause")) r->pauses = true, number(r, value_of(r)); // snapshot.c read them first
    else if (is(r, "--save")) o->saves = *path_of(r) != 0;
    else if (is(r, "--resume")) path_of(r);
    else if (is(r, "--inject-error")) read_error(r);
    else if (is(r, "--base")) read_base(r);
    else if (is(r, "--plant")) read_plant(r);
    else if (is(r, "--ignore-eot")) o->ignore_eot = true;
    else if (is(r, "--unchecked")) o->unchecked = true;
    else if (is(r, "--occupancy")) o->occupancy = true;
    else if (is(r, "--quiet")) o->quiet = true;
    else return false;
    return true;
}

static bool read_file_option(struct reader *r) {
    struct sim_options *o = r->options;
    if (is(r, "--dir")) o->dir = path_of(r);
    else if (is(r, "--prompt")) add_prompt(r)->text = value_of(r);
    else if (is(r, "--chat")) o->chat = value_of(r);
    else if (is(r, "--prompt-ids")) read_ids(r, value_of(r), add_prompt(r));
    else if (is(r, "--requests")) read_requests(r, path_of(r));
    else if (is(r, "--tokens")) read_tokens(r);
    else if (is(r, "--trace")) o->trace = path_of(r);
    else if (is(r, "--json")) o->json = path_of(r);
    else if (is(r, "--beats")) o->beats = path_of(r);
    else if (is(r, "--logits")) o->logits = path_of(r);
    else if (is(r, "--timeline")) o->timeline = path_of(r);
    else if (is(r, "--inputs")) o->inputs = path_of(r);
    else if (is(r, "--outputs")) o->outputs = path_of(r);
    else return false;
    return true;
}

static void check_row_files(struct reader *r) {
    const char *const paths[] = {r->options->inputs, r->options->outputs};
    for (int i = 0; i < 2; i++) {
        const char *why = paths[i] != NULL ? rows_path_fault(r->arena, paths[i], 1) : NULL;
        if (why != NULL) bad(r, why, NULL);
        if (paths[i] != NULL && r->options->prompts.count > 1)
            bad(r, "--inputs and --outputs go with one request", NULL);
    }
}

static void set_defaults(struct reader *r) {
    struct sim_options *o = r->options;
    o->tokens_fit = o->tokens < 0;
    if (o->tokens < 0) o->tokens = o->inputs != NULL ? 0 : 16; // 0: as many as the file has
    o->occupancy |= o->json != NULL && o->set == CHECK_ALL;
    if (o->prompts.count == 0) add_prompt(r);
    for (size_t i = 0; i < o->prompts.count; i++)
        if (o->prompts.items[i].tokens < 0) o->prompts.items[i].tokens = o->tokens;
}

bool options_read(struct arena *arena, int argc, char **argv, struct sim_options *options, int *exit_code) {
    struct reader r = {.arena = arena, .options = options, .argc = argc, .argv = argv, .ok = true};
    *options = (struct sim_options){.tokens = -1, .data_seed = 1, .watchdog = 20000};
    for (r.at = 1; r.at < argc && r.ok; r.at++) {
        bool figures = is(&r, "--hbm") && r.at + 1 < argc && !strcmp(argv[r.at + 1], "help");
        if (is(&r, "--help") || is(&r, "-h") || figures) {
            if (figures) hbm_figures_list(stdout, false);
            else fputs(usage, stdout);
            *exit_code = RILL_OK;
            return false;
        }
        if (argv[r.at][0] == '+') // for the Verilated model
            continue;
        check_once(&r);
        if (r.ok && !read_file_option(&r) && !read_run_option(&r) && !read_sampling(&r)) bad_option(&r);
    }
    if (r.ok && options->dir == NULL) bad(&r, "--dir is missing", NULL);
    if (r.ok && options->saves != r.pauses) bad(&r, "--pause CYCLE and --save FILE: one without the other", NULL);
    if (r.ok && options->saves && (options->trace != NULL || options->beats != NULL))
        bad(&r, "--save goes without --trace and --beats", NULL);
    if (r.ok) check_row_files(&r);
    set_defaults(&r);
    *exit_code = RILL_USAGE;
    return r.ok;
}
