// SPDX-License-Identifier: Apache-2.0
// The channel that holds tables and rows beside its share of the weights; the other channels have less to do, so this one sets the pace.
// Its timing is the memory model's own (verif/model/hbm_bank.c), whose figures are the published ones.
#include "sim.h"
#include "sim_lane.h"

enum { ATOM_BYTES = 32, EARLIEST = 1024 /* cycles before the first step from which on reads may come */ };

struct timing_memory timing_memory(const struct ir_design *d) {
    return (struct timing_memory){.period_ps = 1e6 / (d->clock_mhz > 0 ? d->clock_mhz : 250), .refreshes = true};
}

struct timing_memory_figures timing_memory_figures(void) {
    enum { BYTES = 8 << 20 };
    struct hbm_timing t = hbm_timing_default();
    struct hbm_banks banks;
    struct hbm_stats unused = {0};
    uint64_t end = 0;
    hbm_banks_init(&banks, &t);
    for (uint64_t at = 0; at < BYTES; at += ATOM_BYTES) end = hbm_banks_access(&banks, &t, 0, at, false, &unused);
    return (struct timing_memory_figures){1e3 * BYTES / (double)(end + t.atom), (int64_t)(t.latency + t.activate), (int64_t)t.write_response};
}

void memory_init(struct sim_memory *m, const struct timing_memory *figure, int beat_bits) {
    *m = (struct sim_memory){.figure = *figure, .timing = hbm_timing_default(), .beat_bytes = beat_bits / 8};
    hbm_banks_init(&m->banks, &m->timing);
    int64_t every = (int64_t)m->timing.refresh_interval, age = (int64_t)((double)(figure->start - EARLIEST) * figure->period_ps) % every;
    m->banks.next_refresh = figure->refreshes ? (uint64_t)(every - (age < 0 ? age + every : age)) : UINT64_MAX;
}

int64_t memory_latency(const struct sim_memory *m) { return (int64_t)((double)(m->timing.latency + m->timing.activate) / m->figure.period_ps); }

int64_t memory_beat(struct sim_memory *m, int64_t at, int64_t address, bool is_write) {
    struct hbm_stats unused = {0};
    uint64_t time = 0, arrival = (uint64_t)((double)(at + EARLIEST) * m->figure.period_ps);
    for (int64_t byte = 0; byte < m->beat_bytes; byte += ATOM_BYTES)
        time = hbm_banks_access(&m->banks, &m->timing, arrival, (uint64_t)(address + byte), is_write, &unused);
    double cycles = (double)(time + m->timing.latency) / m->figure.period_ps;
    int64_t whole = (int64_t)cycles;
    return whole + ((double)whole < cycles) - EARLIEST;
}

int64_t memory_read(struct sim *sim, struct sim_channel *c, int64_t at, int64_t address) {
    if (c->lane) lane_catch_up(sim, c->lane, at);
    return memory_beat(&c->memory, at, address, false);
}

struct sim_channel *memory_of(struct sim *sim, const struct actor *a) {
    for (int c = 0; c < sim->ir->clients; c++) {
        const struct ir_client *client = &sim->ir->client[c];
        if (client->kernel == a->kernel && client->channel == IR_NONE && client->engine >= 0 && client->engine < sim->channels)
            return &sim->channel[client->engine];
    }
    return &sim->channel[0];
}

void memory_ask(struct sim *sim, struct sim_channel *c, struct sim_request *r) {
    r->waits = true;
    VEC_PUSH(sim->arena, c->request, r);
}

enum { WRITE_PATH = 6 /* rill_dma_write stores a burst before it asks, the arbiter */ };

void memory_write(struct sim *sim, struct sim_channel *c, int64_t at, int64_t address, int64_t beats) {
    struct sim_request *r = ARENA_NEW(sim->arena, struct sim_request);
    *r = (struct sim_request){.kernel = IR_NONE, .at = at + WRITE_PATH, .address = address, .beats = beats};
    memory_ask(sim, c, r);
}

// The earliest request of a channel, or -1.
static int64_t earliest(const struct sim_channel *c) {
    int64_t first = -1;
    for (size_t i = 0; i < c->request.count; i++)
        if (first < 0 || c->request.items[i]->at < c->request.items[first]->at) first = (int64_t)i;
    return first;
}

static void serve(struct sim *sim, struct sim_channel *c, int64_t i) {
    struct sim_request *r = c->request.items[i];
    c->request.items[i] = c->request.items[--c->request.count];
    if (c->lane) lane_catch_up(sim, c->lane, r->at);
    for (int64_t b = 0; b < r->beats; b++) {
        int64_t there = memory_beat(&c->memory, r->at, r->address + b * c->memory.beat_bytes, !r->there);
        if (r->there) r->there[b] = there;
    }
    r->waits = false;
    if (r->there) sim_wake(sim, r->kernel);
}

void memory_serve(struct sim *sim, struct sim_channel *c, int64_t until) {
    for (int64_t i; (i = earliest(c)) >= 0 && c->request.items[i]->at <= until;) serve(sim, c, i);
}

bool memory_serve_one(struct sim *sim) {
    struct sim_channel *best = NULL;
    for (int c = 0; c < sim->channels; c++) {
        int64_t i = earliest(&sim->channel[c]);
        if (i >= 0 && (!best || sim->channel[c].request.items[i]->at < best->request.items[earliest(best)]->at)) best = &sim->channel[c];
    }
    if (best) serve(sim, best, earliest(best));
    return best != NULL;
}
