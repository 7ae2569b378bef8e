// SPDX-License-Identifier: Apache-2.0
// The tables of a simulation's options, and the functions that read and check their values. Such a function returns
// NULL, or what is wrong. requests.c checks options against the design.
#include "gen/request/sim_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gen/base/endings.h"
#include "gen/model/rows.h"
#include "gen/model/tokenizer.h"

// MAX_REQUESTS_BYTES: size limit of a file of --requests. DEFAULT_TOKENS: tokens or rows without --tokens.
enum { MAX_REQUESTS_BYTES = 16 << 20, DEFAULT_TOKENS = 16 };

// ---- requests: `--tokens` applies to the request before it; the first one also applies to requests without one ----

static struct sim_prompt *add_prompt(struct arena *arena, struct sim_options *o) {
    VEC_PUSH(arena, o->prompts, (struct sim_prompt){.prefix = SIM_PREFIX_UNSET});
    return &o->prompts.items[o->prompts.count - 1];
}

static const char *read_prompt(struct arena *arena, void *into, const char *value) {
    add_prompt(arena, into)->text = value;
    return NULL;
}

static const char *add_ids(struct arena *arena, struct sim_options *o, const char *list) {
    struct token_ids ids = {0};
    struct sim_prompt *prompt = add_prompt(arena, o);
    if (!token_ids_read(arena, list, &ids)) return arena_printf(arena, "not a list of ids, as 1,2,3: %s", list);
    prompt->ids = ids.items != NULL ? ids.items : ARENA_ARRAY(arena, uint32_t, 1);
    prompt->count = (int64_t)ids.count;
    return NULL;
}

static const char *read_ids(struct arena *arena, void *into, const char *value) { return add_ids(arena, into, value); }

static const char *read_then(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    const char *why = add_ids(arena, o, value);
    o->prompts.items[o->prompts.count - 1].then = true;
    return why;
}

// ---- predictions, which belong to the request before them ----

// Returns the request to which a prediction belongs, or NULL if there is none or if it has a prediction.
static struct sim_prompt *to_predict(struct sim_options *o) {
    struct sim_prompt *p = o->prompts.count > 0 ? &o->prompts.items[o->prompts.count - 1] : NULL;
    return p && !p->predicted_text && !p->predicted ? p : NULL;
}

static const char *read_predict(struct arena *arena, void *into, const char *value) {
    struct sim_prompt *p = to_predict(into);
    (void)arena;
    if (!p) return MSG_PREDICT_FIRST;
    p->predicted_text = value;
    return NULL;
}

static const char *read_predict_ids(struct arena *arena, void *into, const char *value) {
    struct sim_prompt *p = to_predict(into);
    struct token_ids ids = {0};
    if (!p) return MSG_PREDICT_FIRST;
    if (!token_ids_read(arena, value, &ids) || !ids.count)
        return arena_printf(arena, "not a list of ids, as 1,2,3: %s", value);
    p->predicted = ids.items;
    p->predicted_count = (int64_t)ids.count;
    return NULL;
}

static bool read_whole(const char *text, uint64_t *number) {
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == 0 && text[0] >= '0' && text[0] <= '9';
}

static const char *read_predict_at(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    struct sim_prompt *p = o->prompts.count > 0 ? &o->prompts.items[o->prompts.count - 1] : NULL;
    if (!p || (!p->predicted_text && !p->predicted)) return MSG_PREDICT_FIRST;
    if (!read_whole(value, &p->predict_at)) return arena_printf(arena, "not a number: %s", value);
    return NULL;
}

// Reads a line of --requests: a request, or a prediction for the request before it.
static const char *read_request_line(struct arena *arena, struct sim_options *o, const char *line) {
    static const char predict[] = "predict:", predict_ids[] = "predict-ids:";
    if (strncmp(line, predict, strlen(predict)) == 0)
        return read_predict(arena, o, line + strlen(predict) + (line[strlen(predict)] == ' '));
    if (strncmp(line, predict_ids, strlen(predict_ids)) == 0)
        return read_predict_ids(arena, o, line + strlen(predict_ids) + strspn(line + strlen(predict_ids), " "));
    if (strncmp(line, "ids:", 4) == 0) return add_ids(arena, o, line + 4 + strspn(line + 4, " "));
    add_prompt(arena, o)->text = line;
    return NULL;
}

