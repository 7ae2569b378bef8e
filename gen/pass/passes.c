// SPDX-License-Identifier: Apache-2.0
// Builds the table of all passes from passes.def, and runs a pass with the checks that follow it.
#include "gen/pass/pass.h"

const struct pass pass_table[] = {
#define PASS(name, function, invariant, doc, after) {name, function, invariant, doc, after},
#include "gen/pass/passes.def"
#undef PASS
    {0},
};

const char *pass_last(void) {
    int p = 0;
    while (pass_table[p + 1].name) p++;
    return pass_table[p].name;
}

// Checks the invariants of this pass and of all earlier ones, and reports the first one that does not hold.
static bool rules_hold(const struct ir *ir, int pass, struct diag *diag) {
    for (int p = 0; p <= pass; p++) {
        const char *broken = pass_table[p].invariant(ir);
        if (!broken) continue;
        diag_error(diag, loc_none(), MSG_INTERNAL_RULE, pass_table[pass].name, broken, pass_table[p].name,
                   pass_table[p].after);
        return false;
    }
    return true;
}

bool pass_run(int pass, struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    if (!pass_table[pass].run(ir, spec, diag) || diag_failed(diag)) return false;
    ir->done = pass_table[pass].name;
    return ir_verify(ir, diag, ir->done) && rules_hold(ir, pass, diag);
}
