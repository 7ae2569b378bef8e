// SPDX-License-Identifier: Apache-2.0
// Checks requests that are ended from outside or by a fault, on the emitted top: stop, kill, watchdog, error response,
// another image, a ring that is too short, and resets in the middle. The memory model can fall silent, answer with
// errors and continue across a reset. After each such end, the next request must make the oracle's ids. control.sh
// builds and runs this program, for a design of three channels of 256 bits. docs/registers.md has the numbers of
// registers and endings, and docs/host.md those of faults.
//
// usage: control --list | control IMAGE PROMPT RING IDENTITY LAYOUT HEADER CHECKSUM IDS...
//   --list                        prints the names of all checks, one per line
//   IMAGE                         the folder of the memory image
//   PROMPT, RING, HEADER          offsets in channel 0
//   IDENTITY, LAYOUT, CHECKSUM    hexadecimal
//   IDS                           the oracle's ids after the prompt 1, 2, 3
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "Vrill_top.h"
#include "verilated.h"

enum : uint32_t {
#define REGISTER(id, name, offset, ...) REG_##id = offset,
#include "include/registers.def"
};
// BEAT is the number of bytes of a beat. LATENCY is the number of cycles from the address of a burst to its first beat,
// and from its last beat to the response. CONTEXT_BYTES is the memory of a channel.
enum { CHANNELS = 3, BEAT = 32, LATENCY = 40, CONTEXT_BYTES = 1 << 20 };

using Bytes = std::vector<uint8_t>;

// One memory channel. It serves bursts in order, one beat in each cycle, from LATENCY cycles after their addresses on.
struct Port {
    CData *arvalid, *arready, *arid, *arlen, *rvalid, *rready, *rid, *rresp, *rlast;
    QData *araddr, *awaddr;
    CData *awvalid, *awready, *awid, *awlen, *wvalid, *wready, *wlast, *bvalid, *bready, *bid, *bresp;
    WData *rdata, *wdata;
    struct Burst {
        uint64_t address, at; // at: the cycle from which its read beats or its response come
        int id, beats, done;  // done: beats that have been transferred
    };
    Bytes memory = Bytes(CONTEXT_BYTES);
    uint64_t base = 0;
    std::deque<Burst> reads, writes, answers; // answers: writes whose response has not been given
    bool silent = false, was_error = false;   // silent: gives and takes nothing
    int error_in = -1; // number of read bursts before the one that is answered with an error, or -1 for none
    uint64_t error_at = 0, bursts = 0; // address of the burst with the error; bursts since the start

    uint8_t *at(uint64_t address) {
        if (address < base || address - base + BEAT > memory.size()) {
            std::printf("FAIL  memory: address %llx\n", (unsigned long long)address);
            std::exit(1);
        }
        return &memory[address - base];
    }
    bool writing() const { return !writes.empty(); }
    void forget() {
        reads.clear();
        writes.clear();
        answers.clear();
    }
    // Takes the transfers of this cycle. The caller calls it before the clock edge, and the pins change after it.
    void edge(uint64_t now) {
        if (*rvalid && *rready) {
            Burst &b = reads.front();
            if (++b.done == b.beats) reads.pop_front();
        }
        if (*bvalid && *bready) answers.pop_front();
        if (*wvalid && *wready) {
            Burst &b = writes.front();
            std::memcpy(at(b.address + uint64_t(b.done) * BEAT), wdata, BEAT);
            if (++b.done == b.beats) {
                b.at = now + LATENCY;
                answers.push_back(b);
                writes.pop_front();
            }
        }
        if (*arvalid && *arready) {
            reads.push_back({*araddr, now + LATENCY, *arid, *arlen + 1, 0});
            bursts++;
            if (error_in >= 0 && error_in-- == 0) error_at = *araddr, was_error = true;
        }
        if (*awvalid && *awready) writes.push_back({*awaddr, 0, *awid, *awlen + 1, 0}), bursts++;
    }
    // Sets the pins of the port for the next cycle.
    void drive(uint64_t now) {
        *arready = reads.size() < 16 && !silent;
        *awready = writes.size() + answers.size() < 16 && !silent;
        *wready = !writes.empty() && !silent;
        *rvalid = !reads.empty() && reads.front().at <= now && !silent;
        if (*rvalid) {
            const Burst &b = reads.front();
            std::memcpy(rdata, at(b.address + uint64_t(b.done) * BEAT), BEAT);
            *rid = CData(b.id);
            *rlast = b.done + 1 == b.beats;
            *rresp = was_error && b.address == error_at && b.done == 0 ? 2 : 0;
        }
        *bvalid = !answers.empty() && answers.front().at <= now && !silent;
        if (*bvalid) *bid = CData(answers.front().id), *bresp = 0;
    }
};

