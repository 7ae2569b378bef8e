// SPDX-License-Identifier: Apache-2.0
// Reads a report of the vendor's tools about a platform, or about a build on it, and compares a board file with it.
#ifndef RILL_PLATFORM_H
#define RILL_PLATFORM_H

#include "gen/device/device.h"

enum platform_kind { PLATFORM_LUT, PLATFORM_FF, PLATFORM_BRAM36, PLATFORM_URAM, PLATFORM_DSP, PLATFORM_KINDS };

enum platform_what {
    PLATFORM_REGION,    // resources in the dynamic region
    PLATFORM_DEVICE,    // resources of the device
    PLATFORM_CELLS,     // the cells of the platform on the whole card
    PLATFORM_WIRES,     // wires from one die to the next
    PLATFORM_WIRES_USED // wires from one die to the next that the platform uses
};

// One figure of a report: a number of resources of a kind, or of wires. The true value is from `low` to `high`: a share
// with two decimals gives a range, and the wires of a whole build are only a bound for those of the platform.
struct platform_row {
    enum platform_what what;
    enum platform_kind kind; // not for wires
    const char *die;         // NULL: the whole card. Wires: the lower of the two dies
    double low, high;
    struct loc loc;
};

struct platform_said {    // the content of a report
    const char *format;   // "platforminfo" or "a utilization report"
    const char *platform; // name of the platform, if the file names it; else NULL
    struct loc platform_loc;
    VEC(struct platform_row) rows;
};

// Facts about the user's kernel in a build, given by the caller. A report alone does not tell the kernel's part of the
// build from the platform's part.
struct platform_build {
    const char *kernel; // instance of the kernel in a report by hierarchy; NULL: unknown
    bool has_ports;     // whether `ports` is known
    int64_t ports;      // memory ports of the kernel
};

// Reads a file: output of platforminfo, as text or JSON, or a utilization report of Vivado (by site type with its
// tables of dies, by hierarchy, or by kernel). Returns NULL after errors with their place in the file.
struct platform_said *platform_read(const char *path, const struct rill_device *, const struct platform_build *,
                                    struct arena *, struct diag *);
// Reads the JSON of platforminfo, for platform_read. Returns false after an error.
bool platform_read_json(const struct source *, struct platform_said *, struct arena *, struct diag *);
// Adds a figure, or narrows the range of one that the file gave before. Returns false after an error: the file gave
// another value for this figure.
bool platform_add(struct platform_said *, const struct platform_row *, struct arena *, struct diag *);
const char *platform_figure_name(const struct platform_row *, struct arena *); // "region of SLR0, LUT"

struct platform_verdict {
    const struct platform_row *row;
    double board;    // value in the board file
    struct loc at;   // location of that value
    const char *key; // key of that value
    bool agrees;     // the value is in the range of the row
};
// Compares each figure with the board file, and returns a verdict for each row of the report. Returns NULL after an
// error: the report names a die that the board lacks.
struct platform_verdict *platform_compare(const struct rill_device *, const struct platform_said *, struct arena *,
                                          struct diag *);

#endif
