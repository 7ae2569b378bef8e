// SPDX-License-Identifier: Apache-2.0
// Compares the Verilog modules of custom kernels with the spec's declarations, and sets the parameters of an instance.
#include <string.h>

#include "gen/bind/bind.h"
#include "gen/ir/fields.h"
#include "gen/ir/custom_ops.h"
#include "gen/ir/names.h"
#include "gen/kernel/ports.h"
#include "gen/base/verilog.h"

// ---- files and modules ----

// Returns whether the name has the prefix of the RTL library, which custom kernels must not use.
static bool has_prefix(const char *name) { return !strncmp(name, "rill_", 5); }

// Returns the source of a file for messages. The text of a file from a dump has no source yet, so this makes one.
static const struct source *source_of(const struct ir *ir, const struct custom_file *file) {
    if (file->source) return file->source;
    struct source *source = ARENA_NEW(ir->arena, struct source);
    *source = (struct source){file->name, file->text, strlen(file->text)};
    return source;
}

struct definition {
    const struct custom_file *file;
    struct verilog_module module;
};
typedef VEC(struct definition) definitions;

// Adds a module to the list. A name with the library's prefix, a reserved word, a duplicate and a module without
// `endmodule` are errors.
static bool add_module(const struct ir *ir, definitions *all, const struct custom_file *file,
                       struct verilog_module module, struct diag *diag) {
    if (has_prefix(module.name)) {
        diag_error(diag, module.loc, MSG_MODULE_NAME_RILL, module.name);
        return false;
    }
    const char *language = verilog_reserved(module.name, false);
    if (language) {
        diag_error(diag, module.loc, MSG_RESERVED_WORD, "module", module.name, language);
        return false;
    }
    if (!module.ends) {
        diag_error(diag, module.loc, MSG_MODULE_END, module.name);
        return false;
    }
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->items[i].module.name, module.name) != 0) continue;
        diag_error(diag, module.loc, MSG_MODULE_TWICE, module.name);
        diag_note(diag, all->items[i].module.loc, "first defined here");
        return false;
    }
    VEC_PUSH(ir->arena, *all, ((struct definition){file, module}));
    return true;
}

// Adds the modules of a file to the list. A file that several kernels name is added once. Errors: a file name with the
// library's prefix, two different files with one name, an `include, a file without modules, and those of add_module.
static bool add_file(const struct ir *ir, definitions *all, const struct custom *k, const struct custom_file *file,
                     struct diag *diag) {
    bool ok = true;
    if (has_prefix(file->name)) {
        diag_error(diag, k->loc, MSG_KERNEL_FILE_NAME_RILL, k->name, file->name);
        return false;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct custom_file *other = all->items[i].file;
        if (strcmp(other->name, file->name) != 0) continue;
        if (!strcmp(other->text, file->text)) return true;
        diag_error(diag, k->loc, MSG_KERNEL_FILE_TWICE, k->name, file->name);
        return false;
    }
    const struct source *source = source_of(ir, file);
    const char *include = strstr(file->text, "`include");
    if (include) {
        diag_error(diag, verilog_place(source, include), MSG_KERNEL_INCLUDES);
        return false;
    }
    verilog_modules modules = verilog_find_modules(ir->arena, source);
    if (!modules.count) {
        diag_error(diag, k->loc, MSG_KERNEL_NO_MODULE, k->name, file->name);
        return false;
    }
    for (size_t m = 0; m < modules.count; m++) ok &= add_module(ir, all, file, modules.items[m], diag);
    return ok;
}

// Returns the definition of the kernel's module. Returns NULL after an error, with a note on modules of similar names.
static const struct definition *find_module(const definitions *all, const struct custom *k, struct diag *diag) {
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->items[i].module.name, k->module)) return &all->items[i];
    diag_error(diag, k->loc, MSG_KERNEL_MODULE_MISSING, k->name, k->module);
    const char *words[64];
    size_t count = 0;
    for (size_t i = 0; i < all->count && count < COUNT_OF(words); i++) words[count++] = all->items[i].module.name;
    diag_note_words(diag, k->loc, k->module, words, count);
    return NULL;
}

