// SPDX-License-Identifier: Apache-2.0
// Tests the stream checker with correct and wrong streams of every kind of value. The streams send their words in the
// order that docs/rtl.md section 3 defines. A simple replay in this file takes the place of the real one, so that an
// expected value is a formula (value_of). test_check_ids.c tests the streams of a token loop.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/ir/ops.h"
#include "verif/check/check.h"

enum {
    TOKENS = 2,
    HEADS = 2,
    HEAD_DIM = 20,
    VECTOR = 10, // elements of the vectors
    CONTEXT = 16,
    REPEAT = 3,
    XS = 32, // elements of a beat
    LANES = 4,
    BLOCK = 40, // elements of a block of T_MX
    LONG = 90   // elements of T_MX
};
// T_ROW: the input of the graph, with which the carry of the repeated region begins. T_LOCAL: the carried value; its
// stream leaves the region, with the value after the last repetition. T_X: the value for the next repetition. T_LAST: a
// tensor of a region that runs only for the last token (IR_LAST). The others have the name of their kind.
enum tensor { T_ROW, T_X, T_LOCAL, T_MX, T_Q, T_SCORES, T_KV, T_SCALAR, T_BYTES, T_LAST, TENSORS };

// ---- a replay whose values are a function of tensor, repetition, position and element ----

struct replay {
    struct arena *arena;
    int64_t position;
};

struct values { // the elements of one tensor at one repetition and position, in the member of its type
    float f32[CONTEXT * HEADS];
    int8_t q[LONG * HEADS];
    int16_t mx[LONG * HEADS];
    uint8_t shift[8];
    float scale[HEADS];
};

static int value_of(int tensor, int64_t repetition, int64_t position, int64_t element) {
    return (int)((tensor * 31 + repetition * 17 + position * 7 + element * 3) % 101) - 50;
}

struct replay *replay_open(struct arena *arena, const struct ir *ir, const char *dir, int window, struct diag *diag) {
    (void)ir, (void)dir, (void)window, (void)diag;
    struct replay *run = ARENA_NEW(arena, struct replay);
    run->arena = arena;
    return run;
}

void replay_close(struct replay *run) { (void)run; }

bool replay_step(struct replay *run, uint32_t id, const float *const row[], int64_t position, bool head) {
    (void)id, (void)row, (void)head;
    run->position = position;
    return true;
}

bool replay_waits(const struct replay *run) {
    (void)run;
    return false;
}

void replay_forget(struct replay *run) { (void)run; }

void replay_give(struct replay *run, int tensor, int64_t repetition, int64_t position, const void *values) {
    (void)run, (void)tensor, (void)repetition, (void)position, (void)values;
}

uint32_t replay_next_id(const struct replay *run) {
    (void)run;
    return 0;
}

const char *replay_fault(const struct replay *run) {
    (void)run;
    return NULL;
}

static void fill(struct values *run, int tensor, int64_t repetition, int64_t position, const struct replay_value *v) {
    for (int64_t i = 0; i < v->rows * v->cols; i++) {
        int x = value_of(tensor, repetition, position, i);
        int64_t at = i / v->cols * v->stride + i % v->cols;
        if (v->mx != NULL) run->mx[at] = (int16_t)x;
        else if (v->q != NULL) run->q[at] = (int8_t)x;
        else run->f32[at] = (float)x;
    }
    for (int b = 0; b < 8; b++) run->shift[b] = (uint8_t)(value_of(tensor, repetition, position, b) + 60);
    for (int h = 0; h < HEADS; h++) run->scale[h] = (float)value_of(tensor, repetition, position, h) / 3.0f;
}

