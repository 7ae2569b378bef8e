// SPDX-License-Identifier: Apache-2.0
// The table of all passes in their order (gen/pass/pass.h).
#include "gen/bind/bind.h"
#include "gen/pass/pass.h"

const struct pass pass_table[] = {
    {"expand-model", pass_expand_model},
    {"infer-types", pass_infer_types},
    {"drop-unread", pass_drop_unread},
    {"choose-orders", pass_choose_orders},
    {"choose-lanes", pass_choose_lanes},
    {"bind-operations", bind_operations},
    {"route-streams", pass_route_streams},
    {"insert-layouts", pass_insert_layouts},
    {"insert-converters", pass_insert_converters},
    {"fuse-groups", pass_fuse_groups},
    {"insert-dma", pass_insert_dma},
    {"insert-control", pass_insert_control},
    {"split-forks", pass_split_forks},
    {"size-fifos", pass_size_fifos},
    {"overlay-fifos", pass_overlay_fifos},
    {"allocate-memories", pass_allocate_memories},
    {"place-dies", pass_place_dies},
    {"mark-ahead", pass_mark_ahead},
    {0},
};

const char *pass_last(void) {
    int p = 0;
    while (pass_table[p + 1].name) p++;
    return pass_table[p].name;
}
