// SPDX-License-Identifier: Apache-2.0
// Sets the parameters of kernels with sliding windows, and calculates the cost of their window logic. A list of windows
// has 16 bits for each layer, the first layer in the lowest bits. If all layers have the same window, the parameter is
// one value. If this window includes the whole context, the parameter is not set.
#include "gen/ir/window.h"

#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

void class_window_list(struct ir *ir, int k, const char *name, const int64_t window[], int64_t layers) {
    struct ir_word *word = ARENA_ARRAY(ir->arena, struct ir_word, (size_t)layers);
    bool same = true;
    for (int64_t l = 0; l < layers; l++) {
        same = same && window[l] == window[0];
        word[layers - 1 - l] = (struct ir_word){.bits = 16, .radix = IR_DECIMAL, .value = (uint64_t)window[l] & 0xffff};
    }
    if (same && window[0] < ir->design.context) ir_set_word(ir, k, name, 16, (uint64_t)window[0]);
    if (same) return;
    ir_set_int(ir, k, "WINDOWS", layers);
    ir_set_param(ir, k, name, ir_value_list(ir->arena, word, (int)layers));
}

void class_window(struct ir *ir, const struct ir_node *node, int k) {
    int repeat = ir->region[node->region].repeat;
    int64_t *window = ARENA_ARRAY(ir->arena, int64_t, (size_t)repeat);
    for (int r = 0; r < repeat; r++) window[r] = window_length(ir, (int)(node - ir->node), r);
    class_window_list(ir, k, "WINDOW", window, repeat);
}

// Adds rill_window_begin, which calculates where the window of a position begins: a table of the windows, a comparison
// and a difference. If the number of key channels is not a power of two, there is also a division, with one DSP.
static void begin(const struct kernel_args *a, int64_t windows, struct cost_resources *r) {
    int64_t channels = at_least(args_int(a, "KEY_CHANNELS", 1), 1);
    if (windows > 1) r->lut += windows; // the table
    cost_per(r, 1, PER_WINDOW_BEGIN);
    if (!class_is_power_of_two(channels)) r->dsp++;
}

void class_cost_window(const struct kernel_args *a, struct cost_resources *r) {
    if (!args_value(a, "WINDOW")) return;
    begin(a, args_int(a, "WINDOWS", 1), r);
    cost_per(r, 1, PER_WINDOW_STEP);
}

void class_cost_window_entries(const struct kernel_args *a, int64_t entry_bits, struct cost_resources *r) {
    if (!args_value(a, "K_WINDOW") && !args_value(a, "V_WINDOW")) return;
    begin(a, 2 * args_int(a, "WINDOWS", 1), r);
    cost_per(r, entry_bits + 17, PER_WINDOW_ENTRY_BIT); // entries in flight, in LUTRAM rings
    cost_per(r, 1, PER_WINDOW_ENTRIES);
}

bool kernel_has_window(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_value(&a, "WINDOW") != NULL;
}

bool kernel_has_key_windows(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_value(&a, "K_WINDOW") != NULL;
}

bool kernel_has_value_windows(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_value(&a, "V_WINDOW") != NULL;
}
