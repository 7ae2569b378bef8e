// SPDX-License-Identifier: Apache-2.0
// Timing model of kernels that gather groups of rows in banks and read them while the next groups arrive
// (TIMING_BANKS). Softmax has a stream of scalars in addition (TIMING_SOFTMAX).
#include "gen/kernel/kernel.h"
#include "gen/simulator/machine_inputs.h"
#include "gen/simulator/machines.h"

struct group {            // rows that one bank gathers
    int64_t rows, tokens; // rows, and words of a row
    int64_t words;        // words of all rows
    int64_t ready;        // cycle from which the group can be read
    int64_t released;     // cycle in which its bank is free again; negative: not known yet
    bool last;            // the group ended a firing of the input
};
// An input that has one firing for each firing of the output. Each of its firings is stored as a whole.
struct held {
    struct sim_edge *edge;        // NULL: none
    int64_t last;                 // cycle of the last word taken
    VEC(int64_t) ready, released; // per firing: cycle from which it can be read, and cycle in which its place is free
};
struct owed { // a scalar that must follow output word number `word`
    int64_t word;
    bool last_token;
};
struct bank {
    struct inputs in;     // the inputs that are gathered in banks
    struct inputs beside; // the inputs whose words are taken one by one while a group is read
    struct held held;
    struct sim_edge *out, *scalar, *step; // scalar, step: only of softmax
    struct stage stage;
    VEC(struct group) group;
    int64_t reading;            // index of the group that is read
    int64_t rows, tokens, last; // the group that arrives: its rows and words of a row so far; cycle of the last word
    int64_t words, in_all;      // words of the group that arrives, and of all groups, so far
    int64_t freed, freed_words; // groups whose places were given to later words, and the words of these groups
    int64_t room_from;          // cycle from which the place of the last freed group was free
    int64_t row, token, next;   // place of the next word to be read; next: first cycle in which it can be read
    int64_t fired;              // groups of the present output firing that were read so far
    bool odd;                   // the earlier groups of the output firing have an odd number of units (see needs_pad)
    int64_t started;            // softmax: scalars for which room is reserved
    int64_t waiting;            // softmax: scalars of earlier firings that can wait when a firing begins
    VEC(struct owed) owed;      // softmax: all scalars so far; the first `paid` of them were sent
    int64_t paid;
    int64_t steps; // softmax: firings of the present step that are still to arrive
};

bool sim_bank_init(struct sim *sim, struct actor *a) {
    struct bank *b = a->state = ARENA_NEW(sim->arena, struct bank);
    struct inputs all;
    inputs_init(sim, a, &all);
    // Parameters and value scales are taken with the words read, key scales with the words gathered.
    for (int i = 0; i < all.count; i++) {
        if (all.need[i] == TIMING_HELD) {
            b->held.edge = all.edge[i];
            continue;
        }
        bool gathered = i == 0 || (a->c.machine == TIMING_SOFTMAX && all.edge[i] == sim_in(sim, a, IR_ROLE_K_SCALE));
        struct inputs *to = gathered ? &b->in : &b->beside;
        to->need[to->count] = all.need[i];
        to->edge[to->count++] = all.edge[i];
    }
    b->out = a->c.machine == TIMING_SOFTMAX ? sim_out(sim, a, IR_ROLE_P) : only_output(sim, a);
    b->scalar = a->c.machine == TIMING_SOFTMAX ? sim_out(sim, a, IR_ROLE_INVERSE) : NULL;
    b->step = a->c.machine == TIMING_SOFTMAX ? sim_in(sim, a, IR_ROLE_STEP) : NULL;
    b->last = b->held.last = -1;
    if (b->scalar) b->waiting = (a->c.banks.softmax.kept - 1) * kernel_tokens(a->k);
    stage_init(sim, &b->stage, a->c.stages);
    return b->in.count && b->out && (a->c.machine != TIMING_SOFTMAX || (b->scalar && b->step));
}

// Takes softmax's step word before the first firing of a step, when the last firing of the previous step has arrived.
// Raises *from to the cycle after the step word. In a step of one token, a firing has `together` heads. Returns false
// if the step word has not arrived. Other kernels have no step word.
static bool step_ready(struct sim *sim, struct actor *a, struct bank *b, int64_t *from) {
    if (!b->step) return true;
    if (b->steps == 0) {
        if (!edge_waiting(b->step)) return false;
        int64_t at = at_least(edge_avail(b->step), b->last + 1);
        edge_take(sim, b->step, at);
        *from = at_least(*from, at + 1);
        const struct timing_step *step = &sim->options->step[b->step->takes - 1];
        b->steps = a->c.banks.softmax.heads * a->c.banks.softmax.layers * timing_parts(step) /
                   (step->ntok == 1 ? at_least(a->c.banks.softmax.together, 1) : 1);
    }
    return true;
}

