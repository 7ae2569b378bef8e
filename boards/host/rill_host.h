// SPDX-License-Identifier: Apache-2.0
// Runs requests on a card that holds a kernel of `rill package`. A C interface over XRT's C++ API; rill-host and
// rill_host.py are made of it. One handle is one card; a handle is for one thread, but for rill_host_stop.
#ifndef RILL_HOST_H
#define RILL_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rill_host_status {
    RILL_HOST_OK = 0,
    RILL_HOST_INPUT = 1,   // package, image, binary or request: the card was not asked, or keeps what it had
    RILL_HOST_CARD = 2,    // XRT reports an error, or the card is not in the state that is needed
    RILL_HOST_FAULT = 3,   // the design has ended the request with a fault
    RILL_HOST_TIMEOUT = 4, // nothing has moved for too long
    RILL_HOST_STOPPED = 5  // rill_host_stop was called: what came before is in the result
};

typedef struct rill_host rill_host;

// done of total bytes of `what` ("upload", "verify").
typedef void rill_host_progress(void *context, const char *what, uint64_t done, uint64_t total);

struct rill_host_options {
    const char *package; // folder that `rill package` wrote
    const char *image;   // folder with manifest.json; NULL: image/ in the package
    const char *binary;  // .xclbin; NULL: build/hw/UNIT.xclbin in the package
    const char *device;  // index or PCIe address; NULL: "0"
    double timeout;      // seconds without a new id or step before a request is given up; 0: 10
    uint32_t watchdog;   // cycles after which the design itself gives up; 0: 100,000,000. Not every design has one
    rill_host_progress *progress; // may be NULL
    void *context;                // of progress
};

// Reads package, image and binary, checks them against each other, opens the card, loads the binary, checks what the
// card says. Never NULL: rill_host_failed tells how it went, and only _message and _close may follow a failure.
rill_host *rill_host_open(const struct rill_host_options *options);
void rill_host_close(rill_host *host); // NULL is fine
// Resets a card that hangs, as `xbutil reset` does: everything on it is lost, its memory included. The reason is
// written to `message` where it fails.
enum rill_host_status rill_host_reset(const char *device, char *message, size_t bytes);
// Of the latest call. `message` is "" when it went well, else what is wrong and what to do, in words.
enum rill_host_status rill_host_failed(const rill_host *host);
const char *rill_host_message(const rill_host *host);
// What was found: package, image, binary, card, banks; a JSON object.
const char *rill_host_about(const rill_host *host);

// Writes every byte that the design may read, the image's and zeros, and reads all of it back if `verify` is not 0.
enum rill_host_status rill_host_upload(rill_host *host, int verify);

// Ids of a prompt, with the end-of-text id in front that every text begins behind; the count is returned and at most
// `room` are written. -1: the image has no tokenizer.
long rill_host_encode(rill_host *host, const char *text, uint32_t *ids, size_t room);
// The same of a question to a chat model, in the template of that name or file (docs/models.md); -1: what is wrong,
// rill_host_message says.
long rill_host_encode_chat(rill_host *host, const char *chat, const char *text, uint32_t *ids, size_t room);
// Bytes of one id, valid until the handle is closed; *bytes 0 where it has none.
const char *rill_host_decode(rill_host *host, uint32_t id, size_t *bytes);

struct rill_host_request {
    const uint32_t *prompt;
    uint32_t prompt_count, max_new;                            // ids
    int ignore_eot;                                            // go on behind the end-of-text id
    void (*token)(void *context, uint32_t id, double seconds); // of each id as it comes; may be NULL
    void *context;
    float temperature; // 0: the most likely id is taken; else 0.01 to 100, in a design that samples
    uint32_t top_k;    // draw from so many of the most likely ids, at most the design's; 0: from all
    float min_p;       // with top_k: from those alone that are at least so likely, the most likely one being 1
    uint64_t seed;     // of the random numbers: two requests with one seed are alike
};

enum { RILL_HOST_MAX_CHANNELS = 32 };
struct rill_host_result { // pointers are valid until the next request
    const uint32_t *id;
    const double *seconds; // from the start to when the host saw each id
    uint32_t count;
    double total;     // seconds from start to end
    uint64_t cycles;  // of the design's clock, start to done, by its own counter
    double clock_mhz; // the clock that the design was made for
    uint32_t channels, beat_bytes;
    uint64_t beats[RILL_HOST_MAX_CHANNELS], stalls[RILL_HOST_MAX_CHANNELS];
    uint32_t status, fault, fault_place; // registers
    uint32_t ending;                     // register; 0: the design has none
    uint64_t logits_hash;                // register; of what the ids were chosen from, as golden's
    int hashes_logits;                   // 0: the design does not, and logits_hash is 0
    double watts;                        // mean of the board's sensor during the request; 0: not readable
};

// One request, from start to end; the image must have been uploaded. Whatever comes of it, *result is filled.
enum rill_host_status rill_host_run(rill_host *host, const struct rill_host_request *request,
                                    struct rill_host_result *result);
// Ends the running request after its present step, or, called twice, as soon as the memory is quiet. A design without
// the register `halt` runs to its end. May be called from another thread and from a signal's function.
void rill_host_stop(rill_host *host);
// A register of package.json by its name (`status`, `cycles`, ...), as it is now. UINT64_MAX: there is none.
uint64_t rill_host_register(rill_host *host, const char *name);

#ifdef __cplusplus
}
#endif

#endif
