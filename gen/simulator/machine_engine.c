// SPDX-License-Identifier: Apache-2.0
// Timing model of the matrix engine (rill_engine_ctrl). All times are cycles of the core clock.
//
// A firing is one product. The engine walks over row-steps, each of one row per lane (channel), and over the beats of a
// row-step, each of one memory word per lane. A command multiplies a beat with the operands of up to `copies` tokens,
// so a beat needs `turns` commands for all tokens of the step. The engine issues at most one command per cycle. A
// command gets its cycle when the arrival of its beat, of its operand and of a free output slot are known. sim_lane.c
// models the beats.
#include <string.h>

#include "gen/ir/layout.h"
#include "gen/ir/window.h"
#include "gen/simulator/machines.h"
#include "gen/simulator/sim_actor.h"
#include "gen/simulator/sim_lane.h"
#include "gen/kernel/kernel.h"

enum { PARAM_ROWS_512 = 8, PARAM_ROWS_256 = 4 }; // row-steps per chunk, by the bits of a beat

struct result {   // an output word of a command whose cycle is known
    int64_t at;   // cycle in which the word is complete, before the output stages
    uint8_t mark; // valid elements << SIM_COUNT_SHIFT, and MARK_* flags
};

struct engine {
    int id;       // index of the engine in the IR
    int *firing;  // per schedule entry: index of its firing in the IR
    int *window;  // per schedule entry: the attention whose window limits its positions, or IR_NONE
    bool windows; // entries pass through rill_window_entries
    struct schedule_table schedule;
    struct sim_walk walk;
    int64_t entry; // schedule entry of the running firing
    // Streams: step words, operands, keys of the step's own tokens (NULL: no scores), results.
    struct sim_edge *step, *x, *keys, *y;
    // Lanes that are simulated: the lane of the first channel, which represents all channels that only the engine uses,
    // and the lane of every channel that other clients use as well.
    struct lane *lane;
    int lanes;
    struct sim_cache *cache;
    int64_t now;  // cycle of the last command, or the cycle in which the running firing was loaded if that is later
    int64_t free; // cycle after the last command
    bool turning; // the step's first operand has not been used yet
    // Cycle in which the last entry reached each stage. fetched: the schedule's output register. read, prepared: the
    // two stages of rill_engine_entries, which hold three entries in all. Here two of them wait at `read` and one at
    // `prepared`. The RTL holds one and two, which gives the same cycles. prepared: [0] for the last entry, [1] for the
    // entry before it. loaded: the entry became the running firing.
    int64_t fetched, read, prepared[2], loaded;
    int64_t way[CYCLES_WINDOW_ENTRIES + 1]; // with windows: [0] fetched, then the stages of rill_window_entries
    // Operands. filled, freed: cycle in which each operand was complete, and in which its bank was released.
    VEC(int64_t) filled, freed;
    VEC(int64_t) part;       // arrival cycle of each operand unit, last token only
    VEC(int64_t) part_first; // per operand: index in part of its first unit
    int64_t x_last;          // cycle in which the last operand word was taken
    int64_t used;            // operands whose bank was released
    // Keys of the step's own tokens. A unit is the part of a key that one command multiplies.
    VEC(int64_t) key_row;    // cycle in which a unit arrived in the last lane of its row-step
    VEC(int64_t) key_popped; // cycle in which a command took that unit
    int64_t key_units;       // units per head
    int64_t key_unit;        // units of the present token and head that have arrived
    int64_t key_token;       // token of the step that the next unit belongs to
    int64_t key_first;       // units that lane 0 has received in all
    int64_t heads_used;      // heads of values that firings have finished with
    int64_t tail_reads;      // reads of the V tail since the last entry of cache->tail_layer
    int64_t tail_last;       // cycle of the last read of the V tail
    // Results that wait for a slot at the output, and how many of them were sent.
    VEC(struct result) result;
    int64_t sent;
    // The running firing.
    bool active;          // a firing runs
    int mode, tokens;     // ENGINE_MODE_*; operands of a beat: the step's tokens, a token's query heads, or only one
    int64_t copies;       // tokens that one command processes
    int64_t step_tokens;  // maximum tokens of a step
    int64_t turns;        // commands per beat
    int64_t rows;         // row-steps of the firing
    int64_t memory_rows;  // row-steps whose beats come from memory; keys of the step's own tokens follow
    int64_t row_beats;    // beats per row-step
    int64_t memory_beats; // beats per row-step that come from memory; the V tail gives the others
    int64_t header;       // beats of scales before each chunk of row-steps
    int64_t chunk_rows;   // row-steps per chunk
    int64_t last_count;   // valid rows of the last row-step; scores: of the last row-step from memory
    int64_t key_rest;     // scores: valid keys of the last row-step
    int64_t all_lanes;    // channels of the engine
    // frees: the firing's end releases its operand. keeps: its head of values stays for the next firing.
    bool frees, keeps;
    bool outer;           // the first chunk runs column by column, to start before the whole operand has arrived
    int64_t outer_rows;   // row-steps of that chunk
    int64_t column_units; // operand units per column of that chunk
    // Position of the next command: row-step, beat in it, command of the beat, beats of the header still to be read.
    int64_t row, beat, turn, header_left;
};

