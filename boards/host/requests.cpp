// SPDX-License-Identifier: Apache-2.0
// Implements the functions of rill_host.h that run requests. A design without slots has one place for a request. In a
// design with slots, the first request begins a run, and further ones join it through the registers slot, submit and
// slots (docs/batches.md).
#include <algorithm>
#include <cstring>

#include "boards/host/handle.hpp"

extern "C" {
#include "gen/base/endings.h"
}

namespace rill {

const char *const needs_reset = "; reset the card (`rill-host --reset`, or `xbutil reset`), then try again";

std::uint64_t value_of(const rill_host *h, const std::string &name) {
    auto found = h->pkg.registers.find(name);
    return found == h->pkg.registers.end() ? 0 : h->dev->value(found->second);
}

void set(rill_host *h, const char *name, std::uint32_t value) {
    if (h->pkg.has(name)) h->dev->write(h->pkg.registers.at(name).offset, value);
}

void forget_positions(rill_host *h) {
    for (std::uint32_t s = 0; s < h->slots.size(); s++) {
        h->slots[s].held.clear();
        if (!h->pkg.prefix) continue;
        set(h, "slot", s);
        set(h, "held", 0);
    }
}

// Reads the sensor if sensor_seconds have passed since the latest reading. now: seconds since the start of the request.
void power::look(const card &c, double now) {
    constexpr double sensor_seconds = 0.2; // between two readings
    if (now < next) return;
    double w = c.watts();
    if (w > 0) sum += w, count++;
    next = now + sensor_seconds;
}

} // namespace rill

using namespace rill;

namespace {

constexpr std::uint32_t WATCHDOG = 100000000; // default value of the register watchdog, in cycles
constexpr double QUIET_SECONDS = 10;          // time in which a design must end after it was told to end at once

// ---- checks ----

// Checks the sampling values of a request. The comparisons are written so that NaN is rejected.
void check_sampling(const rill_host *h, const rill_host_request &r) {
    bool any = r.temperature != 0 || r.top_k || r.min_p != 0 || r.seed;
    if (any && !h->pkg.sampling)
        throw problem(RILL_HOST_INPUT, "the design takes the most likely id alone: it has no `sampling`");
    if (!(r.temperature == 0 || (r.temperature >= 0.01f && r.temperature <= 100)))
        throw problem(RILL_HOST_INPUT, "the temperature must be 0 (the most likely id) or 0.01 to 100");
    if (r.top_k > h->pkg.sampling)
        throw problem(RILL_HOST_INPUT, "top_k is " + std::to_string(r.top_k) + ", the design keeps a list of " +
                                           std::to_string(h->pkg.sampling));
    if (!(r.min_p == 0 || (r.min_p >= 1e-30f && r.min_p <= 1)))
        throw problem(RILL_HOST_INPUT, "min_p must be 0 (none) or 1e-30 to 1");
    if (r.min_p != 0 && !r.top_k)
        throw problem(RILL_HOST_INPUT, "min_p goes with top_k: it is a bound within the list of the most likely ids");
}

void check_request(const rill_host *h, const rill_host_request &r) {
    if (!h->pkg.is_lm) throw problem(RILL_HOST_INPUT, "the design is no language model: it takes rows, not prompts");
    if (!h->uploaded) throw problem(RILL_HOST_INPUT, "no image on the card: upload it first");
    if (r.prompt_count < 1) throw problem(RILL_HOST_INPUT, "the prompt is empty");
    if (r.prompt_count > h->pkg.context)
        throw problem(RILL_HOST_INPUT, "the prompt has " + std::to_string(r.prompt_count) +
                                           " ids, the design's context is " + std::to_string(h->pkg.context));
    for (std::uint32_t i = 0; i < r.prompt_count; i++)
        if (r.prompt[i] >= h->pkg.vocabulary)
            throw problem(RILL_HOST_INPUT, "id " + std::to_string(r.prompt[i]) + " is outside the vocabulary, " +
                                               std::to_string(h->pkg.vocabulary));
    check_sampling(h, r);
    if (r.logprobs && !h->pkg.logprobs)
        throw problem(RILL_HOST_INPUT, "the design gives no log probabilities: it has no `logprobs`");
}

// ---- beginning ----

std::uint32_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Writes a register of 64 bits, the low half first.
void set_wide(rill_host *h, const char *name, std::uint64_t value) {
    std::uint32_t place = h->pkg.registers.at(name).offset;
    h->dev->write(place, static_cast<std::uint32_t>(value));
    h->dev->write(place + 4, static_cast<std::uint32_t>(value >> 32));
}

void set_sampling(rill_host *h, const rill_host_request &r) {
    set(h, "inverse_temperature", r.temperature > 0 ? bits_of(1 / r.temperature) : 0);
    set(h, "top_k", r.top_k);
    set(h, "min_p", r.min_p > 0 ? bits_of(r.min_p) : 0);
    set_wide(h, "seed", r.seed);
}

void set_end_ids(rill_host *h) {
    for (std::size_t i = 0; i < h->pkg.eot_more.size(); i++)
        set(h, ("eot_more_0" + std::to_string(i)).c_str(), h->pkg.eot_more[i]);
}

bool runs(const place &p) { return p.used && !p.ended; } // whether the design has the request

// Chooses the slot and the number of positions that the request keeps of those that the slot holds, and writes both to
// the registers. The register `held` of the slot must agree, because the card may have lost its positions without
// notice to this program.
void choose_prefix(rill_host *h, place &p) {
    std::uint32_t count = p.request.whole ? 0 : p.request.prompt_count;
    for (bool agrees = false; !agrees;) {
        p.slot = choose_slot(h->slots, p.prompt.data(), count);
        std::vector<std::uint32_t> &held = h->slots[p.slot].held;
        set(h, "slot", p.slot);
        agrees = held.empty() || value_of(h, "held") == held.size();
        if (!agrees) held.clear();
        p.prefix = common_prefix(held, p.prompt.data(), count);
    }
    set(h, "prefix", p.prefix);
}

// Chooses the slot of a request. Without `prefix`, the first request of a run is in slot 0, and a further one in the
// lowest slot without a request.
void place_request(rill_host *h, place &p) {
    for (slot_positions &s : h->slots) s.busy = false;
    std::uint32_t taken = 0;
    for (const place &other : h->places)
        if (runs(other)) h->slots[other.slot].busy = true, taken |= 1u << other.area;
    for (p.area = 0; taken >> p.area & 1;) p.area++;
    if (h->pkg.prefix) choose_prefix(h, p);
    else p.slot = p.area;
    h->slots[p.slot].latest = ++h->submitted;
    h->slots[p.slot].held.clear(); // until the request has ended
}

// Notes the ids whose positions the slot holds after the request. The register `held` has their number. The last
// generated id has no position yet, so a number that includes it is wrong, and nothing is noted.
void note_positions(rill_host *h, const place &p) {
    if (!h->pkg.prefix) return;
    std::vector<std::uint32_t> all(p.prompt), &ids = h->slots[p.slot].held;
    all.insert(all.end(), p.ids.begin(), p.ids.end());
    std::uint64_t held = value_of(h, "held");
    if (held < all.size()) ids.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(held));
}

