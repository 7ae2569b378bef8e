// SPDX-License-Identifier: Apache-2.0
// Kernels that steer, keep or repeat words: fork, multiplexer, demultiplexer, selection, replay, parameter store,
// sinks. And the static schedules they follow.
#include <stdlib.h>
#include <string.h>

#include "gen/simulator/machines.h"
#include "gen/kernel/kernel.h"

// ---- schedules: the tables of schedule_table.c ----

bool sim_schedule_read(struct sim *sim, const struct actor *a, int entry_bits, struct schedule_table *s) {
    if (!schedule_read(sim->arena, a->k, entry_bits, s)) return false;
    for (int i = 0; i < s->sections; i++) s->section[i].repeat = sim_repeats(sim, s->section[i].repeat);
    return true;
}

static bool section_runs(const struct sim *sim, const struct schedule_table *s, const struct sim_walk *w) {
    const struct schedule_run *c = &s->section[w->section];
    return c->length && c->repeat && (sim->options->step[w->step].head || !c->when_head);
}

// Goes to the first entry that the step has; the last one of a section is always there.
static void pass_over(const struct sim *sim, const struct schedule_table *s, struct sim_walk *w) {
    if (!s->many || w->step >= sim->options->steps || sim->options->step[w->step].ntok != 1) return;
    for (; s->many[s->section[w->section].first + w->index]; w->index++) w->left_out++;
}

// Goes to the first section that runs, in this step or a later one. True if the step changed.
static bool settle(const struct sim *sim, const struct schedule_table *s, struct sim_walk *w) {
    bool changed = false;
    while (w->step < sim->options->steps && (w->section == s->sections || !section_runs(sim, s, w))) {
        w->repeat = w->index = 0;
        if (w->section < s->sections) w->section++;
        else w->section = 0, w->step++, changed = true;
    }
    pass_over(sim, s, w);
    return changed;
}

bool sim_walk_entry(const struct sim *sim, const struct schedule_table *s, struct sim_walk *w, int64_t *entry) {
    settle(sim, s, w);
    if (w->step >= sim->options->steps) return false;
    *entry = s->section[w->section].first + w->index;
    return true;
}

bool sim_walk_next(const struct sim *sim, const struct schedule_table *s, struct sim_walk *w) {
    const struct schedule_run *c = &s->section[w->section];
    w->left_out = 0;
    if (++w->index == c->length) {
        w->index = 0;
        if (++w->repeat == c->repeat) w->repeat = 0, w->section++;
    }
    return settle(sim, s, w);
}

// ---- turns: a step is taken when the entries of the one before are out; its entries follow ----

enum { TURNS_AHEAD = 6 };

bool turns_init(struct sim *sim, struct actor *a, struct sim_turns *t) {
    t->steps = sim_in(sim, a, IR_ROLE_STEP);
    edge_init(&t->ahead, TURNS_AHEAD, IR_NONE, IR_NONE);
    return t->steps && sim_schedule_read(sim, a, STEER_BITS, &t->schedule);
}

static bool fetch_turn(struct sim *sim, struct sim_turns *t) {
    int64_t entry, room;
    if (!edge_room(&t->ahead, &room) || !sim_walk_entry(sim, &t->schedule, &t->fetch, &entry)) return false;
    if (!t->inside) {
        while (t->steps->takes <= t->fetch.step) { // steps without an entry of this schedule are swallowed on the way
            if (!edge_waiting(t->steps)) return false;
            int64_t at = at_least(edge_avail(t->steps), t->ready);
            edge_take(sim, t->steps, at);
            t->ready = at + CYCLES_SCHEDULE + CYCLES_TURNS;
        }
        t->inside = true;
    }
    int64_t offer = t->ready + t->fetch.left_out, at = at_least(offer, room);
    edge_put(sim, &t->ahead, offer, at, 0);
    t->ready = at + 1;
    t->inside = !sim_walk_next(sim, &t->schedule, &t->fetch);
    return true;
}

void turns_fetch(struct sim *sim, struct sim_turns *t) {
    while (fetch_turn(sim, t)) continue;
}

bool turns_present(struct sim *sim, struct sim_turns *t, int64_t *turn, int64_t *from) {
    int64_t entry;
    if (!t->known) {
        if (!edge_waiting(&t->ahead) || !sim_walk_entry(sim, &t->schedule, &t->walk, &entry)) return false;
        t->since = edge_avail(&t->ahead);
        t->turn = schedule_at(&t->schedule, entry, STEER_PORT);
        t->known = true;
    }
    *from = at_least(*from, t->since);
    *turn = t->turn;
    return true;
}