// Finds the IR's engine of this kernel, and maps the entries of the schedule to the engine's firings, which are in the
// same order. Also sets each entry's window and `key_units`. Returns false if the schedule has another number of
// entries.
static bool name_entries(struct sim *sim, const struct actor *a, struct engine *e) {
    int64_t count = 0;
    e->firing = ARENA_ARRAY(sim->arena, int, (size_t)sim->ir->firings + 1);
    e->window = ARENA_ARRAY(sim->arena, int, (size_t)sim->ir->firings + 1);
    while (e->id < sim->ir->engines && sim->ir->engine[e->id].kernel != a->kernel) e->id++;
    for (int f = 0; f < sim->ir->firings; f++)
        if (sim->ir->firing[f].engine == e->id) {
            e->window[count] = sim_window_of(sim->ir, &sim->ir->firing[f]);
            e->firing[count++] = f;
            if (sim->ir->firing[f].mode == ENGINE_MODE_SCORES) e->key_units = sim->ir->firing[f].beats;
        }
    return count == e->schedule.entries;
}

// Opens a lane for each simulated channel of the engine. A resident engine has one simulated lane, which represents all
// lanes, because they take equal beats in the same cycles.
static bool open_lanes(struct sim *sim, const struct actor *a, struct engine *e) {
    if (e->id == sim->ir->engines) return false;
    const struct ir_engine *engine = &sim->ir->engine[e->id];
    e->lane = ARENA_ARRAY(sim->arena, struct lane, (size_t)sim->channels + 1);
    if (ir_is_resident(engine) && !lane_init(sim, &e->lane[e->lanes++], a->kernel, engine, NULL)) return false;
    for (int c = 0; c < sim->channels; c++) {
        int index = sim->channel[c].index - engine->first_channel;
        if (index < 0 || index >= engine->channels) continue;
        if (!lane_init(sim, &e->lane[e->lanes++], a->kernel, engine, &sim->channel[c])) return false;
    }
    for (int l = 0; l < e->lanes; l++) e->lane[l].first = e->lane, e->lane[l].lanes = e->lanes;
    return e->lanes > 0;
}

bool sim_engine_init(struct sim *sim, struct actor *a) {
    struct engine *e = a->state = ARENA_NEW(sim->arena, struct engine);
    e->step = sim_in(sim, a, IR_ROLE_STEP);
    e->x = sim_in(sim, a, IR_ROLE_X);
    e->keys = sim_in(sim, a, IR_ROLE_K_LOCAL);
    e->cache = sim_cache_of(sim, a);
    e->y = sim_out(sim, a, IR_ROLE_Y);
    e->now = e->x_last = e->loaded = e->prepared[0] = e->prepared[1] = e->read = -1;
    e->fetched = -CYCLES_SCHEDULE_NEXT;
    e->windows = kernel_has_key_windows(a->k) || kernel_has_value_windows(a->k);
    for (int i = 0; i <= CYCLES_WINDOW_ENTRIES; i++) e->way[i] = -1;
    e->all_lanes = a->c.engine.channels;
    e->copies = at_least(a->c.engine.copies, 1);
    e->step_tokens = kernel_tokens(a->k);
    return e->step && e->x && e->y && sim_schedule_read(sim, a, ENGINE_BITS, &e->schedule) && name_entries(sim, a, e) &&
           open_lanes(sim, a, e);
}