// Waits until the design has begun the run and counted its request. Until then the design ignores submissions.
// accepted: number of accepted requests in bits 31:16 of the register `slots` before the start.
void wait_for_run(rill_host *h, std::uint64_t accepted) {
    auto begin = clock_type::now();
    while (value_of(h, "slots") >> 16 == accepted)
        if (since(begin) > h->timeout)
            throw problem(RILL_HOST_TIMEOUT, std::string("the design does not begin a run") + needs_reset);
}

// Begins a run with this request.
void begin_run(rill_host *h, place &p) {
    const rill_host_request &r = p.request;
    auto give = [&](const char *name, std::uint32_t v) { h->dev->argument(h->pkg.registers.at(name).argument, v); };
    p.before = {};
    place_request(h, p);
    h->dev->put_prompt(p.area, p.prompt);
    give("prompt_len", r.prompt_count);
    give("max_new", r.max_new);
    give("eot_id", static_cast<std::uint32_t>(h->pkg.eot));
    give("flags", r.ignore_eot || h->pkg.eot < 0); // bit 0: do not stop at end-of-text ids
    set(h, "watchdog", h->options.watchdog ? h->options.watchdog : WATCHDOG);
    set(h, "ring_ids", h->dev->ring_ids());
    set_end_ids(h);
    if (h->pkg.sampling) set_sampling(h, r);
    std::uint64_t accepted = value_of(h, "slots") >> 16;
    h->stop = 0, h->told = 0, h->counted = {};
    h->dev->start();
    h->running = true;
    if (h->pkg.slots > 1) wait_for_run(h, accepted);
}

