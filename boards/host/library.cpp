// SPDX-License-Identifier: Apache-2.0
// Implements rill_host.h: opening, requests, results.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "boards/host/host.hpp"

using namespace rill;

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::uint32_t CTRL_IDLE = 4;
constexpr unsigned POLL_MS = 2; // between two looks at the card
constexpr int SENSOR_MS = 200;  // between two readings of the power sensor
// HALT_*: values of the register halt. MAGIC: "RILL", the lowest byte first. WATCHDOG: cycles.
constexpr std::uint32_t HALT_STOP = 1, HALT_KILL = 2, MAGIC = 0x4C4C4952, WATCHDOG = 100000000;
constexpr double QUIET_SECONDS = 10; // time for a design to end after it was told to end at once

double since(clock_type::time_point begin) { return std::chrono::duration<double>(clock_type::now() - begin).count(); }

} // namespace

struct rill_host {
    rill_host_status status = RILL_HOST_OK;
    std::string message, about;
    rill_host_options options = {};
    double timeout = 10;
    package pkg;
    image im;
    std::unique_ptr<card> dev;
    std::unique_ptr<words> speech;
    bool uploaded = false;
    std::atomic<int> stop{0};       // how often rill_host_stop was called
    std::vector<std::uint32_t> ids; // ids of the latest request
    std::vector<double> seconds;
    std::vector<std::uint32_t> held; // ids of the positions that the card holds
    std::uint32_t prefix = 0;        // of the latest request
};

namespace {

// Runs a part of a call. If it throws, that becomes the call's status and message.
template <typename call> rill_host_status guarded(rill_host *h, call &&f) {
    h->status = RILL_HOST_OK;
    h->message.clear();
    try {
        f();
    } catch (const problem &e) {
        h->status = e.status, h->message = e.what();
    } catch (const std::exception &e) {
        h->status = RILL_HOST_CARD, h->message = e.what();
    }
    return h->status;
}

// ---- opening ----

std::string describe(const rill_host &h, const binary &b) {
    std::uint64_t bytes = 0;
    for (std::uint64_t n : h.im.needed) bytes += n;
    std::string s = "{\"design\": " + quoted(h.pkg.design) + ", \"identity\": " + quoted(h.pkg.identity) +
                    ", \"weights\": " + quoted(h.im.weights) + ", \"binary\": " + quoted(b.path) +
                    ", \"unit\": " + quoted(h.pkg.unit_name()) + ", \"uuid\": " + quoted(b.uuid) +
                    ", \"platform\": " + quoted(b.platform) + ", \"card\": " + quoted(h.dev->name) +
                    ", \"bdf\": " + quoted(h.dev->bdf) + ", \"memory_bytes\": " + std::to_string(bytes) +
                    ", \"banks\": [";
    for (int c = 0; c < h.pkg.channels; c++) {
        const reg &r = h.pkg.registers.at(h.pkg.channel_argument(c));
        s += (c ? ", {\"bank\": " : "{\"bank\": ") + quoted(h.pkg.bank.at(r.port)) +
             ", \"address\": " + std::to_string(h.dev->address[static_cast<std::size_t>(c)]) +
             ", \"bytes\": " + std::to_string(h.im.needed[static_cast<std::size_t>(c)]) + "}";
    }
    return s + "]}";
}

bool is_idle(rill_host *h) { return (h->dev->read(h->pkg.registers.at("CTRL").offset) & CTRL_IDLE) != 0; }

bool becomes_idle(rill_host *h, double limit) {
    auto begin = clock_type::now();
    while (!is_idle(h)) {
        if (since(begin) > limit) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(POLL_MS));
    }
    return true;
}

const char *const needs_reset = "; reset the card (`rill-host --reset`, or `xbutil reset`), then try again";

std::uint64_t value_of(const rill_host *h, const std::string &name) {
    auto found = h->pkg.registers.find(name);
    return found == h->pkg.registers.end() ? 0 : h->dev->value(found->second);
}

void set(rill_host *h, const char *name, std::uint32_t value) {
    if (h->pkg.has(name)) h->dev->write(h->pkg.registers.at(name).offset, value);
}

