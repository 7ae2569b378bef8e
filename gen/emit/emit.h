// SPDX-License-Identifier: Apache-2.0
// Emitters: read-only walks over the IR that print Verilog and reports. Same IR, same bytes.
#ifndef RILL_EMIT_H
#define RILL_EMIT_H

#include "ir.h"

// The top module: control, kernels, streams, memory ports.
void emit_top(const struct ir *, struct text *out);
// Its parts.
void emit_ports(const struct ir *, struct text *out);
void emit_streams(const struct ir *, struct text *out); // nets and FIFOs of every edge, probes
void emit_kernels(const struct ir *, struct text *out); // one instance per kernel
void emit_control(const struct ir *, struct text *out); // registers, token loop's plain nets, faults, parameter loading
void emit_client_nets(const struct ir *, struct text *out);
void emit_memory(const struct ir *, struct text *out); // per channel: DMA engines, arbiters
// Simulation top: rill_top and one memory model per channel.
void emit_sim_top(const struct ir *, struct text *out);
void emit_pblocks(const struct ir *, struct text *out);    // Tcl: the instances of each die
void emit_memory_map(const struct ir *, struct text *out); // JSON

void emit_wrapped(const struct text *in, struct text *out);

// ---- shared by the emitters ----

enum { EMIT_MAX_CLIENTS = IR_CHANNEL_CLIENTS };
struct emit_client {       // one DMA engine on one channel
    const char *name;      // suffix of its nets
    const char *base;      // net of its base address, NULL: the channel's register
    int64_t burst, buffer; // beats; 0: the design's
    bool is_lane;          // the weight stream of the engine
    bool on_every;         // one of it on every channel of a matrix engine
    bool is_packed;        // with beats of its own on each
};
// Read or write clients of a channel; returns the count.
int emit_channel_clients(const struct ir *, int channel, bool is_write, struct emit_client out[EMIT_MAX_CLIENTS]);
int emit_id_bits(const struct ir *); // width of AXI ids, the same on all ports

#endif
