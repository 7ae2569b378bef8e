// SPDX-License-Identifier: Apache-2.0
// Timing models of the kernels of the KV cache: the writer of keys, the V tail, which stores the open block of values
// and writes it when it is full, and the scales.
#include "gen/ir/layout.h"
#include "gen/simulator/machines.h"
#include "gen/kernel/kernel.h"

struct kv {
    struct sim_edge *in, *step, *out;
    struct sim_client *client; // K writer
    struct sim_cache *cache;
    struct stage stage;
    int64_t last;                       // cycle of the last word taken
    int64_t step_no, layer, head, unit; // present step; position of the next word in it
    int part;                           // part of the step to which that word belongs
    int64_t settled;                    // values: first cycle with the layer's values stored and full blocks in memory
    bool inside;                        // a step word is held
    VEC(int64_t) ready;                 // scales: cycle from which a head's words may leave
    VEC(int64_t) read;                  // scales: cycle in which the last word of a step left
    int64_t reading;                    // scales: index, over all steps, of the head whose words leave
    int64_t r_step, r_layer, r_head;    // scales: step, layer, and head in the layer, of `reading`
    int r_part;                         // scales: part of the step, of `reading`
    int64_t word;                       // token of the next word; scales: index of the next word of `reading`
    int64_t pass;                       // scales: times that the head's words were sent in full
    int64_t next;                       // scales: first cycle for the next word
    int window;                         // scales: the operation whose windows apply to the words
};

bool sim_kv_init(struct sim *sim, struct actor *a) {
    struct kv *v = a->state = ARENA_NEW(sim->arena, struct kv);
    v->in = sim_in(sim, a, IR_ROLE_KV);
    v->step = sim_in(sim, a, IR_ROLE_STEP);
    v->out = sim_out(sim, a, IR_ROLE_SCALE);
    v->last = v->step_no = -1;
    v->client = client_open(sim, a, true);
    v->cache = sim_cache_of(sim, a);
    if (a->c.machine == TIMING_K_WRITER && v->client) {
        v->cache->keys = v->client;
        v->client->counted = true;
    }
    if (a->c.machine == TIMING_V_TAIL) {
        v->cache->tail_reads = a->c.values.reads;
        v->cache->tail_reads_alone = a->c.values.reads_alone;
        v->cache->tail_by_step = a->c.values.by_step;
    }
    if (v->out) v->window = sim->actor[v->out->reader].k->node;
    stage_init(sim, &v->stage, a->c.stages);
    return v->in && v->step && (v->out || a->c.machine != TIMING_SCALES) &&
           (v->client || a->c.machine != TIMING_K_WRITER);
}

// Takes the next step word unless one is held. Returns false if there is none.
static bool kv_step(struct sim *sim, const struct actor *a, struct kv *v) {
    if (v->inside) return true;
    if (!edge_waiting(v->step)) return false;
    int64_t at = at_least(edge_avail(v->step), v->last + 1);
    edge_take(sim, v->step, at);
    v->last = at + (a->c.machine == TIMING_K_WRITER ? a->c.keys.ask : 0);
    v->step_no++;
    v->inside = true;
    v->layer = v->head = 0;
    v->part = 0;
    return true;
}

static struct timing_part part_of(const struct sim *sim, const struct kv *v) {
    return timing_part(&sim->options->step[v->step_no], v->part);
}

// Ends a firing, which has the tokens of one part in one layer. Returns whether the layer is over. In a design with
// slots, the writer of keys takes a separate step word for each firing. The simulation has one word for all of them.
static bool kv_fired(const struct sim *sim, const struct actor *a, struct kv *v, int64_t layers) {
    v->head = 0;
    if (a->c.machine == TIMING_K_WRITER && sim->ir->design.slots) v->last += a->c.keys.ask;
    if (++v->part < timing_parts(&sim->options->step[v->step_no])) return false;
    v->part = 0;
    if (++v->layer == layers) v->inside = false;
    return true;
}

