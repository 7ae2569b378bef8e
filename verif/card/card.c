// SPDX-License-Identifier: Apache-2.0
// A simulated card: the kernel of a package with the memory model, which programs reach through a socket. It does the
// work of the vendor's driver, scheduler and shell, and continues when a program that uses it dies. The harness's
// main.cpp drives the clock, so this file defines the functions of sim_pins.h.
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "verif/harness/axil.h"
#include "verif/model/hbm_dpi.h"
#include "gen/ir/ir.h"
#include "verif/card/protocol.h"
#include "gen/ir/registers.h"

static const char usage[] =
    "usage: card PACKAGE SOCKET [options]\n"
    "  --seed S          jitter of the memory (default 0: none)\n"
    "  --unwritten       a read of what was never written answers an error\n"
    "  --bad-beat CH:N   the N-th read beat of a channel answers an error\n"
    "  --bad-write CH:N  the N-th write burst of a channel answers an error\n"
    "  --late CH:N:C     the N-th read burst of a channel answers C cycles later\n"
    "  --reset-at N      a reset, N cycles after the first command has started\n"
    "  --asked-after N   says in which cycle, N or more after the first command, a burst is read next\n"
    "  --gap-at N:C      N cycles after the first command has started, the clock misses C cycles\n"
    "  --slow-at N:C     the same, but C cycles are longer by half\n"
    "  --gaps S          the clock misses cycles at random, with seed S\n"
    "  --flip CH:BYTE    when the first command starts, a bit of that byte of a channel's memory turns over\n"
    "  --first-bank K    channel 0 of the kernel is bank K of the card's memory (default 0)\n"
    "  --shuffle         bursts of different ids answer in another order (with a seed)\n"
    "  +mmcm_lock=C      cycles until the second clock is there (after SOCKET)\n"
    "  +mmcm_lose=N      it is lost N cycles after it was there first (after SOCKET)\n";

enum {
    RESET_CYCLES = 16,
    SETTLE_CYCLES = 8,    // after a reset, before the first register access
    POLL_CYCLES = 64,     // between checks of the sockets, and of CTRL while a command runs
    AWAKE_CYCLES = 20000, // the clock runs this long after a register write, because a design may have to drain
    MAX_CLIENTS = 8,
    MAX_PAYLOAD = 64 << 20, // bytes
    CTRL_START = 1,         // bits of register CTRL
    CTRL_DONE = 2
};

enum command_state { COMMAND_NONE, COMMAND_RUNNING, COMMAND_DONE };
enum access { ACCESS_NONE, ACCESS_CLIENT, ACCESS_START, ACCESS_POLL }; // purpose of the register access in progress

struct sim { // the only card of the process
    struct arena arena;
    struct diag diag;
    const struct ir *ir;
    struct hbm *hbm;
    struct axil axil;
    int listener, client[MAX_CLIENTS], clients; // sockets; number of clients
    int owner;                                  // socket of the client that has opened the unit; -1: none
    int asking;                                 // socket of the client that waits for its register access; -1: none
    enum access access;
    enum command_state command;
    uint8_t uuid[CARD_UUID_BYTES];
    // Cycles in which the reset ends, in which an idle clock may stop, and in which the sockets are checked next.
    uint64_t reset_until, awake_until, next_poll;
    uint64_t reset_after, reset_at; // cycles from the first command to the reset; cycle of the reset. 0: none
    uint64_t asked_after, bursts;   // value of --asked-after, or 0; bursts read so far
    uint64_t begun;                 // cycle of the first command
    uint64_t gap_after, slow_after; // cycles from `begun` to the gap, and to the slow cycles
    uint64_t seed;                  // of the memory's jitter; 0: none
    uint32_t gap, slow;             // cycles that the clock will miss; slow cycles that are left; 0: none
    const char *flip;               // CH:BYTE, or NULL
    int first_bank;                 // bank of channel 0
    uint64_t gaps;                  // state of the random gaps; 0: none
    uint8_t *payload;               // bytes that came with the present request
};

// Prints an error. Returns false, so that a caller can return the result of this function.
static bool refuse(const char *what, const char *why) {
    fprintf(stderr, "card: error: %s: %s\n", what, why);
    return false;
}

// ---- opening ----