// Compares the identity that the kernel on the card reports with the package's. Older kernels report none.
void check_identity(const rill_host *h) {
    if (!h->pkg.has("magic")) return;
    if (value_of(h, "magic") != MAGIC) throw problem(RILL_HOST_CARD, "the kernel on the card is none of rill's");
    std::string identity = hexadecimal(value_of(h, "identity")), layout = hexadecimal(value_of(h, "layout"));
    if (identity != h->pkg.identity || layout != h->pkg.layout)
        throw problem(RILL_HOST_CARD, "the kernel on the card is of another design: identity " + identity +
                                          ", layout " + layout + "; the package's are " + h->pkg.identity + " and " +
                                          h->pkg.layout);
}

// If a request of an earlier program still runs, tells the design to end it at once, and waits for that. A design
// without `halt` runs it to its end.
void wait_for_idle(rill_host *h) {
    if (is_idle(h)) return;
    std::uint32_t status = h->dev->read(h->pkg.registers.at("status").offset);
    set(h, "halt", HALT_KILL);
    if (!becomes_idle(h, h->timeout))
        throw problem(RILL_HOST_CARD,
                      "the kernel is busy with a request of an earlier program: " + state_words(status) + needs_reset);
}

void open_all(rill_host *h, const rill_host_options &o) {
    std::string folder = o.package ? o.package : ".";
    h->timeout = o.timeout > 0 ? o.timeout : h->timeout;
    h->pkg = read_package(folder, o.unit);
    h->im = read_image(o.image ? o.image : folder + "/image", h->pkg);
    h->speech = std::make_unique<words>(h->im.folder, folder);
    binary b = read_binary(o.binary ? o.binary : folder + "/build/hw/" + h->pkg.units[0] + ".xclbin");
    check_binary(b, h->pkg);
    h->dev = std::make_unique<card>(o.device ? o.device : "0", b, h->pkg, h->im);
    check_identity(h);
    wait_for_idle(h);
    h->about = describe(*h, b);
}

// ---- requests ----

// Checks the request's sampling values. The comparisons are written so that NaN is rejected.
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
}

std::uint32_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

void set_sampling(rill_host *h, const rill_host_request &r) {
    set(h, "inverse_temperature", r.temperature > 0 ? bits_of(1 / r.temperature) : 0);
    set(h, "top_k", r.top_k);
    set(h, "min_p", r.min_p > 0 ? bits_of(r.min_p) : 0);
    std::uint32_t place = h->pkg.registers.at("seed").offset;
    h->dev->write(place, static_cast<std::uint32_t>(r.seed));
    h->dev->write(place + 4, static_cast<std::uint32_t>(r.seed >> 32));
}

void set_end_ids(rill_host *h) {
    for (std::size_t i = 0; i < h->pkg.eot_more.size(); i++)
        set(h, ("eot_more_0" + std::to_string(i)).c_str(), h->pkg.eot_more[i]);
}

// Finds what the request can keep of the one before. The card's register `held` must agree, because the card may have
// lost its positions without this program.
std::uint32_t prefix_of(rill_host *h, const rill_host_request &r) {
    if (r.whole || value_of(h, "held") != h->held.size()) return 0;
    return common_prefix(h->held, r.prompt, r.prompt_count);
}

void forget_positions(rill_host *h) {
    h->held.clear();
    if (h->pkg.prefix) set(h, "held", 0);
}

// Notes the ids of the positions that the request has left. The last generated id has no position yet.
void note_positions(rill_host *h, const rill_host_request &r) {
    if (!h->pkg.prefix) return;
    std::vector<std::uint32_t> all(r.prompt, r.prompt + r.prompt_count);
    all.insert(all.end(), h->ids.begin(), h->ids.end());
    std::uint64_t held = value_of(h, "held");
    if (held < all.size()) h->held.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(held));
}

void begin(rill_host *h, const rill_host_request &r) {
    auto give = [&](const char *name, std::uint32_t v) { h->dev->argument(h->pkg.registers.at(name).argument, v); };
    h->dev->put_prompt(std::vector<std::uint32_t>(r.prompt, r.prompt + r.prompt_count));
    give("prompt_len", r.prompt_count);
    give("max_new", r.max_new);
    give("eot_id", static_cast<std::uint32_t>(h->pkg.eot));
    give("flags", r.ignore_eot || h->pkg.eot < 0); // bit 0: do not stop at end-of-text ids
    set(h, "watchdog", h->options.watchdog ? h->options.watchdog : WATCHDOG);
    set(h, "ring_ids", static_cast<std::uint32_t>(h->pkg.io("ring").bytes / 4));
    set_end_ids(h);
    if (h->pkg.sampling) set_sampling(h, r);
    h->prefix = h->pkg.prefix ? prefix_of(h, r) : 0;
    if (h->pkg.prefix) set(h, "prefix", h->prefix);
    h->held.clear(); // until the request has ended
    h->ids.clear(), h->seconds.clear();
    h->dev->start();
}

