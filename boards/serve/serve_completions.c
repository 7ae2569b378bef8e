// SPDX-License-Identifier: Apache-2.0
// Makes a job from the body of a request, waits for the job, and answers with the whole text or with a stream.
#include "boards/serve/serve_completions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boards/serve/serve_reply.h"

#define LOOK_SECONDS 0.1 // time between two checks whether the client is still connected
// Time for which a stream waits for its first token before it sends the headers. Until then an error can set the HTTP
// status.
#define FIRST_SECONDS 5.0

// ---- waiting ----

void completions_late(const struct server *s, struct api_error *error) {
    request_refuse(error, 504, "timeout", NULL, "the request was given up after %g s", s->request_seconds);
}

// Cancels the job. Returns `why`.
static enum progress give_up(struct watch *w, enum progress why) {
    struct api_error error;
    completions_late(w->server, &error);
    queue_cancel(w->server->queue, w->job, why == PROGRESS_LATE ? &error : NULL);
    return why;
}

enum progress completions_wait(struct watch *w, size_t seen, double seconds) {
    bool done = false;
    for (double end = queue_now() + seconds; queue_now() < end;) {
        size_t len = queue_wait(w->server->queue, w->job, seen, LOOK_SECONDS, &done);
        if (len > seen) return PROGRESS_MORE;
        if (done) return PROGRESS_DONE;
        if (http_gone(w->socket)) return give_up(w, PROGRESS_GONE);
        if (queue_now() > w->until) return give_up(w, PROGRESS_LATE);
    }
    return PROGRESS_QUIET;
}

// ---- a job from a body ----

static bool too_long(struct job *job, uint32_t context, long count) {
    const char *field = job->request.endpoint == ENDPOINT_CHAT ? "messages" : "prompt";
    return request_refuse(&job->error, 400, "context_length_exceeded", field,
                          "the prompt has %ld tokens, and the context of this design has %u", count, context);
}

// Writes the ids of the request to job->prompt, which has room for the context. Returns the count of all ids, which may
// be more than there is room for, or -1 and the reason in `why`.
static long encode(struct server *s, struct job *job, char *why, size_t bytes) {
    struct api_request *q = &job->request;
    size_t room = s->rules.design.context;
    if (q->endpoint == ENDPOINT_CHAT)
        return s->library->rill_text_encode_chat(s->text, q->turns.items, q->turns.count, job->prompt, room, why,
                                                 bytes);
    if (q->prompt) return s->library->rill_text_encode(s->text, q->prompt, strlen(q->prompt), job->prompt, room);
    if (q->ids.count <= room) memcpy(job->prompt, q->ids.items, q->ids.count * sizeof *job->prompt);
    return (long)q->ids.count;
}

static bool make_prompt(struct server *s, struct job *job) {
    char why[300] = "";
    uint32_t context = s->rules.design.context;
    job->prompt = calloc(context, sizeof *job->prompt);
    if (!job->prompt) base_fatal("out of memory");
    long count = encode(s, job, why, sizeof why);
    if (count < 0) return request_refuse(&job->error, 400, "invalid_value", "messages", "%s", why);
    if (count == 0) return request_refuse(&job->error, 400, "invalid_value", "prompt", "the prompt is empty");
    if (count > (long)context) return too_long(job, context, count);
    job->prompt_count = (uint32_t)count;
    return true;
}

// Sets how many tokens the answer may have. Its last token needs no position in the context. Returns false and an error
// if the request wants more tokens than there is room for.
static bool make_room(struct server *s, struct job *job) {
    uint32_t room = s->rules.design.context - job->prompt_count + 1, wanted = job->request.max_tokens;
    if (wanted > room)
        return request_refuse(&job->error, 400, "context_length_exceeded", "max_tokens",
                              "the prompt has %u tokens, so at most %u more are possible, and not %u",
                              job->prompt_count, room, wanted);
    uint32_t most = room < s->rules.max_tokens ? room : s->rules.max_tokens;
    job->max_new = wanted ? wanted : most;
    return true;
}

// Gives the job a random id.
static void name_job(struct job *job) {
    uint64_t number[2] = {0};
    if (getentropy(number, sizeof number)) number[0] = (uint64_t)(1e9 * queue_now());
    snprintf(job->id, sizeof job->id, "%s-%016llx", job->request.endpoint == ENDPOINT_CHAT ? "chatcmpl" : "cmpl",
             (unsigned long long)(number[0] ^ number[1]));
    job->created = time(NULL);
}

// Fills the job and submits it to the queue. Returns false and fills job->error if the request is refused.
static bool make_job(struct visit *v, enum endpoint endpoint, struct job *job) {
    struct server *s = v->server;
    if (!request_read(text_cstr(&v->body), v->body.len, endpoint, &s->rules, &job->request, &job->error)) return false;
    if (endpoint == ENDPOINT_CHAT && !s->rules.design.has_chat)
        return request_refuse(&job->error, 404, "no_chat_template", NULL,
                              "this server was started without --chat; use /v1/completions");
    job->answer.stop = job->request.stop, job->answer.stops = job->request.stops;
    name_job(job);
    return make_prompt(s, job) && make_room(s, job) && queue_submit(s->queue, job);
}

// ---- answers ----

static enum MHD_Result answer_whole(struct visit *v, struct watch *w) {
    enum progress progress;
    struct text body = {0};
    // completions_wait itself ends the request when its time is over (PROGRESS_LATE), so the limit here is 1 s longer.
    while ((progress = completions_wait(w, SIZE_MAX, w->server->request_seconds + 1)) == PROGRESS_QUIET) {
    }
    if (progress == PROGRESS_GONE) return MHD_NO;
    struct api_error late;
    completions_late(w->server, &late);
    if (progress == PROGRESS_LATE) return http_refuse(v, &late);
    if (w->job->error.status) return http_refuse(v, &w->job->error);
    reply_whole(w->job, &v->server->rules, &body);
    return http_reply(v, 200, "application/json", &body);
}

// Answers with a stream, or with an error if one occurs before the first token. Sets *given to true if the response has
// taken over the caller's hold on the job.
static enum MHD_Result answer_stream(struct visit *v, struct watch *w, bool *given) {
    enum progress progress = completions_wait(w, 0, FIRST_SECONDS);
    struct api_error late;
    completions_late(w->server, &late);
    if (progress == PROGRESS_GONE) return MHD_NO;
    if (progress == PROGRESS_LATE) return http_refuse(v, &late);
    if (progress == PROGRESS_DONE && w->job->error.status) return http_refuse(v, &w->job->error);
    *given = true;
    return completions_stream(v, *w);
}

enum MHD_Result completions_answer(struct visit *v, enum endpoint endpoint) {
    struct job *job = job_new();
    struct watch w = {v->server, job, v->socket, queue_now() + v->server->request_seconds};
    bool given = false;
    enum MHD_Result result = !make_job(v, endpoint, job) ? http_refuse(v, &job->error)
                             : job->request.stream       ? answer_stream(v, &w, &given)
                                                         : answer_whole(v, &w);
    if (!given) job_release(v->server->queue, job);
    return result;
}