bool replay_value(const struct replay *run, int tensor, int64_t repetition, int64_t position, struct replay_value *v) {
    struct values *r = ARENA_NEW(run->arena, struct values);
    *v = (struct replay_value){.dtype = IR_F32, .rows = 1, .cols = VECTOR, .stride = VECTOR, .f32 = r->f32};
    if (tensor == T_MX)
        *v = (struct replay_value){.dtype = IR_MX,
                                   .rows = 1,
                                   .cols = LONG,
                                   .stride = LONG,
                                   .block = BLOCK,
                                   .shift_stride = 8,
                                   .mx = r->mx,
                                   .shift = r->shift};
    if (tensor == T_Q)
        *v = (struct replay_value){.dtype = IR_MX,
                                   .rows = 1,
                                   .cols = HEADS * HEAD_DIM,
                                   .stride = HEADS * HEAD_DIM,
                                   .block = HEAD_DIM,
                                   .shift_stride = 8,
                                   .mx = r->mx,
                                   .shift = r->shift};
    if (tensor == T_SCORES)
        *v = (struct replay_value){
            .dtype = IR_F32, .rows = HEADS, .cols = position + 1, .stride = CONTEXT, .f32 = r->f32};
    if (tensor == T_KV)
        *v = (struct replay_value){
            .dtype = IR_KV, .rows = HEADS, .cols = HEAD_DIM, .stride = HEAD_DIM, .q = r->q, .scale = r->scale};
    if (tensor == T_SCALAR)
        *v = (struct replay_value){.dtype = IR_SCALAR, .rows = HEADS, .cols = 1, .stride = 1, .f32 = r->f32};
    if (tensor == T_BYTES)
        *v = (struct replay_value){.dtype = IR_INT8, .rows = 1, .cols = VECTOR, .stride = VECTOR, .q = r->q};
    fill(r, tensor, repetition, position, v);
    return position <= run->position;
}

// ---- a kernel graph with one edge per tensor ----

struct bench {
    struct arena arena;
    struct diag diag;
    struct ir ir;
    struct check *check;
    int64_t rows; // of the request
};

static void set_tensor(struct ir *ir, enum tensor t, const char *name, enum ir_dtype dtype, int64_t n, int64_t m,
                       int region) {
    ir->tensor[t] = (struct ir_tensor){.name = name,
                                       .dtype = dtype,
                                       .rank = m ? 2 : 1,
                                       .shape = {{n, IR_STATIC}, {m, IR_STATIC}},
                                       .producer = IR_NONE,
                                       .region = region};
}

static void make_tensors(struct ir *ir) {
    set_tensor(ir, T_ROW, "row", IR_F32, VECTOR, 0, IR_NONE);
    set_tensor(ir, T_X, "x", IR_F32, VECTOR, 0, 0);
    set_tensor(ir, T_LOCAL, "local", IR_F32, VECTOR, 0, 0);
    set_tensor(ir, T_MX, "mx", IR_MX, LONG, 0, 0);
    set_tensor(ir, T_Q, "q", IR_MX, HEADS * HEAD_DIM, 0, 0);
    set_tensor(ir, T_SCORES, "scores", IR_F32, HEADS, CONTEXT, 0);
    set_tensor(ir, T_KV, "kv", IR_KV, HEADS, HEAD_DIM, 0);
    set_tensor(ir, T_SCALAR, "scalar", IR_SCALAR, HEADS, 0, 0);
    set_tensor(ir, T_BYTES, "bytes", IR_INT8, VECTOR, 0, 0);
    set_tensor(ir, T_LAST, "last", IR_F32, VECTOR, 0, 1);
    ir->tensor[T_SCORES].heads = true;
    ir->tensor[T_MX].block = BLOCK;
    ir->tensor[T_Q].block = HEAD_DIM;
    ir->tensor[T_SCORES].shape[1].dynamic = IR_POSITIONS;
}

static int64_t data_bits(enum ir_dtype dtype) {
    if (dtype == IR_INT8) return LANES * 8;
    return dtype == IR_MX ? XS * 8 + 8 : dtype == IR_KV ? XS * 8 + 32 : dtype == IR_SCALAR ? 32 : LANES * 32;
}

static void make_edges(struct bench *b) {
    struct ir *ir = &b->ir;
    for (int t = 0; t < TENSORS; t++) {
        struct ir_port *port = &ir->kernel[0].port[t];
        bool counted = t == T_SCORES;
        *port = (struct ir_port){.name = ir->tensor[t].name,
                                 .is_output = true,
                                 .kind = counted ? IR_STREAM_COUNTED : IR_STREAM_TOKENS,
                                 .data_bits = data_bits(ir->tensor[t].dtype),
                                 .tensor = t,
                                 .region = ir->tensor[t].region,
                                 .edge = t};
        ir->kernel[1].port[t] = *port;
        ir->kernel[1].port[t].is_output = false;
        ir->edge[t] = (struct ir_edge){.name = ir->tensor[t].name, .src_port = t, .dst_kernel = 1, .dst_port = t};
    }
    // The reader of T_LOCAL is in the region after the repeated one, so the stream has the value after the last
    // repetition.
    ir->kernel[1].port[T_LOCAL].tensor = T_LOCAL;
    ir->kernel[0].port[T_LOCAL].tensor = IR_NONE;
    ir->kernel[1].port[T_LOCAL].region = 1;
}