static bool open_memory(struct sim *card) {
    const struct ir_design *d = &card->ir->design;
    const char *why;
    struct hbm_config config = {.channels = d->channels,
                                .first = card->first_bank,
                                .beat_bytes = d->beat_bits / 8,
                                .clock_mhz = d->clock_mhz,
                                .channel_bytes = 1ull << CARD_CHANNEL_SHIFT,
                                .seed = card->seed,
                                .timing = hbm_timing_of(&d->hbm)};
    card->hbm = hbm_open(&card->arena, &config, &why);
    if (!card->hbm) return refuse("memory", why);
    hbm_dpi_bind(card->hbm, config.beat_bytes);
    return true;
}

static bool open_listener(struct sim *card, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return refuse(path, "too long for a socket");
    memcpy(address.sun_path, path, strlen(path) + 1);
    unlink(path);
    card->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(card->listener, (struct sockaddr *)&address, sizeof address) || listen(card->listener, MAX_CLIENTS))
        return refuse(path, strerror(errno));
    return true;
}

// Applies --bad-beat, --bad-write or --late, by the option's letter. Returns false if `text` is wrong.
static bool inject(struct sim *card, int option, const char *text) {
    unsigned long long channel, n = 0, cycles = 0;
    int read = sscanf(text ? text : "", "%llu:%llu:%llu", &channel, &n, &cycles);
    if (read != (option == 'l' ? 3 : 2) || channel >= (unsigned)card->ir->design.channels)
        return refuse(text, "not CH:N, or CH:N:CYCLES");
    if (option == 'b') hbm_inject_beat_error(card->hbm, (int)channel, n);
    else if (option == 'w') hbm_inject_error(card->hbm, (int)channel, true, n);
    else hbm_inject_delay(card->hbm, (int)channel, n, cycles);
    return true;
}

static const struct option options[] = {
    {"seed", required_argument, NULL, 's'},     {"unwritten", no_argument, NULL, 'u'},
    {"bad-beat", required_argument, NULL, 'b'}, {"bad-write", required_argument, NULL, 'w'},
    {"late", required_argument, NULL, 'l'},     {"shuffle", no_argument, NULL, 'x'},
    {"reset-at", required_argument, NULL, 'r'}, {"asked-after", required_argument, NULL, 'a'},
    {"flip", required_argument, NULL, 'f'},     {"first-bank", required_argument, NULL, 'k'},
    {"gap-at", required_argument, NULL, 'g'},   {"slow-at", required_argument, NULL, 'o'},
    {"gaps", required_argument, NULL, 'p'},     {0}};

// Reads N:C of --gap-at or --slow-at. Returns false if `text` is wrong.
static bool take_cycles(const char *text, uint64_t *after, uint32_t *cycles) {
    unsigned long long n;
    if (sscanf(text, "%llu:%u", &n, cycles) != 2) return refuse(text, "not N:CYCLES");
    *after = n;
    return true;
}

// Reads the options that the memory needs before it exists. Moves all options before PACKAGE and SOCKET.
static void read_memory_options(struct sim *card, int argc, char **argv) {
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 's') card->seed = strtoull(optarg, NULL, 10);
        if (o == 'k') card->first_bank = atoi(optarg);
    }
}

// Reads all options once more, now that the memory exists. Returns false after an error.
static bool apply_options(struct sim *card, int argc, char **argv) {
    bool ok = true;
    optind = 0;
    for (int o; ok && (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == '?') return false;
        if (o == 'u') ok = hbm_guard_unwritten(card->hbm);
        else if (o == 'x') hbm_shuffle(card->hbm);
        else if (o == 'r') card->reset_after = strtoull(optarg, NULL, 10);
        else if (o == 'a') card->asked_after = strtoull(optarg, NULL, 10);
        else if (o == 'f') card->flip = optarg;
        else if (o == 'g') ok = take_cycles(optarg, &card->gap_after, &card->gap);
        else if (o == 'o') ok = take_cycles(optarg, &card->slow_after, &card->slow);
        else if (o == 'p') card->gaps = 2 * strtoull(optarg, NULL, 10) + 1;
        else if (o != 's' && o != 'k') ok = inject(card, o, optarg);
    }
    return ok;
}

// Reads the command line and the design, and makes the memory and the socket. Returns false after an error.
static bool open_card(struct sim *card, int argc, char **argv) {
    read_memory_options(card, argc, argv);
    if (argc - optind < 2 || (argc - optind > 2 && argv[optind + 2][0] != '+')) return fputs(usage, stderr), false;
    const char *package = argv[optind], *path = argv[optind + 1];
    card->ir = ir_read(&card->arena, arena_printf(&card->arena, "%s/design.yaml", package), &card->diag);
    return card->ir && open_memory(card) && apply_options(card, argc, argv) && open_listener(card, path);
}

