// SPDX-License-Identifier: Apache-2.0
// Controls the card through the C++ API of XRT: a buffer for every channel, the registers, and one run at a time.
#include <jansson.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

#include "boards/host/host.hpp"

namespace rill {

namespace {

constexpr std::uint64_t chunk = 16 << 20; // bytes between two progress reports
constexpr std::uint64_t page = 4096;      // bytes; the buffer of a channel has whole pages

// Runs a call. If XRT throws, the message begins with `what`, the operation that failed.
template <typename call> auto tried(const std::string &what, call &&f) -> decltype(f()) {
    try {
        return f();
    } catch (const problem &) {
        throw;
    } catch (const std::exception &e) {
        throw problem(RILL_HOST_CARD, what + ": " + e.what());
    }
}

xrt::device open_device(const std::string &name) {
    return tried("device " + name + " (does `xbutil examine` list it?)", [&] {
        return name.find(':') == std::string::npos ? xrt::device(static_cast<unsigned>(std::stoul(name)))
                                                   : xrt::device(name);
    });
}

// Returns a property of the device, or "" if XRT does not give it.
template <xrt::info::device what> std::string info(const xrt::device &d) {
    try {
        return d.get_info<what>();
    } catch (const std::exception &) { // not available in every version of XRT, nor in simulations
        return "";
    }
}

} // namespace

// Resets the card. Everything on the card is lost.
void reset_card(const std::string &device) {
    xrt::device d = open_device(device);
    tried("reset", [&] { d.reset(); });
}

struct card::parts {
    xrt::device device;
    xrt::kernel kernel;
    xrt::run run;
    std::vector<xrt::bo> channel;
    xrt::bo prompt, ring;                 // of all slots
    std::size_t prompt_bytes, ring_bytes; // of one slot
    std::size_t ids_bytes;                // of the ids of a ring; its records of log probabilities follow
    int beat_bytes;                       // bytes of a beat of a memory port
};

card::~card() = default;

card::card(const std::string &device, const binary &b, const package &pkg, const image &im)
    : p(std::make_unique<parts>()) {
    p->device = open_device(device);
    name = info<xrt::info::device::name>(p->device);
    bdf = info<xrt::info::device::bdf>(p->device);
    uuid = tried("loading " + b.path, [&] { return p->device.load_xclbin(b.path).to_string(); });
    if (uuid != b.uuid) throw problem(RILL_HOST_CARD, "the card holds the binary " + uuid + ", not " + b.uuid);
    p->kernel = tried("opening " + pkg.unit_name() + " (is another program using it?)", [&] {
        return xrt::kernel(p->device, p->device.get_xclbin_uuid(), pkg.kernel + ":{" + pkg.unit + "}",
                           xrt::kernel::cu_access_mode::exclusive);
    });
    p->beat_bytes = pkg.beat_bytes;
    for (int c = 0; c < pkg.channels; c++) {
        const reg &r = pkg.registers.at(pkg.channel_argument(c));
        std::string what = "buffer of channel " + std::to_string(c);
        if (tried(what, [&] { return p->kernel.offset(r.argument); }) != r.offset)
            throw problem(RILL_HOST_CARD, what + ": the binary has its argument at another offset than the package");
        auto bytes = im.needed[static_cast<std::size_t>(c)];
        p->channel.push_back(tried(what, [&] { return xrt::bo(p->device, bytes, p->kernel.group_id(r.argument)); }));
        address.push_back(p->channel.back().address());
    }
    p->run = tried("run", [&] { return xrt::run(p->kernel); });
    p->prompt_bytes = p->ring_bytes = p->ids_bytes = 0;
    if (!pkg.is_lm) return; // there are no areas for requests, and check_request refuses all of them
    for (auto [area, bo] : {std::pair{"prompt", &p->prompt}, std::pair{"ring", &p->ring}}) {
        const segment &s = pkg.io(area);
        *bo = xrt::bo(p->channel[static_cast<std::size_t>(s.channel)], s.bytes, s.offset);
        tried(area, [&] { p->run.set_arg(pkg.registers.at(std::string(area) + "_ptr").argument, *bo); });
    }
    p->prompt_bytes = p->prompt.size() / pkg.slots, p->ring_bytes = p->ring.size() / pkg.slots;
    p->ids_bytes = pkg.logprobs ? pkg.logprobs_offset : p->ring_bytes;
    for (int c = 0; c < pkg.channels; c++)
        tried("arguments", [&] {
            p->run.set_arg(pkg.registers.at(pkg.channel_argument(c)).argument, p->channel[static_cast<std::size_t>(c)]);
        });
}

std::uint32_t card::read(std::uint32_t offset) const {
    return tried("reading a register", [&] { return p->kernel.read_register(offset); });
}

void card::write(std::uint32_t offset, std::uint32_t value) {
    tried("writing a register", [&] { p->kernel.write_register(offset, value); });
}

// Reads the low word of a counter first, because that latches the high word.
std::uint64_t card::value(const reg &r) const {
    std::uint64_t low = read(r.offset);
    return r.bits == 32 ? low : static_cast<std::uint64_t>(read(r.offset + 4)) << 32 | low;
}

void card::upload(const package &pkg, const image &im, bool verify,
                  const std::function<void(const char *, std::uint64_t, std::uint64_t)> &progress) {
    const segment &header = pkg.io("image_header");
    std::uint64_t total = 0, done = 0;
    for (std::uint64_t n : im.needed) total += n;
    // Transfers a whole buffer in pieces, and reports the progress after each.
    auto move = [&](const char *what, xrt::bo &bo, xclBOSyncDirection direction) {
        for (std::uint64_t at = 0; at < bo.size(); at += chunk) {
            std::uint64_t n = std::min<std::uint64_t>(bo.size() - at, chunk);
            tried(what, [&] { bo.sync(direction, n, at); });
            progress(what, done += n, total);
        }
    };
    // Reads the file of a channel, and adds zeros up to the memory that the channel needs.
    auto fill = [&](std::size_t c, char *to) {
        std::ifstream in(im.file[c], std::ios::binary);
        if (!in.read(to, static_cast<std::streamsize>(im.bytes[c])))
            throw problem(RILL_HOST_INPUT, im.file[c] + ": shorter than it was");
        std::memset(to + im.bytes[c], 0, im.needed[c] - im.bytes[c]);
    };
    // The header is written last, so that the design rejects the image if the upload is interrupted.
    xrt::bo &first = p->channel[static_cast<std::size_t>(header.channel)];
    std::vector<char> beat(header.bytes), none(header.bytes);
    // Copies the bytes of the header in the buffer to `in`, then replaces them by `out`.
    auto exchange = [&](std::vector<char> &in, const std::vector<char> &out) {
        char *place = first.map<char *>() + header.offset;
        in.assign(place, place + in.size());
        std::copy(out.begin(), out.end(), place);
    };
    for (std::size_t c = 0; c < p->channel.size(); c++) {
        fill(c, p->channel[c].map<char *>());
        if (static_cast<int>(c) == header.channel) exchange(beat, none);
        move("upload", p->channel[c], XCL_BO_SYNC_BO_TO_DEVICE);
    }
    exchange(none, beat);
    tried("upload", [&] { first.sync(XCL_BO_SYNC_BO_TO_DEVICE, page, header.offset / page * page); });
    done = 0;
    for (std::size_t c = 0; verify && c < p->channel.size(); c++) {
        std::vector<char> want(im.needed[c]);
        fill(c, want.data());
        move("verify", p->channel[c], XCL_BO_SYNC_BO_FROM_DEVICE);
        if (std::memcmp(want.data(), p->channel[c].map<char *>(), want.size()) != 0)
            throw problem(RILL_HOST_CARD,
                          "channel " + std::to_string(c) + " on " +
                              pkg.bank.at(pkg.registers.at(pkg.channel_argument(static_cast<int>(c))).port) +
                              ": what is read back is not what was written");
    }
}

// Compares the checksum of each part in the memory of the card with the manifest. Before each read it clears the piece
// in the buffer of the host, so that only bytes that the card sends can give the right checksum. It reads whole pages.
void card::check_weights(const package &pkg, const image &im,
                         const std::function<void(const char *, std::uint64_t, std::uint64_t)> &progress) {
    std::uint64_t total = 0, done = 0;
    for (const image_part &part : im.parts) total += part.bytes;
    for (const image_part &part : im.parts) {
        xrt::bo &bo = p->channel[part.channel];
        std::uint64_t first = part.offset / page * page, end = part.offset + part.bytes;
        std::uint32_t crc = 0;
        for (std::uint64_t at = first; at < end; at += chunk) {
            std::uint64_t n = std::min(std::min(chunk, (end + page - 1) / page * page - at), bo.size() - at);
            std::memset(bo.map<char *>() + at, 0, n);
            tried("check", [&] { bo.sync(XCL_BO_SYNC_BO_FROM_DEVICE, n, at); });
            std::uint64_t from = std::max(at, part.offset), to = std::min(at + n, end);
            crc = static_cast<std::uint32_t>(
                crc32_z(crc, reinterpret_cast<const unsigned char *>(bo.map<char *>() + from), to - from));
            progress("check", done += to - from, total);
        }
        if (crc != part.crc)
            throw problem(RILL_HOST_CARD,
                          "segment `" + part.segment + "` on channel " + std::to_string(part.channel) + " (" +
                              pkg.bank.at(pkg.registers.at(pkg.channel_argument(static_cast<int>(part.channel))).port) +
                              "): the card's memory does not hold what the image has; upload again");
    }
}

// Writes the prompt of a slot with zeros after it, because the design reads whole beats, and clears the ids of the
// slot's ring.
void card::put_prompt(std::uint32_t area, const std::vector<std::uint32_t> &ids) {
    std::size_t prompt = area * p->prompt_bytes, ring = area * p->ring_bytes;
    std::memset(p->prompt.map<char *>() + prompt, 0, p->prompt_bytes);
    std::memset(p->ring.map<char *>() + ring, 0, p->ids_bytes);
    std::memcpy(p->prompt.map<char *>() + prompt, ids.data(), std::min(p->prompt_bytes, 4 * ids.size()));
    tried("prompt", [&] {
        p->prompt.sync(XCL_BO_SYNC_BO_TO_DEVICE, p->prompt_bytes, prompt);
        p->ring.sync(XCL_BO_SYNC_BO_TO_DEVICE, p->ids_bytes, ring);
    });
}

// Reads `count` ids of an area's ring, from number `from` on, into `ids`. Transfers the whole beats that hold these
// ids. Throws if the ring has no room for so many ids, which shows that the design reported a wrong count.
void card::get_ring(std::uint32_t area, std::uint32_t from, std::uint32_t count, std::uint32_t *ids) {
    std::size_t beat = static_cast<std::size_t>(p->beat_bytes), first = 4 * std::size_t{from} / beat * beat;
    std::size_t end = (4 * (std::size_t{from} + count) + beat - 1) / beat * beat, ring = area * p->ring_bytes;
    if (end > p->ids_bytes) throw problem(RILL_HOST_CARD, "the design says that it has written more ids than fit");
    tried("ids", [&] { p->ring.sync(XCL_BO_SYNC_BO_FROM_DEVICE, end - first, ring + first); });
    std::memcpy(ids, p->ring.map<char *>() + ring + 4 * std::size_t{from}, 4 * std::size_t{count});
}

void card::get_records(std::uint32_t area, std::uint32_t from, std::uint32_t count, std::uint32_t *words) {
    std::size_t bytes = 4 * record_words, first = p->ids_bytes + bytes * from, ring = area * p->ring_bytes;
    if (first + bytes * count > p->ring_bytes)
        throw problem(RILL_HOST_CARD, "the design says that it has written more ids than there are records for");
    tried("log probabilities", [&] { p->ring.sync(XCL_BO_SYNC_BO_FROM_DEVICE, bytes * count, ring + first); });
    std::memcpy(words, p->ring.map<char *>() + ring + first, bytes * count);
}

std::uint64_t card::prompt_address(std::uint32_t area) const { return p->prompt.address() + area * p->prompt_bytes; }
std::uint64_t card::ring_address(std::uint32_t area) const { return p->ring.address() + area * p->ring_bytes; }
std::uint32_t card::ring_ids() const { return static_cast<std::uint32_t>(p->ids_bytes / 4); }

void card::argument(int index, std::uint32_t value) {
    tried("arguments", [&] { p->run.set_arg(index, value); });
}

void card::start() {
    tried("start", [&] { p->run.start(); });
}

bool card::done(unsigned milliseconds) {
    ert_cmd_state state = tried("waiting", [&] { return p->run.wait(std::chrono::milliseconds(milliseconds)); });
    if (state == ERT_CMD_STATE_ERROR || state == ERT_CMD_STATE_ABORT || state == ERT_CMD_STATE_NORESPONSE)
        throw problem(RILL_HOST_CARD, "XRT ended the run with state " + std::to_string(state));
    return state == ERT_CMD_STATE_COMPLETED;
}

double card::watts() const {
    json_t *top = json_loads(info<xrt::info::device::electrical>(p->device).c_str(), 0, nullptr);
    const char *text = json_string_value(json_object_get(top, "power_consumption_watts"));
    double value = text ? std::strtod(text, nullptr) : 0;
    json_decref(top);
    return value;
}

} // namespace rill