// Takes the next word and returns its mark.
static uint8_t kv_word(struct sim *sim, struct kv *v) {
    uint8_t mark = edge_mark(v->in);
    int64_t at = at_least(edge_avail(v->in), v->last + 1);
    edge_take(sim, v->in, at);
    v->last = at;
    return mark;
}

// Hands over the descriptor for the key of one token and head, at the earliest in the cycle after the key's first unit.
static void write_keys(struct sim *sim, const struct actor *a, struct kv *v) {
    struct kernel_cache cache = kernel_cache(a->k);
    const struct timing_part part = part_of(sim, v);
    int64_t row = (part.pos + v->word) / a->c.keys.channels * a->c.keys.units;
    int64_t beat_bytes = sim->ir->design.beat_bits / 8, at, layer = part.slot * a->c.keys.layers + v->layer;
    client_room(v->client, &at);
    client_ask(sim, v->client, at_least(at, v->last + 1),
               cache.base + layer * cache.layer + v->head * cache.head + row * beat_bytes, a->c.keys.units);
}

// Takes a unit of keys. Only the channel of the step's first position is simulated, because it is the busiest. Returns
// false if the unit cannot be taken yet.
static bool key_unit(struct sim *sim, const struct actor *a, struct kv *v, uint8_t *mark) {
    int64_t room = 0;
    bool here = v->word % a->c.keys.channels == 0;
    if (here && !v->unit && !client_room(v->client, &room)) return false;
    if (here && !client_space(v->client, &room)) return false;
    *mark = kv_word(sim, v);
    if (here && !v->unit) write_keys(sim, a, v);
    if (here) client_give(sim, v->client, at_least(room, v->last + 1));
    v->unit = (v->unit + 1) % a->c.keys.units;
    if (v->unit) return true;
    v->word = *mark & MARK_TOK_LAST ? 0 : v->word + 1;
    v->head += *mark & MARK_TOK_LAST ? 1 : 0;
    return true;
}

void sim_k_writer_run(struct sim *sim, struct actor *a) {
    struct kv *v = a->state;
    uint8_t mark;
    while (kv_step(sim, a, v) && edge_waiting(v->in) && key_unit(sim, a, v, &mark)) {
        if (!(mark & MARK_LAST) || !kv_fired(sim, a, v, a->c.keys.layers)) continue;
        VEC_PUSH(sim->arena, v->cache->k_runs, (int64_t)v->client->run.count);
        sim_wake_all(sim, TIMING_ENGINE);
    }
}

// Stores the values of a token and head, after their last word was taken. The last token of a layer may close the
// block, which is then written to memory. While values are stored or written, no word is taken.
static void v_tail_token(struct sim *sim, const struct actor *a, struct kv *v, uint8_t mark) {
    const struct timing_part step = part_of(sim, v);
    // At 256 bits, the first position of a block clears the words of both beats, which takes its rows twice.
    bool opening = a->c.values.beats == 2 && step.pos % LAYOUT_V_BLOCK == 0 && v->word == 0;
    v->last += a->c.values.rows * (opening ? 2 : 1); // a token's values of a head take a cycle per row of the tail
    v->word = mark & MARK_TOK_LAST ? 0 : v->word + 1;
    if (!(mark & MARK_TOK_LAST)) return;
    VEC_PUSH(sim->arena, v->cache->head_done, v->last + 1);
    if (mark & MARK_LAST) {
        bool closes = step.pos % LAYOUT_V_BLOCK + step.ntok == LAYOUT_V_BLOCK;
        if (closes) v->last += a->c.values.every * a->c.values.rows * (v->head + 1) * a->c.values.beats;
        v->settled = at_least(v->settled, v->last + 1 + (closes ? a->c.values.settle : 0));
        if (kv_fired(sim, a, v, a->c.values.layers)) {
            VEC_PUSH(sim->arena, v->cache->v_layer, v->settled);
            v->settled = 0;
        }
    } else v->head++;
    sim_wake_all(sim, TIMING_ENGINE);
}