static int setup(void **state) {
    static struct bench b;
    memset(&b, 0, sizeof b);
    arena_init(&b.arena);
    diag_init(&b.diag, stderr);
    struct ir *ir = &b.ir;
    ir->arena = &b.arena;
    ir->design = (struct ir_design){
        .channels = 1, .beat_bits = XS * 8, .lanes = LANES, .tokens = TOKENS, .group = BLOCK, .context = CONTEXT};
    ir->tensor = ARENA_ARRAY(&b.arena, struct ir_tensor, TENSORS);
    ir->tensors = TENSORS;
    ir->region = ARENA_ARRAY(&b.arena, struct ir_region, 2);
    ir->regions = 2;
    ir->region[0] =
        (struct ir_region){.name = "block", .repeat = REPEAT, .carries = 1, .carry = {{T_LOCAL, T_ROW, T_X}}};
    ir->region[1] = (struct ir_region){.name = "head", .repeat = 1, .when = IR_LAST};
    ir->node = ARENA_ARRAY(&b.arena, struct ir_node, 1);
    ir->node[0] = (struct ir_node){
        .name = "scores", .op = IR_OP_ATTN_SCORES, .inputs = 2, .in = {T_Q, T_KV}, .outputs = 1, .out = {T_SCORES}};
    ir->nodes = 1;
    ir->inputs = 1;
    ir->input[0] = T_ROW;
    for (int t = 0; t < TENSORS; t++) // values that are missing at the end are reported; the scores need q and kv
        if (t != T_Q && t != T_KV) ir->output[ir->outputs++] = t;
    make_tensors(ir);
    ir->kernel = ARENA_ARRAY(&b.arena, struct ir_kernel, 2);
    ir->kernels = 2;
    for (int k = 0; k < 2; k++)
        ir->kernel[k] = (struct ir_kernel){.name = k ? "reader" : "writer",
                                           .module = "",
                                           .node = IR_NONE,
                                           .port = ARENA_ARRAY(&b.arena, struct ir_port, TENSORS),
                                           .ports = TENSORS};
    ir->edge = ARENA_ARRAY(&b.arena, struct ir_edge, TENSORS);
    ir->edges = TENSORS;
    make_edges(&b);
    b.check = check_open(&b.arena, ir, replay_open(&b.arena, ir, "", 1, &b.diag), CHECK_ALL, &b.diag);
    *state = &b;
    return 0;
}

static int teardown(void **state) {
    struct bench *b = *state;
    arena_free(&b->arena);
    return 0;
}

static void begin(struct bench *b, int64_t rows) {
    static const float zeros[CONTEXT * VECTOR];
    static const float *const row[] = {zeros};
    struct check_request request = {.count = rows, .row = row};
    b->rows = rows;
    check_begin(b->check, &request);
}

// ---- the sender: the streams of a correct design ----

struct sender {
    struct bench *b;
    enum tensor tensor;
    int64_t flip;        // number of the beat in which one bit is wrong, -1: none
    int bit;             // index in the concatenation of its data, tuser, tlast and tcount
    int64_t beats;       // sent so far
    unsigned wrong_user; // bits of tuser to invert in the beat `flip`, instead of `bit`; 0: none
    bool free;           // the wrong bit is in a part that may have any value
};

// With ALL_BITS as free_from of send, every data bit must be right.
enum { USER_BITS = 2, COUNT_BITS = 3, ALL_BITS = 1 << 20 };

// The word of a cycle.
struct sent {
    uint32_t words[40];
    unsigned user, count;
    bool last;
};

// Returns the number of bits of a word: data, tuser, tlast and tcount.
static int bits_of(const struct bench *b, enum tensor t) {
    return (int)data_bits(b->ir.tensor[t].dtype) + USER_BITS + 1 + (t == T_SCORES ? COUNT_BITS : 0);
}

static void flip_bit(const struct sender *s, struct sent *sent) {
    int data = (int)data_bits(s->b->ir.tensor[s->tensor].dtype), bit = s->bit - data;
    if (bit < 0) sent->words[s->bit / 32] ^= 1u << s->bit % 32;
    else if (bit < USER_BITS) sent->user ^= 1u << bit;
    else if (bit == USER_BITS) sent->last = !sent->last;
    else sent->count ^= 1u << (bit - USER_BITS - 1);
}

