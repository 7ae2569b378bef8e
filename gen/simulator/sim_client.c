// SPDX-License-Identifier: Apache-2.0
// Timing model of the DMA engines of the memory's clients. They cut descriptors into bursts (rill_burst_splitter),
// limit the number of bursts in flight, and wait for room in their buffers, as rill_dma_read and rill_dma_write do.
#include <string.h>

#include "gen/simulator/sim_actor.h"

enum { LONG_AGO = -(1 << 30) }; // a cycle before all others

// Adds a client to a channel, with the burst length and the buffer that a client has by default.
static struct sim_client *open_at(struct sim *sim, struct sim_channel *channel, int kernel, int index, bool is_write) {
    const struct ir_design *d = &sim->ir->design;
    struct sim_client *c = ARENA_NEW(sim->arena, struct sim_client);
    *c = (struct sim_client){
        .channel = channel, .kernel = kernel, .index = index, .is_write = is_write, .issued = LONG_AGO};
    c->granted = c->granted_before = LONG_AGO;
    c->burst = d->max_burst;
    c->buffer = 2 * d->max_burst;
    c->outstanding = d->outstanding;
    if (is_write) c->burst = c->buffer = 1;
    VEC_PUSH(sim->arena, channel->client, c);
    return c;
}

struct sim_client *client_open(struct sim *sim, const struct actor *a, bool is_write) {
    for (int i = 0; i < sim->ir->clients; i++) {
        const struct ir_client *client = &sim->ir->client[i];
        if (client->kernel != a->kernel || client->is_write != is_write) continue;
        int index = client->channel;
        if (index == IR_NONE && client->engine >= 0 && client->engine < sim->ir->engines)
            index = sim->ir->engine[client->engine].first_channel;
        for (int c = 0; c < sim->channels; c++) {
            if (sim->channel[c].index != index) continue;
            struct sim_client *new = open_at(sim, &sim->channel[c], a->kernel, i, is_write);
            if (client->burst > 0 && !is_write) new->burst = client->burst;
            if (client->buffer > 0 && !is_write) new->buffer = client->buffer;
            return new->buffer < new->burst ? NULL : new; // NULL only for an edited dump
        }
    }
    return NULL;
}

struct sim_client *client_open_free(struct sim *sim, int index, struct sim_channel *channel) {
    const struct ir_client *client = &sim->ir->client[index];
    struct sim_client *c = open_at(sim, channel, IR_NONE, index, false);
    if (client->burst > 0) c->burst = client->burst;
    if (client->buffer >= c->burst) c->buffer = client->buffer;
    return c;
}

// Opens a lane of rill_weight_store.
static struct sim_client *open_stored(struct sim *sim, int kernel) {
    struct sim_client *c = ARENA_NEW(sim->arena, struct sim_client);
    *c = (struct sim_client){.kernel = kernel, .index = -1, .is_stored = true, .issued = LONG_AGO};
    return c;
}

struct sim_client *client_open_lane(struct sim *sim, int kernel, struct sim_channel *channel) {
    if (!channel) return open_stored(sim, kernel);
    struct sim_client *c = open_at(sim, channel, kernel, -1, false);
    c->buffer = sim->ir->design.prefetch_beats;
    return c;
}

// ---- descriptors: reads have one that is being cut and two that wait ----

// Sets *at to the cycle from which the write engine has room for a client's descriptor. The engine holds one descriptor
// of each client. It takes the next one together with the last beat of the present one. With a buffer of one beat,
// rill_dma_write takes it a cycle later. This costs no time, because its buffer is full in that cycle. Returns false
// while this cycle is not known.
static bool write_room(const struct sim_client *c, int64_t *at) {
    if (c->waits || c->cut < (int64_t)c->run.count) return false;
    *at = at_least(c->run.items[c->run.count - 1].at + 1, c->granted);
    return true;
}

// Sets *at to the cycle from which a lane of rill_weight_store has room for a descriptor. The lane holds one that is
// being read and one that waits. Returns false while this cycle is not known.
static bool stored_room(const struct sim_client *c, int64_t *at) {
    int64_t count = (int64_t)c->run.count;
    if (count - c->cut > 1) return false;
    *at = c->run.items[count - 1].at + 1;
    if (count > 1) *at = at_least(*at, c->run.items[count - 2].end + 1);
    return true;
}

bool client_room(const struct sim_client *c, int64_t *at) {
    int64_t count = (int64_t)c->run.count;
    *at = LONG_AGO;
    if (count == 0) return true;
    if (c->is_stored) return stored_room(c, at);
    if (c->is_write) return write_room(c, at);
    if (count - c->cut > 2) return false;
    *at = c->run.items[count - 1].at + 1;
    if (count > 2) *at = at_least(*at, c->run.items[count - 3].end + 1);
    return true;
}

void client_ask(struct sim *sim, struct sim_client *c, int64_t at, int64_t address, int64_t beats) {
    VEC_PUSH(sim->arena, c->run, (struct sim_run){at, address, beats, at, 0});
    client_cut(sim, c);
}

// Raises *from to the cycle after the one in entry `n` of a list, if `n` is not negative. Returns false while the list
// has no such entry.
static bool reached(const int64_t *item, size_t count, int64_t n, int64_t *from) {
    if (n < 0) return true;
    if (n >= (int64_t)count) return false;
    *from = at_least(*from, item[n] + 1);
    return true;
}

