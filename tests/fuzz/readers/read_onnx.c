// SPDX-License-Identifier: Apache-2.0
// Reads an ONNX file and makes a spec of it.
#include "tests/fuzz/readers/reader.h"
#include "gen/onnx/onnx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "model.onnx";
    struct arena arena;
    struct diag diag;
    struct text table = {0}, spec = {0};
    reader_begin(&arena, &diag);
    const struct onnx_options options = {.source = reader_file(&arena, name, data, size), .cut = true};
    const struct onnx_design design = {.board = "u55c", .channels = 1, .lanes = 8, .tokens = 1};
    const struct onnx_import *m = onnx_import_read(&options, &arena, &table, &diag);
    if (m) onnx_import_spec(m, &design, &spec);
    text_free(&table);
    text_free(&spec);
    reader_end(&arena, &name, 1);
    return 0;
}
