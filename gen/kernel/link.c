// SPDX-License-Identifier: Apache-2.0
// Modules that the emitter makes from other modules: a stream with its FIFO and its path between dies, and a memory
// channel. They have no costs and cycles except those of the modules inside.
#include "gen/kernel/class.h"

const struct kernel_class rtl_channel = {.module = "rill_channel"};
const struct kernel_class rtl_link = {.module = "rill_link"};