void take_ids(rill_host *h, const rill_host_request &r, clock_type::time_point start) {
    std::uint32_t from = static_cast<std::uint32_t>(h->ids.size());
    std::uint32_t now = h->dev->read(h->pkg.registers.at("ids_written").offset);
    if (now <= from) return;
    if (now > r.max_new) throw problem(RILL_HOST_CARD, "the design has written more ids than were asked for");
    h->ids.resize(now);
    h->dev->get_ring(from, now - from, h->ids.data() + from);
    double t = since(start);
    for (std::uint32_t i = from; i < now; i++) {
        h->seconds.push_back(t);
        if (r.token) r.token(r.context, h->ids[i], t);
    }
}

struct power { // mean of the sensor's readings during a request
    double sum = 0, next = 0;
    int count = 0;
    void look(const card &c, double now) {
        if (now < next) return;
        double w = c.watts();
        if (w > 0) sum += w, count++;
        next = now + SENSOR_MS / 1e3;
    }
    double mean() const { return count ? sum / count : 0; }
};

// Throws that nothing has moved. Before that, tells the design to end the request at once. If the design cannot be
// told, or does not end, only a reset helps.
[[noreturn]] void give_up(rill_host *h, std::uint32_t status, double quiet) {
    std::string what = "nothing has moved for " + std::to_string(static_cast<int>(quiet + 0.5)) + " s; the design is " +
                       state_words(status) + ", " + std::to_string(h->ids.size()) + " ids written";
    if (h->pkg.has("idle_engines")) what += ", " + busy_words(h->pkg, value_of(h, "idle_engines"));
    set(h, "halt", HALT_KILL);
    auto begin = clock_type::now();
    bool ended = false;
    while (h->pkg.has("halt") && !ended && since(begin) < QUIET_SECONDS) ended = h->dev->done(POLL_MS);
    throw problem(RILL_HOST_TIMEOUT, what + (ended ? "; the request was ended" : needs_reset));
}

// Follows the request until it ends, or until nothing has moved for too long.
void follow(rill_host *h, const rill_host_request &r, clock_type::time_point start, power *watts) {
    std::uint32_t status_at = h->pkg.registers.at("status").offset, last = 0;
    double moved = 0;
    int told = 0;
    for (bool done = false; !done;) {
        done = h->dev->done(POLL_MS);
        if (int asked = h->stop; !done && asked > told) set(h, "halt", asked > 1 ? HALT_KILL : HALT_STOP), told = asked;
        std::size_t before = h->ids.size();
        std::uint32_t status = h->dev->read(status_at);
        take_ids(h, r, start);
        double now = since(start);
        watts->look(*h->dev, now);
        if (h->ids.size() != before || status != last) moved = now, last = status;
        else if (!done && now - moved > h->timeout) give_up(h, status, now - moved);
    }
}

void collect(rill_host *h, rill_host_result *out) {
    auto value = [&](const std::string &name) { return value_of(h, name); };
    out->id = h->ids.data(), out->seconds = h->seconds.data();
    out->count = static_cast<std::uint32_t>(h->ids.size());
    out->clock_mhz = h->pkg.clock_mhz;
    out->channels = static_cast<std::uint32_t>(h->pkg.channels);
    out->beat_bytes = static_cast<std::uint32_t>(h->pkg.beat_bytes);
    out->status = static_cast<std::uint32_t>(value("status")), out->fault = static_cast<std::uint32_t>(value("fault"));
    out->fault_place = static_cast<std::uint32_t>(value("fault_place"));
    out->ending = static_cast<std::uint32_t>(value("ending"));
    out->cycles = value("cycles");
    out->hashes_logits = h->pkg.hashes, out->logits_hash = h->pkg.hashes ? value("logits_hash") : 0;
    for (int c = 0; c < h->pkg.channels; c++) {
        std::string digits = h->pkg.channel_argument(c).substr(4); // of hbm_NN
        out->beats[c] = value("beats_" + digits), out->stalls[c] = value("stalls_" + digits);
    }
    out->prefix = h->prefix;
    if (!h->pkg.drafts) return;
    out->drafts = value(h->pkg.counter(h->pkg.draft_counter));
    out->drafts_accepted = value(h->pkg.counter(h->pkg.draft_counter + 1));
}

