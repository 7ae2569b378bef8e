// SPDX-License-Identifier: Apache-2.0
// Reads the sections of a board file that are tables of numbers: `memory_port`, `limits` and `power`. board_figures.h
// lists their keys in BOARD_*_FIGURES; the macros below turn each list into the fields of a schema.
#include "gen/device/device.h"

#include <string.h>

#include "gen/base/schema.h"

enum { SCHEMA_OF_int = SCHEMA_INT, SCHEMA_OF_double = SCHEMA_FLOAT }; // schema type of a C type

#define FIELD_OF(owner, kind, word, least, most, value, text)                                                          \
    {.key = #word,                                                                                                     \
     .type = (enum schema_type)SCHEMA_OF_##kind,                                                                       \
     .offset = offsetof(struct owner, word),                                                                           \
     .min = least,                                                                                                     \
     .max = most,                                                                                                      \
     .preset = value,                                                                                                  \
     .doc = text},
#define PORT_FIELD(kind, key, low, high, preset, unit, text)                                                           \
    FIELD_OF(board_memory_port, kind, key, low, high, preset, text)
#define LIMIT_FIELD(kind, key, low, high, preset, unit, text) FIELD_OF(board_limits, kind, key, low, high, preset, text)
#define POWER_FIELD(kind, key, low, high, preset, unit, text) FIELD_OF(board_power, kind, key, low, high, preset, text)

static const struct schema_field port_fields[] = {BOARD_PORT_FIGURES(PORT_FIELD)};
static const struct schema_field limit_fields[] = {BOARD_LIMIT_FIGURES(LIMIT_FIELD)};
static const struct schema_field power_fields[] = {BOARD_POWER_FIGURES(POWER_FIELD)};

const struct schema_table board_port_table = {
    .what = "memory_port", .fields = port_fields, .count = COUNT_OF(port_fields)};
const struct schema_table board_limit_table = {
    .what = "limits", .fields = limit_fields, .count = COUNT_OF(limit_fields)};
const struct schema_table board_power_table = {
    .what = "power", .fields = power_fields, .count = COUNT_OF(power_fields)};

// Reports an error if the lower estimate exceeds the higher one. The error points at the value of the lower estimate,
// whose key is `low`. Does nothing if the file does not give the lower one.
static void check_order(const struct yaml_node *map, const char *low, double low_value, const char *high,
                        double high_value, struct diag *diag) {
    const struct yaml_node *node = map ? yaml_get(map, low) : NULL;
    if (!node || low_value <= high_value) return;
    diag_error(diag, node->loc, MSG_BOARD_FIGURES, low, low_value, high, high_value);
    diag_note(diag, node->loc, "the nearest legal value is %g", high_value);
}

// Sets `most_lut` and `most_ff` to `lut` and `ff` if the board file does not give them. Then checks the order of each
// pair.
static void check_ports(const struct yaml_node *map, struct board_memory_port *port, struct diag *diag) {
    if (!port->most_lut) port->most_lut = port->lut;
    if (!port->most_ff) port->most_ff = port->ff;
    check_order(map, "lut", port->lut, "most_lut", port->most_lut, diag);
    check_order(map, "ff", port->ff, "most_ff", port->most_ff, diag);
}

// Reads the three sections. Keys that are missing get their presets.
void board_figures_read(const struct yaml_node *root, struct board_figures *out, struct arena *arena,
                        struct diag *diag) {
    const struct yaml_node *port = yaml_get(root, "memory_port"), *limits = yaml_get(root, "limits"),
                           *power = yaml_get(root, "power");
    if (schema_read_table(port, &board_port_table, &out->memory_port, arena, diag))
        check_ports(port, &out->memory_port, diag);
    schema_read_table(limits, &board_limit_table, &out->limits, arena, diag);
    if (!schema_read_table(power, &board_power_table, &out->power, arena, diag)) return;
    check_order(power, "idle_low_w", out->power.idle_low_w, "idle_high_w", out->power.idle_high_w, diag);
    check_order(power, "hbm_low_pj", out->power.hbm_low_pj, "hbm_high_pj", out->power.hbm_high_pj, diag);
}
