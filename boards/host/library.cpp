// SPDX-License-Identifier: Apache-2.0
// Implements the functions of rill_host.h that open a card, fill its memory and convert text.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "boards/host/handle.hpp"

using namespace rill;

namespace {

// CTRL_IDLE: bit of the register CTRL. MAGIC: "RILL", the lowest byte first.
constexpr std::uint32_t CTRL_IDLE = 4, MAGIC = 0x4C4C4952;

// ---- opening ----

// Returns the JSON object of rill_host_about.
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

// Waits until the kernel is idle. Returns false if that takes longer than `limit` seconds.
bool becomes_idle(rill_host *h, double limit) {
    auto begin = clock_type::now();
    while (!is_idle(h)) {
        if (since(begin) > limit) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(POLL_MS));
    }
    return true;
}

// Compares the identity and the layout that the kernel on the card reports with those of the package. Throws if they
// differ. Older kernels have no such registers and are not checked.
void check_identity(const rill_host *h) {
    if (!h->pkg.has("magic")) return;
    if (value_of(h, "magic") != MAGIC) throw problem(RILL_HOST_CARD, "the kernel on the card is none of rill's");
    std::string identity = hexadecimal(value_of(h, "identity")), layout = hexadecimal(value_of(h, "layout"));
    if (identity != h->pkg.identity || layout != h->pkg.layout)
        throw problem(RILL_HOST_CARD, "the kernel on the card is of another design: identity " + identity +
                                          ", layout " + layout + "; the package's are " + h->pkg.identity + " and " +
                                          h->pkg.layout);
}

// If a request of an earlier program still runs, tells the design to end it at once, and waits for the end. A design
// without `halt` completes the request. Throws if the design is not idle after h->timeout seconds.
void wait_for_idle(rill_host *h) {
    if (is_idle(h)) return;
    std::uint32_t status = h->dev->read(h->pkg.registers.at("status").offset);
    set(h, "halt", HALT_KILL);
    if (!becomes_idle(h, h->timeout))
        throw problem(RILL_HOST_CARD, "the kernel is busy with a request of an earlier program: " +
                                          state_words(status, h->pkg.slots) + needs_reset);
}

void open_all(rill_host *h, const rill_host_options &o) {
    std::string folder = o.package ? o.package : ".";
    h->timeout = o.timeout > 0 ? o.timeout : h->timeout;
    h->pkg = read_package(folder, o.unit);
    h->slots.resize(h->pkg.slots);
    h->im = read_image(o.image ? o.image : folder + "/image", h->pkg);
    h->speech = std::make_unique<words>(h->im.folder, folder);
    binary b = read_binary(o.binary ? o.binary : folder + "/build/hw/" + h->pkg.units[0] + ".xclbin");
    check_binary(b, h->pkg);
    h->dev = std::make_unique<card>(o.device ? o.device : "0", b, h->pkg, h->im);
    check_identity(h);
    wait_for_idle(h);
    h->about = describe(*h, b);
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

uint64_t rill_host_register(rill_host *h, const char *name) {
    std::uint64_t value = UINT64_MAX;
    guarded(h, [&] {
        auto found = h->pkg.registers.find(name);
        if (found != h->pkg.registers.end()) value = h->dev->value(found->second);
    });
    return value;
}

} // extern "C"