// Whether a file can be read only once: a pipe or a device.
static bool is_pipe(const char *path) {
    struct stat s;
    return !stat(path, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

// Reads a file with one request per line. A pipe is left to the simulation program, because it can be read only once.
static const char *read_requests(struct arena *arena, void *into, const char *path) {
    struct sim_options *o = into;
    size_t len = 0;
    const char *why = NULL;
    if (!o->reads_pipes && is_pipe(path)) return o->unread = true, NULL;
    errno = 0;
    char *data = file_read(arena, path, MAX_REQUESTS_BYTES, &len, &why);
    if (data == NULL)
        return arena_printf(arena, "%s cannot be read: %s", path, errno ? strerror(errno) : "it is too large");
    why = NULL;
    for (char *line = strtok(data, "\n"); line != NULL && why == NULL; line = strtok(NULL, "\n"))
        why = read_request_line(arena, o, line);
    return why;
}

// Reads --tokens: sets it for the prompt before it and, if it is the first --tokens, for all prompts without one.
static const char *read_tokens(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    char *end = NULL;
    errno = 0;
    long long tokens = strtoll(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != 0) return arena_printf(arena, "not a number: %s", value);
    if (errno != 0 || tokens < 1 || tokens > UINT32_MAX) return "it takes 1 to 4294967295";
    if (o->prompts.count > 0) o->prompts.items[o->prompts.count - 1].tokens = tokens;
    if (o->tokens == 0) o->tokens = tokens;
    return NULL;
}

// Reads --prefix: N or `most`. After a prompt it applies to that prompt, otherwise to all prompts without --prefix.
static const char *read_prefix(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    char *end = NULL;
    errno = 0;
    long long n = strcmp(value, "most") ? strtoll(value, &end, 10) : SIM_PREFIX_MOST;
    bool number = !end || (value[0] >= '0' && value[0] <= '9' && *end == 0 && errno == 0 && n <= UINT32_MAX);
    if (!number) return arena_printf(arena, "it takes a number of positions or `most`, not: %s", value);
    if (o->prompts.count > 0) o->prompts.items[o->prompts.count - 1].prefix = n;
    else o->prefix = n;
    return NULL;
}

// ---- sampling: like `--tokens`, an option applies to the request before it, and the first one also applies to
// requests without one ----

static const char *read_sampling(struct sim_options *o, enum sampling_setting setting, const char *value) {
    struct sim_prompt *prompt = o->prompts.count > 0 ? &o->prompts.items[o->prompts.count - 1] : NULL;
    struct sampling given = {0};
    const char *why = sampling_read(setting, &given, value);
    if (why) return why;
    if (prompt) sampling_copy(setting, &given, &prompt->sampling), prompt->sampled |= 1u << setting;
    if (!(o->sampled >> setting & 1)) sampling_copy(setting, &given, &o->sampling);
    o->sampled |= 1u << setting;
    return NULL;
}

static const char *read_temperature(struct arena *arena, void *into, const char *value) {
    (void)arena;
    return read_sampling(into, SAMPLING_TEMPERATURE, value);
}

static const char *read_top_k(struct arena *arena, void *into, const char *value) {
    (void)arena;
    return read_sampling(into, SAMPLING_TOP_K, value);
}

static const char *read_min_p(struct arena *arena, void *into, const char *value) {
    (void)arena;
    return read_sampling(into, SAMPLING_MIN_P, value);
}

static const char *read_seed(struct arena *arena, void *into, const char *value) {
    (void)arena;
    return read_sampling(into, SAMPLING_SEED, value);
}

// Gives each request the settings that its own options do not.
static void finish_sampling(struct sim_options *o) {
    for (size_t i = 0; i < o->prompts.count; i++)
        for (int s = 0; s < SAMPLING_SETTINGS; s++)
            if (!(o->prompts.items[i].sampled >> s & 1))
                sampling_copy((enum sampling_setting)s, &o->sampling, &o->prompts.items[i].sampling);
}

// ---- planted faults, error responses and moved images ----

// Reads `CHANNEL:`. *rest then points to the text after the colon.
static bool read_channel(const char *text, int *channel, const char **rest) {
    char *colon = NULL;
    unsigned long number = strtoul(text, &colon, 10);
    if (text[0] < '0' || text[0] > '9' || *colon != ':' || number > INT_MAX) return false;
    *channel = (int)number;
    *rest = colon + 1;
    return true;
}

// Reads CHANNEL:N, or CHANNEL:wN for a write burst.
static const char *read_error(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    struct sim_error e = {0};
    const char *burst;
    if (!read_channel(value, &e.channel, &burst)) return arena_printf(arena, "not CH:N: %s", value);
    e.is_write = *burst == 'w';
    if (!read_whole(burst + e.is_write, &e.burst)) return arena_printf(arena, "not a number: %s", burst + e.is_write);
    VEC_PUSH(arena, o->errors, e);
    return NULL;
}

// Reads CHANNEL:BYTES.
static const char *read_base(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    struct sim_base b = {0};
    const char *bytes;
    if (!read_channel(value, &b.channel, &bytes)) return arena_printf(arena, "not CH:BYTES: %s", value);
    if (!read_whole(bytes, &b.bytes)) return arena_printf(arena, "not a number: %s", bytes);
    if (b.bytes > SIM_BASE_MOST) return "it takes at most 1048576 bytes";
    VEC_PUSH(arena, o->bases, b);
    return NULL;
}

// Reads `N:NUMBER`, in which N is the number of a request from 1 on.
static bool read_of_request(const char *text, size_t *request, uint64_t *number) {
    int n;
    const char *rest;
    if (!read_channel(text, &n, &rest) || n < 1 || !read_whole(rest, number)) return false;
    *request = (size_t)n - 1;
    return true;
}

// Reads N:CYCLES.
static const char *read_stop(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    struct sim_stop s = {0};
    if (!read_of_request(value, &s.request, &s.cycles)) return arena_printf(arena, "not N:CYCLES: %s", value);
    VEC_PUSH(arena, o->stops, s);
    return NULL;
}

// Reads N:CODE. Refuses the codes of faults that end all requests.
static const char *read_fault(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    struct sim_fault f = {0};
    if (!read_of_request(value, &f.request, &f.code)) return arena_printf(arena, "not N:CODE: %s", value);
    if (!fault_ends_request_alone(f.code)) return "it takes a fault that ends one request alone: 1 to 4, 9 or 11";
    VEC_PUSH(arena, o->faults, f);
    return NULL;
}

const struct sim_stop *sim_stop_of(const struct sim_options *o, size_t request) {
    for (size_t i = 0; i < o->stops.count; i++)
        if (o->stops.items[i].request == request) return &o->stops.items[i];
    return NULL;
}

const struct sim_fault *sim_fault_of(const struct sim_options *o, size_t request) {
    for (size_t i = 0; i < o->faults.count; i++)
        if (o->faults.items[i].request == request) return &o->faults.items[i];
    return NULL;
}

// Reads a list of cycles, N,N,...
static const char *read_joins(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    for (const char *at = value;; at++) {
        char *end = NULL;
        uint64_t cycle = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end != ',' && *end != 0)) return arena_printf(arena, "not N,N,...: %s", value);
        VEC_PUSH(arena, o->joins, cycle);
        at = end;
        if (*at == 0) return NULL;
    }
}

