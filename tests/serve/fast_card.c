// SPDX-License-Identifier: Apache-2.0
// A card without a design, for tests of the server: the protocol of the simulated card (verif/card/protocol.h) with
// registers in C. Its answers are those of the oracle, from a table; it can be slow, report faults and hang.
// usage: fast_card PACKAGE SOCKET TABLE CONTROL
//   TABLE    a request on each line: prompt ids : inverse_temperature top_k min_p seed : answer ids (settings as words
//            of the registers). A prompt that is not in the table gets ids counted up from its first one
//   CONTROL  a file that the next request reads and removes: `delay MS` (for each token, from now on), `fault CODE N`
//            (after N tokens), `hang N` (until a reset), `stuck` (the next reset fails)
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "verif/card/protocol.h"

enum { MAX_CLIENTS = 8, REGISTER_WORDS = 1024, CHANNELS = 2, MAX_IDS = 1024, MAX_ROWS = 200, MAX_PAYLOAD = 64 << 20 };
enum { ENDING_COUNT = 1, ENDING_EOT, ENDING_CONTEXT, ENDING_STOP, ENDING_KILL, ENDING_FAULT };

struct ids {
    uint32_t count, id[MAX_IDS];
};
struct row {
    struct ids prompt, answer;
    uint64_t settings[4];
};

static struct row row[MAX_ROWS];
static int rows;
static json_t *package;
static uint32_t reg[REGISTER_WORDS];
static uint8_t *memory[CHANNELS];
static uint8_t uuid[CARD_UUID_BYTES];
static const char *control;
static double delay_ms = 1, started;
static bool running, done, hanging, stuck;
static uint32_t made, fault_code, fault_after, hang_after;
static struct ids prompt, answer, held; // held: ids of the positions that the card holds

static void fail(const char *what) {
    fprintf(stderr, "fast_card: error: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// ---- registers ----

static json_int_t figure(const char *key) { return json_integer_value(json_object_get(package, key)); }

static uint32_t *word(const char *name) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(package, "registers"), i, item) {
        if (!strcmp(json_string_value(json_object_get(item, "name")), name))
            return &reg[json_integer_value(json_object_get(item, "offset")) / 4];
    }
    static uint32_t none;
    return &none;
}

static uint64_t wide(const char *name) { return (uint64_t)word(name)[1] << 32 | word(name)[0]; }

static void put_wide(const char *name, uint64_t value) {
    word(name)[0] = (uint32_t)value, word(name)[1] = (uint32_t)(value >> 32);
}

static void reset(void) {
    memset(reg, 0, sizeof reg);
    *word("magic") = 0x4C4C4952;
    put_wide("identity", strtoull(json_string_value(json_object_get(package, "identity")), NULL, 16));
    put_wide("layout", strtoull(json_string_value(json_object_get(package, "layout")), NULL, 16));
    *word("CTRL") = 4;
    put_wide("idle_engines", UINT64_MAX);
    running = done = hanging = false;
    held.count = 0;
}

static uint32_t *ids_at(uint64_t address) {
    uint64_t channel = address >> CARD_CHANNEL_SHIFT;
    return (uint32_t *)(memory[channel < CHANNELS ? channel : 0] + (address & ((1u << CARD_CHANNEL_SHIFT) - 1)));
}

// ---- requests ----

static void read_control(void) {
    char what[32] = "";
    unsigned a = 0, b = 0;
    FILE *in = fopen(control, "r");
    fault_code = hang_after = 0;
    if (!in) return;
    int read = fscanf(in, "%31s %u %u", what, &a, &b);
    fclose(in);
    unlink(control);
    if (read >= 1 && !strcmp(what, "delay")) delay_ms = a;
    if (read >= 1 && !strcmp(what, "fault")) fault_code = a, fault_after = b;
    if (read >= 1 && !strcmp(what, "hang")) hanging = true, hang_after = a;
    if (read >= 1 && !strcmp(what, "stuck")) stuck = hanging = true;
}

static bool is_row(const struct row *r) {
    const uint64_t settings[] = {*word("inverse_temperature"), *word("top_k"), *word("min_p"), wide("seed")};
    return r->prompt.count == prompt.count && !memcmp(r->prompt.id, prompt.id, 4 * prompt.count) &&
           !memcmp(r->settings, settings, sizeof settings);
}