struct Bench {
    Vrill_top top;
    Port port[CHANNELS];
    uint64_t now = 0, prompt = 0, ring = 0, header = 0, identity = 0, layout = 0, checksum = 0;

    Bench() {
#define PIN(c, name) port[c].name = &top.m_axi_hbm_0##c##_##name
#define PINS(c)                                                                                                        \
    PIN(c, arvalid), PIN(c, arready), PIN(c, arid), PIN(c, arlen), PIN(c, rvalid), PIN(c, rready), PIN(c, rid),        \
        PIN(c, rresp), PIN(c, rlast), PIN(c, araddr), PIN(c, awaddr), PIN(c, awvalid), PIN(c, awready), PIN(c, awid),  \
        PIN(c, awlen), PIN(c, wvalid), PIN(c, wready), PIN(c, wlast), PIN(c, bvalid), PIN(c, bready), PIN(c, bid),     \
        PIN(c, bresp), port[c].rdata = top.m_axi_hbm_0##c##_rdata.data(),                                              \
                       port[c].wdata = top.m_axi_hbm_0##c##_wdata.data()
        PINS(0);
        PINS(1);
        PINS(2);
        for (int c = 0; c < CHANNELS; c++) port[c].base = uint64_t(c + 1) << 31;
    }
    void clock() {
        top.clk = 0;
        top.eval();
        for (Port &p : port) p.edge(now);
        top.clk = 1;
        top.eval();
        now++;
        for (Port &p : port) p.drive(now);
    }
    // Returns whether a write burst is open or offered. A reset of the design alone must not come in the middle of one.
    bool writing() const {
        for (const Port &p : port)
            if (p.writing() || *p.awvalid) return true;
        return false;
    }
    // Resets the design. With `forgets`, the memory forgets its open bursts as well.
    void reset(bool forgets = false) {
        top.rst = 1;
        if (forgets)
            for (Port &p : port) p.forget(), p.drive(now);
        top.s_axi_control_awvalid = top.s_axi_control_wvalid = top.s_axi_control_arvalid = 0;
        top.s_axi_control_bready = top.s_axi_control_rready = 1;
        top.s_axi_control_wstrb = 15;
        for (int i = 0; i < 16; i++) clock();
        top.rst = 0;
        for (int i = 0; i < 4; i++) clock();
    }
    void write(uint32_t offset, uint32_t data) {
        bool address = false, word = false, done = false;
        top.s_axi_control_awaddr = offset;
        top.s_axi_control_wdata = data;
        while (!done) {
            top.s_axi_control_awvalid = !address;
            top.s_axi_control_wvalid = !word;
            top.eval();
            bool a = top.s_axi_control_awvalid && top.s_axi_control_awready;
            bool w = top.s_axi_control_wvalid && top.s_axi_control_wready;
            done = top.s_axi_control_bvalid;
            clock();
            address |= a, word |= w;
        }
    }
    uint32_t read(uint32_t offset) {
        bool taken = false;
        top.s_axi_control_araddr = offset;
        for (;;) {
            top.s_axi_control_arvalid = !taken;
            top.eval();
            bool a = top.s_axi_control_arvalid && top.s_axi_control_arready, done = top.s_axi_control_rvalid;
            uint32_t data = top.s_axi_control_rdata;
            clock();
            if (done) return data;
            taken |= a;
        }
    }
    uint64_t read64(uint32_t offset) { return read(offset) | uint64_t(read(offset + 4)) << 32; }
    void write64(uint32_t offset, uint64_t data) {
        write(offset, uint32_t(data));
        write(offset + 4, uint32_t(data >> 32));
    }
    // Writes the registers that a reset clears. End ids are ignored (FLAGS 1).
    void setup() {
        for (int c = 0; c < CHANNELS; c++) write64(REG_BASE + 12 * c, port[c].base);
        write64(REG_PROMPT, port[0].base + prompt);
        write64(REG_RING, port[0].base + ring);
        write(REG_FLAGS, 1);
    }
    // Starts a request for this many ids after the prompt 1, 2, 3.
    void start(uint32_t ids) {
        const uint32_t some[] = {1, 2, 3};
        std::memcpy(&port[0].memory[prompt], some, sizeof some);
        std::memset(&port[0].memory[ring], 0, 256);
        write(REG_PROMPT_LEN, 3);
        write(REG_MAX_NEW, ids);
        write(REG_CTRL, 1);
    }
    // Returns whether `what`, which must run the clock, returns true within `cycles` cycles.
    bool until(uint64_t cycles, const std::function<bool()> &what) {
        for (uint64_t end = now + cycles; now < end;)
            if (what()) return true;
        return false;
    }
    bool done() {
        return until(300000, [&] { return (read(REG_CTRL) & 2) != 0; });
    }
    std::vector<uint32_t> ids() {
        std::vector<uint32_t> out(read(REG_IDS));
        for (size_t i = 0; i < out.size(); i++) std::memcpy(&out[i], &port[0].memory[ring + 4 * i], 4);
        return out;
    }
    std::vector<uint32_t> wanted; // the oracle's ids
    // Runs an undisturbed request. Returns whether its ids are the first `count` ids of the oracle.
    bool makes(size_t count) {
        start(uint32_t(count));
        return done() && read(REG_FAULT) == 0 && read(REG_ENDING) == 1 &&
               ids() == std::vector<uint32_t>(wanted.begin(), wanted.begin() + long(count)) &&
               read(REG_STATUS) >> 16 == 3 + count - 1;
    }
    bool good() { return makes(wanted.size()); }
    // Waits until the current request has made `count` ids.
    bool runs_to(uint32_t count) {
        return until(300000, [&] { return read(REG_IDS) >= count; });
    }
};

