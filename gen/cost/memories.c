// SPDX-License-Identifier: Apache-2.0
// The memories of a design that may be built of one kind of RAM or another: their shapes, from the modules' parameters.
#include <string.h>

#include "args.h"
#include "cost.h"

static struct cost_memory kv_scale(const struct args *a) {
    int64_t lanes = args_int(a, "LANES", 1), chunks = div_up(args_int(a, "CONTEXT", 1), lanes);
    return (struct cost_memory){args_int(a, "LAYERS", 1) * args_int(a, "HEADS", 1) * chunks, 32, lanes, NULL};
}

static struct cost_memory v_tail(const struct args *a) {
    int64_t channels = args_int(a, "CHANNELS", 1), beat = args_int(a, "BEAT_BITS", 512),
            rows = div_up(args_int(a, "HEAD_DIM", 1), channels);
    return (struct cost_memory){args_int(a, "LAYERS", 1) * args_int(a, "HEADS", 1) * rows * (beat < 512 ? 2 : 1), beat,
                                channels, NULL};
}

static struct cost_memory param_store(const struct args *a) {
    int64_t word = args_int(a, "WORD_W", 1), line = at_least(word, args_int(a, "BEAT_BITS", 512));
    return (struct cost_memory){div_up(args_int(a, "WORDS", 1), line / at_least(word, 1)), line, 1, NULL};
}

static struct cost_memory replay_buffer(const struct args *a) {
    return (struct cost_memory){args_int(a, "DEPTH", 1), args_int(a, "DATA_W", 1) + args_int(a, "USER_W", 2) + 1, 1,
                                NULL};
}

static struct cost_memory layout_converter(const struct args *a) {
    return (struct cost_memory){2 * args_int(a, "BUFFER", 1) * args_int(a, "TOKENS", 1), args_int(a, "DATA_W", 1), 1,
                                NULL};
}

// A bank for every lane, both halves in one.
static struct cost_memory corner_turn(const struct args *a) {
    int64_t lanes = at_least(args_int(a, "LANES", 1), 1), rows = div_up(args_int(a, "BUFFER", 1), lanes);
    return (struct cost_memory){2 * rows * args_int(a, "TOKENS", 1), args_int(a, "DATA_W", 1), lanes, NULL};
}

// One word lies in the output register.
static struct cost_memory fifo_pool(const struct args *a) {
    return (struct cost_memory){at_least(args_int(a, "DEPTH", 1) - 1, 1), args_int(a, "DATA_W", 1) + 1, 1, NULL};
}

bool cost_kernel_memory(const struct ir_kernel *k, struct cost_memory *out) {
    static const struct {
        const char *module;
        struct cost_memory (*shape)(const struct args *);
    } table[] = {{"rill_fifo_pool", fifo_pool},
                 {"rill_kv_scale", kv_scale},
                 {"rill_v_tail", v_tail},
                 {"rill_param_store", param_store},
                 {"rill_replay_buffer", replay_buffer},
                 {"rill_layout_converter", layout_converter},
                 {"rill_corner_turn", corner_turn}};
    const struct args args = {k->param, k->params};
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (strcmp(table[i].module, k->module) != 0) continue;
        *out = table[i].shape(&args);
        out->style = args_style(&args, "auto");
        return true;
    }
    return false;
}

struct cost_resources cost_kernel_as(const struct ir *ir, int kernel, const char *style) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    struct ir_param *param = ARENA_ARRAY(ir->arena, struct ir_param, (size_t)k->params + 1);
    struct cost_resources r;
    int count = 0;
    for (int p = 0; p < k->params; p++)
        if (strcmp(k->param[p].name, "RAM_STYLE") != 0) param[count++] = k->param[p];
    param[count++] = (struct ir_param){"RAM_STYLE", ir_value_text(style)};
    cost_module(k->module, param, count, &r);
    return r;
}
