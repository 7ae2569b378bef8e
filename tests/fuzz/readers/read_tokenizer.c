// SPDX-License-Identifier: Apache-2.0
// Reads the two files of a tokenizer, vocab.json and merges.txt, from an input with a byte 0 between them. If the
// tokenizer is accepted, encodes a text and decodes ids.
#include "tests/fuzz/readers/reader_tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name[] = {"vocab.json", "merges.txt"};
    const uint8_t *cut = size ? memchr(data, 0, size) : NULL;
    size_t first = cut != NULL ? (size_t)(cut - data) : size;
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    reader_file(&arena, name[0], data, first);
    reader_file(&arena, name[1], cut != NULL ? cut + 1 : data, cut != NULL ? size - first - 1 : 0);
    reader_try_tokenizer(&arena, &diag, reader_folder());
    reader_end(&arena, name, COUNT_OF(name));
    return 0;
}
