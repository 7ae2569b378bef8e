// SPDX-License-Identifier: Apache-2.0
// The oracle (gen/reference, docs/oracle.md): what a spec computes, read from the spec file itself and evaluated before
// any pass. It knows nothing that the compiler concludes: its own reader, shapes, defaults, names of weights. A spec
// that the compiler refuses is not its business: its messages are short.
#ifndef RILL_ORACLE_H
#define RILL_ORACLE_H

#include "gen/model/checkpoint.h"
#include "gen/base/base.h"
#include "gen/numerics/quantize.h"
#include "gen/base/sampling.h"

enum { ORACLE_MAX_RANK = 3, ORACLE_NONE = -1 };

enum oracle_mode {
    ORACLE_EXACT, // quantized weights, integers, docs/numerics.md bit by bit
    ORACLE_FLOAT, // unquantized weights, every quantizer an identity: measures accuracy
};

struct oracle_graph; // a spec, read
struct oracle;       // one evaluation of it: KV caches, the values of the latest position

// ---- reading ----

// A spec file; golden files of custom kernels beside it. NULL after an error.
struct oracle_graph *oracle_read(struct arena *, const char *path, struct diag *);
// The same from memory, without golden functions: for its weights.
// family: the text of the family of its model; NULL: a file.
struct oracle_graph *oracle_read_text(struct arena *, const char *path, const char *text, const char *family,
                                      struct diag *);
// The verbatim copies of a generated design's spec and golden files: DIR/oracle, each with its checksum. NULL after an
// error; *absent (or NULL): true where the folder has none.
struct oracle_graph *oracle_read_folder(struct arena *, const char *dir, bool *absent, struct diag *);

// Writes such copies: the spec, the family of its model, golden files by their kernels' names. False when out has an
// error.
struct oracle_copy {
    const char *name, *text; // name: of a kernel, or one of the two below
};
extern const char *const oracle_copy_spec, *const oracle_copy_family;
bool oracle_write_folder(struct output *, const struct oracle_copy copy[], size_t count);
// What such a folder lists, as paths below dir; no more than most.
size_t oracle_list_folder(struct arena *, const char *dir, const char *path[], size_t most);

// An input or output. Elements are in row-major order.
struct oracle_io {
    const char *name;
    int rank;
    int64_t extent[ORACLE_MAX_RANK], elements;
};
bool oracle_is_lm(const struct oracle_graph *);
int64_t oracle_context(const struct oracle_graph *);
const struct end_ids *oracle_eot(const struct oracle_graph *);
int64_t oracle_vocabulary(const struct oracle_graph *);  // language models: ids of a prompt are below it
int64_t oracle_logit_count(const struct oracle_graph *); // what the next id is chosen from
int oracle_inputs(const struct oracle_graph *);
int oracle_outputs(const struct oracle_graph *);
struct oracle_io oracle_input(const struct oracle_graph *, int input);
struct oracle_io oracle_output(const struct oracle_graph *, int output);
// The first operation (its output's name) that cannot be evaluated: its kernel has no golden function; NULL: all can.
const char *oracle_beyond(const struct oracle_graph *);

// Every rotary embedding takes its pairs the other way: neighbours for halves, and halves for neighbours. False: there
// is none.
bool oracle_turn_other_pairs(struct oracle_graph *);

// ---- evaluating ----

// With weights from a checkpoint (or random:SEED), quantized here in exact mode. Memory is the arena's and what
// oracle_close releases. NULL after an error.
struct oracle *oracle_open(struct arena *, const struct oracle_graph *, enum oracle_mode, struct checkpoint *,
                           struct diag *);
// Exact, with the weights that `rill pack` left for it in image_dir.
struct oracle *oracle_open_image(struct arena *, const struct oracle_graph *, const char *image_dir, struct diag *);
void oracle_close(struct oracle *); // NULL is fine
// A further evaluation beside one, of its weights, with memory of its own for keys, values and results. NULL after an
// error.
struct oracle *oracle_open_beside(struct arena *, const struct oracle *, struct diag *);

