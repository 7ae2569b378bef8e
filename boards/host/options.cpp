// SPDX-License-Identifier: Apache-2.0
// Reads the command line of rill-host.
#include "boards/host/options.hpp"

#include <getopt.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char usage[] =
    "usage: rill-host PACKAGE [--prompt TEXT | --prompt-ids 1,2,3]... [--tokens N] [options]\n"
    "  PACKAGE           folder that `rill package` made, with the image of `rill pack` in it\n"
    "  --prompt TEXT     a request as text. Several run one after another, or together in a design with `slots`\n"
    "  --chat NAME|FILE  put prompts into a chat template: one of families/chat, or a file\n"
    "  --prompt-ids L    a request as token ids, with no beginning-of-text id added\n"
    "  --tokens N        generate at most N tokens (default 64). After a prompt, this option and the four options of\n"
    "                    sampling apply to that prompt. The first of each also applies to prompts without one\n"
    "  --ignore-eot      do not stop at end-of-text ids\n"
    "  --temperature T   draw tokens at random, 0.01 to 100, in a design with `sampling`. 0 (default): take the most "
    "likely one\n"
    "  --top-k K         draw only from the K most likely tokens (0: from all)\n"
    "  --min-p P         with --top-k: draw only tokens at least P times as likely as the most likely one\n"
    "  --sampling-seed S seed of the random numbers (default 0)\n"
    "  --logprobs        print the log probabilities of each token, in a design with `logprobs`\n"
    "  --ids             print token ids instead of text\n"
    "  --reset           reset a card that hangs, as `xbutil reset` does, and stop\n"
    "  --probe           find the card, check everything, print what was found, and stop\n"
    "  --selftest FILE   run one request and compare ids and logits with FILE, which `rill golden ... --json` printed\n"
    "  --bench LIST      run requests IN:OUT (prompt and generated tokens, 32:32,128:64) and print latency, speed, "
    "power\n"
    "  --image DIR       the image (default PACKAGE/image)\n"
    "  --binary FILE     the .xclbin (default PACKAGE/build/hw/UNIT.xclbin)\n"
    "  --device D        index or PCIe address of the card (default 0)\n"
    "  --unit N          compute unit, in a package with several (default 1)\n"
    "  --check-weights   read the image back from the card's memory and compare its checksums, after the requests. "
    "Without\n"
    "                    a request, check the image that is already on the card and upload nothing\n"
    "  --verify          read back and compare everything that was uploaded\n"
    "  --timeout S       give up a request after S seconds without a new token or step (default 10)\n"
    "  --watchdog N      let the design end a request after N cycles without progress (default 100000000)\n"
    "  --timeline FILE   write the time of every token, as CSV\n"
    "  --json            print all results as JSON instead of text\n"
    "  --quiet           print no progress and no counters\n"
    "Ctrl-C ends a request after its current step, a second one at once. Exit status: 0 done, 1 failed, 2 wrong "
    "command "
    "line, 130 stopped.\n";

enum {
    PROMPT = 1,
    IDS_IN,
    TOKENS,
    IGNORE,
    IDS,
    PROBE,
    RESET,
    SELFTEST,
    BENCH,
    IMAGE,
    BINARY,
    DEVICE,
    VERIFY,
    TIMEOUT,
    WATCHDOG,
    TIMELINE,
    JSON,
    QUIET,
    CHAT,
    TEMPERATURE,
    TOP_K,
    MIN_P,
    SEED,
    CHECK_WEIGHTS,
    UNIT,
    LOGPROBS
};

