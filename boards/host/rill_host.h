// SPDX-License-Identifier: Apache-2.0
// Runs requests on a card that holds a kernel of `rill package`. This is a C interface over the C++ API of XRT, which
// rill-host and rill_host.py use. One handle is one compute unit of a card. Only one thread may use a handle, except
// for rill_host_stop and rill_host_stop_request.
#ifndef RILL_HOST_H
#define RILL_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rill_host_status {
    RILL_HOST_OK = 0,
    RILL_HOST_INPUT = 1,   // wrong package, image, binary or request: no request was started
    RILL_HOST_CARD = 2,    // XRT reports an error, or the card is not in the required state
    RILL_HOST_FAULT = 3,   // the design ended the request with a fault
    RILL_HOST_TIMEOUT = 4, // the design has made no progress for too long
    RILL_HOST_STOPPED = 5  // the request was stopped; the result has the ids up to then
};

typedef struct rill_host rill_host;

// Reports progress of `what` ("upload", "verify", "check"): `done` of `total` bytes.
typedef void rill_host_progress(void *context, const char *what, uint64_t done, uint64_t total);

struct rill_host_options {
    const char *package; // folder that `rill package` wrote
    const char *image;   // folder with manifest.json; NULL for image/ in the package
    const char *binary;  // .xclbin; NULL for build/hw/FIRST_UNIT.xclbin in the package
    const char *device;  // index or PCIe address; NULL for "0"
    double timeout;      // seconds without a new id or step after which a request is given up; 0 for 10
    uint32_t watchdog; // cycles after which the design itself gives up; 0: 100,000,000. Not every design has a watchdog
    rill_host_progress *progress; // may be NULL
    void *context;                // passed to progress
    uint32_t unit;                // compute unit of the binary, counted from 1; 0 for the first
};

// Reads package, image and binary, checks them against each other, opens the card, loads the binary, and checks what
// the card reports. Never returns NULL: rill_host_failed tells whether it worked. If not, only rill_host_message and
// rill_host_close may be called.
rill_host *rill_host_open(const struct rill_host_options *options);
void rill_host_close(rill_host *host); // `host` may be NULL
// Resets a card that hangs, as `xbutil reset` does. `device` is as in rill_host_options. Everything on the card is
// lost, including its memory. If the reset fails, `message`, which has room for `bytes` bytes, receives the reason.
enum rill_host_status rill_host_reset(const char *device, char *message, size_t bytes);
// Return the status and the message of the latest call that ran a request or opened a card. (rill_host_encode, _decode
// and _about leave both as they are.) The message is "" after success. Otherwise it tells what is
// wrong and what to do. It is valid until the next call.
enum rill_host_status rill_host_failed(const rill_host *host);
const char *rill_host_message(const rill_host *host);
// Describes package, image, binary, card and banks as a JSON object. The text is valid until the handle is closed.
const char *rill_host_about(const rill_host *host);

// Writes every byte that the design may read (the image, and zeros elsewhere). No request may run. If `verify` is not
// 0, also reads everything back and compares it.
enum rill_host_status rill_host_upload(rill_host *host, int verify);
// Reads the image back from the memory of the card and compares it with the checksums of its manifest. No request may
// run. Afterwards the image counts as uploaded if it is right.
enum rill_host_status rill_host_check_weights(rill_host *host);

// Encodes a prompt, with the id that the tokenizer puts before a text, if it has one. Returns the count of all ids and
// writes the first ones, at most `room`, to `ids`, which may be NULL if `room` is 0. Returns -1 if the image has no
// tokenizer.
long rill_host_encode(rill_host *host, const char *text, uint32_t *ids, size_t room);
// Encodes a question to a chat model with a template, whose name or file is `chat` (docs/models.md). Returns and writes
// ids as rill_host_encode does. Returns -1 after an error, which rill_host_message describes.
long rill_host_encode_chat(rill_host *host, const char *chat, const char *text, uint32_t *ids, size_t room);
// Returns the bytes of one id, valid until the handle is closed. *bytes is 0 if the id has none.
const char *rill_host_decode(rill_host *host, uint32_t id, size_t *bytes);

