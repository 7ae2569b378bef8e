// SPDX-License-Identifier: Apache-2.0
// Does the register accesses of a list one after the other, by driving the pins of an AXI4-Lite port.
#include "verif/harness/axil.h"

#include "gen/base/base.h"

void axil_clear(struct axil *axil) {
    axil->count = axil->next = 0;
    axil->address_done = axil->data_done = false;
}

// Adds an access to the list. Returns its index.
static int add(struct axil *axil, struct axil_access access) {
    if (axil->count == AXIL_MAX) base_fatal("harness: more than %d register accesses in a row", AXIL_MAX);
    axil->access[axil->count] = access;
    return axil->count++;
}

void axil_write(struct axil *axil, uint32_t address, uint32_t data) {
    add(axil, (struct axil_access){true, address, data});
}

int axil_read(struct axil *axil, uint32_t address) { return add(axil, (struct axil_access){false, address, 0}); }

bool axil_busy(const struct axil *axil) { return axil->next < axil->count; }

// Drives the pins for the current access, or all valid and ready signals low.
static void drive(const struct axil *axil, struct sim_pins *pins) {
    const struct axil_access *a = &axil->access[axil->next];
    bool busy = axil_busy(axil);
    pins->awvalid = busy && a->is_write && !axil->address_done;
    pins->wvalid = busy && a->is_write && !axil->data_done;
    pins->bready = busy && a->is_write;
    pins->arvalid = busy && !a->is_write && !axil->address_done;
    pins->rready = busy && !a->is_write;
    if (!busy) return;
    pins->awaddr = pins->araddr = a->address;
    pins->wdata = a->data;
}

bool axil_edge(struct axil *axil, struct sim_pins *pins) {
    bool done = false;
    if (axil_busy(axil)) {
        struct axil_access *a = &axil->access[axil->next];
        axil->address_done |= (pins->awvalid && pins->awready) || (pins->arvalid && pins->arready);
        axil->data_done |= pins->wvalid && pins->wready;
        done = a->is_write ? pins->bvalid && pins->bready : pins->rvalid && pins->rready;
        if (done && !a->is_write) a->data = pins->rdata;
    }
    if (done) {
        axil->next++;
        axil->address_done = axil->data_done = false;
    }
    drive(axil, pins);
    return done && !axil_busy(axil);
}
