// SPDX-License-Identifier: Apache-2.0
// An AXI4-Lite master: a list of accesses that are done one after the other.
#ifndef VERIF_AXIL_H
#define VERIF_AXIL_H

#include "verif/harness/sim_pins.h"

enum { AXIL_MAX = 4096 }; // most accesses of a list
struct axil_access {
    bool is_write;
    uint32_t address, data; // data: to write, or as read
};
struct axil {
    struct axil_access access[AXIL_MAX];
    int count, next;              // accesses in the list; index of the current access
    bool address_done, data_done; // handshakes of the current access
};
void axil_clear(struct axil *axil); // empties the list
// Add an access to the list. More than AXIL_MAX accesses end the program.
void axil_write(struct axil *axil, uint32_t address, uint32_t data);
int axil_read(struct axil *axil, uint32_t address); // returns the index of the access that will hold the data
bool axil_busy(const struct axil *axil);            // returns whether accesses are left
// Advances by one clock: reads the outputs of the design from `pins` and sets its inputs. Returns true in the cycle in
// which the last access completes.
bool axil_edge(struct axil *axil, struct sim_pins *pins);

#endif
