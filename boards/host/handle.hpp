// SPDX-License-Identifier: Apache-2.0
// The handle behind rill_host.h. library.cpp opens the card, requests.cpp runs requests on it.
#ifndef RILL_HOST_HANDLE_HPP
#define RILL_HOST_HANDLE_HPP

#include <array>
#include <chrono>

#include "boards/host/host.hpp"

namespace rill {

using clock_type = std::chrono::steady_clock;
inline double since(clock_type::time_point begin) {
    return std::chrono::duration<double>(clock_type::now() - begin).count();
}

// HALT_* are values of the register halt, SUBMIT_* of the register submit. POLL_MS is the time between two reads of the
// card in milliseconds.
constexpr std::uint32_t HALT_STOP = 1, HALT_KILL = 2, SUBMIT_START = 1, SUBMIT_STOP = 2;
constexpr unsigned POLL_MS = 2;

struct power {                           // mean of the readings of the card's power sensor during a request
    double sum = 0, next = 0;            // sum: of the readings, in W; next: time of the next reading
    int count = 0;                       // readings
    void look(const card &, double now); // reads the sensor if it is time; now: seconds since the start of the request
    double mean() const { return count ? sum / count : 0; } // W; 0 without a reading
};

struct counts { // counters of a run: its cycles, and for each memory channel beats and stalled cycles
    std::uint64_t cycles = 0, beats[RILL_HOST_MAX_CHANNELS] = {}, stalls[RILL_HOST_MAX_CHANNELS] = {};
};

// A request from its submission until the caller has its result.
struct place {
    bool used = false, ended = false;
    std::uint32_t slot = 0; // the slot of the design
    std::uint32_t area = 0; // the area of memory with the prompt and the ring
    rill_host_request request = {};
    std::vector<std::uint32_t> prompt, ids;   // ids: generated so far
    std::vector<double> seconds;              // from `start` until the host saw each id
    std::vector<rill_host_logprobs> logprobs; // of the ids, if the request wants them
    clock_type::time_point start;             // of the submission
    power watts;
    counts before;                 // at the submission
    std::uint32_t prefix = 0;      // positions that were kept
    std::uint32_t seen = 0;        // the latest `status`
    std::atomic<bool> stop{false}; // rill_host_stop_request was called
    bool told = false;             // the design has received the stop
    rill_host_result result = {};
    rill_host_status status = RILL_HOST_OK; // the status of the request after its end
    std::string message;
};

} // namespace rill

struct rill_host {
    rill_host_status status = RILL_HOST_OK; // of the latest call
    std::string message, about;             // message: of the latest call; about: the text of rill_host_about
    rill_host_options options = {};
    double timeout = 10; // seconds, as in rill_host_options
    rill::package pkg;
    rill::image im;
    std::unique_ptr<rill::card> dev;     // NULL until the card is open
    std::unique_ptr<rill::words> speech; // the tokenizer
    bool uploaded = false;               // the memory of the card has the image
    // The requests. `running` is true from a start until the design is done.
    std::array<rill::place, RILL_HOST_MAX_SLOTS> places;
    bool running = false;
    rill::clock_type::time_point moved;      // the last time that a request had a new id or step
    std::atomic<int> stop{0};                // number of calls of rill_host_stop in this run
    int told = 0;                            // number of these calls that the design has received
    rill::counts counted;                    // counters of the run that are part of results
    std::vector<rill::slot_positions> slots; // what the slots of the design hold
    std::uint64_t submitted = 0;             // number of submissions so far
};

namespace rill {

// Returns the value of a register, or 0 if the design has none of this name.
std::uint64_t value_of(const rill_host *, const std::string &name);
void set(rill_host *, const char *name, std::uint32_t value); // does nothing if the design has no such register
// Notes here, and in the registers of the design, that no slot holds positions that a request could keep.
void forget_positions(rill_host *);
extern const char *const needs_reset; // the end of a message

// Runs a part of a call. If it throws, the exception gives the status and the message of the call.
template <typename call> rill_host_status guarded(rill_host *h, call &&f) {
    h->status = RILL_HOST_OK;
    h->message.clear();
    try {
        f();
    } catch (const problem &e) {
        h->status = e.status, h->message = e.what();
    } catch (const std::exception &e) {
        h->status = RILL_HOST_CARD, h->message = e.what();
    }
    return h->status;
}

} // namespace rill

#endif