struct sim *sim_open(int argc, char **argv, int *exit_code) {
    struct sim *card = calloc(1, sizeof *card);
    if (!card || !(card->payload = malloc(MAX_PAYLOAD))) base_fatal("out of memory");
    prctl(PR_SET_PDEATHSIG, SIGKILL); // the card ends with the test that started it
    signal(SIGPIPE, SIG_IGN);
    arena_init(&card->arena);
    diag_init(&card->diag, stderr);
    card->owner = card->asking = -1;
    card->reset_until = RESET_CYCLES;
    *exit_code = RILL_USAGE;
    return open_card(card, argc, argv) ? card : NULL;
}

const char *sim_trace(const struct sim *card) { return (void)card, NULL; }

bool sim_saved(const struct sim *card) { return (void)card, false; }

// Reports that a protocol checker has ended the run. Programs then lose their connection to the card.
void sim_stopped(struct sim *card) {
    fprintf(stderr, "card: error: the kernel broke a rule of its ports in cycle %llu\n",
            (unsigned long long)hbm_cycle(card->hbm));
}

// Always returns an error: a card runs until it is killed, so a run that ends has failed (sim_stopped).
int sim_close(struct sim *card) { return (void)card, RILL_BAD_SPEC; }

// ---- clients ----

// Reads exactly `bytes` bytes. Returns false if the connection ends before.
static bool receive(int fd, void *to, size_t bytes) {
    for (uint8_t *at = to; bytes > 0;) {
        ssize_t got = recv(fd, at, bytes, MSG_WAITALL);
        if (got <= 0) return false;
        at += got, bytes -= (size_t)got;
    }
    return true;
}

