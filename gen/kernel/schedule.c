// SPDX-License-Identifier: Apache-2.0
// Cost of rill_schedule, which holds a table of entries and walks through it in each step (docs/rtl.md section 5). It
// exists only inside other modules, so it needs no contract.
#include <string.h>

#include "gen/kernel/class.h"

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_schedule(r, args_int(a, "ENTRY_W", 1), args_int(a, "ENTRIES", 1), args_int(a, "SECTIONS", 1));
}

const struct kernel_class rtl_schedule = {.module = "rill_schedule", .cost = cost};

int schedule_sections(const struct ir_param *p) {
    bool lengths = !strcmp(p->name, "SECTION_LEN");
    return lengths && p->value.kind == IR_VALUE_LIST ? p->value.words : 0;
}
