// SPDX-License-Identifier: Apache-2.0
// rill golden: decodes with the golden model alone, or measures it against the float reference on a text.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../verif/reference/evaluate.h"
#include "../verif/reference/reference.h"
#include "command.h"
#include "ops.h"
#include "pack.h"
#include "tokenizer.h"
#include "trace.h"

static const char usage[] = "usage: rill golden SPEC --weights MODELDIR|random:SEED --prompt TEXT [--tokens N] [--ignore-eot] [--ids] [--json]\n"
                            "       rill golden SPEC --weights MODELDIR --eval TEXTFILE [--stories N] [--json]\n"
                            "  --prompt TEXT    text to go on from; generated text goes to standard output\n"
                            "  --prompt-ids L   the same as ids: 1,2,3\n"
                            "  --tokens N       ids to make (default 64)\n"
                            "  --ids            print ids instead of text\n"
                            "  --eval FILE      perplexity of the golden model and of the float reference, and how often their first choice agrees\n";

struct golden_options {
    const char *spec, *weights, *prompt, *prompt_ids, *eval;
    int64_t tokens, stories;
    bool ignore_eot, ids, json;
};

struct session {
    struct arena arena;
    struct diag diag;
    struct golden_options o;
    struct ir *ir;
    struct tokenizer *tokenizer;
    struct golden_run *run;
    char dir[32]; // temporary folder of the golden weights
};

static bool parse(int argc, char **argv, struct golden_options *o) {
    *o = (struct golden_options){.tokens = 64};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--ignore-eot")) o->ignore_eot = true;
        else if (!strcmp(argv[i], "--ids")) o->ids = true;
        else if (!strcmp(argv[i], "--json")) o->json = true;
        else if (argv[i][0] != '-' && !o->spec) o->spec = argv[i];
        else if (!value) return false;
        else {
            if (!strcmp(argv[i], "--weights")) o->weights = value;
            else if (!strcmp(argv[i], "--prompt")) o->prompt = value;
            else if (!strcmp(argv[i], "--prompt-ids")) o->prompt_ids = value;
            else if (!strcmp(argv[i], "--tokens")) o->tokens = strtoll(value, NULL, 10);
            else if (!strcmp(argv[i], "--eval")) o->eval = value;
            else if (!strcmp(argv[i], "--stories")) o->stories = strtoll(value, NULL, 10);
            else return false;
            i++;
        }
    }
    return o->spec && o->weights && (o->prompt || o->prompt_ids || o->eval);
}

// ---- opening ----

static int64_t vocab(const struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].op == IR_OP_EMBED) return ir_attr_int(&ir->node[n].attrs, "rows", 0);
    return 0;
}

static bool quantize_weights(struct session *s) {
    struct output out;
    strcpy(s->dir, "/tmp/rill-golden-XXXXXX");
    if (!mkdtemp(s->dir)) {
        diag_error(&s->diag, loc_none(), "no temporary folder can be made in /tmp");
        return false;
    }
    output_begin(&out, &s->arena, s->dir);
    if (pack_golden(s->ir, s->o.weights, &out, &s->diag) && output_commit(&out)) return true;
    output_abort(&out);
    return false;
}

static bool session_open(struct session *s) {
    s->ir = command_build(s->o.spec, &s->arena, &s->diag, "infer-types");
    if (!s->ir) return false;
    if (!s->ir->design.is_lm) {
        diag_error(&s->diag, loc_none(), "%s is no language model: `rill sim` compares such graphs with the golden model", s->o.spec);
        return false;
    }
    bool random = !strncmp(s->o.weights, "random:", 7);
    s->tokenizer = random ? tokenizer_open_bytes(&s->arena, vocab(s->ir)) : tokenizer_open(&s->arena, s->o.weights, &s->diag);
    if (!s->tokenizer || !quantize_weights(s)) return false;
    s->run = golden_run_open(&s->arena, s->ir, arena_printf(&s->arena, "%s/image", s->dir), 1, &s->diag);
    return s->run != NULL;
}

static void session_close(struct session *s) {
    golden_run_close(s->run);
    tokenizer_close(s->tokenizer);
    if (*s->dir) {
        unlink(arena_printf(&s->arena, "%s/image/golden.bin", s->dir));
        rmdir(arena_printf(&s->arena, "%s/image", s->dir));
        rmdir(s->dir);
    }
    arena_free(&s->arena);
}

// ---- decoding ----

static void read_ids(struct session *s, struct token_ids *ids) {
    for (char *p = (char *)s->o.prompt_ids; *p;) {
        char *end;
        unsigned long v = strtoul(p, &end, 10);
        if (end == p) break;
        VEC_PUSH(&s->arena, *ids, (uint32_t)v);
        p = end + strspn(end, ", ");
    }
}

static bool prompt_ids(struct session *s, struct token_ids *ids) {
    if (s->o.prompt_ids) read_ids(s, ids);
    else tokenizer_encode_prompt(s->tokenizer, s->o.prompt, strlen(s->o.prompt), ids);
    if (ids->count > 0 && ids->count <= (size_t)s->ir->design.context) return true;
    diag_error(&s->diag, loc_none(), "the prompt has %zu ids; 1 to %lld fit the context", ids->count, (long long)s->ir->design.context);
    return false;
}