// ---- inputs ----

// Takes a word of an operand. The engine has two banks for operands, so operand n waits until operand n - 2 is
// released. Returns false if no word can be taken yet.
static bool operand_in(struct sim *sim, struct engine *e) {
    int64_t g = (int64_t)e->filled.count, from = e->x_last + 1;
    if (!edge_waiting(e->x)) return false;
    if (g >= 2) {
        if (g - 2 >= (int64_t)e->freed.count) return false;
        from = at_least(from, e->freed.items[g - 2] + CYCLES_X_FREED);
    }
    e->x_last = at_least(edge_avail(e->x), from);
    uint8_t mark = edge_mark(e->x);
    edge_take(sim, e->x, e->x_last);
    if (g == (int64_t)e->part_first.count) VEC_PUSH(sim->arena, e->part_first, (int64_t)e->part.count);
    if (mark & MARK_TOK_LAST) VEC_PUSH(sim->arena, e->part, e->x_last);
    if (mark & MARK_LAST) VEC_PUSH(sim->arena, e->filled, e->x_last);
    return true;
}

// Takes a unit of the step's own keys. Units of token t go to lane t mod channels. Lane 0 fills first, so the fill of
// its buffer decides when all lanes stall. Returns false if no unit can be taken yet.
static bool key_in(struct sim *sim, const struct actor *a, struct engine *e) {
    if (!e->keys || !edge_waiting(e->keys)) return false;
    int64_t n = e->key_first, at = edge_avail(e->keys);
    if (n >= a->c.engine.key_units) {
        if (n - a->c.engine.key_units >= (int64_t)e->key_popped.count) return false;
        at = at_least(at, e->key_popped.items[n - a->c.engine.key_units] + CYCLES_K_POPPED + 1);
    }
    bool last_token = (edge_mark(e->keys) & MARK_TOK_LAST) != 0;
    int64_t lane = e->key_token % e->all_lanes;
    edge_take(sim, e->keys, at);
    if (lane == 0) e->key_first++;
    if (last_token || lane == e->all_lanes - 1) VEC_PUSH(sim->arena, e->key_row, at);
    if (++e->key_unit < e->key_units) return true;
    e->key_unit = 0;
    e->key_token = last_token ? 0 : e->key_token + 1;
    return true;
}

// Sends the oldest result. Returns false if there is none, or if it is not known from which cycle the stream has room.
static bool result_out(struct sim *sim, const struct actor *a, struct engine *e) {
    int64_t room;
    if (e->sent == (int64_t)e->result.count || !edge_room(e->y, &room)) return false;
    const struct result *r = &e->result.items[e->sent];
    int64_t offer = r->at + a->c.stages;
    edge_put(sim, e->y, offer, at_least(offer, room), r->mark);
    e->sent++;
    return true;
}

// ---- firings ----

static int64_t field(const struct engine *e, int64_t entry, enum field f) {
    return schedule_at(&e->schedule, entry, f);
}

// Returns the bytes of scales per row of 4-bit weights. int4 has one byte per group; 0 in the field GROUPS means 2 to
// the power of the field's width. int4_asym has a scale and an offset of one byte each for every 32 elements. A beat of
// 512 bits has 128 elements, so 8 bytes; a beat of 256 bits has 64 elements, so 4 bytes. chunk_rows is 8 and 4 as well.
static int64_t group_bytes(const struct engine *e, int64_t entry) {
    if (field(e, entry, ENGINE_ASYM)) return field(e, entry, ENGINE_BEATS) * e->chunk_rows;
    int64_t groups = field(e, entry, ENGINE_GROUPS);
    return groups ? groups : 1 << field_width(ENGINE_GROUPS);
}

