// SPDX-License-Identifier: Apache-2.0
// Writes the output of a run: generated text as it comes, progress, the summary, JSON, logits.
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gen/numerics/logprobs.h"
#include "gen/timing/timing.h"
#include "verif/harness/sim_internal.h"

enum { PROGRESS_CYCLES = 4096 }; // between two updates of the progress line

struct figures {
    uint64_t prefill, decode;        // in cycles; prefill: start to first id, or to the end; decode: first to last id
    double per_token, rate, ttft_ms; // cycles per token or row, tokens or rows per second, time to first token
    struct hbm_share share;
    uint64_t bytes; // moved by all channels in the request
};

static double seconds_of(const struct sim *sim, uint64_t cycles) { return (double)cycles / (sim->clock_mhz * 1e6); }

// Returns the bandwidth used, averaged over the design's channels.
static struct hbm_share used(const struct sim *sim, uint64_t bytes, uint64_t cycles) {
    const struct ir_design *d = &sim->ir->design;
    return hbm_figures_share(&d->hbm, (double)bytes / d->channels, seconds_of(sim, cycles));
}

static struct figures figures_of(const struct sim *sim, const struct request_result *r) {
    struct figures f = {.bytes = r->bytes_end - r->bytes_start};
    uint64_t end = r->end > r->start ? r->end : r->start;
    f.prefill = r->ids > r->before ? r->id_cycle[r->before] - r->start : end - r->start;
    f.ttft_ms = seconds_of(sim, f.prefill) * 1e3;
    f.share = used(sim, f.bytes, end - r->start);
    if (!sim->ir->design.is_lm && f.prefill > 0) {
        f.per_token = (double)f.prefill / (double)r->fed_len;
        f.rate = (double)r->fed_len / seconds_of(sim, f.prefill);
    }
    int64_t decoded = r->ids - r->before - 1;
    if (decoded > 0) {
        f.decode = r->id_cycle[r->ids - 1] - r->id_cycle[r->before];
        f.per_token = (double)f.decode / (double)decoded;
        f.rate = (double)decoded / seconds_of(sim, f.decode);
        f.share = used(sim, r->bytes_last - r->bytes_first, f.decode);
    }
    return f;
}

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void clear_progress(struct sim *sim) {
    if (sim->progress_shown) fputs("\r\033[K", stderr);
    sim->progress_shown = false;
}

// Shows progress on a terminal, unless it would disturb generated text there.
void report_progress(struct sim *sim) {
    uint64_t cycle = hbm_cycle(sim->hbm);
    const struct request_result *r = &sim->host.result[sim->host.request];
    if (cycle % PROGRESS_CYCLES != 0 || !isatty(2) || (r->ids > 0 && !sim->options.quiet && isatty(1))) return;
    double wall = wall_seconds() - sim->wall_start;
    fprintf(stderr, "\r\033[Krequest %d: %lld of %lld ids, %.2f M cycles, %.0f k cycles/s", sim->host.request + 1,
            (long long)r->ids, (long long)r->tokens, (double)cycle * 1e-6,
            (double)cycle * 1e-3 / (wall > 0 ? wall : 1));
    sim->progress_shown = true;
}

static void print_prompt(const struct sim *sim, const struct request_result *r) {
    for (int64_t i = 0; i < r->prompt_len; i++) {
        size_t len = 0;
        const char *bytes = tokenizer_decode(sim->tokenizer, r->prompt[i], &len);
        fwrite(bytes, 1, len, stdout);
    }
}

// Appends the text of an id to the text of the answer, unless the id ends the request.
static void add_token(struct sim *sim, struct request_result *r, uint32_t id) {
    size_t len = 0;
    const char *bytes = tokenizer_decode(sim->tokenizer, id, &len);
    if (!end_ids_has(&sim->ir->design.eot, id)) text_add_bytes(&r->text, bytes, len);
}

void report_before(struct sim *sim) {
    struct request_result *r = &sim->host.result[sim->host.request];
    for (int64_t i = 0; i < r->before; i++) add_token(sim, r, r->id[i]);
    if (r->before == 0 || sim->options.quiet) return;
    print_prompt(sim, r);
    fwrite(text_cstr(&r->text), 1, r->text.len, stdout);
}