void sim_v_tail_run(struct sim *sim, struct actor *a) {
    struct kv *v = a->state;
    while (kv_step(sim, a, v) && edge_waiting(v->in)) {
        int64_t taken = (int64_t)v->cache->v_layer.count;
        // The engine must have read the layer's open block in the previous step. With by_step, it must have made all
        // reads of that step, not only those of the layer.
        int64_t ahead = a->c.values.by_step ? taken / a->c.values.layers - 1 : taken - a->c.values.layers;
        if (v->cache->tail_reads && ahead >= 0) {
            if (ahead >= (int64_t)v->cache->tail_layer.count) return;
            v->last = at_least(v->last, v->cache->tail_layer.items[ahead] + a->c.values.release);
        }
        uint8_t mark = kv_word(sim, v);
        if (++v->unit < a->c.values.units) continue;
        v->unit = 0;
        v_tail_token(sim, a, v, mark);
    }
}

// Takes the next step word when all words of the step before the present one have been sent. So the units that arrive
// can be one step ahead of the words that leave.
static bool scale_step(struct sim *sim, const struct actor *a, struct kv *v) {
    int64_t before = v->step_no - 1; // the step before the present one
    if (v->inside || before < 0) return kv_step(sim, a, v);
    if (before >= (int64_t)v->read.count) return false;
    v->last = at_least(v->last, v->read.items[before] + a->c.scales.release - 1);
    return kv_step(sim, a, v);
}

// Takes a word. The scales of a head are complete with the last unit of the last token. Returns false if no word can be
// taken yet.
static bool scale_in(struct sim *sim, struct actor *a, struct kv *v) {
    if (!scale_step(sim, a, v) || !edge_waiting(v->in)) return false;
    uint8_t mark = kv_word(sim, v);
    v->unit = (v->unit + 1) % a->c.scales.units;
    if (v->unit || !(mark & MARK_TOK_LAST)) return true;
    VEC_PUSH(sim->arena, v->ready, v->last + a->c.scales.ready);
    if (mark & MARK_LAST) kv_fired(sim, a, v, a->c.scales.layers);
    return true;
}

// Goes to the next head whose scales are sent. Returns whether the step is over.
static bool next_head(const struct sim *sim, const struct actor *a, struct kv *v) {
    v->reading++;
    if (++v->r_head < a->c.scales.heads) return false;
    v->r_head = 0;
    v->next += a->c.scales.look;
    if (++v->r_part < timing_parts(&sim->options->step[v->r_step])) return false;
    v->r_part = 0;
    if (++v->r_layer < a->c.scales.layers) return false;
    v->r_layer = 0;
    v->r_step++;
    return true;
}

// Sends the next word of a head's scales, from the beginning of the layer's window on. The scales of a head are sent
// several times: once for each query head, or for each group of query heads, that reads them. Returns false if no word
// can be sent yet.
static bool scale_out(struct sim *sim, struct actor *a, struct kv *v) {
    int64_t at;
    if (v->reading >= (int64_t)v->ready.count) return false;
    const struct timing_part step = timing_part(&sim->options->step[v->r_step], v->r_part);
    if (!stage_enter(sim, &v->stage, v->out, at_least(v->ready.items[v->reading], v->next), &at)) return false;
    stage_push(sim, &v->stage, at, MARK_TOK_LAST, true);
    v->next = at + 1;
    int64_t begin = window_begin(sim->ir, v->window, v->r_layer, step.pos);
    if (++v->word < div_up(step.pos + step.ntok - begin, a->c.scales.lanes)) return true;
    v->word = 0;
    if (++v->pass < a->c.scales.times / (step.ntok == 1 ? at_least(a->c.scales.together, 1) : 1)) return true;
    v->pass = 0;
    if (next_head(sim, a, v)) VEC_PUSH(sim->arena, v->read, at);
    return true;
}

void sim_scales_run(struct sim *sim, struct actor *a) {
    struct kv *v = a->state;
    for (bool moved = true; moved;) {
        moved = false;
        while (scale_in(sim, a, v)) moved = true;
        while (scale_out(sim, a, v)) moved = true;
        stage_drain(sim, &v->stage, v->out);
    }
}
