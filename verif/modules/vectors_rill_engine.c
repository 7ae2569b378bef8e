// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_engine_tb: a run of steps over two layers with two heads, and a product for the last token.
// Each line is "kind a b c data", hexadecimal. Kinds:
//    1  step word
//    2  operand unit; a: tuser, b: tlast
//    3  K unit; a, b as for 2
//    4  V unit; a, b as for 2, c: number of firings whose results must have come before it
//    5  memory beat of lane a
//    6  result; a: tcount, b: {tlast, tuser}, c: lanes to compare
//    7  descriptor of the V write-out
//    8  beat of that descriptor for lane a
//    9  end; a: 1 if a fault is expected, b: number of steps
// The shapes are those of the bench's schedule. Data that must not matter is random: weights after the last column, and
// lanes after the last row.
#include "gen/ir/fields.h"
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_stream.h"

// LAYERS, HEADS, CONTEXT: layers, heads and positions of the run. MAX_C: most lanes. MAX_XS: most bytes of a beat.
// MAX_T: most tokens of a step. MAX_HD: most elements of a head. MAX_K: most elements of a row of weights. MAX_P: most
// positions of a product with values.
enum {
    LAYERS = 2,
    HEADS = 2,
    MAX_C = 32,
    MAX_XS = 64,
    MAX_T = 8,
    MAX_HD = MAX_XS + 8,
    CONTEXT = 192,
    MAX_K = 1024,
    MAX_P = CONTEXT
};

// c: CHANNELS of the bench, which is also the number of lanes. xs: bytes of a beat. tok_bits: width of a token's
// number. tokens, group, fault, asym and last_beats: the bench's parameters of the same names.
struct engine {
    struct vectors v;
    int c, xs, tokens, group, tok_bits, fault, asym, last_beats;
    int bits;                                     // width of a mantissa of the operands
    int hd, v_rows, parts;                        // elements of a head; row-steps of V; beats of a V block
    int pos, ntok;                                // position of the step's first token; tokens of the step
    int firings;                                  // firings whose results have all been printed
    uint8_t tail[LAYERS][HEADS][MAX_HD][64];      // the open block of V, as in rill_v_tail
    int8_t block[LAYERS][HEADS][MAX_HD][CONTEXT]; // V blocks in memory
    bool appended[CONTEXT];                       // positions that a step has had
};

// The operand of one firing, for all tokens. q: mantissas. shift: exponents of the blocks.
struct operand {
    int k, block; // elements of a token; elements of a block
    int16_t q[MAX_T][MAX_K];
    uint8_t shift[MAX_T][MAX_K / 32];
};

static uint8_t random_byte(struct engine *e) { return (uint8_t)vectors_random(&e->v); }

// ---- lines ----

// Prints n bytes as one number, byte 0 lowest.
static void print_bytes(const uint8_t *bytes, int n) {
    for (int i = n - 1; i >= 0; i--) printf("%02x", bytes[i]);
    printf("\n");
}

// Prints a K or V unit {scale, bytes}. last: it is the last unit of the step in this layer, which has tlast.
static void print_unit(struct engine *e, int kind, unsigned scale, const uint8_t *bytes, int tok, int ntok, bool last) {
    unsigned user = (unsigned)(tok == ntok - 1) << e->tok_bits | (unsigned)tok;
    printf("%x %x %x %x %08x", (unsigned)kind, user, (unsigned)last, (unsigned)e->firings, scale);
    print_bytes(bytes, e->xs);
}

// Prints a beat that the memory sends to a lane.
static void print_beat(struct engine *e, int lane, const uint8_t *bytes) {
    printf("5 %x 0 0 ", (unsigned)lane);
    print_bytes(bytes, e->xs);
}

struct result {
    float y[MAX_C];
    uint32_t skip; // lanes that are not compared
};

// Prints the result of one row-step and token; count: its valid lanes.
static void print_result(struct engine *e, const struct result *r, int count, int tok, int ntok, bool last) {
    e->firings += last;
    unsigned user = (unsigned)(tok == ntok - 1) << e->tok_bits | (unsigned)tok;
    uint32_t mask = (count == 32 ? 0xffffffffu : (1u << count) - 1) & ~r->skip;
    printf("6 %x %x %" PRIx32 " ", (unsigned)count, (unsigned)last << (e->tok_bits + 1) | user, mask);
    for (int c = e->c - 1; c >= 0; c--) printf("%08" PRIx32, mask >> c & 1 ? g_bits(r->y[c]) : 0u);
    printf("\n");
}