static const option options[] = {{"prompt", 1, nullptr, PROMPT},
                                 {"prompt-ids", 1, nullptr, IDS_IN},
                                 {"tokens", 1, nullptr, TOKENS},
                                 {"ignore-eot", 0, nullptr, IGNORE},
                                 {"ids", 0, nullptr, IDS},
                                 {"logprobs", 0, nullptr, LOGPROBS},
                                 {"probe", 0, nullptr, PROBE},
                                 {"reset", 0, nullptr, RESET},
                                 {"selftest", 1, nullptr, SELFTEST},
                                 {"bench", 1, nullptr, BENCH},
                                 {"image", 1, nullptr, IMAGE},
                                 {"binary", 1, nullptr, BINARY},
                                 {"device", 1, nullptr, DEVICE},
                                 {"unit", 1, nullptr, UNIT},
                                 {"verify", 0, nullptr, VERIFY},
                                 {"check-weights", 0, nullptr, CHECK_WEIGHTS},
                                 {"timeout", 1, nullptr, TIMEOUT},
                                 {"watchdog", 1, nullptr, WATCHDOG},
                                 {"timeline", 1, nullptr, TIMELINE},
                                 {"json", 0, nullptr, JSON},
                                 {"quiet", 0, nullptr, QUIET},
                                 {"chat", 1, nullptr, CHAT},
                                 {"help", 0, nullptr, 'h'},
                                 {"temperature", 1, nullptr, TEMPERATURE},
                                 {"top-k", 1, nullptr, TOP_K},
                                 {"min-p", 1, nullptr, MIN_P},
                                 {"sampling-seed", 1, nullptr, SEED},
                                 {}};

// Prints an error and returns false.
static bool wrong(const std::string &what) {
    std::fprintf(stderr, "rill-host: error: %s\n(`rill-host --help` shows the options)\n", what.c_str());
    return false;
}

// Reads a whole number of 1 or more.
static bool read_number(const char *name, const char *text, unsigned *value) {
    char *end;
    errno = 0;
    unsigned long n = std::strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || n < 1 || n > 0xffffffff)
        return wrong(std::string(name) + ": `" + text + "` is no number from 1 on");
    *value = static_cast<unsigned>(n);
    return true;
}

// Reads a list of ids such as `1,2,3`. An empty text gives an empty list. An empty element is an error.
static bool read_ids(const char *text, std::vector<uint32_t> *ids) {
    const char *at = text;
    while (*at) {
        char *end;
        unsigned long n = std::strtoul(at, &end, 10);
        if (end == at || *at == '-' || n > 0xffffffff || (*end && (*end != ',' || !end[1])))
            return wrong(std::string("--prompt-ids: `") + text + "` is not a list of ids, as 1,2,3");
        ids->push_back(static_cast<uint32_t>(n));
        at = *end ? end + 1 : end;
    }
    return true;
}

// Reads a list of IN:OUT, the prompt tokens and generated tokens of each request.
static bool read_pairs(const char *text, std::vector<std::pair<unsigned, unsigned>> *pairs) {
    for (const char *at = text; *at;) {
        unsigned in, out;
        int used = 0;
        if (std::sscanf(at, "%u:%u%n", &in, &out, &used) != 2 || in < 1 || out < 1 || (at[used] && at[used] != ','))
            return wrong(std::string("--bench: `") + text + "` is not a list of IN:OUT, as 32:32,128:64");
        pairs->push_back({in, out});
        at += used + (at[used] == ',');
    }
    return true;
}

static bool read_seconds(const char *text, double *value) {
    char *end;
    *value = std::strtod(text, &end);
    if (end == text || *end || !(*value > 0 && *value < 1e6))
        return wrong(std::string("--timeout: `") + text + "` is no time in seconds");
    return true;
}

// Reads a float. The library checks its range when a request is submitted.
static bool read_float(const char *name, const char *text, float *value) {
    char *end;
    *value = std::strtof(text, &end);
    if (end == text || *end) return wrong(std::string(name) + ": `" + text + "` is no number");
    return true;
}

// Reads a whole number from 0 to `most`.
static bool read_whole(const char *name, const char *text, uint64_t most, uint64_t *value) {
    char *end;
    errno = 0;
    *value = std::strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end || *value > most)
        return wrong(std::string(name) + ": `" + text + "` is no number from 0 to " + std::to_string(most));
    return true;
}

