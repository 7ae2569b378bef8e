// SPDX-License-Identifier: Apache-2.0
// Timing model of kernels that take every word but pass on only the words of certain rounds. A group has several
// rounds, and a round several words per token. The words of all inputs are taken together, and all stages stall
// together.
#include "gen/simulator/machine_inputs.h"
#include "gen/simulator/machines.h"

struct sieve {
    struct inputs in;
    struct sim_edge *out;
    struct stage stage;
    int64_t word, round, group; // place of each token's next word: word of the round, round of the group, group
};

bool sim_sieve_init(struct sim *sim, struct actor *a) {
    struct sieve *s = a->state = ARENA_NEW(sim->arena, struct sieve);
    inputs_init(sim, a, &s->in);
    s->out = only_output(sim, a);
    stage_init(sim, &s->stage, a->c.stages);
    return s->in.count > 0 && s->out;
}

// Returns whether the words of this round are passed on.
static bool leaves(const struct timing_sieve *c, int64_t round) {
    return round >= c->first && (round - c->first) % c->step == 0 && (round - c->first) / c->step < c->count;
}

// Advances to the next word of each token. If the contract gives no number of groups, the group counts on.
static void advance(const struct timing_sieve *c, struct sieve *s) {
    if (++s->word < c->words) return;
    s->word = 0;
    if (++s->round < c->rounds) return;
    s->round = 0;
    if (++s->group == c->groups) s->group = 0;
}

// Returns whether the word is the last one that leaves for its token in this firing. If the contract does not give the
// number of groups, the mark of the input word decides.
static bool ends(const struct timing_sieve *c, const struct sieve *s, uint8_t mark) {
    if (!c->groups) return mark & MARK_LAST;
    return s->word == c->words - 1 && s->group == c->groups - 1 && s->round == c->first + (c->count - 1) * c->step;
}

void sim_sieve_run(struct sim *sim, struct actor *a) {
    struct sieve *s = a->state;
    const struct timing_sieve *c = &a->c.sieve;
    for (int64_t from = 0, at; inputs_ready(&s->in, false, &from); from = 0) {
        if (!stage_enter(sim, &s->stage, s->out, from, &at)) return;
        uint8_t mark = edge_mark(s->in.edge[0]), out = mark & MARK_TOK_LAST;
        inputs_take(sim, &s->in, false, mark, at);
        if (out && ends(c, s, mark)) out |= MARK_LAST;
        stage_push(sim, &s->stage, at, out, leaves(c, s->round));
        if (mark & MARK_TOK_LAST) advance(c, s);
    }
    stage_drain(sim, &s->stage, s->out);
}
