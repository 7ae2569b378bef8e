// SPDX-License-Identifier: Apache-2.0
// rill-host: runs the requests of its command line on a card through rill_host.h, and prints the answers. It can also
// compare an answer with that of the oracle, measure speed, and reset or check the card.
#include <jansson.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "boards/host/host.hpp"
#include "boards/host/options.hpp"

static rill_host *running; // the open card, for the signal handler

static void on_interrupt(int) {
    static const char text[] = "\nrill-host: stopping after the present step; Ctrl-C again ends it at once\n";
    rill_host_stop(running);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return; // nobody can read the message
}

static void show_progress(void *, const char *what, uint64_t done, uint64_t total) {
    std::fprintf(stderr, "\rrill-host: %s: %.1f of %.1f MB%s", what, static_cast<double>(done) / 1e6,
                 static_cast<double>(total) / 1e6, done == total ? "\n" : "");
}

// Prints an error and returns `status`.
static int complain(const std::string &what, int status) {
    std::fprintf(stderr, "rill-host: error: %s\n", what.c_str());
    return status;
}

struct stream { // output of one request as it comes
    const command_line *options;
    answer *into; // receives the ids
    rill_host *host;
    bool at_once; // prints ids as they come
};

// Prints the text of an id, or its number with --ids or without a tokenizer.
static void print_id(const stream *s, bool first, uint32_t id, const char *text, size_t bytes) {
    if (s->options->print_ids || rill_host_encode(s->host, "", nullptr, 0) < 0)
        std::printf("%s%u", first ? "" : " ", id);
    else std::fwrite(text, 1, bytes, stdout);
    std::fflush(stdout);
}

// Adds an id, its text and its time to the answer. Also prints the id if `at_once` is set and neither --json nor
// --bench was given.
static void take_id(void *context, uint32_t id, double seconds) {
    auto *s = static_cast<stream *>(context);
    size_t bytes;
    const char *text = rill_host_decode(s->host, id, &bytes);
    s->into->ids.push_back(id);
    s->into->seconds.push_back(seconds);
    s->into->text.append(text, bytes);
    if (s->at_once && !s->options->json && s->options->bench.empty())
        print_id(s, s->into->ids.size() == 1, id, text, bytes);
}

static void take_logprobs(void *context, const rill_host_logprobs *one) {
    static_cast<stream *>(context)->into->logprobs.push_back(*one);
}

static rill_host_request request_of(const command_line &c, stream *s, const settings &own) {
    constexpr unsigned default_tokens = 64;
    const std::vector<uint32_t> &ids = s->into->prompt;
    return {ids.data(),
            static_cast<uint32_t>(ids.size()),
            own.tokens.value_or(default_tokens),
            c.ignore_eot,
            take_id,
            s,
            own.temperature.value_or(0),
            own.top_k.value_or(0),
            own.min_p.value_or(0),
            own.seed.value_or(0),
            !c.bench.empty(),
            c.logprobs,
            take_logprobs};
}

static answer run(rill_host *host, const command_line &c, std::vector<uint32_t> ids, const settings &own) {
    answer a = {};
    stream s = {&c, &a, host, true};
    a.prompt = std::move(ids);
    rill_host_request request = request_of(c, &s, own);
    a.status = rill_host_run(host, &request, &a.result);
    a.message = rill_host_message(host);
    return a;
}

// Returns the settings of all prompts, with another number of tokens.
static settings with_tokens(const command_line &c, size_t tokens) {
    settings s = c.all;
    s.tokens = static_cast<unsigned>(tokens);
    return s;
}

