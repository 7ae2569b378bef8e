// SPDX-License-Identifier: Apache-2.0
// A board: what the device holds, what the shell keeps, its dies and its memory. Read from boards/<name>.yaml.
#ifndef RILL_DEVICE_H
#define RILL_DEVICE_H

#include "gen/device/board_figures.h"
#include "gen/device/hbm_figures.h"
#include "gen/base/schema.h"

enum { DEVICE_MAX_SLRS = 8 };

// Counts of one die, or of the shell's share.
struct device_resources {
    int lut, ff, bram36, uram, dsp;
};

struct device_slr {
    const char *name;
    struct device_resources total;
    struct device_resources shell; // kept by the platform; never more than total
    bool hbm;                      // the HBM ports enter here
};

// The vendor's tools for the board's platform, and how these name things. All NULL where the board says nothing of
// them.
struct device_vitis {
    const char *first, *last; // versions "2022.2": from, to
    const char *cells;        // where the kernels lie in the linked design: path without a slash at its end
    const char *pblock;       // the platform's own pblock of a die is this with `_` and the die's name behind it
};

struct rill_device {
    const char *name, *part, *platform;
    struct device_vitis vitis;
    const char *path; // of the file
    double clock_default_mhz, clock_max_mhz;
    size_t slr_count;
    int sll; // wires from one die to the next; 0: not known
    struct device_slr slrs[DEVICE_MAX_SLRS];
    struct hbm_figures hbm;
    struct board_figures figures;
};

// What a board file may hold; device_table is the whole.
extern const struct schema_table device_table, board_port_table, board_limit_table, board_power_table;

// The sections of a board file that are tables of numbers; presets for those it does not have.
void board_figures_read(const struct yaml_node *root, struct board_figures *, struct arena *, struct diag *);
// NULL after errors in diag.
struct rill_device *rill_device_read(const char *path, struct arena *arena, struct diag *diag);
// `u55c` is boards/u55c.yaml of the installation; a text with a '/' or ending in .yaml is a path relative to base_dir.
// Reports an unknown board at loc with the boards there are.
struct rill_device *rill_device_find(const char *name, const char *base_dir, struct loc loc, struct arena *arena,
                                     struct diag *diag);

#endif
