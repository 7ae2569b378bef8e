// SPDX-License-Identifier: Apache-2.0
// Runs requests as a host does. Fills the memory areas, writes the registers, starts the design, waits for the
// interrupt, reads the results and compares them. include/registers.def is the register map.
#include <string.h>

#include "gen/base/endings.h"
#include "gen/ir/layout.h"
#include "gen/ir/registers.h"
#include "gen/numerics/logprobs.h"
#include "verif/harness/sim_internal.h"

// CTRL_START, CTRL_DONE: bits of the register CTRL. FIRST_COUNTER: number of reads in collect_arguments before the
// counters. IER_SLOTS: value of the register IP_IER for interrupts at the end of the run and at the end of a request.
enum { RESET_CYCLES = 16, SETTLE_CYCLES = 8, IER_SLOTS = 5, CTRL_START = 1, CTRL_DONE = 2, FIRST_COUNTER = 7 };

static struct request_result *current(struct host *host) { return &host->result[host->request]; }

static const struct ir_design *design(const struct host *host) { return &host->sim->ir->design; }

static uint64_t channel_base(const struct host *host, int channel) {
    return ((uint64_t)channel << SIM_CHANNEL_SHIFT) + sim_base(host->sim, channel);
}

// Prompts and rings have an area for each slot. The functions below give the area of the current request.
static uint64_t area_bytes(const struct host *host, const struct ir_segment *s) {
    return (uint64_t)s->bytes / (uint64_t)at_least(design(host)->slots, 1);
}

static uint64_t area_offset(const struct host *host, const struct ir_segment *s) {
    return (uint64_t)s->offset + (uint64_t)host->slot * area_bytes(host, s);
}

static uint64_t segment_address(const struct host *host, const struct ir_segment *s) {
    return channel_base(host, s->channel == IR_NONE ? 0 : s->channel) + area_offset(host, s);
}

static uint8_t *segment_bytes(struct host *host, const struct ir_segment *s) {
    int channel = s->channel == IR_NONE ? 0 : s->channel;
    return hbm_bytes(host->sim->hbm, channel, sim_base(host->sim, channel) + area_offset(host, s), area_bytes(host, s));
}

uint8_t *host_results(struct sim *sim, uint64_t *bytes) {
    struct host *host = &sim->host;
    if (!design(host)->is_lm) return rows_results(sim, current(host)->prompt_len, bytes);
    *bytes = (uint64_t)current(host)->ids * 4;
    return segment_bytes(host, host->ring_segment);
}

// ---- ids as the design writes them ----

// Notes the next id in the ring of the current request.
static void ring_written(struct host *host) {
    struct request_result *r = current(host);
    int64_t index = r->ids;
    if (index >= r->room || index * 4 >= layout_logprobs_at(design(host))) return;
    const uint32_t *ring = (const uint32_t *)segment_bytes(host, host->ring_segment);
    r->id[index] = ring[index];
    r->id_cycle[index] = hbm_cycle(host->sim->hbm);
    r->bytes_last = sim_bytes(host->sim);
    if (index == r->before) r->bytes_first = r->bytes_last;
    r->ids++;
    report_token(host->sim, r->id[index]);
}

// Notes an id in the ring of a slot. The host may be at work on another request.
static void slot_ring_written(struct host *host, uint64_t offset) {
    int request = slots_request_at(host, offset), was_request = host->request, was_slot = host->slot;
    if (request < 0) return;
    host->request = request;
    host->slot = (int)(offset / area_bytes(host, host->ring_segment));
    ring_written(host);
    host->request = was_request;
    host->slot = was_slot;
}

// Notes each generated id. The ring writer writes its beat again for every id, so each write to the ring is one id.
static void memory_written(void *ctx, int channel, uint64_t offset, uint64_t bytes) {
    struct host *host = ctx;
    const struct ir_segment *s = host->ring_segment;
    bool runs = host->phase == HOST_RUN || host->phase == HOST_SLOTS;
    if (s == NULL || !runs || channel != (s->channel == IR_NONE ? 0 : s->channel)) return;
    uint64_t first = sim_base(host->sim, channel) + (uint64_t)s->offset;
    if (offset >= first + (uint64_t)s->bytes || first >= offset + bytes) return;
    if ((offset - first) % area_bytes(host, s) >= (uint64_t)layout_logprobs_at(design(host))) return; // a record
    if (design(host)->slots) slot_ring_written(host, offset - first);
    else ring_written(host);
}

