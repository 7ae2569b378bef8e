// SPDX-License-Identifier: Apache-2.0
// rill golden: computes the results of a spec with the oracle alone: generated tokens of a language model, rows of
// another graph (command_golden_rows.c), or the effect of quantization on the perplexity of a text. With --check, tests
// the layout of the weights (command_golden_check.c).
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/reference/evaluate.h"
#include "gen/command/command.h"
#include "gen/command/command_calibrate.h"
#include "gen/ir/custom_ops.h"
#include "gen/reference/oracle.h"
#include "gen/pack/pack.h"
#include "gen/pack/image.h"
#include "gen/spec/chat.h"
#include "gen/model/tokenizer.h"

// DEFAULT_IDS: generated tokens without --tokens. MOST_SPEC: most bytes of a spec.
enum { DEFAULT_IDS = 64, MOST_SPEC = 256 << 20 };

struct golden_options { // values of the options; `rows` explains them
    const char *spec, *weights, *prompt, *prompt_ids, *chat, *eval, *logits, *inputs, *outputs;
    int64_t tokens, stories, data_seed; // tokens, stories: 0 if not given
    bool ignore_eot, ids, json, in_float, unchecked, check;
    struct calibrate_options calibrate;
    struct sampling sampling;
};

// One run of the command.
struct session {
    struct arena *arena;
    struct diag *diag;
    struct golden_options o;
    const struct ir *ir; // the compiler's IR, for its checks and for opening the checkpoint
    struct oracle_graph *graph;
    struct checkpoint *checkpoint;
    struct tokenizer *tokenizer;
    struct oracle *exact; // computes exact values, or with --float unquantized ones
    struct text logits;   // fp32 logits from which the tokens were chosen, for --logits
    uint64_t hash;        // logits_hash of these logits
    size_t rows;          // number of rows of these logits
};

// ---- opening ----

static struct loc spec_loc(struct session *s) { return loc_file(s->arena, s->o.spec); }

// Runs the first passes of the compiler, so that it rejects bad specs with its messages. The IR of the compiler only
// serves for checks and for opening the checkpoint. The oracle reads the spec without the compiler.
static bool compiler_accepts(struct session *s) {
    const struct ir *ir = s->ir = command_build(s->o.spec, s->arena, s->diag, "drop-unread");
    if (!ir) return false;
    bool random = !strncmp(s->o.weights, "random:", 7);
    if (!random && !pack_check_config(ir, s->o.weights, s->diag)) return false;
    return random || s->o.prompt_ids || pack_check_tokenizer(ir, s->o.weights, s->diag);
}

// Reports an error and returns true if the spec is a dump of the IR, which the oracle cannot read.
static bool refuse_dump(struct session *s) {
    size_t len;
    const char *why, *text = file_read(s->arena, s->o.spec, MOST_SPEC, &len, &why);
    if (!text || strncmp(text, "# rill ir", 9) != 0) return false;
    diag_error(s->diag, spec_loc(s), MSG_DUMP_NOT_SPEC);
    return true;
}

static bool read_graph(struct session *s) {
    if (refuse_dump(s)) return false;
    s->graph = oracle_read(s->arena, s->o.spec, s->diag);
    const char *beyond = s->graph ? oracle_beyond(s->graph) : NULL;
    if (!beyond) return s->graph != NULL;
    struct loc loc = spec_loc(s);
    loc.line = (uint32_t)oracle_info(s->graph, oracle_find(s->graph, beyond)).line, loc.col = 1;
    diag_error(s->diag, loc, MSG_GOLDEN_ABSENT_SIM, beyond);
    return false;
}

// Opens the tokenizer for a run with --prompt-ids. If it cannot be read, warns and returns a tokenizer of bytes, so
// that the run goes on.
static struct tokenizer *open_for_ids(struct session *s) {
    const char *why;
    struct tokenizer *t = tokenizer_try(s->arena, s->o.weights, &why);
    if (t) return t;
    diag_warning(s->diag, loc_file(s->arena, s->o.weights), MSG_TOKENIZER_UNUSABLE, why);
    return tokenizer_open_bytes(s->arena, oracle_vocabulary(s->graph));
}

