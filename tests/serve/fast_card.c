// SPDX-License-Identifier: Apache-2.0
// Imitates a card for tests of the server, without simulating a design: it implements the protocol of the simulated
// card (verif/card/protocol.h) and the registers in C. A table has the answers, which the oracle computed. On command,
// the card is slow, reports faults or hangs. If the package has slots, that many requests run at the same time.
// usage: fast_card PACKAGE SOCKET TABLE CONTROL
//   TABLE    a request on each line: prompt ids : inverse_temperature top_k min_p seed : answer ids (settings as words
//            of the registers). If a prompt is not in the table, the answer counts up from the prompt's first id
//   CONTROL  a file that the next request reads and removes: `delay MS` (for each token, from now on), `fault CODE N`
//            (after N tokens; a code of 5 or more ends all requests), `hang N` (after N tokens, the card hangs until a
//            reset), `stuck` (the card hangs at once, and the next reset fails)
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

#include "gen/base/endings.h"
#include "verif/card/protocol.h"

enum {
    MAX_CLIENTS = 8,
    REGISTER_WORDS = 1024,
    CHANNELS = 2,
    MAX_IDS = 1024,
    MAX_ROWS = 200,
    MAX_PAYLOAD = 64 << 20,
    MAX_SLOTS = 16
};

struct ids {
    uint32_t count, id[MAX_IDS];
};
struct row {
    struct ids prompt, answer;
    uint64_t settings[4]; // inverse_temperature, top_k, min_p, seed
};

static struct row row[MAX_ROWS]; // the table
static int rows;
static json_t *package;
static uint32_t reg[REGISTER_WORDS];
static uint8_t *memory[CHANNELS];
static uint8_t uuid[CARD_UUID_BYTES];
static const char *control;
static double delay_ms = 1;
static bool running, done, hanging, stuck; // done: until the host has read the state; stuck: the next reset fails
static struct ids held;                    // tokens whose keys and values the card holds, from position 0
static struct slot {
    bool busy, hangs; // hangs: its request stops the whole card after hang_after tokens
    uint32_t made, fault_code, fault_after, hang_after; // made: generated tokens; *_after: tokens before the event
    uint32_t fault, ending, status;                     // registers
    uint32_t max_new, flags;                            // arguments
    uint64_t ring;                                      // address of the generated ids
    double started;                                     // ms
    struct ids prompt, answer;
} slot[MAX_SLOTS];
static int slots = 1;
static uint32_t accepted; // requests since the reset

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

// Returns a number of package.json, or 0 if package.json has no such member.
static json_int_t figure(const char *key) { return json_integer_value(json_object_get(package, key)); }

// Returns the register of this name. A design without such a register gets a word that reads 0.
static uint32_t *word(const char *name) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(package, "registers"), i, item) {
        if (!strcmp(json_string_value(json_object_get(item, "name")), name))
            return &reg[json_integer_value(json_object_get(item, "offset")) / 4];
    }
    static uint32_t none[2]; // reads 0
    none[0] = none[1] = 0;
    return none;
}

// wide and put_wide read and write a register of 64 bits, which is two words.
static uint64_t wide(const char *name) { return (uint64_t)word(name)[1] << 32 | word(name)[0]; }

static void put_wide(const char *name, uint64_t value) {
    word(name)[0] = (uint32_t)value, word(name)[1] = (uint32_t)(value >> 32);
}

// Puts the registers and slots into the state after a reset. The memory stays.
static void reset(void) {
    memset(reg, 0, sizeof reg);
    *word("magic") = 0x4C4C4952; // "RILL"
    put_wide("identity", strtoull(json_string_value(json_object_get(package, "identity")), NULL, 16));
    put_wide("layout", strtoull(json_string_value(json_object_get(package, "layout")), NULL, 16));
    *word("CTRL") = 4; // ap_idle
    put_wide("idle_engines", UINT64_MAX);
    running = done = hanging = false;
    held.count = 0;
    memset(slot, 0, sizeof slot);
    accepted = 0;
}

// Returns the place of a byte address of the card in the memory of this process.
static uint32_t *ids_at(uint64_t address) {
    uint64_t channel = address >> CARD_CHANNEL_SHIFT;
    return (uint32_t *)(memory[channel < CHANNELS ? channel : 0] + (address & ((1u << CARD_CHANNEL_SHIFT) - 1)));
}

// ---- requests ----

// Reads and removes the control file. Its command applies to this request, except `delay`, which applies to all.
static void read_control(struct slot *s) {
    char what[32] = "";
    unsigned a = 0, b = 0;
    FILE *in = fopen(control, "r");
    if (!in) return;
    int read = fscanf(in, "%31s %u %u", what, &a, &b);
    fclose(in);
    unlink(control);
    if (read >= 1 && !strcmp(what, "delay")) delay_ms = a;
    if (read >= 1 && !strcmp(what, "fault")) s->fault_code = a, s->fault_after = b;
    if (read >= 1 && !strcmp(what, "hang")) s->hangs = true, s->hang_after = a;
    if (read >= 1 && !strcmp(what, "stuck")) stuck = s->hangs = true;
}

