// SPDX-License-Identifier: Apache-2.0
// Reads a board file. Contains the schema of board files, which `rill explain` uses as well, and the checks that
// compare figures with one another.
#include "gen/device/device.h"

#include <stddef.h>
#include <string.h>

#include "gen/base/schema.h"

#define MEMBER(owner, member) offsetof(struct owner, member)
#define FIELD(word, kind, owner, member, low, high, text)                                                              \
    {                                                                                                                  \
        .key = word, .type = kind, .offset = MEMBER(owner, member), .required = true, .min = low, .max = high,         \
        .doc = text                                                                                                    \
    }
#define INT_FIELD(word, owner, member, low, high, text) FIELD(word, SCHEMA_INT, owner, member, low, high, text)
#define FLOAT_FIELD(word, owner, member, low, high, text) FIELD(word, SCHEMA_FLOAT, owner, member, low, high, text)
#define TEXT_FIELD(word, owner, member, text) FIELD(word, SCHEMA_STRING, owner, member, 0, 0, text)

enum { MAX_COUNT = 100000000 }; // of a resource

static const struct schema_field vitis_fields[] = {
    TEXT_FIELD("first", device_vitis, first, "oldest supported version, such as \"2022.2\""),
    TEXT_FIELD("last", device_vitis, last, "newest supported version"),
    TEXT_FIELD("cells", device_vitis, cells, "instance path of the kernels in a linked design"),
    TEXT_FIELD("pblock", device_vitis, pblock, "the platform's own pblock of a die, without `_` and the die's name"),
};
static const struct schema_table vitis_table = {
    .what = "vitis", .fields = vitis_fields, .count = COUNT_OF(vitis_fields)};

static const struct schema_field clock_fields[] = {
    FLOAT_FIELD("default_mhz", rill_device, clock_default_mhz, 1, 2000, "clock of a spec without `clock_mhz`, MHz"),
    FLOAT_FIELD("max_mhz", rill_device, clock_max_mhz, 1, 2000, "highest clock of a design, MHz"),
};
static const struct schema_table clock_table = {
    .what = "clock", .fields = clock_fields, .count = COUNT_OF(clock_fields)};

#define RESOURCES(owner, part)                                                                                         \
    INT_FIELD("lut", owner, part lut, 0, MAX_COUNT, "LUTs"),                                                           \
        INT_FIELD("ff", owner, part ff, 0, MAX_COUNT, "flip-flops"),                                                   \
        INT_FIELD("bram36", owner, part bram36, 0, MAX_COUNT, "block RAMs of 36 Kbit"),                                \
        INT_FIELD("uram", owner, part uram, 0, MAX_COUNT, "URAMs"),                                                    \
        INT_FIELD("dsp", owner, part dsp, 0, MAX_COUNT, "DSPs")

static const struct schema_field resource_fields[] = {RESOURCES(device_resources, )};
static const struct schema_table region_table = {
    .what = "region", .fields = resource_fields, .count = COUNT_OF(resource_fields)};
static const struct schema_table cells_table = {
    .what = "platform_cells", .fields = resource_fields, .count = COUNT_OF(resource_fields)};

static const struct schema_field slr_fields[] = {
    TEXT_FIELD("name", device_slr, name, "unique name of the die in the vendor's tools: letters, digits, `_`, `-`"),
    {.key = "hbm",
     .type = SCHEMA_BOOL,
     .offset = MEMBER(device_slr, hbm),
     .doc = "whether the memory ports are on this die"},
    {.key = "platform_wires",
     .type = SCHEMA_INT,
     .offset = MEMBER(device_slr, platform_wires),
     .min = 0,
     .max = MAX_COUNT,
     .doc = "wires from this die to the next that the platform itself uses"},
    RESOURCES(device_slr, total.),
};
static const struct schema_key slr_keys[] = {
    {.key = "region",
     .doc = "what the platform's dynamic region has of the die; default: the whole die",
     .holds = SCHEMA_HOLDS_ONE,
     .table = &region_table}};
static const struct schema_table slr_table = {.what = "slrs",
                                              .fields = slr_fields,
                                              .count = COUNT_OF(slr_fields),
                                              .keys = slr_keys,
                                              .key_count = COUNT_OF(slr_keys)};

