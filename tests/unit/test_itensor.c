// SPDX-License-Identifier: Apache-2.0
// Tests iterative tensor types (itensors): their text form, the worked examples of the StreamTensor paper (with its
// Algorithm 1 corrected), the canonical form, walks, layout converters and line buffers. The tests imitate a converter
// by moving the addresses of elements.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/ir/ir.h"

#define STATIC(n)                                                                                                      \
    { n, IR_STATIC }

// Three types of streams of one tensor<8x8xf32>, from the paper. view_a has tiles of 2x2 by rows. view_b has tiles of
// 4x2 by columns. view_c has the tiles of view_b, but sends each pair of columns twice.
static const struct ir_itensor view_a = {.dtype = IR_F32,
                                         .rank = 2,
                                         .element = {2, 2},
                                         .loops = 2,
                                         .trip = {STATIC(4), STATIC(4)},
                                         .step = {2, 2},
                                         .map = {0, 1}};
static const struct ir_itensor view_b = {.dtype = IR_F32,
                                         .rank = 2,
                                         .element = {4, 2},
                                         .loops = 2,
                                         .trip = {STATIC(4), STATIC(2)},
                                         .step = {2, 4},
                                         .map = {1, 0}};
static const struct ir_itensor view_c = {.dtype = IR_F32,
                                         .rank = 2,
                                         .element = {4, 2},
                                         .loops = 3,
                                         .trip = {STATIC(4), STATIC(2), STATIC(2)},
                                         .step = {2, 1, 4},
                                         .map = {2, 0}};

// ---- text ----

static void check_text(const struct ir_itensor *type, const char *want) {
    struct arena arena;
    arena_init(&arena);
    struct ir ir = {.arena = &arena};
    assert_string_equal(ir_type_text(&ir, type), want);
    arena_free(&arena);
}

static void test_notation(void **state) {
    (void)state;
    check_text(&view_a, "itensor<2x2xf32, [4, 4]*[2, 2], (d0,d1)->(d0,d1)>");
    check_text(&view_b, "itensor<4x2xf32, [4, 2]*[2, 4], (d0,d1)->(d1,d0)>");
    check_text(&view_c, "itensor<4x2xf32, [4, 2, 2]*[2, 1, 4], (d0,d1,d2)->(d2,d0)>");
    struct ir_itensor dynamic = {
        .dtype = IR_F32, .rank = 2, .element = {1, 8}, .loops = 2, .step = {8, 1}, .map = {1, 0}};
    dynamic.trip[0] = (struct ir_extent){128, IR_POSITIONS};
    dynamic.trip[1] = (struct ir_extent){2, IR_TOKENS};
    check_text(&dynamic, "itensor<1x8xf32, [positions<=128, tokens<=2]*[8, 1], (d0,d1)->(d1,d0)>");
}

static struct ir_itensor tiles(int64_t rows, int64_t cols, int64_t lanes, bool columns);

// Returns the type of an image [28][28][8] in patches of 3 x 3 pixels, with one pixel of padding on each side.
static struct ir_itensor patches_3x3(void) {
    struct ir_itensor t = {.dtype = IR_F32,
                           .rank = 3,
                           .element = {1, 1, 8},
                           .loops = 4,
                           .trip = {STATIC(28), STATIC(28), STATIC(3), STATIC(3)},
                           .step = {1, 1, 1, 1},
                           .map = {0, 1, IR_NONE}};
    t.patches = 2;
    t.patch[0] = (struct ir_patch){.dim = 0, .tap = 2, .before = 1, .extent = 28};
    t.patch[1] = (struct ir_patch){.dim = 1, .tap = 3, .before = 1, .extent = 28};
    return t;
}