void report_token(struct sim *sim, uint32_t id) {
    struct request_result *r = &sim->host.result[sim->host.request];
    size_t len = 0;
    const char *bytes = tokenizer_decode(sim->tokenizer, id, &len);
    add_token(sim, r, id);
    if (sim->options.quiet) return;
    clear_progress(sim);
    if (r->ids == 1) print_prompt(sim, r);
    if (!end_ids_has(&sim->ir->design.eot, id)) fwrite(bytes, 1, len, stdout);
    fflush(stdout);
}

static bool matches(const struct sim *sim) { return sim->failure == NULL && check_counts(sim->check).mismatches == 0; }

// Returns the numbers of steps as `rill forecast --drafts` takes them: steps without drafts, then steps with drafts of
// which the first 0, 1, ... were right.
static const char *draft_steps(const struct sim *sim, const struct request_result *r, const char *between) {
    struct text t = {0};
    text_addf(&t, "%llu", (unsigned long long)r->draft_steps.none);
    for (int i = 0; i <= sim->ir->design.drafts; i++)
        text_addf(&t, "%s%llu", between, (unsigned long long)r->draft_steps.right[i]);
    const char *copy = arena_strdup(sim->ir->arena, text_cstr(&t));
    text_free(&t);
    return copy;
}

static void print_drafts(const struct sim *sim, const struct request_result *r) {
    printf("drafts: %llu in steps, %llu right; %lld generating steps for %lld tokens (--drafts %s)\n",
           (unsigned long long)r->drafts[0], (unsigned long long)r->drafts[1],
           (long long)(r->ids - 1 - (int64_t)r->drafts[1]), (long long)(r->ids - 1), draft_steps(sim, r, ","));
}

static void print_request(struct sim *sim, const struct request_result *r) {
    struct figures f = figures_of(sim, r);
    if (sim->ir->design.is_lm)
        printf("%lld prompt ids, %lld ids made; prefill %llu cycles (TTFT %.3f ms), decode %llu cycles,\n"
               "%.0f cycles per token: %.1f tokens/s at %g MHz\n",
               (long long)r->prompt_len, (long long)r->ids, (unsigned long long)f.prefill, f.ttft_ms,
               (unsigned long long)f.decode, f.per_token, f.rate, sim->clock_mhz);
    else
        printf("%lld %srows, %.0f cycles each: %.1f rows/s at %g MHz\n", (long long)r->prompt_len,
               sim->options.inputs != NULL ? "" : "random ", f.per_token, f.rate, sim->clock_mhz);
    if (r->kept)
        printf("prefix: %lld of %lld prompt ids kept of the previous request\n", (long long)r->kept,
               (long long)r->prompt_len);
    if (sim->ir->design.drafts) print_drafts(sim, r);
    printf("HBM: %.3f MB moved, %s a channel\n", (double)f.bytes * 1e-6,
           hbm_figures_share_text(&sim->arena, &sim->ir->design.hbm, f.share));
}

// Warns about custom kernels that were slower than their timing contracts. Results are still right, but FIFO depths and
// forecasts are based on wrong numbers.
static void report_contracts(const struct sim *sim) {
    for (int k = 0; k < sim->ir->kernels; k++) {
        const struct contract_finding *f = contracts_found(sim->contracts, k);
        const char *name = sim->ir->kernel[k].name;
        if (!f) continue;
        if (f->late)
            diag_command("sim", "warning", MSG_CONTRACT_LATE, name, (unsigned long long)f->late,
                         (unsigned long long)f->late_at, (long long)f->latency, (long long)f->declared);
        if (f->refused)
            diag_command("sim", "warning", MSG_CONTRACT_BLOCKED, name, (unsigned long long)f->refused,
                         (unsigned long long)f->refused_at);
    }
}