// Opens the tokenizer of the checkpoint. A run with random weights, and a run with --prompt-ids whose checkpoint has no
// tokenizer, gets a tokenizer of bytes.
static bool open_tokenizer(struct session *s) {
    bool bytes = !strncmp(s->o.weights, "random:", 7) || (s->o.prompt_ids && !pack_has_tokenizer(s->ir, s->o.weights));
    s->tokenizer = bytes             ? tokenizer_open_bytes(s->arena, oracle_vocabulary(s->graph))
                   : s->o.prompt_ids ? open_for_ids(s)
                                     : tokenizer_open(s->arena, s->o.weights, s->diag);
    return s->tokenizer != NULL;
}

static bool calibrate(struct session *s) {
    struct calibrate_run run = {&s->o.calibrate, s->o.spec, s->graph, s->checkpoint, s->tokenizer};
    const struct statistics *by = calibrate_asked(&s->o.calibrate) ? calibrate_run(&run, s->arena, s->diag) : NULL;
    oracle_use_statistics(s->graph, by);
    return by || !calibrate_asked(&s->o.calibrate);
}

static bool sampling_fits(struct session *s) {
    const char *why = sampling_refusal(&s->o.sampling, s->ir->design.sampling);
    if (why) diag_error_text(s->diag, spec_loc(s), why);
    return !why;
}

static bool open_model(struct session *s) {
    if (!sampling_fits(s)) return false;
    if (!open_tokenizer(s)) return false;
    s->checkpoint = pack_open_checkpoint(s->ir, s->o.weights, s->diag);
    if (!s->checkpoint || !calibrate(s)) return false;
    s->exact = oracle_open(s->arena, s->graph, s->o.in_float ? ORACLE_FLOAT : ORACLE_EXACT, s->checkpoint, s->diag);
    if (s->exact) oracle_sample(s->exact, &s->o.sampling);
    return s->exact && checkpoint_check_coverage(s->checkpoint, s->diag);
}

static void session_close(struct session *s) {
    oracle_close(s->exact);
    checkpoint_close(s->checkpoint);
    tokenizer_close(s->tokenizer);
    text_free(&s->logits);
}

// ---- decoding ----

static bool chat_ids(struct session *s, struct token_ids *ids) {
    const struct chat_template *chat = chat_find(s->o.chat, s->arena, s->diag);
    if (!chat) return false;
    const char *why = tokenizer_encode_chat(s->tokenizer, chat, s->o.prompt, ids);
    const char *on = why ? NULL : tokenizer_chat_goes_on(s->tokenizer, chat, oracle_eot(s->graph));
    if (why) diag_error_about(s->diag, loc_none(), why, "--chat %s: ", s->o.chat);
    if (on) diag_warning(s->diag, loc_none(), "%s", on);
    return !why;
}

// Reads the prompt as tokens, from its text, a chat template or --prompt-ids, and checks that they fit the model.
static bool prompt_ids(struct session *s, struct token_ids *ids) {
    if (s->o.chat && !chat_ids(s, ids)) return false;
    if (!s->o.prompt_ids && !s->o.chat) tokenizer_encode_prompt(s->tokenizer, s->o.prompt, strlen(s->o.prompt), ids);
    if (s->o.prompt_ids && !token_ids_read(s->arena, s->o.prompt_ids, ids)) {
        diag_error(s->diag, loc_none(), MSG_TOKEN_LIST, s->o.prompt_ids);
        return false;
    }
    for (size_t i = 0; i < ids->count; i++)
        if (ids->items[i] >= oracle_vocabulary(s->graph)) {
            diag_error(s->diag, loc_none(), MSG_TOKEN_UNKNOWN, (unsigned)ids->items[i],
                       (long long)oracle_vocabulary(s->graph));
            return false;
        }
    if (ids->count > 0 && ids->count <= (size_t)oracle_context(s->graph)) return true;
    diag_error(s->diag, loc_none(), MSG_PROMPT_LENGTH, ids->count, (long long)oracle_context(s->graph));
    return false;
}