static void test_notation_of_patches(void **state) {
    (void)state;
    const char *texts[] = {
        "itensor<1x1x8xf32, [28, 28, 3, 3]*[1, 1, 1, 1], (d0,d1,d2,d3)->(d0+d2-1<28,d1+d3-1<28,0)>",
        "itensor<1x1xf32, [5, 3, 4]*[2, 3, 1], (d0,d1,d2)->(d0+d1<15,d2)>", // stride 2, dilation 3, no padding
        "itensor<1xf32, [5]*[2], (d0)->(d0<9)>",                            // every second element
        "itensor<1xf32, [4, 3]*[1, 1], (d0,d1)->(d0+d1-1<4:3212836864)>",   // padding with -1.0, as its fp32 bits
        "itensor<1xf32, [3]*[1], (d0)->(0+d0-1<2)>",                        // one patch
    };
    struct ir_itensor type = patches_3x3();
    check_text(&type, texts[0]);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_true(ir_type_read(texts[i], &type) && itensor_is_valid(&type));
        check_text(&type, texts[i]);
    }
    assert_false(ir_type_read("itensor<1xf32, [5, 3]*[1, 1], (d0,d1)->(d0+d2<7)>", &type)); // no such loop
    assert_false(ir_type_read("itensor<1xf32, [5, 3]*[1, 1], (d0,d1)->(d0+d1)>", &type));   // no extent
}

// ---- properties ----

static void test_patches(void **state) {
    (void)state;
    struct ir_itensor type = patches_3x3(), other = type;
    assert_int_equal(itensor_extent(&type, 0), 28);
    assert_true(itensor_equal(&type, &other));
    other.patch[1].before = 0;
    assert_false(itensor_equal(&type, &other) || ir_type_equal(&type, &other));
    other = type;
    other.patch[1].pad = 1;
    assert_false(itensor_equal(&type, &other) || ir_type_equal(&type, &other));
    other = type;
    other.patch[1].tap = 2; // one loop cannot have the taps of both dimensions
    assert_false(itensor_is_valid(&other));
    other = type;
    other.element[0] = 2;
    assert_false(itensor_is_valid(&other));
    other = type;
    other.patch[1].dim = 0;
    assert_false(itensor_is_valid(&other));
    // Patches of one element, with stride 1 and without padding, equal no patches.
    struct ir_itensor plain = tiles(28, 28, 1, false), single = plain;
    single.patches = 1;
    single.patch[0] = (struct ir_patch){.dim = 0, .tap = IR_NONE, .extent = 28};
    assert_true(itensor_equal(&plain, &single));
    single.patch[0].before = 1;
    assert_false(itensor_equal(&plain, &single));
    struct itensor_buffer buffer;
    single.patch[0].before = 0, single.step[0] = 2;
    assert_true(itensor_converter(&plain, &single, &buffer) && buffer.needed && !buffer.reducible[0]);
}

static void test_sizes(void **state) {
    (void)state;
    const struct ir_itensor *view[] = {&view_a, &view_b, &view_c};
    const int64_t tile[] = {4, 8, 8};
    for (int i = 0; i < 3; i++) {
        assert_true(itensor_is_valid(view[i]));
        assert_int_equal(itensor_tile(view[i]), tile[i]);
        assert_int_equal(itensor_extent(view[i], 0), 8);
        assert_int_equal(itensor_extent(view[i], 1), 8);
    }
}

static void test_validity(void **state) {
    (void)state;
    struct ir_itensor type = view_a;
    type.map[1] = 0;
    assert_false(itensor_is_valid(&type)); // one loop for two dimensions
    type = view_a;
    type.step[0] = 4;
    assert_false(itensor_is_valid(&type)); // tiles with gaps
    type = view_a;
    type.trip[0].bound = 0;
    assert_false(itensor_is_valid(&type));
}

static void test_canonical_form(void **state) {
    (void)state;
    struct ir_itensor one = {.dtype = IR_F32,
                             .rank = 2,
                             .element = {8, 2},
                             .loops = 2,
                             .trip = {STATIC(1), STATIC(4)},
                             .step = {8, 2},
                             .map = {0, 1}};
    struct ir_itensor none = {.dtype = IR_F32,
                              .rank = 2,
                              .element = {8, 2},
                              .loops = 1,
                              .trip = {STATIC(4)},
                              .step = {2},
                              .map = {IR_NONE, 0}};
    assert_false(ir_type_equal(&one, &none));
    assert_true(itensor_equal(&one, &none));
    struct ir_itensor twice = {.dtype = IR_F32, .rank = 1, .element = {4}, .loops = 3, .step = {1, 1, 4}, .map = {2}};
    twice.trip[0] = (struct ir_extent){2, IR_STATIC};
    twice.trip[1] = (struct ir_extent){3, IR_STATIC};
    twice.trip[2] = (struct ir_extent){4, IR_STATIC};
    struct ir_itensor c = itensor_canonical(&twice);
    assert_int_equal(c.loops, 2); // the loops that repeat the data 2 and 3 times become one that repeats them 6 times
    assert_int_equal(c.trip[0].bound, 6);
    assert_int_equal(c.map[0], 1);
    struct ir_itensor bounded = one; // a dynamic count with the bound 1 does not equal a static count of 1
    bounded.trip[0].dynamic = IR_TOKENS;
    assert_false(itensor_equal(&bounded, &none));
    assert_false(itensor_equal(&view_b, &view_c));
    assert_true(itensor_equal(&view_c, &view_c));
}