// ---- opening ----

static void warn_of_chat(struct sim *sim) {
    const struct chat_template *chat = sim->options.chat_template;
    const char *on = chat ? tokenizer_chat_goes_on(sim->tokenizer, chat, &sim->ir->design.eot) : NULL;
    if (on) diag_warning(&sim->diag, loc_none(), "%s", on);
}

// Checks that a step begins at the position of `--from`, as far as this is known before the replay has run. Returns a
// message, or NULL.
static const char *from_fault(const struct host *host, const struct request_result *r) {
    struct sim *sim = host->sim;
    long long from = sim->options.from;
    int64_t most = r->prompt_len + (design(host)->is_lm ? r->tokens - 1 : 0);
    if (from > 0 && from >= most) return arena_printf(&sim->arena, MSG_FROM_BEYOND, from, (long long)most);
    if (from < r->prompt_len && from % design(host)->tokens != 0)
        return arena_printf(&sim->arena, MSG_FROM_STEP, from, design(host)->tokens);
    return NULL;
}

// Reads the prompt of a request and makes room for its results. Returns false after a failure.
static bool open_request(struct host *host, const struct sim_prompt *prompt, struct request_result *r) {
    struct sim *sim = host->sim;
    struct arena *arena = &sim->arena;
    struct sim_request asked;
    const char *why = sim_request_read(arena, sim->ir, sim->tokenizer, &sim->options, prompt, &asked);
    if (why != NULL) return sim_fail(sim, "%s", why), false;
    if (sim->ir->design.is_lm && prompt->ids == NULL && r == host->result) warn_of_chat(sim);
    r->prompt = asked.prompt, r->prompt_len = asked.prompt_len, r->tokens = asked.tokens;
    r->predicted = asked.predicted, r->predicted_count = asked.predicted_count;
    if ((why = from_fault(host, r)) != NULL) return sim_fail(sim, "%s", why), false;
    r->room = at_most(r->tokens, design(host)->context + 1); // unchecked requests may exceed the context
    r->id = ARENA_ARRAY(arena, uint32_t, (size_t)r->room + 1);
    r->id_cycle = ARENA_ARRAY(arena, uint64_t, (size_t)r->room + 1);
    r->channel_beats = ARENA_ARRAY(arena, uint64_t, (size_t)design(host)->channels);
    r->channel_stalls = ARENA_ARRAY(arena, uint64_t, (size_t)design(host)->channels);
    return true;
}

bool host_open(struct host *host, struct sim *sim) {
    host->sim = sim;
    host->result = ARENA_ARRAY(&sim->arena, struct request_result, sim->options.prompts.count);
    if (sim->ir->design.is_lm) {
        host->prompt_segment = ir_segment_for(sim->ir, IR_SEG_PROMPT);
        host->ring_segment = ir_segment_for(sim->ir, IR_SEG_RING);
        if (host->prompt_segment == NULL || host->ring_segment == NULL) {
            sim_fail(sim, MSG_MEMORY_AREAS);
            return false;
        }
        hbm_observe_writes(sim->hbm, memory_written, host);
    }
    int64_t rows = 0;
    if (!rows_take(sim)) return false;
    for (size_t i = 0; i < sim->options.prompts.count; i++) {
        if (sim->options.prompts.items[i].then) continue; // known when the previous request has ended
        if (!open_request(host, &sim->options.prompts.items[i], &host->result[i])) return false;
        rows = host->result[i].prompt_len > rows ? host->result[i].prompt_len : rows;
    }
    return sim->ir->design.is_lm || rows_open(sim, rows);
}

// ---- comparing ----

// Reports a failure if the replay has no values to compare, or other values than the design.
static bool differs(struct sim *sim) {
    const char *overflow = check_overflow(sim->check), *mismatch = check_mismatch(sim->check);
    if (overflow != NULL) sim_fail(sim, MSG_VALUE_OVERFLOW, overflow);
    else if (mismatch != NULL) sim_fail(sim, MSG_MISMATCH, mismatch);
    return overflow != NULL || mismatch != NULL;
}

// ---- start ----

static void write_pointer(struct axil *axil, uint32_t address, uint64_t pointer) {
    axil_write(axil, address, (uint32_t)pointer);
    axil_write(axil, address + 4, (uint32_t)(pointer >> 32));
}