enum schema_of { SCHEMA_OF_int = SCHEMA_INT, SCHEMA_OF_double = SCHEMA_FLOAT };
static const struct schema_field hbm_fields[] = {
#define HBM_FIELD(kind, word, low, high, value, unit, text)                                                            \
    {.key = #word,                                                                                                     \
     .type = (enum schema_type)SCHEMA_OF_##kind,                                                                       \
     .offset = MEMBER(hbm_figures, word),                                                                              \
     .required = (value) < 0,                                                                                          \
     .min = low,                                                                                                       \
     .max = high,                                                                                                      \
     .preset = value,                                                                                                  \
     .doc = text},
    HBM_FIGURES(HBM_FIELD)
#undef HBM_FIELD
};
static const struct schema_table hbm_table = {.what = "hbm", .fields = hbm_fields, .count = COUNT_OF(hbm_fields)};

static const struct schema_field top_fields[] = {
    TEXT_FIELD("name", rill_device, name, "name of the board: letters, digits, `_`, `-`"),
    TEXT_FIELD("part", rill_device, part, "the FPGA, as the vendor writes its name"),
    TEXT_FIELD("platform", rill_device, platform, "the Vitis platform, the vendor's fixed logic on the card"),
    {.key = "sll",
     .type = SCHEMA_INT,
     .offset = MEMBER(rill_device, sll),
     .min = 0,
     .max = MAX_COUNT,
     .doc = "wires from one die to the next. 0: not known"},
    {.key = "sll_region",
     .type = SCHEMA_INT,
     .offset = MEMBER(rill_device, sll_region),
     .min = 0,
     .max = MAX_COUNT,
     .doc = "those of them whose registers are in the dynamic region. 0: all"},
};
#define SECTION(word, must, kind, its, text)                                                                           \
    { .key = word, .required = must, .doc = text, .holds = kind, .table = &its }
static const struct schema_key top_keys[] = {
    SECTION("clock", true, SCHEMA_HOLDS_ONE, clock_table, "clocks for designs"),
    SECTION("slrs", true, SCHEMA_HOLDS_LIST, slr_table, "the dies, 1 to 8"),
    SECTION("hbm", true, SCHEMA_HOLDS_ONE, hbm_table, "figures of the memory"),
    SECTION("platform_cells", false, SCHEMA_HOLDS_ONE, cells_table, "cells of the platform on the whole card"),
    SECTION("vitis", false, SCHEMA_HOLDS_ONE, vitis_table, "the vendor's tools"),
    SECTION("memory_port", false, SCHEMA_HOLDS_ONE, board_port_table,
            "resources that the linker adds for each memory port"),
    SECTION("limits", false, SCHEMA_HOLDS_ONE, board_limit_table, "how full a die may be, in percent"),
    SECTION("power", false, SCHEMA_HOLDS_ONE, board_power_table, "estimates of the card's power"),
};
const struct schema_table device_table = {.what = "board",
                                          .fields = top_fields,
                                          .count = COUNT_OF(top_fields),
                                          .keys = top_keys,
                                          .key_count = COUNT_OF(top_keys)};

// Checks the name of a board or die. It goes into reports and Tcl scripts, so only some characters are legal.
static void check_name(const struct yaml_node *map, const char *name, struct diag *diag) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (*name && strspn(name, letters) == strlen(name)) return;
    diag_error(diag, yaml_get(map, "name")->loc, MSG_NAME_OF_BOARD, name);
}

static bool holds_at_most(const struct device_resources *part, const struct device_resources *all) {
    return part->lut <= all->lut && part->ff <= all->ff && part->bram36 <= all->bram36 && part->uram <= all->uram &&
           part->dsp <= all->dsp;
}

