// SPDX-License-Identifier: Apache-2.0
// Prints the results of the requests of rill-host.
#include <cinttypes>
#include <cstdio>

#include "boards/host/host.hpp"
#include "boards/host/options.hpp"

using rill::quoted;

const char *status_name(rill_host_status s) {
    static const char *const names[] = {"ok", "bad input", "card", "fault", "timeout", "stopped"};
    return names[s];
}

// Returns the seconds from the start to the first id (TTFT), or 0 if there is no id.
static double first_id(const answer &a) { return a.seconds.empty() ? 0 : a.seconds.front(); }

// Returns the ids per second after the first id, because the time of the first id contains the time of the prompt.
static double tokens_per_second(const answer &a) {
    if (a.seconds.size() < 2 || a.seconds.back() <= a.seconds.front()) return 0;
    return static_cast<double>(a.seconds.size() - 1) / (a.seconds.back() - a.seconds.front());
}

// Returns the data of all channels, in GB.
static double moved_gb(const answer &a) {
    uint64_t beats = 0;
    for (uint32_t c = 0; c < a.result.channels; c++) beats += a.result.beats[c];
    return static_cast<double>(beats) * a.result.beat_bytes / 1e9;
}

// Returns the seconds that the counted cycles take at the clock for which the design was made.
static double design_seconds(const answer &a) {
    return a.result.clock_mhz > 0 ? static_cast<double>(a.result.cycles) / (a.result.clock_mhz * 1e6) : 0;
}

void print_counters(const answer &a) {
    std::fprintf(stderr,
                 "rill-host: %zu tokens in, %zu out; first token after %.4f s, then %.1f tokens/s, %.4f s in all\n",
                 a.prompt.size(), a.ids.size(), first_id(a), tokens_per_second(a), a.result.total);
    std::fprintf(stderr, "rill-host: %" PRIu64 " cycles by the design's counter (%.4f s at %g MHz), %.3f GB moved\n",
                 a.result.cycles, design_seconds(a), a.result.clock_mhz, moved_gb(a));
    for (uint32_t c = 0; c < a.result.channels; c++)
        std::fprintf(stderr,
                     "rill-host: channel %u: %" PRIu64 " beats, %" PRIu64 " cycles in which a beat had to wait\n", c,
                     a.result.beats[c], a.result.stalls[c]);
    if (a.result.drafts > 0)
        std::fprintf(stderr, "rill-host: %" PRIu64 " drafts in steps, %" PRIu64 " right\n", a.result.drafts,
                     a.result.drafts_accepted);
    if (a.result.prefix > 0)
        std::fprintf(stderr, "rill-host: %" PRIu32 " ids of the prompt kept of an earlier request\n", a.result.prefix);
    if (a.result.watts > 0) std::fprintf(stderr, "rill-host: %.1f W by the board's sensor\n", a.result.watts);
}

void print_logprobs(const answer &a, const std::function<std::string(uint32_t)> &text) {
    for (const rill_host_logprobs &one : a.logprobs) {
        std::fprintf(stderr, "rill-host: %10.6f %s", one.logprob, quoted(text(one.id)).c_str());
        for (uint32_t i = 0; i < one.count; i++)
            std::fprintf(stderr, "%s %s %.6f", i ? "," : "; most likely:", quoted(text(one.top_id[i])).c_str(),
                         one.top[i]);
        std::fprintf(stderr, "\n");
    }
}

// ---- JSON ----

// Returns a list of numbers as a JSON array.
template <typename list> static std::string numbers(const list &values) {
    std::string s = "[";
    for (std::size_t i = 0; i < values.size(); i++) s += (i ? ", " : "") + std::to_string(values[i]);
    return s + "]";
}