// ---- Algorithm 1: the buffer of a layout converter ----

static void test_converter_b_to_c(void **state) {
    (void)state;
    struct itensor_buffer buffer;
    assert_true(itensor_converter(&view_b, &view_c, &buffer));
    assert_true(buffer.needed);
    assert_int_equal(buffer.shared, 1);
    assert_int_equal(buffer.shape[0], 8);
    assert_int_equal(buffer.shape[1], 2);
    assert_int_equal(buffer.elements, 2 * itensor_tile(&view_b)); // two tiles
    assert_true(buffer.reducible[1]);
    assert_false(buffer.reducible[0]);
}

static void test_converter_of_row_bands(void **state) {
    (void)state;
    struct ir_itensor rows = {.dtype = IR_F32,
                              .rank = 2,
                              .element = {16, 16},
                              .loops = 2,
                              .trip = {STATIC(4), STATIC(4)},
                              .step = {16, 16},
                              .map = {0, 1}};
    struct ir_itensor again = rows; // every band of 16 rows four times
    again.loops = 3;
    again.trip[2] = (struct ir_extent){4, IR_STATIC};
    again.step[1] = 1;
    again.step[2] = 16;
    again.map[1] = 2;
    struct itensor_buffer buffer;
    assert_true(itensor_converter(&rows, &again, &buffer));
    assert_int_equal(buffer.shared, 1);
    assert_int_equal(buffer.shape[0], 16);
    assert_int_equal(buffer.shape[1], 64);
}

static void test_converter_of_all(void **state) {
    (void)state;
    struct itensor_buffer buffer;
    assert_true(itensor_converter(&view_a, &view_b, &buffer)); // other tiles: the whole tensor
    assert_int_equal(buffer.shared, 0);
    assert_int_equal(buffer.elements, 64);
    assert_true(itensor_converter(&view_a, &view_a, &buffer));
    assert_false(buffer.needed);
    struct ir_itensor other = view_a;
    other.trip[0].bound = 5;
    assert_false(itensor_converter(&view_a, &other, &buffer)); // other data
}

// A square tensor by rows and by columns has equal tiles, counts and steps, but the types differ.
static void test_order_is_part_of_a_type(void **state) {
    (void)state;
    struct ir_itensor rows = {.dtype = IR_F32, .rank = 2, .element = {2, 2}, .loops = 2, .step = {2, 2}, .map = {0, 1}};
    rows.trip[0] = rows.trip[1] = (struct ir_extent){4, IR_STATIC};
    struct ir_itensor columns = rows;
    columns.map[0] = 1, columns.map[1] = 0;
    assert_true(itensor_equal(&rows, &rows) && itensor_equal(&columns, &columns));
    assert_false(itensor_equal(&rows, &columns));
    struct itensor_buffer buffer;
    assert_true(itensor_converter(&rows, &columns, &buffer));
    assert_true(buffer.needed);
    assert_int_equal(buffer.elements, 64);
}

