// SPDX-License-Identifier: Apache-2.0
// A package for the vendor's flow: what its emitters share. Each writes one file; docs/package.md says what each is
// for. Files that are the same for every design lie in boards/vitis and are copied.
#ifndef RILL_PACKAGE_H
#define RILL_PACKAGE_H

#include "gen/ir/ir.h"
#include "gen/ir/registers.h"

#define PACKAGE_VENDOR "rill"
#define PACKAGE_LIBRARY "kernel"
#define PACKAGE_VERSION "1.0"
#define PACKAGE_CONTROL "s_axi_control"
#define PACKAGE_DEFAULT_NAME "rill_kernel"
#define PACKAGE_CLOCKS "clocks.xdc" // of a design with a second clock

struct package {
    const struct ir *ir;
    const struct emit_plan *plan;
    struct arena *arena;
    const char *name;     // of the kernel and of its module
    const char *unit;     // of the compute unit, the one instance of the kernel
    const char *identity; // of the design: 16 hexadecimal digits, those in the headers of its files
    const char *layout;   // of the memory: 16 hexadecimal digits, as in the manifest of an image that fits
    struct register_map registers;
    VEC(const char *) rtl; // rtl/<file>, in the order in which they are read; the wrapper last
};

// Fills the rest of a package whose ir, name, identity and rtl are set. False after an error: a name that cannot be
// used, a text of the board that cannot stand in Tcl or make.
bool package_prepare(struct package *, struct loc, struct diag *);

const char *package_master(const struct package *, int channel); // m_axi_hbm_NN
// The interface over which an argument acts: PACKAGE_CONTROL for numbers, the memory port for pointers.
const char *package_argument_bus(const struct package *, const struct register_item *);
int64_t package_clock_hz(const struct package *);
const char *package_comment(const struct package *, const char *mark); // the first line of generated files

// Parameters of every memory interface, as the platform's interconnect wants them.
struct package_parameter {
    const char *name;
    int64_t value;
};
enum { PACKAGE_PARAMETERS = 9 };
void package_master_parameters(const struct package *, struct package_parameter out[PACKAGE_PARAMETERS]);

struct package_pin { // of a memory port or of the control port
    const char *name;
    bool is_output; // of the kernel
    int bits;
    bool is_vector; // also where it has one bit
};
enum { PACKAGE_MASTER_PINS = 37, PACKAGE_CONTROL_PINS = 19 };
void package_master_pins(const struct package *, struct package_pin out[PACKAGE_MASTER_PINS]);
void package_control_pins(struct package_pin out[PACKAGE_CONTROL_PINS]);

// Modules of the RTL library that the wrapper has beside the design.
enum { PACKAGE_CONTROLS = 2 };
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

void package_add_xml(struct text *out, const char *s); // with &, <, >, " as entities

#endif