// Sends a beat, with the wrong bit if it is the beat `flip`. free_from: data bits from this index on may have any
// value.
static void send(struct sender *s, const void *data, int tok, int tokens, bool last, unsigned count, int free_from) {
    struct sent sent = {
        .user = (unsigned)(tok == tokens - 1) << 1 | (unsigned)tok, .count = count, .last = last && tok == tokens - 1};
    int bits = (int)data_bits(s->b->ir.tensor[s->tensor].dtype);
    memcpy(sent.words, data, (size_t)(bits + 7) / 8);
    if (s->beats++ == s->flip) {
        s->free = s->wrong_user == 0 && s->bit >= free_from && s->bit < bits;
        if (s->wrong_user == 0) flip_bit(s, &sent);
        sent.user ^= s->wrong_user;
    }
    check_beat(s->b->check, (int)s->tensor, sent.words, sent.user, sent.last, sent.count, (uint64_t)s->beats);
}

// Sends n elements from element `base` on, for each token of a step.
static void send_floats(struct sender *s, int64_t repetition, int64_t first, int tokens, int64_t n, int64_t base) {
    for (int64_t i = 0; i < n; i += LANES)
        for (int tok = 0; tok < tokens; tok++) {
            float lane[LANES] = {0};
            for (int64_t j = i; j < n && j < i + LANES; j++)
                lane[j - i] = (float)value_of(s->tensor, repetition, first + tok, base + j);
            send(s, lane, tok, tokens, i + LANES >= n, 0, ALL_BITS);
        }
}

// Sends scores: one element in the first beat, then full beats. Positions after the token's own may have any value.
static void send_scores(struct sender *s, int64_t repetition, int64_t first, int tokens, int head) {
    int64_t n = first + tokens;
    for (int64_t i = 0; i < n;) {
        int64_t count = i == 0 ? 1 : n - i < LANES ? n - i : LANES;
        for (int tok = 0; tok < tokens; tok++) {
            float lane[LANES] = {0};
            int64_t own = first + tok + 1;
            for (int64_t j = i; j < i + count; j++)
                lane[j - i] = j < own ? (float)value_of(s->tensor, repetition, first + tok, head * own + j) : 1e9f;
            send(s, lane, tok, tokens, i + count >= n, (unsigned)count,
                 32 * (int)(own <= i          ? 0
                            : own < i + count ? own - i
                                              : count));
        }
        i += count;
    }
}

struct unit { // the word of a stream of mx or of keys and values
    int8_t q[XS];
    uint32_t extra; // exponent of the block, or scale of the head
};

static struct unit make_unit(const struct sender *s, int64_t repetition, int64_t position, int64_t at, int64_t n) {
    struct unit u = {0};
    for (int64_t i = 0; i < n && i < XS; i++) u.q[i] = (int8_t)value_of(s->tensor, repetition, position, at + i);
    return u;
}

// Sends n elements from element `base` on, in blocks of `block`. A token has an even number of words. If its elements
// fill an odd number of words, an empty word follows those of the last block.
static void send_mx(struct sender *s, int64_t repetition, int64_t first, int tokens, int64_t n, int64_t block,
                    int64_t base) {
    int64_t units = 0, blocks = (n + block - 1) / block;
    for (int64_t b = 0; b < blocks; b++) units += ((b == blocks - 1 ? n - b * block : block) + XS - 1) / XS;
    bool odd = units % 2 != 0;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t elements = b == blocks - 1 ? n - b * block : block;
        int64_t count = (elements + XS - 1) / XS + (b == blocks - 1 && odd);
        for (int tok = 0; tok < tokens; tok++)
            for (int64_t u = 0; u < count; u++) {
                struct unit unit = make_unit(s, repetition, first + tok, base + b * block + u * XS, elements - u * XS);
                unit.extra = (uint32_t)(value_of(s->tensor, repetition, first + tok, base / block + b) + 60);
                send(s, &unit, tok, tokens, b == blocks - 1 && u == count - 1, 0,
                     u * XS < elements ? ALL_BITS : XS * 8);
            }
    }
}