static void find_answer(void) {
    for (int i = 0; i < rows; i++)
        if (is_row(&row[i])) {
            answer = row[i].answer;
            return;
        }
    answer.count = MAX_IDS;
    for (uint32_t i = 0; i < MAX_IDS; i++) answer.id[i] = (prompt.id[0] + i) % (uint32_t)figure("vocabulary");
}

// Ids of a wrong position would give a wrong answer, which no table has.
static void keep(void) {
    uint32_t prefix = *word("prefix");
    *word("prefix") = 0;
    if (prefix > held.count || prefix >= prompt.count || memcmp(prompt.id, held.id, 4 * prefix))
        for (uint32_t i = 0; i < answer.count; i++) answer.id[i] ^= 1;
    held.count = *word("held") = 0;
}

// A card holds what a request has left unless it had a fault or was killed.
static void hold(uint32_t ending) {
    if (!json_is_true(json_object_get(package, "prefix")) || made == 0 || ending == ENDING_KILL ||
        ending == ENDING_FAULT)
        return;
    held = prompt;
    for (uint32_t i = 0; i + 1 < made && held.count < MAX_IDS; i++) held.id[held.count++] = answer.id[i];
    *word("held") = held.count;
}

static void start(void) {
    read_control();
    prompt.count = *word("prompt_len");
    memcpy(prompt.id, ids_at(wide("prompt_ptr")), 4 * prompt.count);
    find_answer();
    keep();
    made = 0, running = true, done = false, started = now_ms();
    *word("CTRL") = 1;
    *word("ids_written") = *word("ending") = *word("fault") = *word("halt") = 0;
    *word("status") = 9;
}

// Counts three drafts for each token, all but one of them wrong.
static void count_drafts(void) {
    char name[24];
    for (int i = 0; figure("drafts") && i < 2; i++) {
        snprintf(name, sizeof name, "counter_%02d", (int)(figure("draft_counter") + i) % 100);
        put_wide(name, (i ? 1 : 3) * (uint64_t)made);
    }
}

static void finish(uint32_t ending) {
    running = false, done = true;
    *word("CTRL") = 6;
    *word("ending") = ending;
    put_wide("cycles", 1000 * (uint64_t)made + 500);
    put_wide("beats_00", 700 * (uint64_t)made);
    put_wide("beats_01", 700 * (uint64_t)made);
    count_drafts();
    hold(ending);
}

static void add_id(void) {
    uint32_t id = answer.id[made];
    ids_at(wide("ring_ptr"))[made++] = id;
    *word("ids_written") = made;
    *word("status") = 9 | (prompt.count + made - 1) << 16;
    if (id == *word("eot_id") && !(*word("flags") & 1)) finish(ENDING_EOT);
    else if (made == *word("max_new") || made == answer.count) finish(ENDING_COUNT);
    else if (prompt.count + made > (uint32_t)figure("context")) finish(ENDING_CONTEXT);
}

// Lets the time pass.
static void work(void) {
    if (running && hanging && made >= hang_after) return;
    if (running && fault_code && made >= fault_after) {
        *word("fault") = fault_code;
        finish(ENDING_FAULT);
    }
    while (running && now_ms() >= started + delay_ms * (made + 1) && !(hanging && made >= hang_after) &&
           !(fault_code && made >= fault_after)) {
        add_id();
        if (running && *word("halt")) finish(ENDING_STOP);
    }
    if (running && *word("halt") & 2) finish(ENDING_KILL);
}

// ---- the protocol ----

static bool receive(int fd, void *to, size_t bytes) {
    for (char *at = to; bytes;) {
        ssize_t n = recv(fd, at, bytes, MSG_WAITALL);
        if (n <= 0) return false;
        at += n, bytes -= (size_t)n;
    }
    return true;
}

static void reply(int fd, int error, uint32_t value, const void *data, size_t count) {
    struct card_reply r = {.error = error, .value = value, .count = count};
    if (send(fd, &r, sizeof r, MSG_NOSIGNAL) != sizeof r) return;
    for (const char *at = data; count;) {
        ssize_t n = send(fd, at, count, MSG_NOSIGNAL);
        if (n <= 0) return;
        at += n, count -= (size_t)n;
    }
}

