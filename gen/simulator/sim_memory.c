// SPDX-License-Identifier: Apache-2.0
// Timing model of the memory channels: the read arbiter and the write engine of each channel, and the memory itself.
// The memory's timing is that of the memory model (gen/hbm/hbm_bank.c) with the board's figures.
//
// A grant or an access is made only when no kernel can go on. So every request that comes afterwards is a consequence
// of this grant or access, and is later in simulated time.
#include <limits.h>
#include <string.h>

#include "gen/simulator/sim_actor.h"
#include "gen/ir/layout.h"

// ATOM_BYTES: bytes of a native beat, which is one access of the memory model (HBM_ATOM_BYTES). EARLIEST: time 0 of the
// memory model is this many cycles before the lead begins, so that no request has a negative time.
enum { ATOM_BYTES = 32, EARLIEST = 1024 };

// Returns the cycles from time 0 of the memory model to the first step.
static int64_t earliest(const struct timing_memory *figure) { return EARLIEST + figure->lead; }

struct timing_memory timing_memory(const struct ir_design *d) {
    return (struct timing_memory){.figures = &d->hbm, .period_ps = 1e6 / d->clock_mhz, .refreshes = true};
}

void memory_init(struct sim_memory *m, const struct timing_memory *figure, int beat_bits) {
    *m = (struct sim_memory){.figure = *figure, .timing = hbm_timing_of(figure->figures), .beat_bytes = beat_bits / 8};
    hbm_banks_init(&m->banks, &m->timing);
    // The memory is refreshed when its age is a multiple of the interval, first at the age of one interval. age: the
    // memory's age at time 0 of the model, in ps, which may be negative. UINT64_MAX: it is never refreshed.
    int64_t every = (int64_t)m->timing.refresh_interval,
            age = (int64_t)((double)(figure->start - earliest(figure)) * figure->period_ps);
    m->banks.next_refresh = figure->refreshes ? (uint64_t)(every - (age < 0 ? age : age % every)) : UINT64_MAX;
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

// Sets up the write engine of a channel. A beat takes as many of the controller's ids as it has native bursts, but the
// memory accepts a beat as long as one id is left. So `most` is the number of ids divided by the ids of a beat, rounded
// up.
static void open_writes(const struct sim *sim, struct sim_channel *c) {
    struct sim_writes *w = &c->write;
    int writers = 0;
    for (int i = 0; i < sim->ir->clients; i++)
        writers += sim->ir->client[i].is_write && ir_client_on(sim->ir, &sim->ir->client[i], c->index);
    w->alone = writers < 2;
    w->since = -earliest(&sim->options->memory);
    w->buffer = at_most(at_least(ir_write_buffer(sim->ir, c->index), 1), SIM_QUEUE);
    w->most = (c->memory.timing.ids - 1) / hbm_native_bursts(&c->memory.timing, c->memory.beat_bytes) + 1;
}

// Returns the channel with this index. Opens it if it is not open yet.
static struct sim_channel *channel_at(struct sim *sim, int index) {
    for (int c = 0; c < sim->channels; c++)
        if (sim->channel[c].index == index) return &sim->channel[c];
    struct sim_channel *new = &sim->channel[sim->channels++];
    *new = (struct sim_channel){.index = index, .read.last = INT_MAX, .write.last = INT_MAX};
    new->read.free = new->read.beat = -earliest(&sim->options->memory);
    memory_init(&new->memory, &sim->options->memory, sim->ir->design.beat_bits);
    open_writes(sim, new);
    return new;
}

static bool is_loader(const struct ir_client *c) { return c->role == IR_CLIENT_IMAGE; }

// Requests the image's header and the parameters after it in one linear read, once per request. If the parameters are
// on chip, only the header is read. load_beats takes the beats.
static void open_loader(struct sim *sim) {
    const struct ir *ir = sim->ir;
    int64_t bytes = 0, first = 0;
    if (sim->options->step[0].pos > 0) return; // the run begins within a request
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        if (seg->kind == IR_SEG_HEADER) first = seg->offset;
        bool loads = seg->kind == IR_SEG_PARAMS || ir_is_of_store(ir, seg);
        if (seg->kind == IR_SEG_HEADER || (loads && !sim->options->memory.kept))
            bytes += seg->bytes * ir_segment_copies(ir, seg);
    }
    for (int i = 0; i < ir->clients && bytes; i++)
        for (int c = 0; c < sim->channels; c++)
            if (is_loader(&ir->client[i]) && sim->channel[c].index == ir->client[i].channel) {
                sim->loader = client_open_free(sim, i, &sim->channel[c]);
                client_ask(sim, sim->loader, CYCLES_HEADER_ASKED - sim->options->memory.lead, first,
                           div_up(bytes, ir->design.beat_bits / 8));
                return;
            }
}

