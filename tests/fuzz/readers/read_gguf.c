// SPDX-License-Identifier: Apache-2.0
// Reads a GGUF file: its header, its lists, the last row of every tensor that is not too wide, and its tokenizer.
#include "gen/model/gguf.h"
#include "tests/fuzz/readers/reader_tokenizer.h"

enum { ITEMS = 64, COLS = 1 << 16 }; // items that are read of a list, and most columns of a tensor that is read

static void read_list(const struct gguf_value *v) {
    int64_t integers[ITEMS];
    double numbers[ITEMS];
    struct gguf_text texts[ITEMS];
    uint64_t n = v->count < ITEMS ? v->count : ITEMS;
    (void)gguf_integers(v, v->count - n, n, integers);
    (void)gguf_numbers(v, v->count - n, n, numbers);
    if (gguf_texts(v, n, texts) && n > 0) (void)gguf_text_is(texts[n - 1], "token");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "model.gguf";
    static float row[COLS];
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    const char *path = reader_file(&arena, name, data, size);
    struct gguf *g = gguf_open(&arena, path, &diag);
    for (int i = 0; g && i < gguf_key_count(g); i++) {
        struct gguf_text key = gguf_key_at(g, i);
        const struct gguf_value *v = gguf_find(g, arena_strndup(&arena, key.data, key.len));
        if (v && v->kind == GGUF_ARRAY) read_list(v);
    }
    for (int i = 0; g && i < gguf_tensor_count(g); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(g, i);
        if (gguf_find_tensor(g, t->name) != t) abort();
        if (t->cols <= COLS) gguf_row(t, t->rows - 1, row);
    }
    gguf_close(g);
    reader_try_tokenizer(&arena, &diag, path);
    reader_end(&arena, &name, 1);
    return 0;
}
