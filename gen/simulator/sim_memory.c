// SPDX-License-Identifier: Apache-2.0
// Channels: the read arbiter and the write engine of each, and the memory behind them. Its timing is the memory model's
// own (gen/hbm/hbm_bank.c), with the figures of the board.
//
// A grant or an access is made when no kernel can go on: whatever is asked for later is a consequence of it, and comes
// after it.
#include <limits.h>
#include <string.h>

#include "gen/simulator/sim.h"

enum { LOAD_ASKED = 4 /* start of a request to the descriptor of the image's header */ };
enum { ATOM_BYTES = 32, EARLIEST = 1024 /* cycles before the lead from which on reads may come */ };

static int64_t earliest(const struct timing_memory *figure) { return EARLIEST + figure->lead; }

struct timing_memory timing_memory(const struct ir_design *d) {
    return (struct timing_memory){.figures = &d->hbm, .period_ps = 1e6 / d->clock_mhz, .refreshes = true};
}

void memory_init(struct sim_memory *m, const struct timing_memory *figure, int beat_bits) {
    *m = (struct sim_memory){.figure = *figure, .timing = hbm_timing_of(figure->figures), .beat_bytes = beat_bits / 8};
    hbm_banks_init(&m->banks, &m->timing);
    int64_t every = (int64_t)m->timing.refresh_interval,
            age = (int64_t)((double)(figure->start - earliest(figure)) * figure->period_ps);
    m->banks.next_refresh = figure->refreshes ? (uint64_t)(every - (age < 0 ? age : age % every))
                                              : UINT64_MAX; // none before the first interval
}

uint64_t memory_beat(struct sim_memory *m, int64_t at, int64_t address, bool is_write) {
    struct hbm_stats unused = {0};
    uint64_t time = 0, arrival = (uint64_t)((double)(at + earliest(&m->figure)) * m->figure.period_ps);
    for (int64_t byte = 0; byte < m->beat_bytes; byte += ATOM_BYTES)
        time = hbm_banks_access(&m->banks, &m->timing, arrival, (uint64_t)(address + byte), is_write, &unused);
    return time;
}

int64_t memory_cycle(const struct sim_memory *m, uint64_t time) {
    double cycles = (double)time / m->figure.period_ps;
    int64_t whole = (int64_t)cycles;
    return whole + ((double)whole < cycles) - earliest(&m->figure);
}

// ---- channels ----

static struct sim_channel *channel_at(struct sim *sim, int index) { // opened, if it is not
    for (int c = 0; c < sim->channels; c++)
        if (sim->channel[c].index == index) return &sim->channel[c];
    struct sim_channel *new = &sim->channel[sim->channels++];
    *new = (struct sim_channel){.index = index, .read.last = INT_MAX, .write.last = INT_MAX};
    new->write_buffer = at_most(at_least(ir_write_buffer(sim->ir, index), 1), SIM_QUEUE);
    new->read.free = new->write.free = new->read.beat = new->write.beat = new->write.answer =
        -earliest(&sim->options->memory);
    memory_init(&new->memory, &sim->options->memory, sim->ir->design.beat_bits);
    return new;
}

static bool is_loader(const struct ir_client *c) { return c->role == IR_CLIENT_IMAGE; }

// The image's header and the parameters behind it are one linear read, asked for once per request; nothing holds their
// beats. Where the parameters are on chip it is the header alone.
static void open_loader(struct sim *sim) {
    const struct ir *ir = sim->ir;
    int64_t bytes = 0, first = 0;
    if (sim->options->step[0].pos > 0) return; // in the middle of a request
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        if (seg->kind == IR_SEG_HEADER) first = seg->offset;
        if (seg->kind == IR_SEG_HEADER || (seg->kind == IR_SEG_PARAMS && !sim->options->memory.kept))
            bytes += seg->bytes;
    }
    for (int i = 0; i < ir->clients && bytes; i++)
        for (int c = 0; c < sim->channels; c++)
            if (is_loader(&ir->client[i]) && sim->channel[c].index == ir->client[i].channel) {
                sim->loader = client_open_free(sim, i, &sim->channel[c]);
                client_ask(sim, sim->loader, LOAD_ASKED - sim->options->memory.lead, first,
                           div_up(bytes, ir->design.beat_bits / 8));
                return;
            }
}

