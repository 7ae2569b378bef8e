// SPDX-License-Identifier: Apache-2.0
// Code that the emitters of a package share: checks of names and banks, names of units and ports, and the pins and
// parameters of the memory ports.
#include "gen/package/package.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gen/base/verilog.h"
#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"
#include "gen/pack/pack.h"
#include "include/version.h"

// MAX_NAME: longest name of a kernel, because the tag of an instance in a binary has 64 bytes. PLATFORM_OUTSTANDING:
// largest number of open read bursts that a memory port announces to the platform.
enum { MAX_NAME = 48, PLATFORM_OUTSTANDING = 16 };

// letters: legal first characters of a kernel's name. plain: legal characters of the other texts in a package.
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                  plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";

// ---- preparing ----

static bool is_identifier(const char *s) {
    return *s && strchr(letters, *s) && strspn(s, plain) == strlen(s) && !strpbrk(s, "-./") && strlen(s) <= MAX_NAME;
}

// Returns whether the kernel's name could clash with a module: with one of this package, or with one of a package that
// has the default name, because those modules begin with `rill`.
static bool is_taken(const struct package *p) {
    if (strcmp(p->name, PACKAGE_DEFAULT_NAME) != 0 && (!strncmp(p->name, "rill_", 5) || !strcmp(p->name, "rill")))
        return true;
    for (size_t i = 0; i < p->modules.count; i++)
        if (!strcmp(p->modules.items[i], p->name)) return true;
    return false;
}

// Returns whether the name is that of a pin or signal in the kernel's module or in the top of its simulation.
static bool is_pin(const char *name) {
    static const char *const names[] = {"ap_clk", "ap_rst_n", "interrupt", "clk", "clk_2x", "rst", "clock_state"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i])) return true;
    return !strncmp(name, "s_axi_", 6) || !strncmp(name, "m_axi_", 6);
}

static bool check_name(const struct package *p, struct loc loc, struct diag *diag) {
    const char *language = verilog_reserved(p->name, true);
    if (!is_identifier(p->name)) diag_error(diag, loc, MSG_PACKAGE_NAME, p->name, MAX_NAME);
    else if (language) diag_error(diag, loc, MSG_PACKAGE_NAME_WORD, p->name, language);
    else if (is_pin(p->name)) diag_error(diag, loc, MSG_PACKAGE_NAME_PIN, p->name);
    else if (is_taken(p)) diag_error(diag, loc, MSG_PACKAGE_NAME_TAKEN, p->name);
    else return true;
    return false;
}

// Checks that a text consists of `plain` characters, which need no quotes in Tcl, make and YAML. NULL is allowed.
static bool check_plain(const char *what, const char *text, struct loc loc, struct diag *diag) {
    if (!text || (*text && strspn(text, plain) == strlen(text))) return true;
    diag_error(diag, loc, MSG_PACKAGE_TEXT, what, text);
    return false;
}

static bool check_texts(const struct ir *ir, struct loc loc, struct diag *diag) {
    const struct ir_platform *b = &ir->design.platform;
    bool ok = check_plain("name", ir->name, loc, diag);
    for (int d = 0; d < ir->dies; d++) ok = check_plain("the die's name", ir->die[d].name, loc, diag) && ok;
    ok = check_plain("design.part", b->part, loc, diag) && ok;
    ok = check_plain("design.platform", b->name, loc, diag) && ok;
    ok = check_plain("design.tools_first", b->first, loc, diag) && ok;
    ok = check_plain("design.tools_last", b->last, loc, diag) && ok;
    ok = check_plain("design.platform_cells", b->cells, loc, diag) && ok;
    return check_plain("design.platform_pblock", b->pblock, loc, diag) && ok;
}

// Returns the design's name with `_` for every character that the name of a core may not have. It makes the core names
// of two designs different even if both kernels have the default name.
static const char *library_of(struct arena *arena, const char *design) {
    char *library = arena_strdup(arena, design ? design : "kernel");
    for (char *c = library; *c; c++)
        if (!strchr(letters, *c) && !strchr("0123456789", *c)) *c = '_';
    return library;
}

// Returns the number of additional counters in the register file.
static int values_of(const struct ir *ir) {
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_REGISTERS)) return kernel_counters(&ir->kernel[k]);
    return 0;
}

// Checks that the memory has a separate bank for each port of each compute unit.
static bool check_banks(const struct package *p, struct loc loc, struct diag *diag) {
    int first = package_bank(p, 0, 0), last = package_bank(p, p->units - 1, p->ir->design.channels - 1);
    if (last <= PACKAGE_LAST_BANK) return true;
    diag_error(diag, loc, MSG_PACKAGE_BANKS, p->units, p->ir->design.channels, first, last, PACKAGE_LAST_BANK);
    return false;
}

bool package_prepare(struct package *p, struct loc loc, struct diag *diag) {
    if (!check_name(p, loc_none(), diag) || !check_texts(p->ir, loc, diag) || !check_banks(p, loc, diag)) return false;
    p->library = library_of(p->arena, p->ir->name);
    p->layout = arena_printf(p->arena, "%016" PRIx64, pack_layout_hash(p->ir));
    p->registers = register_map_make(p->arena, p->ir->design.channels, values_of(p->ir));
    return true;
}