// Encodes a prompt into *ids. If there is no tokenizer, or if the chat template cannot be used, prints a message and
// returns false.
static bool encode(rill_host *host, const command_line &c, const prompt &p, std::vector<uint32_t> *ids) {
    *ids = p.ids;
    if (!p.is_text) return true;
    auto made = [&](uint32_t *to, size_t room) {
        return c.chat.empty() ? rill_host_encode(host, p.text.c_str(), to, room)
                              : rill_host_encode_chat(host, c.chat.c_str(), p.text.c_str(), to, room);
    };
    long count = made(nullptr, 0);
    if (count < 0 && !c.chat.empty()) return complain(rill_host_message(host), 0);
    if (count < 0) return complain("the image has no tokenizer: give the prompt as ids (--prompt-ids)", 0);
    ids->resize(static_cast<size_t>(count));
    made(ids->data(), ids->size());
    return true;
}

// Ends the output of an answer: prints the log probabilities and the counters, and after an error the message. Returns
// the exit status.
static int end_request(rill_host *host, const command_line &c, const answer &a) {
    if (!c.json && c.bench.empty()) std::printf("\n");
    std::fflush(stdout);
    if (!c.json)
        print_logprobs(a, [&](uint32_t id) {
            size_t bytes;
            const char *text = rill_host_decode(host, id, &bytes);
            return c.print_ids || !bytes ? std::to_string(id) : std::string(text, bytes);
        });
    if (!c.quiet && c.bench.empty() && a.result.channels) print_counters(a);
    if (a.status == RILL_HOST_OK) return 0;
    return complain(a.message, a.status == RILL_HOST_STOPPED ? 130 : 1);
}

// Requests of a design with slots, which run at the same time.
struct together {
    rill_host *host;
    const command_line *options;
    std::vector<answer> *answers;
    std::vector<stream> streams;            // the output of each answer
    std::vector<size_t> running;            // index of the answer, by the number that rill_host_submit gave
    size_t sent = 0, printed = 0, left = 0; // number of answers: submitted, printed, and still running
    int status = 0;                         // exit status of the program
};

// Prints the answers that have ended, in the order of their prompts. An answer waits until all answers before it are
// printed. Keeps the first exit status that is not 0.
static void print_ended(together *t, const std::vector<bool> &ended) {
    const command_line &c = *t->options;
    for (; t->printed < t->sent && ended[t->printed]; t->printed++) {
        const answer &a = (*t->answers)[t->printed];
        size_t bytes;
        for (size_t i = 0; !c.json && i < a.ids.size(); i++) {
            const char *text = rill_host_decode(t->host, a.ids[i], &bytes);
            print_id(&t->streams[t->printed], i == 0, a.ids[i], text, bytes);
        }
        int status = end_request(t->host, c, a);
        if (t->status == 0) t->status = status;
    }
}

// Submits requests as long as there are free slots, and none after an error. Running requests still end after an error
// of the input. After any other error the library has given them up, so `left` becomes 0.
static void send_more(together *t) {
    for (; t->status == 0 && t->sent < t->answers->size() && t->left < t->running.size(); t->sent++, t->left++) {
        rill_host_request r = request_of(*t->options, &t->streams[t->sent], t->options->prompts[t->sent].own);
        uint32_t number;
        rill_host_status status = rill_host_submit(t->host, &r, &number);
        if (status) {
            t->status = complain(rill_host_message(t->host), 1);
            if (status != RILL_HOST_INPUT) t->left = 0;
            return;
        }
        t->running[number] = t->sent;
    }
}

// Runs all prompts, as many at the same time as the design has slots. Returns the exit status.
static int run_together(rill_host *host, const command_line &c, std::vector<answer> *answers) {
    together t = {host, &c, answers, {}, std::vector<size_t>(rill_host_slots(host))};
    answers->resize(c.prompts.size());
    for (size_t i = 0; i < c.prompts.size(); i++) {
        if (!encode(host, c, c.prompts[i], &(*answers)[i].prompt)) return 1;
        t.streams.push_back({&c, &(*answers)[i], host, false});
    }
    std::vector<bool> ended(answers->size());
    for (send_more(&t); t.left > 0; send_more(&t)) {
        uint32_t number;
        rill_host_result result;
        rill_host_status status = rill_host_wait(host, 1000, &number, &result);
        if (number == RILL_HOST_NONE && status) return complain(rill_host_message(host), 1);
        if (number == RILL_HOST_NONE) continue;
        answer &a = (*answers)[t.running[number]];
        a.status = status, a.message = rill_host_message(host), a.result = result;
        ended[t.running[number]] = true;
        t.left--;
        if (status) t.status = status == RILL_HOST_STOPPED ? 130 : 1; // no further request is sent
        print_ended(&t, ended);
    }
    answers->resize(t.sent);
    return t.status;
}