static void show(const struct session *s, uint32_t id, int64_t index) {
    size_t len;
    const char *text = tokenizer_decode(s->tokenizer, id, &len);
    if (s->o.ids) printf("%s%u", index ? " " : "", (unsigned)id);
    else if (!s->o.json) fwrite(text, 1, len, stdout);
    fflush(stdout);
}

static void print_json(const struct session *s, const struct token_ids *out) {
    struct text t = {0}, text = {0};
    text_add(&t, "{\"token_ids\": [");
    for (size_t i = 0; i < out->count; i++) {
        size_t len;
        const char *piece = tokenizer_decode(s->tokenizer, out->items[i], &len);
        text_addf(&t, "%s%u", i ? ", " : "", (unsigned)out->items[i]);
        text_add_bytes(&text, piece, len);
    }
    text_add(&t, "], \"text\": ");
    text_add_json_string(&t, text_cstr(&text), text.len);
    printf("%s}\n", text_cstr(&t));
    text_free(&t);
    text_free(&text);
}

static bool decode(struct session *s) {
    struct token_ids ids = {0}, made = {0};
    if (!prompt_ids(s, &ids)) return false;
    int64_t eot = tokenizer_eot(s->tokenizer);
    uint32_t next = 0;
    for (int64_t position = 0; position < s->ir->design.context && (int64_t)made.count < s->o.tokens; position++) {
        bool last = position + 1 >= (int64_t)ids.count;
        uint32_t id = position < (int64_t)ids.count ? ids.items[position] : next;
        if (!golden_run_step(s->run, id, NULL, position, last)) {
            diag_error(&s->diag, loc_none(), "numeric fault: %s", golden_run_fault(s->run));
            return false;
        }
        if (!last) continue;
        next = golden_run_next_id(s->run);
        show(s, next, (int64_t)made.count);
        VEC_PUSH(&s->arena, made, next);
        if (!s->o.ignore_eot && eot >= 0 && next == (uint32_t)eot) break;
    }
    if (s->o.json) print_json(s, &made);
    else putchar('\n');
    return true;
}

// ---- evaluation ----

static const float *golden_logits(void *state, uint32_t id, int64_t position) {
    struct session *s = state;
    struct trace_value v;
    int logits = s->ir->node[s->ir->tensor[s->ir->output[0]].producer].in[0];
    if (!golden_run_step(s->run, id, NULL, position, true) || !golden_run_value(s->run, logits, 0, position, &v)) return NULL;
    return v.f32;
}

static const float *float_logits(void *state, uint32_t id, int64_t position) { return reference_step(state, id, position, true); }

static void progress(const struct evaluation *e) {
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%lld stories, %lld predictions", (long long)e->stories, (long long)e->tokens);
}

static void print_evaluation(const struct session *s, const struct evaluation *e) {
    double reference = evaluate_perplexity(e, 0), golden = evaluate_perplexity(e, 1), agree = (double)e->model[1].agree / (double)e->tokens;
    if (s->o.json)
        printf("{\"stories\": %lld, \"predictions\": %lld, \"perplexity_float\": %.6f, \"perplexity_golden\": %.6f, \"difference\": %.6f, \"top1_agreement\": %.6f}\n",
               (long long)e->stories, (long long)e->tokens, reference, golden, golden / reference - 1, agree);
    else
        printf("%lld stories, %lld predictions\nfloat reference: perplexity %.4f\ngolden model:    perplexity %.4f (%+.2f %%), first choice agrees in %.2f %%\n",
               (long long)e->stories, (long long)e->tokens, reference, golden, 100 * (golden / reference - 1), 100 * agree);
}

static bool evaluate(struct session *s) {
    struct gpt2_config config;
    size_t len;
    const char *why, *text = file_read(&s->arena, s->o.eval, 256 << 20, &len, &why);
    if (!text) diag_error(&s->diag, loc_file(&s->arena, s->o.eval), "%s", why);
    struct checkpoint *checkpoint = text ? checkpoint_open(&s->arena, s->o.weights, &s->diag) : NULL;
    if (!checkpoint || !gpt2_config_read(&s->arena, s->o.weights, &config, &s->diag)) return false;
    struct reference_model *reference = reference_open(&s->arena, checkpoint, &config, &s->diag);
    if (!reference) return false;
    struct evaluate_model models[2] = {{float_logits, reference, config.vocab}, {golden_logits, s, config.vocab}};
    struct evaluation result = {0};
    bool ok = evaluate_text(s->tokenizer, text, len, s->ir->design.context, s->o.stories, models, 2, &result, progress);
    if (ok) print_evaluation(s, &result);
    else diag_error(&s->diag, loc_none(), "numeric fault: %s", golden_run_fault(s->run));
    checkpoint_close(checkpoint);
    return ok;
}

int command_golden(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--help")) return fputs(usage, stdout), RILL_OK;
    struct session s = {0};
    if (!parse(argc, argv, &s.o)) return fputs(usage, stderr), RILL_USAGE;
    arena_init(&s.arena);
    diag_init(&s.diag, stderr);
    bool ok = session_open(&s) && (s.o.eval ? evaluate(&s) : decode(&s));
    session_close(&s);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}
