// SPDX-License-Identifier: Apache-2.0
// Compares one beat of a stream: finds its place in the request, and compares its elements with the golden value.
#include <stdlib.h>
#include <string.h>

#include "gen/ir/window.h"
#include "verif/check/check_internal.h"

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// The beat that is being compared, and its place in the request.
struct beat {
    struct check *check;
    int index; // number of the edge
    struct edge *e;
    const struct replay_value *v; // golden value; NULL: none
    const uint32_t *data;
    unsigned count;   // tcount
    uint64_t cycle;   // for messages
    int64_t position; // of the token
    int64_t begin;    // element with which a firing begins: in dynamic dimensions the window's first position, else 0
    int tok;          // number of the token in the firing
    int firing;       // head or row of the value
};

// Names the place of an element in a message.
static const char *place(const struct beat *b, int64_t element) {
    const struct edge *e = b->e;
    if (e->firings > 1)
        return arena_printf(b->check->arena, "repetition %lld, position %lld, head %d, element %lld",
                            (long long)e->repetition, (long long)b->position, b->firing, (long long)element);
    return arena_printf(b->check->arena, "repetition %lld, position %lld, element %lld", (long long)e->repetition,
                        (long long)b->position, (long long)element);
}

// Reports a difference of fp32 words or ids.
static void fail_word(const struct beat *b, int64_t element, uint32_t want, uint32_t got) {
    if (b->check->mismatch != NULL) {
        b->check->counts.mismatches++;
        return;
    }
    if (b->e->dtype == IR_ID)
        check_fail(b->check, b->index, b->cycle, "%s: expected id %u, got %u", place(b, element), want, got);
    else
        check_fail(b->check, b->index, b->cycle, "%s: expected %.9g (%08x), got %.9g (%08x)", place(b, element),
                   (double)float_of(want), want, (double)float_of(got), got);
}

static void fail_int(const struct beat *b, int64_t element, const char *what, int want, int got) {
    if (b->check->mismatch != NULL) b->check->counts.mismatches++;
    else check_fail(b->check, b->index, b->cycle, "%s: expected %s %d, got %d", place(b, element), what, want, got);
}

static int64_t walk_elements(const struct itensor_walk *w) {
    int64_t n = 1;
    for (int l = 0; l < w->loops; l++) n *= w->trip[l];
    return n;
}

// Returns the number of elements of this firing for this token. A walk may read elements again.
static int64_t firing_limit(const struct beat *b) {
    if (b->e->walked && b->e->firings == 1) return walk_elements(&b->e->walk);
    return b->v->rows == b->e->firings ? b->v->cols : b->v->rows * b->v->cols / b->e->firings;
}

// Returns the address of an element of the walk.
static int64_t walk_address(const struct itensor_walk *w, int64_t element) {
    int64_t at = 0;
    for (int l = w->loops - 1; l >= 0; l--) {
        at += element % w->trip[l] * w->stride[l];
        element /= w->trip[l];
    }
    return at;
}

// Returns the index in the golden value of an element of this firing.
static int64_t value_index(const struct beat *b, int64_t element) {
    const struct replay_value *v = b->v;
    if (b->e->walked) return walk_address(&b->e->walk, b->firing * firing_limit(b) + element);
    if (v->rows == b->e->firings) return b->firing * v->stride + element;
    int64_t flat = b->firing * firing_limit(b) + element;
    return flat / v->cols * v->stride + flat % v->cols;
}

// Returns whether the last dimension of the tensor counts positions, so that its length differs between positions.
static bool dynamic_cols(const struct beat *b) {
    const struct ir_tensor *t = &b->check->ir->tensor[b->e->tensor];
    return t->rank > 0 && t->shape[t->rank - 1].dynamic == IR_POSITIONS;
}

// Compares fp32 elements. After the end of a vector they must be +0.0. In a dynamic dimension, elements after the
// token's own position may have any value, because the reader masks them.
static void compare_floats(const struct beat *b) {
    struct edge *e = b->e;
    int64_t first = b->begin + (e->counted ? e->elements[b->tok] : e->beats[b->tok] * e->lanes),
            limit = firing_limit(b);
    int lanes = e->counted ? (int)b->count : e->lanes;
    bool dynamic = dynamic_cols(b);
    for (int i = 0; i < lanes && (first + i < limit || !dynamic); i++) {
        uint32_t want = first + i < limit ? bits_of(b->v->f32[value_index(b, first + i)]) : 0;
        b->check->counts.values += first + i < limit;
        if (b->data[i] != want) {
            fail_word(b, first + i, want, b->data[i]);
            return;
        }
    }
}