// Tells the address of a memory error (fault 6), if the design reports it.
std::string address_words(const rill_host *h, std::uint32_t fault) {
    if (fault != 6 || !h->pkg.has("fault_address")) return "";
    return std::string(value_of(h, "fault_channel") >> 8 & 1 ? ", a write" : ", a read") + " at address 0x" +
           hexadecimal(value_of(h, "fault_address"));
}

void run_request(rill_host *h, const rill_host_request &r, rill_host_result *out) {
    check_request(h, r);
    auto start = clock_type::now();
    power watts;
    begin(h, r);
    follow(h, r, start, &watts);
    out->total = since(start);
    out->watts = watts.mean();
    collect(h, out);
    note_positions(h, r);
    if (out->ending == 4 || out->ending == 5) // stopped or killed
        throw problem(RILL_HOST_STOPPED, std::string("the request was ") + ending_words(out->ending));
    if (out->fault)
        throw problem(RILL_HOST_FAULT, "the design reports fault " + std::to_string(out->fault) + ": " +
                                           fault_words(h->pkg, out->fault, out->fault_place) +
                                           address_words(h, out->fault) + "; latest step at position " +
                                           std::to_string(out->status >> 16));
}

} // namespace

// ---- the interface ----

extern "C" {

rill_host *rill_host_open(const rill_host_options *options) {
    auto *h = new rill_host;
    h->options = *options;
    guarded(h, [&] { open_all(h, *options); });
    return h;
}

rill_host_status rill_host_reset(const char *device, char *message, size_t bytes) {
    rill_host h;
    guarded(&h, [&] { reset_card(device ? device : "0"); });
    if (bytes) std::snprintf(message, bytes, "%s", h.message.c_str());
    return h.status;
}

void rill_host_close(rill_host *h) { delete h; }

rill_host_status rill_host_failed(const rill_host *h) { return h->status; }
const char *rill_host_message(const rill_host *h) { return h->message.c_str(); }
const char *rill_host_about(const rill_host *h) { return h->about.c_str(); }

rill_host_status rill_host_upload(rill_host *h, int verify) {
    return guarded(h, [&] {
        h->uploaded = false;
        forget_positions(h);
        h->dev->upload(h->pkg, h->im, verify != 0, [&](const char *what, std::uint64_t done, std::uint64_t total) {
            if (h->options.progress) h->options.progress(h->options.context, what, done, total);
        });
        h->uploaded = true;
    });
}

rill_host_status rill_host_check_weights(rill_host *h) {
    return guarded(h, [&] {
        h->uploaded = false;
        h->dev->check_weights(h->pkg, h->im, [&](const char *what, std::uint64_t done, std::uint64_t total) {
            if (h->options.progress) h->options.progress(h->options.context, what, done, total);
        });
        h->uploaded = true;
    });
}

long rill_host_encode(rill_host *h, const char *text, uint32_t *ids, size_t room) {
    if (!h->speech->exist()) return -1;
    auto made = h->speech->encode(text);
    if (room) std::memcpy(ids, made.data(), 4 * std::min(room, made.size()));
    return static_cast<long>(made.size());
}

long rill_host_encode_chat(rill_host *h, const char *chat, const char *text, uint32_t *ids, size_t room) {
    std::vector<std::uint32_t> made;
    if (guarded(h, [&] { made = h->speech->encode_chat(chat, text); })) return -1;
    if (room) std::memcpy(ids, made.data(), 4 * std::min(room, made.size()));
    return static_cast<long>(made.size());
}

const char *rill_host_decode(rill_host *h, uint32_t id, size_t *bytes) { return h->speech->decode(id, bytes); }

rill_host_status rill_host_run(rill_host *h, const rill_host_request *request, rill_host_result *result) {
    *result = {};
    h->stop = 0;
    return guarded(h, [&] { run_request(h, *request, result); });
}

void rill_host_stop(rill_host *h) { h->stop++; }

uint64_t rill_host_register(rill_host *h, const char *name) {
    std::uint64_t value = UINT64_MAX;
    guarded(h, [&] {
        auto found = h->pkg.registers.find(name);
        if (found != h->pkg.registers.end()) value = h->dev->value(found->second);
    });
    return value;
}

} // extern "C"