// One position; 0 begins a request, the others follow in order. Language models: id; other graphs: row[i], the elements
// of input i. last: also the regions `when: last`. False when a value left its format: oracle_fault.
// How the ids are drawn from now on (docs/numerics.md section 10): an exact evaluation alone, ORACLE_FLOAT is greedy.
void oracle_sample(struct oracle *, const struct sampling *);
bool oracle_step(struct oracle *, uint32_t id, const float *const row[], int64_t position, bool last);
// oracle_step of several that were opened beside one another, all at one position: the same values, and weights are
// read once for all. id: of each.
enum { ORACLE_MOST_LANES = 16 };
bool oracle_step_all(struct oracle *const o[], int count, const uint32_t id[], int64_t position, bool last);
// All rows of a request: in[i] is [rows][elements of input i], out[o] likewise.
bool oracle_run_rows(struct oracle *, int64_t rows, const float *const in[], float *const out[]);
uint32_t oracle_next_id(const struct oracle *);                    // of the latest step with `last`
const float *oracle_output_row(const struct oracle *, int output); // of the latest step; NULL: cannot be evaluated
const float *oracle_logits(const struct oracle *); // of the latest step with `last`: what the next id was chosen from
const char *oracle_fault(const struct oracle *);   // tensor, repetition and position, or NULL

// ---- every tensor that the spec names ----

struct oracle_info {
    const char *name;
    int line;            // of the spec, or of the family of its model
    int64_t repetitions; // of its region
    bool carried;        // repetition r is what it means there; repetition `repetitions`: after its region
    bool needed;         // an output depends on it; what nothing needs is not evaluated
    bool unknown;        // it depends on a kernel without golden function
    int next;            // of a carried tensor: its next value; else ORACLE_NONE
};
int oracle_tensors(const struct oracle_graph *);
const char *oracle_lines(const struct oracle_graph *); // path of the file that lines are of
struct oracle_info oracle_info(const struct oracle_graph *, int tensor);
int oracle_find(const struct oracle_graph *, const char *name); // ORACLE_NONE: no such tensor

enum oracle_kind {
    ORACLE_F32,  // f32
    ORACLE_MX,   // quantized: mx, shift[r * blocks + c / block] above exp_min
    ORACLE_ACC,  // integers of a product
    ORACLE_KV,   // keys or values: a row for each head, q and scale[r]
    ORACLE_INT8, // of custom kernels: q
    ORACLE_ID,
};

// Element (r, c) at [r * cols + c]; the last dimension is along the row. Float mode: f32, whatever the kind (ids
// apart).
struct oracle_value {
    enum oracle_kind kind;
    int64_t rows, cols, block, blocks;
    float *f32;
    int128 *acc;
    int8_t *q;
    int16_t *mx;
    uint8_t *shift;
    float *scale;
    uint32_t id;
};
// Of the latest step, or NULL: not evaluated in it (a region that did not run, nothing needs it, unknown).
const struct oracle_value *oracle_value(const struct oracle *, int tensor, int64_t repetition);

// ---- What the packer writes for it -------------------------------------------------------------

// image/oracle.bin: the weights that the oracle reads, by its own plan from its own reading of the spec. A matrix that
// the packer has quantized already, known by its content alone, is not quantized or stored again.

#define ORACLE_IMAGE_FILE "oracle.bin"

// Floats in a format: what is alike in all of it quantizes to the same bytes.
struct oracle_content {
    uint64_t hash[2];
    int64_t rows, k, group;
    enum qformat format;
};
struct oracle_content oracle_content_of(int64_t rows, int64_t k, enum qformat format, int64_t group);
// The next rows of it; all pieces but the last have an even number of them.
void oracle_content_add(struct oracle_content *, const float *w, int64_t rows);
// Quantized by mean squares of its columns (NULL: not): other bytes by others.
void oracle_content_weigh(struct oracle_content *, const float *mean_square);

// Places of its parts in image/golden.bin, bytes.
struct oracle_stored {
    struct oracle_content content;
    int64_t q, row_scale, group_scale, group_offset;
};

// Writes the whole file. False after an error; errno when it cannot be written.
bool oracle_pack(struct arena *, const struct oracle_graph *, struct checkpoint *, const struct oracle_stored *stored,
                 size_t count, FILE *, struct diag *);

#endif