// Prints how many streams were not compared, for each reason.
static void print_streams(const struct sim *sim) {
    for (int e = 0; e < sim->ir->edges; e++) {
        const char *why = check_left(sim->check, e);
        int count = 0, before = 0;
        for (int i = 0; why && i < sim->ir->edges; i++) {
            const char *other = check_left(sim->check, i);
            bool same = other && !strcmp(why, other);
            count += same;
            before += same && i < e;
        }
        if (why && !before) printf("  %d not compared directly: %s\n", count, why);
    }
}

static void print_oracle(const struct sim *sim) {
    struct check_oracle_counts c = check_oracle_counts(sim->check);
    if (!c.present) return;
    printf("oracle: %llu of %llu tensors of the spec, %llu values at %llu positions compared with the replay's\n",
           (unsigned long long)c.tensors, (unsigned long long)c.named, (unsigned long long)c.values,
           (unsigned long long)c.positions);
    for (int t = 0; t < (int)c.named; t++) {
        const char *why, *name = check_oracle_left(sim->check, t, &why);
        if (name) printf("  not `%s`: %s\n", name, why);
    }
}

void report_summary(struct sim *sim) {
    double wall = wall_seconds() - sim->wall_start;
    struct check_counts counts = check_counts(sim->check);
    uint64_t cycle = hbm_cycle(sim->hbm);
    clear_progress(sim);
    report_contracts(sim);
    if (sim->options.quiet) return;
    if (sim->ir->design.is_lm) puts("\n");
    for (size_t i = 0; i < sim->options.prompts.count; i++)
        if (sim->host.result[i].done) print_request(sim, &sim->host.result[i]);
    printf("match: %s (%llu values on %llu of %d streams compared with the replay)\n", matches(sim) ? "true" : "false",
           (unsigned long long)counts.values, (unsigned long long)counts.streams, sim->ir->edges);
    print_streams(sim);
    print_oracle(sim);
    printf("simulated %llu cycles in %.1f s, %.1f thousand cycles/s\n", (unsigned long long)cycle, wall,
           (double)cycle * 1e-3 / wall);
    fflush(stdout);
}

static void json_u64s(struct text *out, const char *key, const uint64_t values[], int count) {
    text_addf(out, "\"%s\": [", key);
    for (int i = 0; i < count; i++) text_addf(out, "%s%llu", i ? ", " : "", (unsigned long long)values[i]);
    text_add(out, "]");
}

static void json_ids(struct text *out, const char *key, const uint32_t ids[], int64_t count) {
    text_addf(out, "\"%s\": [", key);
    for (int64_t i = 0; i < count; i++) text_addf(out, "%s%u", i ? ", " : "", ids[i]);
    text_add(out, "]");
}

// Adds the log probabilities of the ids: for each id that of the id, and pairs of id and log probability of the most
// likely ones.
static void json_logprobs(const struct request_result *r, const char *indent, struct text *out) {
    if (!r->records) return;
    text_addf(out, ",\n%s\"logprobs\": [", indent);
    for (int64_t i = r->before; i < r->ids; i++) {
        const uint32_t *record = r->records + i * LOGPROBS_WORDS;
        text_addf(out, "%s\n%s  {\"id\": %u, \"logprob\": %.9g, \"top\": [", i > r->before ? "," : "", indent,
                  record[LOGPROBS_ID], logprobs_of(record, LOGPROBS_LOGIT));
        for (int k = 0; k < logprobs_listed(record); k++)
            text_addf(out, "%s[%u, %.9g]", k ? ", " : "", record[LOGPROBS_IDS + k],
                      logprobs_of(record, LOGPROBS_LOGITS + k));
        text_add(out, "]}");
    }
    text_addf(out, "]");
}

