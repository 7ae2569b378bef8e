// SPDX-License-Identifier: Apache-2.0
// Reads a .npy file as rows of a graph: the header, then the values as vectors and as arrays of two dimensions.
#include "gen/model/npy.h"
#include "tests/fuzz/readers/reader.h"
#include "gen/model/rows.h"

enum { MOST = 64 }; // most rows that rows_read may return

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "rows.npy";
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    const char *path = reader_file(&arena, name, data, size);
    struct npy *file = npy_open(&arena, path, &diag);
    // A file cannot have more fp32 elements than its bytes hold.
    if (file != NULL && npy_array(file)->elements > (int64_t)size / 4) abort();
    npy_close(file);
    struct rows_tensor t[] = {{"x", 1, {3}, 3, NULL}, {"x", 2, {2, 2}, 4, NULL}};
    for (int i = 0; i < 2; i++)
        if (rows_read(&arena, path, &t[i], 1, 0, MOST, &diag) > MOST) abort();
    reader_end(&arena, &name, 1);
    return 0;
}
