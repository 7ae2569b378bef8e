// SPDX-License-Identifier: Apache-2.0
// The oracle (gen/reference, docs/oracle.md) is the second reference model: it computes what a spec defines, from the
// spec file itself. It uses no result of the compiler and has its own reader, shapes, defaults and weight names, so
// that an error of the compiler is not repeated. The compiler rejects bad specs, so the oracle's messages are short.
#ifndef RILL_ORACLE_H
#define RILL_ORACLE_H

#include "gen/model/checkpoint.h"
#include "gen/base/base.h"
#include "gen/numerics/quantize.h"
#include "gen/base/sampling.h"

enum { ORACLE_MAX_RANK = 3, ORACLE_NONE = -1 };

enum oracle_mode {
    ORACLE_EXACT, // quantized weights and activations, with the bits that docs/numerics.md defines
    ORACLE_FLOAT, // floating point without any quantization; the accuracy of exact mode is measured against it
};

struct oracle_graph; // a spec that has been read
struct oracle;       // one evaluation of a spec: KV caches, and the values of the latest position

// ---- reading ----

// Reads a spec file; golden files of custom kernels are relative to its folder. Returns NULL after an error.
struct oracle_graph *oracle_read(struct arena *, const char *path, struct diag *);
// Reads a spec from memory, without golden functions, for use of its weights only. family: text of the model's family;
// NULL: it is read from its file.
struct oracle_graph *oracle_read_text(struct arena *, const char *path, const char *text, const char *family,
                                      struct diag *);
// Reads DIR/oracle: the verbatim copies of a generated design's spec and golden files, each with a checksum. Returns
// NULL after an error. If absent is not NULL, sets *absent to whether there is no such folder, which is then no error.
struct oracle_graph *oracle_read_folder(struct arena *, const char *dir, bool *absent, struct diag *);

// Writes such copies: the spec, the family of its model, and golden files named after their kernels. Returns false if
// the output set has an error.
struct oracle_copy {
    const char *name, *text; // name: name of a kernel, or one of the two names below
};
extern const char *const oracle_copy_spec, *const oracle_copy_family;
bool oracle_write_folder(struct output *, const struct oracle_copy copy[], size_t count);
// Lists at most `most` files of such a folder as paths dir/oracle/NAME. Returns their number.
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
int64_t oracle_vocabulary(const struct oracle_graph *);  // language models: token ids are below it
int64_t oracle_logit_count(const struct oracle_graph *); // number of logits from which the next token is chosen
int oracle_inputs(const struct oracle_graph *);
int oracle_outputs(const struct oracle_graph *);
struct oracle_io oracle_input(const struct oracle_graph *, int input);
struct oracle_io oracle_output(const struct oracle_graph *, int output);
// Finds the first operation on which an output depends and that cannot be evaluated, because its kernel has no golden
// function. Returns the name of its first result, or NULL if there is no such operation.
const char *oracle_beyond(const struct oracle_graph *);

// Switches the pairs of every rotary embedding between neighbours (elements 2i and 2i + 1) and halves (i and i + n/2),
// to find out which form a checkpoint needs. Returns false if the graph has no rotary embedding.
bool oracle_turn_other_pairs(struct oracle_graph *);

// ---- evaluating ----

// Opens an evaluation with weights from a checkpoint (or random:SEED), quantized here in exact mode. Memory belongs to
// the arena, or is released by oracle_close. Returns NULL after an error.
struct oracle *oracle_open(struct arena *, const struct oracle_graph *, enum oracle_mode, struct checkpoint *,
                           struct diag *);
// Opens an exact evaluation with the weights that `rill pack` wrote to image_dir for the oracle.
struct oracle *oracle_open_image(struct arena *, const struct oracle_graph *, const char *image_dir, struct diag *);
void oracle_close(struct oracle *); // NULL is fine
// Opens another evaluation that shares the weights of the first but has its own keys, values and results. The first
// must stay open. Returns NULL after an error.
struct oracle *oracle_open_beside(struct arena *, const struct oracle *, struct diag *);