// ---- operands ----

// Fills an operand of k elements in blocks with random mantissas and shifts.
static void make_operand(struct engine *e, struct operand *x, int k, int block, int ntok) {
    memset(x, 0, sizeof *x);
    x->k = k;
    x->block = block;
    for (int t = 0; t < ntok; t++) {
        for (int i = 0; i < k; i++) {
            int most = (int)golden_mx_limit(e->bits);
            x->q[t][i] = (int16_t)((int)(vectors_random(&e->v) & 0x3ff) % (2 * most + 1) - most);
        }
        for (int b = 0; b < div_up(k, block); b++)
            x->shift[t][b] = random_byte(e) % (unsigned)(golden_mx_shift_max(e->bits) + 1);
    }
}

// Prints one unit of block b, or a unit of zeros after the last block.
static void print_operand_unit(struct engine *e, const struct operand *x, int t, int ntok, int b, int u, bool last) {
    int at = b * x->block + u * e->xs, end = (b + 1) * x->block < x->k ? (b + 1) * x->block : x->k;
    unsigned user = (unsigned)(t == ntok - 1) << e->tok_bits | (unsigned)t;
    printf("2 %x %x %x ", user, (unsigned)last, (unsigned)e->firings);
    stream_mantissas((size_t)e->xs, at < x->k ? x->shift[t][b] : 0, e->bits, at < end ? (size_t)(end - at) : 0,
                     x->q[t] + (at < x->k ? at : 0));
    printf("\n");
}

// Prints an operand in order block, token, unit in block. If a token has an odd number of units, a unit of zeros
// follows for each token.
static void print_operand(struct engine *e, const struct operand *x, int ntok) {
    int blocks = div_up(x->k, x->block), rest = x->k - (blocks - 1) * x->block;
    bool odd = ((blocks - 1) * div_up(x->block, e->xs) + div_up(rest, e->xs)) % 2;
    for (int b = 0; b < blocks + odd; b++) {
        int units = b == blocks ? 1 : div_up(b == blocks - 1 ? rest : x->block, e->xs);
        for (int t = 0; t < ntok; t++)
            for (int u = 0; u < units; u++)
                print_operand_unit(e, x, t, ntok, b, u, b == blocks + odd - 1 && t == ntok - 1 && u == units - 1);
    }
}

// ---- weights ----

// k: elements of a row. last_rows: rows of the last row-step. beats: data beats of a row. groups: group words of a row.
struct matrix {
    int k, row_steps, last_rows, beats, groups;
    bool int4, asym, outer; // outer: the first chunk goes column by column
};

// One row of weights.
struct row {
    int8_t w[MAX_K];
    uint8_t group_scale[MAX_K / 32];
    int8_t group_offset[MAX_K / 32]; // for int4_asym
    float scale, bias;
};

// Makes a random row. A row after the last one (`exists` is false) has a NaN as scale and an infinity as bias.
static void make_row(struct engine *e, struct row *r, bool int4, bool exists) {
    for (int i = 0; i < MAX_K; i++)
        r->w[i] = int4 ? (int8_t)(random_byte(e) % 16 - 8) : (int8_t)(random_byte(e) % 255 - 127);
    for (int g = 0; g < MAX_K / 32; g++) {
        r->group_scale[g] = random_byte(e);
        if (e->asym) r->group_offset[g] = (int8_t)random_byte(e);
    }
    r->scale = exists ? vectors_value(&e->v, 103, 20) : g_float(0x7fc00000);
    r->bias = exists ? vectors_value(&e->v, 127, 30) : g_float(0x7f800000);
}

