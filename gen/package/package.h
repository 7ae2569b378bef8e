// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the emitters of a package for the vendor's flow. Each emitter writes one file; docs/package.md
// says what each file is for. Files that are identical for every design are copied from boards/vitis.
#ifndef RILL_PACKAGE_H
#define RILL_PACKAGE_H

#include "gen/ir/ir.h"
#include "gen/ir/registers.h"

#define PACKAGE_VENDOR "rill"
#define PACKAGE_FILES "files.txt" // list of the package's files
#define PACKAGE_VERSION "1.0"
#define PACKAGE_CONTROL "s_axi_control" // the interface of the registers
#define PACKAGE_DEFAULT_NAME "rill_kernel"
#define PACKAGE_CLOCKS "clocks.xdc" // file for designs with a second clock
// Main memory and free disk, in GB, that linking one binary may need. Both are estimates; neither was measured.
enum { PACKAGE_LINK_MEMORY = 64, PACKAGE_LINK_DISK = 100 };
enum { PACKAGE_LAST_BANK = 31 }; // highest bank number, HBM[31], on every supported board

struct package {
    const struct ir *ir;
    const struct emit_plan *plan; // modules of the design and paths of their instances
    struct arena *arena;
    const char *name;    // name of the kernel and of its module
    int units;           // compute units: instances of the kernel on the card
    int first_bank;      // memory bank of the first port of the first unit
    const char *library; // the design's name, as LIBRARY in the name of the core, VENDOR:LIBRARY:NAME:VERSION
    // Precedes the names of all modules except the kernel's, and of their files. "" in a package with the default name.
    const char *prefix;
    VEC(const char *) modules; // names of the modules without the prefix, sorted
    const char *identity;      // hash of the design, 16 hexadecimal digits, as in the headers of its files
    // Hash of the memory layout, 16 hexadecimal digits. The manifest of an image that fits the design has the same
    // hash.
    const char *layout;
    struct register_map registers;
    VEC(const char *) rtl; // paths of the Verilog files, rtl/<file>, in the order of reading; the wrapper is last
};

// Checks a package and fills the fields library, layout and registers. All other fields except rtl must be set. Returns
// false after an error: a kernel's name that cannot be used, banks that the memory does not have, or a name of the
// design or a text of the board that is not legal in Tcl or make.
bool package_prepare(struct package *, struct loc, struct diag *);
// Returns the prefix of a package's modules. It differs between kernels, so that the packages of two kernels have no
// module in common and fit into one project.
const char *package_prefix(struct arena *, const char *kernel);
// Adds the names of the modules that a file defines to `modules`.
void package_add_modules(struct package *, const struct source *);
// Adds Verilog text, with the prefix before the name of every module of `modules` that it defines or instantiates.
void package_add_prefixed(const struct package *, const char *data, size_t len, struct text *out);

const char *package_unit(const struct package *, int unit);             // name of a compute unit, counted from 0
const char *package_units(const struct package *, const char *between); // names of all units, separated by `between`
int package_bank(const struct package *, int unit, int channel);        // memory bank of a unit's port
const char *package_master(const struct package *, int channel);        // m_axi_hbm_NN
// Returns the interface with which an argument is associated: PACKAGE_CONTROL for a number, a memory port for a
// pointer.
const char *package_argument_bus(const struct package *, const struct register_item *);
int64_t package_clock_hz(const struct package *); // the design's clock
// Finds the lowest and the highest kernel clock, in whole MHz, at which the MMCM of a package with a second clock
// works. The MMCM's settings are chosen for clock_mhz.
void package_clock_range(const struct package *, int *lowest, int *highest);
// Returns the first line of generated files. mark: the mark of a comment in the language of the file.
const char *package_comment(const struct package *, const char *mark);

// Parameters of every memory interface, in the form that the platform's interconnect expects.
struct package_parameter {
    const char *name;
    int64_t value;
};
enum { PACKAGE_PARAMETERS = 9 };
void package_master_parameters(const struct package *, struct package_parameter out[PACKAGE_PARAMETERS]);

struct package_pin { // a pin of a memory port or of the control port
    const char *name;
    bool is_output; // an output of the kernel
    int bits;
    bool is_vector; // declared as a vector, even with one bit
};
enum { PACKAGE_MASTER_PINS = 37, PACKAGE_CONTROL_PINS = 19 }; // EMIT_AXI_SIGNALS, EMIT_AXIL_SIGNALS
void package_master_pins(const struct package *, struct package_pin out[PACKAGE_MASTER_PINS]);
void package_control_pins(struct package_pin out[PACKAGE_CONTROL_PINS]);

// Lists the library modules that the wrapper uses in addition to the design, and returns their number.
enum { PACKAGE_CONTROLS = 3 };
int package_controls(const struct ir *, const char *module[PACKAGE_CONTROLS]);

// ---- emitters ----

void package_wrapper(const struct package *, struct text *out);    // rtl/<name>.v
void package_filelist(const struct package *, struct text *out);   // filelist.f
void package_sources(const struct package *, struct text *out);    // sources.tcl
void package_settings(const struct package *, struct text *out);   // design.tcl: what the scripts read
void package_make(const struct package *, struct text *out);       // design.mk: what the Makefile reads
void package_placement(const struct package *, struct text *out);  // placement.tcl
void package_clock(const struct package *, struct text *out);      // ooc.xdc
void package_link(const struct package *, struct text *out);       // link.cfg
void package_kernel_xml(const struct package *, struct text *out); // kernel.xml
void package_component(const struct package *, struct text *out);  // component.xml
void package_core(const struct package *, struct text *out);       // <name>.core
void package_json(const struct package *, struct text *out);       // package.json
void package_checklist(const struct package *, struct text *out);  // the head of CHECKLIST.md
// Writes the text that `rill package` prints. dir: the package's folder; files: number of its files.
void package_said(const struct package *, const char *dir, size_t files, struct text *out);

void package_add_xml(struct text *out, const char *s); // replaces &, <, >, " by entities

#endif