// Adds the JSON fields of one request without the braces.
static void json_request(const struct sim *sim, const struct request_result *r, const char *indent, struct text *out) {
    struct figures f = figures_of(sim, r);
    int channels = sim->ir->design.channels;
    text_addf(out, "%s\"text\": ", indent);
    text_add_json_string(out, text_cstr(&r->text), r->text.len);
    text_addf(out, ",\n%s", indent);
    json_ids(out, "prompt_ids", r->prompt, sim->ir->design.is_lm ? r->prompt_len : 0);
    text_addf(out, ",\n%s", indent);
    json_ids(out, "token_ids", r->id, r->ids);
    json_logprobs(r, indent, out);
    if (!sim->ir->design.is_lm) text_addf(out, ",\n%s\"rows\": %lld", indent, (long long)r->prompt_len);
    text_addf(out, ",\n%s\"from\": %lld,\n%s\"ids_before\": %lld,\n%s\"first_step\": %lld,\n%s", indent,
              (long long)r->first_position, indent, (long long)r->before, indent, (long long)r->first_step, indent);
    json_u64s(out, "step_ends", r->step_end, (int)r->steps);
    if (sim->ir->design.prefix) text_addf(out, ",\n%s\"prefix\": %lld", indent, (long long)r->kept);
    if (sim->ir->design.drafts)
        text_addf(out, ",\n%s\"drafts\": %llu,\n%s\"drafts_accepted\": %llu,\n%s\"draft_steps\": [%s]", indent,
                  (unsigned long long)r->drafts[0], indent, (unsigned long long)r->drafts[1], indent,
                  draft_steps(sim, r, ", "));
    text_addf(out, ",\n%s\"cycle_start\": %llu,\n%s\"cycles_prefill\": %llu,\n%s\"cycles_decode\": %llu,\n", indent,
              (unsigned long long)r->start, indent, (unsigned long long)f.prefill, indent,
              (unsigned long long)f.decode);
    text_addf(out, "%s\"cycles_per_token\": %.9g,\n%s\"tokens_per_second\": %.9g,\n", indent, f.per_token, indent,
              f.rate);
    text_addf(out, "%s\"ttft_ms\": %.9g,\n%s\"hbm_bytes\": %llu,\n", indent, f.ttft_ms, indent,
              (unsigned long long)f.bytes);
    text_addf(out, "%s\"hbm_of_peak\": %.9g,\n%s\"hbm_of_sustained\": %.9g,\n%s\"cycles_counted\": %llu,\n", indent,
              f.share.peak, indent, f.share.sustained, indent, (unsigned long long)r->counted_cycles);
    text_addf(out, "%s\"logits_register\": \"%016llx\",\n", indent, (unsigned long long)r->logits_hash);
    text_addf(out, "%s\"fault\": %u,\n%s", indent, r->fault, indent);
    if (sim->ir->design.slots) text_addf(out, "\"ending\": %u,\n%s", r->ending, indent);
    json_u64s(out, "channel_beats", r->channel_beats, channels);
    text_addf(out, ",\n%s", indent);
    json_u64s(out, "channel_stalls", r->channel_stalls, channels);
    static const char *const cause[ENGINE_COUNTERS] = {"busy", "waits_for_beats", "waits_for_operands",
                                                       "waits_for_room"};
    text_addf(out, ",\n%s\"engine_cycles\": {", indent);
    for (int i = 0; i < ENGINE_COUNTERS; i++)
        text_addf(out, "%s\"%s\": %llu", i ? ", " : "", cause[i], (unsigned long long)r->engine[i]);
    text_add(out, "}");
}

// Adds the largest fill in each window of the run.
static void json_fill(const struct occupancy_fifo *f, struct text *out) {
    text_add(out, ",\n      \"fill\": [");
    for (uint64_t w = 0; f->most && w <= f->last; w++) text_addf(out, "%s%lld", w ? "," : "", (long long)f->most[w]);
    text_add(out, "]");
}

static void json_fifos(struct sim *sim, struct text *out) {
    bool first = true;
    if (sim->occupancy.fifo) {
        occupancy_close(&sim->occupancy, hbm_cycle(sim->hbm));
        text_addf(out, "  \"fill_window\": %llu,\n", (unsigned long long)sim->occupancy.window);
    }
    text_add(out, "  \"fifos\": {");
    for (int i = 0; i < sim->ir->edges; i++) {
        const struct watch_edge *w = &sim->watch.edge[i];
        if (!w->has_fifo) continue;
        text_addf(out, "%s\n    \"%s\": {\"depth\": %d, \"high_water\": %d, \"waits\": %llu", first ? "" : ",",
                  sim->ir->edge[i].name, w->depth, w->high_water, (unsigned long long)w->stalls);
        if (sim->occupancy.fifo) json_fill(&sim->occupancy.fifo[i], out);
        text_add(out, "}");
        first = false;
    }
    text_add(out, first ? "}" : "\n  }");
}

