// SPDX-License-Identifier: Apache-2.0
// Modules around the kernels that are not kernels: the register tree of signals that go to every kernel, and reset and
// clocks of the board's wrapper.
#include "gen/kernel/class.h"

const struct kernel_class rtl_register_tree = {.module = "rill_register_tree"};
const struct kernel_class rtl_clock_2x = {.module = "rill_clock_2x"};
const struct kernel_class rtl_clock_guard = {.module = "rill_clock_guard"};
const struct kernel_class rtl_reset = {.module = "rill_reset"};