void memory_open(struct sim *sim) {
    const struct ir *ir = sim->ir;
    sim->engines = ir->engines > 0 ? ir->engines : 1;
    sim->channel = ARENA_ARRAY(sim->arena, struct sim_channel, (size_t)(sim->engines + ir->clients));
    for (int e = 0; e < ir->engines; e++)
        if (!ir_is_resident(&ir->engine[e])) channel_at(sim, ir->engine[e].first_channel);
    if (!ir_has_lanes(ir)) channel_at(sim, 0);
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].channel != IR_NONE && (ir->client[c].kernel != IR_NONE || is_loader(&ir->client[c])))
            channel_at(sim, ir->client[c].channel);
    open_loader(sim);
}

// ---- reads: round-robin turns that begin after the client of the last grant ----

// Returns the client whose turn it is among the clients that have requested an access by cycle `at`, except `without`.
// Returns NULL if there is none. last: index of the client that had the previous turn.
static struct sim_client *choose(const struct sim_waiting *waiting, int last, int64_t at,
                                 const struct sim_client *without) {
    struct sim_client *first = NULL, *later = NULL;
    for (size_t i = 0; i < waiting->client.count; i++) {
        struct sim_client *client = waiting->client.items[i];
        if (waiting->client.items[i] == without || client->at > at) continue;
        if (!first || client->index < first->index) first = client;
        if (client->index > last && (!later || client->index < later->index)) later = client;
    }
    return later ? later : first;
}

// Returns the first cycle in which a client, except `without`, requests an access, or INT64_MAX if none does.
static int64_t first_asks(const struct sim_waiting *waiting, const struct sim_client *without) {
    int64_t at = INT64_MAX;
    for (size_t i = 0; i < waiting->client.count; i++)
        if (waiting->client.items[i] != without) at = at_most(at, waiting->client.items[i]->at);
    return at;
}

// Returns the number of bursts that must be over before the memory takes another one, because the memory holds a
// limited number of bursts, and its controller has a limited number of ids (hbm_timing.ids).
static int64_t due(const struct sim_channel *c) {
    const struct sim_reads *side = &c->read;
    int64_t over = side->ended, ids = side->ids;
    while (over < side->bursts && (side->bursts - over >= SIM_QUEUE || ids >= c->memory.timing.ids))
        ids -= side->taken[over++ % SIM_QUEUE];
    return over;
}

// Returns the cycle of the next grant, or INT64_MAX if no client requests an access or the arbiter's register is full.
static int64_t next_grant(const struct sim_channel *c) {
    int64_t at = c->read.held.client ? INT64_MAX : first_asks(&c->read.waiting, NULL);
    return at == INT64_MAX ? at : at_least(at, c->read.free);
}

// Notes that the granted burst, or beat to write, has left its client.
static void granted(struct sim *sim, struct sim_waiting *waiting, struct sim_client *client, int64_t at) {
    struct sim_client **all = waiting->client.items;
    size_t i = 0;
    while (all[i] != client) i++;
    all[i] = all[--waiting->client.count];
    sim->beats += client->beats;
    client->waits = false;
    client->granted_before = client->granted;
    client->granted = at;
    client->address += client->beats * client->channel->memory.beat_bytes;
    client_cut(sim, client);
}

