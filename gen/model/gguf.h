// SPDX-License-Identifier: Apache-2.0
// Reads GGUF files (versions 2 and 3, little endian): typed metadata, and tensors of quantized blocks. The file is
// mapped, so only the parts that are used take memory. ggml's docs/gguf.md describes the format.
#ifndef RILL_GGUF_H
#define RILL_GGUF_H

#include "gen/base/diag.h"

// ---- tensor types -------------------------------------------------------------------------------

// The supported types of tensors, with their numbers in a file.
enum gguf_type {
    GGUF_F32 = 0,
    GGUF_F16 = 1,
    GGUF_Q4_0 = 2,
    GGUF_Q4_1 = 3,
    GGUF_Q5_0 = 6,
    GGUF_Q5_1 = 7,
    GGUF_Q8_0 = 8,
    GGUF_Q4_K = 12,
    GGUF_Q5_K = 13,
    GGUF_Q6_K = 14,
    GGUF_BF16 = 30,
};
// How a type stores values: a block has `weights` adjacent values of one row in `bytes` bytes.
struct gguf_format {
    enum gguf_type type;
    const char *name; // ggml's name: "Q4_K"
    int weights, bytes;
    // Writes the `weights` values of a block, in fp32 with ggml's order of roundings.
    void (*dequantize)(const uint8_t *block, float *out);
};
const struct gguf_format *gguf_format(uint32_t type); // type: number in the file; returns NULL if not supported

// ---- metadata -----------------------------------------------------------------------------------

// Kinds of values: integers of 8 to 64 bits are GGUF_INT, floats of 32 and 64 bits GGUF_FLOAT.
enum gguf_kind { GGUF_NONE, GGUF_INT, GGUF_FLOAT, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY };

struct gguf_text { // in the mapped file, not NUL terminated
    const char *data;
    uint64_t len;
};
// A value of metadata, or an element of an array. `kind` decides which members are set.
struct gguf_value {
    enum gguf_kind kind;
    int64_t integer;       // GGUF_INT (unsigned 64-bit numbers above 2^63 - 1 are refused), GGUF_BOOL
    double number;         // GGUF_FLOAT
    struct gguf_text text; // GGUF_STRING
    // GGUF_ARRAY: `count` elements of one type. Arrays of arrays are refused.
    enum gguf_kind item;
    uint64_t count;
    uint32_t item_type;   // number of the elements' type in the file
    const uint8_t *items; // the elements in the mapped file; gguf_integers, gguf_numbers and gguf_texts decode them
};

struct gguf;

// Opens a file, and reads and checks its whole header: lengths against the file's size, duplicate names, types, shapes,
// and that every tensor is inside the file, aligned, and does not overlap another one. Returns NULL after an error. A
// file that is a part of a split model is an error as well.
struct gguf *gguf_open(struct arena *arena, const char *path, struct diag *diag);
void gguf_close(struct gguf *file); // NULL is fine; texts and blocks become invalid
const char *gguf_path(const struct gguf *file);

int gguf_key_count(const struct gguf *file);
struct gguf_text gguf_key_at(const struct gguf *file, int index);
const struct gguf_value *gguf_find(const struct gguf *file, const char *key); // NULL: absent
// Adds the bytes of a GGUF file that has the metadata of this file and no tensors.
void gguf_metadata(const struct gguf *file, struct text *out);
bool gguf_text_is(struct gguf_text text, const char *word); // whether the text equals the word
// These read elements of an array. gguf_integers reads integers or truth values, gguf_numbers integers or floats, both
// from element `first` on. gguf_texts reads texts, from element 0 on, because texts differ in length. They return false
// if the array has elements of another kind or too few, or if int64_t cannot hold an element.
bool gguf_integers(const struct gguf_value *array, uint64_t first, uint64_t n, int64_t out[]);
bool gguf_numbers(const struct gguf_value *array, uint64_t first, uint64_t n, double out[]);
bool gguf_texts(const struct gguf_value *array, uint64_t n, struct gguf_text out[]);

// ---- tensors ------------------------------------------------------------------------------------

enum { GGUF_MAX_RANK = 4 };
struct gguf_tensor {
    const char *name; // in the arena
    const struct gguf_format *format;
    int rank;
    int64_t shape[GGUF_MAX_RANK]; // outermost first, as in the other formats; the file stores them reversed
    int64_t rows, cols;           // cols: the innermost extent, a multiple of the format's block
    const uint8_t *blocks;        // [rows][cols / format->weights] of format->bytes each, in the mapped file
};
int gguf_tensor_count(const struct gguf *file);
const struct gguf_tensor *gguf_tensor_at(const struct gguf *file, int index);          // in the file's order
const struct gguf_tensor *gguf_find_tensor(const struct gguf *file, const char *name); // NULL: absent
// Reads one row as fp32. row: 0 to rows - 1; out: [cols].
void gguf_row(const struct gguf_tensor *tensor, int64_t row, float out[]);
// Releases the memory of the tensor's blocks. They are read from the file again on the next use.
void gguf_forget(const struct gguf *file, const struct gguf_tensor *tensor);

#endif