// A loop whose count depends on the position must stay outside the converter's buffer, which therefore holds one row.
static void test_converter_under_a_bound(void **state) {
    (void)state;
    struct ir_itensor rows = {.dtype = IR_F32, .rank = 2, .element = {1, 8}, .loops = 2, .step = {1, 8}, .map = {0, 1}};
    rows.trip[0] = (struct ir_extent){1024, IR_POSITIONS};
    rows.trip[1] = (struct ir_extent){4, IR_STATIC};
    struct ir_itensor again = rows;
    again.loops = 3;
    again.trip[1] = (struct ir_extent){2, IR_STATIC};
    again.trip[2] = (struct ir_extent){4, IR_STATIC};
    again.step[1] = 1;
    again.step[2] = 8;
    again.map[1] = 2;
    struct itensor_buffer buffer;
    assert_true(itensor_converter(&rows, &again, &buffer));
    assert_int_equal(buffer.shared, 1);
    assert_int_equal(buffer.elements, 32);
    struct ir_itensor fixed = rows;
    fixed.trip[0].dynamic = IR_STATIC;
    assert_false(itensor_converter(&rows, &fixed, &buffer)); // a bound is not a count
}

// ---- walks and layouts ----

enum { MOST = 1 << 14 }; // elements of a tensor, and of a walk over it

// Writes the addresses of a walk in order: each step of the loops gives `run` consecutive elements. Returns their
// number.
static int64_t unroll_walk(const int64_t trip[], const int64_t stride[], int loops, int64_t run, int64_t *address) {
    int64_t count = 1, n = 0;
    for (int l = 0; l < loops; l++) count *= trip[l];
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, at = 0;
        for (int l = loops - 1; l >= 0; l--) {
            at += rest % trip[l] * stride[l];
            rest /= trip[l];
        }
        for (int64_t r = 0; r < run; r++) {
            assert_true(n < MOST);
            address[n++] = at * run + r;
        }
    }
    return n;
}

// Imitates the RTL of a corner turn. Each word of the writer goes to all banks, rotated by a number of banks that grows
// by `skew` after every `period` elements. The reader computes row and bank of each lane from its loops. Every element
// must be read from the bank to which it was written, and the elements of a word must come from different banks. most:
// limit of the lanes. If the layout allows no corner turn with this limit, there is nothing to check.
static void check_corner(const struct itensor_layout *layout, int64_t most) {
    static int64_t bank_of[MOST], places[MOST], turns[MOST];
    struct itensor_corner c;
    if (!itensor_corner(layout, most, &c)) return;
    assert_true(c.lanes >= 2 && c.lanes <= most && (c.lanes & (c.lanes - 1)) == 0 && c.period % c.lanes == 0);
    int64_t turn = 0, line = 0, turn_of[ITENSOR_WALK];
    for (int64_t e = 0; e < layout->buffer; e += c.lanes) {
        for (int64_t i = e; i < e + c.lanes; i++) bank_of[i] = (i - e + turn) % c.lanes;
        line += c.lanes;
        if (line == c.period) turn += c.skew, line = 0;
    }
    for (int l = 0; l < layout->loops; l++) {
        bool steps = c.period && layout->stride[l] % c.period == 0;
        turn_of[l] = layout->stride[l] + (steps ? c.skew * (layout->stride[l] / c.period) : 0);
    }
    int64_t n = unroll_walk(layout->trip, layout->stride, layout->loops, 1, places);
    unroll_walk(layout->trip, turn_of, layout->loops, 1, turns);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(turns[i] % c.lanes, bank_of[places[i]]);
        for (int64_t j = i - i % c.lanes; j < i; j++) assert_true(turns[i] % c.lanes != turns[j] % c.lanes);
    }
}

// Moves the addresses of the writer's elements through the converter's buffer. The reader must get the addresses in the
// reader's own order. Also checks the corner turns that can replace the converter. extent: shape of the tensor; width:
// elements of a word. Returns the converter's layout.
static struct itensor_layout check_layout(const struct ir_itensor *from, const struct ir_itensor *to,
                                          const int64_t extent[], int64_t width) {
    static int64_t sent[MOST], wanted[MOST], got[MOST], places[MOST];
    struct itensor_walk a, b;
    struct itensor_layout layout;
    assert_true(itensor_walk(from, extent, &a) && itensor_walk(to, extent, &b));
    assert_true(itensor_layout(&a, &b, width, &layout));
    struct itensor_buffer tiles; // of a converter of whole tiles, which never needs less
    assert_true(!itensor_converter(from, to, &tiles) || layout.buffer * layout.width <= tiles.elements);
    int64_t n = unroll_walk(a.trip, a.stride, a.loops, 1, sent), m = unroll_walk(b.trip, b.stride, b.loops, 1, wanted),
            out = 0;
    assert_int_equal(n, layout.rounds * layout.buffer * layout.width);
    int64_t reads = unroll_walk(layout.trip, layout.stride, layout.loops, layout.width, places);
    for (int64_t round = 0; round < layout.rounds; round++)
        for (int64_t i = 0; i < reads; i++) got[out++] = sent[round * layout.buffer * layout.width + places[i]];
    assert_int_equal(out, m);
    assert_memory_equal(got, wanted, (size_t)m * sizeof *got);
    for (int64_t most = 1; most <= 64; most *= 2) check_corner(&layout, most);
    return layout;
}