// Returns whether the storage that all groups share has room for another word, and raises *from to the first cycle with
// room. To find room, frees the words of released groups, oldest first.
static bool bank_room(const struct actor *a, struct bank *b, int64_t *from) {
    while (a->c.banks.room && b->in_all - b->freed_words >= a->c.banks.room) {
        const struct group *g = &b->group.items[b->freed];
        if (b->freed == (int64_t)b->group.count || g->released < 0) return false;
        b->room_from = g->released - a->c.banks.enter;
        b->freed_words += g->words;
        b->freed++;
    }
    *from = at_least(*from, b->room_from);
    return true;
}

// Takes the next word to gather. The word's group is complete after the contract's number of rows or with the end of
// the firing. Returns false if no word can be taken yet.
static bool bank_word_in(struct sim *sim, struct actor *a, struct bank *b) {
    int64_t at = b->last + 1, g = (int64_t)b->group.count;
    if (!inputs_ready(&b->in, false, &at) || !step_ready(sim, a, b, &at) || !bank_room(a, b, &at)) return false;
    if (g >= a->c.banks.banks) {
        if (b->group.items[g - a->c.banks.banks].released < 0) return false;
        at = at_least(at, b->group.items[g - a->c.banks.banks].released - a->c.banks.enter);
    }
    uint8_t mark = edge_mark(b->in.edge[0]);
    inputs_take(sim, &b->in, false, mark, at);
    b->last = at;
    b->tokens += b->rows == 0;
    b->words++;
    b->in_all++;
    if (!(mark & MARK_TOK_LAST)) return true;
    b->rows++;
    if (mark & MARK_LAST && b->step) b->steps--;
    if (!(mark & MARK_LAST) && b->rows != a->c.banks.rows) return true;
    VEC_PUSH(sim->arena, b->group,
             (struct group){b->rows, b->tokens, b->words, at + a->c.banks.enter + a->c.banks.ready, -1,
                            (mark & MARK_LAST) != 0});
    b->rows = b->tokens = b->words = 0;
    return true;
}

// Takes a word of the input that is stored as whole firings. Up to `banks` firings are stored. Returns false if no word
// can be taken yet.
static bool held_word_in(struct sim *sim, const struct actor *a, struct held *h) {
    int64_t at = h->last + 1, f = (int64_t)h->ready.count - a->c.banks.banks; // the firing whose place is reused
    if (!h->edge || !edge_waiting(h->edge) || f >= (int64_t)h->released.count) return false;
    at = at_least(at, edge_avail(h->edge));
    if (f >= 0) at = at_least(at, h->released.items[f]);
    uint8_t mark = edge_mark(h->edge);
    edge_take(sim, h->edge, at);
    h->last = at;
    if (mark & MARK_LAST) VEC_PUSH(sim->arena, h->ready, at + 1);
    return true;
}

// Returns whether the stored firing for the present output firing is complete. Raises *from to the first cycle in which
// this firing can be read.
static bool held_ready(const struct held *h, int64_t *from) {
    if (!h->edge) return true;
    if (h->released.count >= h->ready.count) return false;
    *from = at_least(*from, h->ready.items[h->released.count]);
    return true;
}

// Returns whether a unit of zeros follows this group, so that every token has an even number of units in an output
// firing. A unit consists of `pack` rows. closes: the group is the last one of the output firing.
static bool needs_pad(const struct actor *a, const struct bank *b, const struct group *g, bool closes) {
    return a->c.banks.pads && closes && (b->odd ^ (div_up(g->rows, a->c.banks.pack) % 2 != 0));
}

// Returns whether the group is the last one of an output firing. With `pads` (rill_quantize), the end of an input
// firing also ends the output firing, even after fewer than `groups` groups.
static bool firing_closes(const struct actor *a, const struct bank *b, const struct group *g) {
    if (a->c.banks.pads) return g->last || (a->c.banks.groups && b->fired == a->c.banks.groups - 1);
    if (a->c.banks.groups) return b->fired == a->c.banks.groups - 1;
    return g->last;
}

