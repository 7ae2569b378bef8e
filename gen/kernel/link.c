// SPDX-License-Identifier: Apache-2.0
// What the emitter makes structure of: a stream with its FIFO and its way between dies, a memory channel. Costs and
// cycles are those of the modules inside.
#include "gen/kernel/class.h"

const struct kernel_class rtl_channel = {.module = "rill_channel"};
const struct kernel_class rtl_link = {.module = "rill_link"};