void memory_open(struct sim *sim) {
    const struct ir *ir = sim->ir;
    sim->engines = ir->engines > 0 ? ir->engines : 1;
    sim->channel = ARENA_ARRAY(sim->arena, struct sim_channel, (size_t)(sim->engines + ir->clients));
    for (int e = 0; e < ir->engines; e++) channel_at(sim, ir->engine[e].first_channel);
    if (!ir->engines) channel_at(sim, 0);
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].channel != IR_NONE && (ir->client[c].kernel != IR_NONE || is_loader(&ir->client[c])))
            channel_at(sim, ir->client[c].channel);
    open_loader(sim);
}

// ---- turns: round robin from the client of the last grant on ----

static struct sim_client *choose(const struct sim_channel *c, bool is_write, int64_t at) {
    const struct sim_side *side = is_write ? &c->write : &c->read;
    struct sim_client *first = NULL, *later = NULL;
    for (size_t i = 0; i < c->client.count; i++) {
        struct sim_client *client = c->client.items[i];
        if (client->is_write != is_write || !client->waits || client->at > at) continue;
        if (!first || client->index < first->index) first = client;
        if (client->index > side->last && (!later || client->index < later->index)) later = client;
    }
    return later ? later : first;
}

// Bursts that must be over before the memory takes one more: it, or the write engine, holds so many, and it has so many
// ids.
static int64_t due(const struct sim_channel *c, bool is_write) {
    const struct sim_side *side = is_write ? &c->write : &c->read;
    int64_t over = side->ended, ids = side->ids, most = is_write ? IR_WRITES_OPEN : SIM_QUEUE;
    while (over < side->bursts && (side->bursts - over >= most || ids >= c->memory.timing.ids))
        ids -= side->taken[over++ % SIM_QUEUE];
    return over;
}

// A write is over when its response is known.
static bool has_answers(const struct sim_channel *c, bool is_write) {
    return !is_write || due(c, true) <= (int64_t)c->accessed;
}

// The cycle of the next grant, INT64_MAX: nobody asks, or it waits for a response.
static int64_t next_grant(const struct sim_channel *c, bool is_write) {
    const struct sim_side *side = is_write ? &c->write : &c->read;
    int64_t at = INT64_MAX;
    for (size_t i = 0; i < c->client.count; i++)
        if (c->client.items[i]->is_write == is_write && c->client.items[i]->waits)
            at = at_most(at, c->client.items[i]->at);
    if (at == INT64_MAX || !has_answers(c, is_write)) return INT64_MAX;
    at = at_least(at, side->free);
    int64_t full = side->bursts - c->write_buffer; // the beat whose place the next one takes
    return is_write && full >= 0 ? at_least(at, side->sent[full % SIM_QUEUE] + 1) : at;
}

static struct sim_client *grant(struct sim_side *side, const struct sim_channel *c, bool is_write, int64_t at) {
    struct sim_client *client = choose(c, is_write, at);
    side->last = client->index;
    side->free = at + 1; // the memory takes it, when there is room
    for (int64_t end = due(c, is_write); side->ended < end; side->ended++) {
        side->free = at_least(side->free, side->over[side->ended % SIM_QUEUE]);
        side->ids -= side->taken[side->ended % SIM_QUEUE];
    }
    int ids = hbm_native_bursts(&c->memory.timing, client->beats * c->memory.beat_bytes);
    side->taken[side->bursts % SIM_QUEUE] = ids;
    side->ids += ids;
    client->waits = false;
    client->granted_before = client->granted;
    client->granted = at;
    return client;
}

