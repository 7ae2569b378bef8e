// SPDX-License-Identifier: Apache-2.0
// Writes component.xml, from which Vivado learns the kernel's interfaces, address spaces, registers, ports and files.
// Its format is IP-XACT (IEEE 1685-2009).
#include <ctype.h>
#include <inttypes.h>

#include "gen/package/package.h"

static void add_element(struct text *out, const char *indent, const char *name, const char *value) {
    text_addf(out, "%s<spirit:%s>", indent, name);
    package_add_xml(out, value);
    text_addf(out, "</spirit:%s>\n", name);
}

static void add_number(struct text *out, const char *indent, const char *name, int64_t value) {
    text_addf(out, "%s<spirit:%s>%" PRId64 "</spirit:%s>\n", indent, name, value, name);
}

static void add_parameter(struct text *out, const char *indent, const char *name, const char *value) {
    text_addf(out,
              "%s<spirit:parameter><spirit:name>%s</spirit:name><spirit:value>%s</spirit:value></spirit:parameter>\n",
              indent, name, value);
}

// ---- interfaces ----

// Adds the type of a bus interface, one of the definitions in the vendor's catalog.
static void add_type(struct text *out, const char *library, const char *type) {
    text_addf(out,
              "      <spirit:busType spirit:vendor=\"xilinx.com\" spirit:library=\"%s\" spirit:name=\"%s\" "
              "spirit:version=\"1.0\"/>\n      <spirit:abstractionType spirit:vendor=\"xilinx.com\" "
              "spirit:library=\"%s\" spirit:name=\"%s_rtl\" spirit:version=\"1.0\"/>\n",
              library, type, library, type);
}

// Maps a signal of an interface type (logical) to a port of the kernel's module (physical).
static void add_map(struct text *out, const char *logical, const char *physical) {
    text_addf(out,
              "        <spirit:portMap><spirit:logicalPort><spirit:name>%s</spirit:name></spirit:logicalPort>"
              "<spirit:physicalPort><spirit:name>%s</spirit:name></spirit:physicalPort></spirit:portMap>\n",
              logical, physical);
}

static const char *upper(struct arena *arena, const char *s) {
    char *out = arena_strdup(arena, s);
    for (char *c = out; *c; c++) *c = (char)toupper((unsigned char)*c);
    return out;
}

static void add_pin_maps(const struct package *p, const char *port, const struct package_pin *pin, int pins,
                         struct text *out) {
    text_add(out, "      <spirit:portMaps>\n");
    for (int i = 0; i < pins; i++)
        add_map(out, upper(p->arena, pin[i].name), arena_printf(p->arena, "%s_%s", port, pin[i].name));
    text_add(out, "      </spirit:portMaps>\n");
}

static void begin_interface(struct text *out, const char *name, const char *library, const char *type) {
    text_add(out, "    <spirit:busInterface>\n");
    add_element(out, "      ", "name", name);
    add_type(out, library, type);
}

static void add_control(const struct package *p, struct text *out) {
    struct package_pin pin[PACKAGE_CONTROL_PINS];
    package_control_pins(pin);
    begin_interface(out, PACKAGE_CONTROL, "interface", "aximm");
    text_addf(out, "      <spirit:slave><spirit:memoryMapRef spirit:memoryMapRef=\"%s\"/></spirit:slave>\n",
              PACKAGE_CONTROL);
    add_pin_maps(p, PACKAGE_CONTROL, pin, PACKAGE_CONTROL_PINS, out);
    text_add(out, "      <spirit:parameters>\n");
    add_parameter(out, "        ", "PROTOCOL", "AXI4LITE");
    add_parameter(out, "        ", "DATA_WIDTH", "32");
    text_add(out, "      </spirit:parameters>\n    </spirit:busInterface>\n");
}

static void add_master(const struct package *p, int channel, struct text *out) {
    const char *name = package_master(p, channel);
    struct package_pin pin[PACKAGE_MASTER_PINS];
    struct package_parameter parameter[PACKAGE_PARAMETERS];
    package_master_pins(p, pin);
    package_master_parameters(p, parameter);
    begin_interface(out, name, "interface", "aximm");
    text_addf(out, "      <spirit:master><spirit:addressSpaceRef spirit:addressSpaceRef=\"%s\"/></spirit:master>\n",
              name);
    add_pin_maps(p, name, pin, PACKAGE_MASTER_PINS, out);
    text_add(out, "      <spirit:parameters>\n");
    add_parameter(out, "        ", "PROTOCOL", "AXI4");
    for (int i = 0; i < PACKAGE_PARAMETERS; i++)
        add_parameter(out, "        ", parameter[i].name, arena_printf(p->arena, "%" PRId64, parameter[i].value));
    text_add(out, "      </spirit:parameters>\n    </spirit:busInterface>\n");
}