// ---- the checks ----

static bool is_identified(Bench &b) {
    return b.read(REG_MAGIC) == 0x4c4c4952 && b.read(REG_VERSION) == 0x10006 && b.read64(REG_IDENTITY) == b.identity &&
           b.read64(REG_LAYOUT) == b.layout;
}

static bool makes_ids(Bench &b) {
    b.setup();
    return b.good();
}

static bool stops(Bench &b) {
    b.start(36);
    bool right = b.runs_to(2);
    b.write(REG_HALT, 1);
    right = right && b.done() && b.read(REG_ENDING) == 4 && b.read(REG_FAULT) == 0 && b.read(REG_HALT) == 0;
    std::vector<uint32_t> made = b.ids();
    right = right && made.size() >= 2 && made.size() < 6;
    for (size_t i = 0; right && i < made.size(); i++) right = made[i] == b.wanted[i];
    return right && b.read(REG_STATUS) >> 16 == 3 + made.size() - 1 && b.good();
}

static bool stops_in_prompt(Bench &b) {
    b.start(36);
    b.write(REG_HALT, 1);
    return b.done() && b.read(REG_ENDING) == 4 && b.ids().size() <= 1 && b.good();
}

static bool is_killed(Bench &b) {
    b.start(36);
    bool right = b.runs_to(1);
    b.write(REG_HALT, 2);
    return right && b.done() && b.read(REG_ENDING) == 5 && b.read(REG_FAULT) == 0 && b.good();
}

