// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_spill, which writes the firings of a stream to memory and reads them back, where on-chip
// memory is short.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    int64_t bits = at_least(args_int(a, "DATA_W", 1), 1), beat_bits = class_beat_bits(a);
    c->machine = TIMING_SPILL;
    c->spill.settle = 6; // the write engine's idle signal may come so many cycles late
    c->spill.in_beat = at_least(beat_bits / bits, 1);
    c->spill.beats = beat_bits / bits ? 1 : div_up(bits, at_least(beat_bits, 1));
    c->spill.burst = args_int(a, "BURST", 1);
    c->spill.firings = args_int(a, "FIRINGS", 1);
    c->spill.words = args_int(a, "WORDS", 1);
}

// Adds memory for tuser of all firings, and registers for the word at the output and for the beat that is being filled.
// If a word is wider than a beat, adds registers for the word that is written and for the word that is read instead of
// the beat's.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "DATA_W", 1), beat = class_beat_bits(a), whole = beat / at_least(word, 1),
            parts = div_up(word, beat), firings = args_int(a, "FIRINGS", 1);
    cost_ram_add(r, firings * args_int(a, "WORDS", 1), args_int(a, "USER_W", 1), RAM_DISTRIBUTED, 1);
    if (whole) r->lut += beat;
    r->ff += word + (whole ? beat : word + (parts - 1) * beat);
    cost_per(r, firings, PER_SPILL_FIRING);
    cost_per(r, 1, PER_SPILL_BASE);
}

int kernel_spill_firings(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return (int)args_int(&a, "FIRINGS", 1);
}

// Counts tuser of all firings, the word at the output, and the beat that is being filled. If a word is wider than a
// beat, counts the word that is written and the word that is read instead of the beat.
int64_t kernel_spill_bits(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    int64_t word = args_int(&a, "DATA_W", 1), beat = class_beat_bits(&a), parts = div_up(word, beat);
    return (2 * parts - 1) * beat + word +
           args_int(&a, "FIRINGS", 1) * args_int(&a, "WORDS", 1) * args_int(&a, "USER_W", 1);
}

const struct kernel_class rtl_spill = {.module = "rill_spill",
                                       .doc = "buffers a stream in memory",
                                       .traits = KERNEL_SPILL,
                                       .contract = contract,
                                       .cost = cost};