// Prints the header beats of a chunk of rows for one lane: one beat of row scales and biases, then the group scales.
static void print_header(struct engine *e, const struct matrix *m, int lane, int rows, struct row row[][MAX_C]) {
    int rc = e->xs / 8, each = m->asym ? e->xs / 16 : 1; // group scales of a group word
    int scale_beats = m->int4 ? div_up(rc * m->groups * (m->asym ? 2 * each : 1), e->xs) : 0;
    uint8_t bytes[64 * MAX_XS];
    for (int i = 0; i < 64 * MAX_XS; i++) bytes[i] = random_byte(e);
    memset(bytes, 0xff, MAX_XS);
    for (int r = 0; r < rows; r++) {
        memcpy(bytes + 8 * r, &row[r][lane].scale, 4);
        memcpy(bytes + 8 * r + 4, &row[r][lane].bias, 4);
        uint8_t *words = bytes + e->xs + r * m->groups * (m->asym ? 2 * each : 1);
        for (int g = 0; g < m->groups * each; g++) {
            *words++ = row[r][lane].group_scale[g];
            if (m->asym) *words++ = (uint8_t)row[r][lane].group_offset[g];
        }
    }
    for (int b = 0; b < 1 + scale_beats; b++) print_beat(e, lane, bytes + b * e->xs);
}

// Prints data beat b of a row.
static void print_data(struct engine *e, const struct matrix *m, int lane, const struct row *row, int b) {
    uint8_t bytes[MAX_XS];
    for (int i = 0; i < e->xs; i++) {
        const int8_t *w = row->w + (m->int4 ? 2 : 1) * (b * e->xs + i);
        bytes[i] = m->int4 ? (uint8_t)((w[0] & 15) | w[1] << 4) : (uint8_t)w[0];
    }
    print_beat(e, lane, bytes);
}

// Prints the data beats of a chunk of rows for one lane: column by column if `outer`, else row by row.
static void print_rows(struct engine *e, const struct matrix *m, int lane, int rows, struct row row[][MAX_C],
                       bool outer) {
    for (int b = 0; outer && b < m->beats; b++)
        for (int r = 0; r < rows; r++) print_data(e, m, lane, &row[r][lane], b);
    for (int r = 0; !outer && r < rows; r++)
        for (int b = 0; b < m->beats; b++) print_data(e, m, lane, &row[r][lane], b);
}

// Prints the results of one row-step for all tokens. Lanes whose result faults are not compared.
static void expect_row(struct engine *e, const struct matrix *m, const struct operand *x, const struct row *row,
                       int count, int ntok, bool last) {
    for (int t = 0; t < ntok; t++) {
        struct result r = {.skip = 0};
        for (int c = 0; c < count; c++) {
            struct golden_fault fault = {0};
            const uint8_t *scales = m->int4 ? row[c].group_scale : NULL;
            int64_t acc = m->asym ? golden_dot_asym((size_t)m->k, (size_t)x->block, row[c].w, scales,
                                                    row[c].group_offset, x->q[t], x->shift[t])
                                  : golden_dot((size_t)m->k, (size_t)x->block, row[c].w, scales, x->q[t], x->shift[t]);
            r.y[c] = golden_dequantize(acc, row[c].scale, row[c].bias, &fault);
            if (fault.raised) r.skip |= 1u << c;
        }
        print_result(e, &r, count, t, ntok, last && t == ntok - 1);
    }
}

// Prints beats and results of a product, chunk by chunk. spoil: one bias of each chunk is infinite.
static void fire_matrix(struct engine *e, const struct matrix *m, const struct operand *x, int ntok, bool spoil) {
    static struct row row[8][MAX_C];
    int rc = e->xs / 8;
    for (int first = 0; first < m->row_steps; first += rc) {
        int rows = m->row_steps - first < rc ? m->row_steps - first : rc;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < e->c; c++)
                make_row(e, &row[r][c], m->int4, first + r < m->row_steps - 1 || c < m->last_rows);
        if (spoil) row[0][0].bias = g_float(0x7f800000);
        for (int c = 0; c < e->c; c++) {
            print_header(e, m, c, rows, row);
            print_rows(e, m, c, rows, row, m->outer && first == 0);
        }
        for (int r = 0; r < rows; r++) {
            bool last = first + r == m->row_steps - 1;
            expect_row(e, m, x, row[r], last ? m->last_rows : e->c, ntok, last);
        }
    }
}

