// SPDX-License-Identifier: Apache-2.0
// Reads a tokenizer.json. If it is accepted, encodes a text and decodes ids.
#include "tests/fuzz/readers/reader_tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "tokenizer.json";
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    reader_file(&arena, name, data, size);
    reader_try_tokenizer(&arena, &diag, reader_folder());
    reader_end(&arena, &name, 1);
    return 0;
}
