// SPDX-License-Identifier: Apache-2.0
// Finds the ports of a kernel as its Verilog module declares them: direction, and width with the kernel's parameters.
#include <stdio.h>
#include <string.h>

#include "gen/base/expression.h"
#include "gen/base/verilog.h"
#include "gen/bind/bind.h"
#include "gen/kernel/kernel.h"

// ---- widths ----

struct instance {
    const struct ir *ir;
    const struct verilog_header *header;
    const struct ir_kernel *kernel;
    int depth; // nesting of look_up
};

// Finds the value of a parameter of the module: the value that the kernel sets, or the default. This function is the
// callback of expression_value, because a default may name other parameters. A chain of more than 17 parameters is
// refused, so that a circle of defaults ends.
static bool look_up(void *context, const char *name, int64_t *value) {
    struct instance *i = context;
    const struct ir_value *set = ir_param(i->kernel, name);
    const struct verilog_param *param = verilog_find_param(i->header, name);
    struct expression_error error;
    const char *text = set ? ir_value_written(set) : param ? param->value : NULL;
    if (set && ir_value_number(set, value)) return true;
    if (!text || i->depth > 16) return false;
    i->depth++;
    bool ok = expression_value(i->ir->arena, text, look_up, i, value, &error);
    i->depth--;
    return ok;
}

bool bind_port_bits(const struct ir *ir, const struct verilog_header *header, const struct ir_kernel *kernel,
                    const struct verilog_port *port, int64_t *bits, struct diag *diag) {
    struct instance instance = {ir, header, kernel, 0};
    const char *const ends[] = {port->msb, port->lsb};
    int64_t value[2] = {0, 0};
    for (int e = 0; e < 2 && port->msb; e++) {
        struct expression_error error = {0};
        if (expression_value(ir->arena, ends[e], look_up, &instance, &value[e], &error)) continue;
        diag_error(diag, port->range_loc, MSG_PORT_WIDTH_UNKNOWN, port->name, ends[e], error.why);
        return false;
    }
    *bits = value[0] - value[1] + 1;
    return true;
}

// ---- modules of the library ----

enum { MAX_MODULE = 1 << 20 /* bytes of a file */ };

// Returns the path of a module's file, or NULL if none of these folders has it. Only modules with ports for control,
// memory or parameters are read, and these folders have all of them.
static const char *find_module(struct arena *arena, const char *module) {
    static const char *const folders[] = {"control", "dma", "kernel", "kv", "memory"};
    const char *path = NULL;
    for (size_t f = 0; f < COUNT_OF(folders) && !path; f++)
        path = file_find_shared(arena, arena_printf(arena, "rtl-templates/%s/%s.v", folders[f], module));
    return path;
}

// Reads the declaration of a module of the library. The library belongs to the program, so an error in it is an
// internal error.
static const struct verilog_header *read_header(const struct ir *ir, const char *module) {
    struct diag diag;
    const char *path = find_module(ir->arena, module), *why;
    struct source *source = ARENA_NEW(ir->arena, struct source);
    diag_init(&diag, stderr);
    if (!path) base_fatal("bind: rtl-templates has no module %s", module);
    source->path = path;
    source->data = file_read(ir->arena, path, MAX_MODULE, &source->size, &why);
    if (!source->data) base_fatal("bind: %s: %s", path, why);
    verilog_modules modules = verilog_find_modules(ir->arena, source);
    const struct verilog_header *header =
        modules.count == 1 ? verilog_read_header(ir->arena, source, &modules.items[0], &diag) : NULL;
    if (!header) base_fatal("bind: %s: the header of the module cannot be read", path);
    return header;
}

bool bind_has_library(const struct ir *ir, struct diag *diag) {
    if (find_module(ir->arena, rtl_token_loop.module)) return true;
    diag_error(diag, loc_none(), MSG_RTL_LIBRARY_MISSING);
    return false;
}

// Returns the port with its width. A width that cannot be calculated is an internal error, because module and
// parameters both come from the program.
static struct bind_port port_of(const struct ir *ir, const struct verilog_header *header,
                                const struct ir_kernel *kernel, const struct verilog_port *port) {
    struct diag diag;
    int64_t bits = 0;
    diag_init(&diag, stderr);
    if (!bind_port_bits(ir, header, kernel, port, &bits, &diag)) base_fatal("bind: module %s", header->name);
    return (struct bind_port){.name = port->name, .is_output = port->is_output, .bits = bits};
}

bind_ports bind_read_ports(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct verilog_header *header = read_header(ir, k->module);
    bind_ports ports = {0};
    for (size_t p = 0; p < header->ports.count; p++)
        VEC_PUSH(ir->arena, ports, port_of(ir, header, k, &header->ports.items[p]));
    return ports;
}

const struct bind_port *bind_find_port(const bind_ports *ports, const char *name) {
    for (size_t p = 0; p < ports->count; p++)
        if (!strcmp(ports->items[p].name, name)) return &ports->items[p];
    base_fatal("bind: a module of the library has no port %s", name);
}
