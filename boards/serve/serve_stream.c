// SPDX-License-Identifier: Apache-2.0
// Streams an answer as server-sent events. libmicrohttpd asks for bytes, and on_read then waits for the next piece of
// the job.
#include <stdlib.h>
#include <string.h>

#include "boards/serve/serve_completions.h"
#include "boards/serve/serve_reply.h"

#define ALIVE_SECONDS 10.0 // after this time without a token a comment is sent, so that proxies keep the connection
enum { BLOCK_BYTES = 16 << 10 }; // size of the buffer that libmicrohttpd asks on_read to fill

struct stream {
    struct watch watch;
    struct text out; // events that wait to be sent
    size_t sent;     // bytes of `out` that are sent
    size_t seen;     // bytes of the answer that are in events
    size_t told;     // tokens whose log probabilities are in events
    // `begun` is true after a piece of the answer was added to `out`. `over` is true after the last event was added.
    // Then the job need not be cancelled.
    bool begun, over;
};

// Adds an event with the bytes of the answer that are in no event yet.
static void add_piece(struct stream *s) {
    struct text piece = {0};
    struct logprobs_list logprobs = {0};
    queue_copy(s->watch.server->queue, s->watch.job, s->seen, &piece);
    queue_copy_logprobs(s->watch.server->queue, s->watch.job, s->told, &logprobs);
    reply_piece(s->watch.job, &s->watch.server->rules, text_cstr(&piece), piece.len, &logprobs, !s->begun, &s->out);
    s->seen += piece.len;
    s->told += logprobs.count;
    s->begun = true;
    text_free(&piece);
    logprobs_free(&logprobs);
}

// Adds the last events: the error of the job, or the reason of the end and, if the client wants it, the usage.
static void add_end(struct stream *s) {
    const struct job *job = s->watch.job;
    const struct request_rules *rules = &s->watch.server->rules;
    s->over = true;
    if (job->error.status) {
        reply_error_event(&job->error, &s->out);
        return;
    }
    if (!s->begun) add_piece(s); // an empty answer
    struct logprobs_list rest = {0};
    queue_copy_logprobs(s->watch.server->queue, s->watch.job, s->told, &rest);
    reply_end(job, rules, &rest, &s->out);
    logprobs_free(&rest);
    if (job->request.include_usage) reply_usage(job, rules, &s->out);
    text_add(&s->out, "data: [DONE]\n\n");
}

// Waits for the next piece of the answer, its end or an error, and adds the event. Returns false if the client is gone.
static bool add_next(struct stream *s) {
    struct api_error late;
    switch (completions_wait(&s->watch, s->seen, ALIVE_SECONDS)) {
    case PROGRESS_MORE: add_piece(s); return true;
    case PROGRESS_DONE: add_end(s); return true;
    case PROGRESS_QUIET: text_add(&s->out, ": waiting\n\n"); return true;
    case PROGRESS_GONE: return false;
    case PROGRESS_LATE: break;
    }
    completions_late(s->watch.server, &late);
    reply_error_event(&late, &s->out);
    return s->over = true;
}

// Gives libmicrohttpd at most `room` bytes of the present events. If all were given, waits for the next event first.
static ssize_t on_read(void *context, uint64_t at, char *to, size_t room) {
    struct stream *s = context;
    (void)at;
    if (s->sent == s->out.len) {
        s->sent = s->out.len = 0;
        if (s->over) return MHD_CONTENT_READER_END_OF_STREAM;
        if (!add_next(s)) return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t bytes = s->out.len - s->sent < room ? s->out.len - s->sent : room;
    memcpy(to, s->out.data + s->sent, bytes);
    s->sent += bytes;
    return (ssize_t)bytes;
}

// Frees the stream when the answer has been sent or its client is gone. Cancels the job unless its end was added.
static void on_free(void *context) {
    struct stream *s = context;
    if (!s->over) queue_cancel(s->watch.server->queue, s->watch.job, NULL);
    job_release(s->watch.server->queue, s->watch.job);
    text_free(&s->out);
    free(s);
}

enum MHD_Result completions_stream(struct visit *v, struct watch watch) {
    struct stream *s = calloc(1, sizeof *s);
    if (!s) base_fatal("out of memory");
    s->watch = watch;
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, on_read, s, on_free);
    if (!response) base_fatal("out of memory");
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    MHD_add_response_header(response, "X-Accel-Buffering", "no"); // nginx passes every event on at once
    return http_send(v, 200, response);
}
