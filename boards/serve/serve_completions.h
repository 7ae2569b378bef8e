// SPDX-License-Identifier: Apache-2.0
// Answers /v1/completions and /v1/chat/completions.
#ifndef RILL_SERVE_COMPLETIONS_H
#define RILL_SERVE_COMPLETIONS_H

#include "boards/serve/serve_http.h"

// The results of completions_wait, which says what each of them means.
enum progress { PROGRESS_MORE, PROGRESS_DONE, PROGRESS_GONE, PROGRESS_LATE, PROGRESS_QUIET };
struct watch { // data with which the thread of a client waits for its job
    struct server *server;
    struct job *job;
    int socket;   // of the client, to find out whether it is gone
    double until; // time by queue_now() at which the request is given up
};

// Answers a POST to one of the two paths, whose body is complete. Returns MHD_NO if the client is gone.
enum MHD_Result completions_answer(struct visit *visit, enum endpoint endpoint);
// Waits until the answer has more than `seen` bytes (PROGRESS_MORE) or is done (PROGRESS_DONE). Returns PROGRESS_QUIET
// if that takes more than `seconds`. Cancels the job if its client is gone (PROGRESS_GONE) or the time of the request
// is over (PROGRESS_LATE).
enum progress completions_wait(struct watch *watch, size_t seen, double seconds);
// Fills the error of a request whose time is over.
void completions_late(const struct server *server, struct api_error *error);
// Streams the answer of a job (serve_stream.c). The response takes over the caller's hold on the job and releases it.
enum MHD_Result completions_stream(struct visit *visit, struct watch watch);

#endif
