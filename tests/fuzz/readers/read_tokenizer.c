// SPDX-License-Identifier: Apache-2.0
// A tokenizer's two files, vocab.json and merges.txt, with a byte 0 between them; then a text is encoded and decoded.
#include "reader.h"
#include "tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name[] = {"vocab.json", "merges.txt"};
    static const char text[] = "Once upon a time, don't <|endoftext|>\n\xc3\xa9 42";
    const uint8_t *cut = size ? memchr(data, 0, size) : NULL;
    size_t first = cut != NULL ? (size_t)(cut - data) : size;
    struct arena arena;
    struct diag diag;
    struct token_ids ids = {0};
    reader_begin(&arena, &diag);
    reader_file(&arena, name[0], data, first);
    reader_file(&arena, name[1], cut != NULL ? cut + 1 : data, cut != NULL ? size - first - 1 : 0);
    struct tokenizer *t = tokenizer_open(&arena, reader_folder(), &diag);
    if (t != NULL) {
        tokenizer_encode(t, text, sizeof text - 1, true, &ids);
        for (int64_t id = 0; id < tokenizer_vocab(t) && id < 64; id++) {
            size_t length;
            (void)tokenizer_decode(t, (uint32_t)id, &length);
        }
    }
    tokenizer_close(t);
    reader_end(&arena, name, COUNT_OF(name));
    return 0;
}