// Gives a setting to the prompt before the option. The first option of its kind is also for prompts without one.
template <typename T> static bool give(command_line *c, std::optional<T> settings::*setting, T value) {
    if (!c->prompts.empty()) c->prompts.back().own.*setting = value;
    if (!(c->all.*setting)) c->all.*setting = value;
    return true;
}

static bool take_tokens(command_line *c) {
    unsigned n;
    return read_number("--tokens", optarg, &n) && give(c, &settings::tokens, n);
}

static bool take_top_k(command_line *c) {
    uint64_t n;
    return read_whole("--top-k", optarg, 0xffffffff, &n) && give(c, &settings::top_k, static_cast<unsigned>(n));
}

static bool take_float(command_line *c, const char *name, std::optional<float> settings::*setting) {
    float value;
    return read_float(name, optarg, &value) && give(c, setting, value);
}

static bool take_seed(command_line *c) {
    uint64_t n;
    return read_whole("--sampling-seed", optarg, UINT64_MAX, &n) && give(c, &settings::seed, n);
}

// Gives each prompt the settings for which it has no option.
static void finish_settings(command_line *c) {
    for (prompt &p : c->prompts) {
        if (!p.own.tokens) p.own.tokens = c->all.tokens;
        if (!p.own.top_k) p.own.top_k = c->all.top_k;
        if (!p.own.temperature) p.own.temperature = c->all.temperature;
        if (!p.own.min_p) p.own.min_p = c->all.min_p;
        if (!p.own.seed) p.own.seed = c->all.seed;
    }
}

// Applies an option, whose value is in optarg. Returns false after an error.
static bool take(int o, command_line *c) {
    prompt p = {};
    switch (o) {
    case PROMPT: c->prompts.push_back({optarg, {}, true, {}}); return true;
    case IDS_IN:
        if (!read_ids(optarg, &p.ids)) return false;
        c->prompts.push_back(p);
        return true;
    case TOKENS: return take_tokens(c);
    case IGNORE: return c->ignore_eot = true;
    case IDS: return c->print_ids = true;
    case LOGPROBS: return c->logprobs = true;
    case RESET: return c->reset = true;
    case PROBE: return c->probe = true;
    case SELFTEST: c->selftest = optarg; return true;
    case BENCH: return read_pairs(optarg, &c->bench);
    case IMAGE: c->image = optarg; return true;
    case BINARY: c->binary = optarg; return true;
    case DEVICE: c->device = optarg; return true;
    case UNIT: return read_number("--unit", optarg, &c->unit);
    case VERIFY: return c->verify = true;
    case CHECK_WEIGHTS: return c->check_weights = true;
    case TIMEOUT: return read_seconds(optarg, &c->timeout);
    case WATCHDOG: return read_number("--watchdog", optarg, &c->watchdog);
    case TIMELINE: c->timeline = optarg; return true;
    case TEMPERATURE: return take_float(c, "--temperature", &settings::temperature);
    case TOP_K: return take_top_k(c);
    case MIN_P: return take_float(c, "--min-p", &settings::min_p);
    case SEED: return take_seed(c);
    case JSON: return c->json = true;
    case QUIET: return c->quiet = true;
    case CHAT: c->chat = optarg; return true;
    default: return wrong("unknown option, or its value is missing");
    }
}

bool read_command_line(int argc, char **argv, command_line *c, int *status) {
    *status = 2;
    opterr = 0;
    for (int o; (o = getopt_long(argc, argv, "h", options, nullptr)) != -1;) {
        if (o == 'h') return std::fputs(usage, stdout), *status = 0, false;
        if (!take(o, c)) return false;
    }
    finish_settings(c);
    if (c->reset && optind == argc) return true; // a reset needs no package
    if (optind + 1 != argc) return wrong(optind < argc ? "one PACKAGE is expected" : "PACKAGE is missing");
    c->package = argv[optind];
    if (c->prompts.empty() && c->selftest.empty() && c->bench.empty() && !c->probe && !c->reset && !c->check_weights)
        return wrong("nothing to do: --prompt, --prompt-ids, --selftest, --bench, --check-weights, --probe or --reset");
    return true;
}
