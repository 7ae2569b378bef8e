// SPDX-License-Identifier: Apache-2.0
// Walks through static schedules, and fetches from them the turns of multiplexers and demultiplexers. A turn is an
// entry that names the port of the next firing.
#include "gen/kernel/kernel.h"
#include "gen/simulator/sim_actor.h"

// ---- schedules, in the tables of schedule_table.c ----

bool sim_schedule_read(struct sim *sim, const struct actor *a, int entry_bits, struct schedule_table *s) {
    if (!schedule_read(sim->arena, a->k, entry_bits, s)) return false;
    for (int i = 0; i < s->sections; i++) s->section[i].repeat = sim_repeats(sim, s->section[i].repeat);
    return true;
}

// Returns whether the section at the walk's place has entries in the walk's step.
static bool section_runs(const struct sim *sim, const struct schedule_table *s, const struct sim_walk *w) {
    const struct schedule_run *c = &s->section[w->section];
    return c->length && c->repeat && (sim->options->step[w->step].head || !c->when_head);
}

// Advances to the first entry that this step uses. A step of one token skips the entries marked `many`. The last entry
// of a section is never marked (schedule_table.c), so the search ends in the section.
static void pass_over(const struct sim *sim, const struct schedule_table *s, struct sim_walk *w) {
    if (!s->many || w->step >= sim->options->steps || sim->options->step[w->step].ntok != 1) return;
    for (; s->many[s->section[w->section].first + w->index]; w->index++) w->left_out++;
}

// Advances to the first section that runs, in this step or a later one. Returns whether the step changed.
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

struct timing_part sim_walk_part(const struct sim *sim, const struct schedule_table *s, const struct sim_walk *w) {
    const struct timing_step *step = &sim->options->step[w->step];
    if (s->part && s->part[s->section[w->section].first + w->index]) return timing_part(step, w->part);
    return (struct timing_part){.pos = step->pos, .ntok = step->ntok, .head = step->head};
}

// At the end of consecutive entries that are walked for each part, goes back to the first of them if the step has
// another part, and returns true. Returns false elsewhere.
static bool next_part(const struct sim *sim, const struct schedule_table *s, struct sim_walk *w) {
    const struct schedule_run *c = &s->section[w->section];
    const uint8_t *part = s->part ? s->part + c->first : NULL;
    if (!part || !part[w->index] || (w->index + 1 < c->length && part[w->index + 1])) return false;
    if (++w->part == timing_parts(&sim->options->step[w->step])) return w->part = 0, false;
    while (w->index > 0 && part[w->index - 1]) w->index--;
    return true;
}

bool sim_walk_next(const struct sim *sim, const struct schedule_table *s, struct sim_walk *w) {
    const struct schedule_run *c = &s->section[w->section];
    w->left_out = 0;
    if (next_part(sim, s, w)) return false;
    if (++w->index == c->length) {
        w->index = 0;
        if (++w->repeat == c->repeat) w->repeat = 0, w->section++;
    }
    return settle(sim, s, w);
}

// ---- turns: a step word is taken when all entries of the previous step have been fetched ----

enum { TURNS_AHEAD = 6 /* turns that rill_turns prefetches */ };

bool turns_init(struct sim *sim, struct actor *a, struct sim_turns *t) {
    t->steps = sim_in(sim, a, IR_ROLE_STEP);
    edge_init(&t->ahead, TURNS_AHEAD, IR_NONE, IR_NONE);
    return t->steps && sim_schedule_read(sim, a, STEER_BITS, &t->schedule);
}

// Puts the next turn into the FIFO, and takes the step word before the first turn of a step. Returns false while the
// turn's cycle is not known, or after the last turn.
static bool fetch_turn(struct sim *sim, struct sim_turns *t) {
    int64_t entry, room;
    if (!edge_room(&t->ahead, &room) || !sim_walk_entry(sim, &t->schedule, &t->fetch, &entry)) return false;
    if (!t->inside) {
        while (t->steps->takes <= t->fetch.step) { // skips steps that have no entry in this schedule
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

bool turns_read(struct sim *sim, struct sim_turns *t) {
    int64_t entry;
    if (!edge_waiting(&t->ahead) || !sim_walk_entry(sim, &t->schedule, &t->walk, &entry)) return false;
    t->since = edge_avail(&t->ahead);
    t->turn = schedule_at(&t->schedule, entry, STEER_PORT);
    return t->known = true;
}

void turns_done(struct sim *sim, struct sim_turns *t, int64_t at) {
    edge_take(sim, &t->ahead, at);
    sim_walk_next(sim, &t->schedule, &t->walk);
    t->known = false;
    turns_fetch(sim, t);
}