// Returns whether there is room for the scalars of a firing that begins, and raises *from to the first cycle with room.
// Softmax keeps the scalars of `kept` firings. So all scalars before those of the last `kept` - 1 firings must have
// left.
static bool scalar_room(const struct bank *b, int64_t *from) {
    if (!b->scalar || b->row || b->token) return true;
    int64_t need = b->started - b->waiting;
    if (need <= 0) return true;
    if (b->scalar->puts < need) return false;
    *from = at_least(*from, b->scalar->put[need - 1] + 1);
    return true;
}

// Ends the group that is read, and notes when its place is free.
static void group_end(const struct actor *a, struct bank *b, struct group *g, bool closes, int64_t at) {
    b->odd = a->c.banks.pads && !closes && (b->odd ^ (div_up(g->rows, a->c.banks.pack) % 2 != 0));
    b->fired = closes ? 0 : b->fired + 1;
    g->released = at + a->c.banks.release;
    b->row = b->token = 0;
    b->reading++;
}

// Advances to the next word of the group. Returns true if there is none. rows: rows of the group with padding.
static bool bank_step(const struct actor *a, struct bank *b, const struct group *g, int64_t rows) {
    if (!a->c.banks.by_token) {
        if (++b->token == g->tokens) b->token = 0, b->row++;
        return b->row == g->rows;
    }
    if (++b->row == rows) b->row = 0, b->token++;
    return b->token == g->tokens;
}

// Sends the scalars of softmax. Each can leave `behind` cycles after the last word of its token.
static void pay_scalars(struct sim *sim, const struct actor *a, struct bank *b) {
    for (; b->paid < (int64_t)b->owed.count && b->owed.items[b->paid].word < b->out->puts; b->paid++) {
        const struct owed *o = &b->owed.items[b->paid];
        int64_t room, offer = b->out->put[o->word] + a->c.banks.softmax.behind;
        if (!edge_room(b->scalar, &room)) return;
        edge_put(sim, b->scalar, offer, at_least(offer, room), o->last_token ? MARK_LAST | MARK_TOK_LAST : 0);
    }
}

// Reads the next word of the oldest group and lets it enter the stages. Returns false if no word can be read yet.
static bool bank_word_out(struct sim *sim, struct actor *a, struct bank *b) {
    if (b->reading >= (int64_t)b->group.count) return false;
    struct group *g = &b->group.items[b->reading];
    int64_t from = at_least(g->ready, b->next), at;
    bool closes = firing_closes(a, b, g), tok_last = b->token == g->tokens - 1;
    if (!inputs_ready(&b->beside, false, &from) || !held_ready(&b->held, &from) || !scalar_room(b, &from)) return false;
    if (!stage_enter(sim, &b->stage, b->out, from, &at)) return false;
    int64_t rows = g->rows + (a->c.banks.by_token && needs_pad(a, b, g, closes));
    // `pack` rows make one word, so a word leaves with every pack-th row of the group and with the last one.
    bool whole =
        b->row == g->rows || b->row == g->rows - 1 || a->c.banks.pack == 1 || (b->row + 1) % a->c.banks.pack == 0;
    bool end_of_token = a->c.banks.by_token ? b->row == rows - 1 : b->row == g->rows - 1;
    bool last = end_of_token && tok_last && closes;
    inputs_take(sim, &b->beside, false, tok_last ? MARK_TOK_LAST : 0, at);
    if (b->row == 0) b->started++;
    if (whole || !a->c.banks.by_token)
        stage_push(sim, &b->stage, at, (uint8_t)((tok_last ? MARK_TOK_LAST : 0) | (last ? MARK_LAST : 0)), true);
    if (end_of_token && b->scalar) VEC_PUSH(sim->arena, b->owed, (struct owed){b->stage.count - 1, tok_last});
    b->next = at + 1;
    if (bank_step(a, b, g, rows)) {
        group_end(a, b, g, closes, at);
        if (closes) VEC_PUSH(sim->arena, b->held.released, at + 1);
    }
    return true;
}

void sim_bank_run(struct sim *sim, struct actor *a) {
    struct bank *b = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (bank_word_in(sim, a, b)) moved = true;
        while (held_word_in(sim, a, &b->held)) moved = true;
        while (bank_word_out(sim, a, b)) moved = true;
        stage_drain(sim, &b->stage, b->out);
        if (b->scalar) pay_scalars(sim, a, b);
    }
}