static void test_layout_of_the_views(void **state) {
    (void)state;
    const int64_t extent[] = {8, 8};
    struct itensor_layout layout = check_layout(&view_b, &view_c, extent, 8);
    assert_int_equal(layout.rounds, 4);
    assert_int_equal(layout.width * layout.buffer, 16); // the 8x2 of Algorithm 1
    check_layout(&view_a, &view_b, extent, 8);
    check_layout(&view_a, &view_c, extent, 8);
    check_layout(&view_b, &view_a, extent, 1);
}

// Returns the type of a matrix by rows, or by columns, in vectors of `lanes` elements along the inner dimension.
static struct ir_itensor tiles(int64_t rows, int64_t cols, int64_t lanes, bool columns) {
    struct ir_itensor t = {.dtype = IR_F32, .rank = 2, .loops = 2};
    int inner = columns ? 0 : 1;
    t.element[inner] = t.step[1] = lanes;
    t.element[1 - inner] = t.step[0] = 1;
    t.trip[0] = (struct ir_extent){inner ? rows : cols, IR_STATIC};
    t.trip[1] = (struct ir_extent){(inner ? cols : rows) / lanes, IR_STATIC};
    t.map[inner] = 1;
    return t;
}

static void test_layout_of_a_transposition(void **state) {
    (void)state;
    const int64_t sizes[][3] = {{8, 8, 8}, {16, 24, 8}, {4, 64, 4}, {3, 5, 1}, {32, 2, 2}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const int64_t *s = sizes[i];
        struct ir_itensor rows = tiles(s[0], s[1], s[2], false), columns = tiles(s[0], s[1], s[2], true);
        struct itensor_layout layout = check_layout(&rows, &columns, s, s[2]);
        assert_int_equal(layout.width, 1);
        assert_int_equal(layout.buffer, s[0] * s[1]);
    }
}

