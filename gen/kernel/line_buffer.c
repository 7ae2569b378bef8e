// SPDX-License-Identifier: Apache-2.0
// Timing contract, cost and memory of rill_line_buffer, which stores the newest rows of a tensor and sends its patches,
// as a convolution or a pooling needs them.
#include "gen/kernel/class.h"

// Returns an axis from parameters. name: names of the parameters for places, stride, taps, dilation and before, in this
// order. size: name of the parameter for the number of positions.
static struct itensor_line_axis axis_of(const struct kernel_args *a, const char *const name[], const char *size) {
    return (struct itensor_line_axis){.size = args_int(a, size, 1),
                                      .places = args_int(a, name[0], 1),
                                      .stride = args_int(a, name[1], 1),
                                      .taps = args_int(a, name[2], 1),
                                      .dilation = args_int(a, name[3], 1),
                                      .before = args_int(a, name[4], 0)};
}

// The header of the module gives the latencies `ready` + `stages` and, for the first word of an image, `begin` +
// `stages`.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    static const char *const rows[] = {"PLACES_Y", "STRIDE_Y", "TAPS_Y", "DILATION_Y", "BEFORE_Y"},
                             *const pixels[] = {"PLACES_X", "STRIDE_X", "TAPS_X", "DILATION_X", "BEFORE_X"};
    (void)at;
    c->machine = TIMING_LINES;
    c->stages = 1;
    c->lines = (struct timing_lines){.axis = {axis_of(a, rows, "ROWS"), axis_of(a, pixels, "PIXELS")},
                                     .pixel = args_int(a, "WORDS", 1),
                                     .buffer = args_int(a, "BUFFER", 1),
                                     .ready = 1,
                                     .begin = 2,
                                     .release = 3};
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t words = args_int(a, "BUFFER", 1) * class_tokens(a), bits = args_int(a, "DATA_W", 1);
    class_cost_buffer(r, words, bits, args_style(a, RAM_AUTO));
    r->lut += bits; // selects the pad value for words outside the tensor
    cost_per(r, log2_up(args_int(a, "ROWS", 1) * args_int(a, "PIXELS", 1) * args_int(a, "WORDS", 1) + 1),
             PER_LINE_BUFFER_COUNTER_BIT);
    cost_per(r, 1, PER_LINE_BUFFER_BASE);
}

static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){
        .words = args_int(a, "BUFFER", 1) * class_tokens(a), .bits = args_int(a, "DATA_W", 1), .times = 1};
}

const struct kernel_class rtl_line_buffer = {.module = "rill_line_buffer",
                                             .doc = "keeps the newest rows of a tensor and sends its patches",
                                             .contract = contract,
                                             .cost = cost,
                                             .memory = memory};