// Reads the declaration (parameters and ports) of the kernel's module from the file that defines it. Returns NULL after
// an error.
static struct verilog_header *read_header(const struct ir *ir, const struct custom *k, struct diag *diag) {
    for (int f = 0; f < k->files; f++) {
        const struct source *source = source_of(ir, &k->file[f]);
        verilog_modules modules = verilog_find_modules(ir->arena, source);
        for (size_t m = 0; m < modules.count; m++)
            if (!strcmp(modules.items[m].name, k->module))
                return verilog_read_header(ir->arena, source, &modules.items[m], diag);
    }
    diag_error(diag, k->loc, MSG_KERNEL_MODULE_MISSING, k->name, k->module);
    return NULL;
}

// ---- the list of ports ----

struct wanted { // a port that the kernel must have
    const char *name;
    bool is_input, optional;
    int64_t bits; // width that the port must have; 0 in lists that are used only for their names
};
typedef VEC(struct wanted) wanted_ports;

// Adds the five ports of a stream to the list. Only tready has the direction opposite to that of the data.
static void want_stream(struct arena *a, wanted_ports *list, const char *name, bool is_input, int64_t data_bits,
                        int64_t user_bits) {
    static const char *const signals[] = {"tvalid", "tready", "tdata", "tuser", "tlast"};
    int64_t bits[] = {1, 1, data_bits, user_bits, 1};
    for (size_t s = 0; s < COUNT_OF(signals); s++) {
        const char *port = arena_printf(a, "%s_axis_%s_%s", is_input ? "s" : "m", name, signals[s]);
        VEC_PUSH(a, *list, ((struct wanted){port, is_input == (s != 1), false, bits[s]}));
    }
}

// Adds the ports for step words to the list.
static void want_step(struct arena *a, wanted_ports *list) {
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_step_tvalid", true, false, 1}));
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_step_tready", false, false, 1}));
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_step_tdata", true, false, STEP_BITS}));
}

// Adds the ports for vector parameters to the list. bits: width of a word, which has elements of all vectors.
static void want_param(struct arena *a, wanted_ports *list, int64_t bits) {
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_param_tvalid", true, false, 1}));
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_param_tready", false, false, 1}));
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_param_tdata", true, false, bits}));
}

// Adds the ports for reading a table to the list. The kernel sends a descriptor {beats, offset} for each row, and gets
// the beats of the row.
static void want_fetch(struct arena *a, wanted_ports *list, int64_t beat_bits) {
    VEC_PUSH(a, *list, ((struct wanted){"m_axis_fetch_tvalid", false, false, 1}));
    VEC_PUSH(a, *list, ((struct wanted){"m_axis_fetch_tready", true, false, 1}));
    VEC_PUSH(a, *list, ((struct wanted){"m_axis_fetch_tdata", false, false, DESCRIPTOR_BITS}));
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_fetch_tvalid", true, false, 1}));
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_fetch_tready", false, false, 1}));
    VEC_PUSH(a, *list, ((struct wanted){"s_axis_fetch_tdata", true, false, beat_bits}));
}

static int64_t element_bits(const struct custom_port *port) { return port->type == CUSTOM_INT8 ? 8 : 32; }

// Lists the ports that the module of a custom kernel must have, with their widths for this number of lanes.
static wanted_ports wanted_of(const struct ir *ir, const struct custom *k, int lanes) {
    wanted_ports list = {0};
    VEC_PUSH(ir->arena, list, ((struct wanted){"clk", true, false, 1}));
    VEC_PUSH(ir->arena, list, ((struct wanted){"rst", true, false, 1}));
    for (int i = 0; i < k->inputs; i++)
        want_stream(ir->arena, &list, k->in[i].name, true, lanes * element_bits(&k->in[i]), ports_user_bits(ir));
    for (int o = 0; o < k->outputs; o++)
        want_stream(ir->arena, &list, k->out[o].name, false, lanes * element_bits(&k->out[o]), ports_user_bits(ir));
    if (k->step) want_step(ir->arena, &list);
    if (k->vectors) want_param(ir->arena, &list, lanes * 32 * k->vectors);
    if (k->fetch) want_fetch(ir->arena, &list, ir->design.beat_bits);
    VEC_PUSH(ir->arena, list, ((struct wanted){"fault", false, true, 1}));
    return list;
}