// Sets the row-steps and beats of a firing of attention. pos: position of the step's first token, counted from the
// beginning of the window.
static void load_attention(struct engine *e, const struct timing_part *step, int64_t pos, int64_t beat_bits) {
    int64_t krows = div_up(pos, e->all_lanes), blocks = pos / LAYOUT_V_BLOCK, block_beats = beat_bits == 512 ? 1 : 2;
    if (e->mode == ENGINE_MODE_SCORES) {
        e->memory_rows = krows;
        e->rows = krows + div_up(step->ntok, e->all_lanes);
        e->key_rest = step->ntok - (e->rows - krows - 1) * e->all_lanes;
        e->memory_beats = e->row_beats;
        e->last_count = e->all_lanes - (krows * e->all_lanes - pos);
    } else {
        e->memory_rows = e->rows;
        e->memory_beats = blocks * block_beats;
        e->row_beats = e->memory_beats + block_beats;
    }
}

// Sets the running firing from its schedule entry and the step.
static void load_firing(struct sim *sim, const struct actor *a, struct engine *e, int64_t entry) {
    const struct timing_part step = sim_walk_part(sim, &e->schedule, &e->walk);
    e->mode = (int)field(e, entry, ENGINE_MODE);
    e->rows = field(e, entry, ENGINE_ROWS);
    e->row_beats = e->memory_beats = field(e, entry, ENGINE_BEATS);
    e->memory_rows = e->rows;
    e->frees = field(e, entry, ENGINE_X_FREE);
    e->last_count = field(e, entry, ENGINE_LAST_ROWS);
    e->keeps = field(e, entry, ENGINE_KEEP);
    int64_t heads = step.ntok == 1 ? field(e, entry, ENGINE_HEADS) : 0;
    e->tokens = field(e, entry, ENGINE_SINGLE) ? 1 : heads ? (int)heads : step.ntok;
    e->turns = div_up(e->tokens, e->copies);
    e->chunk_rows = a->c.engine.beat_bits == 512 ? PARAM_ROWS_512 : PARAM_ROWS_256;
    // A beat of row parameters, then the group scales of a chunk: group_bytes for each of its chunk_rows rows. A beat
    // has 8 * chunk_rows bytes, so these scales fill group_bytes / 8 beats.
    e->header = e->mode == ENGINE_MODE_INT4 ? 1 + div_up(group_bytes(e, entry), 8) : 1;
    if (e->mode >= ENGINE_MODE_SCORES) {
        e->header = 0;
        int64_t begin = window_begin(sim->ir, e->window[entry], e->walk.repeat, step.pos);
        load_attention(e, &step, step.pos - begin, a->c.engine.beat_bits);
    }
    e->outer = e->mode < ENGINE_MODE_SCORES && e->row_beats > 1 && field(e, entry, ENGINE_OUTER);
    e->outer_rows = at_most(e->rows, e->chunk_rows);
    e->column_units = e->mode == ENGINE_MODE_INT4 ? 2 : 1;
    e->header_left = e->header;
    e->row = e->beat = e->turn = 0;
    e->entry = entry;
    e->active = true;
}

// Moves an entry through the CYCLES_WINDOW_ENTRIES stages of rill_window_entries. A stage can take an entry in the
// cycle in which the previous entry moves on to the next stage.
static void go_ahead(struct engine *e, int64_t from) {
    e->fetched = at_least(from, e->way[1]) + e->walk.left_out;
    e->way[0] = e->fetched;
    for (int i = 1; i <= CYCLES_WINDOW_ENTRIES; i++)
        e->way[i] = at_least(e->way[i - 1] + 1, i < CYCLES_WINDOW_ENTRIES ? e->way[i + 1] : e->read);
}