// Prints the two products of a layer, one of int8 and one of int4 weights, which use the same operand.
static void layer_products(struct engine *e, int ntok) {
    struct operand x;
    int rc = e->xs / 8, k = 2 * e->group + e->xs + 3;
    struct matrix bytes = {
        .k = k, .row_steps = 3, .last_rows = e->c > 1 ? e->c - 1 : 1, .beats = div_up(k, e->xs), .outer = true};
    struct matrix nibbles = {.k = k,
                             .row_steps = rc + 1,
                             .last_rows = 1,
                             .beats = div_up(k, 2 * e->xs),
                             .groups = e->asym ? div_up(k, 2 * e->xs) : 3,
                             .int4 = true,
                             .asym = e->asym,
                             .outer = true};
    make_operand(e, &x, k, e->group, ntok);
    print_operand(e, &x, ntok);
    fire_matrix(e, &bytes, &x, ntok, false);
    fire_matrix(e, &nibbles, &x, ntok, false);
}

// Prints the product for the last token, in steps with a head.
static void last_product(struct engine *e, bool spoil) {
    struct operand x;
    int k = e->last_beats * 2 * e->xs, group = e->last_beats > 1 ? e->group : k;
    struct matrix m = {.k = k,
                       .row_steps = e->xs / 8 + 2,
                       .last_rows = e->c,
                       .beats = e->last_beats,
                       .groups = div_up(k, group),
                       .int4 = true};
    make_operand(e, &x, k, group, 1);
    print_operand(e, &x, 1);
    fire_matrix(e, &m, &x, 1, spoil);
}

// ---- attention ----

// Returns a product of token t with n key or value elements, which have neither row scales nor biases.
static float raw_product(size_t n, size_t block, const int8_t w[], const struct operand *x, int t, int exp_min) {
    struct golden_fault fault = {0};
    return golden_dequantize_raw(golden_dot(n, block, w, NULL, x->q[t], x->shift[t]), exp_min, &fault);
}

// Prints the results of one row-step of keys for all tokens of the step.
static void expect_scores(struct engine *e, const struct operand *q, int8_t k[][MAX_HD], int count, bool last) {
    for (int t = 0; t < e->ntok; t++) {
        struct result r = {.skip = 0};
        for (int c = 0; c < count; c++)
            r.y[c] = raw_product((size_t)e->hd, (size_t)e->hd, k[c], q, t, GOLDEN_MX_EXP_MIN);
        print_result(e, &r, count, t, e->ntok, last && t == e->ntok - 1);
    }
}

// Fills a key or value of one head with random numbers, zeros after the head.
static void make_head(struct engine *e, int8_t k[MAX_HD]) {
    memset(k, 0, MAX_HD);
    for (int d = 0; d < e->hd; d++) k[d] = (int8_t)(random_byte(e) % 255 - 127);
}

// Makes a unit of a head, with zeros after its elements.
static void head_unit(struct engine *e, const int8_t k[MAX_HD], int unit, uint8_t bytes[MAX_XS]) {
    memset(bytes, 0, MAX_XS);
    for (int i = 0; i < e->xs && unit * e->xs + i < e->hd; i++) bytes[i] = (uint8_t)k[unit * e->xs + i];
}

// Prints a product of the queries of a head with all keys: those in memory, then those of the step (`now`).
static void fire_scores(struct engine *e, int8_t now[][MAX_HD]) {
    struct operand q;
    uint8_t bytes[MAX_XS];
    int8_t k[MAX_C][MAX_HD];
    make_operand(e, &q, e->hd, e->hd, e->ntok);
    print_operand(e, &q, e->ntok);
    for (int p = 0; p < e->pos; p += e->c) {
        for (int c = 0; c < e->c; c++) {
            make_head(e, k[c]);
            for (int u = 0; u < div_up(e->hd, e->xs); u++) {
                head_unit(e, k[c], u, bytes);
                print_beat(e, c, bytes);
            }
        }
        expect_scores(e, &q, k, e->pos - p < e->c ? e->pos - p : e->c, false);
    }
    for (int t = 0; t < e->ntok; t += e->c)
        expect_scores(e, &q, now + t, e->ntok - t < e->c ? e->ntok - t : e->c, t + e->c >= e->ntok);
}