static bool is_wanted(const wanted_ports *list, const char *name) {
    for (size_t w = 0; w < list->count; w++)
        if (!strcmp(list->items[w].name, name)) return true;
    return false;
}

// Collects the names of wanted ports that the module lacks, and returns their number. words: room for MAX_WORDS.
static size_t missing_words(const struct verilog_header *h, const wanted_ports *list, const char **words) {
    size_t count = 0;
    for (size_t w = 0; w < list->count; w++)
        if (!verilog_find_port(h, list->items[w].name)) words[count++] = list->items[w].name;
    return count;
}

// Upper bound of the ports that a module can lack: 5 signals of each input and output stream, clk, rst, fault, and the
// ports for step words, parameters and table reads.
enum { MAX_WORDS = 10 * CUSTOM_MAX_PORTS + 16 };

// Returns whether an unknown port of the module is probably this missing port with a misspelt name. check_extra then
// suggests this name, so the missing port is not reported again.
static bool is_misspelt(const struct verilog_header *h, const wanted_ports *list, const char *name) {
    const char *words[MAX_WORDS];
    size_t count = missing_words(h, list, words);
    for (size_t p = 0; p < h->ports.count; p++) {
        const char *near =
            is_wanted(list, h->ports.items[p].name) ? NULL : diag_nearest_word(h->ports.items[p].name, words, count);
        if (near && !strcmp(near, name)) return true;
    }
    return false;
}

// Reports ports of the module that do not follow from the spec's declaration. A note says which key of the declaration
// would ask for the port, or which missing port has a similar name.
static bool check_extra(struct arena *arena, const struct verilog_header *h, const struct custom *k,
                        const wanted_ports *list, struct diag *diag) {
    bool ok = true;
    const char *words[MAX_WORDS];
    size_t count = missing_words(h, list, words);
    wanted_ports step = {0}, param = {0}, fetch = {0};
    want_step(arena, &step);
    want_param(arena, &param, 0);
    want_fetch(arena, &fetch, 0);
    for (size_t p = 0; p < h->ports.count; p++) {
        const struct verilog_port *port = &h->ports.items[p];
        if (is_wanted(list, port->name)) continue;
        diag_error(diag, port->loc, MSG_PORT_UNKNOWN, port->name, h->name, k->name);
        if (is_wanted(&step, port->name)) diag_note(diag, port->loc, "with `step: true` the kernel takes step words");
        else if (is_wanted(&param, port->name))
            diag_note(diag, port->loc, "with `vectors` the kernel takes vector parameters");
        else if (is_wanted(&fetch, port->name))
            diag_note(diag, port->loc, "with `fetch` the kernel reads rows of a table");
        else diag_note_words(diag, port->loc, port->name, words, count);
        ok = false;
    }
    return ok;
}

// Reports unknown ports, missing ports and wrong directions.
static bool check_ports(struct arena *arena, const struct verilog_header *h, const struct custom *k,
                        const wanted_ports *list, struct diag *diag) {
    bool ok = check_extra(arena, h, k, list, diag);
    for (size_t w = 0; w < list->count; w++) {
        const struct wanted *want = &list->items[w];
        const struct verilog_port *port = verilog_find_port(h, want->name);
        if (!port && (want->optional || is_misspelt(h, list, want->name))) continue;
        if (!port) diag_error(diag, h->loc, MSG_PORT_MISSING, h->name, want->name, k->name);
        else if (want->is_input ? !port->is_input : !port->is_output)
            diag_error(diag, port->loc, MSG_PORT_DIRECTION, port->name, h->name, want->is_input ? "input" : "output");
        else continue;
        ok = false;
    }
    return ok;
}