// Prints a generated token at once, so that the user can follow the generation.
static void show(const struct session *s, uint32_t id, int64_t index) {
    size_t len;
    const char *text = tokenizer_decode(s->tokenizer, id, &len);
    if (s->o.json) return;
    if (s->o.ids) printf("%s%u", index ? " " : "", (unsigned)id);
    else if (!end_ids_has(oracle_eot(s->graph), id)) fwrite(text, 1, len, stdout);
    fflush(stdout);
}

static void add_ids(struct text *t, const char *key, const struct token_ids *ids) {
    text_addf(t, "\"%s\": [", key);
    for (size_t i = 0; i < ids->count; i++) text_addf(t, "%s%u", i ? ", " : "", (unsigned)ids->items[i]);
    text_add(t, "], ");
}

static void print_json(const struct session *s, const struct token_ids *prompt, const struct token_ids *made) {
    struct text t = {0}, text = {0};
    for (size_t i = 0; i < made->count; i++) {
        size_t len;
        const char *piece = end_ids_has(oracle_eot(s->graph), made->items[i])
                                ? ""
                                : tokenizer_decode(s->tokenizer, made->items[i], &len);
        if (*piece) text_add_bytes(&text, piece, len);
    }
    text_add(&t, "{");
    add_ids(&t, "prompt_ids", prompt);
    add_ids(&t, "token_ids", made);
    text_add(&t, "\"text\": ");
    text_add_json_string(&t, text_cstr(&text), text.len);
    text_addf(&t, ", \"logits\": %zu, \"logits_hash\": \"%016llx\"}", s->rows * (size_t)oracle_logit_count(s->graph),
              (unsigned long long)s->hash);
    fputs(text_cstr(&t), stdout);
    text_free(&t);
    text_free(&text);
}

// Reports a numeric fault. Returns false.
static bool fault_at(struct session *s, const char *where) {
    diag_error(s->diag, loc_none(), MSG_NUMERIC_FAULT, where ? where : "unknown");
    return false;
}

static bool fault(struct session *s) { return fault_at(s, oracle_fault(s->exact)); }

static void keep_logits(struct session *s) {
    size_t vocabulary = (size_t)oracle_logit_count(s->graph);
    s->hash = logits_hash(s->hash, oracle_logits(s->exact), vocabulary);
    s->rows++;
    if (s->o.logits) text_add_bytes(&s->logits, oracle_logits(s->exact), vocabulary * sizeof(float));
}

// Checks that prompt and generated tokens fit the context. The last generated token needs no position, because the
// model does not process it.
static bool check_room(struct session *s, size_t prompt) {
    int64_t context = oracle_context(s->graph), room = context - (int64_t)prompt + 1;
    if (s->o.unchecked || s->o.tokens <= room) return true;
    diag_error(s->diag, loc_none(), MSG_TOKENS_BEYOND, (long long)s->o.tokens, prompt, (long long)context,
               (long long)room);
    return false;
}

// Processes the prompt token by token, then generates tokens until there are enough, one of them ends the text, or the
// context is full.
static bool decode(struct session *s) {
    struct token_ids ids = {0}, made = {0};
    if (!prompt_ids(s, &ids) || !check_room(s, ids.count)) return false;
    int64_t most = s->o.tokens ? s->o.tokens : DEFAULT_IDS;
    uint32_t next = 0;
    for (int64_t position = 0; position < oracle_context(s->graph) && (int64_t)made.count < most; position++) {
        bool last = position + 1 >= (int64_t)ids.count;
        uint32_t id = position < (int64_t)ids.count ? ids.items[position] : next;
        if (!oracle_step(s->exact, id, NULL, position, last)) return fault(s);
        if (!last) continue;
        next = oracle_next_id(s->exact);
        keep_logits(s);
        show(s, next, (int64_t)made.count);
        VEC_PUSH(s->arena, made, next);
        if (!s->o.ignore_eot && end_ids_has(oracle_eot(s->graph), next)) break;
    }
    if (s->o.json) print_json(s, &ids, &made);
    putchar('\n');
    const char *why = s->o.logits ? file_write_text(s->arena, s->o.logits, &s->logits) : NULL;
    if (why) diag_error_text(s->diag, loc_none(), why);
    return !why;
}

