// SPDX-License-Identifier: Apache-2.0
// rill golden: decodes with the golden model alone, evaluates rows of a graph, or measures the golden model against the
// float reference on a text.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../verif/reference/evaluate.h"
#include "../verif/reference/reference.h"
#include "command.h"
#include "ir_custom.h"
#include "pack.h"
#include "tokenizer.h"
#include "trace.h"

static const char usage[] = "usage: rill golden SPEC --weights MODELDIR|random:SEED --prompt TEXT [--tokens N] "
                            "[--ignore-eot] [--ids] [--json] [--logits FILE]\n"
                            "       rill golden SPEC --weights MODELDIR|random:SEED --inputs FILE --outputs FILE "
                            "[--tokens N] [--float]\n"
                            "       rill golden SPEC --weights MODELDIR --eval TEXTFILE [--stories N] [--json]\n"
                            "  --prompt TEXT    text to go on from; the generated text goes to standard output\n"
                            "  --prompt-ids L   the same as ids, and nothing before them: 1,2,3\n"
                            "  --tokens N       ids to make at most (default 64), or rows to take (default all)\n"
                            "  --ignore-eot     do not stop at the end-of-text id\n"
                            "  --ids            print ids instead of text\n"
                            "  --json           print prompt ids, ids and text (with --eval: the figures) as JSON\n"
                            "  --logits FILE    what the ids were chosen from, raw fp32\n"
                            "  --inputs FILE    rows of a graph that is no language model: a .npy (one input) or "
                            ".safetensors file of arrays [rows][...shape]\n"
                            "  --outputs FILE   the rows that come out, in the same formats\n"
                            "  --float          in floating point, without any quantization\n"
                            "  --eval FILE      perplexity of the golden model and of the float reference, and how "
                            "often their first choice agrees; stories\n"
                            "                   between `<|endoftext|>` marks, each from its start and for at most the "
                            "positions of the context\n"
                            "  --stories N      only the first N stories (default all)\n";

enum { DEFAULT_IDS = 64 };

struct golden_options {
    const char *spec, *weights, *prompt, *prompt_ids, *eval, *logits, *inputs, *outputs;
    int64_t tokens, stories; // tokens 0: not given
    bool ignore_eot, ids, json, in_float;
};

struct session {
    struct arena arena;
    struct diag diag;
    struct golden_options o;
    struct ir *ir;
    struct tokenizer *tokenizer;
    struct golden_run *run;
    char *dir;          // temporary folder of the golden weights; "": none
    struct text logits; // of the ids made, where they are asked for
};

static bool parse_flag(const char *arg, struct golden_options *o) {
    if (!strcmp(arg, "--ignore-eot")) o->ignore_eot = true;
    else if (!strcmp(arg, "--ids")) o->ids = true;
    else if (!strcmp(arg, "--json")) o->json = true;
    else if (!strcmp(arg, "--float")) o->in_float = true;
    else return false;
    return true;
}

static bool parse_value(const char *arg, const char *value, struct golden_options *o) {
    if (!strcmp(arg, "--weights")) o->weights = value;
    else if (!strcmp(arg, "--prompt")) o->prompt = value;
    else if (!strcmp(arg, "--prompt-ids")) o->prompt_ids = value;
    else if (!strcmp(arg, "--eval")) o->eval = value;
    else if (!strcmp(arg, "--logits")) o->logits = value;
    else if (!strcmp(arg, "--inputs")) o->inputs = value;
    else if (!strcmp(arg, "--outputs")) o->outputs = value;
    else if (!strcmp(arg, "--tokens")) return command_number("golden", arg, value, 1, &o->tokens);
    else if (!strcmp(arg, "--stories")) return command_number("golden", arg, value, 1, &o->stories);
    else return false;
    return true;
}