enum : uint32_t { LAST_END_ID = REG_EOT_MORE + 4 };

static bool has_no_end_ids(Bench &b) { // after a reset
    b.write(REG_EOT, 96);
    b.write(REG_FLAGS, 0);
    return b.read(LAST_END_ID) == 0xffffffff && b.good();
}

static bool ends_by_last(Bench &b) { // the third generated id is the last end id
    b.write(LAST_END_ID, b.wanted[2]);
    b.start(36);
    return b.done() && b.read(REG_ENDING) == 2 && b.ids().size() == 3 && b.read(REG_STATUS) >> 16 == 3 + 3 - 1;
}

static bool ignores_end_ids(Bench &b) {
    b.write(REG_FLAGS, 1);
    return b.good();
}

static bool names_silent_channel(Bench &b) {
    b.write(REG_WATCHDOG, 2000);
    b.start(36);
    bool right = b.runs_to(1);
    b.port[1].silent = true;
    right = right && b.done() && b.read(REG_FAULT) == 7 && b.read(REG_PLACE) == 1 && b.read(REG_ENDING) == 6;
    return right && (b.read(REG_IDLE) & 7) == 5;
}

// The memory is still silent, so a new request waits to begin. The watchdog must end it.
static bool ends_waiting_start(Bench &b) {
    bool right = !(b.read(REG_CTRL) & 4);
    b.write(REG_CTRL, 1);
    return right && b.done() && b.read(REG_FAULT) == 7;
}

static bool is_idle_again(Bench &b) {
    b.port[1].silent = false;
    bool right = b.until(5000, [&] { return (b.read(REG_CTRL) & 4) != 0; }) && b.good();
    b.write(REG_WATCHDOG, 0);
    return right;
}

static bool tells_error(Bench &b) {
    Port &p = b.port[2];
    p.error_in = 7;
    b.start(6);
    bool right = b.done() && b.read(REG_FAULT) == 6 && b.read(REG_CHANNEL) == 2 && p.was_error;
    right = right && b.read64(REG_ADDRESS) == p.error_at;
    p.was_error = false;
    return right && b.good();
}

static bool tells_wrong_image(Bench &b) {
    // bytes of the header that are changed (magic, version, layout), and the place of fault 8 for each
    const int byte[] = {0, 5, 8, 15}, place[] = {0, 1, 2, 2};
    bool right = true;
    for (int i = 0; i < 8 && right; i++) { // with the parameters kept, and without
        if (i & 1) b.reset(), b.setup();
        else right = b.makes(1);
        b.port[0].memory[b.header + byte[i / 2]] ^= 4;
        b.start(1);
        right = right && b.done() && b.read(REG_FAULT) == 8 && b.read(REG_PLACE) == uint32_t(place[i / 2]) &&
                b.read(REG_ENDING) == 6 && b.read(REG_IDS) == 0 && b.read64(REG_IMAGE) == 0;
        b.port[0].memory[b.header + byte[i / 2]] ^= 4;
        right = right && (b.read(REG_CTRL) & 4) && b.read(REG_FAULT_STATE) == 3;
    }
    return right;
}

static bool takes_right_image(Bench &b) { return b.makes(1); }

// Checks that a request keeps the parameters on chip (`kept`) or loads them. With kept parameters, the request takes
// less time.
static bool loads(Bench &b, bool kept) {
    static uint64_t whole; // cycles with the parameters
    bool known = (b.read64(REG_IMAGE) == b.checksum) == kept;
    bool right = known && b.makes(1) && b.read64(REG_IMAGE) == b.checksum;
    uint64_t cycles = b.read64(REG_CYCLES);
    if (!kept) whole = cycles;
    return right && (!kept || cycles + 100 < whole);
}

static bool loads_after_reset(Bench &b) {
    b.reset();
    b.setup();
    return loads(b, false);
}

