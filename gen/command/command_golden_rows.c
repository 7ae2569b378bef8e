// SPDX-License-Identifier: Apache-2.0
// rill golden for a graph that is not a language model: takes input rows from a file, or random ones, computes the
// output rows with the oracle, and writes them to a file or to standard output.
#include <string.h>

#include "gen/command/command.h"
#include "gen/reference/oracle.h"
#include "gen/pack/pack.h"
#include "gen/model/rows.h"

enum { DEFAULT_ROWS = 16 }; // random rows without --tokens

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

// Reads the input rows, or makes random ones as `rill sim` does. Returns their number, or 0 after an error.
static int64_t take_rows(struct session *s) {
    int64_t most = oracle_context(s->graph), rows = s->o->tokens;
    if (s->o->inputs) return rows_read(s->arena, s->o->inputs, s->input, s->inputs, rows, most, s->diag);
    if (!rows) rows = most < DEFAULT_ROWS ? most : DEFAULT_ROWS;
    uint64_t state = rows_random_state((uint64_t)s->o->data_seed);
    if (rows > most) diag_error(s->diag, loc_none(), MSG_ROWS_BEYOND, (long long)rows, (long long)most);
    // Skips inputs that nothing needs, because a design does not have them.
    for (int i = 0; rows <= most && i < s->inputs; i++)
        if (oracle_info(s->graph, oracle_find(s->graph, s->input[i].name)).needed)
            s->input[i].values = rows_random(s->arena, (size_t)(rows * s->input[i].elements), &state);
    return rows <= most ? rows : 0;
}

// ---- printing ----

// Returns the hash of all output rows, row by row. `rill sim` prints the same hash.
static uint64_t hash_rows(const struct rows_tensor *out, int count, int64_t rows) {
    uint64_t hash = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int o = 0; o < count; o++)
            for (int64_t i = 0; i < out[o].elements; i++) {
                uint32_t word;
                memcpy(&word, &out[o].values[r * out[o].elements + i], sizeof word);
                hash = rows_hash(hash, word);
            }
    return hash;
}

static void print_row(const struct rows_tensor *t, int64_t row, const char *between) {
    for (int64_t i = 0; i < t->elements; i++)
        printf("%s%.9g", i ? between : "", (double)t->values[row * t->elements + i]);
}

static void print_rows(const struct rows_tensor *out, int count, int64_t rows) {
    for (int64_t r = 0; r < rows; r++)
        for (int o = 0; o < count; o++) {
            printf("%s[%lld]: ", out[o].name, (long long)r);
            print_row(&out[o], r, " ");
            putchar('\n');
        }
    printf("rows_hash: %016llx\n", (unsigned long long)hash_rows(out, count, rows));
}

static void print_rows_json(const struct rows_tensor *out, int count, int64_t rows) {
    printf("{\"rows\": %lld, \"rows_hash\": \"%016llx\", \"outputs\": {", (long long)rows,
           (unsigned long long)hash_rows(out, count, rows));
    for (int o = 0; o < count; o++) {
        printf("%s\"%s\": [", o ? ", " : "", out[o].name);
        for (int64_t r = 0; r < rows; r++) {
            printf("%s[", r ? ", " : "");
            print_row(&out[o], r, ", ");
            putchar(']');
        }
        putchar(']');
    }
    printf("}}\n");
}

// ---- running ----

// Computes the output rows into s->output. Returns false after an error.
static bool evaluate(struct session *s, struct oracle *oracle, int64_t rows) {
    const float *in[IR_MAX_PORTS];
    float *out[IR_MAX_PORTS];
    for (int i = 0; i < s->inputs; i++) in[i] = s->input[i].values;
    for (int i = 0; i < s->outputs; i++)
        out[i] = s->output[i].values = ARENA_ARRAY(s->arena, float, (size_t)(rows * s->output[i].elements));
    if (oracle_run_rows(oracle, rows, in, out)) return true;
    const char *where = oracle_fault(oracle);
    diag_error(s->diag, loc_none(), MSG_NUMERIC_FAULT, where ? where : "unknown");
    return false;
}

static bool run_with(struct session *s, struct checkpoint *checkpoint) {
    int64_t rows = take_rows(s);
    if (!rows) return false;
    enum oracle_mode mode = s->o->in_float ? ORACLE_FLOAT : ORACLE_EXACT;
    struct oracle *oracle = oracle_open(s->arena, s->graph, mode, checkpoint, s->diag);
    bool ok = oracle && evaluate(s, oracle, rows);
    oracle_close(oracle);
    if (!ok) return false;
    if (s->o->json) print_rows_json(s->output, s->outputs, rows);
    else if (!s->o->outputs) print_rows(s->output, s->outputs, rows);
    return !s->o->outputs || rows_write(s->arena, s->o->outputs, s->output, s->outputs, rows, s->diag);
}

bool command_golden_rows(const struct golden_rows *options, struct arena *arena, struct diag *diag) {
    struct session s = {.arena = arena, .diag = diag, .o = options, .graph = options->graph};
    s.inputs = oracle_inputs(s.graph), s.outputs = oracle_outputs(s.graph);
    for (int i = 0; i < s.inputs; i++) s.input[i] = tensor_of(oracle_input(s.graph, i));
    for (int i = 0; i < s.outputs; i++) s.output[i] = tensor_of(oracle_output(s.graph, i));
    const char *why = options->outputs ? rows_path_fault(arena, options->outputs, s.outputs) : NULL;
    if (why) {
        diag_error_text(diag, loc_none(), why);
        return false;
    }
    struct checkpoint *checkpoint = pack_open_checkpoint(options->ir, options->weights, diag);
    bool ok = checkpoint && run_with(&s, checkpoint);
    checkpoint_close(checkpoint);
    return ok;
}