// Raises *from to the first cycle in which a burst may be issued. Returns false while the cycle is not known.
// Writes: the beat must have been offered.
// Reads: the burst needs room in the buffer. rill_dma_read decides this in the cycle before. If it issues another burst
// in that cycle, or no burst is offered yet, it does not know the length of this burst. Then it requires room for two
// bursts of the maximum length: the one that it issues, whose beats are still counted as room, and this one. With less
// room it compares the real length in the next cycle, so this burst is issued one cycle later.
static bool fits(const struct sim_client *c, int64_t beats, int64_t *from) {
    const int64_t *item = c->taken.items;
    size_t count = c->taken.count;
    if (c->is_write) {
        if (c->requested >= (int64_t)c->beat.count) return false;
        *from = at_least(*from, c->beat.items[c->requested]);
        return true;
    }
    int64_t last = c->requested - 1 - c->buffer, two = last + 2 * c->burst - (*from == c->issued + 1 ? c->beats : 0);
    if (two < 0 || (two < (int64_t)count && item[two] + 2 <= *from)) return true;
    *from += 1;
    if (last + beats < 0) return true;
    if (last + beats >= (int64_t)count) return false;
    *from = at_least(*from, item[last + beats] + 2);
    return true;
}

// Ends the present run of a lane of rill_weight_store if its last beat has been taken, and wakes the lane's kernel.
static void end_stored(struct sim *sim, struct sim_client *c) {
    struct sim_run *run = &c->run.items[c->cut];
    if ((int64_t)c->taken.count < c->given + run->beats) return;
    run->end = c->taken.items[c->given + run->beats - 1] - CYCLES_STORED_BEAT;
    c->given += run->beats;
    c->cut++;
    sim_wake(sim, c->kernel);
}

// Issues the next burst of the present run in the first cycle in which it may be issued, if this cycle is known.
static void cut_burst(struct sim *sim, struct sim_client *c) {
    struct sim_run *run = &c->run.items[c->cut];
    if (c->left == 0) c->left = run->beats, c->address = run->address;
    // A burst ends at a multiple of the burst length, as in rill_burst_splitter.
    int64_t beats = at_most(c->left, c->burst - c->address / c->channel->memory.beat_bytes % c->burst);
    int64_t from = at_least(run->at + (c->is_write ? CYCLES_WRITE : CYCLES_SPLIT), c->issued + 1);
    if (!fits(c, beats, &from)) return;
    if (!c->is_write && !reached(c->over.items, c->over.count, c->bursts - c->outstanding, &from)) return;
    from = at_least(from, (c->is_write ? c->granted : c->granted_before) + 1);
    c->issued = from;
    c->at = c->is_write ? from : at_least(from, c->granted) + 1;
    c->beats = beats;
    c->waits = true;
    c->channel->known = false;
    VEC_PUSH(sim->arena, (c->is_write ? &c->channel->write.waiting : &c->channel->read.waiting)->client, c);
    c->bursts++;
    c->requested += beats;
    c->left -= beats;
    if (c->left) return;
    run->end = from;
    run->bursts = c->bursts;
    c->cut++;
    sim_wake(sim, c->kernel);
}

void client_cut(struct sim *sim, struct sim_client *c) {
    if (c->waits || c->cut == (int64_t)c->run.count) return;
    if (c->is_stored) end_stored(sim, c);
    else cut_burst(sim, c);
}

// ---- beats ----

// Gets the cycle from which a lane of rill_weight_store offers its next beat: one per cycle, the first one
// CYCLES_STORED after the descriptor. Returns false if there is no descriptor.
static bool stored_beat(const struct sim_client *c, int64_t *at) {
    size_t n = c->taken.count;
    if (c->cut == (int64_t)c->run.count) return false;
    *at = c->run.items[c->cut].at + CYCLES_STORED;
    if (n > 0) *at = at_least(*at, c->taken.items[n - 1] + 1);
    return true;
}

bool client_beat(const struct sim_client *c, int64_t *at) {
    size_t n = c->taken.count;
    if (c->is_stored) return stored_beat(c, at);
    if (n >= c->beat.count) return false;
    *at = c->beat.items[n] + (c->buffer > 2 ? CYCLES_FIFO : CYCLES_FIFO_SHORT);
    if (n) *at = at_least(*at, c->taken.items[n - 1] + 1);
    return true;
}

void client_take(struct sim *sim, struct sim_client *c, int64_t at) {
    VEC_PUSH(sim->arena, c->taken, at);
    client_cut(sim, c);
}

bool client_space(const struct sim_client *c, int64_t *at) {
    int64_t n = (int64_t)c->beat.count;
    *at = n ? c->beat.items[n - 1] + 1 : LONG_AGO;
    return reached(c->taken.items, c->taken.count, n - c->buffer, at);
}

void client_give(struct sim *sim, struct sim_client *c, int64_t at) {
    VEC_PUSH(sim->arena, c->beat, at);
    client_cut(sim, c);
}

bool client_taken(const struct sim_client *c, int64_t *at) {
    size_t n = c->beat.count;
    if (c->taken.count < n) return false;
    *at = n ? c->taken.items[n - 1] : LONG_AGO;
    return true;
}

bool client_written(const struct sim_client *c, int64_t runs, int64_t *at) {
    if (runs == 0) return true;
    if (runs > c->cut) return false;
    return reached(c->over.items, c->over.count, c->run.items[runs - 1].bursts - 1, at);
}

bool client_idle(const struct sim_client *c, int64_t *at) {
    size_t n = c->over.count;
    if (c->cut < (int64_t)c->run.count || (int64_t)n < c->bursts) return false;
    *at = n ? c->over.items[n - 1] + 1 : LONG_AGO;
    return true;
}