// Starts the next firing. While a firing runs, up to four entries of the schedule advance through the stages before it
// (rill_engine_entries), and with windows up to CYCLES_WINDOW_ENTRIES more. Returns false if all firings are done or
// the next step word has not arrived.
static bool start_firing(struct sim *sim, const struct actor *a, struct engine *e) {
    int64_t entry, from = e->fetched + 1;
    if (!sim_walk_entry(sim, &e->schedule, &e->walk, &entry)) return false;
    while (e->step->takes <= e->walk.step) {
        if (!edge_waiting(e->step)) return false;
        int64_t at = at_least(edge_avail(e->step), e->fetched + CYCLES_SCHEDULE_NEXT);
        edge_take(sim, e->step, at);
        from = at + CYCLES_SCHEDULE;
        e->turning = true;
    }
    if (e->windows) go_ahead(e, from);
    else e->fetched = at_least(from, e->read) + e->walk.left_out;
    e->read = at_least((e->windows ? e->way[CYCLES_WINDOW_ENTRIES] : e->fetched) + 1, e->prepared[1] + 1);
    e->prepared[1] = e->prepared[0];
    e->prepared[0] = at_least(e->read + 1, e->loaded);
    e->loaded = e->now = at_least(e->prepared[0] + 1, e->now);
    load_firing(sim, a, e, entry);
    return true;
}

// ---- commands ----

// Returns whether every simulated lane has a beat. Raises *from to the first cycle in which all of them have one.
static bool lanes_ready(const struct engine *e, int64_t *from) {
    for (int l = 0; l < e->lanes; l++)
        if (!lane_ready(&e->lane[l], from)) return false;
    return true;
}

// Returns whether the next command's beat comes from memory, not from the step's own keys or the V tail.
static bool from_memory(const struct engine *e) { return e->row < e->memory_rows && e->beat < e->memory_beats; }

// Returns whether the command's data are available: beats from memory, keys of the step's own tokens, or the V tail.
// Raises *from to the first cycle in which they are available.
static bool data_ready(const struct engine *e, int64_t *from) {
    const struct sim_cache *cache = e->cache;
    if (e->header_left || (e->turn == 0 && from_memory(e))) return lanes_ready(e, from);
    if (from_memory(e)) return true;
    if (e->mode == ENGINE_MODE_SCORES && e->turn == 0) {
        int64_t n = (int64_t)e->key_popped.count;
        if (n >= (int64_t)e->key_row.count) return false;
        *from = at_least(*from, e->key_row.items[n] + CYCLES_K_COUNTED);
    }
    if (e->mode == ENGINE_MODE_VALUES) {
        if (e->heads_used >= (int64_t)cache->head_done.count) return false;
        *from = at_least(*from, cache->head_done.items[e->heads_used] + CYCLES_V_COUNTED);
    }
    return true;
}

// Returns whether there is room for the results that the command makes. Only commands of the last beat of a row-step
// make results. Raises *from to the cycle from which there is room.
static bool room_ready(const struct actor *a, const struct engine *e, int64_t *from) {
    int64_t made = (int64_t)e->result.count, n = made - a->c.engine.results;
    if (e->header_left || e->beat != e->row_beats - 1) return true;
    // With copies > 1, the results of all tokens leave one by one. There must be room for all of them, and the results
    // of the previous row-step must have left.
    if (e->copies > 1) {
        if (e->turn > 0) return true;
        if (made > 0) *from = at_least(*from, e->result.items[made - 1].at + 1);
        n += e->step_tokens - 1;
    }
    if (n < 0) return true;
    if (n >= e->sent) return false;
    *from = at_least(*from, e->y->put[n] + 1 + a->c.engine.release);
    return true;
}

// Returns whether the command's operand is available: the whole operand or, in outer mode, the units up to the present
// column. The last column waits for the whole operand. Raises *from to the first cycle in which it is available.
static bool operand_ready(const struct engine *e, int64_t *from) {
    bool whole = e->used < (int64_t)e->filled.count,
         part = e->outer && e->beat < e->row_beats - 1 && e->used < (int64_t)e->part_first.count;
    int64_t at = whole ? e->filled.items[e->used] + CYCLES_X_COUNTED : INT64_MAX;
    int64_t unit = part ? e->part_first.items[e->used] + (e->beat + 1) * e->column_units - 1 : 0;
    if (part && unit < (int64_t)e->part.count) at = at_most(at, e->part.items[unit] + CYCLES_PART_COUNTED);
    *from = at_least(*from, at == INT64_MAX ? *from : at);
    return at != INT64_MAX;
}

