// SPDX-License-Identifier: Apache-2.0
// rill_spill: writes firings to memory and reads them back.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    int64_t bits = at_least(args_int(a, "DATA_W", 1), 1), beat_bits = class_beat_bits(a);
    c->machine = TIMING_SPILL;
    c->spill.settle = 6;
    c->spill.in_beat = at_least(beat_bits / bits, 1);
    c->spill.beats = beat_bits / bits ? 1 : div_up(bits, at_least(beat_bits, 1));
    c->spill.burst = args_int(a, "BURST", 1);
    c->spill.firings = args_int(a, "FIRINGS", 1);
    c->spill.words = args_int(a, "WORDS", 1);
}

// Adds registers for the beat that is being filled (if a word is wider than a beat: for the word that leaves and the
// one that comes back), for the word out, and memory for tuser of the firings.
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

// Counts the beat that is being filled (if a word is wider than a beat: the word that leaves and the one that comes
// back), the word out, and tuser of the firings.
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