// Fills w with row d of a head's values: all blocks in memory, then the open block. A row after the head's last one
// gets random data.
static void value_row(struct engine *e, int layer, int head, int d, int blocks, int8_t w[MAX_P]) {
    for (int i = 0; i < MAX_P; i++) w[i] = (int8_t)random_byte(e);
    if (d >= e->hd) return;
    memcpy(w, e->block[layer][head][d], (size_t)blocks * 64);
    memcpy(w + blocks * 64, e->tail[layer][head][d], 64);
}

// Prints a product of a head's softmax weights with all its values. The weights of positions after the token, and of
// positions that no step has had, are 0.
static void fire_values(struct engine *e, int layer, int head) {
    struct operand p;
    int8_t w[MAX_C][MAX_P];
    int blocks = e->pos / 64, positions = (blocks + 1) * 64;
    make_operand(e, &p, positions, 64, e->ntok);
    for (int t = 0; t < e->ntok; t++)
        for (int i = 0; i < positions; i++)
            if (i > e->pos + t || !e->appended[i]) p.q[t][i] = 0;
    print_operand(e, &p, e->ntok);
    for (int j = 0; j < e->v_rows; j++) {
        int count = e->hd - j * e->c < e->c ? e->hd - j * e->c : e->c;
        for (int c = 0; c < e->c; c++) {
            value_row(e, layer, head, j * e->c + c, blocks, w[c]);
            for (int b = 0; b < blocks * e->parts; b++) print_beat(e, c, (const uint8_t *)w[c] + b * e->xs);
        }
        for (int t = 0; t < e->ntok; t++) {
            struct result r = {.skip = 0};
            for (int c = 0; c < count; c++)
                r.y[c] = raw_product((size_t)positions, 64, w[c], &p, t, GOLDEN_MX_EXP_MIN_P);
            print_result(e, &r, count, t, e->ntok, j == e->v_rows - 1 && t == e->ntok - 1);
        }
    }
}

// Prints the keys (kind 3) or values (kind 4) of the step's positions in one layer. Their scales do not matter here.
static void print_heads(struct engine *e, int kind, int8_t k[HEADS][MAX_T][MAX_HD]) {
    uint8_t bytes[MAX_XS];
    for (int h = 0; h < HEADS; h++)
        for (int t = 0; t < e->ntok; t++)
            for (int u = 0; u < div_up(e->hd, e->xs); u++) {
                head_unit(e, k[h][t], u, bytes);
                print_unit(e, kind, 0x40490fdb, bytes, t, e->ntok,
                           h == HEADS - 1 && t == e->ntok - 1 && u == div_up(e->hd, e->xs) - 1);
            }
}

// Stores the values of the step's positions in the open block, which the first position of a block clears.
static void append_values(struct engine *e, int layer, int8_t v[HEADS][MAX_T][MAX_HD]) {
    for (int h = 0; h < HEADS; h++)
        for (int t = 0; t < e->ntok; t++)
            for (int d = 0; d < e->hd; d++) {
                if ((e->pos + t) % 64 == 0) memset(e->tail[layer][h][d], 0, 64);
                e->tail[layer][h][d][(e->pos + t) % 64] = (uint8_t)v[h][t][d];
            }
}

// Prints the descriptor and the beats of one row-step of a V block, and stores the block in the memory.
static void close_row(struct engine *e, int layer, int h, int j) {
    static const uint8_t zeros[64] = {0};
    uint64_t row = (uint64_t)(h * e->v_rows + j), block = (uint64_t)e->pos / 64;
    uint64_t offset = 0x10000 + (uint64_t)layer * 0x40000 + row * (CONTEXT / 64) * 64 + block * 64;
    printf("7 0 0 0 %014" PRIx64 "\n", (uint64_t)e->parts << 40 | offset);
    for (int c = 0; c < e->c; c++) {
        int d = j * e->c + c;
        const uint8_t *bytes = d < e->hd ? e->tail[layer][h][d] : zeros;
        for (int part = 0; part < e->parts; part++) {
            printf("8 %x 0 0 ", (unsigned)c);
            print_bytes(bytes + part * e->xs, e->xs);
        }
        if (d < e->hd) memcpy(e->block[layer][h][d] + block * 64, bytes, 64);
    }
}