static const char *const plants[] = {[PLANT_MEMORY] = "memory",
                                     [PLANT_SHORT] = "short",
                                     [PLANT_OPEN] = "open",
                                     [PLANT_ENDLESS] = "endless",
                                     [PLANT_LOGITS] = "logits",
                                     [PLANT_KEY] = "key",
                                     [PLANT_VALUE] = "value",
                                     [PLANT_KEY_SCALE] = "key-scale",
                                     [PLANT_VALUE_SCALE] = "value-scale",
                                     [PLANT_TAIL] = "tail",
                                     [PLANT_KINDS] = NULL};
const char *sim_plant_name(int kind) { return plants[kind]; }

// Reads KIND or KIND:PLACE.
static const char *read_plant(struct arena *arena, void *into, const char *value) {
    struct sim_options *o = into;
    size_t len = strcspn(value, ":");
    uint64_t place = 0;
    for (int k = 0; k < PLANT_KINDS; k++) {
        if (strlen(plants[k]) != len || strncmp(plants[k], value, len) != 0) continue;
        if (value[len] && !read_whole(value + len + 1, &place)) break;
        VEC_PUSH(arena, o->plants, (struct plant){(enum plant_kind)k, place});
        return NULL;
    }
    return arena_printf(
        arena, "it takes memory, short, open, endless, logits, key, value, key-scale, value-scale or tail, not: %s",
        value);
}