static std::string exact(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

// Returns the log probabilities of the tokens: for each token that of the token, and pairs of id and log probability of
// the most likely ones.
static std::string logprobs_as_json(const answer &a) {
    std::string s = "[";
    for (const rill_host_logprobs &one : a.logprobs) {
        s += (s.size() > 1 ? ",\n    {\"id\": " : "\n    {\"id\": ") + std::to_string(one.id) +
             ", \"logprob\": " + exact(one.logprob) + ", \"top\": [";
        for (uint32_t i = 0; i < one.count; i++)
            s += (i ? ", [" : "[") + std::to_string(one.top_id[i]) + ", " + exact(one.top[i]) + "]";
        s += "]}";
    }
    return s + "]";
}

static std::string answer_as_json(const answer &a) {
    const rill_host_result &r = a.result;
    std::vector<uint64_t> beats(r.beats, r.beats + r.channels), stalls(r.stalls, r.stalls + r.channels);
    return "{\"status\": " + quoted(status_name(a.status)) + ", \"message\": " + quoted(a.message) +
           ",\n   \"prompt_ids\": " + numbers(a.prompt) + ",\n   \"token_ids\": " + numbers(a.ids) +
           (a.result.logprobs ? ",\n   \"logprobs\": " + logprobs_as_json(a) : "") +
           ",\n   \"text\": " + quoted(a.text) + ",\n   \"seconds\": " + numbers(a.seconds) +
           ",\n   \"total_seconds\": " + std::to_string(r.total) +
           ", \"first_id_seconds\": " + std::to_string(first_id(a)) +
           ", \"ids_per_second\": " + std::to_string(tokens_per_second(a)) +
           ", \"cycles\": " + std::to_string(r.cycles) + ", \"clock_mhz\": " + std::to_string(r.clock_mhz) +
           ", \"logits_hash\": " + (r.hashes_logits ? quoted(rill::hexadecimal(r.logits_hash)) : "null") +
           ", \"watts\": " + std::to_string(r.watts) + ",\n   \"beats\": " + numbers(beats) +
           ", \"stalls\": " + numbers(stalls) + ",\n   \"drafts\": " + std::to_string(r.drafts) +
           ", \"drafts_accepted\": " + std::to_string(r.drafts_accepted) + ", \"prefix\": " + std::to_string(r.prefix) +
           ",\n   \"fault\": " + std::to_string(r.fault) + ", \"fault_place\": " + std::to_string(r.fault_place) +
           ", \"register_status\": " + std::to_string(r.status) + ", \"ending\": " + std::to_string(r.ending) + "}";
}

std::string answers_as_json(const std::string &about, const std::vector<answer> &answers) {
    std::string s = "{\"found\": " + about + ",\n \"requests\": [";
    for (std::size_t i = 0; i < answers.size(); i++) s += (i ? ",\n  " : "\n  ") + answer_as_json(answers[i]);
    return s + "\n ]}\n";
}

bool write_timeline(const std::string &path, const std::vector<answer> &answers) {
    std::FILE *f = std::fopen(path.c_str(), "w");
    if (!f) return false;
    std::fprintf(f, "request,index,id,seconds\n");
    for (std::size_t r = 0; r < answers.size(); r++)
        for (std::size_t i = 0; i < answers[r].ids.size(); i++)
            std::fprintf(f, "%zu,%zu,%u,%.6f\n", r, i, answers[r].ids[i], answers[r].seconds[i]);
    return std::fclose(f) == 0;
}

// ---- table of lengths (--bench) ----

void print_bench_head() {
    std::printf("    in    out       TTFT s  tokens/s      cycles   design s   GB moved       W  J/token\n");
}

void print_bench_row(const answer &a) {
    double joules = a.ids.empty() ? 0 : a.result.watts * a.result.total / static_cast<double>(a.ids.size());
    std::printf("%6zu %6zu %12.4f %9.1f %11" PRIu64 " %10.4f %10.3f", a.prompt.size(), a.ids.size(), first_id(a),
                tokens_per_second(a), a.result.cycles, design_seconds(a), moved_gb(a));
    if (a.result.watts > 0) std::printf(" %7.1f %8.3f\n", a.result.watts, joules);
    else std::printf("       -        -\n");
    std::fflush(stdout);
}
