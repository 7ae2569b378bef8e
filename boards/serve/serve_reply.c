// SPDX-License-Identifier: Apache-2.0
// Writes the JSON of answers. The fields and their order are those of OpenAI's interface. `timings` is an extension
// that other servers also have.
#include "boards/serve/serve_reply.h"

#include <inttypes.h>
#include <string.h>

static void quoted(struct text *out, const char *s) { text_add_json_string(out, s, strlen(s)); }

static void error_object(const struct api_error *e, struct text *out) {
    text_add(out, "{\"error\": {\"message\": ");
    quoted(out, e->message);
    text_addf(out, ", \"type\": \"%s\", \"param\": ", e->type);
    if (*e->param) quoted(out, e->param);
    else text_add(out, "null");
    text_addf(out, ", \"code\": \"%s\"}}", e->code);
}

void reply_error(const struct api_error *e, struct text *out) {
    error_object(e, out);
    text_add(out, "\n");
}

void reply_error_event(const struct api_error *e, struct text *out) {
    text_add(out, "data: ");
    error_object(e, out);
    text_add(out, "\n\n");
}

static bool is_chat(const struct job *job) { return job->request.endpoint == ENDPOINT_CHAT; }

// Appends the members with which every answer begins. `chunk`: the answer is an event of a stream.
static void head(const struct job *job, const struct request_rules *rules, bool chunk, struct text *out) {
    text_addf(out, "{\"id\": \"%s\", \"object\": \"%s\", \"created\": %lld, \"model\": ", job->id,
              !is_chat(job) ? "text_completion"
              : chunk       ? "chat.completion.chunk"
                            : "chat.completion",
              (long long)job->created);
    quoted(out, rules->model);
    text_addf(out, ", \"system_fingerprint\": \"rill-%s\"", rules->design.identity);
}

static const char *reason(const struct job *job) { return job->finish == FINISH_STOP ? "stop" : "length"; }

static void usage(const struct job *job, struct text *out) {
    text_addf(out,
              ", \"usage\": {\"prompt_tokens\": %u, \"completion_tokens\": %u, \"total_tokens\": %u, "
              "\"prompt_tokens_details\": {\"cached_tokens\": %u}}",
              job->prompt_count, job->count, job->prompt_count + job->count, job->kept);
}

// Appends times by the clock of the server, and the time of the design: its cycles at the clock for which it was made.
static void timings(const struct job *job, const struct request_rules *rules, struct text *out) {
    double first = job->count ? job->first : job->ended, rest = job->ended - first;
    double design = rules->design.clock_mhz > 0 ? (double)job->cycles / (1e6 * rules->design.clock_mhz) : 0;
    text_addf(out, ", \"timings\": {\"queue_seconds\": %.6f, \"ttft_seconds\": %.6f, \"seconds\": %.6f",
              job->begun - job->arrived, first - job->begun, job->ended - job->begun);
    text_addf(out, ", \"tokens_per_second\": %.3f", job->count > 1 && rest > 0 ? (job->count - 1) / rest : 0);
    text_addf(out, ", \"design_cycles\": %" PRIu64 ", \"design_seconds\": %.9f, \"memory_bytes\": %" PRIu64,
              job->cycles, design, job->bytes);
    if (design > 0) text_addf(out, ", \"memory_gb_per_second\": %.3f", (double)job->bytes / design / 1e9);
    if (job->drafts)
        text_addf(out, ", \"drafts\": %" PRIu64 ", \"drafts_accepted\": %" PRIu64, job->drafts, job->drafts_accepted);
    if (job->request.temperature != 0) text_addf(out, ", \"seed\": %" PRIu64, job->request.seed);
    text_add(out, "}");
}

void reply_whole(const struct job *job, const struct request_rules *rules, struct text *out) {
    head(job, rules, false, out);
    text_add(out, ", \"choices\": [{\"index\": 0, ");
    text_add(out, is_chat(job) ? "\"message\": {\"role\": \"assistant\", \"content\": " : "\"text\": ");
    text_add_json_string(out, text_cstr(&job->made), job->made.len);
    text_addf(out, "%s, \"logprobs\": ", is_chat(job) ? "}" : "");
    logprobs_write(&job->request, job->logprobs.items, job->logprobs.count, out);
    text_addf(out, ", \"finish_reason\": \"%s\"}]", reason(job));
    usage(job, out);
    timings(job, rules, out);
    text_add(out, "}\n");
}

static void begin_event(const struct job *job, const struct request_rules *rules, struct text *out) {
    text_add(out, "data: ");
    head(job, rules, true, out);
}

void reply_piece(const struct job *job, const struct request_rules *rules, const char *piece, size_t bytes,
                 const struct logprobs_list *logprobs, bool begins, struct text *out) {
    begin_event(job, rules, out);
    text_add(out, ", \"choices\": [{\"index\": 0, ");
    if (is_chat(job)) text_addf(out, "\"delta\": {%s\"content\": ", begins ? "\"role\": \"assistant\", " : "");
    else text_add(out, "\"text\": ");
    text_add_json_string(out, piece, bytes);
    text_addf(out, "%s, \"logprobs\": ", is_chat(job) ? "}" : "");
    logprobs_write(&job->request, logprobs->items, logprobs->count, out);
    text_add(out, ", \"finish_reason\": null}]}\n\n");
}

void reply_end(const struct job *job, const struct request_rules *rules, const struct logprobs_list *logprobs,
               struct text *out) {
    begin_event(job, rules, out);
    text_addf(out,
              ", \"choices\": [{\"index\": 0, %s, \"logprobs\": ", is_chat(job) ? "\"delta\": {}" : "\"text\": \"\"");
    if (logprobs->count) logprobs_write(&job->request, logprobs->items, logprobs->count, out);
    else text_add(out, "null");
    text_addf(out, ", \"finish_reason\": \"%s\"}]", reason(job));
    timings(job, rules, out);
    text_add(out, "}\n\n");
}

void reply_usage(const struct job *job, const struct request_rules *rules, struct text *out) {
    begin_event(job, rules, out);
    text_add(out, ", \"choices\": []");
    usage(job, out);
    text_add(out, "}\n\n");
}

void reply_models(const struct request_rules *rules, time_t started, struct text *out) {
    text_add(out, "{\"object\": \"list\", \"data\": [{\"id\": ");
    quoted(out, rules->model);
    text_addf(out,
              ", \"object\": \"model\", \"created\": %lld, \"owned_by\": \"rill\", \"context\": %u, "
              "\"max_tokens\": %u, \"sampling\": %u, \"logprobs\": %u, \"chat\": %s, \"clock_mhz\": %g}]}\n",
              (long long)started, rules->design.context, rules->max_tokens, rules->design.sampling,
              rules->design.logprobs, rules->design.has_chat ? "true" : "false", rules->design.clock_mhz);
}
