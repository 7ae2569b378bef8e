// SPDX-License-Identifier: Apache-2.0
// The oracle (verif/oracle, docs/oracle.md): what a spec computes, read from the spec file itself and evaluated before
// any pass. It knows nothing that the compiler concludes: its own reader, shapes, defaults, names of weights. A spec
// that the compiler refuses is not its business: its messages are short.
#ifndef RILL_ORACLE_H
#define RILL_ORACLE_H

#include "checkpoint.h"

enum { ORACLE_MAX_RANK = 3 };

enum oracle_mode {
    ORACLE_EXACT, // quantized weights, integers, docs/numerics.md bit by bit
    ORACLE_FLOAT, // unquantized weights, every quantizer an identity: measures accuracy
};

struct oracle_graph; // a spec, read
struct oracle;       // one evaluation of it: KV caches, the values of the latest position

// ---- reading ----

// A spec file; golden files of hand-written kernels beside it. NULL after an error.
struct oracle_graph *oracle_read(struct arena *, const char *path, struct diag *);
// The verbatim copies of a generated design's spec and golden files: DIR/oracle, each with its checksum. NULL after an
// error; *absent (or NULL): true where the folder has none.
struct oracle_graph *oracle_read_folder(struct arena *, const char *dir, bool *absent, struct diag *);

// An input or output. Elements are in row-major order.
struct oracle_io {
    const char *name;
    int rank;
    int64_t extent[ORACLE_MAX_RANK], elements;
};
bool oracle_is_lm(const struct oracle_graph *);
int64_t oracle_context(const struct oracle_graph *);
int64_t oracle_eot(const struct oracle_graph *);        // -1: none
int64_t oracle_vocabulary(const struct oracle_graph *); // language models: ids of a prompt are below it
int oracle_inputs(const struct oracle_graph *);
int oracle_outputs(const struct oracle_graph *);
struct oracle_io oracle_input(const struct oracle_graph *, int input);
struct oracle_io oracle_output(const struct oracle_graph *, int output);
// The first operation (its output's name) that cannot be evaluated: its kernel has no golden function; NULL: all can.
const char *oracle_beyond(const struct oracle_graph *);

// ---- evaluating ----

// With weights from a checkpoint (or random:SEED), quantized here in exact mode. Memory is the arena's and what
// oracle_close releases. NULL after an error.
struct oracle *oracle_open(struct arena *, const struct oracle_graph *, enum oracle_mode, struct checkpoint *,
                           struct diag *);
// Exact, with the weights that `rill pack` left for it in image_dir.
struct oracle *oracle_open_image(struct arena *, const struct oracle_graph *, const char *image_dir, struct diag *);
void oracle_close(struct oracle *); // NULL is fine

// One position; 0 begins a request, the others follow in order. Language models: id; other graphs: row[i], the elements
// of input i. last: also the regions `when: last`. False when a value left its format: oracle_fault.
bool oracle_step(struct oracle *, uint32_t id, const float *const row[], int64_t position, bool last);
// All rows of a request: in[i] is [rows][elements of input i], out[o] likewise.
bool oracle_run_rows(struct oracle *, int64_t rows, const float *const in[], float *const out[]);
uint32_t oracle_next_id(const struct oracle *);                    // of the latest step with `last`
const float *oracle_output_row(const struct oracle *, int output); // of the latest step; NULL: cannot be evaluated
const float *oracle_logits(const struct oracle *); // of the latest step with `last`: what the next id was chosen from
const char *oracle_fault(const struct oracle *);   // tensor, repetition and position, or NULL

#endif