// Sets how tokens are drawn from now on (docs/numerics.md section 10). It affects only ORACLE_EXACT; ORACLE_FLOAT
// always takes the most likely token.
void oracle_sample(struct oracle *, const struct sampling *);
// Runs one position. Position 0 begins a request; the other positions follow in order. A position outside the context
// (or outside the positions of oracle_open_short) ends the program. Language models read the token `id`; other graphs
// read row[i], the elements of input i. If `last` is set, the regions with `when: last` run as well. Returns false if
// an operation raised a fault at this or an earlier position of the request; oracle_fault describes it.
bool oracle_step(struct oracle *, uint32_t id, const float *const row[], int64_t position, bool last);
// Runs oracle_step in several evaluations of a language model that share their weights (oracle_open_beside), all at one
// position. The values are those of separate calls, but the weights are read only once. id[i] is for evaluation i.
// Returns false after a fault in one of them.
enum { ORACLE_MOST_LANES = 16 };
bool oracle_step_all(struct oracle *const o[], int count, const uint32_t id[], int64_t position, bool last);
// Runs all rows of a request: in[i] is [rows][elements of input i], and out[o] is [rows][elements of output o]. in[i]
// may be NULL if no output depends on input i. Rows of an output that cannot be evaluated are not written. Returns
// false after a fault.
bool oracle_run_rows(struct oracle *, int64_t rows, const float *const in[], float *const out[]);
// The results of the steps so far. The arrays are valid until the next step.
uint32_t oracle_next_id(const struct oracle *);                    // token chosen by the latest step with `last`
const float *oracle_output_row(const struct oracle *, int output); // latest step; NULL: it did not compute the output
const float *oracle_logits(const struct oracle *);                 // latest step; NULL: it did not compute logits
const char *oracle_fault(const struct oracle *);                   // names tensor, repetition and position, or NULL

// ---- every tensor that the spec names ----

struct oracle_info {
    const char *name;
    int line;            // in the spec, or in the family of its model
    int64_t repetitions; // of its region
    bool carried;        // it is carried; its value in repetition `repetitions` is the value after the region
    bool needed;         // an output depends on it; other tensors are not evaluated
    bool unknown;        // depends on a kernel without a golden function
    int next;            // of a carried tensor: its next value; else ORACLE_NONE
};
int oracle_tensors(const struct oracle_graph *);
const char *oracle_lines(const struct oracle_graph *); // path of the file that line numbers refer to
struct oracle_info oracle_info(const struct oracle_graph *, int tensor);
int oracle_find(const struct oracle_graph *, const char *name); // ORACLE_NONE: no such tensor

// The kind of a value, and the members of struct oracle_value that have it in exact mode.
enum oracle_kind {
    ORACLE_F32,  // f32
    ORACLE_MX,   // quantized: mx times 2^(exp_min + shift[r * blocks + c / block])
    ORACLE_ACC,  // acc: integer sums of a product
    ORACLE_KV,   // keys or values: a row for each head, q and scale[r]
    ORACLE_INT8, // of custom kernels: q
    ORACLE_ID,   // id
};

// Element (r, c) is at [r * cols + c]; the last dimension is along the row. In float mode every value is in f32,
// whatever its kind, except ids and ORACLE_INT8. blocks: blocks of a row. scale: ORACLE_KV, [rows].
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
// Returns a tensor's value in the latest step. NULL: the step did not compute it, because its region did not run, no
// output needs it, or it is unknown.
const struct oracle_value *oracle_value(const struct oracle *, int tensor, int64_t repetition);

// ---- weights that the packer writes for the oracle ----

// image/oracle.bin holds the weights that the oracle reads. Which weights these are follows from the oracle's own
// reading of the spec. A matrix that the packer has already quantized for the design is recognized by its contents
// alone and is neither quantized nor stored again.

#define ORACLE_IMAGE_FILE "oracle.bin"

// Identifies a matrix of floats and the format to which it is quantized. Equal structures mean equal quantized bytes.
struct oracle_content {
    uint64_t hash[2];
    int64_t rows, k, group;
    enum qformat format;
};
// Begins a content, without any rows. rows: number of rows that will be added.
struct oracle_content oracle_content_of(int64_t rows, int64_t k, enum qformat format, int64_t group);
// Adds the next rows of the matrix. Every piece except the last must have an even number of rows, because the hash
// takes eight bytes at a time.
void oracle_content_add(struct oracle_content *, const float *w, int64_t rows);
// Adds the mean squares of the columns with which the matrix is quantized (NULL: none), because they change its bytes.
void oracle_content_weigh(struct oracle_content *, const float *mean_square);

// Byte offsets of the matrix's parts in image/golden.bin.
struct oracle_stored {
    struct oracle_content content;
    int64_t q, row_scale, group_scale, group_offset;
};

// Writes the whole file. stored[count]: the matrices in golden.bin. Returns false after an error; errno is set if the
// file cannot be written.
bool oracle_pack(struct arena *, const struct oracle_graph *, struct checkpoint *, const struct oracle_stored *stored,
                 size_t count, FILE *, struct diag *);

#endif