static int run_prompts(rill_host *host, const command_line &c, std::vector<answer> *answers) {
    int status = 0;
    if (rill_host_slots(host) > 1 && c.prompts.size() > 1) return run_together(host, c, answers);
    for (size_t i = 0; i < c.prompts.size() && status == 0; i++) {
        std::vector<uint32_t> ids;
        if (!encode(host, c, c.prompts[i], &ids)) return 1;
        answers->push_back(run(host, c, ids, c.prompts[i].own));
        status = end_request(host, c, answers->back());
    }
    return status;
}

// Measures requests of given lengths. Every run of the program has the same prompts, and an end-of-text id does not end
// a request.
static int run_bench(rill_host *host, command_line c, std::vector<answer> *answers) {
    c.ignore_eot = true;
    if (!c.json) print_bench_head();
    for (auto [in, out] : c.bench) {
        std::vector<uint32_t> ids;
        for (unsigned i = 0; i < in; i++) ids.push_back(1 + i % 61);
        answers->push_back(run(host, c, ids, with_tokens(c, out)));
        if (answers->back().status != RILL_HOST_OK) return end_request(host, c, answers->back());
        if (!c.json) print_bench_row(answers->back());
    }
    return 0;
}

// ---- comparison with the answer of the oracle ----

// Appends the numbers of the list `key` to *ids. Returns false if there is no such list.
static bool read_list(const json_t *top, const char *key, std::vector<uint32_t> *ids) {
    const json_t *list = json_object_get(top, key);
    for (size_t i = 0; i < json_array_size(list); i++)
        ids->push_back(static_cast<uint32_t>(json_integer_value(json_array_get(list, i))));
    return json_is_array(list);
}

struct golden_answer {
    std::vector<uint32_t> prompt, ids;
    std::string logits; // hash of the logits, 16 hexadecimal digits
};

// Returns 0 if the hashes of the logits are equal or if the design has none. Otherwise prints an error and returns 1.
static int compare_logits(const answer &a, const golden_answer &golden) {
    if (!a.result.hashes_logits) {
        std::fprintf(stderr, "rill-host: selftest: the design does not hash its logits: they are not compared\n");
        return 0;
    }
    std::string hash = rill::hexadecimal(a.result.logits_hash);
    if (hash != golden.logits)
        return complain(
            "selftest: the ids are right, the logits are not: their hash is " + hash + ", golden: " + golden.logits, 1);
    std::fprintf(stderr, "rill-host: selftest: the hash of the logits matches the oracle: %s\n", hash.c_str());
    return 0;
}

static int compare(const answer &a, const golden_answer &golden) {
    const std::vector<uint32_t> &want = golden.ids;
    for (size_t i = 0; i < a.ids.size() && i < want.size(); i++)
        if (a.ids[i] != want[i])
            return complain("selftest: id " + std::to_string(i) + " is " + std::to_string(a.ids[i]) +
                                ", golden: " + std::to_string(want[i]),
                            1);
    if (a.ids.size() != want.size())
        return complain("selftest: " + std::to_string(a.ids.size()) + " ids, golden: " + std::to_string(want.size()),
                        1);
    std::fprintf(stderr, "rill-host: selftest: %zu token ids match the oracle\n", want.size());
    return compare_logits(a, golden);
}