enum { RILL_HOST_MAX_LOGPROBS = 5 };
// The log probabilities of a generated token: natural logarithms of the probabilities that the model gave before any
// sampling setting (temperature, top_k, min_p).
struct rill_host_logprobs {
    uint32_t id;    // the token
    double logprob; // its log probability
    // The most likely tokens, the most likely one first: number of entries, ids and log probabilities.
    uint32_t count;
    uint32_t top_id[RILL_HOST_MAX_LOGPROBS];
    double top[RILL_HOST_MAX_LOGPROBS];
};

struct rill_host_request {
    const uint32_t *prompt;         // ids below the vocabulary, at least one and at most as many as the context
    uint32_t prompt_count, max_new; // prompt tokens, and the most tokens to generate
    int ignore_eot;                 // if not 0, continues after an end-of-text id
    void (*token)(void *context, uint32_t id, double seconds); // called for each id as it comes; may be NULL
    void *context;
    float temperature; // 0: take the most likely id; 0.01 to 100: sample (refused if the design cannot)
    uint32_t top_k;    // draw from this many of the most likely ids, at most the design's limit; 0: from all
    // With top_k: draw only from ids at least min_p (1e-30 to 1) times as likely as the most likely one; 0: from any.
    float min_p;
    uint64_t seed; // seed of the random numbers: an equal request with an equal seed gives equal ids
    int whole;     // if not 0, computes the whole prompt, although the card holds its first positions
    int logprobs;  // if not 0, reads the log probabilities of each token (refused without `logprobs`)
    // With logprobs: called for each id, just before `token`; may be NULL. *one is valid during the call.
    void (*record)(void *context, const struct rill_host_logprobs *one);
};

enum { RILL_HOST_MAX_CHANNELS = 32, RILL_HOST_MAX_SLOTS = 16 };
struct rill_host_result { // pointers are valid until the next request
    const uint32_t *id;
    const double *seconds;         // time from the start until the host saw each id
    uint32_t count;                // entries of id and of seconds
    double total;                  // seconds from start to end, by the clock of the host
    uint64_t cycles;               // from start to done, by the counter of the design
    double clock_mhz;              // clock for which the design was made
    uint32_t channels, beat_bytes; // entries of beats and of stalls; bytes of a beat
    // Counters of each memory channel: beats, and cycles in which the channel had no beat ready for its engine lane.
    uint64_t beats[RILL_HOST_MAX_CHANNELS], stalls[RILL_HOST_MAX_CHANNELS];
    uint32_t status, fault, fault_place; // registers at the end of the request (docs/registers.md)
    uint32_t ending;                     // register; 0 if the design has none
    uint64_t logits_hash; // register; hash of the logits from which the ids were chosen, comparable with the oracle's
    int hashes_logits;    // 0 if the design does not hash; logits_hash is 0 then
    double watts;         // mean of the power sensor of the board during the request; 0 if it cannot be read
    uint64_t drafts, drafts_accepted; // counters of the design: guessed tokens, and those that were right
    uint32_t prefix; // prompt tokens that were not computed, because the card held them from an earlier request
    // If several requests run at the same time, cycles, beats and stalls count all work of the design from the
    // submission of this request to its end. A sum over requests would count some work several times. The two members
    // below have only the cycles and bytes that are in no earlier result, so their sums count everything once.
    uint64_t new_cycles, new_bytes;
    const struct rill_host_logprobs *logprobs; // `count` entries; NULL for a request without logprobs
};

// Runs one request from start to end. The image must have been uploaded, and no other request may run. Fills *result if
// the design ended the request, even with a fault. *result is all 0 if the request was refused or given up. Returns how
// the request ended.
enum rill_host_status rill_host_run(rill_host *host, const struct rill_host_request *request,
                                    struct rill_host_result *result);
// Ends all running requests after the current step or, if called twice, as soon as no memory access is open. A design
// without the register `halt` runs to its end. May be called from another thread and from a signal handler.
void rill_host_stop(rill_host *host);
// Returns the current value of a register of package.json by its name (`status`, `cycles`, ...), or UINT64_MAX if there
// is none.
uint64_t rill_host_register(rill_host *host, const char *name);

// ---- several requests at the same time ----

