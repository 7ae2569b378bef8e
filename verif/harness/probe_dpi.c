// SPDX-License-Identifier: Apache-2.0
// Passes what the probes in the design report to the checker, the records and the watch of the run.
#include "verif/harness/probe_dpi.h"

#include "gen/kernel/kernel.h"
#include "verif/harness/sim_internal.h"

// The run to which the probes report. It is global, because DPI functions have no context argument.
static struct sim *bound;

void probe_dpi_bind(struct sim *sim) { bound = sim; }

static struct watch_edge *edge_of(int id) {
    if (bound == NULL || id < 0 || id >= bound->ir->edges) base_fatal("probe %d: the design has no such stream", id);
    return &bound->watch.edge[id];
}

// Streams of a design with slots are not compared: their steps have tokens of several requests.
static bool wants(int id) { return !bound->ir->design.slots && check_wants(bound->check, id); }

// Whether the stream has the step words of a design with slots and drafts, which tell the drafts of each request.
static bool has_parts(int id) {
    const struct ir *ir = bound->ir;
    const struct ir_edge *e = &ir->edge[id];
    return ir->design.slots && ir->design.drafts && kernel_is(&ir->kernel[e->src_kernel], KERNEL_LOOP) &&
           ir->kernel[e->src_kernel].port[e->src_port].role == IR_ROLE_STEP;
}

int rill_probe_open(int id, int data_bits) {
    edge_of(id);
    const struct ir_edge *e = &bound->ir->edge[id];
    int64_t bits = bound->ir->kernel[e->src_kernel].port[e->src_port].data_bits;
    if (bits != data_bits)
        base_fatal("probe %d (%s) has %d bits, the stream has %lld", id, e->name, data_bits, (long long)bits);
    return bound->beats != NULL || wants(id) || has_parts(id);
}

int rill_probe_beat(int id, const uint32_t *data, int user, int last, int count) {
    bound->watch.beats++;
    timeline_beat(&bound->timeline, bound->ir, id, last != 0, bound->host.request, hbm_cycle(bound->hbm));
    if (bound->beats != NULL)
        fprintf(bound->beats, "%d %llu %d\n", id, (unsigned long long)hbm_cycle(bound->hbm), last);
    if (has_parts(id)) slots_step(&bound->host, (uint64_t)data[1] << 32 | data[0]);
    if ((bound->beats != NULL && !wants(id)) || has_parts(id)) return 1;
    bool more = check_beat(bound->check, id, data, (unsigned)user, last != 0, (unsigned)count, hbm_cycle(bound->hbm));
    return bound->beats != NULL || more;
}

int rill_probe_beat64(int id, const uint32_t *data, int user, int last, int count) {
    return rill_probe_beat(id, data, user, last, count);
}

int rill_probe_beat544(int id, const uint32_t *data, int user, int last, int count) {
    return rill_probe_beat(id, data, user, last, count);
}

void rill_probe_state(int id, int tvalid, int tready, long long beats, long long stalls) {
    struct watch_edge *w = edge_of(id);
    w->known = true;
    w->tvalid = tvalid != 0;
    w->tready = tready != 0;
    w->beats = (uint64_t)beats;
    w->stalls = (uint64_t)stalls;
}

void rill_contract_reset(int id) { contracts_reset(bound->contracts, id, hbm_cycle(bound->hbm)); }

void rill_contract_cycle(int id, int in_tvalid, int in_tready, int in_tok_last, int beside, int out_tvalid,
                         int out_tready) {
    struct contract_pins pins = {in_tvalid, in_tready, in_tok_last, beside != 0, out_tvalid != 0, out_tready != 0};
    contracts_cycle(bound->contracts, id, &pins, hbm_cycle(bound->hbm));
}

int rill_fifo_open(int id) {
    edge_of(id);
    return bound->occupancy.fifo != NULL;
}

void rill_fifo_state(int id, int depth, int occupancy, int high_water) {
    struct watch_edge *w = edge_of(id);
    w->has_fifo = true;
    w->depth = depth;
    w->occupancy = occupancy;
    if (bound->occupancy.fifo != NULL) occupancy_change(&bound->occupancy, id, occupancy, hbm_cycle(bound->hbm));
    if (high_water > w->high_water)
        w->high_water = high_water; // over all requests, as a reset clears the FIFO's own mark
}