static void send_kv(struct sender *s, int64_t repetition, int64_t first, int tokens) {
    for (int h = 0; h < HEADS; h++)
        for (int tok = 0; tok < tokens; tok++) {
            struct unit unit = make_unit(s, repetition, first + tok, h * HEAD_DIM, HEAD_DIM);
            float scale = (float)value_of(s->tensor, repetition, first + tok, h) / 3.0f;
            memcpy(&unit.extra, &scale, 4);
            send(s, &unit, tok, tokens, h == HEADS - 1, 0, ALL_BITS);
        }
}

static void send_bytes(struct sender *s, int64_t repetition, int64_t first, int tokens) {
    for (int64_t i = 0; i < VECTOR; i += LANES)
        for (int tok = 0; tok < tokens; tok++) {
            int8_t lane[40] = {0};
            for (int64_t j = i; j < VECTOR && j < i + LANES; j++)
                lane[j - i] = (int8_t)value_of(s->tensor, repetition, first + tok, j);
            send(s, lane, tok, tokens, i + LANES >= VECTOR, 0, ALL_BITS);
        }
}

// Sends the words of a tensor for one step and one repetition.
static void send_value(struct sender *s, int64_t repetition, int64_t first, int tokens) {
    for (int h = 0; h < HEADS && (s->tensor == T_Q || s->tensor == T_SCORES || s->tensor == T_SCALAR); h++) {
        if (s->tensor == T_Q) send_mx(s, repetition, first, tokens, HEAD_DIM, HEAD_DIM, h * HEAD_DIM);
        else if (s->tensor == T_SCORES) send_scores(s, repetition, first, tokens, h);
        else send_floats(s, repetition, first, tokens, 1, h);
    }
    if (s->tensor == T_MX) send_mx(s, repetition, first, tokens, LONG, BLOCK, 0);
    else if (s->tensor == T_KV) send_kv(s, repetition, first, tokens);
    else if (s->tensor == T_BYTES) send_bytes(s, repetition, first, tokens);
    else if (s->b->ir.tensor[s->tensor].dtype == IR_F32 && s->tensor != T_SCORES)
        send_floats(s, repetition, first, tokens, VECTOR, 0);
}

// Sends the whole stream of a request. Returns the number of beats.
static int64_t send_all(struct sender *s) {
    enum tensor tensor = s->tensor;
    int64_t rows = s->b->rows;
    bool once = tensor == T_ROW || tensor == T_LAST || tensor == T_LOCAL, one = tensor == T_LAST || tensor == T_LOCAL;
    for (int64_t first = 0; first < rows; first += TOKENS) {
        int tokens = rows - first < TOKENS ? (int)(rows - first) : TOKENS;
        for (int64_t r = 0; r < (once ? 1 : REPEAT); r++)
            send_value(s, tensor == T_LOCAL ? REPEAT : r, one ? first + tokens - 1 : first, one ? 1 : tokens);
    }
    return s->beats;
}

static int64_t send_wrong(struct bench *b, enum tensor tensor, int64_t flip, unsigned wrong_user) {
    return send_all(&(struct sender){.b = b, .tensor = tensor, .flip = flip, .wrong_user = wrong_user});
}

static int64_t send_request(struct bench *b, enum tensor tensor, int64_t flip) {
    return send_wrong(b, tensor, flip, 0);
}

// ---- tests ----

static void test_right_streams(void **state) {
    struct bench *b = *state;
    for (int64_t rows = 1; rows <= 5; rows++) {
        begin(b, rows);
        for (int t = 0; t < TENSORS; t++) {
            assert_true(check_wants(b->check, t));
            send_request(b, (enum tensor)t, -1);
            if (check_mismatch(b->check) != NULL) fail_msg("%s", check_mismatch(b->check));
            begin(b, rows);
        }
    }
    assert_int_equal(check_counts(b->check).streams, TENSORS);
    assert_true(check_counts(b->check).mantissas > 0);
    assert_int_equal(check_counts(b->check).saturated, 0);
    assert_int_equal(check_counts(b->check).constant, 0);
}

// Sends a stream with one wrong bit and ends the request. Returns the checker's message, or NULL.
static const char *say_wrong_bit(void **state, struct sender *s, int64_t *beats) {
    setup(state);
    s->b = *state;
    begin(s->b, 3);
    check_wants(s->b->check, (int)s->tensor);
    *beats = send_all(s);
    if (!check_mismatch(s->b->check)) check_end(s->b->check, 9999);
    return check_mismatch(s->b->check);
}

