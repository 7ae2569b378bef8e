// SPDX-License-Identifier: Apache-2.0
// Writes the JSON of answers and errors. All functions append to `out`.
#ifndef RILL_SERVE_REPLY_H
#define RILL_SERVE_REPLY_H

#include "boards/serve/serve_queue.h"

void reply_error(const struct api_error *error, struct text *out); // appends an error as a whole answer
// Appends the whole answer of a job that is done.
void reply_whole(const struct job *job, const struct request_rules *rules, struct text *out);
// Append an event of a stream (server-sent events): a piece of the answer of `bytes` bytes (`begins` is true for the
// first one), the end with its reason, the usage, or an error. logprobs: the tokens that are in no event yet.
void reply_piece(const struct job *job, const struct request_rules *rules, const char *piece, size_t bytes,
                 const struct logprobs_list *logprobs, bool begins, struct text *out);
void reply_end(const struct job *job, const struct request_rules *rules, const struct logprobs_list *logprobs,
               struct text *out);
void reply_usage(const struct job *job, const struct request_rules *rules, struct text *out);
void reply_error_event(const struct api_error *error, struct text *out);
// Appends the answer of /v1/models.
void reply_models(const struct request_rules *rules, time_t started, struct text *out);

#endif