// Tests lanes, period and skew of the corner turn that transposes a matrix with at most `most` lanes. In some cases,
// words contain the end of a row and the beginning of the next one.
static void test_corner_of_a_transposition(void **state) {
    (void)state;
    const struct {
        int64_t rows, cols, most, lanes, period, skew;
    } cases[] = {
        {8, 16, 8, 8, 16, 1},  // rows and columns are whole words: each row begins one bank further
        {8, 7, 8, 8, 0, 0},    // an odd stride needs no skew, even if words run over the ends of rows
        {7, 8, 8, 8, 8, 7},    // words of the reader run over the ends of columns: 7 rows must be one bank further
        {5, 7, 8, 2, 0, 0},    // 35 = 1 mod 2, not mod 4
        {3, 5, 8, 2, 0, 0},    // a last word that is not full
        {6, 8, 8, 2, 8, 1},    // 6 rows are not a multiple of 4
        {16, 12, 8, 4, 12, 1}, // rows of 12 are not a multiple of 8
        {2, 2, 8, 4, 0, 0},    // all elements are in one word
        {9, 11, 32, 2, 0, 0},  // 99 = 3 mod 4
        {3, 11, 32, 32, 0, 0}, // 33 = 1 mod 32, so words may run over all ends of rows and columns
        {64, 64, 64, 32, 64, 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int64_t extent[] = {cases[i].rows, cases[i].cols};
        struct ir_itensor rows = tiles(extent[0], extent[1], 1, false), columns = tiles(extent[0], extent[1], 1, true);
        struct itensor_layout layout = check_layout(&rows, &columns, extent, 1);
        struct itensor_corner c;
        assert_true(itensor_corner(&layout, cases[i].most, &c));
        assert_int_equal(c.lanes, cases[i].lanes);
        assert_int_equal(c.period, cases[i].period);
        assert_int_equal(c.skew, cases[i].skew);
        assert_false(itensor_corner(&layout, 1, &c));
    }
}

// For a tensor [4][8][16], an exchange of the two inner dimensions moves single elements within the outermost loop; an
// exchange of the two outer dimensions moves whole words.
static void test_layout_of_three_dimensions(void **state) {
    (void)state;
    const int64_t extent[] = {4, 8, 16};
    struct ir_itensor from = {
        .dtype = IR_F32, .rank = 3, .element = {1, 1, 8}, .loops = 3, .step = {1, 1, 8}, .map = {0, 1, 2}};
    from.trip[0].bound = 4, from.trip[1].bound = 8, from.trip[2].bound = 2;
    struct ir_itensor inner = {
        .dtype = IR_F32, .rank = 3, .element = {1, 8, 1}, .loops = 3, .step = {1, 1, 8}, .map = {0, 2, 1}};
    inner.trip[0].bound = 4, inner.trip[1].bound = 16, inner.trip[2].bound = 1;
    struct itensor_layout layout = check_layout(&from, &inner, extent, 8);
    assert_int_equal(layout.rounds, 4);
    assert_int_equal(layout.buffer, 128);
    struct ir_itensor outer = from;
    outer.map[0] = 1, outer.map[1] = 0;
    outer.trip[0].bound = 8, outer.trip[1].bound = 4;
    layout = check_layout(&from, &outer, extent, 8);
    assert_int_equal(layout.width, 8);
    assert_int_equal(layout.buffer, 64);
    layout = check_layout(&from, &outer, extent, 4); // narrower words, the same walk
    assert_int_equal(layout.width, 4);
    assert_int_equal(layout.buffer, 128);
}

static uint32_t random_below(uint32_t *state, uint32_t n) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % n;
}

// Returns a type with a random order of the loops and words of a random width. repeats: it may have a loop that reads
// data again.
static struct ir_itensor random_type(uint32_t *state, int rank, const int64_t extent[], bool repeats) {
    struct ir_itensor t = {.dtype = IR_F32, .rank = rank, .loops = rank};
    int order[3] = {0, 1, 2};
    for (int l = rank - 1; l > 0; l--) {
        int m = (int)random_below(state, (uint32_t)l + 1), keep = order[l];
        order[l] = order[m];
        order[m] = keep;
    }
    for (int l = 0; l < rank; l++) {
        int64_t width = l == rank - 1 ? 1ll << random_below(state, 4) : 1;
        while (extent[order[l]] % width) width /= 2;
        t.element[order[l]] = t.step[l] = width;
        t.trip[l].bound = extent[order[l]] / width;
        t.map[order[l]] = l;
    }
    if (!repeats || random_below(state, 2)) return t;
    int at = (int)random_below(state, (uint32_t)rank + 1);
    for (int l = rank; l > at; l--) {
        t.trip[l] = t.trip[l - 1];
        t.step[l] = t.step[l - 1];
    }
    for (int d = 0; d < rank; d++) t.map[d] += t.map[d] >= at;
    t.trip[at].bound = 1 + random_below(state, 3);
    t.step[at] = 1;
    t.loops++;
    return t;
}

static void test_random_layouts(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 3000; seed++) {
        uint32_t r = seed;
        int64_t extent[3];
        int rank = 1 + (int)random_below(&r, 3);
        for (int d = 0; d < rank; d++) extent[d] = 1 + random_below(&r, 17);
        struct ir_itensor from = random_type(&r, rank, extent, false), to = random_type(&r, rank, extent, true);
        assert_true(itensor_is_valid(&from) && itensor_is_valid(&to));
        int64_t width = itensor_tile(&from) < itensor_tile(&to) ? itensor_tile(&from) : itensor_tile(&to);
        struct itensor_layout layout = check_layout(&from, &to, extent, width);
        struct itensor_buffer buffer;
        assert_true(itensor_converter(&from, &to, &buffer));
        assert_true(layout.buffer * layout.width <= buffer.elements); // never more than Algorithm 1 asks for
    }
}

// ---- line buffers ----

