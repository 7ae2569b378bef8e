// SPDX-License-Identifier: Apache-2.0
// Converts requests to the form that a design takes, and refuses options that the design does not support. The
// functions *_fault and sim_request_read return NULL, or a message.
#include <inttypes.h>
#include <string.h>

#include "gen/ir/ir.h"
#include "gen/model/rows.h"
#include "gen/request/sim_options.h"
#include "gen/model/tokenizer.h"

// ---- options for features that the design lacks ----

static bool has_channel(const struct ir *ir, int channel) { return channel >= 0 && channel < ir->design.channels; }

// Refuses --inject-error and --base for a channel that the design does not have.
static const char *channels_fault(struct arena *arena, const struct ir *ir, const struct sim_options *o) {
    const char *option = NULL;
    for (size_t i = 0; i < o->errors.count; i++)
        if (!has_channel(ir, o->errors.items[i].channel)) option = "--inject-error";
    for (size_t i = 0; i < o->bases.count; i++)
        if (!has_channel(ir, o->bases.items[i].channel)) option = "--base";
    return option ? arena_printf(arena, MSG_CHANNEL_OPTION, option, ir->design.channels - 1) : NULL;
}

// Refuses --save if a custom kernel has a golden function, because the function is loaded from a file that no longer
// exists when the saved run is resumed.
static const char *save_fault(struct arena *arena, const struct ir *ir, const struct sim_options *o) {
    for (int c = 0; o->save && c < ir->customs; c++)
        if (ir->custom[c].function) return arena_printf(arena, MSG_SAVE_GOLDEN, ir->custom[c].name);
    return NULL;
}

// Refuses --inputs and --outputs for a language model, and a file for --outputs that cannot hold all outputs of the
// graph.
static const char *rows_fault(struct arena *arena, const struct ir *ir, const struct sim_options *o) {
    if (ir->design.is_lm && (o->inputs || o->outputs)) return MSG_DESIGN_TAKES_PROMPT;
    return o->outputs ? rows_path_fault(arena, o->outputs, ir->outputs) : NULL;
}

// Refuses --from, --state and --write-state if the replay cannot run without the design, or if the design cannot begin
// at a later position. Also refuses --logits in designs with slots, and --join, --stop and
// --fault in all others.
static const char *from_fault(struct arena *arena, const struct ir *ir, const struct sim_options *o) {
    if (!ir->design.is_lm && (o->state || o->write_state)) return MSG_STATE_ROWS;
    if (o->from && ir->design.drafts) return MSG_DRAFTS_FROM;
    if (ir->design.slots && (o->from || o->state || o->write_state || o->logits)) return MSG_SLOTS_FROM;
    if ((o->joins.count || o->stops.count || o->faults.count) && !ir->design.slots) return MSG_SLOTS_JOIN;
    // Without golden functions the replay takes results from the design, so it cannot run ahead of it.
    for (int c = 0; (o->from || o->write_state) && c < ir->customs; c++)
        if (!ir->custom[c].function) return arena_printf(arena, MSG_FROM_CUSTOM, ir->custom[c].name);
    return NULL;
}

// Refuses --prefix in a design without `prefix`, except after --then-ids. A request of --then-ids is legal there: it
// keeps what the design can keep, which is nothing.
static const char *prefix_fault(const struct ir *ir, const struct sim_options *o) {
    bool asked = o->prefix != 0;
    for (size_t i = 0; i < o->prompts.count; i++) asked |= o->prompts.items[i].prefix != 0 && !o->prompts.items[i].then;
    return asked && !ir->design.prefix ? MSG_PREFIX_ABSENT : NULL;
}

// Refuses a request with settings of sampling that the design does not have.
static const char *sampling_fault(const struct ir *ir, const struct sim_options *o) {
    const char *why = NULL;
    for (size_t i = 0; i < o->prompts.count && !why; i++)
        why = sampling_refusal(&o->prompts.items[i].sampling, ir->design.sampling);
    return why;
}

// Refuses predictions in a design that takes none, and late ones in a design without slots.
static const char *predict_fault(const struct ir *ir, const struct sim_options *o) {
    for (size_t i = 0; i < o->prompts.count; i++) {
        const struct sim_prompt *p = &o->prompts.items[i];
        if ((p->predicted_text || p->predicted) && !ir->design.host_drafts) return MSG_PREDICT_ABSENT;
        if (p->predict_at && !ir->design.slots) return MSG_PREDICT_LATE;
    }
    return NULL;
}

const char *sim_options_fault(struct arena *arena, const struct ir *ir, const struct sim_options *o) {
    const char *why = channels_fault(arena, ir, o);
    if (!why) why = save_fault(arena, ir, o);
    if (!why) why = from_fault(arena, ir, o);
    if (!why) why = prefix_fault(ir, o);
    if (!why) why = sampling_fault(ir, o);
    if (!why) why = predict_fault(ir, o);
    return why ? why : rows_fault(arena, ir, o);
}

bool sim_options_read_chat(struct arena *arena, struct sim_options *o, struct diag *diag) {
    o->chat_template = o->chat ? chat_find(o->chat, arena, diag) : NULL;
    return !o->chat || o->chat_template;
}

// ---- one request ----

