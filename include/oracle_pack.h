// SPDX-License-Identifier: Apache-2.0
// image/oracle.bin: the weights that the oracle reads, by its own plan from its own reading of the spec. A matrix that
// the packer has quantized already, known by its content alone, is not quantized or stored again.
#ifndef RILL_ORACLE_PACK_H
#define RILL_ORACLE_PACK_H

#include "include/oracle.h"
#include "include/quantize.h"

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
