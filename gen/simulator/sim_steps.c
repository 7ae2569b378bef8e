// SPDX-License-Identifier: Apache-2.0
// Models what a custom kernel waits for in addition to its operands: the word of its step, and the rows of its table in
// memory.
#include "gen/kernel/kernel.h"
#include "gen/simulator/machines.h"

// ---- rows of a table ----

// Opens the table of a kernel that reads one. Returns false if the kernel's table cannot be simulated.
static bool table_init(struct sim *sim, const struct actor *a, struct sim_table *t) {
    const struct ir_attrs *attrs = &sim->ir->node[a->k->node].attrs;
    if (!kernel_is(a->k, KERNEL_FETCH)) return true;
    t->client = client_open(sim, a, false);
    struct kernel_table table = kernel_table(a->k);
    t->offset = table.offset;
    t->stride = table.stride;
    t->rows = at_least(ir_attr_int(attrs, "rows", 1), 1);
    t->row_bytes = timing_table(&a->c)->beats * sim->ir->design.beat_bits / 8;
    return t->client && timing_table(&a->c)->beats > 0;
}

// Begins a firing: its rows may be requested some cycles after `at`.
static void table_begin(const struct actor *a, struct sim_table *t, int64_t firing, int64_t at) {
    t->firing = firing;
    t->asked = t->beats = 0;
    t->from = at + timing_table(&a->c)->ask;
}

// Returns the number of rows of a firing. A kernel that runs only for a step's last position reads only that position's
// row.
static int rows_of(const struct sim_steps *s, const struct timing_step *step) { return s->when_last ? 1 : step->ntok; }

// Requests the next row of the firing. Returns false if none is left, or if the cycle of the request is not known.
static bool ask_row(struct sim *sim, const struct actor *a, struct sim_steps *s, const struct timing_step *step) {
    struct sim_table *t = &s->table;
    int64_t room, first = step->pos + step->ntok - rows_of(s, step), row = (first + t->asked) % t->rows;
    if (t->asked == rows_of(s, step) || !client_room(t->client, &room)) return false;
    int64_t at = at_least(t->from, room);
    client_ask(sim, t->client, at, t->offset + t->firing * t->stride + row * t->row_bytes, timing_table(&a->c)->beats);
    t->from = at + timing_table(&a->c)->ask_next;
    t->asked++;
    return true;
}

// Takes the next beat of the requested rows. Returns false if none is left or has arrived.
static bool take_beat(struct sim *sim, const struct actor *a, struct sim_table *t) {
    int64_t at;
    if (t->beats == t->asked * timing_table(&a->c)->beats || !client_beat(t->client, &at)) return false;
    client_take(sim, t->client, at);
    t->beats++;
    t->held = at + timing_table(&a->c)->held;
    return true;
}

// Requests and takes rows of the firing as far as their times are known. Returns whether all have arrived.
static bool table_wait(struct sim *sim, const struct actor *a, struct sim_steps *s) {
    const struct timing_step *step = &sim->options->step[s->edge->takes]; // a word was taken for each earlier step
    if (!s->table.client) return true;
    while (ask_row(sim, a, s, step) || take_beat(sim, a, &s->table)) continue;
    return s->table.beats == rows_of(s, step) * timing_table(&a->c)->beats;
}

// ---- step words ----

bool sim_steps_init(struct sim *sim, const struct actor *a, struct sim_steps *s) {
    *s = (struct sim_steps){.last = -1};
    if (!kernel_of(a->k)->custom || !kernel_is(a->k, KERNEL_STEP)) return true;
    const struct ir_region *r = &sim->ir->region[sim->ir->node[a->k->node].region];
    s->edge = sim_in(sim, a, IR_ROLE_STEP);
    s->firings = sim_repeats(sim, r->repeat);
    s->when_last = r->when == IR_LAST;
    return s->edge && s->firings > 0 && table_init(sim, a, &s->table);
}

static void take_step(struct sim *sim, struct sim_steps *s, int64_t at) {
    s->last = at;
    edge_take(sim, s->edge, at);
}

// Finds the next step in which the kernel has a firing. Takes the words of steps without a firing when they arrive.
// Returns false while the next step word has not arrived.
static bool find_step(struct sim *sim, const struct actor *a, struct sim_steps *s) {
    while (!s->left) {
        if (!edge_waiting(s->edge)) return false;
        int64_t at = at_least(edge_avail(s->edge), s->last + 1);
        if (s->when_last && !sim->options->step[s->edge->takes].head) {
            take_step(sim, s, at);
            continue;
        }
        s->left = s->firings;
        table_begin(a, &s->table, 0, at);
    }
    return true;
}

bool sim_steps_wait(struct sim *sim, const struct actor *a, struct sim_steps *s, int64_t *from) {
    if (!s->edge) return true;
    if (!find_step(sim, a, s) || !table_wait(sim, a, s)) return false;
    *from = at_least(*from, at_least(edge_avail(s->edge), s->last + 1));
    if (s->table.client) *from = at_least(*from, s->table.held);
    return true;
}

void sim_steps_fired(struct sim *sim, const struct actor *a, struct sim_steps *s, int64_t at) {
    if (!s->edge) return;
    if (--s->left == 0) take_step(sim, s, at);
    else table_begin(a, &s->table, s->firings - s->left, at);
}