// Converts the prompt's text to token ids, in the chat template of --chat if there is one.
static const char *encode(const struct tokenizer *tokenizer, const struct sim_options *o,
                          const struct sim_prompt *prompt, struct arena *arena, struct sim_request *r) {
    struct token_ids ids = {0};
    const char *text = prompt->text ? prompt->text : "", *why = NULL;
    if (o->chat_template) why = tokenizer_encode_chat(tokenizer, o->chat_template, text, &ids);
    else tokenizer_encode_prompt(tokenizer, text, strlen(text), &ids);
    *r = (struct sim_request){.prompt = ids.items, .prompt_len = (int64_t)ids.count, .tokens = r->tokens};
    return why ? arena_printf(arena, "--chat %s: %s", o->chat, why) : NULL;
}

// Refuses token ids that are not in the vocabulary.
static const char *ids_fault(struct arena *arena, const struct ir *ir, const struct sim_request *r) {
    int64_t vocabulary = ir->design.is_lm ? ir_vocabulary(ir) : 0;
    for (int64_t i = 0; ir->design.is_lm && i < r->prompt_len; i++)
        if (r->prompt[i] >= vocabulary)
            return arena_printf(arena, MSG_PROMPT_TOKEN_UNKNOWN, (unsigned)r->prompt[i], vocabulary);
    return NULL;
}

// Refuses a request that is empty or does not fit into the context.
static const char *fit_fault(struct arena *arena, const struct ir_design *d, const struct sim_request *r) {
    int64_t room = d->context - r->prompt_len + 1;
    if (r->prompt_len < 1) return MSG_PROMPT_EMPTY;
    if (r->prompt_len > d->context)
        return arena_printf(arena, MSG_PROMPT_BEYOND, r->prompt_len, d->is_lm ? "token ids" : "rows",
                            (int64_t)d->context);
    if (!d->is_lm || r->tokens <= room) return NULL;
    return arena_printf(arena, MSG_NEW_TOKENS_BEYOND, r->tokens, r->prompt_len, (int64_t)d->context, room);
}

// Without `--tokens`, lowers the default number of generated tokens or rows to what the context has room for.
static void fit_tokens(const struct ir_design *d, const struct sim_options *o, struct sim_request *r) {
    if (!o->tokens_fit) return;
    if (!d->is_lm && !o->inputs) r->prompt_len = r->tokens = at_most(r->tokens, d->context);
    if (d->is_lm && r->prompt_len <= d->context) r->tokens = at_most(r->tokens, d->context - r->prompt_len + 1);
}

// Reads the prediction of a request. Returns NULL, or what is wrong.
static const char *read_prediction(struct arena *arena, const struct ir *ir, const struct tokenizer *tokenizer,
                                   const struct sim_prompt *prompt, struct sim_request *r) {
    r->predicted = prompt->predicted;
    r->predicted_count = prompt->predicted_count;
    if (prompt->predicted_text) {
        struct token_ids ids = {0};
        tokenizer_encode(tokenizer, prompt->predicted_text, strlen(prompt->predicted_text), false, &ids);
        r->predicted = ids.items;
        r->predicted_count = (int64_t)ids.count;
    }
    if (r->predicted_count > SIM_PREDICTED_MOST)
        return arena_printf(arena, MSG_PREDICT_LONG, (long long)r->predicted_count, SIM_PREDICTED_MOST);
    const int64_t vocabulary = ir->design.is_lm ? ir_vocabulary(ir) : 0;
    for (int64_t i = 0; i < r->predicted_count; i++)
        if (r->predicted[i] >= vocabulary)
            return arena_printf(arena, MSG_PREDICTED_TOKEN_UNKNOWN, (unsigned)r->predicted[i], (long long)vocabulary);
    return NULL;
}

const char *sim_request_read(struct arena *arena, const struct ir *ir, const struct tokenizer *tokenizer,
                             const struct sim_options *o, const struct sim_prompt *prompt, struct sim_request *r) {
    const char *why = NULL;
    *r = (struct sim_request){.prompt = prompt->ids, .prompt_len = prompt->count, .tokens = prompt->tokens};
    if (!ir->design.is_lm && prompt->ids) return MSG_DESIGN_TAKES_ROWS;
    if (!ir->design.is_lm) r->prompt_len = prompt->tokens;
    else if (!prompt->ids) why = encode(tokenizer, o, prompt, arena, r);
    if (!why) why = read_prediction(arena, ir, tokenizer, prompt, r);
    if (why) return why;
    fit_tokens(&ir->design, o, r);
    if (o->unchecked) return NULL;
    why = fit_fault(arena, &ir->design, r);
    return why ? why : ids_fault(arena, ir, r);
}

// Whether all prompts are token ids, so that a tokenizer is needed only to print text.
static bool all_ids(const struct sim_options *o) {
    bool ids = o->prompts.count > 0;
    for (size_t i = 0; i < o->prompts.count; i++) ids &= o->prompts.items[i].ids != NULL;
    return ids;
}

struct tokenizer *sim_tokenizer_open(struct arena *arena, const char *image, int64_t vocabulary,
                                     const struct sim_options *o, struct diag *diag) {
    const char *why;
    if (!tokenizer_present(arena, image)) return tokenizer_open_bytes(arena, vocabulary);
    if (!all_ids(o)) return tokenizer_open(arena, image, diag);
    struct tokenizer *t = tokenizer_try(arena, image, &why);
    if (t) return t;
    diag_warning(diag, loc_file(arena, image), MSG_TOKENIZER_UNUSABLE, why);
    return tokenizer_open_bytes(arena, vocabulary);
}
