// SPDX-License-Identifier: Apache-2.0
// Cost of rill_serializer and rill_deserializer, which carry a word that seldom changes from die to die, one slice per
// cycle. The word is not a stream, so their contract is TIMING_NONE.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

#include <string.h>

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static int64_t slice_bits(const struct kernel_args *a) { return at_least(args_int(a, "SLICE_W", 1), 1); }
static int64_t number_bits(const struct kernel_args *a) { return log2_up(args_int(a, "DATA_W", 1) / slice_bits(a)); }

// Each bit of a slice comes from a multiplexer over all slices. The multiplexers take three LUTs for eight bits of the
// word.
static void cost_send(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "DATA_W", 1), PER_SERIALIZER_BIT);
    r->ff += slice_bits(a) + 2 * number_bits(a);
}

static void cost_receive(const struct kernel_args *a, struct cost_resources *r) {
    r->lut += args_int(a, "DATA_W", 1);
    r->ff += args_int(a, "DATA_W", 1) + slice_bits(a) + number_bits(a);
}

const struct kernel_class rtl_serializer = {.module = "rill_serializer",
                                            .doc = "sends a word in slices to another die",
                                            .contract = contract,
                                            .cost = cost_send};
const struct kernel_class rtl_deserializer = {.module = "rill_deserializer",
                                              .doc = "puts a word from another die together again",
                                              .contract = contract,
                                              .cost = cost_receive};

int kernel_slice_bits(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return strcmp(k->module, rtl_serializer.module) ? 0 : (int)slice_bits(&a);
}

bool kernel_joins_slices(const struct ir_kernel *k) { return !strcmp(k->module, rtl_deserializer.module); }
