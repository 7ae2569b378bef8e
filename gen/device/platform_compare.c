// SPDX-License-Identifier: Apache-2.0
// Compares a board file with a report of the vendor's tools. Each figure of the report gets a verdict: the board file's
// value for it, the key and location of that value, and whether the value is in the report's range.
#include <string.h>

#include "gen/base/yaml.h"
#include "gen/device/platform.h"

static const char *const kind_titles[PLATFORM_KINDS] = {"LUT", "FF", "BRAM36", "URAM", "DSP"};
static const char *const kind_keys[PLATFORM_KINDS] = {"lut", "ff", "bram36", "uram", "dsp"};

const char *platform_figure_name(const struct platform_row *row, struct arena *arena) {
    static const char *const what[] = {[PLATFORM_REGION] = "region",
                                       [PLATFORM_DEVICE] = "device",
                                       [PLATFORM_CELLS] = "platform's cells",
                                       [PLATFORM_WIRES] = "wires",
                                       [PLATFORM_WIRES_USED] = "platform's wires"};
    bool wires = row->what == PLATFORM_WIRES || row->what == PLATFORM_WIRES_USED;
    const char *of = row->die ? arena_printf(arena, wires ? " from %s" : " of %s", row->die) : "";
    return arena_printf(arena, "%s%s%s%s", what[row->what], of, wires ? "" : ", ", wires ? "" : kind_titles[row->kind]);
}

// Returns the number of resources of a kind.
static double amount(const struct device_resources *r, enum platform_kind kind) {
    const int of[PLATFORM_KINDS] = {[PLATFORM_LUT] = r->lut,
                                    [PLATFORM_FF] = r->ff,
                                    [PLATFORM_BRAM36] = r->bram36,
                                    [PLATFORM_URAM] = r->uram,
                                    [PLATFORM_DSP] = r->dsp};
    return of[kind];
}

static int die_of(const struct rill_device *device, const char *name) {
    for (size_t d = 0; d < device->slr_count; d++)
        if (!strcmp(device->slrs[d].name, name)) return (int)d;
    return -1;
}

// Returns the location of a key's value in the board file, or the location of the map if it lacks the key.
static struct loc place(const struct yaml_node *map, const char *key) {
    const struct yaml_node *value = yaml_get(map, key);
    return value ? value->loc : map->loc;
}

// Finds the board file's value for a figure of the whole card, and its key and location.
static void judge_card(const struct rill_device *device, const struct yaml_node *root, struct arena *arena,
                       struct platform_verdict *v) {
    const char *key = kind_keys[v->row->kind];
    const struct yaml_node *cells = yaml_get(root, "platform_cells");
    struct device_resources sum = v->row->what == PLATFORM_REGION ? device_region(device) : device_total(device);
    v->at = yaml_key_loc(root, "slrs");
    v->key = arena_printf(arena, "sum of slrs[].%s%s", v->row->what == PLATFORM_REGION ? "region." : "", key);
    v->board = amount(&sum, v->row->kind);
    if (v->row->what != PLATFORM_CELLS) return;
    v->at = cells ? place(cells, key) : root->loc;
    v->key = arena_printf(arena, "platform_cells.%s", key);
    v->board = amount(&device->platform_cells, v->row->kind);
}

// Finds the board file's value for a figure of a die, and its key and location.
static void judge_die(const struct rill_device *device, const struct yaml_node *root, int die, struct arena *arena,
                      struct platform_verdict *v) {
    const struct device_slr *slr = &device->slrs[die];
    const struct yaml_node *node = yaml_get(root, "slrs")->items[die], *region = yaml_get(node, "region");
    const char *key = kind_keys[v->row->kind];
    switch (v->row->what) {
    case PLATFORM_REGION:
        v->at = region ? place(region, key) : node->loc;
        v->key = arena_printf(arena, "slrs[%d].region.%s", die, key);
        v->board = amount(&slr->region, v->row->kind);
        break;
    case PLATFORM_WIRES:
        v->at = place(root, "sll");
        v->key = "sll";
        v->board = device->sll;
        break;
    case PLATFORM_WIRES_USED:
        v->at = place(node, "platform_wires");
        v->key = arena_printf(arena, "slrs[%d].platform_wires", die);
        v->board = slr->platform_wires;
        break;
    default: // PLATFORM_DEVICE; only the whole card has figures of the kind PLATFORM_CELLS
        v->at = place(node, key);
        v->key = arena_printf(arena, "slrs[%d].%s", die, key);
        v->board = amount(&slr->total, v->row->kind);
    }
}

struct platform_verdict *platform_compare(const struct rill_device *device, const struct platform_said *said,
                                          struct arena *arena, struct diag *diag) {
    const struct yaml_node *root = yaml_read_file(device->path, arena, diag);
    struct platform_verdict *all = ARENA_ARRAY(arena, struct platform_verdict, said->rows.count + 1);
    int before = diag->errors;
    if (!root) return NULL;
    for (size_t i = 0; i < said->rows.count && !diag_full(diag); i++) {
        const struct platform_row *row = &said->rows.items[i];
        struct platform_verdict *v = &all[i];
        int die = row->die ? die_of(device, row->die) : 0;
        *v = (struct platform_verdict){.row = row};
        if (die < 0) {
            diag_error(diag, row->loc, MSG_PLATFORM_BOARD, device->name, row->die);
            continue;
        }
        if (row->die) judge_die(device, root, die, arena, v);
        else judge_card(device, root, arena, v);
        v->agrees = v->board >= row->low && v->board <= row->high;
    }
    return diag->errors == before ? all : NULL;
}
