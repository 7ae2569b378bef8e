// SPDX-License-Identifier: Apache-2.0
// Writes the files that the scripts and the Makefile of a package read: lists of files, settings for Tcl and make, the
// clock constraint, and the configuration of the linker. docs/package.md says which step reads which file.
#include <inttypes.h>
#include <string.h>

#include "gen/package/package.h"

void package_filelist(const struct package *p, struct text *out) {
    for (size_t i = 0; i < p->rtl.count; i++) text_addf(out, "%s\n", p->rtl.items[i]);
}

void package_sources(const struct package *p, struct text *out) {
    text_addf(
        out,
        "%s\n# rill_sources: the Verilog files, in the order of reading. rill_constraints: constraint files, for the\n"
        "# implementation only. The paths do not depend on the working directory.\n"
        "set rill_root [file dirname [file normalize [info script]]]\nset rill_sources [list",
        package_comment(p, "#"));
    for (size_t i = 0; i < p->rtl.count; i++)
        text_addf(out, " \\\n    [file join $rill_root rtl %s]", p->rtl.items[i] + strlen("rtl/"));
    text_addf(out, "]\nset rill_constraints [list%s]\n",
              ir_second_clock(p->ir) ? " [file join $rill_root " PACKAGE_CLOCKS "]" : "");
}

// ---- design.tcl ----

static void set_text(struct text *out, const char *key, const char *value) {
    text_addf(out, "set rill(%s) {%s}\n", key, value ? value : "");
}

static void set_number(struct text *out, const char *key, int64_t value) {
    text_addf(out, "set rill(%s) %" PRId64 "\n", key, value);
}

// Returns whether design.tcl lists a register. The vendor's tools take every listed register that is not a control
// register for an argument, so settings, status and counters must be hidden from them.
static bool is_told(const struct register_row *r) { return r->role == REGISTER_CONTROL || register_is_argument(r); }

static void add_registers(const struct package *p, struct text *out) {
    text_add(out,
             "\n# name offset bits access bus meaning. bus: the memory port of a pointer; empty for other registers\n"
             "set rill(registers) {\n");
    for (size_t i = 0; i < p->registers.count; i++) {
        const struct register_item *r = &p->registers.items[i];
        if (!is_told(r->row)) continue;
        bool pointer = r->row->role == REGISTER_POINTER;
        text_addf(out, "    {%s 0x%03x %d %s {%s} {%s}}\n", r->name, r->offset, r->row->bits,
                  r->row->access == REGISTER_RW ? "read-write" : "read-only", pointer ? package_argument_bus(p, r) : "",
                  r->row->meaning);
    }
    text_add(out, "}\n# register field bit bits access meaning\nset rill(fields) {\n");
    for (int i = 0; i < register_field_count; i++) {
        const struct register_field *f = &register_fields[i];
        text_addf(out, "    {%s %s %d %d %s {%s}}\n", register_rows[f->id].name, f->name, f->bit, f->bits,
                  f->access == REGISTER_RW ? "read-write" : "read-only", f->meaning);
    }
    text_add(out, "}\n");
}

static void add_arguments(const struct package *p, struct text *out) {
    int id = 0;
    text_add(out, "# name id bus bytes offset, as in kernel.xml\nset rill(arguments) {\n");
    for (size_t i = 0; i < p->registers.count; i++) {
        const struct register_item *r = &p->registers.items[i];
        if (register_is_argument(r->row))
            text_addf(out, "    {%s %d %s %d 0x%03x}\n", r->name, id++, package_argument_bus(p, r), r->row->bits / 8,
                      r->offset);
    }
    text_add(out, "}\n");
}

static void add_masters(const struct package *p, struct text *out) {
    struct package_parameter parameter[PACKAGE_PARAMETERS];
    package_master_parameters(p, parameter);
    text_add(out, "set rill(masters) {");
    for (int c = 0; c < p->ir->design.channels; c++) text_addf(out, "%s%s", c ? " " : "", package_master(p, c));
    text_add(out, "}\nset rill(bus_parameters) {");
    for (int i = 0; i < PACKAGE_PARAMETERS; i++)
        text_addf(out, "%s%s %" PRId64, i ? " " : "", parameter[i].name, parameter[i].value);
    text_add(out, "}\n");
}