// Grants the burst of the client whose turn it is. The memory takes the burst when it has a place and ids for it.
static void grant(struct sim *sim, struct sim_channel *c, int64_t at) {
    struct sim_reads *side = &c->read;
    struct sim_client *client = choose(&side->waiting, side->last, at, NULL);
    side->last = client->index;
    side->free = at + 1; // the memory takes the burst when there is room
    for (int64_t end = due(c); side->ended < end; side->ended++) {
        side->free = at_least(side->free, side->over[side->ended % SIM_QUEUE]);
        side->ids -= side->taken[side->ended % SIM_QUEUE];
    }
    int ids = hbm_native_bursts(&c->memory.timing, client->beats * c->memory.beat_bytes);
    side->taken[side->bursts % SIM_QUEUE] = ids;
    side->ids += ids;
    side->held = (struct sim_access){side->free, client->address, client->beats, client};
    granted(sim, &side->waiting, client, at);
}

// Takes the beats of the loader. rill_image_header compares the header before it passes on the parameters.
// rill_param_loader takes several cycles per beat, one for each piece of it.
static void load_beats(struct sim *sim, struct sim_client *loader) {
    for (int64_t beat; client_beat(loader, &beat);) {
        if (loader->taken.count == 1) beat = at_least(beat, loader->taken.items[0] + CYCLES_HEADER);
        if (loader->taken.count) beat += layout_load_pieces(&sim->ir->design) - 1;
        client_take(sim, loader, beat);
    }
}

// Lets the memory take the burst in the arbiter's register (sim_reads.held). Its beats arrive at the client, at most
// one per cycle.
static void access_read(struct sim *sim, struct sim_channel *c, int64_t at) {
    struct sim_reads *side = &c->read;
    struct sim_access a = side->held;
    side->held.client = NULL;
    for (int64_t b = 0; b < a.beats; b++) {
        uint64_t time = memory_beat(&c->memory, at, a.address + b * c->memory.beat_bytes, false);
        side->beat = at_least(memory_cycle(&c->memory, time + c->memory.timing.latency), side->beat) + 1;
        VEC_PUSH(sim->arena, a.client->beat, side->beat + CYCLES_READ_REGISTER); // one beat at a time passes the port
    }
    side->over[side->bursts++ % SIM_QUEUE] = side->beat;
    VEC_PUSH(sim->arena, a.client->over, side->beat + CYCLES_READ_REGISTER);
    client_cut(sim, a.client);
    if (a.client == sim->loader) load_beats(sim, a.client);
    sim_wake(sim, a.client->kernel);
}

// ---- writes: the turn passes after a descriptor's last beat, or if its client has no beat and another client has ----

// Raises *at to the first cycle in which the write engine can take a beat: its buffer of beats and its buffer of two
// addresses have a place, and fewer than IR_WRITES_OPEN beats wait for a response. Returns false while this is not
// known.
static bool write_space(const struct sim_writes *w, int64_t *at) {
    enum { ADDRESSES = 2 }; // the buffer of addresses in front of the memory
    int64_t n = w->taken, sent = n - w->buffer, addressed = n - ADDRESSES, answered = n - IR_WRITES_OPEN;
    if (at_least(sent, addressed) >= w->addressed || answered >= w->answered) return false;
    if (n) *at = at_least(*at, w->taken_at[(n - 1) % SIM_QUEUE] + 1);
    if (sent >= 0) *at = at_least(*at, w->sent_at[sent % SIM_QUEUE] + 1);
    if (addressed >= 0) *at = at_least(*at, w->addressed_at[addressed % SIM_QUEUE] + 1);
    if (answered >= 0) *at = at_least(*at, w->answered_at[answered % SIM_QUEUE] + 1);
    return true;
}

// Returns the cycle in which the next beat enters the buffer, or, with *passes set, in which the turn passes without a
// beat. Returns INT64_MAX if no client has a beat, or if it is not known when there is room.
static int64_t next_write(const struct sim_channel *c, bool *passes) {
    const struct sim_writes *w = &c->write;
    const struct sim_client *turn = w->turn;
    int64_t others = first_asks(&w->waiting, turn), at = turn && turn->waits ? at_least(turn->at, w->since) : INT64_MAX;
    if (others != INT64_MAX) others = at_least(others, w->since);
    *passes = others < at;
    if (*passes) return others;
    return at < INT64_MAX && write_space(w, &at) ? at : INT64_MAX;
}