static int8_t byte_at(const uint32_t data[], int i) { return (int8_t)(data[i / 4] >> (8 * (i % 4))); }

// Returns the i-th of packed signed integers of `bits` bits each.
static int mantissa(const uint32_t data[], int bits, int i) {
    int at = bits * i;
    uint64_t words = data[at / 32] | (uint64_t)data[at / 32 + 1] << 32; // an exponent follows the last mantissas
    int value = (int)(words >> at % 32 & ((1u << bits) - 1));
    return value - (value >> (bits - 1) << bits);
}

static bool same_mantissa(const struct beat *b, int64_t element, int expect, int got) {
    if (got != expect) fail_int(b, element, "mantissa", expect, got);
    return got == expect;
}

// Compare the mantissas of one unit: the first `valid` must be those of the value, and the rest must be 0. Return
// whether they are equal.
static bool compare_bytes(const struct beat *b, int64_t first, int valid, const int8_t *want) {
    for (int i = 0; i < b->e->lanes; i++)
        if (!same_mantissa(b, first + i, i < valid ? want[i] : 0, byte_at(b->data, i))) return false;
    b->check->counts.values += (uint64_t)valid;
    return true;
}

static bool compare_mantissas(const struct beat *b, int bits, int64_t first, int valid, const int16_t *want) {
    for (int i = 0; i < b->e->lanes; i++)
        if (!same_mantissa(b, first + i, i < valid ? want[i] : 0, mantissa(b->data, bits, i))) return false;
    b->check->counts.values += (uint64_t)valid;
    return true;
}

// Compares one unit of a quantized tensor (docs/rtl.md section 3). A unit belongs to one block, so the last unit of a
// block may be partly zeros. Units after the end of the firing are zeros.
static void compare_mx(const struct beat *b) {
    int64_t xs = b->e->lanes, block = b->v->block, limit = firing_limit(b);
    int64_t units = (int64_t)u64_div_ceil((uint64_t)block, (uint64_t)xs),
            unit = b->begin / block * units + b->e->beats[b->tok];
    int64_t first = unit / units * block + unit % units * xs, end = (unit / units + 1) * block;
    if (end > limit) end = limit;
    int valid = end <= first ? 0 : end - first < xs ? (int)(end - first) : (int)xs;
    int64_t at = valid > 0 ? value_index(b, first) : 0;
    int bits = spec_mantissa_bits(b->check->ir->design.activations), most = (1 << (bits - 1)) - 1;
    if (!compare_mantissas(b, bits, first, valid, b->v->mx + at) || valid == 0) return;
    b->check->counts.mantissas += (uint64_t)valid;
    for (int i = 0; i < valid; i++) b->check->counts.saturated += abs(b->v->mx[at + i]) == most;
    int64_t row = at / b->v->stride, col = at % b->v->stride;
    int want = b->v->shift[row * b->v->shift_stride + col / block], got = (int)(b->data[xs * bits / 32] & 255);
    b->check->counts.values++;
    if (got != want) fail_int(b, first, "exponent shift", want, got);
}

// Compares one unit of a key or a value: int8 mantissas of a head, and the fp32 scale of the head.
static void compare_kv(const struct beat *b) {
    int64_t xs = b->e->lanes, units = (int64_t)u64_div_ceil((uint64_t)b->v->cols, (uint64_t)xs);
    int64_t head = b->e->beats[b->tok] / units, first = b->e->beats[b->tok] % units * xs;
    if (head >= b->v->rows) {
        fail_int(b, 0, "head below", (int)b->v->rows, (int)head);
        return;
    }
    int valid = b->v->cols - first < xs ? (int)(b->v->cols - first) : (int)xs;
    int64_t element = head * b->v->cols + first;
    uint32_t want = bits_of(b->v->scale[head]);
    if (!compare_bytes(b, element, valid, b->v->q + head * b->v->stride + first)) return;
    b->check->counts.values++;
    if (b->data[xs / 4] != want) fail_word(b, element, want, b->data[xs / 4]);
}

static void compare_id(const struct beat *b) {
    b->check->counts.values++;
    if (b->data[0] != b->v->id[0]) fail_word(b, 0, b->v->id[0], b->data[0]);
}