#define AT(member) offsetof(struct sim_options, member)
const struct option_row request_rows[] = {
    {"--prompt", "TEXT", OPTION_CALL, OPTION_REPEATS | OPTION_ANY, 0, .call = read_prompt, .group = "Requests",
     .help = "a request as text. Several requests run one after another"},
    {"--chat", "NAME|FILE", OPTION_WORD, 0, AT(chat), .names = "families/chat",
     .help = "treat prompts as questions to a chat model and put them into a chat template: one of "
             "families/chat, or a file"},
    {"--prompt-ids", "LIST", OPTION_CALL, OPTION_REPEATS | OPTION_ANY, 0, .call = read_ids,
     .help = "a request as token ids: 1,2,3"},
    {"--requests", "FILE", OPTION_CALL, OPTION_REPEATS, 0, .call = read_requests,
     .help = "file with one request per line: text, or `ids:` and a list. A line `predict:` with a text or "
             "`predict-ids:` with a list is the prediction for the request before it"},
    {"--predict", "TEXT", OPTION_CALL, OPTION_REPEATS | OPTION_ANY, 0, .call = read_predict,
     .help = "for a design with `host_drafts`: the host predicts this answer to the prompt before this option. The "
             "design takes its tokens as drafts"},
    {"--predict-ids", "LIST", OPTION_CALL, OPTION_REPEATS, 0, .call = read_predict_ids,
     .help = "the same as token ids: 1,2,3, at most 2048"},
    {"--predict-at", "CYCLES", OPTION_CALL, OPTION_REPEATS, 0, .call = read_predict_at,
     .help = "for a design with `slots`: the host gives the prediction before this option so many cycles after it has "
             "submitted the request (default: before)"},
    {"--tokens", "N", OPTION_CALL, OPTION_REPEATS, 0, .call = read_tokens,
     .help = "tokens to generate, or rows to send (default 16, or as many as the context has room for). "
             "After a prompt it applies to that prompt. The first one also applies to prompts without one"},
    {"--then-ids", "LIST", OPTION_CALL, OPTION_REPEATS | OPTION_ANY, 0, .call = read_then,
     .help = "a request that continues the one before: its prompt, its generated tokens, and these ids. The design "
             "keeps as many positions as it can, if it has `prefix`. In a design with `slots`, the request waits for "
             "the end of the one before"},
    {"--prefix", "N|most", OPTION_CALL, OPTION_REPEATS, 0, .call = read_prefix,
     .help = "begin after N positions that the previous request (with `slots`, that of the same slot) has left on the "
             "card, or after as many as both share. "
             "After a prompt it applies to that prompt. Before the first prompt it applies to every later request "
             "without its own --prefix"},
    {"--ignore-eot", NULL, OPTION_FLAG, 0, AT(ignore_eot), .help = "do not stop at end-of-text ids"},
    SAMPLING_ROWS(read, OPTION_REPEATS,
                  ". After a prompt, this option and the next three apply to that prompt. The first of each also "
                  "applies to prompts without one"),
    {0}};