// Writes the prompt and zeros after it. Clears the ring, except for the ids that were generated before.
static void place_prompt(struct host *host) {
    const struct request_result *r = current(host);
    size_t bytes = (size_t)r->fed_len * 4, room = (size_t)area_bytes(host, host->prompt_segment);
    memset(segment_bytes(host, host->prompt_segment), 0, room);
    memset(segment_bytes(host, host->ring_segment), 0, (size_t)area_bytes(host, host->ring_segment));
    memcpy(segment_bytes(host, host->prompt_segment), r->fed, bytes < room ? bytes : room);
    memcpy(segment_bytes(host, host->ring_segment), r->id, (size_t)r->before * sizeof *r->id);
}

static void write_sampling(struct axil *axil, const struct sampling *s) {
    axil_write(axil, REG_INVERSE, s->inverse);
    axil_write(axil, REG_TOP_K, s->top_k);
    axil_write(axil, REG_MIN_P, s->min_p);
    write_pointer(axil, REG_SEED, s->seed);
}

static void write_end_ids(struct axil *axil, const struct end_ids *ends) {
    axil_write(axil, REG_EOT, ends->count ? ends->id[0] : UINT32_MAX);
    for (int i = 1; i < ends->count; i++)
        axil_write(axil, REG_EOT_MORE + REGISTER_END_ID_STRIDE * (uint32_t)(i - 1), ends->id[i]);
}

// Returns the settings of sampling of the current request.
static const struct sampling *sampling(const struct host *host) {
    return &host->sim->options.prompts.items[host->request].sampling;
}

void host_sample(const struct host *host) {
    replay_sample(host->sim->golden, sampling(host));
    if (host->sim->oracle) oracle_sample(host->sim->oracle, sampling(host));
}

// Returns the settings that the command line gives for the current request.
static const struct sim_prompt *asked_prompt(const struct host *host) {
    return &host->sim->options.prompts.items[host->request];
}

// Begins the list of the current request's predicted ids. Without ids, it removes those of a request before.
void host_write_prediction(struct host *host, bool ids) {
    struct request_result *r = current(host);
    struct axil *axil = &host->axil;
    if (design(host)->slots) axil_write(axil, REG_SLOT, (uint32_t)host->slot);
    axil_write(axil, REG_DRAFT_AT, (uint32_t)r->prompt_len);
    for (int64_t i = 0; ids && i < r->predicted_count; i++) axil_write(axil, REG_DRAFT_ID, r->predicted[i]);
    r->told_prediction = ids;
}

// Writes the arguments of the current request, and the settings and interrupts that it needs.
static void write_request(struct host *host) {
    const struct request_result *r = current(host);
    const struct ir_design *d = design(host);
    bool ignore = host->sim->options.ignore_eot || !d->eot.count;
    struct axil *axil = &host->axil;
    axil_write(axil, REG_PROMPT_LEN, (uint32_t)r->fed_len);
    axil_write(axil, REG_MAX_NEW, (uint32_t)r->tokens);
    write_end_ids(axil, &d->eot);
    axil_write(axil, REG_FLAGS, ignore);
    if (d->is_lm) {
        write_pointer(axil, REG_PROMPT, segment_address(host, host->prompt_segment));
        write_pointer(axil, REG_RING, segment_address(host, host->ring_segment));
    }
    for (int c = 0; c < d->channels; c++)
        write_pointer(axil, REG_BASE + REGISTER_POINTER_STRIDE * (uint32_t)c, channel_base(host, c));
    if (d->sampling) write_sampling(axil, sampling(host));
    if (d->prefix) axil_write(axil, REG_PREFIX, (uint32_t)r->prefix);
    if (d->host_drafts) host_write_prediction(host, asked_prompt(host)->predict_at == 0);
    axil_write(axil, REG_GIER, 1);
    axil_write(axil, REG_IER, d->slots ? IER_SLOTS : 1);
}

static void write_arguments(struct host *host) {
    struct axil *axil = &host->axil;
    axil_clear(axil);
    write_request(host);
    axil_write(axil, REG_CTRL, CTRL_START);
    if (plant_is(host->sim, PLANT_SHORT)) axil_write(axil, REG_HALT, 1); // ends the request after the current step
}

static void enter(struct host *host, enum host_phase phase) {
    host->phase = phase;
    host->phase_cycle = hbm_cycle(host->sim->hbm);
}