// Compares int8 elements of custom kernels; zeros must follow the last one.
static void compare_int8(const struct beat *b) {
    int64_t first = b->e->beats[b->tok] * b->e->lanes, limit = firing_limit(b);
    int valid = limit <= first ? 0 : limit - first < b->e->lanes ? (int)(limit - first) : b->e->lanes;
    for (int i = 0; i < b->e->lanes; i++) {
        int want = i < valid ? b->v->q[value_index(b, first + i)] : 0, got = byte_at(b->data, i);
        if (got == want) continue;
        fail_int(b, first + i, "value", want, got);
        return;
    }
    b->check->counts.values += (uint64_t)valid;
}

static void compare(const struct beat *b) {
    switch (b->e->dtype) {
    case IR_F32:
    case IR_SCALAR: compare_floats(b); break;
    case IR_MX: compare_mx(b); break;
    case IR_KV: compare_kv(b); break;
    case IR_ID: compare_id(b); break;
    case IR_INT8: compare_int8(b); break;
    case IR_ACC:
    case IR_DTYPES: break;
    }
}

// Returns the golden value of a token, which is cached until the replay runs on. Returns NULL if the replay has no
// value, or if it waits (check->waits).
static const struct replay_value *value_for(struct check *check, struct edge *e, int64_t position, int tok) {
    if (!plan_run(check, position)) return NULL;
    if (e->key[tok] == check->generation) return &e->value[tok];
    int64_t repetition = e->fixed ? e->fixed_repetition : e->repetition;
    if (!replay_value(check->golden, e->tensor, repetition, position, &e->value[tok])) return NULL;
    e->key[tok] = check->generation;
    return &e->value[tok];
}

// Keeps a word of logits. With drafts the tokens of a step alternate, so each of them has a row until the firing ends.
static void keep_logits(struct check *check, struct edge *e, int tok, const uint32_t data[], unsigned count) {
    int64_t elements = ir_tensor_elements(&check->ir->tensor[e->tensor]),
            done = e->counted ? e->elements[tok] : e->beats[tok] * e->lanes;
    int64_t lanes = e->counted ? (int64_t)count : elements - done < e->lanes ? elements - done : e->lanes;
    if (!e->row[tok]) e->row[tok] = ARENA_ARRAY(check->arena, float, (size_t)elements);
    for (int64_t i = 0; i < lanes && done + i < elements; i++) e->row[tok][done + i] = float_of(data[i]);
}

// Returns whether the request has values of this token of a step. In a design with drafts there are no values of a
// wrong draft and of the tokens after it. In regions `when: last` there are none of prompt tokens before the last one.
static bool has_token(const struct check *check, const struct edge *e, const struct step *step, int tok) {
    if (e->one_token || e->heads > 1) return true;
    return tok < step->valid && (!e->head_only || step->first + tok >= check->request.count - 1);
}

// Adds the logits of a whole firing to check->logits, token by token.
static void end_logits(struct check *check, const struct edge *e, const struct step *step, int tokens) {
    int64_t elements = ir_tensor_elements(&check->ir->tensor[e->tensor]);
    for (int tok = 0; tok < tokens; tok++)
        for (int64_t i = 0; has_token(check, e, step, tok) && i < elements; i++)
            VEC_PUSH(check->arena, check->logits, e->row[tok][i]);
}

static void forget_values(struct edge *e) { memset(e->key, 0, sizeof e->key); }

// Ends a firing and goes on to the next head, repetition or step.
void edge_firing_done(struct edge *e) {
    memset(e->beats, 0, sizeof e->beats);
    memset(e->elements, 0, sizeof e->elements);
    e->next_token = 0;
    e->firing += e->heads;
    if (e->firing < e->firings) return;
    e->firing = 0;
    forget_values(e);
    if (++e->repetition < e->repetitions) return;
    e->repetition = 0;
    e->step++;
}

// Finds the step of the next beat; streams in regions `when: last` skip the steps without a head. Returns false if the
// request has no further step, or if the replay waits.
bool edge_current_step(struct check *check, struct edge *e, struct step *step) {
    while (plan_step(check, e->step, step)) {
        e->heads = e->together && step->tokens == 1 ? (int)at_most(e->together, e->firings - e->firing) : 1;
        if (!e->head_only || step->head) return true;
        e->step++;
    }
    return false;
}

