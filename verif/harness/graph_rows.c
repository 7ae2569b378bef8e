// SPDX-License-Identifier: Apache-2.0
// Handles the data of requests of graphs that are not language models. Fills the input areas with fp32 rows, random or
// from a file, compares the output areas with the reference models, and writes them to a file.
#include <string.h>

#include "gen/ir/layout.h"
#include "gen/model/rows.h"
#include "verif/harness/sim_internal.h"

// Returns the memory of an input or output tensor for this number of rows. Returns NULL after a failure: there is no
// such area, or it is too small.
static uint8_t *area(struct sim *sim, const char *prefix, const struct ir_tensor *t, int64_t rows) {
    const char *name = arena_printf(&sim->arena, "%s_%s", prefix, t->name);
    int64_t bytes = rows * layout_io_row_bytes(&sim->ir->design, ir_tensor_elements(t));
    for (int i = 0; i < sim->ir->segments; i++) {
        const struct ir_segment *s = &sim->ir->segment[i];
        if (s->kind != IR_SEG_IO || strcmp(s->name, name) != 0) continue;
        if (s->bytes < bytes) break;
        int channel = s->channel == IR_NONE ? 0 : s->channel;
        return hbm_bytes(sim->hbm, channel, sim_base(sim, channel) + (uint64_t)s->offset, (uint64_t)bytes);
    }
    sim_fail(sim, MSG_MEMORY_AREA, name, (long long)bytes);
    return NULL;
}

static size_t row_bytes(const struct sim *sim, const struct ir_tensor *t) {
    return (size_t)layout_io_row_bytes(&sim->ir->design, ir_tensor_elements(t));
}

// Fills the area of an input. state: state of the random numbers. Returns false after a failure.
static bool open_input(struct sim *sim, int input, int64_t rows, uint64_t *state) {
    const struct ir_tensor *t = &sim->ir->tensor[sim->ir->input[input]];
    size_t n = (size_t)ir_tensor_elements(t);
    uint8_t *to = area(sim, "input", t, rows);
    if (to == NULL) return false;
    float *values = sim->host.rows[input];
    if (values == NULL) values = rows_random(&sim->arena, n * (size_t)rows, state);
    for (int64_t r = 0; r < rows; r++)
        memcpy(to + (size_t)r * row_bytes(sim, t), values + (size_t)r * n, n * sizeof *values);
    sim->host.rows[input] = values;
    return true;
}

// Reads the rows of all inputs from the file --inputs. Returns false after an error.
static bool take_file(struct sim *sim) {
    struct rows_tensor *t = rows_inputs(&sim->arena, sim->ir);
    struct sim_prompt *request = &sim->options.prompts.items[0];
    int64_t most = sim->options.unchecked ? INT64_MAX : sim->ir->design.context;
    request->tokens =
        rows_read(&sim->arena, sim->options.inputs, t, sim->ir->inputs, request->tokens, most, &sim->diag);
    for (int i = 0; i < sim->ir->inputs; i++) sim->host.rows[i] = t[i].values;
    return request->tokens > 0;
}

bool rows_take(struct sim *sim) {
    sim->host.rows = ARENA_ARRAY(&sim->arena, float *, IR_MAX_PORTS);
    return !sim->options.inputs || take_file(sim);
}

bool rows_open(struct sim *sim, int64_t rows) {
    uint64_t state = rows_random_state(sim->options.data_seed);
    for (int i = 0; i < sim->ir->inputs; i++)
        if (!open_input(sim, i, rows, &state)) return false;
    for (int o = 0; o < sim->ir->outputs; o++)
        if (area(sim, "output", &sim->ir->tensor[sim->ir->output[o]], rows) == NULL) return false;
    return true;
}

// Writes the oracle's output rows to the positions before the one at which the design begins.
static void place_before(struct sim *sim, int64_t rows) {
    for (int64_t r = 0; r < sim->options.from; r++)
        for (int o = 0; o < sim->ir->outputs; o++) {
            const struct ir_tensor *t = &sim->ir->tensor[sim->ir->output[o]];
            const float *row = check_oracle_row(sim->check, o, r);
            if (row)
                memcpy(area(sim, "output", t, rows) + (size_t)r * row_bytes(sim, t), row,
                       (size_t)ir_tensor_elements(t) * sizeof *row);
        }
}

// Overwrites the output areas, so that results of the previous request are not taken for results of this one.
void rows_clear(struct sim *sim, int64_t rows) {
    for (int o = 0; o < sim->ir->outputs; o++) {
        const struct ir_tensor *t = &sim->ir->tensor[sim->ir->output[o]];
        memset(area(sim, "output", t, rows), 0xff, (size_t)rows * row_bytes(sim, t));
    }
    place_before(sim, rows);
}