static bool parse(int argc, char **argv, struct golden_options *o) {
    *o = (struct golden_options){0};
    for (int i = 1; i < argc; i++) {
        if (parse_flag(argv[i], o)) continue;
        if (argv[i][0] != '-' && !o->spec) o->spec = argv[i];
        else if (i + 1 == argc || !parse_value(argv[i], argv[i + 1], o)) return false;
        else i++;
    }
    int jobs = (o->prompt != NULL) + (o->prompt_ids != NULL) + (o->eval != NULL) + (o->inputs != NULL);
    const char *why = jobs > 1                    ? "`--prompt`, `--prompt-ids`, `--eval`, `--inputs`: one is enough"
                      : !o->inputs != !o->outputs ? "`--inputs` and `--outputs` go together"
                      : o->in_float && !o->inputs ? "`--float` goes with `--inputs`"
                      : o->logits && !o->prompt && !o->prompt_ids ? "`--logits` goes with a prompt"
                                                                  : NULL;
    if (why) fprintf(stderr, "rill golden: error: %s\n", why);
    return o->spec && o->weights && jobs == 1 && !why;
}

// ---- opening ----

static void remove_weights(struct session *s) {
    if (!*s->dir) return;
    unlink(arena_printf(&s->arena, "%s/image/golden.bin", s->dir));
    rmdir(arena_printf(&s->arena, "%s/image", s->dir));
    rmdir(s->dir);
    *s->dir = '\0';
}

static bool quantize_weights(struct session *s) {
    const char *root = getenv("TMPDIR");
    struct output out;
    s->dir = arena_printf(&s->arena, "%s/rill-golden-XXXXXX", root && *root ? root : "/tmp");
    if (!mkdtemp(s->dir)) {
        diag_error(&s->diag, loc_file(&s->arena, s->dir), "no temporary folder can be made: %s", strerror(errno));
        *s->dir = '\0';
        return false;
    }
    output_begin(&out, &s->arena, s->dir);
    bool ok = pack_golden(s->ir, s->o.weights, &out, &s->diag);
    if (!ok) output_abort(&out);
    else if (!(ok = output_commit(&out))) diag_error(&s->diag, loc_none(), "%s", out.error);
    return ok;
}

static bool session_open(struct session *s) {
    s->ir = command_build(s->o.spec, &s->arena, &s->diag, "drop-unread");
    if (!s->ir) return false;
    if (!s->ir->design.is_lm) {
        diag_error(&s->diag, loc_file(&s->arena, s->o.spec),
                   "no language model: it takes rows, `--inputs FILE --outputs FILE`");
        return false;
    }
    for (int n = 0; n < s->ir->nodes; n++) {
        const struct custom *custom = ir_custom_of(s->ir, n);
        if (!custom || custom->function) continue;
        diag_error(&s->diag, s->ir->node[n].loc,
                   "kernel `%s` has no golden function: only `rill sim` can run it, and compares the streams around it",
                   custom->name);
        return false;
    }
    bool bytes = !strncmp(s->o.weights, "random:", 7) || (s->o.prompt_ids && !pack_has_tokenizer(s->ir, s->o.weights));
    s->tokenizer = bytes ? tokenizer_open_bytes(&s->arena, ir_vocabulary(s->ir))
                         : tokenizer_open(&s->arena, s->o.weights, &s->diag);
    if (!s->tokenizer || !quantize_weights(s)) return false;
    s->run = golden_run_open(&s->arena, s->ir, arena_printf(&s->arena, "%s/image", s->dir), 1, &s->diag);
    remove_weights(s); // mapped: nothing is left behind if the run is broken off
    return s->run != NULL;
}

static void session_close(struct session *s) {
    golden_run_close(s->run);
    tokenizer_close(s->tokenizer);
    if (s->dir) remove_weights(s);
    text_free(&s->logits);
    arena_free(&s->arena);
}

// ---- decoding ----

