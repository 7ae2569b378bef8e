// SPDX-License-Identifier: Apache-2.0
// A board as its file boards/<name>.yaml describes it: the device's dies, the part of each die that the platform leaves
// to designs, the memory, and figures of ports, limits and power. docs/boards.md explains the keys.
#ifndef RILL_DEVICE_H
#define RILL_DEVICE_H

#include "gen/device/board_figures.h"
#include "gen/device/hbm_figures.h"
#include "gen/base/schema.h"

enum { DEVICE_MAX_SLRS = 8 }; // most dies; an SLR (super logic region) is the vendor's name for a die

// Resources of one die, of a part of it, or of the platform's cells. bram36: block RAMs of 36 Kbit.
struct device_resources {
    int lut, ff, bram36, uram, dsp;
};

struct device_slr {
    const char *name;
    struct device_resources total;
    // The part in the platform's dynamic region, which the vendor's fixed logic leaves to designs. It is at most
    // `total`, and equal to it if the file does not give it.
    struct device_resources region;
    int platform_wires; // wires to the next die that the platform itself uses
    bool hbm;           // the memory ports are on this die
};

// The vendor's tool versions for the board's platform, and the names that the linked design uses. All members are NULL
// if the board file does not give them.
struct device_vitis {
    const char *first, *last; // first and last supported version, such as "2022.2"
    const char *cells;        // path of the kernels in the linked design, without a slash at its end
    const char *pblock;       // the platform's pblock of a die is named <pblock>_<die>
};

struct rill_device {
    const char *name, *part,
        *platform; // part: the FPGA; platform: the Vitis platform, as the vendor writes their names
    struct device_vitis vitis;
    const char *path; // the board file
    double clock_default_mhz, clock_max_mhz;
    size_t slr_count;
    int sll;        // wires from one die to the next; 0: unknown
    int sll_region; // how many of these wires have their registers in the dynamic region; all if the file does not say
    // Cells of the platform on the whole card. The vendor's tools call the rest of the device the user's budget. If the
    // file does not give them, everything outside the dynamic region counts as such cells.
    struct device_resources platform_cells;
    struct device_slr slrs[DEVICE_MAX_SLRS]; // neighbours in this list are neighbours on the device
    struct hbm_figures hbm;
    struct board_figures figures;
};

// The schema of a board file. device_table describes the whole file, the others one section each.
extern const struct schema_table device_table, board_port_table, board_limit_table, board_power_table;

// Reads the sections of a board file that are tables of numbers. Missing sections and keys get their presets.
void board_figures_read(const struct yaml_node *root, struct board_figures *, struct arena *, struct diag *);
struct device_resources device_total(const struct rill_device *);  // sum of all dies
struct device_resources device_region(const struct rill_device *); // sum of the dynamic region on all dies
// Reads a board file. Returns NULL after reporting errors to diag.
struct rill_device *rill_device_read(const char *path, struct arena *arena, struct diag *diag);
// Finds a board by name or path and reads it. `u55c` means boards/u55c.yaml of the installation. A name that contains a
// '/' or ends in .yaml is a path relative to base_dir. Returns NULL after an error. An unknown board is reported at loc
// with the list of known boards.
struct rill_device *rill_device_find(const char *name, const char *base_dir, struct loc loc, struct arena *arena,
                                     struct diag *diag);

#endif