// Runs the replay up to the position at which the design begins, and sets the prompt and the state that the design gets
// there. Returns false after a failure.
static bool begin_at(struct host *host, struct request_result *r) {
    struct load *load = &host->sim->load;
    int64_t from = load->from = host->sim->options.from;
    if (!check_start(host->sim->check, &load->start)) {
        if (!differs(host->sim))
            sim_fail(host->sim, MSG_FROM_BEYOND, (long long)from, (long long)check_positions(host->sim->check));
        return false;
    }
    if (r->begin) {
        r->first_step = load->start.step;
        r->fed = r->prompt, r->fed_len = r->prompt_len;
        return true;
    }
    bool decodes = design(host)->is_lm;
    int64_t decode = decodes ? at_most(r->tokens - 1, design(host)->context - r->prompt_len) : 0;
    r->before = load->start.made;
    r->first_step = load->start.step;
    r->fed = r->before ? &load->start.ids[r->before - 1] : r->prompt + (decodes ? from : 0);
    r->fed_len = r->before ? 1 : r->prompt_len - from;
    load->decode_left = decode - r->before;
    load->waits = from > 0;
    r->ids = r->before;
    for (int64_t i = 0; i < r->before; i++) r->id[i] = load->start.ids[i];
    if (from > 0) load_memory(host->sim);
    report_before(host->sim);
    return true;
}

// Opens the current request if it continues the previous one, which must have ended. Returns false after a failure.
static bool open_then(struct host *host) {
    const struct sim_prompt *prompt = &host->sim->options.prompts.items[host->request];
    struct request_result *r = current(host);
    if (!prompt->then) return true;
    const struct sim_prompt whole = prefix_then(host->sim, prompt, r - 1);
    return open_request(host, &whole, r);
}

// Opens the current request, and finds the positions that it keeps of the previous one. Returns false after a failure.
static bool follow_request(struct host *host) {
    struct request_result *r = current(host);
    if (host->request == 0) return true;
    if (!open_then(host)) return false;
    int64_t asked = host->sim->options.prompts.items[host->request].prefix;
    return !design(host)->prefix || prefix_find(host->sim, asked, r - 1, r);
}

// Starts the comparison of the current request.
static void begin_check(struct host *host) {
    struct request_result *r = current(host);
    const struct ir_design *d = design(host);
    static const struct end_ids none;
    const struct end_ids *ends = host->sim->options.ignore_eot ? &none : &d->eot;
    struct check_request request = {.ids = r->prompt,
                                    .count = r->prompt_len,
                                    .max_new = r->tokens,
                                    .eot = *ends,
                                    .row = (const float *const *)host->rows,
                                    .from = r->begin ? r->begin : host->sim->options.from,
                                    .state = host->sim->options.state ? &host->sim->load.file : NULL,
                                    .predicted = r->predicted,
                                    .predicted_count = r->predicted_count,
                                    .is_late = asked_prompt(host)->predict_at > 0};
    check_drafts_off(host->sim->check, d->sampling && sampling(host)->top_k);
    host_sample(host);
    check_begin(host->sim->check, &request);
}

static void begin_request(struct host *host) {
    struct request_result *r = current(host);
    const struct ir_design *d = design(host);
    if (!follow_request(host)) return;
    begin_check(host);
    if (!begin_at(host, r)) return;
    if (d->is_lm) place_prompt(host);
    else rows_clear(host->sim, r->prompt_len);
    write_arguments(host);
    enter(host, HOST_ARGUMENTS);
}

// ---- end ----

static void read_counter(struct axil *axil, int index) {
    axil_read(axil, REG_CYCLES + 8 * (uint32_t)index);
    axil_read(axil, REG_CYCLES + 8 * (uint32_t)index + 4);
}

// Returns the index of the first counter of drafts. These counters follow the counters of all engines.
int host_draft_counter(const struct host *host) {
    return 1 + 2 * design(host)->channels + ENGINE_COUNTERS * (int)at_least(host->sim->ir->engines, 1);
}