static bool prompt_ids(struct session *s, struct token_ids *ids) {
    if (!s->o.prompt_ids) tokenizer_encode_prompt(s->tokenizer, s->o.prompt, strlen(s->o.prompt), ids);
    else if (!token_ids_read(&s->arena, s->o.prompt_ids, ids)) {
        diag_error(&s->diag, loc_none(), "`%s` is no list of ids, as 1,2,3", s->o.prompt_ids);
        return false;
    }
    for (size_t i = 0; i < ids->count; i++)
        if (ids->items[i] >= ir_vocabulary(s->ir)) {
            diag_error(&s->diag, loc_none(), "id %u of the prompt is not in the vocabulary of %lld",
                       (unsigned)ids->items[i], (long long)ir_vocabulary(s->ir));
            return false;
        }
    if (ids->count > 0 && ids->count <= (size_t)s->ir->design.context) return true;
    diag_error(&s->diag, loc_none(), "the prompt has %zu ids; 1 to %lld fit the context", ids->count,
               (long long)s->ir->design.context);
    return false;
}

static void show(const struct session *s, uint32_t id, int64_t index) {
    size_t len;
    const char *text = tokenizer_decode(s->tokenizer, id, &len);
    if (s->o.json) return;
    if (s->o.ids) printf("%s%u", index ? " " : "", (unsigned)id);
    else if (id != s->ir->design.eot) fwrite(text, 1, len, stdout);
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
        const char *piece =
            made->items[i] == s->ir->design.eot ? "" : tokenizer_decode(s->tokenizer, made->items[i], &len);
        if (*piece) text_add_bytes(&text, piece, len);
    }
    text_add(&t, "{");
    add_ids(&t, "prompt_ids", prompt);
    add_ids(&t, "token_ids", made);
    text_add(&t, "\"text\": ");
    text_add_json_string(&t, text_cstr(&text), text.len);
    printf("%s}", text_cstr(&t));
    text_free(&t);
    text_free(&text);
}

static bool fault(struct session *s) {
    const char *where = golden_run_fault(s->run);
    diag_error(&s->diag, loc_none(), "numeric fault: %s", where ? where : "unknown");
    return false;
}

// What argmax has chosen the id from.
static bool step_logits(struct session *s, int64_t position, struct trace_value *v) {
    int logits = s->ir->node[s->ir->tensor[s->ir->output[0]].producer].in[0];
    return golden_run_value(s->run, logits, 0, position, v);
}

static bool keep_logits(struct session *s, int64_t position) {
    struct trace_value v;
    if (!s->o.logits) return true;
    if (!step_logits(s, position, &v)) return false;
    text_add_bytes(&s->logits, v.f32, (size_t)v.cols * sizeof *v.f32);
    return true;
}

static bool decode(struct session *s) {
    struct token_ids ids = {0}, made = {0};
    if (!prompt_ids(s, &ids)) return false;
    const struct ir_design *d = &s->ir->design;
    uint32_t next = 0;
    int64_t most = s->o.tokens ? s->o.tokens : DEFAULT_IDS;
    for (int64_t position = 0; position < d->context && (int64_t)made.count < most; position++) {
        bool last = position + 1 >= (int64_t)ids.count;
        uint32_t id = position < (int64_t)ids.count ? ids.items[position] : next;
        if (!golden_run_step(s->run, id, NULL, position, last)) return fault(s);
        if (!last) continue;
        next = golden_run_next_id(s->run);
        if (!keep_logits(s, position)) return fault(s);
        show(s, next, (int64_t)made.count);
        VEC_PUSH(&s->arena, made, next);
        if (!s->o.ignore_eot && next == d->eot) break;
    }
    if (s->o.json) print_json(s, &ids, &made);
    putchar('\n');
    const char *why = s->o.logits ? file_write_text(&s->arena, s->o.logits, &s->logits) : NULL;
    if (why) diag_error(&s->diag, loc_none(), "%s", why);
    return !why;
}

// ---- evaluation ----

static const float *golden_logits(void *state, uint32_t id, int64_t position) {
    struct session *s = state;
    struct trace_value v;
    bool ok = golden_run_step(s->run, id, NULL, position, true) && step_logits(s, position, &v);
    return ok ? v.f32 : NULL;
}

static const float *float_logits(void *state, uint32_t id, int64_t position) {
    return reference_step(state, id, position, true);
}

static void progress(const struct evaluation *e) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%lld stories, %lld predictions", (long long)e->stories, (long long)e->tokens);
}