void package_settings(const struct package *p, struct text *out) {
    const struct ir_platform *b = &p->ir->design.platform;
    text_addf(out, "%s\n# The array `rill`: the settings of the design for the scripts of this folder.\n",
              package_comment(p, "#"));
    set_text(out, "kernel", p->name);
    set_text(out, "units", package_units(p, " "));
    set_text(out, "vendor", PACKAGE_VENDOR);
    set_text(out, "library", p->library);
    set_text(out, "version", PACKAGE_VERSION);
    set_text(out, "description", p->ir->name);
    set_text(out, "part", b->part);
    set_text(out, "platform", b->name);
    set_text(out, "first", b->first);
    set_text(out, "last", b->last);
    set_text(out, "cells", b->cells);
    set_text(out, "pblock", b->pblock);
    set_number(out, "clock_hz", package_clock_hz(p));
    set_number(out, "second_clock", ir_second_clock(p->ir));
    set_text(out, "control", PACKAGE_CONTROL);
    set_number(out, "range", REGISTER_SPACE);
    add_masters(p, out);
    add_registers(p, out);
    add_arguments(p, out);
}

void package_make(const struct package *p, struct text *out) {
    const struct ir_platform *b = &p->ir->design.platform;
    text_addf(out, "%s\n# The settings of the design for the Makefile.\nKERNEL := %s\nUNIT := %s\n",
              package_comment(p, "#"), p->name, package_unit(p, 0));
    text_addf(out, "DESIGN_PART := %s\nDESIGN_PLATFORM := %s\nTOOLS_FIRST := %s\nTOOLS_LAST := %s\n",
              b->part ? b->part : "", b->name ? b->name : "", b->first ? b->first : "", b->last ? b->last : "");
    text_addf(out, "LINK_MEMORY := %d\nLINK_DISK := %d\n", PACKAGE_LINK_MEMORY, PACKAGE_LINK_DISK);
    if (!ir_second_clock(p->ir)) return;
    int lowest, highest;
    package_clock_range(p, &lowest, &highest);
    text_addf(out, "LOWEST_MHZ := %d\nHIGHEST_MHZ := %d\n", lowest, highest);
}

// ---- clock ----

enum { OUTSIDE_PERCENT = 40 }; // percentage of the period that paths outside of the kernel may take

void package_clock(const struct package *p, struct text *out) {
    double period = 1e9 / (double)package_clock_hz(p), outside = period * OUTSIDE_PERCENT / 100;
    text_addf(out,
              "%s\n# Constraints for synthesis out of context: the design's clock, and %d %% of its period for logic\n"
              "# outside of the kernel.\ncreate_clock -name ap_clk -period %.3f [get_ports ap_clk]\n",
              package_comment(p, "#"), OUTSIDE_PERCENT, period);
    text_addf(out,
              "set_input_delay -clock ap_clk %.3f [get_ports -filter {DIRECTION == IN && NAME != ap_clk}]\n"
              "set_output_delay -clock ap_clk %.3f [get_ports -filter {DIRECTION == OUT}]\n",
              outside, outside);
}

// ---- link file ----

void package_link(const struct package *p, struct text *out) {
    text_addf(
        out,
        "%s\n# The platform's own kernel clock, in MHz, which the linker lowers if a path is too slow. (freqHz of\n"
        "# [clock] would ask for a fixed clock, with one more MMCM.)\nkernel_frequency=0:%d\n\n"
        "# The compute units are not assigned to a die. Each memory port of each unit has a separate bank.\n"
        "[connectivity]\nnk=%s:%d:%s\n",
        package_comment(p, "#"), (int)p->ir->design.clock_mhz, p->name, p->units, package_units(p, "."));
    for (int u = 0; u < p->units; u++)
        for (int c = 0; c < p->ir->design.channels; c++)
            text_addf(out, "sp=%s.%s:HBM[%d]\n", package_unit(p, u), package_master(p, c), package_bank(p, u, c));
    text_add(out, "\n# Directives for placement and routing. They are assumed, not measured. Others may be better.\n"
                  "[vivado]\n"
                  "prop=run.impl_1.STEPS.PLACE_DESIGN.ARGS.DIRECTIVE=SSI_SpreadSLLs\n"
                  "prop=run.impl_1.STEPS.PHYS_OPT_DESIGN.IS_ENABLED=true\n"
                  "prop=run.impl_1.STEPS.PHYS_OPT_DESIGN.ARGS.DIRECTIVE=AggressiveExplore\n"
                  "prop=run.impl_1.STEPS.ROUTE_DESIGN.ARGS.DIRECTIVE=AlternateCLBRouting\n");
}
