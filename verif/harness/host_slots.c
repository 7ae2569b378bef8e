// SPDX-License-Identifier: Apache-2.0
// Runs requests on a design with slots, as a host does: submits requests while others run, and reads the results of
// each slot. At the end, each request is compared with a run of the replay that has only this request.
#include <string.h>

#include "gen/ir/fields.h"
#include "gen/kernel/kernel.h"
#include "verif/harness/sim_internal.h"

// CTRL_START, EVENT_DONE, SUBMIT_START and SUBMIT_STOP are values of the registers CTRL, IP_ISR (the run has ended) and
// submit. RESULT_READS, DRAFT_READS: registers that are read for each request that has ended, the second ones in a
// design with drafts. In a design with `prefix`, `held` is read between them.
enum { CTRL_START = 1, EVENT_DONE = 1, SUBMIT_START = 1, SUBMIT_STOP = 2, RESULT_READS = 7, DRAFT_READS = 4 };

static struct request_result *request_at(struct host *host, int request) { return &host->result[request]; }
static int slot_count(const struct host *host) { return host->sim->ir->design.slots; }
static int requests(const struct host *host) { return (int)host->sim->options.prompts.count; }

// Makes a request the one that the other functions of the host work on.
static void select_request(struct host *host, int request, int slot) {
    host->request = request;
    host->slot = slot;
}

// Returns how many of the positions that a slot holds the next request can keep.
static int64_t keeps_of(const struct host *host, int slot) {
    int latest = host->slots.latest[slot], next = host->slots.sent;
    if (latest < 0 || !host->sim->options.prompts.items[next].prefix) return 0;
    return prefix_most(&host->result[latest], &host->result[next]);
}

// Returns the free slot of which the next request can keep the most positions, the lowest one if there are several. If
// no slot is free, returns the number of slots. Without `prefix`, the first request of a run is always in slot 0.
static int free_slot(const struct host *host) {
    int best = slot_count(host);
    if (!host->slots.runs && !host->sim->ir->design.prefix) return host->slots.request[0] < 0 ? 0 : best;
    for (int s = slot_count(host) - 1; s >= 0; s--)
        if (host->slots.request[s] < 0 && (best == slot_count(host) || keeps_of(host, s) >= keeps_of(host, best)))
            best = s;
    return best;
}

// Opens the next request if it continues the one before. Returns false if that one has not ended, or after a failure.
static bool open_next(struct host *host) {
    int next = host->slots.sent;
    if (host->slots.opened > next || !host->sim->options.prompts.items[next].then) return true;
    if (!host->result[next - 1].done) return false;
    host->request = next;
    host->slots.opened = next + 1;
    return host_open_then(host);
}

// Finds how many positions the request, which goes to this slot, keeps there. The replay computes the whole request.
static void find_prefix(struct host *host, int request, int slot) {
    static const struct request_result none;
    struct request_result *r = request_at(host, request);
    int64_t asked = host->sim->options.prompts.items[request].prefix;
    int latest = host->slots.latest[slot];
    if (asked && host->sim->ir->design.prefix)
        prefix_find(host->sim, asked, latest < 0 ? &none : request_at(host, latest), r);
    r->begin = 0;
    host->slots.latest[slot] = -1;
}

// Returns the cycle from which a request may be submitted. --join counts from the start of the first request.
static uint64_t joins_at(const struct host *host, int request) {
    const struct sim_options *o = &host->sim->options;
    if (request == 0 || o->joins.count == 0) return 0;
    size_t at = (size_t)request - 1 < o->joins.count ? (size_t)request - 1 : o->joins.count - 1;
    return host->result[0].start + o->joins.items[at];
}

// Returns the request in whose ring a write at this offset is, or -1.
int slots_request_at(const struct host *host, uint64_t offset) {
    uint64_t stride = (uint64_t)host->ring_segment->bytes / (uint64_t)slot_count(host);
    return host->slots.request[offset / stride];
}

void slots_step(struct host *host, uint64_t word) {
    int request = host->slots.request[field_get(word, STEP_SLOT)];
    if (request < 0) return;
    const struct check_part part = {(int64_t)field_get(word, STEP_POS), (int)field_get(word, STEP_NTOK)};
    VEC_PUSH(&host->sim->arena, request_at(host, request)->part, part);
}

// Sends the next request to a slot: by a start if nothing runs, else by a submission.
static void send_request(struct host *host, int slot) {
    struct axil *axil = &host->axil;
    int request = host->slots.sent;
    struct request_result *r = request_at(host, request);
    select_request(host, request, slot);
    find_prefix(host, request, slot);
    host_place_request(host);
    axil_clear(axil);
    host_write_request(host);
    axil_write(axil, REG_SLOT, (uint32_t)slot);
    axil_write(axil, host->slots.runs ? REG_SUBMIT : REG_CTRL, host->slots.runs ? SUBMIT_START : CTRL_START);
    host->slots.accepted_read = axil_read(axil, REG_SLOTS);
    host->slots.slot = slot;
    r->start = hbm_cycle(host->sim->hbm);
    r->bytes_start = r->bytes_first = r->bytes_last = sim_bytes(host->sim);
    host->slots.request[slot] = request; // ids may come while the registers are read
    host->slots.phase = SLOTS_SENT;
}