// Passes the turn to the next client that waits. If no other client waits, the turn stays.
static void pass_turn(struct sim *sim, struct sim_channel *c, int64_t at) {
    (void)sim;
    struct sim_writes *w = &c->write;
    struct sim_client *next = choose(&w->waiting, w->last, at, w->turn);
    if (!next) return;
    w->turn = next;
    w->last = next->index;
    w->since = w->alone ? at : at + 1;
}

// Sends addresses while the memory has ids, and after each address its beat. If the memory has ids for fewer than
// IR_WRITES_OPEN beats, an address waits for the response that frees ids. Otherwise write_space has already waited.
static void send_writes(struct sim *sim, struct sim_channel *c) {
    struct sim_writes *w = &c->write;
    for (int64_t n; (n = w->addressed) < w->taken && n - w->most < w->answered; w->addressed++) {
        int64_t at = w->taken_at[n % SIM_QUEUE] + 1, *sent = &w->sent_at[n % SIM_QUEUE];
        if (n) at = at_least(at, w->addressed_at[(n - 1) % SIM_QUEUE] + 1);
        if (n >= w->most && w->most < IR_WRITES_OPEN) at = at_least(at, w->answered_at[(n - w->most) % SIM_QUEUE]);
        w->addressed_at[n % SIM_QUEUE] = at;
        *sent = n ? at_least(at, w->sent_at[(n - 1) % SIM_QUEUE]) + 1 : at + 1;
        w->held[n % SIM_QUEUE].at = *sent;
        VEC_PUSH(sim->arena, c->access, w->held[n % SIM_QUEUE]);
    }
}

// Lets the write engine take a beat. The turn passes with the last beat of a descriptor.
static void take_write(struct sim *sim, struct sim_channel *c, int64_t at) {
    struct sim_writes *w = &c->write;
    struct sim_client *client = w->turn;
    VEC_PUSH(sim->arena, client->taken, at);
    w->taken_at[w->taken % SIM_QUEUE] = at;
    w->held[w->taken++ % SIM_QUEUE] = (struct sim_access){0, client->address, client->beats, client};
    if (!client->left) pass_turn(sim, c, at);
    granted(sim, &w->waiting, client, at);
    sim_wake(sim, client->kernel);
    send_writes(sim, c);
}

// Lets a written beat reach the banks. Responses come in the order of the beats. The engine sees a response one cycle
// later (++at).
static void access_write(struct sim *sim, struct sim_channel *c, int64_t arrival) {
    struct sim_access a = c->access.items[c->accessed++];
    struct sim_writes *w = &c->write;
    uint64_t time = memory_beat(&c->memory, arrival, a.address, true) + c->memory.timing.write_response;
    int64_t at = at_least(memory_cycle(&c->memory, time), arrival + 1);
    if (w->answered) at = at_least(at, w->answered_at[(w->answered - 1) % SIM_QUEUE]);
    w->answered_at[w->answered++ % SIM_QUEUE] = ++at;
    VEC_PUSH(sim->arena, a.client->over, at);
    send_writes(sim, c);
    if (a.client->counted) sim_wake_all(sim, TIMING_ENGINE);
    if ((int64_t)a.client->over.count == a.client->bursts) sim_wake(sim, a.client->kernel);
}

// ---- events in the order of their times ----

// Finds the next event of a channel. In the same cycle, the access of a write precedes that of a read, as in
// verif/model/rill_axi_memory.sv.
static void find_next(struct sim_channel *c) {
    bool passes;
    int64_t grants = next_grant(c), write = next_write(c, &passes);
    c->known = true;
    c->next = INT64_MAX;
    if (c->accessed < c->access.count) c->next = c->access.items[c->accessed].at, c->what = access_write;
    if (c->read.held.client && c->read.held.at < c->next) c->next = c->read.held.at, c->what = access_read;
    if (grants < c->next) c->next = grants, c->what = grant;
    if (write < c->next) c->next = write, c->what = passes ? pass_turn : take_write;
}

bool memory_serve_one(struct sim *sim) {
    struct sim_channel *best = NULL;
    for (struct sim_channel *c = sim->channel; c < sim->channel + sim->channels; c++) {
        if (!c->known) find_next(c);
        if (c->next < (best ? best->next : INT64_MAX)) best = c;
    }
    if (!best) return false;
    best->known = false;
    best->what(sim, best, best->next);
    return true;
}