static bool keeps_after_request(Bench &b) { return loads(b, true); }

static bool keeps_after_stop(Bench &b) {
    b.start(36);
    bool right = b.runs_to(1);
    b.write(REG_HALT, 1);
    return right && b.done() && loads(b, true);
}

static bool loads_after_kill(Bench &b) {
    b.start(36);
    bool right = b.runs_to(1);
    b.write(REG_HALT, 2);
    return right && b.done() && loads(b, false) && loads(b, true);
}

static bool loads_after_fault(Bench &b) {
    b.start(36);
    b.port[2].error_in = 7;
    bool right = b.done() && b.read(REG_FAULT) == 6;
    b.port[2].was_error = false;
    return right && loads(b, false) && loads(b, true);
}

// Checks that another image of the same layout is loaded. One gain and the checksum of its header differ.
static bool loads_other_image(Bench &b) {
    b.port[0].memory[b.header + 16] ^= 1;
    b.port[0].memory[b.header + BEAT + 3] ^= 0x80;
    b.start(uint32_t(b.wanted.size()));
    bool right = b.done() && b.read(REG_FAULT) == 0 && b.read64(REG_IMAGE) == (b.checksum ^ 1) && b.ids() != b.wanted;
    b.port[0].memory[b.header + BEAT + 3] ^= 0x80;
    b.port[0].memory[b.header + 16] ^= 1;
    return right && b.good();
}

static uint64_t traffic(const Bench &b) { return b.port[0].bursts + b.port[1].bursts + b.port[2].bursts; }

static bool refuses_short_ring(Bench &b) {
    uint64_t before = traffic(b);
    b.write(REG_RING_IDS, uint32_t(b.wanted.size()) - 1);
    b.start(uint32_t(b.wanted.size()));
    return b.done() && b.read(REG_FAULT) == 9 && b.read(REG_PLACE) == b.wanted.size() && traffic(b) == before;
}

static bool takes_long_ring(Bench &b) {
    b.write(REG_RING_IDS, uint32_t(b.wanted.size()));
    return b.good();
}

// Writes every register from PROMPT_LEN to CYCLES except HALT while a request runs. The design must ignore and count
// all of these writes, and this request and the next one must make the right ids.
static bool keeps_its_values(Bench &b) {
    b.start(uint32_t(b.wanted.size()));
    bool right = b.runs_to(1) && b.read(REG_IGNORED) == 0;
    uint32_t writes = 0;
    for (uint32_t at = REG_PROMPT_LEN; at < REG_CYCLES; at += 4)
        if (at != REG_HALT) b.write(at, 0xa5a5a5a5), writes++;
    right = right && b.read(REG_IGNORED) == writes && b.done() && b.read(REG_FAULT) == 0 && b.ids() == b.wanted;
    return right && b.read(REG_IGNORED) == writes && b.good() && b.read(REG_IGNORED) == 0;
}

// Checks that the counters of a request that auto-restart repeats are those of one request.
static bool counts_again(Bench &b) {
    bool right = b.good();
    uint64_t cycles = b.read64(REG_CYCLES), beats = b.read64(REG_BEATS);
    b.start(uint32_t(b.wanted.size()));
    b.write(REG_CTRL, 0x81);
    right = right && b.done() && (b.read(REG_CTRL) & 1);
    b.write(REG_CTRL, 0);
    right = right && b.done() && b.read(REG_FAULT) == 0 && b.ids() == b.wanted && !(b.read(REG_CTRL) & 1);
    uint64_t again = b.read64(REG_CYCLES), read = b.read64(REG_BEATS);
    return right && again + 500 > cycles && again < cycles + 500 && read + 100 > beats && read < beats + 100;
}

