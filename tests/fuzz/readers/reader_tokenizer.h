// SPDX-License-Identifier: Apache-2.0
// Opens a tokenizer. If that succeeds, encodes a text and decodes the first ids.
#ifndef RILL_FUZZ_READER_TOKENIZER_H
#define RILL_FUZZ_READER_TOKENIZER_H

#include "tests/fuzz/readers/reader.h"
#include "gen/model/tokenizer.h"

static inline void reader_try_tokenizer(struct arena *arena, struct diag *diag, const char *source) {
    static const char text[] = "Once upon a time, don't <|endoftext|>\n\xc3\xa9 42 \xff<s> \xe2\x96\x81";
    struct token_ids ids = {0};
    struct tokenizer *t = tokenizer_open(arena, source, diag);
    if (!t) return;
    tokenizer_encode_prompt(t, text, sizeof text - 1, &ids);
    for (int64_t id = 0; id < tokenizer_vocab(t) && id < 64; id++) {
        size_t length;
        (void)tokenizer_decode(t, (uint32_t)id, &length);
    }
    tokenizer_close(t);
}

#endif