static bool is_row(const struct row *r, const struct ids *prompt) {
    const uint64_t settings[] = {*word("inverse_temperature"), *word("top_k"), *word("min_p"), wide("seed")};
    return r->prompt.count == prompt->count && !memcmp(r->prompt.id, prompt->id, 4 * prompt->count) &&
           !memcmp(r->settings, settings, sizeof settings);
}

// Sets the answer to the prompt with the settings in the registers.
static void find_answer(struct slot *s) {
    for (int i = 0; i < rows; i++)
        if (is_row(&row[i], &s->prompt)) {
            s->answer = row[i].answer;
            return;
        }
    s->answer.count = MAX_IDS;
    for (uint32_t i = 0; i < MAX_IDS; i++) s->answer.id[i] = (s->prompt.id[0] + i) % (uint32_t)figure("vocabulary");
}

// Checks the prefix that the server asks to keep. If the card does not hold exactly these tokens, or no token of the
// prompt would be left, all ids of the answer become wrong, so that the test finds the error.
static void keep(struct slot *s) {
    uint32_t prefix = *word("prefix");
    *word("prefix") = 0;
    if (prefix > held.count || prefix >= s->prompt.count || memcmp(s->prompt.id, held.id, 4 * prefix))
        for (uint32_t i = 0; i < s->answer.count; i++) s->answer.id[i] ^= 1;
    held.count = *word("held") = 0;
}

// Records the tokens that the card holds after a request: the prompt and the answer without its last token, whose keys
// and values were not computed. After a fault or a kill the card holds nothing.
static void hold(const struct slot *s) {
    if (!json_is_true(json_object_get(package, "prefix")) || s->made == 0 || s->ending == ENDING_KILLED ||
        s->ending == ENDING_FAULT)
        return;
    held = s->prompt;
    for (uint32_t i = 0; i + 1 < s->made && held.count < MAX_IDS; i++) held.id[held.count++] = s->answer.id[i];
    *word("held") = held.count;
}

// Begins a request with the arguments in the registers.
static void take(struct slot *s) {
    *s = (struct slot){.busy = true, .status = 9, .ring = wide("ring_ptr"), .started = now_ms()};
    s->max_new = *word("max_new"), s->flags = *word("flags");
    read_control(s);
    s->prompt.count = *word("prompt_len");
    memcpy(s->prompt.id, ids_at(wide("prompt_ptr")), 4 * s->prompt.count);
    find_answer(s);
    accepted++;
}

// Starts a run with the request in the registers. Further requests of a design with slots come by submit().
static void start(void) {
    take(&slot[0]);
    keep(&slot[0]);
    running = true, done = false;
    *word("CTRL") = 1; // ap_start
    *word("halt") = 0;
    put_wide("cycles", 500);
    put_wide("beats_00", 0);
    put_wide("beats_01", 0);
}

// Sets the counters of drafts: three for each token, of which one is accepted.
static void count_drafts(uint32_t made) {
    char name[24];
    for (int i = 0; figure("drafts") && i < 2; i++) {
        snprintf(name, sizeof name, "counter_%02d", (int)(figure("draft_counter") + i) % 100);
        put_wide(name, (i ? 1 : 3) * (uint64_t)made);
    }
}

// Ends a request and frees its slot.
static void finish(struct slot *s, uint32_t ending) {
    s->busy = false, s->ending = ending;
    count_drafts(s->made);
    hold(s);
}

// Writes the record of log probabilities of a token, if the design makes records. The token has rank r among the most
// likely ones, where r counts the tokens modulo the length of the list. Its neighbours have the ids before and after
// it. The logit of rank k is -k, and the sum of exponentials is 2.
static void write_record(const struct slot *s, uint32_t id) {
    enum { WORDS = 16, LOGIT = 1, SUM = 2, IDS = 4, LOGITS = 9, LISTED = 5 };
    uint32_t most = (uint32_t)figure("logprobs"), record[WORDS] = {[0] = id, [SUM + 1] = 1u << (39 + 1 - 32)};
    if (!most) return;
    uint32_t rank = s->made % most, vocabulary = (uint32_t)figure("vocabulary");
    float logit = -(float)rank;
    memcpy(&record[LOGIT], &logit, sizeof logit);
    for (uint32_t k = 0; k < LISTED; k++) {
        logit = -(float)k;
        record[IDS + k] = k < most ? (id + vocabulary - rank + k) % vocabulary : UINT32_MAX;
        memcpy(&record[LOGITS + k], &logit, sizeof logit);
    }
    memcpy((uint8_t *)ids_at(s->ring) + figure("logprobs_offset") + sizeof record * s->made, record, sizeof record);
}

// Generates a token. The figures (1000 cycles and 700 beats of each channel) are those that client.py expects.
static void add_id(struct slot *s) {
    uint32_t id = s->answer.id[s->made];
    write_record(s, id);
    ids_at(s->ring)[s->made++] = id;
    put_wide("cycles", wide("cycles") + 1000);
    put_wide("beats_00", wide("beats_00") + 700);
    put_wide("beats_01", wide("beats_01") + 700);
    s->status = 9 | (s->prompt.count + s->made - 1) << 16;
    if (id == *word("eot_id") && !(s->flags & 1)) finish(s, ENDING_OF_TEXT);
    else if (s->made == s->max_new || s->made == s->answer.count) finish(s, ENDING_ALL);
    else if (s->prompt.count + s->made > (uint32_t)figure("context")) finish(s, ENDING_OF_CONTEXT);
}