// Checks resets in the middle of requests. With `forgets`, the memory is reset as well.
static bool resets(Bench &b, bool forgets) {
    bool right = true;
    for (int i = 0; i < 5 && right; i++) {
        b.start(36);
        for (int n = 0; n < 100 + 1051 * i; n++) b.clock();
        while (!forgets && b.writing()) b.clock();
        b.reset(forgets);
        right = b.read(REG_IDS) == 0 && b.read(REG_STATUS) == 0 && b.read(REG_ENDING) == 0 && b.read(REG_WATCHDOG) == 0;
        b.setup();
        right = right && b.good();
    }
    return right;
}

static bool resets_alone(Bench &b) { return resets(b, false); }
static bool resets_with_memory(Bench &b) { return resets(b, true); }

// The order of the checks matters, because each begins in the state in which the check before it ends.
static const struct {
    const char *name;
    bool (*holds)(Bench &);
} checks[] = {
    {"identity", is_identified},
    {"the oracle's ids", makes_ids},
    {"stop: the ids so far, the position behind them", stops},
    {"stop in the prompt", stops_in_prompt},
    {"kill", is_killed},
    {"further end ids: none before they are written", has_no_end_ids},
    {"an end: by the last of the end ids", ends_by_last},
    {"an end: end ids are ignored again", ignores_end_ids},
    {"watchdog: the silent channel is named", names_silent_channel},
    {"watchdog: a start that waits for it ends, too", ends_waiting_start},
    {"watchdog: idle when it answers again", is_idle_again},
    {"error response: channel and address", tells_error},
    {"another image: what differs is told", tells_wrong_image},
    {"another image: the right one again", takes_right_image},
    {"parameters: loaded after a reset", loads_after_reset},
    {"parameters: kept after a request", keeps_after_request},
    {"parameters: kept after a stop", keeps_after_stop},
    {"parameters: loaded after a kill", loads_after_kill},
    {"parameters: loaded after a fault", loads_after_fault},
    {"parameters: those of another image are loaded, and of the first again", loads_other_image},
    {"ring: one id too short, nothing is moved", refuses_short_ring},
    {"ring: long enough", takes_long_ring},
    {"writes in a request: ignored and counted", keeps_its_values},
    {"auto-restart: counters of the second request", counts_again},
    {"reset in the middle of a request", resets_alone},
    {"reset in the middle, of the memory as well", resets_with_memory},
};

static void load(Bench &b, const std::string &image) {
    for (int c = 0; c < CHANNELS; c++) {
        std::FILE *f = std::fopen((image + "/channel_0" + char('0' + c) + ".bin").c_str(), "rb");
        if (!f || std::fread(b.port[c].memory.data(), 1, CONTEXT_BYTES, f) == 0) std::exit(1);
        std::fclose(f);
    }
}

static bool say(Bench &b, const char *name, bool right) {
    if (right) std::printf("ok    %s\n", name);
    else
        std::printf("FAIL  %s: fault %u at %u, ending %u, %u ids, status %08x, then %08x, cycle %llu\n", name,
                    b.read(REG_FAULT), b.read(REG_PLACE), b.read(REG_ENDING), b.read(REG_IDS), b.read(REG_STATUS),
                    b.read(REG_FAULT_STATE), (unsigned long long)b.now);
    std::fflush(stdout);
    return right;
}

int main(int argc, char **argv) {
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (const auto &check : checks) std::puts(check.name);
        return 0;
    }
    if (argc < 9) return 2;
    Bench b;
    load(b, argv[1]);
    b.prompt = std::strtoull(argv[2], nullptr, 0);
    b.ring = std::strtoull(argv[3], nullptr, 0);
    b.identity = std::strtoull(argv[4], nullptr, 16);
    b.layout = std::strtoull(argv[5], nullptr, 16);
    b.header = std::strtoull(argv[6], nullptr, 0);
    b.checksum = std::strtoull(argv[7], nullptr, 16);
    for (int i = 8; i < argc; i++) b.wanted.push_back(uint32_t(std::strtoul(argv[i], nullptr, 10)));
    b.reset();
    bool right = true;
    for (const auto &check : checks) right &= say(b, check.name, check.holds(b));
    return !right;
}
