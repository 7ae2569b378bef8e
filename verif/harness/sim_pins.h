// SPDX-License-Identifier: Apache-2.0
// The simulation of one design, seen from the thin C++ main: pins in, pins out, once per clock.
#ifndef VERIF_SIM_PINS_H
#define VERIF_SIM_PINS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pins of rill_sim_top beside clk: outputs of the harness, then its inputs. s_axi_control is AXI4-Lite.
struct sim_pins {
    bool rst;
    bool awvalid, wvalid, bready, arvalid, rready;
    uint32_t awaddr, wdata, araddr;
    bool awready, wready, bvalid, arready, rvalid, interrupt;
    uint32_t rdata;
};

struct sim;

// Reads the command line and the design, maps the images, opens the golden model. NULL: *exit_code tells what to
// return.
struct sim *sim_open(int argc, char **argv, int *exit_code);
// FST file to write, or NULL.
const char *sim_trace(const struct sim *sim);
// One clock: before the rising edge the outputs of the design are in `pins`; sim_edge looks at them and lets time pass
// in the memory model. What it leaves in `pins` is to be driven after the edge. False when the run is over.
bool sim_edge(struct sim *sim, struct sim_pins *pins);
// The run was saved (--save), and this process has no more to do.
bool sim_saved(const struct sim *sim);
// The design ended the run itself ($finish, $fatal: a protocol checker).
void sim_stopped(struct sim *sim);
// Summary, JSON, messages. Returns the exit code.
int sim_close(struct sim *sim);

#ifdef __cplusplus
}
#endif

#endif