// Adds an interface of one pin. name: interface and port of the kernel's module. pin: the pin's logical name in the
// interface type. side: `slave` or `master`. parameter: pairs of a name and a value.
static void add_signal(struct text *out, const char *name, const char *type, const char *side, const char *pin,
                       const char *const parameter[][2], int parameters) {
    begin_interface(out, name, "signal", type);
    text_addf(out, "      <spirit:%s/>\n      <spirit:portMaps>\n", side);
    add_map(out, pin, name);
    text_add(out, "      </spirit:portMaps>\n      <spirit:parameters>\n");
    for (int i = 0; i < parameters; i++) add_parameter(out, "        ", parameter[i][0], parameter[i][1]);
    text_add(out, "      </spirit:parameters>\n    </spirit:busInterface>\n");
}

static void add_interfaces(const struct package *p, struct text *out) {
    struct text busses = {0};
    text_add(&busses, PACKAGE_CONTROL);
    for (int c = 0; c < p->ir->design.channels; c++) text_addf(&busses, ":%s", package_master(p, c));
    const char *const clock[][2] = {{"ASSOCIATED_BUSIF", text_cstr(&busses)},
                                    {"ASSOCIATED_RESET", "ap_rst_n"},
                                    {"FREQ_HZ", arena_printf(p->arena, "%" PRId64, package_clock_hz(p))}};
    static const char *const reset[][2] = {{"POLARITY", "ACTIVE_LOW"}}, *const level[][2] = {
                                                                            {"SENSITIVITY", "LEVEL_HIGH"}};
    text_add(out, "  <spirit:busInterfaces>\n");
    add_signal(out, "ap_clk", "clock", "slave", "CLK", clock, COUNT_OF(clock));
    add_signal(out, "ap_rst_n", "reset", "slave", "RST", reset, COUNT_OF(reset));
    add_signal(out, "interrupt", "interrupt", "master", "INTERRUPT", level, COUNT_OF(level));
    add_control(p, out);
    for (int c = 0; c < p->ir->design.channels; c++) add_master(p, c, out);
    text_add(out, "  </spirit:busInterfaces>\n");
    text_free(&busses);
}

// ---- memory ----

static void add_spaces(const struct package *p, struct text *out) {
    text_add(out, "  <spirit:addressSpaces>\n");
    for (int c = 0; c < p->ir->design.channels; c++) {
        text_add(out, "    <spirit:addressSpace>\n");
        add_element(out, "      ", "name", package_master(p, c));
        add_element(out, "      ", "range", "18446744073709551616");
        add_number(out, "      ", "width", p->ir->design.beat_bits);
        text_add(out, "    </spirit:addressSpace>\n");
    }
    text_add(out, "  </spirit:addressSpaces>\n");
}

static const char *access_word(enum register_access access) {
    return access == REGISTER_RW ? "read-write" : "read-only";
}

static void add_fields(const struct register_item *r, struct text *out) {
    for (int i = 0; i < register_field_count; i++) {
        const struct register_field *f = &register_fields[i];
        if (f->id != r->id) continue;
        text_add(out, "          <spirit:field>\n");
        add_element(out, "            ", "name", f->name);
        add_element(out, "            ", "description", f->meaning);
        add_number(out, "            ", "bitOffset", f->bit);
        add_number(out, "            ", "bitWidth", f->bits);
        add_element(out, "            ", "access", access_word(f->access));
        text_add(out, "          </spirit:field>\n");
    }
}

// Adds a register with its bit fields. A pointer also gets the memory port through which the design uses it.
static void add_register(const struct package *p, const struct register_item *r, struct text *out) {
    text_add(out, "        <spirit:register>\n");
    add_element(out, "          ", "name", r->name);
    add_element(out, "          ", "description", r->row->meaning);
    text_addf(out, "          <spirit:addressOffset>0x%03X</spirit:addressOffset>\n", r->offset);
    add_number(out, "          ", "size", r->row->bits);
    add_element(out, "          ", "access", access_word(r->row->access));
    add_fields(r, out);
    if (r->row->role == REGISTER_POINTER) {
        text_add(out, "          <spirit:parameters>\n");
        add_parameter(out, "            ", "ASSOCIATED_BUSIF", package_argument_bus(p, r));
        text_add(out, "          </spirit:parameters>\n");
    }
    text_add(out, "        </spirit:register>\n");
}

