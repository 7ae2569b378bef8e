// SPDX-License-Identifier: Apache-2.0
// Writes two files of a package and a part of a third: the core file for FuseSoC, package.json for the host program,
// and the head of CHECKLIST.md for the person who runs the first request on a card.
#include <inttypes.h>
#include <string.h>

#include "gen/kernel/kernel.h"
#include "gen/ir/layout.h"
#include "gen/package/package.h"
#include "include/version.h"

void package_core(const struct package *p, struct text *out) {
    const struct ir_platform *b = &p->ir->design.platform;
    text_addf(out,
              "CAPI=2:\n%s\nname: \"%s:%s:%s:%s\"\ndescription: \"%s, a streaming accelerator\"\n\nfilesets:\n"
              "  rtl:\n    file_type: verilogSource-2005\n    files:\n",
              package_comment(p, "#"), PACKAGE_VENDOR, p->library, p->name, PACKAGE_VERSION, p->ir->name);
    for (size_t i = 0; i < p->rtl.count; i++) text_addf(out, "      - %s\n", p->rtl.items[i]);
    text_addf(out,
              "  waivers:\n    file_type: vlt\n    files:\n      - lint.vlt\n"
              "  constraints:\n    file_type: xdc\n    files:\n      - ooc.xdc\n%s\ntargets:\n"
              "  default: &default\n    filesets: [rtl]\n    toplevel: %s\n"
              "  lint:\n    <<: *default\n    description: Verilator, every warning\n    filesets: [waivers, rtl]\n"
              "    flow: lint\n    flow_options:\n      tool: verilator\n      verilator_options: [-Wall]\n"
              "  synth:\n    <<: *default\n    description: Vivado, with pads\n    filesets: [rtl, constraints]\n"
              "    flow: vivado\n    flow_options:\n      part: %s\n      pnr: none\n"
              "    parameters: [RILL_VENDOR_CELLS=true]\n\nparameters:\n  RILL_VENDOR_CELLS:\n    datatype: bool\n"
              "    paramtype: vlogdefine\n    description: cells of the vendor, which only the vendor's tools have\n",
              ir_second_clock(p->ir) ? "      - " PACKAGE_CLOCKS "\n" : "", p->name, b->part ? b->part : "\"\"");
}

// ---- package.json ----

static void add_string(struct text *out, const char *key, const char *value) {
    text_addf(out, "\"%s\": ", key);
    if (value) text_add_json_string(out, value, strlen(value));
    else text_add(out, "null");
}

static const char *role_word(enum register_role role) {
    static const char *const words[] = {"control", "scalar", "pointer", "status", "setting", "counter"};
    return words[role];
}

static void add_registers(const struct package *p, struct text *out) {
    int id = 0;
    text_add(out, " \"registers\": [");
    for (size_t i = 0; i < p->registers.count; i++) {
        const struct register_item *r = &p->registers.items[i];
        text_add(out, i ? ",\n  {" : "\n  {");
        add_string(out, "name", r->name);
        text_addf(out, ", \"offset\": %u, \"bits\": %d, \"access\": \"%s\", \"role\": \"%s\"", r->offset, r->row->bits,
                  r->row->access == REGISTER_RW ? "rw" : "ro", role_word(r->row->role));
        if (register_is_argument(r->row)) {
            text_addf(out, ", \"argument\": %d, ", id++);
            add_string(out, "port", package_argument_bus(p, r));
        }
        text_add(out, "}");
    }
    text_add(out, "\n ],\n");
}

static void add_ports(const struct package *p, struct text *out) {
    text_add(out, " \"memory_ports\": [");
    for (int c = 0; c < p->ir->design.channels; c++) {
        text_addf(out, "%s\n  {\"name\": \"%s\", \"banks\": [", c ? "," : "", package_master(p, c));
        for (int u = 0; u < p->units; u++) text_addf(out, "%s\"HBM[%d]\"", u ? ", " : "", package_bank(p, u, c));
        text_add(out, "]}");
    }
    text_add(out, "\n ]");
}

// Lists the kernels that can raise a fault. After fault 5, the register fault_place has the index of the kernel in this
// list. After other faults, it has another meaning (docs/host.md).
static void add_faults(const struct package *p, struct text *out) {
    bool first = true;
    text_add(out, ",\n \"fault_kernels\": [");
    for (int k = 0; k < p->ir->kernels; k++) {
        if (!p->ir->kernel[k].has_fault) continue;
        if (!first) text_add(out, ", ");
        text_add_json_string(out, p->ir->kernel[k].name, strlen(p->ir->kernel[k].name));
        first = false;
    }
    text_add(out, "]");
}