// ---- evaluation ----

// State during an evaluation (--eval).
struct telling {
    const struct session *s;
    struct text stories; // results of the stories so far, as items of a JSON list
};

// Returns the share of the predictions in which exact and unquantized values have the same first choice.
static double agreement(const struct evaluation *e) { return (double)e->model[1].agree / (double)e->tokens; }

// evaluate_text calls this after each story. Shows the progress, and adds the story to the JSON list.
static void tell_story(void *user, const struct evaluation *story, const struct evaluation *all) {
    struct telling *t = user;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%lld stories, %lld predictions", (long long)all->stories, (long long)all->tokens);
    if (t->s->o.json && story->tokens)
        text_addf(&t->stories,
                  "%s{\"predictions\": %lld, \"perplexity_float\": %.6f, \"perplexity_golden\": %.6f, "
                  "\"top1_agreement\": %.6f}",
                  t->stories.len ? ", " : "", (long long)story->tokens, evaluate_perplexity(story, 0),
                  evaluate_perplexity(story, 1), agreement(story));
}

static void print_evaluation(const struct telling *t, const struct evaluation *e) {
    double reference = evaluate_perplexity(e, 0), golden = evaluate_perplexity(e, 1);
    if (t->s->o.json)
        printf("{\"stories\": %lld, \"predictions\": %lld, \"perplexity_float\": %.6f, \"perplexity_golden\": %.6f, "
               "\"difference\": %.6f, \"top1_agreement\": %.6f, \"each\": [%s]}\n",
               (long long)e->stories, (long long)e->tokens, reference, golden, golden / reference - 1, agreement(e),
               text_cstr(&t->stories));
    else
        printf("%lld stories, %lld predictions\nfloat reference: perplexity %.4f\n"
               "exact:           perplexity %.4f (%+.2f %%), first choice agrees in %.2f %%\n",
               (long long)e->stories, (long long)e->tokens, reference, golden, 100 * (golden / reference - 1),
               100 * agreement(e));
}

// Evaluates the text. lanes[0] computes unquantized values, lanes[1] exact ones. Returns false after an error.
static bool evaluate_in(struct session *s, const struct evaluate_text *text, struct evaluate_lanes lanes[2],
                        struct telling *t) {
    int64_t vocabulary = oracle_vocabulary(s->graph);
    struct evaluate_model models[2] = {evaluate_lanes_model(&lanes[0], vocabulary),
                                       evaluate_lanes_model(&lanes[1], vocabulary)};
    struct evaluation result;
    if (!evaluate_text(text, models, 2, &result)) {
        const char *where = evaluate_lanes_fault(&lanes[1]);
        return fault_at(s, where ? where : evaluate_lanes_fault(&lanes[0]));
    }
    if (isatty(STDERR_FILENO)) fputc('\n', stderr);
    if (result.tokens > 0) print_evaluation(t, &result);
    else diag_error(s->diag, loc_file(s->arena, s->o.eval), MSG_EVALUATION_EMPTY);
    return result.tokens > 0;
}

// Evaluates several stories at the same time, each in an evaluation lane (a copy of an oracle's state), with
// unquantized and with exact values.
static bool evaluate_with(struct session *s, struct oracle *unquantized, const char *text, size_t len) {
    struct telling t = {.s = s};
    struct evaluate_text of = {s->tokenizer, text, len, oracle_context(s->graph), s->o.stories, tell_story, &t};
    struct evaluate_lanes lanes[2] = {{.count = 0}, {.count = 0}};
    int count = (int)(evaluate_stories(&of) < EVALUATE_MAX_LANES ? evaluate_stories(&of) : EVALUATE_MAX_LANES);
    bool ok = evaluate_lanes_open(s->arena, unquantized, count, &lanes[0], s->diag) &&
              evaluate_lanes_open(s->arena, s->exact, count, &lanes[1], s->diag) && evaluate_in(s, &of, lanes, &t);
    for (int i = 0; i < 2; i++) evaluate_lanes_close(&lanes[i]);
    text_free(&t.stories);
    return ok;
}

