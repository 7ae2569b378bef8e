// SPDX-License-Identifier: Apache-2.0
// Cost of rill_join, which takes a word of every input at the same time. It is used only inside other modules.
#include "gen/kernel/class.h"

static void cost(const struct kernel_args *a, struct cost_resources *r) { cost_per(r, class_ports(a), PER_JOIN_PORT); }

const struct kernel_class rtl_join = {.module = "rill_join", .cost = cost};