// Returns how many requests the design runs at the same time: its `slots`, or 1.
uint32_t rill_host_slots(const rill_host *host);
// Starts a request, even while others run, and sets *number to a number below rill_host_slots. The request has this
// number until rill_host_wait returns it. Copies the prompt. May call `token` of requests that run. RILL_HOST_INPUT
// means that the request is wrong, or that all numbers are in use. Then no request was started, and the others go on.
// After another error, all requests are given up.
enum rill_host_status rill_host_submit(rill_host *host, const struct rill_host_request *request, uint32_t *number);
// Waits at most `milliseconds` for the end of a request, and meanwhile calls `token` for the new ids of all requests.
// - If a request has ended, sets *number to its number and fills *result, whose pointers are valid until the number is
//   used again. Returns how the request ended: RILL_HOST_OK, RILL_HOST_FAULT or RILL_HOST_STOPPED.
// - If none has ended, *number is RILL_HOST_NONE. RILL_HOST_OK means that requests run, or that there are none.
//   RILL_HOST_TIMEOUT and RILL_HOST_CARD mean that all requests are given up, and that their numbers are free.
enum { RILL_HOST_NONE = 0x7fffffff };
enum rill_host_status rill_host_wait(rill_host *host, unsigned milliseconds, uint32_t *number,
                                     struct rill_host_result *result);
// Ends one request before its next step. rill_host_wait then returns it. May be called from another thread, from a
// signal handler and from `token`, after rill_host_submit has returned and until rill_host_wait returns the number.
void rill_host_stop_request(rill_host *host, uint32_t number);

// ---- text without a card ----

// The tokenizer of an image with one chat template. A rill_text does not need an open card. Any thread may call the
// functions below, even while a request runs.
typedef struct rill_text rill_text;

struct rill_text_facts { // facts about the design; strings are valid until the handle is closed
    const char *design, *identity;
    uint32_t context, vocabulary, channels, beat_bytes; // context and vocabulary: 0 if it is no language model
    uint32_t sampling; // longest list from which ids are drawn; 0 if the design takes the most likely id
    double clock_mhz;
    int has_tokenizer, has_chat; // not 0 if there is a tokenizer, and if a chat template was given
    int chat_system, chat_turns; // not 0 if the template takes a system message, and more than one question
    uint32_t slots;              // requests that the design runs at the same time
    uint32_t logprobs;           // most likely tokens whose log probabilities the design gives; 0: it gives none
};

enum rill_text_role { RILL_TEXT_SYSTEM, RILL_TEXT_USER, RILL_TEXT_ASSISTANT };
struct rill_text_turn { // one message of a conversation
    enum rill_text_role role;
    const char *text;
};

// Reads the package, the tokenizer in the folder `image` (NULL for image/ in the package) and, unless `chat` is NULL,
// the template with this name or file. Never returns NULL: rill_text_failed tells whether it worked. If not, only
// rill_text_close may be called.
rill_text *rill_text_open(const char *package, const char *image, const char *chat);
void rill_text_close(rill_text *text);               // `text` may be NULL
const char *rill_text_failed(const rill_text *text); // returns NULL, or a message
void rill_text_describe(const rill_text *text, struct rill_text_facts *facts);
// Encodes a prompt of `count` bytes. Returns and writes ids as rill_host_encode does.
long rill_text_encode(rill_text *text, const char *bytes, size_t count, uint32_t *ids, size_t room);
// Encodes a conversation: at most one system message, then questions of the user with the answers of the assistant
// between them. Returns the count of ids and writes at most `room` of them. Returns -1 and the reason in `why` if the
// template or the tokenizer does not allow it.
long rill_text_encode_chat(rill_text *text, const struct rill_text_turn *turns, size_t count, uint32_t *ids,
                           size_t room, char *why, size_t why_bytes);
// Returns the bytes of one id, valid until the handle is closed.
const char *rill_text_decode(rill_text *text, uint32_t id, size_t *bytes);
// Returns a number other than 0 if the design ends a request at this id, or the chat template ends an answer with it.
int rill_text_ends(rill_text *text, uint32_t id);

#ifdef __cplusplus
}
#endif

#endif
