// SPDX-License-Identifier: Apache-2.0
// rill golden of a graph that is no language model: rows from a file to rows in a file, as the spec itself says.
#include <stdlib.h>

#include "command.h"
#include "oracle.h"
#include "rows.h"

struct session {
    struct arena *arena;
    struct diag *diag;
    const struct golden_rows *o;
    const struct oracle_graph *graph;
    struct rows_tensor input[IR_MAX_PORTS], output[IR_MAX_PORTS];
    int inputs, outputs;
};

static struct rows_tensor tensor_of(struct oracle_io io) {
    struct rows_tensor t = {.name = io.name, .rank = io.rank, .elements = io.elements};
    for (int d = 0; d < io.rank; d++) t.shape[d] = io.extent[d];
    return t;
}

static bool check(struct session *s) {
    const char *beyond = oracle_beyond(s->graph);
    const char *why = rows_path_fault(s->arena, s->o->outputs, s->outputs);
    if (beyond)
        why = arena_printf(s->arena,
                           "the kernel of `%s` has no golden function: only `rill sim` can run it, and compares "
                           "the streams around it",
                           beyond);
    if (why) diag_error(s->diag, loc_none(), "%s", why);
    return !why;
}

static bool evaluate(struct session *s, struct oracle *oracle, int64_t rows) {
    const float *in[IR_MAX_PORTS];
    float *out[IR_MAX_PORTS];
    for (int i = 0; i < s->inputs; i++) in[i] = s->input[i].values;
    for (int i = 0; i < s->outputs; i++)
        out[i] = s->output[i].values = ARENA_ARRAY(s->arena, float, (size_t)(rows * s->output[i].elements));
    if (oracle_run_rows(oracle, rows, in, out)) return true;
    const char *where = oracle_fault(oracle);
    diag_error(s->diag, loc_none(), "numeric fault: %s", where ? where : "unknown");
    return false;
}

static bool run_with(struct session *s, struct checkpoint *checkpoint) {
    int64_t rows =
        rows_read(s->arena, s->o->inputs, s->input, s->inputs, s->o->tokens, oracle_context(s->graph), s->diag);
    if (!rows) return false;
    enum oracle_mode mode = s->o->in_float ? ORACLE_FLOAT : ORACLE_EXACT;
    struct oracle *oracle = oracle_open(s->arena, s->graph, mode, checkpoint, s->diag);
    bool ok = oracle && evaluate(s, oracle, rows);
    oracle_close(oracle);
    return ok && rows_write(s->arena, s->o->outputs, s->output, s->outputs, rows, s->diag);
}

bool command_golden_rows(const struct golden_rows *options, struct arena *arena, struct diag *diag) {
    struct session s = {.arena = arena, .diag = diag, .o = options};
    s.graph = oracle_read(arena, options->spec, diag);
    if (!s.graph) return false;
    s.inputs = oracle_inputs(s.graph), s.outputs = oracle_outputs(s.graph);
    for (int i = 0; i < s.inputs; i++) s.input[i] = tensor_of(oracle_input(s.graph, i));
    for (int i = 0; i < s.outputs; i++) s.output[i] = tensor_of(oracle_output(s.graph, i));
    if (!check(&s)) return false;
    struct checkpoint *checkpoint = checkpoint_open(arena, options->weights, diag);
    bool ok = checkpoint && run_with(&s, checkpoint);
    checkpoint_close(checkpoint);
    return ok;
}