// Reads a die. Without `region`, the dynamic region is the whole die.
static void read_slr(const struct yaml_node *node, struct device_slr *slr, struct arena *arena, struct diag *diag) {
    if (!schema_read_table(node, &slr_table, slr, arena, diag)) return;
    check_name(node, slr->name, diag);
    slr->region = slr->total;
    const struct yaml_node *region = yaml_get(node, "region");
    if (!region || !schema_read_table(region, &region_table, &slr->region, arena, diag)) return;
    if (!holds_at_most(&slr->region, &slr->total)) diag_error(diag, region->loc, MSG_BOARD_REGION, slr->name);
}

// Reads the dies. Their names must differ.
static void read_slrs(const struct yaml_node *list, struct rill_device *device, struct arena *arena,
                      struct diag *diag) {
    if (!yaml_expect(list, YAML_KIND_SEQ, "slrs", diag)) return;
    if (list->count < 1 || list->count > DEVICE_MAX_SLRS) {
        diag_error(diag, list->loc, MSG_BOARD_DIES, DEVICE_MAX_SLRS, list->count);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        read_slr(list->items[i], &device->slrs[i], arena, diag);
        const char *name = device->slrs[i].name; // NULL after an error
        for (size_t before = 0; name && before < i; before++)
            if (device->slrs[before].name && !strcmp(device->slrs[before].name, name))
                diag_error(diag, list->items[i]->loc, MSG_DIE_TWICE, name);
        device->slr_count++;
    }
}

// Checks that a text has only characters of `letters`, because it goes into Tcl scripts and makefiles without quotes.
static void check_plain(const struct yaml_node *map, const char *key, const char *text, const char *letters,
                        struct diag *diag) {
    if (!*text || strspn(text, letters) == strlen(text)) return;
    diag_error(diag, yaml_get(map, key)->loc, MSG_NAME_OF_VITIS, key, text);
}

// Checks that a version has the form `2022.2`, so versions can be compared as texts.
static bool check_version(const struct yaml_node *map, const char *key, const char *text, struct diag *diag) {
    static const char digits[] = "0123456789";
    size_t year = strspn(text, digits), minor = text[year] == '.' ? strspn(text + year + 1, digits) : 0;
    if (year == 4 && minor == 1 && !text[6]) return true;
    diag_error(diag, yaml_get(map, key)->loc, MSG_VERSION_TEXT, key, text);
    return false;
}