// ---- names and numbers ----

// Replaces `_kernel` at the end of the kernel's name by a number from 1 on, or appends the number: `rill_kernel` has
// the units `rill_1` and `rill_2`, `story` has `story_1`.
const char *package_unit(const struct package *p, int unit) {
    static const char tail[] = "_kernel";
    size_t len = strlen(p->name), cut = file_has_suffix(p->name, tail) ? strlen(tail) : 0;
    return arena_printf(p->arena, "%.*s_%d", (int)(len - cut), p->name, unit + 1);
}

const char *package_units(const struct package *p, const char *between) {
    const char *all = package_unit(p, 0);
    for (int u = 1; u < p->units; u++) all = arena_printf(p->arena, "%s%s%s", all, between, package_unit(p, u));
    return all;
}

int package_bank(const struct package *p, int unit, int channel) {
    return p->first_bank + unit * p->ir->design.channels + channel;
}

const char *package_master(const struct package *p, int channel) {
    return arena_printf(p->arena, "m_axi_hbm_%02d", channel);
}

// Returns the channel of a pointer argument: the channel of the memory client whose base address is this pointer. If no
// client uses the pointer, any channel would do, and it returns 0.
static int channel_of(const struct ir *ir, enum register_id id) {
    int net = ir_find_net(ir, id == REGISTER_ID_RING ? IR_NET_RING_PTR : IR_NET_PROMPT_PTR, IR_NONE);
    for (int c = 0; c < ir->clients; c++)
        if (net != IR_NONE && ir->client[c].base == net && ir->client[c].channel >= 0) return ir->client[c].channel;
    return 0;
}

const char *package_argument_bus(const struct package *p, const struct register_item *r) {
    if (r->row->role != REGISTER_POINTER) return PACKAGE_CONTROL;
    return package_master(p, r->row->per == REGISTER_CHANNEL ? r->index : channel_of(p->ir, r->id));
}

int64_t package_clock_hz(const struct package *p) { return (int64_t)llround(p->ir->design.clock_mhz * 1e6); }

const char *package_comment(const struct package *p, const char *mark) {
    return arena_printf(p->arena, "%s Generated by rill %s (rill package); design %s, hash %s of design.yaml.", mark,
                        RILL_VERSION, p->ir->name, p->identity);
}

// ---- memory interfaces ----

// Finds the longest read burst of any memory port, in beats, and the largest number of read bursts that the DMA engines
// of one port have in flight, but at most PLATFORM_OUTSTANDING. Write bursts have one beat.
static void port_limits(const struct ir *ir, int64_t *burst, int64_t *open) {
    struct emit_client client[EMIT_MAX_CLIENTS];
    *burst = *open = 1;
    for (int c = 0; c < ir->design.channels; c++) {
        int n = emit_channel_clients(ir, c, false, client);
        int64_t most = (int64_t)n * ir->design.outstanding;
        *open = most > *open ? most : *open;
        for (int i = 0; i < n; i++) {
            int64_t beats = client[i].burst ? client[i].burst : ir->design.max_burst;
            *burst = beats > *burst ? beats : *burst;
        }
    }
    *open = *open < PLATFORM_OUTSTANDING ? *open : PLATFORM_OUTSTANDING;
}

void package_master_parameters(const struct package *p, struct package_parameter out[PACKAGE_PARAMETERS]) {
    int64_t burst, reads;
    port_limits(p->ir, &burst, &reads);
    const struct package_parameter all[PACKAGE_PARAMETERS] = {
        {"DATA_WIDTH", p->ir->design.beat_bits},
        {"ADDR_WIDTH", 64},
        {"ID_WIDTH", emit_id_bits(p->ir)},
        {"MAX_BURST_LENGTH", burst},
        {"NUM_READ_OUTSTANDING", reads},
        {"NUM_WRITE_OUTSTANDING", IR_WRITES_OPEN},
        {"HAS_BURST", 0}, // no bursts of fixed or wrapping addresses
        {"SUPPORTS_NARROW_BURST", 0},
        {"HAS_REGION", 0}};
    memcpy(out, all, sizeof all);
}

// ---- pins ----

void package_master_pins(const struct package *p, struct package_pin out[PACKAGE_MASTER_PINS]) {
    for (int s = 0; s < EMIT_AXI_SIGNALS; s++) {
        const struct emit_signal *e = &emit_axi_signals[s];
        out[s] = (struct package_pin){e->name, e->from_master, emit_signal_bits(p->ir, e), e->bits != 1};
    }
}

void package_control_pins(struct package_pin out[PACKAGE_CONTROL_PINS]) {
    for (int s = 0; s < EMIT_AXIL_SIGNALS; s++) {
        const struct emit_signal *e = &emit_axil_signals[s];
        out[s] = (struct package_pin){e->name, !e->from_master, e->bits, e->bits != 1};
    }
}

void package_add_xml(struct text *out, const char *s) {
    for (; *s; s++) {
        const char *entity = *s == '&'   ? "&amp;"
                             : *s == '<' ? "&lt;"
                             : *s == '>' ? "&gt;"
                             : *s == '"' ? "&quot;"
                                         : NULL;
        if (entity) text_add(out, entity);
        else text_add_bytes(out, s, 1);
    }
}