static void grant_read(struct sim *sim, struct sim_channel *c, int64_t at) {
    struct sim_side *side = &c->read;
    struct sim_client *client = grant(side, c, false, at);
    sim->beats += client->beats;
    for (int64_t b = 0; b < client->beats; b++) {
        uint64_t time = memory_beat(&c->memory, side->free, client->address + b * c->memory.beat_bytes, false) +
                        c->memory.timing.latency;
        side->beat =
            at_least(memory_cycle(&c->memory, time), side->beat) + 1; // one at a time through the channel's register
        VEC_PUSH(sim->arena, client->beat, side->beat);
    }
    side->over[side->bursts++ % SIM_QUEUE] = side->beat;
    VEC_PUSH(sim->arena, client->over, side->beat);
    client->address += client->beats * c->memory.beat_bytes;
    client_cut(sim, client);
    for (int64_t beat; client == sim->loader && client_beat(client, &beat);) client_take(sim, client, beat);
    sim_wake(sim, client->kernel);
}

// A beat leaves in the order of the grants, one per cycle, when the memory has the address.
static void grant_write(struct sim *sim, struct sim_channel *c, int64_t at) {
    struct sim_side *side = &c->write;
    struct sim_client *client = grant(side, c, true, at);
    sim->beats += client->beats;
    side->beat = at_least(side->free, side->beat) + 1;
    VEC_PUSH(sim->arena, client->taken, at);
    side->sent[side->bursts++ % SIM_QUEUE] = side->beat;
    VEC_PUSH(sim->arena, c->access, (struct sim_access){side->beat, client->address, client->beats, client});
    client->address += client->beats * c->memory.beat_bytes;
    client_cut(sim, client);
    sim_wake(sim, client->kernel);
}

static void access_write(struct sim *sim, struct sim_channel *c) {
    struct sim_access a = c->access.items[c->accessed++];
    uint64_t time = 0;
    for (int64_t b = 0; b < a.beats; b++)
        time = memory_beat(&c->memory, a.at, a.address + b * c->memory.beat_bytes, true);
    c->write.answer =
        at_least(at_least(memory_cycle(&c->memory, time + c->memory.timing.write_response), c->write.answer),
                 a.at + 1) +
        1;
    c->write.over[(c->accessed - 1) % SIM_QUEUE] = c->write.answer;
    VEC_PUSH(sim->arena, a.client->over, c->write.answer);
    client_cut(sim, a.client);
    if (a.client->counted) sim_wake_all(sim, TIMING_ENGINE);
    sim_wake(sim, a.client->kernel);
}

// ---- events in the order of their times; a read is one when the memory takes it ----

// In the same cycle a write is before a read, as in verif/model/rill_axi_memory.sv.
enum event { ACCESS, READ, WRITE, EVENTS };

static int64_t next_event(const struct sim_channel *c, enum event *which) {
    int64_t grant_at = next_grant(c, false),
            at[EVENTS] = {INT64_MAX, grant_at == INT64_MAX ? grant_at : grant_at + 1, next_grant(c, true)};
    if (c->accessed < c->access.count) at[ACCESS] = c->access.items[c->accessed].at;
    *which = ACCESS;
    for (int i = READ; i < EVENTS; i++)
        if (at[i] < at[*which]) *which = (enum event)i;
    return at[*which];
}

bool memory_serve_one(struct sim *sim) {
    int64_t first = INT64_MAX, at;
    struct sim_channel *best = NULL;
    enum event event = READ, which;
    for (int c = 0; c < sim->channels; c++)
        if ((at = next_event(&sim->channel[c], &which)) < first) first = at, best = &sim->channel[c], event = which;
    if (!best) return false;
    if (event == READ) grant_read(sim, best, first - 1);
    else if (event == WRITE) grant_write(sim, best, first);
    else access_write(sim, best);
    return true;
}