// Adds the first end-of-text id as `eot` (-1: none), and the others as `eot_more` in the order of their registers.
static void add_end_ids(const struct end_ids *ends, struct text *out) {
    text_addf(out, "\"eot\": %" PRId64 ", ", ends->count ? (int64_t)ends->id[0] : -1);
    if (ends->count < 2) return;
    text_add(out, "\"eot_more\": [");
    for (int i = 1; i < ends->count; i++) text_addf(out, "%s%" PRIu32, i > 1 ? ", " : "", ends->id[i]);
    text_add(out, "], ");
}

void package_json(const struct package *p, struct text *out) {
    const struct ir_design *d = &p->ir->design;
    text_add(out, "{");
    add_string(out, "rill", RILL_VERSION);
    text_add(out, ", ");
    add_string(out, "design", p->ir->name);
    text_add(out, ", ");
    add_string(out, "identity", p->identity);
    text_add(out, ", ");
    add_string(out, "layout", p->layout);
    text_add(out, ",\n ");
    add_string(out, "kernel", p->name);
    text_add(out, ", ");
    text_addf(out, "\"compute_units\": [\"%s\"]", package_units(p, "\", \""));
    text_addf(out, ", \"vlnv\": \"%s:%s:%s:%s\",\n ", PACKAGE_VENDOR, p->library, p->name, PACKAGE_VERSION);
    add_string(out, "board", d->board);
    text_add(out, ", ");
    add_string(out, "part", d->platform.part);
    text_add(out, ", ");
    add_string(out, "platform", d->platform.name);
    text_add(out, ",\n ");
    add_string(out, "tools_first", d->platform.first);
    text_add(out, ", ");
    add_string(out, "tools_last", d->platform.last);
    text_addf(out,
              ",\n \"clock_hz\": %" PRId64 ", \"channels\": %d, \"beat_bits\": %d, \"language_model\": %s, "
              "\"context\": %" PRId64 ", ",
              package_clock_hz(p), d->channels, d->beat_bits, d->is_lm ? "true" : "false", d->context);
    add_end_ids(&d->eot, out);
    text_addf(out, "\"channel_bytes\": %" PRId64 ", \"vocabulary\": %" PRId64 ",\n", d->channel_bytes,
              ir_vocabulary(p->ir));
    if (d->sampling) text_addf(out, " \"sampling\": %d,\n", d->sampling);
    if (d->logprobs)
        text_addf(out, " \"logprobs\": %d, \"logprobs_offset\": %" PRId64 ",\n", d->logprobs, layout_logprobs_at(d));
    if (d->slots) text_addf(out, " \"slots\": %d,\n", d->slots);
    if (d->drafts)
        text_addf(out, " \"drafts\": %d, \"draft_counter\": %d,\n", d->drafts,
                  kernel_counters(&p->ir->kernel[kernel_first(p->ir, KERNEL_REGISTERS)]) - DRAFT_COUNTERS);
    if (d->host_drafts) text_add(out, " \"host_drafts\": true,\n");
    if (d->prefix) text_add(out, " \"prefix\": true,\n");
    text_addf(out, " \"hashes_logits\": %s,\n", ir_driver(p->ir, IR_NET_ROW_HASH) == IR_NONE ? "false" : "true");
    add_registers(p, out);
    add_ports(p, out);
    add_faults(p, out);
    text_add(out, "\n}\n");
}

// ---- checklist ----

static void add_row(struct text *out, const char *key, const char *value) {
    text_addf(out, "| %s | `%s` |\n", key, value ? value : "not in the board file");
}

void package_checklist(const struct package *p, struct text *out) {
    const struct ir_platform *b = &p->ir->design.platform;
    text_addf(out, "<!--%s -->\n# The first run on a card: %s\n\n| of this package | |\n|---|---|\n",
              package_comment(p, ""), p->ir->name);
    add_row(out, "kernel, compute unit", arena_printf(p->arena, "%s, %s", p->name, package_units(p, ", ")));
    add_row(out, "identity of the design", p->identity);
    add_row(out, "layout of its memory", p->layout);
    add_row(out, "part", b->part);
    add_row(out, "platform", b->name);
    add_row(out, "Vitis and Vivado", b->first ? arena_printf(p->arena, "%s to %s", b->first, b->last) : NULL);
    add_row(out, "clock, MHz", arena_printf(p->arena, "%g", p->ir->design.clock_mhz));
    if (ir_second_clock(p->ir)) {
        int lowest, highest;
        package_clock_range(p, &lowest, &highest);
        add_row(out, "lowest and highest `kernel_frequency`, MHz", arena_printf(p->arena, "%d, %d", lowest, highest));
    }
    add_row(out, "memory ports",
            arena_printf(p->arena, "%d of %d bits, m_axi_hbm_00 of %s on HBM[%d]", p->ir->design.channels,
                         p->ir->design.beat_bits, package_unit(p, 0), p->first_bank));
    text_add(out, "\n");
}
