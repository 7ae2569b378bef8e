// SPDX-License-Identifier: Apache-2.0
// Reads a dump of the IR, verifies it, and writes it again.
#include "gen/ir/ir.h"
#include "tests/fuzz/readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "dump.yaml";
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    const struct ir *ir = ir_read(&arena, reader_file(&arena, name, data, size), &diag);
    if (ir != NULL && ir_verify(ir, &diag, "reading")) {
        struct text text = {0};
        ir_write_text(ir, &text);
        text_free(&text);
    }
    reader_end(&arena, &name, 1);
    return 0;
}
