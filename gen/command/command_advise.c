// SPDX-License-Identifier: Apache-2.0
// rill advise: lists single changes of a spec's design with their effects. gen/explore evaluates them.
#include <inttypes.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/explore/explore.h"

struct advise_options {
    const char *spec;
    int64_t whole, jobs; // changes to evaluate with all passes; processes
};

static int start(struct run *run, void *options) {
    const struct advise_options *o = options;
    struct text text = {0};
    struct explore_result own;
    struct explore_advice *list;
    struct explore x;
    if (!explore_begin_advice(&x, o->spec, &run->arena, &run->diag)) return RILL_BAD_SPEC;
    int count = explore_advise(&x, (int)o->whole, (int)o->jobs, &own, &list);
    if (count < 0) return RILL_BAD_SPEC;
    explore_advice_table(&x, &own, list, count, &text);
    return command_print(&text);
}

static const struct option_row rows[] = {
    {"SPEC", NULL, OPTION_FILE, OPTION_NEEDED, offsetof(struct advise_options, spec), .help = "a design spec"},
    {"--whole", "N", OPTION_NUMBER, 0, offsetof(struct advise_options, whole), .most = 100, .preset = "4",
     .help = "changes to evaluate with all passes and the forecast; the others are estimated"},
    {"--jobs", "N", OPTION_NUMBER, 0, offsetof(struct advise_options, jobs), .least = 1, .most = 1024, .preset = "1",
     .help = "processes that evaluate changes"},
    {0}};

const struct command command_advise = {
    .options = {.name = "advise",
                .purpose = "list single changes of a design, with their effect on speed and area",
                .about = "Every key of `design` that changes speed or area is changed alone, to the next value that "
                         "the table of keys lists, and so are the formats and a context that the spec gives. The "
                         "changes that help most come first. A design beyond the limits of its board needs relief "
                         "first, any other one speed.",
                .example = "rill advise configs/gpt2-medium-u55c.yaml",
                .page = "explore",
                .table = {{rows, 0}}},
    .size = sizeof(struct advise_options),
    .start = start};