// Evaluates the text of --eval with and without quantization.
static bool evaluate(struct session *s) {
    size_t len;
    const char *why, *text = file_read(s->arena, s->o.eval, 256 << 20, &len, &why);
    if (!text) {
        diag_error_text(s->diag, loc_file(s->arena, s->o.eval), why);
        return false;
    }
    struct oracle *unquantized = oracle_open(s->arena, s->graph, ORACLE_FLOAT, s->checkpoint, s->diag);
    bool ok = unquantized && evaluate_with(s, unquantized, text, len);
    oracle_close(unquantized);
    return ok;
}

// Checks that the options fit the kind of graph (language model or rows) and the weights.
static bool check_job(struct session *s) {
    const struct golden_options *o = &s->o;
    bool lm = oracle_is_lm(s->graph), text = o->prompt || o->prompt_ids || o->eval || o->check;
    if (lm && (o->inputs || o->outputs)) diag_error(s->diag, spec_loc(s), MSG_PROMPT_NEEDED);
    else if (lm && o->in_float && (o->sampling.inverse || calibrate_asked(&o->calibrate)))
        diag_error(s->diag, spec_loc(s), MSG_GOLDEN_FLOAT);
    else if (lm && !text) diag_error(s->diag, spec_loc(s), MSG_PROMPT_MISSING);
    else if (!lm && (o->ids || o->ignore_eot || o->unchecked)) diag_error(s->diag, spec_loc(s), MSG_NO_TOKENS);
    else if (!lm && text) diag_error(s->diag, spec_loc(s), MSG_ROWS_NEEDED);
    else if (!lm && calibrate_asked(&o->calibrate)) diag_error(s->diag, spec_loc(s), MSG_CALIBRATION_GRAPH);
    else if ((o->eval || o->check) && !strncmp(o->weights, "random:", 7))
        diag_error(s->diag, loc_none(), MSG_NEEDS_CHECKPOINT, o->eval ? "--eval" : "--check", o->weights);
    else return true;
    return false;
}

static bool run_rows(struct session *s) {
    const struct golden_options *o = &s->o;
    struct golden_rows rows = {s->ir,     s->graph,     o->weights,  o->inputs, o->outputs,
                               o->tokens, o->data_seed, o->in_float, o->json};
    return command_golden_rows(&rows, s->arena, s->diag);
}

static bool check_layout(struct session *s) {
    const struct golden_check check = {s->arena, s->diag,       s->o.spec,    s->o.weights,
                                       s->graph, s->checkpoint, s->tokenizer, s->exact};
    return command_golden_check(&check);
}

static bool run(struct session *s) {
    if (!compiler_accepts(s) || !read_graph(s) || !check_job(s)) return false;
    if (!oracle_is_lm(s->graph)) return run_rows(s);
    if (!open_model(s)) return false;
    if (s->o.check) return check_layout(s);
    return s->o.eval ? evaluate(s) : decode(s);
}

static int start(struct run *given, void *options) {
    struct session s = {.arena = &given->arena, .diag = &given->diag, .o = *(const struct golden_options *)options};
    bool ok = run(&s);
    session_close(&s);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}