void turns_done(struct sim *sim, struct sim_turns *t, int64_t at) {
    edge_take(sim, &t->ahead, at);
    sim_walk_next(sim, &t->schedule, &t->walk);
    t->known = false;
    turns_fetch(sim, t);
}

// ---- fork ----

struct fork {
    struct sim_edge *in, **out;
    int ports;
    bool *has;   // the present word
    int64_t all; // cycle in which the last reader took it
};

bool sim_fork_init(struct sim *sim, struct actor *a) {
    struct fork *f = a->state = ARENA_NEW(sim->arena, struct fork);
    int64_t ports = kernel_ports(a->k);
    if (ports < 1 || ports > a->k->ports) return false;
    f->ports = (int)ports;
    f->out = ARENA_ARRAY(sim->arena, struct sim_edge *, (size_t)ports);
    f->has = ARENA_ARRAY(sim->arena, bool, (size_t)ports);
    f->in = sim_lane(sim, a, false, IR_NONE);
    bool whole = f->in != NULL;
    for (int p = 0; p < f->ports; p++) {
        f->out[p] = sim_lane(sim, a, true, p);
        whole &= f->out[p] != NULL;
    }
    return whole;
}

void sim_fork_run(struct sim *sim, struct actor *a) {
    struct fork *f = a->state;
    while (edge_waiting(f->in)) {
        int64_t from = edge_avail(f->in), room;
        uint8_t mark = edge_mark(f->in);
        bool all = true;
        for (int p = 0; p < f->ports; p++) {
            if (!f->has[p] && edge_room(f->out[p], &room)) {
                int64_t at = at_least(from, room);
                edge_put(sim, f->out[p], from, at, mark);
                f->has[p] = true;
                f->all = at_least(f->all, at);
            }
            all &= f->has[p];
        }
        if (!all) return;
        edge_take(sim, f->in, at_least(f->all, from));
        memset(f->has, 0, (size_t)f->ports * sizeof *f->has);
    }
}

// ---- multiplexer and demultiplexer ----

struct steer {
    struct sim_turns turns;
    struct sim_edge *in[256], *out[256];
    int64_t ports;
};

bool sim_steer_init(struct sim *sim, struct actor *a) {
    struct steer *s = a->state = ARENA_NEW(sim->arena, struct steer);
    bool mux = a->c.machine == TIMING_MUX;
    for (int p = 0; p < STEER_PORT_DROP; p++) {
        s->in[p] = mux ? sim_lane(sim, a, false, p) : sim_lane(sim, a, false, IR_NONE);
        s->out[p] = mux ? sim_lane(sim, a, true, IR_NONE) : sim_lane(sim, a, true, p);
    }
    s->in[STEER_PORT_DROP] = mux ? NULL : s->in[0];
    return turns_init(sim, a, &s->turns);
}

void sim_steer_run(struct sim *sim, struct actor *a) {
    struct steer *s = a->state;
    turns_fetch(sim, &s->turns);
    for (;;) {
        int64_t turn, from = 0, room = 0;
        if (!turns_present(sim, &s->turns, &turn, &from)) return;
        struct sim_edge *in = s->in[turn], *out = turn == STEER_PORT_DROP ? NULL : s->out[turn];
        if (!in || (turn != STEER_PORT_DROP && !out) || !edge_waiting(in) || (out && !edge_room(out, &room))) return;
        from = at_least(from, edge_avail(in));
        int64_t at = at_least(from, room);
        uint8_t mark = edge_mark(in);
        if (out) edge_put(sim, out, from, at, mark);
        edge_take(sim, in, at);
        if (mark & MARK_LAST) turns_done(sim, &s->turns, at);
    }
}

// ---- the last token ----

struct selection {
    struct sim_edge *in, *out, *step;
};

bool sim_select_init(struct sim *sim, struct actor *a) {
    struct selection *s = a->state = ARENA_NEW(sim->arena, struct selection);
    *s = (struct selection){sim_lane(sim, a, false, IR_NONE), sim_lane(sim, a, true, IR_NONE),
                            sim_in(sim, a, IR_ROLE_STEP)};
    return s->in && s->out && s->step;
}