// Wrong data bits must be found in their beat, other bits by the end of the request.
static void assert_found(const struct sender *s, const char *text) {
    char want[32];
    bool data = s->bit < data_bits(s->b->ir.tensor[s->tensor].dtype);
    snprintf(want, sizeof want, data ? "cycle %d," : "cycle ", (int)s->flip + 1);
    if (s->free && text) fail_msg("tensor %d, beat %d, bit %d: %s", s->tensor, (int)s->flip, s->bit, text);
    if (!s->free && (!text || strncmp(text, want, strlen(want)) != 0))
        fail_msg("tensor %d, beat %d, bit %d: %s", s->tensor, (int)s->flip, s->bit, text ? text : "not found");
}

// Every wrong bit must be found, in any field (data, tuser, tlast, tcount) of any beat of any stream.
static void test_wrong_bit(void **state) {
    int bits[TENSORS];
    for (int t = 0; t < TENSORS; t++) bits[t] = bits_of(*state, (enum tensor)t);
    teardown(state); // every case opens its own
    int64_t found = 0, free = 0;
    for (int t = 0; t < TENSORS; t++)
        for (int bit = 0; bit < bits[t]; bit++) {
            int64_t beats = 1;
            for (int64_t flip = 0; flip < beats; flip++) {
                struct sender s = {.tensor = (enum tensor)t, .flip = flip, .bit = bit};
                assert_found(&s, say_wrong_bit(state, &s, &beats));
                free += s.free;
                found += !s.free;
                teardown(state);
            }
        }
    setup(state);
    print_message("%lld bits found, %lld that may be anything\n", (long long)found, (long long)free);
    assert_true(found > 20000 && free > 0 && free < found / 4);
}

// A tuser with another token, with the wrong bit for the last token of a step, or with both, must be found.
static void test_wrong_token(void **state) {
    teardown(state);
    for (int t = 0; t < TENSORS; t++)
        for (unsigned wrong = 1; wrong <= 3; wrong++) {
            int64_t beats = 1;
            for (int64_t flip = 0; flip < beats; flip++) {
                setup(state);
                struct bench *b = *state;
                begin(b, 3);
                beats = send_wrong(b, (enum tensor)t, flip, wrong);
                if (check_mismatch(b->check) == NULL)
                    fail_msg("tensor %d, beat %d, user ^ %u: not found", t, (int)flip, wrong);
                teardown(state);
            }
        }
    setup(state);
}

static void test_stream_ends_early(void **state) {
    struct bench *b = *state;
    begin(b, 2);
    for (int t = 0; t < TENSORS; t++)
        if (check_wants(b->check, t) && t != T_KV) send_request(b, (enum tensor)t, -1);
    assert_null(check_mismatch(b->check));
    check_end(b->check, 77);
    assert_non_null(check_mismatch(b->check));
    assert_non_null(strstr(check_mismatch(b->check), "kv"));
}

static void test_beat_too_many(void **state) {
    struct bench *b = *state;
    begin(b, 2);
    send_request(b, T_X, -1);
    assert_null(check_mismatch(b->check));
    send_request(b, T_X, -1);
    assert_non_null(strstr(check_mismatch(b->check), "after the end"));
}

// A word without elements must be found.
static void test_empty_word(void **state) {
    struct bench *b = *state;
    static const uint32_t zeros[LANES];
    begin(b, 1);
    check_beat(b->check, T_SCORES, zeros, 2, false, 0, 1);
    send_request(b, T_SCORES, -1);
    assert_non_null(check_mismatch(b->check));
    assert_non_null(strstr(check_mismatch(b->check), "a word of 0 elements"));
}

// Sends a firing of keys and values without tlast at its last head. The checker must report a head too many.
static void test_head_too_many(void **state) {
    struct bench *b = *state;
    begin(b, 1);
    send_all(&(struct sender){
        .b = b, .tensor = T_KV, .flip = HEADS - 1, .bit = (int)data_bits(IR_KV) + USER_BITS /* its tlast */});
    assert_non_null(check_mismatch(b->check));
    assert_non_null(strstr(check_mismatch(b->check), "expected head below 2, got 2"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_right_streams, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_bit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_token, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stream_ends_early, setup, teardown),
        cmocka_unit_test_setup_teardown(test_beat_too_many, setup, teardown),
        cmocka_unit_test_setup_teardown(test_empty_word, setup, teardown),
        cmocka_unit_test_setup_teardown(test_head_too_many, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
