// SPDX-License-Identifier: Apache-2.0
// Reads a spec: YAML, its schema, and the passes that need only the spec.
#include "gen/pass/pass.h"
#include "tests/fuzz/readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    const struct rill_spec *spec = rill_spec_read_bytes("spec.yaml", data, size, &arena, &diag);
    struct ir *ir = ARENA_NEW(&arena, struct ir);
    ir->arena = &arena;
    pass_function *const passes[] = {pass_expand_model, pass_infer_types, pass_drop_unread};
    for (size_t p = 0; spec != NULL && p < COUNT_OF(passes); p++)
        if (!passes[p](ir, spec, &diag) || diag_failed(&diag) || !ir_verify(ir, &diag, "a pass")) break;
    arena_free(&arena);
    return 0;
}