// Ends a complete V block: writes out all its rows.
static void close_block(struct engine *e, int layer) {
    for (int h = 0; h < HEADS; h++)
        for (int j = 0; j < e->v_rows; j++) close_row(e, layer, h, j);
}

// Prints the attention of a layer: K and V of the step's positions, the products with keys, then those with values.
static void attention(struct engine *e, int layer) {
    int8_t k[HEADS][MAX_T][MAX_HD], v[HEADS][MAX_T][MAX_HD];
    for (int h = 0; h < HEADS; h++)
        for (int t = 0; t < e->ntok; t++) {
            make_head(e, k[h][t]);
            make_head(e, v[h][t]);
        }
    print_heads(e, 3, k);
    print_heads(e, 4, v);
    append_values(e, layer, v);
    for (int h = 0; h < HEADS; h++) fire_scores(e, k[h]);
    for (int h = 0; h < HEADS; h++) fire_values(e, layer, h);
    if ((e->pos + e->ntok) % 64 == 0) close_block(e, layer);
}

// Prints the step word, then all products of the step.
static void run_step(struct engine *e, int pos, int ntok, bool head, bool final) {
    e->pos = pos;
    e->ntok = ntok;
    uint64_t word = field_put(STEP_POS, (uint64_t)pos) | field_put(STEP_NTOK, (uint64_t)ntok) |
                    field_put(STEP_HEAD, head) | field_put(STEP_FINAL, final) |
                    field_put(STEP_KROWS, (uint64_t)div_up(pos, e->c)) | field_put(STEP_VBLOCKS, (uint64_t)pos / 64);
    printf("1 0 0 0 %016" PRIx64 "\n", word);
    for (int t = 0; t < ntok; t++) e->appended[pos + t] = true;
    for (int layer = 0; layer < LAYERS; layer++) {
        layer_products(e, ntok);
        attention(e, layer);
    }
    if (head) last_product(e, final && e->fault);
}

// Runs steps of TOKENS tokens and of one token, at the beginning and at the end of a block of values. copies: tokens
// that a beat serves at a time (TURN_TOKENS). With more than two, there are also steps of 2 to TOKENS - 1 tokens, and
// the first step has three tokens, while the memory of a fourth token's operand is still undefined. A brief run ends
// after the step at position 5. Returns the number of steps.
static int run_steps(struct engine *e, int copies, bool brief) {
    bool many = copies > 2;
    int t = e->tokens, pos = 6, steps = 4 + many;
    if (many) run_step(e, 0, 3, false, false);
    run_step(e, 0, t, false, false);
    run_step(e, 5, 1, true, brief);
    if (brief) return 2 + many;
    for (int n = 2; many && n < t; pos += n++, steps++) run_step(e, pos, n, false, false);
    run_step(e, 64 - t, t, false, false);
    run_step(e, 128 - t, t, true, true);
    return steps;
}

int main(int argc, char **argv) {
    static struct engine e;
    e.v = vectors_start(argc, argv);
    e.c = (int)vectors_argument(argc, argv, "CHANNELS", 1);
    e.xs = (int)vectors_argument(argc, argv, "BEAT_BITS", 256) / 8;
    e.tokens = (int)vectors_argument(argc, argv, "TOKENS", 1);
    e.group = (int)vectors_argument(argc, argv, "GROUP", 2 * e.xs);
    e.last_beats = (int)vectors_argument(argc, argv, "LAST_BEATS", 1);
    e.fault = (int)vectors_argument(argc, argv, "FAULT", 0);
    e.asym = (int)vectors_argument(argc, argv, "ASYM", 0);
    e.bits = (int)vectors_argument(argc, argv, "X_BITS", 8);
    for (e.tok_bits = 1; 1 << e.tok_bits < e.tokens; e.tok_bits++) continue;
    e.hd = (int)vectors_argument(argc, argv, "HEAD_DIM", 1);
    e.v_rows = div_up(e.hd, e.c);
    e.parts = 64 / e.xs;
    bool brief = vectors_argument(argc, argv, "BRIEF", 0);
    int steps = run_steps(&e, (int)vectors_argument(argc, argv, "TURN_TOKENS", 1), brief);
    printf("9 %x %x 0 0\n", (unsigned)e.fault, (unsigned)steps);
    return 0;
}
