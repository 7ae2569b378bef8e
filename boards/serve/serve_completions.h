// SPDX-License-Identifier: Apache-2.0
// Answers /v1/completions and /v1/chat/completions.
#ifndef RILL_SERVE_COMPLETIONS_H
#define RILL_SERVE_COMPLETIONS_H

#include "boards/serve/serve_http.h"

enum progress { PROGRESS_MORE, PROGRESS_DONE, PROGRESS_GONE, PROGRESS_LATE, PROGRESS_QUIET };
struct watch { // of a job by its client's thread
    struct server *server;
    struct job *job;
    int socket;
    double until; // when the request is given up
};

enum MHD_Result completions_answer(struct visit *visit, enum endpoint endpoint);
// Waits until the answer has more than `seen` bytes or is done, at most `seconds` (QUIET). A job whose client is gone
// or has waited too long is cancelled.
enum progress completions_wait(struct watch *watch, size_t seen, double seconds);
// The error of a request that was given up.
void completions_late(const struct server *server, struct api_error *error);
// Streams a job's answer. The job then belongs to the response.
enum MHD_Result completions_stream(struct visit *visit, struct watch watch);

#endif