// Returns a slot whose request is to be stopped now (--stop), or the number of slots if there is none.
static int slot_to_stop(const struct host *host) {
    for (int s = 0; s < slot_count(host); s++) {
        const int request = host->slots.request[s];
        const struct sim_stop *stop = request < 0 ? NULL : sim_stop_of(&host->sim->options, (size_t)request);
        const struct request_result *r = stop ? &host->result[request] : NULL;
        if (stop && !r->told_stop && hbm_cycle(host->sim->hbm) >= r->start + stop->cycles) return s;
    }
    return slot_count(host);
}

// Stops the request of a slot before its next step.
static void send_stop(struct host *host, int slot) {
    axil_clear(&host->axil);
    axil_write(&host->axil, REG_SLOT, (uint32_t)slot);
    axil_write(&host->axil, REG_SUBMIT, SUBMIT_STOP);
    request_at(host, host->slots.request[slot])->told_stop = true;
}

// Returns a slot whose request gets its prediction now (--predict-at), or the number of slots if there is none.
static int slot_to_predict(const struct host *host) {
    for (int s = 0; s < slot_count(host); s++) {
        const int request = host->slots.request[s];
        const struct request_result *r = request < 0 ? NULL : &host->result[request];
        if (!r || r->told_prediction || !r->predicted_count) continue;
        if (hbm_cycle(host->sim->hbm) >= r->start + host->sim->options.prompts.items[request].predict_at) return s;
    }
    return slot_count(host);
}

// Gives the request of a slot its prediction while it runs.
static void send_prediction(struct host *host, int slot) {
    select_request(host, host->slots.request[slot], slot);
    axil_clear(&host->axil);
    host_write_prediction(host, true);
}

// Notes whether the design has accepted the request. If the run ended just before the submission, the design has not
// accepted it, and the request is sent again.
static void request_sent(struct host *host) {
    uint32_t accepted = host->axil.access[host->slots.accepted_read].data >> 16;
    bool is_new = accepted != host->slots.accepted || !host->slots.runs;
    if (is_new) host->slots.sent++;
    else host->slots.request[host->slots.slot] = -1;
    host->slots.runs |= is_new;
    host->slots.accepted = accepted;
    host->slots.phase = SLOTS_RUN;
}

static void read_events(struct host *host) {
    axil_clear(&host->axil);
    axil_read(&host->axil, REG_ISR);
    axil_read(&host->axil, REG_SLOTS);
    host->slots.phase = SLOTS_EVENTS;
}

// Clears the events, and reads the results of the slots whose requests have ended.
static void read_results(struct host *host) {
    uint32_t events = host->axil.access[0].data, busy = host->axil.access[1].data;
    struct axil *axil = &host->axil;
    axil_clear(axil);
    axil_write(axil, REG_ISR, events);
    host->slots.over = events & EVENT_DONE;
    host->slots.reads = 0;
    for (int s = 0; s < slot_count(host); s++) {
        if (host->slots.request[s] < 0 || (busy >> s & 1)) continue;
        axil_write(axil, REG_SLOT, (uint32_t)s);
        host->slots.ended[host->slots.reads++] = s;
        static const uint32_t result[RESULT_READS] = {REG_STATUS, REG_IDS,        REG_FAULT, REG_PLACE,
                                                      REG_LOGITS, REG_LOGITS + 4, REG_ENDING};
        for (int i = 0; i < RESULT_READS; i++) {
            int at = axil_read(axil, result[i]);
            if (i == 0) host->slots.first_read[host->slots.reads - 1] = at;
        }
        if (host->sim->ir->design.prefix) axil_read(axil, REG_HELD);
        for (int i = 0; host->sim->ir->design.drafts && i < DRAFT_READS; i++)
            axil_read(axil, REG_CYCLES + 8 * (uint32_t)host_draft_counter(host) + 4 * (uint32_t)i);
    }
    host->slots.phase = SLOTS_RESULTS;
}

// Checks a request that `--fault` names: it must have ended with this fault, and its counter of tokens must be right.
static void check_fault(struct host *host, const struct sim_fault *want) {
    const struct request_result *r = request_at(host, host->request);
    if (r->fault == want->code) host_compare_count(host);
    else
        sim_fail(host->sim, MSG_FAULT_DIFFERS, host->request + 1, r->fault, r->fault_place,
                 (unsigned long long)want->code);
}

