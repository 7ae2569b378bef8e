// SPDX-License-Identifier: Apache-2.0
// Makes the steps of a request, and calculates when the first one begins: after the host's register writes and after
// the load of the vector parameters.
#include "gen/ir/latency.h"
#include "gen/timing/timing.h"

int timing_request_steps(const struct ir *ir, int64_t prompt, int64_t tokens, struct timing_step **out) {
    return timing_steps_from(ir, 0, prompt, tokens, out);
}

int timing_steps_from(const struct ir *ir, int64_t first, int64_t prompt, int64_t tokens, struct timing_step **out) {
    int64_t decode = ir->design.is_lm && tokens > 1 ? tokens - 1 : 0, count = 0, room = ir->design.context - prompt;
    if (decode > room) decode = room > 0 ? room : 0;
    if (ir->design.slots) {
        const struct timing_load_request request = {.prompt = prompt, .tokens = decode + 1, .prefix = first};
        return timing_load_steps(ir, &(struct timing_loads){&request, 1, NULL}, NULL, out);
    }
    *out = ARENA_ARRAY(ir->arena, struct timing_step, (size_t)(prompt + decode + 1));
    for (int64_t pos = first; pos < prompt;) {
        int64_t n = at_most(ir->design.tokens - pos % ir->design.tokens, prompt - pos);
        (*out)[count++] = timing_step_at(pos, n, !ir->design.is_lm || pos + n == prompt);
        pos += n;
    }
    for (int64_t i = 0; i < decode; i++) (*out)[count++] = timing_step_at(prompt + i, 1, true);
    return (int)count;
}

// Returns whether only the image's header is read, because there are no vector parameters or they are kept on chip.
static bool header_alone(const struct ir *ir, const struct timing_memory *m) {
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].kind == IR_SEG_PARAMS) return m->kept;
    return true;
}

// Each start reads the image's header, and the vector parameters unless they are kept. These reads alternate with the
// lanes' first beats until the lanes' prefetch FIFOs are full. The loop of a language model takes one cycle more before
// the first step, in which it asks memory for the prompt (S_PROMPT of rill_token_loop).
int64_t timing_start(const struct ir *ir, const struct timing_memory *m) {
    const struct timing_step step = timing_step_at(0, 1, false);
    struct timing_options o = {.step = &step, .steps = 1, .bounded = true, .load_only = true, .memory = *m};
    const char *missing = NULL;
    struct arena scratch;
    o.memory.lead = 0;
    arena_init(&scratch);
    const struct timing_result *r = timing_simulate(&scratch, ir, &o, &missing);
    int64_t loaded = r ? r->loaded : 0;
    arena_free(&scratch);
    return loaded + CYCLES_LOADED + (header_alone(ir, m) ? CYCLES_HEADER_ALONE : 0) + ir->design.is_lm;
}

// The token loop passes over each id of the kept prefix in CYCLES_LOOP_PASS cycles, and needs one more for each beat of
// ids. With slots, the first step has these cycles (timing_part.passes).
int64_t timing_passed_cycles(const struct ir *ir, int64_t first) {
    if (ir->design.slots) return 0;
    return CYCLES_LOOP_PASS * first + first / (ir->design.beat_bits / 32);
}

// Counts the registers that verif/harness/host.c writes: four arguments, pointers of two words each, the position at
// which a request begins, and three control registers. The settings of sampling and further end-of-text ids are not
// counted.
int64_t timing_host_cycles(const struct ir *ir) {
    int64_t writes = 4 + 2 * ((ir->design.is_lm ? 2 : 0) + ir->design.channels) + (ir->design.prefix > 0) + 3;
    return CYCLES_HOST_BEGINS + CYCLES_HOST_WRITE * writes;
}

struct timing_memory timing_memory_of(const struct ir *ir, int64_t age, bool kept) {
    struct timing_memory m = timing_memory(&ir->design);
    m.start = age;
    m.kept = kept;
    m.lead = timing_start(ir, &m);
    m.start += m.lead;
    return m;
}

struct timing_memory timing_memory_at(const struct ir *ir, int64_t age) {
    return timing_memory_of(ir, age, false);
}
