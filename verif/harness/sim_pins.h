// SPDX-License-Identifier: Apache-2.0
// The interface between the C++ main, which has the Verilated model, and the rest of the simulation: pins in and pins
// out, once per clock.
#ifndef VERIF_SIM_PINS_H
#define VERIF_SIM_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A variable of the Verilated design: `words` elements of `bytes` each, the low byte first.
struct sim_signal {
    uint8_t *data;
    size_t words, bytes;
};
// Finds variable `name` of the instance whose path ends with `instance`. Returns false if none is public.
typedef bool sim_find(void *context, const char *instance, const char *name, struct sim_signal *found);

// Pins of rill_sim_top except clk: first those that the harness drives, then those that the design drives.
// s_axi_control is AXI4-Lite.
struct sim_pins {
    bool rst;
    bool awvalid, wvalid, bready, arvalid, rready;
    uint32_t awaddr, wdata, araddr;
    bool awready, wready, bvalid, arready, rvalid, interrupt;
    uint32_t rdata;
    uint32_t gap;   // cycles that the clock misses after this edge, while an oscillator goes on
    bool slow;      // the next cycle is longer by one pulse of the oscillator
    sim_find *find; // set by main: finds variables of the design
    void *context;  // for `find`
};

struct sim;

// Reads the command line and the design, loads the image, and opens the replay. Returns NULL if the program should end,
// with *exit_code as its status.
struct sim *sim_open(int argc, char **argv, int *exit_code);
// Returns the path of the FST file (a waveform) to write, or NULL.
const char *sim_trace(const struct sim *sim);
// Advances by one clock. Before the rising edge `pins` has the design's outputs; sim_edge reads them and advances the
// memory model. The values it leaves in `pins` are driven after the edge. Returns false when the run is over.
bool sim_edge(struct sim *sim, struct sim_pins *pins);
// Returns whether the run was saved (--save), so that this process must end.
bool sim_saved(const struct sim *sim);
// Called when the design ended the run itself ($finish, or $fatal of a protocol checker).
void sim_stopped(struct sim *sim);
// Prints the summary, JSON and messages, and frees the run. Returns the exit code.
int sim_close(struct sim *sim);

#ifdef __cplusplus
}
#endif

#endif