// Begins to read the registers with the results of a request.
static void collect_arguments(struct host *host) {
    struct axil *axil = &host->axil;
    int channels = design(host)->channels;
    axil_clear(axil);
    axil_write(axil, REG_ISR, 1);
    host->first_read = axil_read(axil, REG_CTRL);
    axil_read(axil, REG_STATUS);
    axil_read(axil, REG_IDS);
    axil_read(axil, REG_FAULT);
    axil_read(axil, REG_PLACE);
    axil_read(axil, REG_LOGITS);
    axil_read(axil, REG_LOGITS + 4);
    for (int i = 0; i < 1 + 2 * channels + ENGINE_COUNTERS; i++) read_counter(axil, i);
    for (int i = 0; design(host)->drafts && i < DRAFT_COUNTERS; i++) read_counter(axil, host_draft_counter(host) + i);
    if (design(host)->prefix) host->held_read = axil_read(axil, REG_HELD);
}

// Returns a 64-bit counter. Counter -1 is the hash of logits, which is read just before the counters.
static uint64_t counter(const struct host *host, int index) {
    const struct axil_access *a = &host->axil.access[host->first_read + FIRST_COUNTER + 2 * index];
    return (uint64_t)a[1].data << 32 | a[0].data;
}

// Stores the registers that collect_arguments has read in the result of the request.
static void store_registers(struct host *host) {
    struct request_result *r = current(host);
    const struct axil_access *a = &host->axil.access[host->first_read];
    int channels = design(host)->channels;
    if (!(a[0].data & CTRL_DONE)) sim_fail(host->sim, MSG_INTERRUPT_EARLY, a[0].data);
    r->status = a[1].data;
    r->ids_written = a[2].data;
    r->fault = a[3].data;
    r->fault_place = a[4].data;
    r->logits_hash = counter(host, -1);
    r->counted_cycles = counter(host, 0);
    for (int c = 0; c < channels; c++) {
        r->channel_beats[c] = counter(host, 1 + c);
        r->channel_stalls[c] = counter(host, 1 + channels + c);
    }
    for (int i = 0; i < ENGINE_COUNTERS; i++) r->engine[i] = counter(host, 1 + 2 * channels + i);
    for (int i = 0; design(host)->drafts && i < DRAFT_COUNTERS; i++)
        r->drafts[i] = counter(host, 1 + 2 * channels + ENGINE_COUNTERS + i);
}

// Returns the name of the kernel that a numeric fault names: number `place` (from 0) of the kernels with a fault
// output.
static const char *fault_kernel(const struct ir *ir, uint32_t place) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].has_fault && place-- == 0) return ir->kernel[k].name;
    return "?";
}

// Describes the place that a fault reports.
static const char *place_of(const struct host *host, uint32_t fault, uint32_t place) {
    struct arena *arena = &host->sim->arena;
    if (fault == FAULT_POINTER && place > 1) return arena_printf(arena, ", the base of channel %u", place - 2);
    if (fault == FAULT_POINTER) return place == 0 ? ", the prompt" : ", the ring of ids";
    if (fault == FAULT_KERNEL) return arena_printf(arena, ", kernel %s", fault_kernel(host->sim->ir, place));
    return "";
}

static void report_fault(struct host *host) {
    struct sim *sim = host->sim;
    const struct request_result *r = current(host);
    const char *text = fault_text(r->fault);
    sim_fail(sim, MSG_DESIGN_FAULT, r->fault, text ? text : "unknown", r->fault_place,
             place_of(host, r->fault, r->fault_place), r->status >> 16);
}

// Compares the register ids_written with the number of ids that were seen in memory.
static void compare_count(struct host *host) {
    struct request_result *r = current(host);
    if (r->ids_written != (uint32_t)r->ids)
        sim_fail(host->sim, MSG_IDS_COUNT_DIFFERS, r->ids_written, (long long)r->ids);
}

bool host_was_stopped(const struct host *host) {
    const struct request_result *r = &host->result[host->request];
    return r->told_stop && r->ending == ENDING_STOPPED;
}

// Compares the ids that were seen, and the ids in the ring, with those of check_golden_ids. A request that was stopped
// has only the first of them.
static void compare_golden(struct host *host, const uint32_t *ring) {
    struct request_result *r = current(host);
    int64_t want = 0;
    const uint32_t *golden = check_golden_ids(host->sim->check, &want);
    for (int64_t i = 0; i < want && i < r->ids; i++)
        if (r->id[i] != golden[i] || ring[i] != golden[i])
            sim_fail(host->sim, MSG_TOKEN_DIFFERS, (long long)i, r->id[i], ring[i], golden[i]);
    if (host_was_stopped(host)) {
        // A request that has all its tokens has ended by itself.
        if (r->ids >= want)
            sim_fail(host->sim, MSG_STOPPED_DIFFERS, host->request + 1, (long long)r->ids, (long long)want);
    } else if (r->ids != want) sim_fail(host->sim, MSG_TOKENS_DIFFER, (long long)r->ids, (long long)want);
}

