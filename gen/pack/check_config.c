// SPDX-License-Identifier: Apache-2.0
// Compares config.json and the tokenizer of a checkpoint with the spec. The shapes of the tensors do not tell the
// number of heads, eps or the kind of model, and a wrong value of these would silently give wrong text.
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "gen/model/checkpoint.h"
#include "gen/spec/family.h"
#include "gen/pack/image.h"
#include "gen/pack/pack.h"
#include "gen/model/tokenizer.h"

// Returns the parameters that the spec of a model gives to its family, or NULL after an error. The texts of the spec
// and of the family file are in the IR, so the check does not depend on files that may have changed since.
static struct family_values *wanted(const struct ir *ir, const struct family *family, struct diag *diag) {
    const struct yaml_node *root = yaml_read_bytes("spec.yaml", ir->spec, strlen(ir->spec), ir->arena, diag),
                           *model = root ? yaml_get(root, "model") : NULL;
    return model ? family_values_read(family, model, ir->arena, diag) : NULL;
}

static struct family *family_of(const struct ir *ir, struct diag *diag) {
    return family_read_bytes(ir->design.family ? ir->design.family : "family", ir->family, strlen(ir->family),
                             ir->arena, diag);
}

bool pack_check_config(const struct ir *ir, const char *dir, struct diag *diag) {
    if (!ir->family || !ir->spec) return true; // a graph has no config.json
    struct family *family = family_of(ir, diag);
    if (!family) return false;
    struct family_values *want = wanted(ir, family, diag), *have = NULL;
    if (want) have = family_config_read(family, dir, ir->arena, diag);
    return have && family_config_check(have, want, dir, ir->arena, diag) && pack_check_angles(ir, family, dir, diag);
}

struct checkpoint *pack_open_checkpoint(const struct ir *ir, const char *source, struct diag *diag) {
    if (!ir->family || !ir->spec) return checkpoint_open(ir->arena, source, diag);
    struct family *family = family_of(ir, diag);
    struct family_values *values = family ? wanted(ir, family, diag) : NULL;
    return values ? checkpoint_open_of(ir->arena, source, values, diag) : NULL;
}

bool pack_has_tokenizer(const struct ir *ir, const char *dir) { return tokenizer_present(ir->arena, dir); }

bool pack_check_tokenizer(const struct ir *ir, const char *dir, struct diag *diag) {
    int64_t rows = ir_vocabulary(ir);
    if (!rows || !pack_has_tokenizer(ir, dir)) return true; // without a tokenizer, only ids go in and out
    const char *why;
    struct tokenizer *t = tokenizer_try(ir->arena, dir, &why);
    if (!t) return diag_warning(diag, loc_file(ir->arena, dir), MSG_TOKENIZER_UNUSABLE_IMPORT, why), true;
    int64_t have = tokenizer_plain_vocab(t); // a special token beyond the rows is refused when a prompt contains it
    tokenizer_close(t);
    if (have <= rows) return true;
    diag_error(diag, loc_file(ir->arena, dir), MSG_TOKENIZER_VOCABULARY, have, rows);
    return false;
}