// Keeps the results of a request that has ended. The ring is copied now, because the slot's next request writes it.
static void keep_result(struct host *host, int slot, const struct axil_access *a) {
    struct request_result *r = request_at(host, host->slots.request[slot]);
    select_request(host, host->slots.request[slot], slot);
    r->status = a[0].data;
    r->ids_written = a[1].data;
    r->fault = a[2].data;
    r->fault_place = a[3].data;
    r->logits_hash = (uint64_t)a[5].data << 32 | a[4].data;
    r->ending = a[6].data;
    const struct axil_access *counter = a + RESULT_READS + host->sim->ir->design.prefix;
    for (int i = 0; host->sim->ir->design.drafts && i < DRAFT_COUNTERS; i++)
        r->drafts[i] = (uint64_t)counter[2 * i + 1].data << 32 | counter[2 * i].data;
    r->end = hbm_cycle(host->sim->hbm);
    r->bytes_end = sim_bytes(host->sim);
    r->done = true;
    if (host->slots.ended_requests + 1 == requests(host)) plant_end(host->sim);
    host->slots.ended_requests++;
    const struct sim_fault *fault = sim_fault_of(&host->sim->options, (size_t)host->request);
    if (fault) check_fault(host, fault);
    else if (r->fault != 0) host_report_fault(host);
    else host_keep_ring(host);
    if (r->fault == 0 && r->ids > 0 && host->sim->ir->design.prefix) {
        host_compare_held(host, a[RESULT_READS].data);
        host->slots.latest[slot] = host->slots.request[slot];
    }
    host->slots.request[slot] = -1;
}

static void keep_results(struct host *host) {
    for (int i = 0; i < host->slots.reads; i++)
        keep_result(host, host->slots.ended[i], &host->axil.access[host->slots.first_read[i]]);
    if (host->slots.over) host->slots.runs = false;
    host->slots.phase = SLOTS_RUN;
}

// Compares the parts of a request and its counters with the drafts that its ids allow.
static void compare_parts(struct host *host, struct request_result *r) {
    struct sim *sim = host->sim;
    if (!sim->ir->design.drafts || r->fault) return;
    const struct check_parts_of parts = {
        .first = r->kept, .after = r->prompt_len + r->ids - 1, .part = r->part.items, .parts = r->part.count};
    const char *wrong = check_parts(sim->check, &parts, &r->draft_steps);
    const struct check_drafts_counts *want = &r->draft_steps;
    if (wrong) sim_fail(sim, MSG_PART_DIFFERS, wrong);
    else if (r->drafts[0] != want->drafted || r->drafts[1] != want->accepted)
        sim_fail(sim, MSG_DRAFTS_DIFFER, (unsigned long long)r->drafts[0], (unsigned long long)r->drafts[1],
                 (unsigned long long)want->drafted, (unsigned long long)want->accepted);
}

// Compares every request with a run of the replay that has only this request. The replay cannot run a request that must
// end with a fault.
static void compare_requests(struct host *host) {
    for (int i = 0; i < requests(host) && host->sim->failure == NULL; i++) {
        select_request(host, i, 0);
        if (sim_fault_of(&host->sim->options, (size_t)i)) continue;
        host_begin_check(host);
        host_compare_golden(host);
        compare_parts(host, request_at(host, i));
    }
    select_request(host, requests(host) - 1, 0);
}

static bool is_over(const struct host *host) {
    return !host->slots.runs && host->slots.ended_requests == requests(host);
}

void slots_begin(struct host *host) {
    for (int s = 0; s < REGISTER_SLOTS; s++) host->slots.request[s] = host->slots.latest[s] = -1;
    send_request(host, 0);
}

// Advances by one clock, in which no register access is under way. Returns false when every request is over and
// compared.
bool slots_edge(struct host *host, const struct sim_pins *pins) {
    struct slots *s = &host->slots;
    bool comes = s->phase == SLOTS_RUN && s->sent < requests(host) &&
                 hbm_cycle(host->sim->hbm) >= joins_at(host, s->sent) && open_next(host);
    int slot = comes ? free_slot(host) : slot_count(host), stopped = slot_to_stop(host);
    int predicted = slot_to_predict(host);
    bool may_send = slot < slot_count(host);
    if (s->phase == SLOTS_SENT) request_sent(host);
    else if (s->phase == SLOTS_EVENTS) read_results(host);
    else if (s->phase == SLOTS_RESULTS) keep_results(host);
    else if (pins->interrupt) read_events(host);
    else if (is_over(host)) return compare_requests(host), false;
    else if (stopped < slot_count(host)) send_stop(host, stopped);
    else if (predicted < slot_count(host)) send_prediction(host, predicted);
    else if (may_send) send_request(host, slot);
    return true;
}