// Adds measured and declared timing of custom kernels.
static void json_contracts(const struct sim *sim, struct text *out) {
    bool first = true;
    text_add(out, "  \"contracts\": {");
    for (int k = 0; k < sim->ir->kernels; k++) {
        const struct contract_finding *f = contracts_found(sim->contracts, k);
        if (!f) continue;
        text_addf(out,
                  "%s\n    \"%s\": {\"words\": %llu, \"latency\": %lld, \"declared\": %lld, \"late\": %llu, "
                  "\"refused\": %llu}",
                  first ? "" : ",", sim->ir->kernel[k].name, (unsigned long long)f->words, (long long)f->latency,
                  (long long)f->declared, (unsigned long long)f->late, (unsigned long long)f->refused);
        first = false;
    }
    text_add(out, first ? "}" : "\n  }");
}

// Adds the streams that were not compared.
static void json_streams(const struct sim *sim, struct text *out) {
    bool first = true;
    text_addf(out, "  \"streams\": %d,\n  \"streams_not_compared\": {", sim->ir->edges);
    for (int e = 0; e < sim->ir->edges; e++) {
        const char *why = check_left(sim->check, e);
        if (!why) continue;
        text_addf(out, "%s\n    \"%s\": \"%s\"", first ? "" : ",", sim->ir->edge[e].name, why);
        first = false;
    }
    text_add(out, first ? "}" : "\n  }");
}

// Adds how much of the spec was compared with the oracle.
static void json_oracle(const struct sim *sim, struct text *out) {
    struct check_oracle_counts c = check_oracle_counts(sim->check);
    if (!c.present) {
        text_add(out, "  \"oracle\": null");
        return;
    }
    text_addf(out, "  \"oracle_named\": %llu,\n  \"oracle_tensors\": %llu,\n", (unsigned long long)c.named,
              (unsigned long long)c.tensors);
    text_addf(out, "  \"oracle_values\": %llu,\n  \"oracle_positions\": %llu,\n", (unsigned long long)c.values,
              (unsigned long long)c.positions);
    text_add(out, "  \"oracle_not_compared\": {");
    bool first = true;
    for (int t = 0; t < (int)c.named; t++) {
        const char *why, *name = check_oracle_left(sim->check, t, &why);
        if (!name) continue;
        text_add(out, first ? "" : ", ");
        text_add_json_string(out, name, strlen(name));
        text_add(out, ": ");
        text_add_json_string(out, why, strlen(why));
        first = false;
    }
    text_add(out, "}");
}

static void json_all(struct sim *sim, struct text *out) {
    struct check_counts counts = check_counts(sim->check);
    size_t logits = 0;
    (void)check_logits(sim->check, &logits);
    uint64_t hash = check_logits_hash(sim->check);
    text_add(out, "{\n");
    json_request(sim, &sim->host.result[sim->host.request], "  ", out);
    text_addf(out, ",\n  \"match\": %s,\n  \"values_compared\": %llu,\n  \"streams_compared\": %llu,\n",
              matches(sim) ? "true" : "false", (unsigned long long)counts.values, (unsigned long long)counts.streams);
    text_addf(out, "  \"mantissas\": %llu,\n  \"mantissas_saturated\": %llu,\n  \"streams_constant\": %llu,\n",
              (unsigned long long)counts.mantissas, (unsigned long long)counts.saturated,
              (unsigned long long)counts.constant);
    text_addf(out, "  \"clock_mhz\": %.9g,\n  \"cycles\": %llu,\n", sim->clock_mhz,
              (unsigned long long)hbm_cycle(sim->hbm));
    text_addf(out, "  \"logits\": %zu,\n  \"logits_hash\": \"%016llx\",\n  \"rows_hash\": \"%016llx\",\n  \"error\": ",
              logits, (unsigned long long)hash, (unsigned long long)sim->host.rows_hash);
    if (sim->failure != NULL) text_add_json_string(out, sim->failure, strlen(sim->failure));
    else text_add(out, "null");
    text_add(out, ",\n");
    json_fifos(sim, out);
    text_add(out, ",\n");
    json_contracts(sim, out);
    text_add(out, ",\n");
    json_streams(sim, out);
    text_add(out, ",\n");
    json_oracle(sim, out);
    text_add(out, ",\n  \"requests\": [");
    for (int i = 0; i <= sim->host.request; i++) {
        text_addf(out, "%s\n    {\n", i ? "," : "");
        json_request(sim, &sim->host.result[i], "      ", out);
        text_add(out, "\n    }");
    }
    text_add(out, "\n  ]\n}\n");
}