// Reads the counters of the run.
counts counts_of(const rill_host *h) {
    counts c;
    c.cycles = value_of(h, "cycles");
    for (int i = 0; i < h->pkg.channels; i++) {
        std::string digits = h->pkg.channel_argument(i).substr(4); // NN of hbm_NN
        c.beats[i] = value_of(h, "beats_" + digits), c.stalls[i] = value_of(h, "stalls_" + digits);
    }
    return c;
}

void end_requests(rill_host *h);

// Submits the request to a free slot of the run. Returns false if the run is over. The requests of the run have then
// ended, and the caller begins a new run.
bool join_run(rill_host *h, place &p) {
    const rill_host_request &r = p.request;
    p.before = counts_of(h);
    place_request(h, p);
    h->dev->put_prompt(p.area, p.prompt);
    set(h, "prompt_len", r.prompt_count);
    set(h, "max_new", r.max_new);
    set(h, "flags", r.ignore_eot || h->pkg.eot < 0);
    set_wide(h, "prompt_ptr", h->dev->prompt_address(p.area));
    set_wide(h, "ring_ptr", h->dev->ring_address(p.area));
    if (h->pkg.sampling) set_sampling(h, r);
    set(h, "slot", p.slot);
    std::uint64_t accepted = value_of(h, "slots") >> 16;
    set(h, "submit", SUBMIT_START);
    if (value_of(h, "slots") >> 16 != accepted) return true;
    // A run that ends by a fault or is done takes no request.
    for (auto begin = clock_type::now(); since(begin) < h->timeout;)
        if (h->dev->done(POLL_MS)) return end_requests(h), false;
    throw problem(RILL_HOST_TIMEOUT, std::string("the design neither takes a request nor ends its run") + needs_reset);
}

// Returns a place without a request and its number, or NULL if all are in use.
place *free_place(rill_host *h, std::uint32_t *number) {
    for (*number = 0; *number < h->pkg.slots; ++*number)
        if (!h->places[*number].used) return &h->places[*number];
    return nullptr;
}

void submit(rill_host *h, const rill_host_request &r, std::uint32_t *number) {
    check_request(h, r);
    place *p = free_place(h, number);
    if (!p)
        throw problem(RILL_HOST_INPUT, "the design has " + std::to_string(h->pkg.slots) +
                                           " slots, and all have a request: wait for the end of one");
    p->prompt.assign(r.prompt, r.prompt + r.prompt_count);
    p->request = r, p->request.prompt = p->prompt.data();
    p->ids.clear(), p->seconds.clear(), p->logprobs.clear();
    p->start = h->moved = clock_type::now();
    p->watts = {}, p->seen = 0, p->stop = p->told = false, p->prefix = 0;
    p->result = {}, p->ended = false;
    if (!h->running || !join_run(h, *p)) begin_run(h, *p);
    p->used = true;
}

// ---- following ----

// Takes the log probabilities of the ids from number `from` on.
void take_logprobs(rill_host *h, place &p, std::uint32_t from) {
    std::uint32_t count = static_cast<std::uint32_t>(p.ids.size()) - from;
    std::vector<std::uint32_t> words(record_words * count);
    h->dev->get_records(p.area, from, count, words.data());
    for (std::uint32_t i = 0; i < count; i++) p.logprobs.push_back(read_record(words.data() + record_words * i));
}

// Takes the new ids of a request from its ring, and calls `record` and `token` for each of them. The register `slot`
// must have the slot of the request.
void take_ids(rill_host *h, place &p) {
    std::uint32_t from = static_cast<std::uint32_t>(p.ids.size());
    std::uint32_t now = h->dev->read(h->pkg.registers.at("ids_written").offset);
    if (now <= from) return;
    if (now > p.request.max_new) throw problem(RILL_HOST_CARD, "the design has written more ids than were asked for");
    p.ids.resize(now);
    h->dev->get_ring(p.area, from, now - from, p.ids.data() + from);
    if (p.request.logprobs) take_logprobs(h, p, from);
    double t = since(p.start);
    for (std::uint32_t i = from; i < now; i++) {
        p.seconds.push_back(t);
        if (p.request.logprobs && p.request.record) p.request.record(p.request.context, &p.logprobs[i]);
        if (p.request.token) p.request.token(p.request.context, p.ids[i], t);
    }
    h->moved = clock_type::now();
}

