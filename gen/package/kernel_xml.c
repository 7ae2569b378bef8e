// SPDX-License-Identifier: Apache-2.0
// Writes kernel.xml: the kernel's ports and arguments for the vendor's linker and runtime.
#include "gen/package/package.h"

// Adds a memory port (master), or the control port (slave), whose 4 KiB hold the registers. bits: width of the port's
// data.
static void add_port(const char *name, bool is_master, int bits, struct text *out) {
    text_addf(out,
              "      <port name=\"%s\" mode=\"%s\" range=\"%s\" dataWidth=\"%d\" portType=\"addressable\" "
              "base=\"0x0\"/>\n",
              name, is_master ? "master" : "slave", is_master ? "0xFFFFFFFFFFFFFFFF" : "0x1000", bits);
}

// Adds a register as an argument of the kernel. id: the argument's position, counted from 0. The addressQualifier is 1
// for a pointer into memory and 0 for a number.
static void add_argument(const struct package *p, const struct register_item *r, int id, struct text *out) {
    bool pointer = r->row->role == REGISTER_POINTER;
    int bytes = r->row->bits / 8;
    text_addf(out,
              "      <arg name=\"%s\" addressQualifier=\"%d\" id=\"%d\" port=\"%s\" size=\"0x%X\" offset=\"0x%03X\" "
              "type=\"%s\" hostOffset=\"0x0\" hostSize=\"0x%X\"/>\n",
              r->name, pointer, id, package_argument_bus(p, r), bytes, r->offset, pointer ? "void*" : "uint", bytes);
}

void package_kernel_xml(const struct package *p, struct text *out) {
    text_addf(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<root versionMajor=\"1\" versionMinor=\"6\">\n"
              "  <kernel name=\"%s\" language=\"ip_c\" vlnv=\"%s:%s:%s:%s\" attributes=\"\" "
              "preferredWorkGroupSizeMultiple=\"0\" workGroupSize=\"1\" interrupt=\"true\" "
              "hwControlProtocol=\"ap_ctrl_hs\">\n    <ports>\n",
              p->name, PACKAGE_VENDOR, p->library, p->name, PACKAGE_VERSION);
    add_port(PACKAGE_CONTROL, false, 32, out);
    for (int c = 0; c < p->ir->design.channels; c++) add_port(package_master(p, c), true, p->ir->design.beat_bits, out);
    text_add(out, "    </ports>\n    <args>\n");
    int id = 0;
    for (size_t i = 0; i < p->registers.count; i++)
        if (register_is_argument(p->registers.items[i].row)) add_argument(p, &p->registers.items[i], id++, out);
    text_add(out, "    </args>\n  </kernel>\n</root>\n");
}