#define AT(member) offsetof(struct golden_options, member)
static const struct option_row rows[] = {
    {"SPEC", NULL, OPTION_FILE, OPTION_NEEDED, AT(spec), .help = "a design spec"},
    {"--weights", "MODELDIR|random:SEED", OPTION_FILE, OPTION_NEEDED, AT(weights),
     .help = "the weights, as for `rill pack`"},
    {"--json", NULL, OPTION_FLAG, 0, AT(json),
     .help = "print JSON: prompt ids, generated ids, text and a hash of all logits; or rows and their "
             "hash; or the figures of --eval"},
    {"--tokens", "N", OPTION_NUMBER, 0, AT(tokens), 1,
     .help = "generate at most N tokens (default 64, or as many as the context has room for), or take N "
             "rows (default all rows of the file, or 16)"},
    {"--float", NULL, OPTION_FLAG, 0, AT(in_float), .without = "--eval --check",
     .help = "compute in floating point without any quantization"},
    {"--prompt", "TEXT", OPTION_TEXT, 0, AT(prompt), .without = "--prompt-ids --eval --inputs",
     .group = "Language models", .help = "text to continue. The generated text goes to standard output"},
    {"--chat", "NAME|FILE", OPTION_WORD, 0, AT(chat), .with = "--prompt", .names = "families/chat",
     .help = "treat the prompt as a question to a chat model and put it into a chat template: one of "
             "families/chat, or a file"},
    {"--prompt-ids", "LIST", OPTION_WORD, 0, AT(prompt_ids), .without = "--prompt --eval --inputs",
     .help = "the prompt as token ids (1,2,3), with no beginning-of-text id added"},
    {"--unchecked", NULL, OPTION_FLAG, 0, AT(unchecked), .without = "--eval",
     .help = "if the context has no room for N tokens, stop at its end instead of rejecting the request"},
    {"--ignore-eot", NULL, OPTION_FLAG, 0, AT(ignore_eot), .without = "--eval",
     .help = "do not stop at end-of-text ids"},
    {"--ids", NULL, OPTION_FLAG, 0, AT(ids), .without = "--eval", .help = "print token ids instead of text"},
    {"--logits", "FILE", OPTION_FILE, 0, AT(logits), .with = "--prompt --prompt-ids",
     .help = "write the logits from which the tokens were chosen, as raw fp32"},
    {"--inputs", "FILE", OPTION_FILE, 0, AT(inputs), .without = "--prompt --prompt-ids --eval",
     .group = "Other graphs, which process rows",
     .help = "input rows: a .npy file (one input) or a .safetensors file with arrays [rows][...shape]"},
    {"--data-seed", "S", OPTION_NUMBER, 0, AT(data_seed), 0, .preset = "1",
     .without = "--inputs --prompt --prompt-ids --eval",
     .help = "seed of the random rows that are used without `--inputs`, the same rows as in `rill sim`"},
    {"--outputs", "FILE", OPTION_FILE, 0, AT(outputs),
     .help = "write the result rows to a file of the same formats. Without this option they are printed"},
    {"--eval", "TEXTFILE", OPTION_FILE, 0, AT(eval), .without = "--prompt --prompt-ids --inputs --tokens",
     .group = "Measure the effect of quantization",
     .help = "print the perplexity with and without quantization, and how often their first choices "
             "agree. The text holds stories between `<|endoftext|>` marks. Each is evaluated from its "
             "start, up to the length of the context"},
    {"--check", NULL, OPTION_FLAG, 0, AT(check),
     .without = "--prompt --prompt-ids --inputs --tokens --eval --json --ids --unchecked --ignore-eot",
     .help = "print the loss on a plain text with and without quantization, and warn if the weights seem "
             "to be stored differently than the spec reads them"},
    {"--stories", "N", OPTION_NUMBER, 0, AT(stories), 1, .with = "--eval",
     .help = "use only the first N stories (default all)"},
    {0}};

const struct command command_golden = {
    .options = {.name = "golden",
                .purpose = "compute the results with the oracle alone, without hardware",
                .about = "The oracle is the reference model that reads the spec without the compiler.",
                .example = "rill golden model.yaml --weights CHECKPOINT --prompt \"Once upon a time\"",
                .page = "oracle",
                .table = {{rows, 0}, {calibrate_rows, AT(calibrate)}, {sampling_rows, AT(sampling)}}},
    .size = sizeof(struct golden_options),
    .start = start};
