// SPDX-License-Identifier: Apache-2.0
// Counts requests and answers, and writes the counters as Prometheus reads them.
#include "boards/serve/serve_metrics.h"

#include <inttypes.h>

#include "boards/serve/serve_queue.h"

void metrics_init(struct metrics *m) {
    *m = (struct metrics){0};
    pthread_mutex_init(&m->lock, NULL);
}

void metrics_request(struct metrics *m, const struct job *job) {
    pthread_mutex_lock(&m->lock);
    double first = job->count ? job->first : job->ended;
    m->requests++;
    m->kept += job->kept;
    m->prompt_tokens += job->prompt_count, m->tokens += job->count;
    m->waited += job->begun - job->arrived;
    m->prompt_seconds += first - job->begun, m->token_seconds += job->ended - first;
    m->cycles += job->new_cycles, m->bytes += job->new_bytes;
    m->drafts += job->drafts, m->drafts_accepted += job->drafts_accepted;
    pthread_mutex_unlock(&m->lock);
}

// Counts an answer by its status. After METRICS_STATUSES different statuses, answers with a further status are not
// counted.
void metrics_answer(struct metrics *m, int status) {
    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < METRICS_STATUSES; i++) {
        if (m->answers[i].status && m->answers[i].status != status) continue;
        m->answers[i].status = status;
        m->answers[i].count++;
        break;
    }
    pthread_mutex_unlock(&m->lock);
}

void metrics_restart(struct metrics *m) {
    pthread_mutex_lock(&m->lock);
    m->restarts++;
    pthread_mutex_unlock(&m->lock);
}

// Append a metric: a help line, a type line, and the value.
static void whole(struct text *out, const char *name, const char *kind, const char *help, uint64_t value) {
    text_addf(out, "# HELP rill_%s %s\n# TYPE rill_%s %s\nrill_%s %" PRIu64 "\n", name, help, name, kind, name, value);
}

static void seconds(struct text *out, const char *name, const char *help, double value) {
    text_addf(out, "# HELP rill_%s %s\n# TYPE rill_%s counter\nrill_%s %.6f\n", name, help, name, name, value);
}

static void answers(const struct metrics *m, struct text *out) {
    text_add(out, "# HELP rill_http_answers_total Answers by status of HTTP\n# TYPE rill_http_answers_total counter\n");
    for (int i = 0; i < METRICS_STATUSES && m->answers[i].status; i++)
        text_addf(out, "rill_http_answers_total{status=\"%d\"} %" PRIu64 "\n", m->answers[i].status,
                  m->answers[i].count);
}

void metrics_text(struct metrics *m, int slots, unsigned running, unsigned waiting, bool up, struct text *out) {
    pthread_mutex_lock(&m->lock);
    whole(out, "prompt_tokens_total", "counter", "Prompt tokens of all requests", m->prompt_tokens);
    whole(out, "prompt_tokens_kept_total", "counter",
          "Prompt tokens that were not computed, because the card held them from an earlier request", m->kept);
    seconds(out, "prompt_seconds_total", "Time from the start of requests to their first token", m->prompt_seconds);
    whole(out, "tokens_predicted_total", "counter", "Generated tokens", m->tokens);
    seconds(out, "tokens_predicted_seconds_total", "Time from the first token of requests to their end",
            m->token_seconds);
    seconds(out, "queue_seconds_total", "Time for which requests waited for a slot", m->waited);
    whole(out, "requests_total", "counter", "Requests that have run on the card", m->requests);
    whole(out, "requests_processing", "gauge", "Requests that run", running);
    whole(out, "requests_deferred", "gauge", "Requests that wait for a slot", waiting);
    whole(out, "slots", "gauge", "Requests that the card runs at a time", (uint64_t)slots);
    whole(out, "slots_used", "gauge", "Slots that have a request", running);
    whole(out, "card_up", "gauge", "1: the card takes requests", up);
    whole(out, "card_restarts_total", "counter", "How often the card was reset and opened again", m->restarts);
    whole(out, "design_cycles_total", "counter", "Cycles in which requests ran, by the design's counter", m->cycles);
    whole(out, "memory_bytes_total", "counter", "Bytes read from the card's memory, by the design's counters",
          m->bytes);
    whole(out, "draft_tokens_total", "counter", "Drafts that were tokens of steps", m->drafts);
    whole(out, "draft_tokens_accepted_total", "counter", "Drafts that were right", m->drafts_accepted);
    answers(m, out);
    pthread_mutex_unlock(&m->lock);
}
