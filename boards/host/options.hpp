// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of the program rill-host share: its command line and its output.
#ifndef RILL_HOST_OPTIONS_HPP
#define RILL_HOST_OPTIONS_HPP

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "boards/host/rill_host.h"

struct settings {                          // settings of a request; one without a value has its default
    std::optional<unsigned> tokens, top_k; // tokens: most generated tokens
    std::optional<float> temperature, min_p;
    std::optional<uint64_t> seed;
};

struct prompt { // a prompt as text or as ids
    std::string text;
    std::vector<uint32_t> ids;
    bool is_text;
    settings own; // settings of this prompt, including those of all prompts
};

struct command_line { // texts are "" if the option is not given
    std::string package, image, binary, device, selftest, timeline, chat;
    std::vector<prompt> prompts;
    std::vector<std::pair<unsigned, unsigned>> bench; // prompt tokens : generated tokens
    settings all;                                     // the first option of each kind: for prompts without one
    unsigned watchdog = 0, unit = 0;                  // 0 stands for the default of rill_host.h
    double timeout = 0;                               // seconds; 0 stands for the default of rill_host.h
    bool ignore_eot = false, print_ids = false, json = false, quiet = false, verify = false, probe = false,
         reset = false, check_weights = false, logprobs = false;
};

// Returns false if the program should end, with *status as its exit status (0 after --help).
bool read_command_line(int argc, char **argv, command_line *, int *status);

struct answer { // the result of one request
    std::vector<uint32_t> prompt, ids;
    std::vector<double> seconds;              // times from the start of the request until each id came
    std::vector<rill_host_logprobs> logprobs; // with --logprobs
    std::string text;
    rill_host_result result;
    rill_host_status status;
    std::string message;
};

const char *status_name(rill_host_status); // the word for the JSON output
void print_counters(const answer &);       // prints to standard error
// Prints the log probabilities of each token to standard error. text: returns the text of a token.
void print_logprobs(const answer &, const std::function<std::string(uint32_t)> &text);
// Returns the answers as JSON. `about` is the JSON text of rill_host_about.
std::string answers_as_json(const std::string &about, const std::vector<answer> &);
// Writes CSV with request, index, id, seconds. Returns false if the file cannot be written.
bool write_timeline(const std::string &path, const std::vector<answer> &);
// These print the table of --bench: its head, and a row for each request.
void print_bench_head();
void print_bench_row(const answer &);

#endif