static void compare_ids(struct host *host) {
    compare_count(host);
    compare_golden(host, (const uint32_t *)segment_bytes(host, host->ring_segment));
}

// Keeps the records of log probabilities of the current request, which follow its ids.
static void keep_records(struct host *host) {
    struct request_result *r = current(host);
    size_t words = (size_t)r->ids * LOGPROBS_WORDS;
    if (!design(host)->logprobs) return;
    r->records = ARENA_ARRAY(&host->sim->arena, uint32_t, words + 1);
    memcpy(r->records, segment_bytes(host, host->ring_segment) + layout_logprobs_at(design(host)),
           words * sizeof *r->records);
}

// Compares the records with those of the replay. Ids before the position at which the design begins have none.
static void compare_records(struct host *host) {
    struct request_result *r = current(host);
    const uint32_t *golden = check_golden_records(host->sim->check);
    for (int64_t i = r->before * LOGPROBS_WORDS; r->records && i < r->ids * LOGPROBS_WORDS; i++)
        if (r->records[i] != golden[i])
            sim_fail(host->sim, MSG_RECORD_DIFFERS, (long long)(i % LOGPROBS_WORDS), (long long)(i / LOGPROBS_WORDS),
                     r->records[i], golden[i]);
}

static void compare_drafts(struct host *host) {
    struct request_result *r = current(host);
    if (!design(host)->drafts) return;
    const struct check_drafts_counts want = r->draft_steps = check_drafts(host->sim->check);
    if (r->drafts[0] != want.drafted || r->drafts[1] != want.accepted)
        sim_fail(host->sim, MSG_DRAFTS_DIFFER, (unsigned long long)r->drafts[0], (unsigned long long)r->drafts[1],
                 (unsigned long long)want.drafted, (unsigned long long)want.accepted);
}

static void compare_held(struct host *host, uint32_t held) {
    struct request_result *r = current(host);
    r->held = r->prompt_len + r->ids - 1;
    if (held != (uint32_t)r->held) sim_fail(host->sim, MSG_HELD_DIFFERS, held, (long long)r->held);
}

static void compare_logits(struct host *host) {
    const struct request_result *r = current(host);
    uint64_t got = r->logits_hash, want = check_golden_hash(host->sim->check);
    // The hash of a request that was stopped covers the logits of the tokens that it has made.
    if (host_was_stopped(host)) want = r->ids ? check_golden_hashes(host->sim->check)[r->ids - 1] : 0;
    if (got != want) sim_fail(host->sim, MSG_LOGITS_DIFFER, (unsigned long long)got, (unsigned long long)want);
}

// Keeps the cycles in which the request's steps ended.
static void keep_steps(struct sim *sim, struct request_result *r) {
    r->steps = check_steps(sim->check) - r->first_step;
    r->first_position = check_step_position(sim->check, r->first_step);
    r->step_end = ARENA_ARRAY(&sim->arena, uint64_t, (size_t)r->steps + 1);
    for (int64_t i = 0; i < r->steps; i++) r->step_end[i] = check_step_end(sim->check, r->first_step + i);
}

// Compares all results of a request whose registers were read, or reports its fault.
static void finish_request(struct host *host) {
    struct request_result *r = current(host);
    store_registers(host);
    r->done = true;
    if (r->fault != 0) {
        report_fault(host);
        return;
    }
    plant_end(host->sim);
    keep_steps(host->sim, r);
    check_end(host->sim->check, hbm_cycle(host->sim->hbm));
    differs(host->sim); // first, because it tells more than the failures that follow from it
    if (design(host)->is_lm) {
        compare_ids(host);
        keep_records(host);
        compare_records(host);
    } else rows_compare(host->sim, r->prompt_len);
    compare_drafts(host);
    if (design(host)->prefix) compare_held(host, host->axil.access[host->held_read].data);
    compare_logits(host);
    if (!hbm_quiet(host->sim->hbm)) sim_fail(host->sim, MSG_TRANSACTIONS_OUTSTANDING);
}

// ---- requests in slots ----