// Tells the design to end all requests at once, then throws an error that nothing has moved. If the design has no
// `halt` or does not end, only a reset helps, and the message says so.
[[noreturn]] void give_up(rill_host *h, const place &p) {
    std::string what = "nothing has moved for " + std::to_string(static_cast<int>(since(h->moved) + 0.5)) +
                       " s; the design is " + state_words(p.seen, h->pkg.slots) + ", " + std::to_string(p.ids.size()) +
                       " ids written";
    if (h->pkg.has("idle_engines")) what += ", " + busy_words(h->pkg, value_of(h, "idle_engines"));
    set(h, "halt", HALT_KILL);
    auto begin = clock_type::now();
    bool ended = false;
    while (h->pkg.has("halt") && !ended && since(begin) < QUIET_SECONDS) ended = h->dev->done(POLL_MS);
    throw problem(RILL_HOST_TIMEOUT, what + (ended ? "; the request was ended" : needs_reset));
}

// Tells the design to stop the requests for which rill_host_stop or rill_host_stop_request was called since the last
// time.
void tell_stops(rill_host *h) {
    if (int asked = h->stop; asked > h->told) set(h, "halt", asked > 1 ? HALT_KILL : HALT_STOP), h->told = asked;
    for (place &p : h->places) {
        if (!runs(p) || !p.stop || p.told) continue;
        p.told = true;
        if (h->pkg.slots == 1) set(h, "halt", HALT_STOP);
        else set(h, "slot", p.slot), set(h, "submit", SUBMIT_STOP);
    }
}

// Returns a text with the address of a memory error (fault 6), or "" if the design does not report it.
std::string address_words(const rill_host *h, std::uint32_t fault) {
    if (fault != FAULT_MEMORY || !h->pkg.has("fault_address")) return "";
    return std::string(value_of(h, "fault_channel") >> 8 & 1 ? ", a write" : ", a read") + " at address 0x" +
           hexadecimal(value_of(h, "fault_address"));
}

// Fills the counters of a result: the counts since the submission of the request, and those that no earlier result has.
void fill_counts(rill_host *h, const place &p, rill_host_result *out) {
    counts now = counts_of(h);
    out->cycles = now.cycles - p.before.cycles;
    out->new_cycles = now.cycles - h->counted.cycles;
    for (int c = 0; c < h->pkg.channels; c++) {
        out->beats[c] = now.beats[c] - p.before.beats[c], out->stalls[c] = now.stalls[c] - p.before.stalls[c];
        out->new_bytes += (now.beats[c] - h->counted.beats[c]) * static_cast<std::uint64_t>(h->pkg.beat_bytes);
    }
    h->counted = now;
    if (!h->pkg.drafts) return;
    out->drafts = value_of(h, h->pkg.counter(h->pkg.draft_counter));
    out->drafts_accepted = value_of(h, h->pkg.counter(h->pkg.draft_counter + 1));
}

// Fills the result of a request that has ended. The register `slot` must have the slot of the request.
void fill_result(rill_host *h, place &p) {
    auto value = [&](const char *name) { return static_cast<std::uint32_t>(value_of(h, name)); };
    rill_host_result *out = &p.result;
    out->total = since(p.start), out->watts = p.watts.mean();
    out->id = p.ids.data(), out->seconds = p.seconds.data();
    out->count = static_cast<std::uint32_t>(p.ids.size());
    out->clock_mhz = h->pkg.clock_mhz;
    out->channels = static_cast<std::uint32_t>(h->pkg.channels);
    out->beat_bytes = static_cast<std::uint32_t>(h->pkg.beat_bytes);
    out->status = value("status"), out->fault = value("fault"), out->fault_place = value("fault_place");
    out->ending = value("ending");
    out->hashes_logits = h->pkg.hashes, out->logits_hash = h->pkg.hashes ? value_of(h, "logits_hash") : 0;
    out->prefix = p.prefix;
    out->logprobs = p.request.logprobs ? p.logprobs.data() : nullptr;
    fill_counts(h, p, out);
}

// Fills result, status and message of a request that has ended, and marks it as ended.
void end_request(rill_host *h, place &p) {
    fill_result(h, p);
    note_positions(h, p);
    const rill_host_result &r = p.result;
    p.ended = true, p.status = RILL_HOST_OK, p.message.clear();
    if (r.ending == ENDING_STOPPED || r.ending == ENDING_KILLED) {
        p.status = RILL_HOST_STOPPED, p.message = std::string("the request was ") + ending_words(r.ending);
    } else if (r.fault) {
        p.status = RILL_HOST_FAULT;
        p.message = "the design reports fault " + std::to_string(r.fault) + ": " +
                    fault_words(h->pkg, r.fault, r.fault_place) + address_words(h, r.fault) +
                    "; latest step at position " + std::to_string(r.status >> 16);
    }
}