// Returns whether the cycle of the next command is known. Sets need[] to the cycle from which its data are available,
// then also its operand, then also room for its results. So each entry is at least the one before it.
static bool command_ready(const struct actor *a, struct engine *e, int64_t need[TIMING_CAUSES]) {
    int64_t from = e->now + 1;
    if (!data_ready(e, &from)) return false;
    need[TIMING_FOR_BEATS] = from;
    if (!e->header_left) {
        if (!operand_ready(e, &from)) return false;
    }
    need[TIMING_FOR_OPERAND] = from;
    if (!room_ready(a, e, &from)) return false;
    need[TIMING_FOR_ROOM] = from;
    return true;
}

// Adds the cycles since the last command to the statistics, by the cause of the wait, and counts the command.
static void account(struct sim *sim, const struct engine *e, int64_t entry, const int64_t need[TIMING_CAUSES]) {
    struct timing_firing *f = &sim->firing[(int64_t)e->walk.step * sim->ir->firings + e->firing[entry]];
    struct timing_turn *turn = &sim->turn[(int64_t)e->walk.step * sim->engines + e->id];
    int64_t since = e->free;
    for (int cause = 0; cause < TIMING_CAUSES; since = at_least(since, need[cause++])) {
        int64_t *to = cause == TIMING_FOR_OPERAND && e->turning ? &turn->wait : &f->wait[cause];
        *to += at_least(need[cause] - since, 0);
    }
    f->busy++;
    f->beats += e->header_left || (e->turn == 0 && from_memory(e));
    turn->last_command = e->now;
}

// Queues the result of a token, with its number of valid rows and its marks.
static void result_done(struct sim *sim, struct engine *e, int64_t token) {
    bool last_token = token == e->tokens - 1;
    bool last_row = e->row == e->rows - 1;
    int64_t count = e->mode == ENGINE_MODE_SCORES ? (last_row                       ? e->key_rest
                                                     : e->row >= e->memory_rows     ? e->all_lanes
                                                     : e->row == e->memory_rows - 1 ? e->last_count
                                                                                    : e->all_lanes)
                    : last_row                    ? e->last_count
                                                  : e->all_lanes;
    uint8_t mark = (uint8_t)(count << SIM_COUNT_SHIFT | (last_token ? MARK_TOK_LAST : 0) |
                             (last_token && last_row ? MARK_LAST : 0));
    VEC_PUSH(sim->arena, e->result, (struct result){e->now + (e->copies > 1 ? token : 0), mark});
}

// Queues the results of a finished row-step. With copies = 1, each command of the last beat gives the result of its
// token. With copies > 1, the first command of the last beat gives the results of all tokens, one per cycle.
static void row_done(struct sim *sim, struct engine *e) {
    if (e->copies == 1) result_done(sim, e, e->turn);
    for (int64_t t = 0; e->copies > 1 && e->turn == 0 && t < e->tokens; t++) result_done(sim, e, t);
}

// Notes that the V tail has been read, for which its writer may wait.
static void tail_was_read(struct sim *sim, const struct engine *e) {
    VEC_PUSH(sim->arena, e->cache->tail_layer, e->tail_last);
    sim_wake_all(sim, TIMING_V_TAIL);
}

// Notes the end of a repetition of a section of the schedule. was: the walk's place before it went on.
static void note_round(struct sim *sim, const struct engine *e, const struct sim_walk *was) {
    struct timing_turn *turn = &sim->turn[(int64_t)was->step * sim->engines + e->id];
    bool same = was->step == e->walk.step && was->section == e->walk.section && was->repeat == e->walk.repeat;
    if (same || e->schedule.section[was->section].repeat < 2 || turn->rounds == TIMING_ROUND_PLACES) return;
    turn->round[turn->rounds++] = e->now;
}