static int run_selftest(rill_host *host, command_line c, std::vector<answer> *answers) {
    json_error_t error;
    json_t *top = json_load_file(c.selftest.c_str(), 0, &error);
    golden_answer golden;
    const char *hash = json_string_value(json_object_get(top, "logits_hash"));
    golden.logits = hash ? hash : "";
    bool whole = hash && read_list(top, "prompt_ids", &golden.prompt) && read_list(top, "token_ids", &golden.ids) &&
                 !golden.ids.empty();
    json_decref(top);
    if (!whole) return complain(c.selftest + ": not an answer of `rill golden ... --json`", 1);
    // The card stops as the oracle did: at an end-of-text id, or at the same count.
    answers->push_back(run(host, c, golden.prompt, with_tokens(c, golden.ids.size())));
    int status = end_request(host, c, answers->back());
    return status ? status : compare(answers->back(), golden);
}

// ---- the program ----

static int check_weights(rill_host *host, const command_line &c) {
    if (rill_host_check_weights(host) != RILL_HOST_OK) return complain(rill_host_message(host), 1);
    if (!c.quiet) std::fprintf(stderr, "rill-host: the card's memory holds the image\n");
    return 0;
}

static int run_all(rill_host *host, const command_line &c, std::vector<answer> *answers) {
    if (c.probe) return 0;
    // Without a request, --check-weights checks the present contents of the card's memory and uploads nothing.
    bool alone = c.check_weights && c.selftest.empty() && c.prompts.empty() && c.bench.empty();
    if (alone) return check_weights(host, c);
    if (rill_host_upload(host, c.verify) != RILL_HOST_OK) return complain(rill_host_message(host), 1);
    int status = 0;
    if (!c.selftest.empty()) status = run_selftest(host, c, answers);
    if (status == 0) status = run_prompts(host, c, answers);
    if (status == 0 && !c.bench.empty()) status = run_bench(host, c, answers);
    return status == 0 && c.check_weights ? check_weights(host, c) : status;
}

static rill_host *open_host(const command_line &c) {
    auto or_null = [](const std::string &s) { return s.empty() ? nullptr : s.c_str(); };
    rill_host_options o = {};
    o.package = c.package.c_str(), o.image = or_null(c.image), o.binary = or_null(c.binary);
    o.device = or_null(c.device), o.timeout = c.timeout, o.watchdog = c.watchdog;
    o.unit = c.unit;
    o.progress = c.quiet || c.json ? nullptr : show_progress;
    return rill_host_open(&o);
}

static int finish(rill_host *host, const command_line &c, const std::vector<answer> &answers, int status) {
    if (c.json) std::fputs(answers_as_json(rill_host_about(host), answers).c_str(), stdout);
    if (!c.timeline.empty() && !write_timeline(c.timeline, answers))
        return complain(c.timeline + " cannot be written", 1);
    if (std::fflush(stdout) != 0) return complain("standard output cannot be written", 1);
    return status;
}

static int reset(const command_line &c) {
    char message[1024];
    if (rill_host_reset(c.device.empty() ? nullptr : c.device.c_str(), message, sizeof message) == RILL_HOST_OK)
        return 0;
    return complain(message, 1);
}

int main(int argc, char **argv) {
    command_line c;
    int status;
    if (!read_command_line(argc, argv, &c, &status)) return status;
    if (c.reset) return reset(c);
    rill_host *host = open_host(c);
    if (rill_host_failed(host) != RILL_HOST_OK) {
        status = complain(rill_host_message(host), 1);
    } else {
        running = host;
        std::signal(SIGINT, on_interrupt);
        if (!c.quiet || c.probe) std::fprintf(stderr, "rill-host: found %s\n", rill_host_about(host));
        std::vector<answer> answers;
        status = finish(host, c, answers, run_all(host, c, &answers));
    }
    rill_host_close(host);
    return status;
}