uint8_t *rows_results(struct sim *sim, int64_t rows, uint64_t *bytes) {
    const struct ir_tensor *t = &sim->ir->tensor[sim->ir->output[0]];
    *bytes = (uint64_t)rows * row_bytes(sim, t);
    return area(sim, "output", t, rows);
}

// Compares a row of an output, and adds it to the hash of all rows.
static void compare_row(struct sim *sim, const struct ir_tensor *t, int64_t row, const uint8_t *area,
                        const float *want) {
    int64_t n = ir_tensor_elements(t);
    for (int64_t i = 0; i < n; i++) {
        uint32_t got, expect;
        memcpy(&got, area + (size_t)row * row_bytes(sim, t) + (size_t)i * 4, 4);
        memcpy(&expect, &want[i], 4);
        sim->host.rows_hash = rows_hash(sim->host.rows_hash, got);
        if (got != expect) sim_fail(sim, MSG_RESULT_DIFFERS, t->name, (long long)row, (long long)i, expect, got);
    }
}

// Returns the replay's output for a row of the request, packed without gaps. Returns NULL if the replay does not have
// it.
static const float *golden_row(struct sim *sim, int output, int64_t row, float *packed) {
    struct replay_value v;
    if (!check_golden_output(sim->check, output, row, &v)) return NULL;
    for (int64_t r = 0; r < v.rows; r++)
        memcpy(packed + r * v.cols, v.f32 + r * v.stride, (size_t)v.cols * sizeof *packed);
    return packed;
}

// Compares an output row with that of the oracle. If the oracle does not know all outputs (a kernel without a golden
// function), `packed` is memory for a row, and the row is compared with that of the replay.
static void compare_output(struct sim *sim, int output, int64_t row, int64_t rows, float *packed) {
    const struct ir_tensor *t = &sim->ir->tensor[sim->ir->output[output]];
    const uint8_t *at = area(sim, "output", t, rows);
    const float *want = packed ? golden_row(sim, output, row, packed) : check_oracle_row(sim->check, output, row);
    if (at == NULL || want == NULL) sim_fail(sim, MSG_RESULT_UNKNOWN, t->name, (long long)row);
    else compare_row(sim, t, row, at, want);
}

// Returns the elements of the largest output if the oracle does not know all outputs; otherwise 0.
static int64_t unknown_elements(struct sim *sim) {
    int64_t most = 0;
    bool known = true;
    for (int o = 0; o < sim->ir->outputs; o++) {
        int64_t n = ir_tensor_elements(&sim->ir->tensor[sim->ir->output[o]]);
        most = n > most ? n : most;
        known &= check_oracle_row(sim->check, o, 0) != NULL;
    }
    return known ? 0 : most;
}

void rows_compare(struct sim *sim, int64_t rows) {
    struct check_request again = {.count = rows, .row = (const float *const *)sim->host.rows};
    int64_t elements = unknown_elements(sim);
    float *packed = elements ? ARENA_ARRAY(&sim->arena, float, (size_t)elements) : NULL;
    if (packed) check_again(sim->check, &again); // the replay runs again from row 0, because it keeps only recent rows
    for (int64_t r = 0; r < rows; r++)
        for (int o = 0; o < sim->ir->outputs; o++) compare_output(sim, o, r, rows, packed);
}

// Copies a tensor's rows from its memory area, where each row begins at a beat.
static float *area_values(struct sim *sim, const struct ir_tensor *t, int64_t rows) {
    const uint8_t *at = area(sim, "output", t, rows);
    size_t n = (size_t)ir_tensor_elements(t);
    float *values = ARENA_ARRAY(&sim->arena, float, n *(size_t)rows);
    for (int64_t r = 0; at != NULL && r < rows; r++)
        memcpy(values + (size_t)r * n, at + (size_t)r * row_bytes(sim, t), n * sizeof *values);
    return values;
}

bool rows_save(struct sim *sim) {
    int64_t rows = sim->host.result[0].prompt_len;
    if (sim->options.outputs == NULL || sim->failure != NULL) return true;
    struct rows_tensor *t = rows_outputs(&sim->arena, sim->ir);
    for (int o = 0; o < sim->ir->outputs; o++)
        t[o].values = area_values(sim, &sim->ir->tensor[sim->ir->output[o]], rows);
    return rows_write(&sim->arena, sim->options.outputs, t, sim->ir->outputs, rows, &sim->diag);
}
