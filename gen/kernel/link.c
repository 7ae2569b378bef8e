// SPDX-License-Identifier: Apache-2.0
// Classes of modules that the emitter composes of other modules: rill_link is a stream with its FIFO and its path
// between dies, and rill_channel is a memory channel. They have no costs and no timing contracts besides those of the
// modules inside.
#include "gen/kernel/class.h"

const struct kernel_class rtl_channel = {.module = "rill_channel"};
const struct kernel_class rtl_link = {.module = "rill_link"};