// Packs the step word of docs/rtl.md section 4.
static uint64_t step_word(const struct check *check, const struct step *s) {
    uint64_t first = (uint64_t)s->first, krows = u64_div_ceil(first, (uint64_t)ir_key_channels(check->ir));
    return field_put(STEP_POS, first) | field_put(STEP_NTOK, (uint64_t)s->tokens) | field_put(STEP_HEAD, s->head) |
           field_put(STEP_FINAL, s->final) | field_put(STEP_KROWS, krows) | field_put(STEP_VBLOCKS, first / 64);
}

// Compares a step word. This function and those below that process a beat return false if the replay has to wait. Then
// they have done nothing, and are called again for the same beat.
static bool compare_step(struct check *check, int index, struct edge *e, const uint32_t data[], uint64_t cycle) {
    struct step step;
    uint64_t word = (uint64_t)data[1] << 32 | data[0];
    if (!(e->is_ahead ? plan_step_ahead(check, e->step, &step) : plan_step(check, e->step, &step))) {
        if (check->waits) return false;
        unsigned at = (unsigned)field_get(word, STEP_POS);
        check_fail(check, index, cycle, "a step at position %u after the end of the request", at);
        return true;
    }
    e->step++;
    uint64_t want = step_word(check, &step);
    check->counts.values++;
    if (word != want)
        check_fail(check, index, cycle, "step word %016llx, expected %016llx: position %lld, %d tokens%s%s",
                   (unsigned long long)word, (unsigned long long)want, (long long)step.first, step.tokens,
                   step.head ? ", head" : "", step.final ? ", final" : "");
    return true;
}

// Compares a {index, id} word with the ids that the replay makes, in order.
static bool compare_ring(struct check *check, int index, struct edge *e, const uint32_t data[], uint64_t cycle) {
    int64_t made = e->step;
    bool known = plan_run(check, check->request.count - 1 + made) && made < check->request.max_new;
    if (!known && check->waits) return false;
    e->step++;
    check->counts.values++;
    if (!known) check_fail(check, index, cycle, "id %u (number %u) after the end of the request", data[0], data[1]);
    else if (data[1] != (uint32_t)made || data[0] != check->ids[made])
        check_fail(check, index, cycle, "id %u (number %u), expected %u (number %lld)", data[0], data[1],
                   check->ids[made], (long long)made);
    return true;
}

// Returns whether a beat of the stream is still compared. CHECK_MINIMUM compares streams outside the minimum set only
// in the prompt's steps and the first decode steps of the first request.
static bool still_wanted(struct check *check, const struct edge *e) {
    if (check->set == CHECK_ALL || e->always) return true;
    int64_t prompt_steps = (int64_t)u64_div_ceil((uint64_t)check->request.count, (uint64_t)check->ir->design.tokens);
    int64_t first = check->first_step > prompt_steps ? check->first_step : prompt_steps;
    return check->requests == 1 && e->step < first + CHECK_FIRST_STEPS;
}

// Stores the elements of a word of a result that the replay takes from the design. Checks the zeros after the last one.
static void keep_result(const struct beat *b) {
    struct edge *e = b->e;
    int64_t elements = ir_tensor_elements(&b->check->ir->tensor[e->tensor]), first = e->beats[b->tok] * e->lanes;
    bool bytes = e->dtype == IR_INT8;
    if (!e->result[b->tok])
        e->result[b->tok] = arena_alloc(b->check->arena, (size_t)elements, bytes ? 1 : sizeof(float));
    for (int i = 0; i < e->lanes; i++) {
        int64_t at = first + i < elements && e->walked ? walk_address(&e->walk, first + i) : first + i;
        uint32_t word = bytes ? (uint8_t)byte_at(b->data, i) : b->data[i];
        if (first + i >= elements) {
            if (word != 0) fail_word(b, first + i, 0, word);
        } else if (bytes) ((int8_t *)e->result[b->tok])[at] = (int8_t)word;
        else ((float *)e->result[b->tok])[at] = float_of(word);
    }
}

// Gives the replay the results of a whole firing.
static void give_results(struct check *check, const struct edge *e, const struct step *step, int tokens) {
    int64_t words = (ir_tensor_elements(&check->ir->tensor[e->tensor]) + e->lanes - 1) / e->lanes;
    for (int tok = 0; tok < tokens; tok++) {
        int64_t position = e->one_token ? step->first + step->tokens - 1 : step->first + tok;
        if (e->beats[tok] != words)
            check_fail(check, (int)(e - check->edge), 0,
                       "position %lld, repetition %lld: a firing of %lld words, not %lld", (long long)position,
                       (long long)e->repetition, (long long)e->beats[tok], (long long)words);
        else replay_give(check->golden, e->tensor, e->repetition, position, e->result[tok]);
    }
    check->generation++;
}

