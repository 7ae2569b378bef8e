// SPDX-License-Identifier: Apache-2.0
// Reads a safetensors file: the header, then the values of the first tensors.
#include "tests/fuzz/readers/reader.h"
#include "gen/model/safetensors.h"

enum { TENSORS = 4, ELEMENTS = 1 << 16 }; // tensors of a file, and most elements of a tensor, that are read

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "model.safetensors";
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    struct safetensors *file = safetensors_open(&arena, reader_file(&arena, name, data, size), &diag);
    for (int i = 0; file != NULL && i < safetensors_count(file) && i < TENSORS; i++) {
        const struct safetensors_tensor *t = safetensors_at(file, i);
        if (safetensors_find(file, t->name) != i) abort();
        (void)safetensors_shape_text(&arena, t);
        if (t->elements <= ELEMENTS) (void)safetensors_read(file, i, &arena, &diag);
    }
    safetensors_close(file);
    reader_end(&arena, &name, 1);
    return 0;
}