static void add_registers(const struct package *p, struct text *out) {
    text_add(out, "  <spirit:memoryMaps>\n    <spirit:memoryMap>\n");
    add_element(out, "      ", "name", PACKAGE_CONTROL);
    text_add(out, "      <spirit:addressBlock>\n");
    add_element(out, "        ", "name", "reg0");
    add_element(out, "        ", "baseAddress", "0x0");
    add_number(out, "        ", "range", REGISTER_SPACE);
    add_number(out, "        ", "width", 32);
    add_element(out, "        ", "usage", "register");
    add_element(out, "        ", "access", "read-write");
    for (size_t i = 0; i < p->registers.count; i++) add_register(p, &p->registers.items[i], out);
    text_add(out, "      </spirit:addressBlock>\n    </spirit:memoryMap>\n  </spirit:memoryMaps>\n");
}

// ---- ports and files ----

static void add_port(struct text *out, const char *name, bool is_output, int bits, bool is_vector) {
    text_addf(out,
              "      <spirit:port><spirit:name>%s</spirit:name><spirit:wire><spirit:direction>%s</spirit:direction>",
              name, is_output ? "out" : "in");
    if (is_vector)
        text_addf(out, "<spirit:vector><spirit:left>%d</spirit:left><spirit:right>0</spirit:right></spirit:vector>",
                  bits - 1);
    text_add(out, "</spirit:wire></spirit:port>\n");
}

static void add_pins(const struct package *p, const char *port, const struct package_pin *pin, int pins,
                     struct text *out) {
    for (int i = 0; i < pins; i++)
        add_port(out, arena_printf(p->arena, "%s_%s", port, pin[i].name), pin[i].is_output, pin[i].bits,
                 pin[i].is_vector);
}

static void add_model(const struct package *p, struct text *out) {
    struct package_pin control[PACKAGE_CONTROL_PINS], master[PACKAGE_MASTER_PINS];
    package_control_pins(control);
    package_master_pins(p, master);
    text_addf(
        out,
        "  <spirit:model>\n    <spirit:views>\n      <spirit:view>\n        <spirit:name>synthesis</spirit:name>\n"
        "        <spirit:envIdentifier>verilogSource:synthesis</spirit:envIdentifier>\n"
        "        <spirit:language>verilog</spirit:language>\n        <spirit:modelName>%s</spirit:modelName>\n"
        "        <spirit:fileSetRef><spirit:localName>rtl</spirit:localName></spirit:fileSetRef>\n"
        "      </spirit:view>\n    </spirit:views>\n    <spirit:ports>\n",
        p->name);
    add_port(out, "ap_clk", false, 1, false);
    add_port(out, "ap_rst_n", false, 1, false);
    add_port(out, "interrupt", true, 1, false);
    add_pins(p, PACKAGE_CONTROL, control, PACKAGE_CONTROL_PINS, out);
    for (int c = 0; c < p->ir->design.channels; c++)
        add_pins(p, package_master(p, c), master, PACKAGE_MASTER_PINS, out);
    text_add(out, "    </spirit:ports>\n  </spirit:model>\n");
}

static void add_files(const struct package *p, struct text *out) {
    text_add(out, "  <spirit:fileSets>\n    <spirit:fileSet>\n      <spirit:name>rtl</spirit:name>\n");
    for (size_t i = 0; i < p->rtl.count; i++)
        text_addf(out,
                  "      <spirit:file><spirit:name>%s</spirit:name><spirit:fileType>verilogSource</spirit:fileType>"
                  "</spirit:file>\n",
                  p->rtl.items[i]);
    text_add(out, "    </spirit:fileSet>\n  </spirit:fileSets>\n");
}

void package_component(const struct package *p, struct text *out) {
    text_addf(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!--%s -->\n<spirit:component "
              "xmlns:spirit=\"http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009\">\n",
              package_comment(p, ""));
    add_element(out, "  ", "vendor", PACKAGE_VENDOR);
    add_element(out, "  ", "library", p->library);
    add_element(out, "  ", "name", p->name);
    add_element(out, "  ", "version", PACKAGE_VERSION);
    add_interfaces(p, out);
    add_spaces(p, out);
    add_registers(p, out);
    add_model(p, out);
    add_files(p, out);
    add_element(out, "  ", "description", arena_printf(p->arena, "%s, a streaming accelerator", p->ir->name));
    text_add(out, "</spirit:component>\n");
}