// Compares the beat, or stores it for the replay. Returns false if the replay waits. For a token that the request does
// not have, only the numbers of words and elements are compared, which must be those of the other tokens of the step.
static bool use_beat(struct check *check, int index, struct edge *e, struct beat *b, const struct step *step) {
    if (!has_token(check, e, step, b->tok)) {
        int tok = e->head_only && step->first < check->request.count ? step->tokens - 1 : 0;
        b->v = value_for(check, e, step->first + tok, tok);
        return true;
    }
    if (e->given) {
        keep_result(b);
        return true;
    }
    b->v = value_for(check, e, b->position, b->tok);
    if (b->v == NULL && check->waits) return false;
    if (b->v == NULL)
        check_fail(check, index, b->cycle, "position %lld, repetition %lld: no golden value (%s)",
                   (long long)b->position, (long long)e->repetition,
                   check->golden_failed ? replay_fault(check->golden) : "the stream lags too far behind");
    else compare(b);
    return true;
}

// Checks that all tokens have equally many words. A word of padding under another token's number would look valid
// otherwise.
static void compare_token_words(struct check *check, int index, const struct edge *e, const struct step *step,
                                int tokens, uint64_t cycle) {
    for (int t = 1; t < tokens; t++)
        if (e->beats[t] != e->beats[0])
            check_fail(check, index, cycle,
                       "position %lld, repetition %lld: %lld words of token %d, %lld of the step's first token",
                       (long long)step->first, (long long)e->repetition, (long long)e->beats[t], t,
                       (long long)e->beats[0]);
}

// Checks the element counts of a counted stream: a word has at least one element and no more than fit, and at the end
// of a firing every token has had all of its elements. In a dynamic dimension all tokens have as many as the step's
// last one.
static void compare_counts(struct check *check, int index, const struct edge *e, const struct step *step, int tokens,
                           const struct beat *b, bool last) {
    int64_t want = !b->v ? 0 : dynamic_cols(b) ? step->first + step->tokens - b->begin : firing_limit(b);
    if (b->count < 1 || b->count > (unsigned)e->lanes)
        check_fail(check, index, b->cycle, "position %lld, repetition %lld: a word of %u elements",
                   (long long)b->position, (long long)e->repetition, b->count);
    for (int t = 0; last && t < tokens; t++)
        if (e->elements[t] != want)
            check_fail(check, index, b->cycle,
                       "position %lld, repetition %lld: %lld elements of token %d, expected %lld",
                       (long long)step->first, (long long)e->repetition, (long long)e->elements[t], t, (long long)want);
}

// Returns the first position of the window that the layer has in the step at `position`. Streams do not have earlier
// positions.
static int64_t begin_of(const struct check *check, const struct edge *e, int64_t position) {
    int64_t repetition = e->fixed ? e->fixed_repetition : e->repetition;
    return window_begin(check->ir, window_node(check->ir, e->tensor), repetition, position);
}

// Notes the cycle in which a stream has finished a step. The latest cycle of all streams counts.
static void note_step(struct check *check, int64_t step, uint64_t cycle) {
    while ((int64_t)check->step_end.count <= step) VEC_PUSH(check->arena, check->step_end, 0);
    if (check->step_end.items[step] < cycle) check->step_end.items[step] = cycle;
}

