// SPDX-License-Identifier: Apache-2.0
// Classes of modules that are instantiated around the kernels: the register tree of signals that go to every kernel,
// and the reset and clocks of the board's wrapper. They have no contract and no cost formula; the classes only give
// their names.
#include "gen/kernel/class.h"

const struct kernel_class rtl_register_copies = {.module = "rill_register_copies"};
const struct kernel_class rtl_clock_2x = {.module = "rill_clock_2x"};
const struct kernel_class rtl_clock_guard = {.module = "rill_clock_guard"};
const struct kernel_class rtl_reset = {.module = "rill_reset"};