// Writes JSON to the file or stream of --json, and frees it. Returns false after an error.
static bool write_json(struct sim *sim, struct text *out) {
    const char *why = NULL;
    if (strcmp(sim->options.json, "-") == 0) fputs(text_cstr(out), stdout);
    else why = file_write_text(&sim->arena, sim->options.json, out);
    if (why != NULL) diag_command("sim", "error", "%s", why);
    text_free(out);
    return why == NULL;
}

bool report_write_json(struct sim *sim) {
    struct text out = {0};
    if (sim->options.json == NULL) return true;
    json_all(sim, &out);
    return write_json(sim, &out);
}

// Adds the forecast cycles of a prompt step and of a later step, by which `rill verify` divides a request. Both are 1
// if there is no forecast, because a custom kernel has no contract.
static void json_step_cycles(struct sim *sim, int64_t prompt, int64_t made, struct text *out) {
    const char *why = NULL;
    const struct timing_forecast *f =
        timing_forecast_request(sim->ir, prompt, made, 0, false, TIMING_WHOLE_WORDS, &why);
    double prefill = f != NULL && f->prefill.steps > 0 ? f->prefill.cycles / (double)f->prefill.steps : 1;
    double decode = f != NULL && f->decode.steps > 0 ? f->decode.cycles / (double)f->decode.steps : prefill;
    text_addf(out, "  \"prompt_step_cycles\": %.9g,\n  \"token_step_cycles\": %.9g,\n", prefill, decode);
}

static void json_golden(struct sim *sim, struct text *out) {
    int64_t made = 0;
    const struct request_result *r = &sim->host.result[0];
    const uint32_t *ids = check_golden_ids(sim->check, &made);
    const uint64_t *hashes = check_golden_hashes(sim->check);
    text_add(out, "{\n  ");
    json_ids(out, "prompt_ids", r->prompt, r->prompt_len);
    text_add(out, ",\n  ");
    json_ids(out, "token_ids", ids, made);
    text_addf(out, ",\n  \"positions\": %lld,\n  \"steps\": %lld,\n  \"tokens_per_step\": %d,\n",
              (long long)check_positions(sim->check), (long long)check_steps(sim->check), sim->ir->design.tokens);
    json_step_cycles(sim, (int64_t)r->prompt_len, made, out);
    text_add(out, "  \"logits_hashes\": [");
    for (int64_t i = 0; i < made; i++) text_addf(out, "%s\"%016llx\"", i ? ", " : "", (unsigned long long)hashes[i]);
    text_add(out, "],\n");
    json_oracle(sim, out);
    text_add(out, "\n}\n");
}

bool report_write_golden(struct sim *sim) {
    struct text out = {0};
    if (sim->options.json == NULL) return true;
    json_golden(sim, &out);
    return write_json(sim, &out);
}

bool report_write_logits(struct sim *sim) {
    struct text out = {0};
    if (sim->options.logits == NULL) return true;
    size_t count = 0;
    const float *logits = check_logits(sim->check, &count);
    text_add_bytes(&out, logits, count * sizeof *logits);
    const char *why = file_write_text(&sim->arena, sim->options.logits, &out);
    if (why != NULL) diag_command("sim", "error", "%s", why);
    text_free(&out);
    return why == NULL;
}