void host_place_request(struct host *host) {
    struct request_result *r = current(host);
    r->fed = r->prompt;
    r->fed_len = r->prompt_len;
    place_prompt(host);
}

void host_write_request(struct host *host) { write_request(host); }
void host_begin_check(struct host *host) { begin_check(host); }
void host_report_fault(struct host *host) { report_fault(host); }
void host_compare_count(struct host *host) { compare_count(host); }
bool host_open_then(struct host *host) { return open_then(host); }
void host_compare_held(struct host *host, uint32_t held) { compare_held(host, held); }

// Keeps the ids of the ring as those of the request: the next request of the slot overwrites the ring.
void host_keep_ring(struct host *host) {
    struct request_result *r = current(host);
    compare_count(host);
    r->ring = ARENA_ARRAY(&host->sim->arena, uint32_t, (size_t)r->ids + 1);
    memcpy(r->ring, segment_bytes(host, host->ring_segment), (size_t)r->ids * sizeof *r->ring);
    keep_records(host);
}

void host_compare_golden(struct host *host) {
    const struct request_result *r = current(host);
    if (r->fault) return;
    compare_golden(host, r->ring);
    if (differs(host->sim)) return;
    compare_records(host);
    compare_logits(host);
}

// ---- one clock ----

// Fails if values differ, if nothing has moved for too long (--watchdog), or if the run takes too long (--timeout).
static void guard_run(struct host *host) {
    struct sim *sim = host->sim;
    uint64_t cycle = hbm_cycle(sim->hbm);
    if (differs(sim)) return;
    bool is_stuck = watch_stuck(&sim->watch, sim->watch.beats + hbm_beats(sim->hbm), cycle, sim->options.watchdog);
    if (!is_stuck && (sim->options.timeout == 0 || cycle <= sim->options.timeout)) return;
    if (sim->failure == NULL) sim->watch.asked = true; // the states of the streams follow the message
    sim_fail(sim, is_stuck ? MSG_DEADLOCK : MSG_TIME_OUT, (unsigned long long)cycle, host->request,
             (long long)current(host)->ids);
}

// Notes the end of the current request and begins to read its results.
static void end_run(struct host *host) {
    struct request_result *r = current(host);
    r->end = hbm_cycle(host->sim->hbm);
    r->bytes_end = sim_bytes(host->sim);
    collect_arguments(host);
    enter(host, HOST_COLLECT);
}

static void next_request(struct host *host) {
    finish_request(host);
    if (host->sim->failure != NULL || (size_t)host->request + 1 == host->sim->options.prompts.count)
        enter(host, HOST_OVER);
    else {
        host->request++;
        begin_request(host);
    }
}

static void start_run(struct host *host) {
    struct request_result *r = current(host);
    r->start = hbm_cycle(host->sim->hbm);
    r->bytes_start = r->bytes_first = r->bytes_last = sim_bytes(host->sim);
    host->sim->watch.last_cycle = 0;
    enter(host, HOST_RUN);
}

bool host_edge(struct host *host, struct sim_pins *pins) {
    uint64_t cycle = hbm_cycle(host->sim->hbm);
    bool idle = axil_edge(&host->axil, pins);
    pins->rst = cycle < RESET_CYCLES;
    load_edge(host->sim, pins);
    switch (host->phase) {
    case HOST_RESET:
        if (cycle < RESET_CYCLES + SETTLE_CYCLES) break;
        if (design(host)->slots) {
            slots_begin(host);
            enter(host, HOST_SLOTS);
        } else begin_request(host);
        break;
    case HOST_SLOTS:
        guard_run(host);
        if (!axil_busy(&host->axil) && !slots_edge(host, pins)) enter(host, HOST_OVER);
        break;
    case HOST_ARGUMENTS:
        if (idle) start_run(host);
        break;
    case HOST_RUN:
        if (pins->interrupt) end_run(host);
        else guard_run(host);
        break;
    case HOST_COLLECT:
        if (idle) next_request(host);
        break;
    case HOST_OVER: break;
    }
    // Register accesses take a few hundred cycles, so after 100,000 the control port has stopped answering.
    if (host->phase != HOST_RUN && host->phase != HOST_SLOTS && host->phase != HOST_OVER &&
        cycle - host->phase_cycle > 100000)
        sim_fail(host->sim, MSG_CONTROL_PORT);
    return host->phase != HOST_OVER && host->sim->failure == NULL;
}