// Reports parameters that the spec sets and the module lacks.
static bool check_params(const struct verilog_header *h, const struct custom *k, struct diag *diag) {
    bool ok = true;
    const char *words[64];
    size_t count = 0;
    for (size_t i = 0; i < h->params.count && count < COUNT_OF(words); i++) words[count++] = h->params.items[i].name;
    for (int p = 0; p < k->params; p++) {
        if (verilog_find_param(h, k->param[p].name)) continue;
        diag_error(diag, k->param[p].loc.source ? k->param[p].loc : k->loc, MSG_PARAMETER_MISSING, h->name,
                   k->param[p].name);
        diag_note_words(diag, k->param[p].loc, k->param[p].name, words, count);
        ok = false;
    }
    return ok;
}

// Checks that the custom kernel does not have the name of an operation.
static bool check_name(const struct custom *k, struct diag *diag) {
    for (int op = 0; op < ir_spec_ops(); op++)
        if (!strcmp(ir_spec_op(op).name, k->name)) {
            diag_error(diag, k->loc, MSG_KERNEL_IS_OPERATION, k->name);
            return false;
        }
    return true;
}

bool bind_check_customs(const struct ir *ir, struct diag *diag) {
    definitions all = {0};
    bool ok = true;
    for (int c = 0; c < ir->customs; c++)
        for (int f = 0; f < ir->custom[c].files; f++)
            ok &= add_file(ir, &all, &ir->custom[c], &ir->custom[c].file[f], diag);
    for (int c = 0; ok && c < ir->customs; c++) {
        const struct custom *k = &ir->custom[c];
        if (!check_name(k, diag) || !find_module(&all, k, diag)) return false;
        struct verilog_header *h = read_header(ir, k, diag);
        // Only names and directions are compared here, so any number of lanes will do. bind_custom checks the widths.
        wanted_ports list = wanted_of(ir, k, 1);
        ok &= h && check_ports(ir->arena, h, k, &list, diag) && check_params(h, k, diag);
    }
    return ok;
}

// ---- an instance ----

// Returns the kernel's parameters and their values as a part of a message: ` with A = 1, B = 2`.
static const char *params_text(const struct ir *ir, const struct ir_kernel *k) {
    const char *text = "";
    for (int p = 0; p < k->params; p++)
        text = arena_printf(ir->arena, "%s%s%s = %s", text, p ? ", " : " with ", k->param[p].name,
                            ir_value_print(ir->arena, &k->param[p].value));
    return text;
}

// Checks that the module's ports have the wanted widths if its parameters have the kernel's values.
static bool check_widths(const struct ir *ir, const struct verilog_header *header, const struct ir_kernel *kernel,
                         const struct ir_node *node, const wanted_ports *list, struct diag *diag) {
    bool ok = true;
    for (size_t w = 0; w < list->count; w++) {
        const struct verilog_port *port = verilog_find_port(header, list->items[w].name);
        int64_t bits;
        if (!port) continue;
        if (!bind_port_bits(ir, header, kernel, port, &bits, diag)) return false;
        if (bits == list->items[w].bits) continue;
        diag_error(diag, port->range_loc, MSG_PORT_WIDTH, port->name, header->name, (long long)bits,
                   params_text(ir, kernel), (long long)list->items[w].bits);
        if (ok) diag_note(diag, node->loc, "for operation `%s`, T = %d", node->name, ir->design.tokens);
        ok = false;
    }
    return ok;
}

// A parameter that tells an instance its place in the graph. The module may lack the parameter if its value would be
// `usual`.
struct told {
    const char *name;
    int64_t value, usual;
    const char *why; // end of the message if the module lacks the parameter
};