// Ends the request with its fault. A fault of the whole run (code 5 or more) ends all requests.
static void fault(struct slot *of) {
    for (struct slot *s = slot; s < slot + slots; s++)
        if (s == of || (s->busy && of->fault_code >= 5)) {
            s->fault = of->fault_code;
            finish(s, ENDING_FAULT);
        }
}

// Does what is due in a slot at the present time: a token every delay_ms, a fault, a hang, or the end.
static void work_on(struct slot *s) {
    while (s->busy && !hanging && now_ms() >= s->started + delay_ms * (s->made + 1)) {
        if (s->hangs && s->made >= s->hang_after) hanging = true;
        else if (s->fault_code && s->made >= s->fault_after) fault(s);
        else add_id(s);
        if (s->busy && !hanging && *word("halt")) finish(s, ENDING_STOPPED);
    }
    if (s->busy && !hanging && *word("halt") & 2) finish(s, ENDING_KILLED);
}

// Brings all slots up to the present time. The card has no thread of its own: each message of a client calls this.
static void work(void) {
    bool busy = false;
    for (int i = 0; i < slots; i++) work_on(&slot[i]);
    for (int i = 0; i < slots; i++) busy |= slot[i].busy;
    if (!running || busy) return;
    running = false, done = true;
    *word("CTRL") = 6; // ap_done, ap_idle
}

// ---- registers of slots ----

static struct slot *chosen(void) { return &slot[*word("slot") % MAX_SLOTS]; }

// Writes the state of the chosen slot to the registers that a host can read.
static void show(void) {
    uint32_t busy = 0;
    for (int i = 0; i < slots; i++) busy |= (uint32_t)slot[i].busy << i;
    *word("status") = chosen()->status, *word("ids_written") = chosen()->made;
    *word("fault") = chosen()->fault, *word("ending") = chosen()->ending;
    if (slots > 1) *word("slots") = busy | accepted << 16;
}

// Handles a write to the register `submit`: bit 0 starts a request in the chosen slot, bit 1 ends it.
static void submit(uint32_t value) {
    struct slot *s = chosen();
    if (value & 1 && running && !s->busy && s < slot + slots) take(s);
    if (value & 2 && s->busy && !hanging) finish(s, ENDING_STOPPED);
    *word("submit") = 0;
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

// Returns the state for the protocol: 0 idle, 1 running, 2 done. `done` is reported once.
static uint32_t state(void) {
    uint32_t value = running ? 1 : done ? 2 : 0;
    done = false;
    return value;
}

// Carries out a request of the protocol and replies to it.
static void serve(int fd, const struct card_request *r, const void *payload) {
    uint8_t *at = (uint8_t *)ids_at(r->address);
    bool reset_fails = r->op == CARD_RESET && stuck;
    work();
    if (r->op == CARD_RESET && !stuck) reset();
    if (r->op == CARD_RESET) stuck = false;
    if (r->op == CARD_LOAD) memcpy(uuid, payload, sizeof uuid);
    if (r->op == CARD_WRITE) memcpy(at, payload, r->count);
    if (r->op == CARD_SET) reg[r->offset / 4 % REGISTER_WORDS] = (uint32_t)r->address;
    if (r->op == CARD_SET && &reg[r->offset / 4 % REGISTER_WORDS] == word("submit")) submit((uint32_t)r->address);
    if (r->op == CARD_SET && &reg[r->offset / 4 % REGISTER_WORDS] == word("held")) held.count = *word("held") = 0;
    if (r->op == CARD_START) memcpy(&reg[CARD_ARGUMENTS_AT / 4], payload, r->count);
    if (r->op == CARD_START) start();
    show();
    if (r->op == CARD_LOADED) reply(fd, 0, 0, uuid, sizeof uuid);
    else if (r->op == CARD_READ) reply(fd, 0, 0, at, r->count);
    else if (r->op == CARD_GET) reply(fd, 0, reg[r->offset / 4 % REGISTER_WORDS], NULL, 0);
    else if (r->op == CARD_STATE) reply(fd, 0, state(), NULL, 0);
    else reply(fd, reset_fails ? EIO : 0, 0, NULL, 0);
}

// Returns false if the connection is to be closed.
static bool serve_client(int fd) {
    static uint8_t payload[MAX_PAYLOAD];
    struct card_request r;
    if (!receive(fd, &r, sizeof r) || r.count > MAX_PAYLOAD) return false;
    if (r.op != CARD_READ && r.count && !receive(fd, payload, r.count)) return false;
    serve(fd, &r, payload);
    return true;
}

// ---- starting ----

// Reads ids up to a colon or the end of the line. Returns the text after the colon, or the end.
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
    if (figure("slots")) slots = (int)figure("slots");
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