static uint32_t state(void) {
    uint32_t value = running ? 1 : done ? 2 : 0;
    done = false;
    return value;
}

static void serve(int fd, const struct card_request *r, const void *payload) {
    uint8_t *at = (uint8_t *)ids_at(r->address);
    bool reset_fails = r->op == CARD_RESET && stuck;
    work();
    if (r->op == CARD_RESET && !stuck) reset();
    if (r->op == CARD_RESET) stuck = false;
    if (r->op == CARD_LOAD) memcpy(uuid, payload, sizeof uuid);
    if (r->op == CARD_WRITE) memcpy(at, payload, r->count);
    if (r->op == CARD_SET) reg[r->offset / 4 % REGISTER_WORDS] = (uint32_t)r->address;
    if (r->op == CARD_SET && &reg[r->offset / 4 % REGISTER_WORDS] == word("held")) held.count = *word("held") = 0;
    if (r->op == CARD_START) memcpy(&reg[CARD_ARGUMENTS_AT / 4], payload, r->count);
    if (r->op == CARD_START) start();
    if (r->op == CARD_LOADED) reply(fd, 0, 0, uuid, sizeof uuid);
    else if (r->op == CARD_READ) reply(fd, 0, 0, at, r->count);
    else if (r->op == CARD_GET) reply(fd, 0, reg[r->offset / 4 % REGISTER_WORDS], NULL, 0);
    else if (r->op == CARD_STATE) reply(fd, 0, state(), NULL, 0);
    else reply(fd, reset_fails ? EIO : 0, 0, NULL, 0);
}

static bool serve_client(int fd) {
    static uint8_t payload[MAX_PAYLOAD];
    struct card_request r;
    if (!receive(fd, &r, sizeof r) || r.count > MAX_PAYLOAD) return false;
    if (r.op != CARD_READ && r.count && !receive(fd, payload, r.count)) return false;
    serve(fd, &r, payload);
    return true;
}

// ---- starting ----

static char *read_list(char *at, struct ids *out) {
    for (out->count = 0; *at && *at != ':' && *at != '\n';) {
        char *end;
        unsigned long id = strtoul(at, &end, 10);
        if (end == at) at++;
        else if (out->count < MAX_IDS) out->id[out->count++] = (uint32_t)id, at = end;
    }
    return *at == ':' ? at + 1 : at;
}

static void read_table(const char *path) {
    static char line[1 << 16];
    FILE *in = fopen(path, "r");
    if (!in) fail(path);
    while (rows < MAX_ROWS && fgets(line, sizeof line, in)) {
        struct row *r = &row[rows++];
        char *at = read_list(line, &r->prompt);
        for (int i = 0; i < 4; i++) r->settings[i] = strtoull(at, &at, 10);
        read_list(strchr(at, ':') ? strchr(at, ':') + 1 : at, &r->answer);
    }
    fclose(in);
}

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, MAX_CLIENTS)) fail(path);
    return fd;
}

int main(int argc, char **argv) {
    char path[4096];
    json_error_t error;
    if (argc != 5) return fprintf(stderr, "usage: fast_card PACKAGE SOCKET TABLE CONTROL\n"), 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // it ends with the test that started it
    snprintf(path, sizeof path, "%s/package.json", argv[1]);
    if (!(package = json_load_file(path, 0, &error))) fail(path);
    control = argv[4];
    read_table(argv[3]);
    for (int c = 0; c < CHANNELS; c++)
        memory[c] = mmap(NULL, 1u << CARD_CHANNEL_SHIFT, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    reset();
    struct pollfd fds[MAX_CLIENTS + 1] = {{.fd = listen_at(argv[2]), .events = POLLIN}};
    for (nfds_t count = 1;;) {
        poll(fds, count, -1);
        for (nfds_t i = count - 1; i > 0; i--)
            if (fds[i].revents && !serve_client(fds[i].fd)) {
                close(fds[i].fd);
                fds[i] = fds[--count];
            }
        if (fds[0].revents && count <= MAX_CLIENTS)
            fds[count++] = (struct pollfd){.fd = accept(fds[0].fd, NULL, NULL), .events = POLLIN};
    }
}
