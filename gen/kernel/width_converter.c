// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_width_converter, which changes the number of elements in a word.
#include "gen/kernel/class.h"

// With equal widths and dense words, the module has no registers, so its latency is 0. Otherwise it is a
// rill_width_gear.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    int64_t in = args_int(a, "IN_ELEMS", 1), out = args_int(a, "OUT_ELEMS", 1);
    if (in > 0 && in == out && args_int(a, "DENSE", 0) == 1) {
        class_pipe(c, 0);
        return;
    }
    c->machine = TIMING_GEAR;
    c->stages = div_up(log2_up(out), 2) + 2; // the mask, the stages of the shifter, the merge
    c->gear.in = in;
    c->gear.out = out;
    c->gear.lines = 4; // row-steps in the buffer (LINES of rill_width_gear)
    c->gear.last_words = args_int(a, "LAST_WORDS", 0);
    c->gear.last_elements = args_int(a, "LAST_ELEMS", 0);
}

// Returns the width, in elements, of the register after a stage of the shifter: the elements of a word, plus the most
// places by which the stages up to this one move the word. Each stage moves it by 0 to 3 times a power of four.
static int64_t shifted(int64_t in, int64_t out, int stage) { return in + at_most((1ll << (2 * stage)) - 1, out - 1); }

// Adds the mask of a word, and unless the widths are equal and words dense, also rill_width_gear: a shifter whose
// stages are 4:1 multiplexers, the join with the elements that the token has left over, a buffer of four row-steps
// (LINES), and the output.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    enum { LINES = 4 };
    int64_t in = args_int(a, "IN_ELEMS", 1), out = at_least(args_int(a, "OUT_ELEMS", 1), 1),
            bits = args_int(a, "ELEM_W", 32);
    if (args_int(a, "DENSE", 0) && in == out) {
        r->lut += in * bits;
        return;
    }
    int64_t stages = div_up(log2_up(out), 2), line = in + out - 1, banks = 1ll << tok_bits(class_tokens(a)), moved = 0;
    for (int s = 1; s <= stages; s++) moved += shifted(in, out, s);
    r->ff += bits * (in + moved + line + at_most(out, in - 1) + out);
    struct cost_resources lut = {.lut = bits * (in + moved + out)}; // mask, shifts, join
    int64_t chunks = (in + 2 * out - 2) / out;
    lut.lut += bits * out * (div_up(chunks - 2, 3) + div_up(chunks, 4)); // the new leftover, the chunk that leaves
    cost_ram_add(&lut, banks, bits * out, RAM_DISTRIBUTED, 1);
    cost_ram_add(&lut, LINES * banks, bits * line, RAM_DISTRIBUTED, 1);
    cost_per(r, lut.lut, PER_WIDTH_CONVERTER_LUT);
    cost_per(r, 1, PER_WIDTH_CONVERTER_BASE);
}

const struct kernel_class rtl_width_converter = {.module = "rill_width_converter",
                                                 .without = "ignored: LAST_ELEMS and LAST_WORDS give the counts",
                                                 .doc = "converts words to another width",
                                                 .traits = KERNEL_WIDTH,
                                                 .contract = contract,
                                                 .cost = cost};