const struct option_row sim_rows[] = {
    {"--unchecked", NULL, OPTION_FLAG, 0, AT(unchecked),
     .help = "pass an invalid request to the design instead of rejecting it"},
    {"--data-seed", "S", OPTION_COUNT, 0, AT(data_seed), .preset = "1",
     .help = "seed of the random rows for graphs that are not language models"},
    {"--inputs", "FILE", OPTION_FILE, 0, AT(inputs),
     .help = "rows for such graphs from a file: .npy (one input) or .safetensors, with arrays "
             "[rows][...shape]. `--tokens N` takes the first N rows"},
    {"--outputs", "FILE", OPTION_FILE, 0, AT(outputs),
     .help = "write the result rows to a file of the same formats, only if everything matched"},
    {"--seed", "S", OPTION_COUNT, 0, AT(seed), .preset = "0", .group = "Run",
     .help = "seed for random delays of the memory model. 0: none"},
    {"--compare", "all|min", OPTION_CHOICE, 0, AT(compare), .preset = "all",
     .help = "which streams are compared with the replay"},
    {"--join", "LIST", OPTION_CALL, 0, 0, .call = read_joins,
     .help = "for a design with `slots`: cycles after the start at which the second and further requests are "
             "submitted, as in 0,20000. The last number is that of all others (default 0). A request waits for a free "
             "slot"},
    {"--stop", "N:CYCLES", OPTION_CALL, OPTION_REPEATS, 0, .call = read_stop,
     .help = "for a design with `slots`: stop request N (the first one is 1) CYCLES after its submission, before its "
             "next step. Its tokens must be the first ones of the replay's"},
    {"--fault", "N:CODE", OPTION_CALL, OPTION_REPEATS, 0, .call = read_fault,
     .help = "for a design with `slots`: request N must end with this fault, and the other requests go on. Faults "
             "that end one request alone: 1 to 4, 9 and 11 (docs/host.md)"},
    {"--timeout", "CYCLES", OPTION_COUNT, 0, AT(timeout), .help = "fail after this many cycles (default: never)"},
    {"--watchdog", "CYCLES", OPTION_COUNT, 0, AT(watchdog), 1, .preset = "20000",
     .help = "report a deadlock after this many cycles without any transfer on a stream or a memory port"},
    {"--from", "N", OPTION_NUMBER, 0, AT(from), 1,
     .help = "begin at position N of the request: the replay computes the positions before, and its "
             "state is loaded into the simulated design"},
    {"--state", "FILE", OPTION_FILE, 0, AT(state), .with = "--from",
     .help = "take that state from a file of `--write-state`"},
    {"--write-state", "FILE", OPTION_FILE, 0, AT(write_state), .without = "--from --save --trace --beats",
     .help = "run the replay alone, without the design, and write its state at every position. "
             "`--json` has its tokens and hashes"},
    {"--pause", "CYCLE", OPTION_COUNT, 0, AT(pause), .with = "--save",
     .help = "stop in this cycle and save the whole run"},
    {"--save", "FILE", OPTION_FILE, 0, AT(save), .with = "--pause", .without = "--trace --beats",
     .help = "file for the saved run"},
    {"--resume", "FILE", OPTION_FILE, 0, AT(resume),
     .help = "continue a saved run with the options of that run. `--pause` and `--save` may be given again"},
    {"--inject-error", "CH:N", OPTION_CALL, OPTION_REPEATS, 0, .call = read_error,
     .help = "answer the N-th read burst of channel CH with SLVERR. CH:wN does so for a write burst"},
    {"--plant", "FAULT", OPTION_CALL, OPTION_REPEATS, 0, .call = read_plant, .value = sim_plant_name,
     .help = "plant a fault that the run must find, to test the checks: memory[:BIT] (in the results as "
             "stored in memory), short (stop after a step), open (a read that never finishes), "
             "endless[:N] (the N-th read burst of channel 0 has no RLAST), logits[:BIT] (in the register "
             "with the hash of the logits), key[:P], value[:P], key-scale[:P], value-scale[:P], tail[:P] (in what "
             "`--from` loads for position P)"},
    {"--base", "CH:BYTES", OPTION_CALL, OPTION_REPEATS, 0, .call = read_base,
     .help = "move the image of channel CH up by BYTES and set its base register to match"},
    {"--json", "FILE", OPTION_FILE, 0, AT(json), .group = "Output",
     .help = "write the results as JSON. - stands for standard output"},
    {"--occupancy", NULL, OPTION_FLAG, 0, AT(occupancy),
     .help = "add the fill of every FIFO over time to the JSON file, also with `--compare min`"},
    {"--trace", "FILE", OPTION_FILE, 0, AT(trace), .help = "write waveforms (FST)"},
    {"--beats", "FILE", OPTION_FILE, 0, AT(beats),
     .help = "write every handshake of every stream: a line with edge number, cycle, tlast"},
    {"--logits", "FILE", OPTION_FILE, 0, AT(logits), .help = "write the logits (inputs of argmax) as raw fp32"},
    {"--timeline", "FILE", OPTION_FILE, 0, AT(timeline),
     .help = "write the first and last cycle of every firing on every compared stream, as CSV"},
    {"--quiet", NULL, OPTION_FLAG, 0, AT(quiet), .help = "print no text and no summary"},
    {0}};

