// SPDX-License-Identifier: Apache-2.0
// The options --hbm and --clock, which override figures of the board's memory and the spec's clock.
#include "gen/device/hbm_figures.h"
#include "gen/request/sim_options.h"

// Checks KEY=VALUE by setting it in a scratch structure, then keeps the text. The list stays terminated by NULL: the
// NULL is pushed but not counted.
static const char *read_hbm(struct arena *arena, void *into, const char *value) {
    struct figure_options *o = into;
    struct hbm_figures alone = {0};
    const char *why = hbm_figures_set(arena, &alone, value);
    if (why) return why;
    VEC_PUSH(arena, o->hbm, value);
    VEC_PUSH(arena, o->hbm, NULL);
    o->hbm.count--;
    return NULL;
}

static void list_hbm(FILE *out) { hbm_figures_list(out, false); }

const struct option_row figure_rows[] = {{"--hbm", "KEY=VALUE", OPTION_CALL, OPTION_REPEATS, 0, .call = read_hbm,
                                          .list = list_hbm, .group = "Another memory or clock",
                                          .help = "replace a figure of the board's memory"},
                                         {"--clock", "MHZ", OPTION_REAL, 0, offsetof(struct figure_options, clock_mhz),
                                          1, 2000, .help = "use this clock instead of the one in the spec, in MHz"},
                                         {0}};