// Returns a type of random patches of a random image: loops over rows, pixels, taps, and words of `width` elements of a
// pixel. extent[3] receives the shape of the image.
static struct ir_itensor random_patches(uint32_t *r, int64_t extent[], int64_t width) {
    struct ir_itensor t = {.dtype = IR_F32, .rank = 3, .element = {1, 1, width}, .loops = 5, .map = {0, 1, 4}};
    t.patches = 2;
    extent[2] = width * (1 + random_below(r, 3));
    t.trip[4].bound = extent[2] / width;
    t.step[4] = width;
    for (int d = 0; d < 2; d++) {
        int64_t taps = 1 + random_below(r, 4), dilation = 1 + random_below(r, 2), span = (taps - 1) * dilation;
        extent[d] = 1 + random_below(r, 9);
        int64_t before = random_below(r, (uint32_t)span + 1), stride = 1 + random_below(r, 3);
        t.patch[d] = (struct ir_patch){.dim = d, .tap = 2 + d, .before = before, .extent = extent[d]};
        t.trip[d].bound = 1 + random_below(r, (uint32_t)((extent[d] - 1 + before) / stride) + 1);
        t.trip[2 + d].bound = taps;
        t.step[d] = stride;
        t.step[2 + d] = dilation;
    }
    return t;
}

// Writes the addresses of the elements that a reader takes, in order, with -1 for padding. Returns their number.
static int64_t unroll_patches(const struct ir_itensor *t, const int64_t extent[], int64_t *address) {
    int64_t n = 0, index[IR_MAX_LOOPS] = {0};
    for (bool more = true; more;) {
        int64_t at = 0;
        bool inside = true;
        for (int d = 0; d < 3; d++) {
            const struct ir_patch *p = itensor_patch(t, d);
            int64_t e = index[t->map[d]] * t->step[t->map[d]];
            if (p) e += index[p->tap] * t->step[p->tap] - p->before;
            inside &= e >= 0 && e < extent[d];
            at = at * extent[d] + e;
        }
        for (int64_t i = 0; i < t->element[2]; i++) {
            assert_true(n < MOST);
            address[n++] = inside ? at + i : -1;
        }
        int l = t->loops - 1;
        while (l >= 0 && ++index[l] == t->trip[l].bound) index[l--] = 0;
        more = l >= 0;
    }
    return n;
}

// Returns the largest number of elements that have arrived and are still needed. A line buffer must hold at least this
// number. A reader takes `patch` elements at a time, and an element arrives only when it is needed. address: the n
// addresses of unroll_patches.
static int64_t most_needed(const int64_t *address, int64_t n, int64_t patch) {
    static int64_t oldest[MOST + 1];
    int64_t newest = -1, most = 0;
    oldest[n] = INT64_MAX;
    for (int64_t i = n - 1; i >= 0; i--)
        oldest[i] = address[i] >= 0 && address[i] < oldest[i + 1] ? address[i] : oldest[i + 1];
    for (int64_t i = 0; i < n; i++) {
        int64_t first = oldest[i - i % patch];
        if (address[i] > newest) newest = address[i];
        if (first <= newest && newest - first + 1 > most) most = newest - first + 1;
    }
    return most;
}

// The line buffer of random patches must hold all elements that are needed, and not more than the rows and pixels that
// a patch spans. In most cases it must hold less than one word more than necessary.
static void test_random_line_buffers(void **state) {
    (void)state;
    static int64_t address[MOST];
    int exact = 0;
    for (uint32_t seed = 0; seed < 3000; seed++) {
        uint32_t r = seed;
        int64_t extent[3], width = 1ll << random_below(&r, 3);
        struct ir_itensor to = random_patches(&r, extent, width);
        assert_true(itensor_is_valid(&to));
        struct itensor_lines lines;
        struct ir_itensor c = itensor_canonical(&to);
        if (!c.patches) continue;
        assert_true(itensor_lines(&to, extent, width, &lines));
        assert_int_equal(lines.axis[0].size * lines.axis[1].size * lines.pixel * lines.width,
                         extent[0] * extent[1] * extent[2]);
        const struct itensor_line_axis *row = &lines.axis[0], *pixel = &lines.axis[1];
        int64_t patch = row->taps * pixel->taps * lines.pixel * lines.width, held = lines.buffer * lines.width;
        int64_t needed = most_needed(address, unroll_patches(&to, extent, address), patch);
        assert_true(held >= needed);
        int64_t pixels = (row->taps - 1) * row->dilation * pixel->size + (pixel->taps - 1) * pixel->dilation + 1;
        assert_true(lines.buffer <= pixels * lines.pixel);
        exact += held - needed < lines.width;
    }
    assert_true(exact > 2000);
}