static void print_evaluation(const struct session *s, const struct evaluation *e) {
    double reference = evaluate_perplexity(e, 0), golden = evaluate_perplexity(e, 1),
           agree = (double)e->model[1].agree / (double)e->tokens;
    if (s->o.json)
        printf("{\"stories\": %lld, \"predictions\": %lld, \"perplexity_float\": %.6f, \"perplexity_golden\": %.6f, "
               "\"difference\": %.6f, "
               "\"top1_agreement\": %.6f}\n",
               (long long)e->stories, (long long)e->tokens, reference, golden, golden / reference - 1, agree);
    else
        printf("%lld stories, %lld predictions\nfloat reference: perplexity %.4f\n"
               "golden model:    perplexity %.4f (%+.2f %%), first choice agrees in %.2f %%\n",
               (long long)e->stories, (long long)e->tokens, reference, golden, 100 * (golden / reference - 1),
               100 * agree);
}

static struct reference_model *open_reference(struct session *s, struct checkpoint *checkpoint) {
    struct gpt2_config config;
    if (!checkpoint_dir(checkpoint)) {
        diag_error(&s->diag, loc_none(), "--eval needs a checkpoint's directory, not `%s`", s->o.weights);
        return NULL;
    }
    if (!gpt2_config_read(&s->arena, s->o.weights, &config, &s->diag)) return NULL;
    return reference_open(&s->arena, checkpoint, &config, &s->diag);
}

static bool evaluate_with(struct session *s, struct checkpoint *checkpoint, const char *text, size_t len) {
    struct reference_model *reference = open_reference(s, checkpoint);
    if (!reference) return false;
    struct evaluate_model models[2] = {{float_logits, reference, reference->config.vocab},
                                       {golden_logits, s, ir_vocabulary(s->ir)}};
    struct evaluation result = {0};
    int64_t context = s->ir->design.context, most = reference->config.context;
    if (!evaluate_text(s->tokenizer, text, len, context < most ? context : most, s->o.stories, models, 2, &result,
                       progress))
        return fault(s);
    if (isatty(STDERR_FILENO)) fputc('\n', stderr);
    if (result.tokens > 0) print_evaluation(s, &result);
    else diag_error(&s->diag, loc_file(&s->arena, s->o.eval), "no text to predict");
    return result.tokens > 0;
}

static bool evaluate(struct session *s) {
    size_t len;
    const char *why, *text = file_read(&s->arena, s->o.eval, 256 << 20, &len, &why);
    if (!text) {
        diag_error(&s->diag, loc_file(&s->arena, s->o.eval), "%s", why);
        return false;
    }
    struct checkpoint *checkpoint = checkpoint_open(&s->arena, s->o.weights, &s->diag);
    bool ok = checkpoint && evaluate_with(s, checkpoint, text, len);
    checkpoint_close(checkpoint);
    return ok;
}

// The spec is checked as ever first: the oracle's own messages are short.
static bool evaluate_rows(struct session *s) {
    struct golden_rows rows = {s->o.spec, s->o.weights, s->o.inputs, s->o.outputs, s->o.tokens, s->o.in_float};
    s->ir = command_build(s->o.spec, &s->arena, &s->diag, "drop-unread");
    if (!s->ir) return false;
    if (!s->ir->design.is_lm) return command_golden_rows(&rows, &s->arena, &s->diag);
    diag_error(&s->diag, loc_file(&s->arena, s->o.spec),
               "a language model takes a prompt; `--inputs` and `--outputs` are for other graphs");
    return false;
}

int command_golden(int argc, char **argv) {
    int status = command_arguments("golden", usage, argc, argv);
    if (status != COMMAND_GOES_ON) return status;
    struct session s = {0};
    if (!parse(argc, argv, &s.o)) return command_usage(usage);
    arena_init(&s.arena);
    diag_init(&s.diag, stderr);
    bool ok = s.o.inputs ? evaluate_rows(&s) : session_open(&s) && (s.o.eval ? evaluate(&s) : decode(&s));
    session_close(&s);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}