void sim_select_run(struct sim *sim, struct actor *a) {
    struct selection *s = a->state;
    while (edge_waiting(s->in) && edge_waiting(s->step)) {
        uint8_t mark = edge_mark(s->in);
        bool keep = sim->options->step[s->step->takes].head && mark & MARK_TOK_LAST;
        int64_t from = at_least(edge_avail(s->in), edge_avail(s->step)), room = 0;
        if (keep && !edge_room(s->out, &room)) return;
        int64_t at = at_least(from, room);
        if (keep) edge_put(sim, s->out, from, at, (mark & MARK_LAST) | MARK_TOK_LAST);
        edge_take(sim, s->in, at);
        if (mark & MARK_LAST) edge_take(sim, s->step, at);
    }
}

// ---- replay buffer, head replay: whole groups ----

struct kept {
    struct sim_edge *in, *out;
    VEC(uint8_t) mark; // of the group that comes in
    uint8_t *full[2];  // marks of the groups that are held
    int64_t words[2], ready[2], released[2];
    int64_t filled, emptied; // groups
    int64_t next, pass, last_in, sent;
};

bool sim_kept_init(struct sim *sim, struct actor *a) {
    struct kept *r = a->state = ARENA_NEW(sim->arena, struct kept);
    r->in = sim_lane(sim, a, false, IR_NONE);
    r->out = sim_lane(sim, a, true, IR_NONE);
    r->last_in = r->sent = -1;
    return r->in && r->out;
}

// A head ends with the last unit of the last token, a firing with tlast.
static bool group_ends(const struct actor *a, const struct kept *r, uint8_t mark) {
    if (a->c.replay.units == 0) return mark & MARK_LAST;
    return mark & MARK_TOK_LAST && (int64_t)r->mark.count % a->c.replay.units == 0;
}

static bool kept_in(struct sim *sim, struct actor *a, struct kept *r) {
    int64_t banks = a->c.replay.banks, slot = r->filled % banks;
    if (!edge_waiting(r->in) || r->filled - r->emptied >= banks) return false;
    int64_t at = at_least(at_least(edge_avail(r->in), r->last_in + 1), r->released[slot]);
    uint8_t mark = edge_mark(r->in);
    edge_take(sim, r->in, at);
    r->last_in = at;
    VEC_PUSH(sim->arena, r->mark, mark);
    if (!group_ends(a, r, mark)) return true;
    r->full[slot] = r->mark.items;
    r->words[slot] = (int64_t)r->mark.count;
    r->ready[slot] = at + a->c.replay.ready;
    r->mark.items = NULL;
    r->mark.count = r->mark.capacity = 0;
    r->filled++;
    return true;
}

static bool kept_out(struct sim *sim, struct actor *a, struct kept *r) {
    int64_t slot = r->emptied % a->c.replay.banks, room;
    if (r->emptied == r->filled || !edge_room(r->out, &room)) return false;
    int64_t fetch = at_least(r->ready[slot], r->sent), words = r->words[slot];
    uint8_t mark = r->full[slot][r->next];
    if (a->c.replay.units && r->next == words - 1) mark |= MARK_LAST;
    else if (a->c.replay.units) mark &= (uint8_t)~MARK_LAST;
    r->sent = at_least(fetch + a->c.stages, room);
    edge_put(sim, r->out, fetch + a->c.stages, r->sent, mark);
    if (++r->next < words) return true;
    r->next = 0;
    int64_t heads = r->full[slot][0] & MARK_TOK_LAST ? at_least(a->c.replay.together, 1) : 1;
    if (++r->pass < at_least(a->c.replay.times / heads, 1)) return true;
    r->pass = 0;
    r->released[slot] = fetch + a->c.replay.release;
    r->emptied++;
    return true;
}

void sim_kept_run(struct sim *sim, struct actor *a) {
    struct kept *r = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (kept_in(sim, a, r)) moved = true;
        while (kept_out(sim, a, r)) moved = true;
    }
}

// ---- parameters and sinks ----

void sim_store_run(struct sim *sim, struct actor *a) {
    int64_t room;
    struct sim_edge *out = sim_out(sim, a, IR_ROLE_PARAM);
    while (out && edge_room(out, &room)) edge_put(sim, out, room, room, MARK_TOK_LAST);
}

void sim_sink_run(struct sim *sim, struct actor *a) {
    for (int p = 0; p < a->k->ports; p++) {
        if (a->k->port[p].is_output || a->k->port[p].edge == IR_NONE) continue;
        struct sim_edge *in = &sim->edge[a->k->port[p].edge];
        while (edge_waiting(in)) edge_take(sim, in, edge_avail(in));
    }
}