// Ends the running firing, and goes to the next schedule entry.
static void firing_done(struct sim *sim, struct engine *e) {
    if (e->frees) {
        VEC_PUSH(sim->arena, e->freed, e->now);
        e->used++;
    }
    if (e->mode == ENGINE_MODE_VALUES && !e->keeps) e->heads_used++;
    e->active = false;
    const struct sim_walk was = e->walk;
    bool more = sim_walk_next(sim, &e->schedule, &e->walk);
    note_round(sim, e, &was);
    if (e->cache && e->cache->tail_by_step && e->walk.step != was.step) tail_was_read(sim, e);
    if (more && sim->options->latest) sim->late |= e->now > sim->options->latest[was.step];
}

// Counts a read of the V tail. A layer's tail may be overwritten only after all reads of that layer in the previous
// step are done; with tail_by_step, after the reads of all layers (firing_done reports these).
static void tail_read(struct sim *sim, struct engine *e) {
    e->tail_last = e->now;
    if (e->cache->tail_reads == 0 || e->cache->tail_by_step) return;
    bool alone = e->cache->tail_reads_alone && sim->options->step[e->walk.step].ntok == 1;
    if (++e->tail_reads < (alone ? e->cache->tail_reads_alone : e->cache->tail_reads)) return;
    e->tail_reads = 0;
    tail_was_read(sim, e);
}

// Advances to the next row-step of the column, or to the next column. Returns true at the end of the first chunk.
static bool outer_next(struct engine *e) {
    if (e->row < e->outer_rows - 1) {
        e->row++;
        return false;
    }
    e->outer = e->beat < e->row_beats - 1;
    if (!e->outer) return true;
    e->row = 0;
    e->beat++;
    return false;
}

// Makes the command in cycle e->now: takes its data, queues its results, and advances to the position of the next
// command.
static void command(struct sim *sim, struct engine *e) {
    bool last_turn = e->turn == e->turns - 1;
    if (e->header_left || (e->turn == 0 && from_memory(e))) {
        for (int l = 0; l < e->lanes; l++) lane_use(sim, &e->lane[l], e->now);
    } else if (e->mode == ENGINE_MODE_SCORES && e->turn == 0) VEC_PUSH(sim->arena, e->key_popped, e->now);
    else if (e->mode == ENGINE_MODE_VALUES && e->turn == 0) tail_read(sim, e);
    if (e->header_left) {
        e->header_left--;
        return;
    }
    bool row_end = e->beat == e->row_beats - 1;
    if (row_end) row_done(sim, e);
    if (!last_turn) {
        e->turn++;
        return;
    }
    e->turn = 0;
    if (e->outer && !outer_next(e)) return;
    if (!row_end) {
        e->beat++;
        return;
    }
    e->beat = 0;
    if (++e->row == e->rows) firing_done(sim, e);
    else if (e->header && e->row % e->chunk_rows == 0) e->header_left = e->header;
}

// Starts the next firing if none runs, then makes the next command. Returns false while the command's cycle is not
// known.
static bool engine_command(struct sim *sim, const struct actor *a, struct engine *e) {
    int64_t need[TIMING_CAUSES];
    if (!e->active && !start_firing(sim, a, e)) return false;
    if (!command_ready(a, e, need)) return false;
    e->now = need[TIMING_FOR_ROOM];
    account(sim, e, e->entry, need);
    e->turning &= e->header_left > 0;
    e->free = e->now + 1;
    command(sim, e);
    return true;
}

void sim_engine_run(struct sim *sim, struct actor *a) {
    struct engine *e = a->state;
    for (int l = 0; l < e->lanes; l++) lane_advance(sim, &e->lane[l]);
    for (bool moved = true; moved;) {
        moved = false;
        while (operand_in(sim, e)) moved = true;
        while (key_in(sim, a, e)) moved = true;
        while (engine_command(sim, a, e)) moved = true;
        while (result_out(sim, a, e)) moved = true;
    }
}