static const struct option_row dir_row[] = {
    {"--dir", "DIR", OPTION_FILE, OPTION_NEEDED, AT(dir), .help = "the generated design (design.yaml, image/)"}, {0}};

const struct options sim_program = {
    .name = "sim",
    .purpose = "the simulation of a design, as `rill sim` runs it",
    .table = {{dir_row, 0}, {request_rows, 0}, {sim_rows, 0}, {figure_rows, AT(figures)}},
    .skips_plus = true // arguments that begin with `+` are for the Verilated model
};

// Sets how many positions each request keeps of the one before it. Returns a message if the options of the first
// request ask for any.
static const char *finish_prefixes(struct sim_options *o) {
    for (size_t i = 0; i < o->prompts.count; i++) {
        struct sim_prompt *p = &o->prompts.items[i];
        if (i == 0 && (p->then || p->prefix > 0)) return MSG_PREFIX_FIRST;
        if (p->prefix == SIM_PREFIX_UNSET) p->prefix = p->then && !o->prefix ? SIM_PREFIX_MOST : o->prefix;
        if (i == 0) p->prefix = 0;
    }
    return NULL;
}

// Returns a message if --stop or --fault names a request that is not given, or one that has been named before.
static const char *finish_ends(struct arena *arena, const struct sim_options *o) {
    for (size_t i = 0; i < o->stops.count + o->faults.count; i++) {
        const bool is_stop = i < o->stops.count;
        const size_t n = is_stop ? i : i - o->stops.count;
        const size_t request = is_stop ? o->stops.items[n].request : o->faults.items[n].request;
        const bool is_first =
            is_stop ? sim_stop_of(o, request) == &o->stops.items[n] : sim_fault_of(o, request) == &o->faults.items[n];
        const char *option = is_stop ? "--stop" : "--fault";
        if (request >= o->prompts.count)
            return arena_printf(arena, MSG_REQUEST_ABSENT, option, request + 1, o->prompts.count);
        if (!is_first) return arena_printf(arena, MSG_REQUEST_TWICE, option, request + 1);
    }
    return NULL;
}

const char *sim_options_finish(struct arena *arena, struct sim_options *o) {
    const char *const paths[] = {o->inputs, o->outputs};
    for (int i = 0; i < 2; i++) {
        const char *why = paths[i] != NULL ? rows_path_fault(arena, paths[i], 1) : NULL;
        if (why != NULL) return why;
        if (paths[i] != NULL && o->prompts.count > 1) return MSG_INPUTS_ONE_REQUEST;
    }
    o->tokens_fit = o->tokens == 0;
    if (o->tokens == 0 && o->inputs == NULL) o->tokens = DEFAULT_TOKENS; // otherwise as many as the file has rows
    o->occupancy |= o->json != NULL && o->compare == 0;                  // 0: --compare all
    if (o->prompts.count == 0) add_prompt(arena, o);
    if (o->prompts.count > 1 && (o->from || o->write_state)) return MSG_FROM_ONE_REQUEST;
    for (size_t i = 0; i < o->prompts.count; i++)
        if (o->prompts.items[i].tokens == 0) o->prompts.items[i].tokens = o->tokens;
    finish_sampling(o);
    const char *why = finish_prefixes(o);
    return why ? why : finish_ends(arena, o);
}