// Finds the token of a beat, compares the beat, and ends the firing after its last beat.
static bool tensor_beat(struct check *check, int index, struct edge *e, struct beat *b, unsigned user, bool last) {
    struct step step;
    if (!edge_current_step(check, e, &step)) {
        if (!check->waits) check_fail(check, index, b->cycle, "a beat after the end of the request");
        return !check->waits;
    }
    int tokens = e->one_token ? 1 : step.tokens * e->heads;
    const struct ir_edge *graph = &check->ir->edge[index];
    int tok_bits = ir_port_user_bits(check->ir, &check->ir->kernel[graph->src_kernel].port[graph->src_port]) - 1;
    int tok = e->tokened ? (int)(user & ((1u << tok_bits) - 1)) : e->next_token;
    bool tok_last = e->tokened ? user >> tok_bits & 1 : tok == tokens - 1;
    if (tok >= tokens || tok_last != (tok == tokens - 1)) {
        check_fail(check, index, b->cycle, "position %lld, repetition %lld: token %d%s in a step of %d",
                   (long long)step.first, (long long)e->repetition, tok, tok_last ? " (last)" : "", tokens);
        return true;
    }
    b->tok = tok;
    if (dynamic_cols(b)) b->begin = begin_of(check, e, step.first);
    b->position = e->one_token ? step.first + step.tokens - 1 : step.first + (e->heads > 1 ? 0 : tok);
    b->firing = e->firing + (e->heads > 1 ? tok : 0);
    if (!use_beat(check, index, e, b, &step)) return false;
    if (e->is_logits) keep_logits(check, e, tok, b->data, b->count);
    e->beats[tok]++;
    e->elements[tok] += b->count;
    e->next_token++;
    if (e->counted && !e->given) compare_counts(check, index, e, &step, tokens, b, last);
    if (e->given && last) give_results(check, e, &step, tokens);
    if (e->tokened && last) compare_token_words(check, index, e, &step, tokens, b->cycle);
    if (e->is_logits && last) end_logits(check, e, &step, tokens);
    int64_t step_index = e->step;
    if (e->tokened ? last : tok_last) edge_firing_done(e);
    if (e->step != step_index) note_step(check, step_index, b->cycle);
    return true;
}

// ---- queued beats ----

static bool part_beat(struct check *check, int edge, const uint32_t data[], const struct check_queued *q) {
    struct edge *e = &check->edge[edge], *part = e->route ? route_part(check, e) : e;
    if (!part && check->waits) return false;
    if (!part) {
        check_fail(check, edge, q->cycle, "a beat after the end of the request");
        return true;
    }
    struct beat b = {.check = check, .index = edge, .e = part, .data = data, .count = q->count, .cycle = q->cycle};
    e->tensor = part->tensor; // the tensor that a message names
    if (part->active && !tensor_beat(check, edge, part, &b, q->user, q->last)) return false;
    if (e->route && q->last) route_done(e);
    return true;
}

static bool process(struct check *check, int edge, const uint32_t data[], const struct check_queued *q) {
    struct edge *e = &check->edge[edge];
    check->waits = false;
    if (e->is_step) return compare_step(check, edge, e, data, q->cycle);
    return e->is_ring ? compare_ring(check, edge, e, data, q->cycle) : part_beat(check, edge, data, q);
}

// Processes the queued beats of an edge. Returns whether at least one was taken.
static bool drain_edge(struct check *check, int edge) {
    struct check_queue *q = &check->edge[edge].queue;
    size_t before = q->done;
    while (q->done < q->beat.count && process(check, edge, q->word.items + q->done * q->words, &q->beat.items[q->done]))
        q->done++;
    bool moved = q->done > before;
    if (q->done == q->beat.count) q->done = q->beat.count = q->word.count = 0;
    return moved;
}

void check_drain(struct check *check) {
    for (bool moved = check->around; moved;) {
        moved = false;
        for (int e = 0; e < check->ir->edges; e++) moved |= check->edge[e].queue.beat.count && drain_edge(check, e);
    }
}

// Appends a beat to the queue of its edge, and compares the queue as far as possible.
static void enqueue(struct check *check, int edge, const uint32_t data[], const struct check_queued *beat) {
    struct check_queue *q = &check->edge[edge].queue;
    const struct ir_edge *e = &check->ir->edge[edge];
    int64_t bits = check->ir->kernel[e->src_kernel].port[e->src_port].data_bits;
    q->words = (size_t)(bits < 64 ? 2 : (bits + 31) / 32);
    VEC_PUSH(check->arena, q->beat, *beat);
    for (size_t w = 0; w < q->words; w++) VEC_PUSH(check->arena, q->word, data[w]);
    drain_edge(check, edge);
    if (check->edge[edge].given && beat->last) check_drain(check); // other beats wait for these results
}

bool check_beat(struct check *check, int edge, const uint32_t data[], unsigned user, bool last, unsigned count,
                uint64_t cycle) {
    struct edge *e = &check->edge[edge];
    if (!e->active || !still_wanted(check, e)) return false;
    if (!e->seen) e->first_word = data[0];
    e->seen = true;
    e->shown++;
    e->varied |= data[0] != e->first_word;
    struct check_queued beat = {cycle, user, count, last};
    if (check->around) enqueue(check, edge, data, &beat);
    else process(check, edge, data, &beat);
    return true;
}
