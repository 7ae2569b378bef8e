// SPDX-License-Identifier: Apache-2.0
// Reads a family: its file, the values of its parameters, and the graph that it becomes. If the compiler accepts it,
// the oracle's separate expansion runs as well.
#include "gen/spec/family.h"
#include "gen/reference/oracle.h"
#include "gen/pass/pass.h"
#include "tests/fuzz/readers/reader.h"

// Returns a spec that gives a legal value to every parameter without default.
static const char *spec_of(struct arena *arena, const struct family *family, const char *path) {
    const char *spec = arena_printf(arena, "name: t\nmodel:\n  family: %s\n", path);
    for (size_t i = 0; i < family->parameters; i++) {
        const struct family_parameter *p = &family->parameter[i];
        if (p->preset) continue;
        if (p->type == FAMILY_WORD) spec = arena_printf(arena, "%s  %s: %s\n", spec, p->name, p->words[0]);
        else if (p->type == FAMILY_FLAG) spec = arena_printf(arena, "%s  %s: true\n", spec, p->name);
        else spec = arena_printf(arena, "%s  %s: %.17g\n", spec, p->name, p->from > 2 || p->to < 2 ? p->from : 2);
    }
    return spec;
}

// Returns whether the compiler accepts a spec, as far as its graph.
static bool expand(struct arena *arena, struct diag *diag, const char *text) {
    const struct rill_spec *spec = rill_spec_read_bytes("spec.yaml", text, strlen(text), arena, diag);
    struct ir *ir = ARENA_NEW(arena, struct ir);
    ir->arena = arena;
    pass_function *const passes[] = {pass_expand_model, pass_infer_types, pass_drop_unread};
    for (size_t p = 0; spec != NULL && p < COUNT_OF(passes); p++)
        if (!passes[p](ir, spec, diag) || diag_failed(diag) || !ir_verify(ir, diag, "a pass")) return false;
    return spec != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name = "family.yaml";
    struct arena arena;
    struct diag diag;
    reader_begin(&arena, &diag);
    const char *path = reader_file(&arena, name, data, size);
    const struct family *family = family_read_bytes("family.yaml", data, size, &arena, &diag);
    const char *spec = family != NULL ? spec_of(&arena, family, path) : NULL;
    if (spec != NULL && expand(&arena, &diag, spec)) // The oracle must read every family that the compiler accepts.
        if (oracle_read_text(&arena, "spec.yaml", spec, arena_strndup(&arena, (const char *)data, size), &diag) == NULL)
            abort();
    reader_end(&arena, &name, 1);
    return 0;
}