static void read_vitis(const struct yaml_node *map, struct device_vitis *vitis, struct arena *arena,
                       struct diag *diag) {
    static const char path[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    if (!map || !schema_read_table(map, &vitis_table, vitis, arena, diag)) return;
    bool versions = check_version(map, "first", vitis->first, diag);
    versions = check_version(map, "last", vitis->last, diag) && versions;
    check_plain(map, "cells", vitis->cells, path, diag);
    check_plain(map, "pblock", vitis->pblock, path, diag);
    if (versions && strcmp(vitis->first, vitis->last) > 0)
        diag_error(diag, yaml_get(map, "last")->loc, MSG_BOARD_VITIS, vitis->last, vitis->first);
}

// Reports an error if the value of key `low` exceeds that of key `high`.
static void check_order(const struct yaml_node *map, const char *low, double low_value, const char *high,
                        double high_value, struct diag *diag) {
    if (low_value <= high_value) return;
    diag_error(diag, yaml_get(map, low)->loc, MSG_BOARD_FIGURES, low, low_value, high, high_value);
    diag_note(diag, yaml_get(map, low)->loc, "the nearest legal value is %g", high_value);
}

// Reports the contradictions between figures of the memory.
static void check_hbm(const struct yaml_node *map, const struct hbm_figures *hbm, struct arena *arena,
                      struct diag *diag) {
    struct hbm_fault fault[HBM_MAX_FAULTS];
    int faults = hbm_figures_faults(arena, hbm, fault);
    for (int i = 0; i < faults; i++) {
        struct loc loc = yaml_get(map, fault[i].key)->loc;
        diag_error(diag, loc, MSG_BOARD_MEMORY, fault[i].what);
        diag_note(diag, loc, "the nearest legal value is %g", fault[i].nearest);
    }
}

struct device_resources device_total(const struct rill_device *device) {
    struct device_resources sum = {0};
    for (size_t i = 0; i < device->slr_count; i++) {
        const struct device_resources *t = &device->slrs[i].total;
        sum.lut += t->lut, sum.ff += t->ff, sum.bram36 += t->bram36, sum.uram += t->uram, sum.dsp += t->dsp;
    }
    return sum;
}

struct device_resources device_region(const struct rill_device *device) {
    struct device_resources sum = {0};
    for (size_t i = 0; i < device->slr_count; i++) {
        const struct device_resources *r = &device->slrs[i].region;
        sum.lut += r->lut, sum.ff += r->ff, sum.bram36 += r->bram36, sum.uram += r->uram, sum.dsp += r->dsp;
    }
    return sum;
}

// Reads `platform_cells`. Without this section, everything outside the dynamic region counts as cells of the platform.
static void read_cells(const struct yaml_node *root, struct rill_device *device, struct arena *arena,
                       struct diag *diag) {
    const struct yaml_node *cells = yaml_get(root, "platform_cells");
    struct device_resources all = device_total(device), region = device_region(device);
    device->platform_cells = (struct device_resources){.lut = all.lut - region.lut,
                                                       .ff = all.ff - region.ff,
                                                       .bram36 = all.bram36 - region.bram36,
                                                       .uram = all.uram - region.uram,
                                                       .dsp = all.dsp - region.dsp};
    if (!cells || !schema_read_table(cells, &cells_table, &device->platform_cells, arena, diag)) return;
    if (!holds_at_most(&device->platform_cells, &all)) diag_error(diag, cells->loc, MSG_BOARD_CELLS);
}

// Sets sll_region to `sll` if sll_region is 0. Checks that neither sll_region nor the platform's wires exceed `sll`.
static void check_wires(const struct yaml_node *root, struct rill_device *device, struct diag *diag) {
    if (!device->sll_region) device->sll_region = device->sll;
    if (device->sll_region > device->sll)
        diag_error(diag, yaml_get(root, "sll_region")->loc, MSG_BOARD_FIGURES, "sll_region", (double)device->sll_region,
                   "sll", (double)device->sll);
    for (size_t i = 0; i < device->slr_count; i++)
        if (device->slrs[i].platform_wires > device->sll)
            diag_error(diag, yaml_get(yaml_get(root, "slrs")->items[i], "platform_wires")->loc, MSG_BOARD_FIGURES,
                       "platform_wires", (double)device->slrs[i].platform_wires, "sll", (double)device->sll);
}

// Reads the sections that a board file must have, and checks their figures.
static void read_parts(const struct yaml_node *root, struct rill_device *device, struct arena *arena,
                       struct diag *diag) {
    const struct yaml_node *clock = schema_need(root, "clock", &device_table, arena, diag);
    const struct yaml_node *slrs = schema_need(root, "slrs", &device_table, arena, diag);
    const struct yaml_node *hbm = schema_need(root, "hbm", &device_table, arena, diag);
    if (clock && schema_read_table(clock, &clock_table, device, arena, diag))
        check_order(clock, "default_mhz", device->clock_default_mhz, "max_mhz", device->clock_max_mhz, diag);
    int before = diag->errors;
    if (slrs) read_slrs(slrs, device, arena, diag);
    if (slrs && diag->errors == before) {
        read_cells(root, device, arena, diag);
        check_wires(root, device, diag);
    }
    if (hbm && schema_read_table(hbm, &hbm_table, &device->hbm, arena, diag)) check_hbm(hbm, &device->hbm, arena, diag);
}

struct rill_device *rill_device_read(const char *path, struct arena *arena, struct diag *diag) {
    int before = diag->errors;
    const struct yaml_node *root = yaml_read_file(path, arena, diag);
    if (!root || !yaml_expect(root, YAML_KIND_MAP, "a board file", diag)) return NULL;
    struct rill_device *device = ARENA_NEW(arena, struct rill_device);
    device->path = arena_strdup(arena, path);
    if (schema_read_table(root, &device_table, device, arena, diag)) check_name(root, device->name, diag);
    read_parts(root, device, arena, diag);
    read_vitis(yaml_get(root, "vitis"), &device->vitis, arena, diag);
    board_figures_read(root, &device->figures, arena, diag);
    return diag->errors == before ? device : NULL;
}