// Returns whether the request in the register `slot` has its final results, although other requests run on. After a
// fault of the run or a kill, results are final only when the run is done.
bool ended_alone(rill_host *h) {
    std::uint64_t ending = value_of(h, "ending"), fault = value_of(h, "fault");
    return ending != ENDING_NOT_YET && ending != ENDING_KILLED &&
           (fault == FAULT_NONE || fault_ends_request_alone(fault));
}

// Takes the new ids of a running request, and notes its end. `over` is true if the run is done. Bits 15:0 of `busy`
// show which slots have a request. Throws if nothing has moved for h->timeout seconds.
void follow(rill_host *h, place &p, bool over, std::uint64_t busy) {
    if (h->pkg.slots > 1) set(h, "slot", p.slot);
    bool alone = h->pkg.slots > 1 && (busy & 0xffff) != 0; // false if the run is about to end
    bool ended = over || (alone && !(busy >> p.slot & 1) && ended_alone(h));
    std::uint32_t status = h->dev->read(h->pkg.registers.at("status").offset);
    if (status != p.seen) h->moved = clock_type::now(), p.seen = status;
    take_ids(h, p);
    p.watts.look(*h->dev, since(p.start));
    if (ended) end_request(h, p);
    else if (since(h->moved) > h->timeout) give_up(h, p);
}

// Notes the end of all requests of a run that is done.
void end_requests(rill_host *h) {
    h->running = false;
    for (place &p : h->places)
        if (runs(p)) follow(h, p, true, 0);
}

// Reads the state of the card once, and notes new ids and ended requests.
void look(rill_host *h) {
    bool over = h->dev->done(POLL_MS);
    if (over) return end_requests(h);
    tell_stops(h);
    std::uint64_t busy = value_of(h, "slots");
    for (place &p : h->places)
        if (runs(p)) follow(h, p, false, busy);
}

// Returns a place whose request has ended and its number, or NULL and RILL_HOST_NONE.
place *ended_place(rill_host *h, std::uint32_t *number) {
    for (*number = 0; *number < h->pkg.slots; ++*number)
        if (h->places[*number].used && h->places[*number].ended) return &h->places[*number];
    *number = RILL_HOST_NONE;
    return nullptr;
}

bool any_runs(const rill_host *h) { return std::any_of(h->places.begin(), h->places.end(), runs); }

// Gives up all requests after an error of the card. Returns the status of the error.
rill_host_status drop_requests(rill_host *h) {
    h->running = false;
    for (place &p : h->places) p.used = false;
    return h->status;
}

// Does the work of rill_host_wait, with the time in seconds.
rill_host_status wait_for_one(rill_host *h, double seconds, std::uint32_t *number, rill_host_result *result) {
    *result = {};
    auto begin = clock_type::now();
    place *p = ended_place(h, number);
    guarded(h, [&] {
        for (bool late = false; !p && !late && any_runs(h); late = since(begin) > seconds) {
            look(h);
            p = ended_place(h, number);
        }
    });
    if (h->status) return *number = RILL_HOST_NONE, drop_requests(h);
    if (!p) return RILL_HOST_OK;
    *result = p->result, p->used = false;
    h->message = p->message;
    return h->status = p->status;
}

} // namespace

extern "C" {

uint32_t rill_host_slots(const rill_host *h) { return h->pkg.slots; }

rill_host_status rill_host_submit(rill_host *h, const rill_host_request *request, uint32_t *number) {
    guarded(h, [&] { submit(h, *request, number); });
    return h->status == RILL_HOST_OK || h->status == RILL_HOST_INPUT ? h->status : drop_requests(h);
}

rill_host_status rill_host_wait(rill_host *h, unsigned milliseconds, uint32_t *number, rill_host_result *result) {
    return wait_for_one(h, milliseconds / 1e3, number, result);
}

void rill_host_stop_request(rill_host *h, uint32_t number) {
    if (number < RILL_HOST_MAX_SLOTS) h->places[number].stop = true;
}

rill_host_status rill_host_run(rill_host *h, const rill_host_request *request, rill_host_result *result) {
    uint32_t number;
    *result = {};
    if (std::any_of(h->places.begin(), h->places.end(), [](const place &p) { return p.used; })) {
        h->message = "requests were submitted: take their results first";
        return h->status = RILL_HOST_INPUT;
    }
    if (rill_host_submit(h, request, &number)) return h->status;
    do wait_for_one(h, 3600, &number, result);
    while (number == RILL_HOST_NONE && h->status == RILL_HOST_OK);
    return h->status;
}

void rill_host_stop(rill_host *h) { h->stop++; }

} // extern "C"