// Sends a reply with `count` bytes of data. error: an errno, or 0.
static void answer(int fd, int error, uint32_t value, const void *data, size_t count) {
    struct card_reply reply = {.error = error, .value = value, .count = count};
    if (send(fd, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) return; // client died; poll will report it
    for (const char *at = data; count > 0;) {
        ssize_t sent = send(fd, at, count, MSG_NOSIGNAL);
        if (sent <= 0) return;
        at += sent, count -= (size_t)sent;
    }
}

// Closes a connection. A running command continues, as on a card whose program was killed.
static void drop_client(struct sim *card, int index) {
    int fd = card->client[index];
    if (card->owner == fd) card->owner = -1;
    if (card->asking == fd) card->asking = -1;
    close(fd);
    card->client[index] = card->client[--card->clients];
}

// Resets the kernel and the memory's ports, and forgets the running command and register access. The memory keeps its
// content.
static void begin_reset(struct sim *card) {
    uint64_t now = hbm_cycle(card->hbm);
    axil_clear(&card->axil);
    card->access = ACCESS_NONE;
    card->command = COMMAND_NONE;
    card->reset_until = now + RESET_CYCLES;
    card->awake_until = card->reset_until + SETTLE_CYCLES;
}

// Loads a binary, of which the card keeps only the UUID. A binary other than the loaded one resets the kernel, and is
// refused while another client has opened the unit.
static void load(struct sim *card, int fd) {
    bool same = memcmp(card->uuid, card->payload, CARD_UUID_BYTES) == 0;
    if (!same && card->owner >= 0 && card->owner != fd) {
        answer(fd, EBUSY, 0, NULL, 0);
        return;
    }
    memcpy(card->uuid, card->payload, CARD_UUID_BYTES);
    if (!same) begin_reset(card);
    answer(fd, 0, same, NULL, 0);
}

// Gives the unit to a client, unless another client has it.
static void open_unit(struct sim *card, int fd) {
    bool taken = card->owner >= 0 && card->owner != fd;
    if (!taken) card->owner = fd;
    answer(fd, taken ? EBUSY : 0, 0, NULL, 0);
}

// Returns the kernel's channel at a memory address of the card; it may be outside the design's channels.
static int channel_at(const struct sim *card, uint64_t address) {
    return (int)(address >> CARD_CHANNEL_SHIFT) - card->first_bank;
}

// Returns the bytes of one channel's memory that a request names, or NULL if they are too many or leave the channel.
static uint8_t *memory_at(struct sim *card, const struct card_request *r) {
    int channel = channel_at(card, r->address);
    if (channel < 0 || channel >= card->ir->design.channels || r->count > MAX_PAYLOAD) return NULL;
    return hbm_bytes(card->hbm, channel, r->address & ((1ull << CARD_CHANNEL_SHIFT) - 1), r->count);
}

// Serves CARD_READ and CARD_WRITE.
static void move_bytes(struct sim *card, int fd, const struct card_request *r) {
    uint8_t *at = memory_at(card, r);
    if (!at) {
        answer(fd, EFAULT, 0, NULL, 0);
    } else if (r->op == CARD_READ) {
        answer(fd, 0, 0, at, r->count);
    } else {
        memcpy(at, card->payload, r->count);
        hbm_mark_written(card->hbm, channel_at(card, r->address), r->address & ((1ull << CARD_CHANNEL_SHIFT) - 1),
                         r->count);
        answer(fd, 0, 0, NULL, 0);
    }
}

static void stay_awake(struct sim *card) { card->awake_until = hbm_cycle(card->hbm) + AWAKE_CYCLES; }

// Begins a register access or a command. The client is answered when the accesses are done (end_access).
static void access_registers(struct sim *card, int fd, const struct card_request *r) {
    if (card->owner != fd) {
        answer(fd, EPERM, 0, NULL, 0);
        return;
    }
    axil_clear(&card->axil);
    card->asking = fd;
    card->access = r->op == CARD_START ? ACCESS_START : ACCESS_CLIENT;
    if (r->op == CARD_GET) axil_read(&card->axil, r->offset);
    else stay_awake(card);
    if (r->op == CARD_SET) axil_write(&card->axil, r->offset, (uint32_t)r->address);
    if (r->op != CARD_START) return;
    for (uint32_t i = 0; i < r->count / 4; i++)
        axil_write(&card->axil, CARD_ARGUMENTS_AT + 4 * i, ((const uint32_t *)card->payload)[i]);
    axil_write(&card->axil, REG_CTRL, CTRL_START);
}

// Answers CARD_STATE. A completed command is reported once.
static void tell_state(struct sim *card, int fd) {
    answer(fd, 0, (uint32_t)card->command, NULL, 0);
    if (card->command == COMMAND_DONE) card->command = COMMAND_NONE;
}

static void serve(struct sim *card, int fd, const struct card_request *r) {
    switch (r->op) {
    case CARD_LOAD: load(card, fd); break;
    case CARD_LOADED: answer(fd, 0, 0, card->uuid, sizeof card->uuid); break;
    case CARD_OPEN_UNIT: open_unit(card, fd); break;
    case CARD_RESET:
        begin_reset(card);
        answer(fd, 0, 0, NULL, 0);
        break;
    case CARD_WRITE:
    case CARD_READ: move_bytes(card, fd, r); break;
    case CARD_SET:
    case CARD_GET:
    case CARD_START: access_registers(card, fd, r); break;
    case CARD_STATE: tell_state(card, fd); break;
    default: answer(fd, EINVAL, 0, NULL, 0);
    }
}

// Receives and serves one request. Returns false if the connection has ended or the request is too large.
static bool serve_client(struct sim *card, int fd) {
    struct card_request r;
    if (!receive(fd, &r, sizeof r) || r.count > MAX_PAYLOAD) return false;
    if (r.op != CARD_READ && r.count && !receive(fd, card->payload, r.count)) return false;
    serve(card, fd, &r);
    return true;
}

// Accepts a connection, or closes it at once if there are MAX_CLIENTS already.
static void accept_client(struct sim *card) {
    int fd = accept(card->listener, NULL, NULL);
    if (fd >= 0 && card->clients == MAX_CLIENTS) close(fd);
    else if (fd >= 0) card->client[card->clients++] = fd;
}

// Serves the sockets that have requests. If `wait` is set, first waits until there is a request. While registers are
// accessed for a client, no client is served.
static void look(struct sim *card, bool wait) {
    struct pollfd fds[MAX_CLIENTS + 1] = {{.fd = card->listener, .events = POLLIN}};
    int clients = card->clients;
    for (int i = 0; i < clients; i++) fds[i + 1] = (struct pollfd){.fd = card->client[i], .events = POLLIN};
    if (poll(fds, (nfds_t)clients + 1, wait ? -1 : 0) <= 0) return;
    for (int i = clients - 1; i >= 0; i--)
        if (fds[i + 1].revents && card->access != ACCESS_CLIENT && card->access != ACCESS_START &&
            !serve_client(card, fds[i + 1].fd))
            drop_client(card, i);
    if (fds[0].revents) accept_client(card);
}

// ---- one clock ----

// Inverts a bit of the byte that --flip names, once.
static void flip_bit(struct sim *card) {
    int channel;
    unsigned long long at;
    if (!card->flip || sscanf(card->flip, "%d:%llu", &channel, &at) != 2) return;
    uint8_t *byte = hbm_bytes(card->hbm, channel, at, 1);
    if (byte) *byte ^= 1;
    card->flip = NULL;
}

static void begin_command(struct sim *card) {
    card->command = COMMAND_RUNNING;
    flip_bit(card);
    if (!card->begun) card->begun = hbm_cycle(card->hbm);
    if (card->reset_after) card->reset_at = hbm_cycle(card->hbm) + card->reset_after;
    card->reset_after = 0;
}

// Acts when all register accesses in card->axil are done: begins or completes a command, and answers the client.
static void end_access(struct sim *card) {
    uint32_t data = card->axil.access[card->axil.count - 1].data;
    enum access was = card->access;
    card->access = ACCESS_NONE;
    if (was == ACCESS_START) begin_command(card);
    if (was == ACCESS_POLL && (data & CTRL_DONE)) card->command = COMMAND_DONE;
    if (was != ACCESS_POLL && card->asking >= 0) answer(card->asking, 0, data, NULL, 0);
    if (was != ACCESS_POLL) card->asking = -1;
}

static void begin_poll(struct sim *card) {
    axil_clear(&card->axil);
    axil_read(&card->axil, REG_CTRL);
    card->access = ACCESS_POLL;
}

static bool reset_is_due(const struct sim *card) { return card->reset_at && hbm_cycle(card->hbm) >= card->reset_at; }

// Called in cycles without register access. Begins a requested reset, or from time to time serves the sockets and reads
// CTRL of a running command. An idle card waits here for a request, so its clock stands still.
static void between_accesses(struct sim *card) {
    uint64_t now = hbm_cycle(card->hbm);
    if (reset_is_due(card)) {
        card->reset_at = 0;
        begin_reset(card);
        return;
    }
    bool active = card->command == COMMAND_RUNNING || now < card->awake_until || now < card->reset_until;
    if (active && now < card->next_poll) return;
    card->next_poll = now + POLL_CYCLES;
    look(card, !active);
    if (card->access == ACCESS_NONE && card->command == COMMAND_RUNNING) begin_poll(card);
}

static uint64_t bursts_read(const struct sim *card) {
    uint64_t sum = 0;
    for (int c = 0; c < card->ir->design.channels; c++) sum += hbm_stats(card->hbm, c).read_bursts;
    return sum;
}

// Reports the first burst that is read at least card->asked_after cycles after the first command. So a test can time a
// reset relative to this burst in any design.
static void tell_burst(struct sim *card) {
    uint64_t now = hbm_cycle(card->hbm), bursts = bursts_read(card);
    if (bursts > card->bursts && card->begun && now - card->begun >= card->asked_after) {
        fprintf(stderr, "card: a burst is read %llu cycles after the first command\n",
                (unsigned long long)(now - card->begun));
        card->asked_after = 0;
    }
    card->bursts = bursts;
}

// Lets the clock miss cycles, or makes cycles longer, by the options --gap-at, --slow-at and --gaps. With --gaps, 1 to
// 4 cycles are missed after one cycle of 1,024 on average. The memory continues meanwhile, so its answers come after
// fewer cycles of the kernel.
static void bend_clock(struct sim *card, struct sim_pins *pins) {
    uint64_t now = hbm_cycle(card->hbm);
    if (card->begun && card->gap && now >= card->begun + card->gap_after) {
        pins->gap = card->gap;
        card->gap = 0;
    }
    pins->slow = card->begun && card->slow && now >= card->begun + card->slow_after;
    if (pins->slow) card->slow--;
    if (card->gaps) card->gaps = card->gaps * 6364136223846793005u + 1442695040888963407u;
    if (card->gaps && card->gaps >> 54 == 0) pins->gap = 1 + (uint32_t)(card->gaps >> 50 & 3);
    hbm_pause(card->hbm, 2 * pins->gap + pins->slow);
}

bool sim_edge(struct sim *card, struct sim_pins *pins) {
    hbm_tick(card->hbm);
    bend_clock(card, pins);
    if (card->asked_after) tell_burst(card);
    uint64_t now = hbm_cycle(card->hbm);
    // The kernel sends requests until the first clock edge with rst, so the memory drops bursts in every reset cycle.
    if (pins->rst) hbm_reset(card->hbm);
    pins->rst = now < card->reset_until;
    if (now < card->reset_until + SETTLE_CYCLES) return true;
    if (axil_edge(&card->axil, pins)) end_access(card);
    if (card->access == ACCESS_NONE) between_accesses(card);
    return true;
}