static void test_orders_without_line_buffer(void **state) {
    (void)state;
    const int64_t extent[] = {28, 28, 8};
    struct ir_itensor to = patches_3x3();
    struct itensor_lines lines;
    assert_true(itensor_lines(&to, extent, 8, &lines));
    assert_int_equal(lines.buffer, 2 * 28 + 3);
    to.patch[0].tap = 3, to.patch[1].tap = 2; // the columns of a patch, not its rows
    assert_false(itensor_lines(&to, extent, 8, &lines));
}

// Two types have equal walks if the order of their elements is equal, even if their tiles differ.
static void test_equal_walks(void **state) {
    (void)state;
    const int64_t extent[] = {6, 32}, flat[] = {192}, odd[] = {10};
    struct ir_itensor wide = tiles(6, 32, 8, false), narrow = tiles(6, 32, 2, false);
    struct ir_itensor vector = {
        .dtype = IR_F32, .rank = 1, .element = {8}, .loops = 1, .trip = {STATIC(24)}, .step = {8}, .map = {0}};
    struct itensor_walk a, b, c;
    assert_true(itensor_walk(&wide, extent, &a) && itensor_walk(&narrow, extent, &b) &&
                itensor_walk(&vector, flat, &c));
    assert_true(itensor_walk_equal(&a, &b) && itensor_walk_equal(&a, &c));
    struct ir_itensor columns = tiles(6, 32, 2, true);
    assert_true(itensor_walk(&columns, extent, &b));
    assert_false(itensor_walk_equal(&a, &b));
    const struct itensor_walk outer = {.loops = 1, .trip = {6}, .stride = {32}}, // only the first loop of the other one
        both = {.loops = 2, .trip = {6, 32}, .stride = {32, 1}};
    assert_false(itensor_walk_equal(&outer, &both) || itensor_walk_equal(&both, &outer));
    vector.trip[0].bound = 2; // 10 elements: the second tile reaches over the end
    assert_true(itensor_walk(&vector, odd, &c));
    assert_int_equal(c.trip[0], 10);
    wide.trip[1].dynamic = IR_POSITIONS;
    assert_false(itensor_walk(&wide, extent, &a));
    // Each tile of a vector is read three times before the next one.
    struct ir_itensor again = {.dtype = IR_F32,
                               .rank = 1,
                               .element = {4},
                               .loops = 2,
                               .trip = {STATIC(6), STATIC(3)},
                               .step = {4, 1},
                               .map = {0}};
    const int64_t whole[] = {24};
    assert_true(itensor_walk(&again, whole, &c));
    assert_int_equal(c.loops, 3);
    assert_true(c.trip[0] == 6 && c.trip[1] == 3 && c.trip[2] == 4);
    assert_true(c.stride[0] == 4 && c.stride[1] == 0 && c.stride[2] == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notation),
        cmocka_unit_test(test_notation_of_patches),
        cmocka_unit_test(test_patches),
        cmocka_unit_test(test_random_line_buffers),
        cmocka_unit_test(test_orders_without_line_buffer),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_validity),
        cmocka_unit_test(test_canonical_form),
        cmocka_unit_test(test_converter_b_to_c),
        cmocka_unit_test(test_converter_of_row_bands),
        cmocka_unit_test(test_converter_of_all),
        cmocka_unit_test(test_order_is_part_of_a_type),
        cmocka_unit_test(test_converter_under_a_bound),
        cmocka_unit_test(test_layout_of_the_views),
        cmocka_unit_test(test_layout_of_a_transposition),
        cmocka_unit_test(test_corner_of_a_transposition),
        cmocka_unit_test(test_layout_of_three_dimensions),
        cmocka_unit_test(test_random_layouts),
        cmocka_unit_test(test_equal_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