// Sets the parameter, unless the spec's declaration has set it. Returns false after an error: the module needs the
// parameter and lacks it.
static bool tell(struct ir *ir, const struct ir_node *node, int k, const struct verilog_header *h,
                 const struct told *told, struct diag *diag) {
    if (ir_param(&ir->kernel[k], told->name)) return true;
    if (verilog_find_param(h, told->name)) return ir_set_int(ir, k, told->name, told->value), true;
    if (told->value == told->usual) return true;
    diag_error(diag, h->loc, MSG_STEP_PARAMETER, h->name, told->name, node->name, told->why);
    return false;
}

// Sets FIRINGS and WHEN_LAST, from which a kernel knows how many firings belong to a step word.
static bool set_step_params(struct ir *ir, const struct ir_node *node, int k, const struct verilog_header *h,
                            struct diag *diag) {
    const struct ir_region *region = &ir->region[node->region];
    const struct told firings = {"FIRINGS", region->repeat, 1, "runs more than once in a step"},
                      when_last = {"WHEN_LAST", region->when == IR_LAST, 0, "does not run in every step"};
    return tell(ir, node, k, h, &firings, diag) && tell(ir, node, k, h, &when_last, diag);
}

// Returns whether the module has this parameter for the place of its table in memory. Reports an error if not. The pass
// insert-dma sets the value (place_table).
static bool needs(const struct verilog_header *h, const struct ir_node *node, const char *name, const char *why,
                  struct diag *diag) {
    if (verilog_find_param(h, name)) return true;
    diag_error(diag, h->loc, MSG_TABLE_PARAMETER, h->name, name, node->name, why);
    return false;
}

// Checks the parameters for the place of a kernel's table, and sets BEAT_BITS if the module has it.
static bool set_table_params(struct ir *ir, const struct ir_node *node, int k, const struct verilog_header *h,
                             struct diag *diag) {
    bool each = ir->region[node->region].repeat > 1 && names_repeat(ir_attr_string(&node->attrs, "weight", ""));
    if (verilog_find_param(h, "BEAT_BITS")) ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    return needs(h, node, "TABLE_OFFSET", "has one", diag) &&
           (!each || (needs(h, node, "REPEAT", "has one for each repetition", diag) &&
                      needs(h, node, "TABLE_STRIDE", "has one for each repetition", diag)));
}

// Sets the declared parameters, and LANES, TOKENS and the parameters for steps and tables if the module has them.
static bool set_params(struct ir *ir, const struct ir_node *node, int k, const struct verilog_header *h,
                       struct diag *diag) {
    const struct custom *c = ir_custom_kernel(ir, k);
    struct custom_scope scope = {.ir = ir, .node = node, .custom = c, .lanes = ports_lanes(ir, k), .outputs = true};
    for (int p = 0; p < c->params; p++) {
        struct ir_value value;
        bool number;
        int64_t integer;
        if (!ir_custom_param(&scope, &c->param[p], &value, &number, &integer, diag)) return false;
        ir_set_param(ir, k, c->param[p].name, value);
    }
    if (!ir_param(&ir->kernel[k], "LANES") && verilog_find_param(h, "LANES")) ir_set_int(ir, k, "LANES", scope.lanes);
    if (!ir_param(&ir->kernel[k], "TOKENS") && verilog_find_param(h, "TOKENS"))
        ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    return (!c->step || set_step_params(ir, node, k, h, diag)) && (!c->fetch || set_table_params(ir, node, k, h, diag));
}

bool bind_custom(struct ir *ir, const struct ir_node *node, int k, struct diag *diag) {
    const struct custom *c = ir_custom_kernel(ir, k);
    struct verilog_header *h = read_header(ir, c, diag);
    struct custom_timing timing;
    if (!h || !set_params(ir, node, k, h, diag) || !ir_custom_timing(ir, node, ports_lanes(ir, k), &timing, diag))
        return false;
    ir->kernel[k].has_fault = verilog_find_port(h, "fault") != NULL;
    wanted_ports list = wanted_of(ir, c, ports_lanes(ir, k));
    return check_widths(ir, h, &ir->kernel[k], node, &list, diag);
}
