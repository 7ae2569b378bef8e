// SPDX-License-Identifier: Apache-2.0
// rill forecast: prints the time of a request, what bounds it and where the engine waits, without a simulation of RTL.
// gen/timing makes the forecast from the timing contracts and a model of the memory.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/command/command.h"
#include "gen/ir/ops.h"
#include "gen/timing/timing.h"

struct forecast_options {
    struct design_options design;
    struct request_list {
        struct timing_load_request item[REGISTER_SLOTS];
        int count;
    } requests;
    struct join_list { // cycles at which the second and further requests come
        int64_t item[REGISTER_SLOTS];
        int count;
    } joins;
    int64_t start; // cycles that the memory has run before the request
    struct draft_counts {
        struct timing_drafts steps; // how often drafts were right, as `rill sim` prints it
        int count;                  // numbers in the list of --drafts; 0: not given
    } drafts;
    struct prefix_list { // positions at which the requests begin
        int64_t item[REGISTER_SLOTS];
        int count;
    } prefixes;
    int64_t slots;            // requests at the same time; 0: one request
    bool started, kept, json; // started: --start is given; kept: vector parameters are on chip before the request
};

enum { STAGE_NODES = 4 /* most operations that stage_of names */ };

struct forecast_view {
    const struct ir *ir;
    const struct timing_forecast *f;
    const char **stage;            // per firing: the operations that make its operand
    int64_t prefix;                // position at which the request begins
    struct timing_drafted drafted; // speed with drafts; steps 0: --drafts is not given
};

// Returns the names of the operations between the previous product and a product's operand, the last operation first:
// "norm2_mx < norm2 < residual1".
static const char *stage_of(const struct ir *ir, const struct ir_firing *f) {
    struct text t = {0};
    int tensor = ir->node[f->node].in[0];
    for (int i = 0; i < STAGE_NODES; i++) {
        int node = ir->tensor[tensor].producer;
        bool made_by_engine = node != IR_NONE && ir->tensor[ir->node[node].in[0]].dtype == IR_ACC;
        if (node == IR_NONE || made_by_engine) break;
        text_addf(&t, "%s%s", i ? " < " : "", ir->node[node].name);
        if (ir->node[node].inputs == 0) break;
        tensor = ir->node[node].in[0];
        bool joins = ir->node[node].inputs > 1 && ir->tensor[ir->node[node].in[1]].dtype == IR_F32;
        if (joins) break; // two paths meet here: earlier operations are another stage
    }
    const char *copy = arena_strdup(ir->arena, t.len ? text_cstr(&t) : "-");
    text_free(&t);
    return copy;
}

// ms converts cycles to milliseconds. per_second converts a number of steps, and the cycles that they took, to steps
// per second. each divides a sum over a phase by the phase's number of steps.
static double ms(const struct forecast_view *v, double cycles) { return cycles / (v->ir->design.clock_mhz * 1e3); }
static double per_second(const struct forecast_view *v, double steps, double cycles) {
    return cycles > 0 ? steps * v->ir->design.clock_mhz * 1e6 / cycles : 0;
}
static double each(const struct timing_phase *p, double sum) { return p->steps ? sum / (double)p->steps : 0; }

// Returns the cycles that the memory needs for the beats of all engine lanes at its sustained rate.
static double memory_cycles(const struct forecast_view *v, const struct timing_phase *p) {
    return p->beats * v->ir->design.beat_bits / 8 / v->f->memory_gbs * v->ir->design.clock_mhz * 1e-3;
}

// Returns the data rate of the engine lanes as a share of the peak rate and of the sustained rate of the memory.
static struct hbm_share share_of(const struct forecast_view *v, const struct timing_phase *p) {
    const struct ir_design *d = &v->ir->design;
    return hbm_figures_share(&d->hbm, p->beats * d->beat_bits / 8, ms(v, p->cycles) * 1e-3);
}

// Returns the cycles of a phase in which the engine neither works nor waits for a counted cause.
static double rest(const struct timing_phase *p) {
    double sum = p->busy + p->turn;
    for (int c = 0; c < TIMING_CAUSES; c++) sum += p->wait[c];
    return p->cycles - sum;
}

// ---- text ----

// Prints a phase of the request: its bound, its use of the memory, and the waits of the engine by cause and product.
static void print_phase(const struct forecast_view *v, const char *name, const struct timing_phase *p) {
    if (!p->steps) return;
    printf("\n%s: %" PRId64 " steps of %.0f cycles\n", name, p->steps, each(p, p->cycles));
    if (v->f->engine == IR_NONE) return;
    double engine = each(p, p->busy), memory = each(p, memory_cycles(v, p));
    printf("  bound by %s: engine %.0f cycles, memory %.0f\n", engine > memory ? "the engine's beats" : "the memory",
           engine, memory);
    printf("  memory: %s a channel\n", hbm_figures_share_text(v->ir->arena, &v->ir->design.hbm, share_of(v, p)));
    printf(
        "  engine waits: beats, keys, values %.0f, operands %.0f, output space %.0f, between steps %.0f, rest %.0f\n",
        each(p, p->wait[TIMING_FOR_BEATS]), each(p, p->wait[TIMING_FOR_OPERAND]), each(p, p->wait[TIMING_FOR_ROOM]),
        each(p, p->turn), each(p, rest(p)));
    printf("  waits for operands, cycles per step and of each repetition:\n");
    for (int i = 0; i < v->ir->firings; i++) {
        const struct ir_firing *f = &v->ir->firing[i];
        double wait = 0;
        if (i && v->ir->firing[i - 1].node == f->node) continue; // heads of one product are listed together
        bool seen = false;
        for (int j = 0; j < v->ir->firings; j++) {
            if (v->ir->firing[j].node != f->node) continue;
            seen |= j < i;
            wait += p->firing[j][TIMING_FOR_OPERAND];
        }
        if (seen || wait <= 0) continue;
        printf("  %10.0f %8.0f  %s: %s\n", each(p, wait), each(p, wait) / (double)v->ir->region[f->region].repeat,
               v->ir->node[f->node].name, v->stage[i]);
    }
}

// Returns the estimated power of decode steps at the middle position of the decode phase, or zeros without such steps.
static struct cost_power power_of(const struct forecast_view *v) {
    const struct timing_phase *p = &v->f->decode;
    struct cost_design cost = cost_design(v->ir);
    struct cost_step step = cost_usual_step(v->ir, v->f->prompt + p->steps / 2);
    return p->steps ? cost_step_power(v->ir, &cost, &step, each(p, p->cycles)) : (struct cost_power){0};
}

static void print_power(const struct forecast_view *v) {
    struct cost_power p = power_of(v);
    double speed = per_second(v, (double)v->f->decode.steps, v->f->decode.cycles);
    if (p.high_w > 0)
        printf("power %.0f to %.0f W while it decodes, %.1f to %.1f tokens/J: estimated\n", p.low_w, p.high_w,
               speed / p.high_w, speed / p.low_w);
}

static void print_text(const struct forecast_view *v) {
    const struct timing_forecast *f = v->f;
    printf("%" PRId64 " %s in, %" PRId64 " out, %g MHz: forecast from timing contracts and the memory model\n",
           f->prompt, v->ir->design.is_lm ? "tokens" : "rows", v->ir->design.is_lm ? f->decode.steps + 1 : f->prompt,
           v->ir->design.clock_mhz);
    if (v->prefix) printf("begins at position %" PRId64 " of the prompt\n", v->prefix);
    printf("start %" PRId64 " cycles, first %s after %.0f cycles (%.3f ms), latency %.3f ms\n", f->start,
           v->ir->design.is_lm ? "token" : "result", f->first_id, ms(v, f->first_id), ms(v, f->end));
    if (f->decode.steps) printf("decode %.1f tokens/s\n", per_second(v, (double)f->decode.steps, f->decode.cycles));
    if (v->drafted.steps > 0)
        printf("with drafts %.3f tokens per step: %.0f steps of %.0f cycles, decode %.1f tokens/s\n",
               v->drafted.tokens_per_step, v->drafted.steps, v->drafted.cycles / v->drafted.steps,
               per_second(v, (double)f->decode.steps, v->drafted.cycles));
    const struct cost_bound *b = f->decode.steps ? &f->decode.bound : &f->prefill.bound;
    print_power(v);
    printf("bound %" PRId64 " cycles in all, at most %.1f %s/s\n", f->prefill.bound.cycles + f->decode.bound.cycles,
           b->tokens_per_second, v->ir->design.is_lm ? "tokens" : "rows");
    printf("%" PRId64 " of %" PRId64 " steps simulated\n", f->simulated < f->steps ? f->simulated : f->steps, f->steps);
    print_phase(v, v->ir->design.is_lm ? "prompt" : "rows", &f->prefill);
    print_phase(v, "decode", &f->decode);
}

// ---- JSON ----

static void json_phase(const struct forecast_view *v, const char *name, const struct timing_phase *p) {
    printf(",\n  \"%s\": {\"steps\": %" PRId64
           ", \"cycles\": %.0f, \"macs\": %.0f, \"engine_busy\": %.0f, \"memory_cycles\": %.0f,\n",
           name, p->steps, p->cycles, p->macs, p->busy, memory_cycles(v, p));
    struct hbm_share share = share_of(v, p);
    printf("    \"hbm_of_peak\": %.6g, \"hbm_of_sustained\": %.6g,\n", share.peak, share.sustained);
    printf("    \"waits\": {\"beats\": %.0f, \"operands\": %.0f, \"room\": %.0f, \"turn\": %.0f, \"rest\": %.0f},\n    "
           "\"stages\": [",
           p->wait[0], p->wait[1], p->wait[2], p->turn, rest(p));
    for (int i = 0; i < v->ir->firings; i++)
        printf("%s\n      {\"product\": \"%s\", \"head\": %d, \"operand\": \"%s\", \"waits\": [%.0f, %.0f, %.0f]}",
               i ? "," : "", v->ir->node[v->ir->firing[i].node].name, v->ir->firing[i].head, v->stage[i],
               p->firing[i][0], p->firing[i][1], p->firing[i][2]);
    printf("\n    ]}");
}

static void print_json(const struct forecast_view *v) {
    const struct timing_forecast *f = v->f;
    printf("{\n  \"ids_in\": %" PRId64 ",\n  \"ids_out\": %" PRId64 ",\n  \"clock_mhz\": %.9g,\n", f->prompt,
           v->ir->design.is_lm ? f->decode.steps + 1 : f->prompt, v->ir->design.clock_mhz);
    printf("  \"cycles_start\": %" PRId64 ",\n  \"cycles_prefill\": %.0f,\n  \"cycles_decode\": %.0f,\n", f->start,
           f->first_id, f->end - f->first_id);
    printf("  \"ttft_ms\": %.6g,\n  \"latency_ms\": %.6g,\n  \"tokens_per_second\": %.6g,\n", ms(v, f->first_id),
           ms(v, f->end), per_second(v, (double)f->decode.steps, f->decode.cycles));
    printf("  \"steps\": %" PRId64 ",\n  \"steps_simulated\": %" PRId64
           ",\n  \"peak_gbs\": %.6g,\n  \"sustained_gbs\": %.6g",
           f->steps, f->simulated, v->ir->design.hbm.peak_gbs, f->memory_gbs);
    if (v->prefix) printf(",\n  \"prefix\": %" PRId64, v->prefix);
    printf(",\n  \"cycles_prefill_bound\": %" PRId64 ",\n  \"cycles_decode_bound\": %" PRId64, f->prefill.bound.cycles,
           f->decode.bound.cycles);
    struct cost_power power = power_of(v);
    if (power.high_w > 0) printf(",\n  \"power_w\": [%.1f, %.1f]", power.low_w, power.high_w);
    if (v->drafted.steps > 0)
        printf(",\n  \"with_drafts\": {\"tokens_per_step\": %.6g, \"steps\": %.1f, \"cycles_decode\": %.0f, "
               "\"tokens_per_second\": %.6g}",
               v->drafted.tokens_per_step, v->drafted.steps, v->drafted.cycles,
               per_second(v, (double)f->decode.steps, v->drafted.cycles));
    json_phase(v, "prefill", &f->prefill);
    json_phase(v, "decode", &f->decode);
    printf("\n}\n");
}

// Reads a list of requests IN:OUT,IN:OUT,...: numbers of prompt tokens and generated tokens. IN alone means IN:1.
static const char *read_requests(struct arena *arena, void *into, const char *text) {
    struct request_list *list = into;
    const char *at = text;
    for (list->count = 0; list->count < REGISTER_SLOTS; at++) {
        struct timing_load_request *r = &list->item[list->count++];
        int end = 0;
        r->tokens = 1;
        bool read = sscanf(at, "%" SCNd64 "%n:%" SCNd64 "%n", &r->prompt, &end, &r->tokens, &end) >= 1;
        bool fits = read && r->prompt >= 1 && r->tokens >= 1 && r->prompt <= INT32_MAX && r->tokens <= INT32_MAX;
        at += end;
        if (!fits || (*at && *at != ',')) break;
        if (!*at) return NULL;
    }
    return arena_printf(arena, MSG_REQUEST_FORM, text);
}

// Reads a list of cycles N,N,..., which do not decrease.
static const char *read_joins(struct arena *arena, void *into, const char *text) {
    struct join_list *list = into;
    const char *at = text;
    for (list->count = 0; list->count < REGISTER_SLOTS && *at >= '0' && *at <= '9'; at++) {
        char *end = NULL;
        int64_t cycle = list->item[list->count] = strtoll(at, &end, 10);
        if (cycle > INT64_MAX / 2 || (list->count && cycle < list->item[list->count - 1])) break;
        list->count++;
        at = end;
        if (!*at) return NULL;
        if (*at != ',') break;
    }
    return arena_printf(arena, MSG_FORECAST_JOINS_FORM, text);
}

// Reads a list of positions N,N,...
static const char *read_prefixes(struct arena *arena, void *into, const char *text) {
    struct prefix_list *list = into;
    const char *at = text;
    for (list->count = 0; list->count < REGISTER_SLOTS && *at >= '0' && *at <= '9'; at++) {
        char *end = NULL;
        list->item[list->count++] = at_most(strtoll(at, &end, 10), INT32_MAX);
        at = end;
        if (!*at) return NULL;
        if (*at != ',') break;
    }
    return arena_printf(arena, MSG_FORECAST_PREFIX_FORM, text);
}

// Reads N,N0,N1,...: the number of steps without drafts, then the numbers of steps in which the first 0, 1, ... drafts
// were right.
static const char *read_drafts(struct arena *arena, void *into, const char *text) {
    struct draft_counts *d = into;
    int64_t number[TIMING_MAX_DRAFTS + 2] = {0}, sum = 0;
    const char *at = text;
    char *end = NULL;
    for (d->count = 0; d->count < (int)COUNT_OF(number) && *at >= '0' && *at <= '9'; at = end + 1) {
        number[d->count] = strtoll(at, &end, 10);
        sum += at_most(number[d->count++], INT32_MAX);
        if (*end != ',') break;
    }
    if (d->count < 3 || *end || sum == 0) return arena_printf(arena, MSG_DRAFTS_FORM, text);
    d->steps.none = number[0];
    memcpy(d->steps.right, number + 1, sizeof d->steps.right);
    return NULL;
}

// Returns the message that says why the list of --drafts does not fit the design, or NULL.
static const char *drafts_fault(const struct ir *ir, const struct draft_counts *d) {
    int drafts = ir->design.drafts;
    if (d->count == 0 || d->count == drafts + 2) return NULL;
    return drafts ? arena_printf(ir->arena, MSG_DRAFTS_COUNTS, d->count, drafts, drafts + 2) : MSG_DRAFTS_ABSENT;
}

static void fail(const char *why) { diag_command("forecast", "error", "%s", why); }

// Returns f, which may be NULL. Ends with an internal error if the forecast has fewer cycles than its lower bound.
static const struct timing_forecast *checked(struct ir *ir, const struct timing_forecast *f) {
    const char *below = f ? timing_below_bound(ir->arena, ir, f) : NULL;
    if (below) base_fatal("the forecast is faster than its own bound: %s", below);
    return f;
}

// Returns the position at which request i begins. The last position of the list also applies to further requests.
static int64_t prefix_of(const struct forecast_options *o, int i) {
    return o->prefixes.count ? o->prefixes.item[at_most(i, o->prefixes.count - 1)] : 0;
}

// Makes the forecast of the request. age: cycles that the memory has run before the request. drafted: every decode step
// has as many drafts as it may, and none is right. Returns NULL after a failure, with the message in *why.
static const struct timing_forecast *forecast_of(struct ir *ir, const struct forecast_options *o, int64_t age,
                                                 bool drafted, const char **why) {
    const struct timing_load_request *r = &o->requests.item[0];
    int64_t prompt = r->prompt, tokens = r->tokens, whole = TIMING_WHOLE_WORDS, first = prefix_of(o, 0);
    if (first) return timing_forecast_from(ir, first, prompt, tokens, age, drafted, whole, why);
    return drafted ? timing_forecast_drafted(ir, prompt, tokens, age, o->kept, whole, why)
                   : timing_forecast_request(ir, prompt, tokens, age, o->kept, whole, why);
}

// Returns the message that says why the requests of the design cannot begin at the positions of --prefix, or NULL.
static const char *prefix_fault(const struct ir *ir, const struct forecast_options *o) {
    const int requests = (int)at_least(o->slots, 1);
    if (!o->prefixes.count) return NULL;
    if (!ir->design.prefix) return MSG_PREFIX_ABSENT;
    if (o->prefixes.count > requests)
        return arena_printf(ir->arena, MSG_FORECAST_PREFIX_MOST, o->prefixes.count, requests);
    for (int i = 0; i < requests; i++) {
        const int64_t prompt = o->requests.item[at_most(i, o->requests.count - 1)].prompt, prefix = prefix_of(o, i);
        if (prefix >= prompt) return arena_printf(ir->arena, MSG_PREFIX_PROMPT, (long long)prefix, (long long)prompt);
    }
    return NULL;
}

// Makes the forecast and, if --drafts is given, the forecast with drafts. Reports a failure and then returns false.
static bool make_forecast(struct ir *ir, const struct forecast_options *o, struct forecast_view *v) {
    int64_t age = o->started ? o->start : timing_host_cycles(ir);
    const char *why = NULL;
    v->f = checked(ir, forecast_of(ir, o, age, false, &why));
    if (!v->f || o->drafts.count == 0) return v->f ? true : (fail(why), false);
    const struct timing_forecast *drafted = checked(ir, forecast_of(ir, o, age, true, &why));
    if (!drafted) return fail(why), false;
    v->drafted = timing_with_drafts(v->f, drafted, &o->drafts.steps);
    return true;
}

// ---- several requests at the same time ----

struct load_view {
    const struct ir *ir;
    const struct timing_load *f;
    const struct timing_loads *load;
    bool equal; // all requests have the same length, begin at the same position, and come at the start
};

static double load_ms(const struct load_view *v, double cycles) { return cycles / (v->ir->design.clock_mhz * 1e3); }

// Returns the tokens per second if `tokens` tokens take `cycles` cycles.
static double load_speed(const struct load_view *v, double tokens, double cycles) {
    return cycles > 0 ? tokens * v->ir->design.clock_mhz * 1e6 / cycles : 0;
}

// Divides a sum over the steps in which every request generates by the number of these steps.
static double load_each(const struct load_view *v, double sum) {
    return v->f->full.steps ? sum / (double)v->f->full.steps : 0;
}

// Returns the cycles that the memory needs for the lanes' beats at its sustained rate.
static double load_memory(const struct load_view *v) {
    const struct ir_design *d = &v->ir->design;
    return v->f->full.beats * d->beat_bits / 8 / v->f->memory_gbs * d->clock_mhz * 1e-3;
}

// Returns the largest of the times. There is one time per request.
static double latest(const struct timing_load *f, const double *time) {
    double most = 0;
    for (int s = 0; s < f->requests; s++)
        if (time[s] > most) most = time[s];
    return most;
}

static double mean(const struct timing_load *f, const double *time) {
    double sum = 0;
    for (int s = 0; s < f->requests; s++) sum += time[s];
    return sum / f->requests;
}

// Returns the generated tokens of all requests.
static double all_tokens(const struct load_view *v) {
    double sum = 0;
    for (int s = 0; s < v->f->requests; s++) sum += (double)v->load->request[s].tokens;
    return sum;
}

// Returns " from position N" for a request that begins after kept positions, and otherwise an empty text.
static const char *from_text(const struct load_view *v, int request) {
    const int64_t prefix = v->load->request[request].prefix;
    return prefix ? arena_printf(v->ir->arena, " from position %" PRId64, prefix) : "";
}

// Prints a line for each request, if they have different lengths or come at different times.
static void print_each(const struct load_view *v) {
    const struct timing_load *f = v->f;
    for (int s = 0; s < f->requests && !v->equal; s++)
        printf("request %d, %" PRId64 ":%" PRId64
               "%s: comes after %.3f ms, first token %.3f ms later, last token %.3f ms later\n",
               s + 1, v->load->request[s].prompt, v->load->request[s].tokens, from_text(v, s), load_ms(v, f->came[s]),
               load_ms(v, f->first_id[s]), load_ms(v, f->last_id[s]));
}

static void print_load(const struct load_view *v) {
    const struct timing_load *f = v->f;
    double per = 1e6 * v->ir->design.clock_mhz;
    printf("%d requests at the same time", f->requests);
    if (v->equal)
        printf(", each %" PRId64 " tokens in, %" PRId64 " out%s", v->load->request[0].prompt,
               v->load->request[0].tokens, from_text(v, 0));
    printf(", %g MHz: forecast from timing contracts and the memory model\n", v->ir->design.clock_mhz);
    printf("all %.1f tokens/s from the start to the last token (%.3f ms)\n", load_speed(v, all_tokens(v), f->end),
           load_ms(v, f->end));
    printf("first token after %.3f ms on average, %.3f ms at the latest; latency %.3f ms on average\n",
           load_ms(v, mean(f, f->first_id)), load_ms(v, latest(f, f->first_id)), load_ms(v, mean(f, f->last_id)));
    print_each(v);
    printf("%" PRId64 " of %" PRId64 " steps simulated\n", f->simulated < f->steps ? f->simulated : f->steps, f->steps);
    if (!f->full.steps) return;
    double cycles = load_each(v, f->full.cycles), engine = load_each(v, f->full.busy),
           memory = load_each(v, load_memory(v));
    printf("\nwhile all generate: %" PRId64 " steps of %.0f cycles, decode %.1f tokens/s, %.3f tokens per step\n",
           f->full.steps, cycles, per * load_each(v, (double)f->full_tokens) / cycles,
           load_each(v, (double)f->full_tokens));
    printf("  bound by %s: engine %.0f cycles, memory %.0f\n", engine > memory ? "the engine's beats" : "the memory",
           engine, memory);
    double waits = 0;
    for (int c = 0; c < TIMING_CAUSES; c++) waits += f->full.wait[c];
    printf(
        "  engine waits: beats, keys, values %.0f, operands %.0f, output space %.0f, between steps %.0f, rest %.0f\n",
        load_each(v, f->full.wait[TIMING_FOR_BEATS]), load_each(v, f->full.wait[TIMING_FOR_OPERAND]),
        load_each(v, f->full.wait[TIMING_FOR_ROOM]), load_each(v, f->full.turn),
        cycles - engine - load_each(v, waits + f->full.turn));
}

static void json_times(const struct load_view *v, const char *name, const double *time) {
    printf(",\n  \"%s\": [", name);
    for (int s = 0; s < v->f->requests; s++) printf("%s%.6g", s ? ", " : "", load_ms(v, time[s]));
    printf("]");
}

static void json_prefixes(const struct load_view *v) {
    printf("  \"prefix\": [");
    for (int s = 0; s < v->f->requests; s++) printf("%s%" PRId64, s ? ", " : "", v->load->request[s].prefix);
    printf("],\n");
}

static void json_lengths(const struct load_view *v, const char *name, bool out) {
    printf("  \"%s\": [", name);
    for (int s = 0; s < v->f->requests; s++)
        printf("%s%" PRId64, s ? ", " : "", out ? v->load->request[s].tokens : v->load->request[s].prompt);
    printf("],\n");
}

static void json_load(const struct load_view *v) {
    const struct timing_load *f = v->f;
    printf("{\n  \"requests\": %d,\n", f->requests);
    json_lengths(v, "ids_in", false);
    json_lengths(v, "ids_out", true);
    if (v->ir->design.prefix) json_prefixes(v);
    printf("  \"clock_mhz\": %.9g,\n  \"cycles_start\": %" PRId64
           ",\n  \"cycles\": %.0f,\n  \"all_tokens_per_second\": %.6g",
           v->ir->design.clock_mhz, f->start, f->end, load_speed(v, all_tokens(v), f->end));
    json_times(v, "came_ms", f->came);
    json_times(v, "ttft_ms", f->first_id);
    json_times(v, "latency_ms", f->last_id);
    printf(",\n  \"steps\": %" PRId64 ",\n  \"steps_simulated\": %" PRId64, f->steps, f->simulated);
    printf(",\n  \"all_generate\": {\"steps\": %" PRId64 ", \"cycles\": %.0f, \"tokens\": %" PRId64
           ", \"tokens_per_second\": %.6g,\n",
           f->full.steps, f->full.cycles, f->full_tokens, load_speed(v, (double)f->full_tokens, f->full.cycles));
    printf("    \"engine_busy\": %.0f, \"memory_cycles\": %.0f,\n    \"waits\": {\"beats\": %.0f, \"operands\": "
           "%.0f, \"room\": %.0f, \"turn\": %.0f}}\n}\n",
           f->full.busy, load_memory(v), f->full.wait[0], f->full.wait[1], f->full.wait[2], f->full.turn);
}

// Returns the message that says why the design cannot run these requests at the same time, or NULL.
static const char *slots_fault(const struct ir *ir, const struct forecast_options *o) {
    int64_t requests = at_least(o->slots, 1);
    if (o->requests.count > requests)
        return arena_printf(ir->arena, MSG_FORECAST_LIST, o->requests.count, o->requests.count);
    if (!o->slots) return NULL;
    if (!ir->design.slots) return MSG_FORECAST_SLOTS_ABSENT;
    if (o->slots > ir->design.slots)
        return arena_printf(ir->arena, MSG_FORECAST_SLOTS_MOST, (int)o->slots, ir->design.slots);
    if (o->joins.count < requests || !o->joins.count) return NULL;
    return arena_printf(ir->arena, MSG_FORECAST_JOINS_MOST, o->joins.count, (int)requests);
}

// Fills `request` with the requests of the options. The last request of the list, and the last cycle of --join, also
// apply to further requests. Returns whether all are equal and come at the start.
static bool read_load(const struct forecast_options *o, struct timing_load_request *request, int requests) {
    bool equal = true;
    for (int i = 0; i < requests; i++) {
        request[i] = o->requests.item[at_most(i, o->requests.count - 1)];
        request[i].prefix = prefix_of(o, i);
        if (i && o->joins.count) request[i].join = o->joins.item[at_most(i, o->joins.count) - 1];
        equal &= request[i].prompt == request[0].prompt && request[i].tokens == request[0].tokens &&
                 request[i].prefix == request[0].prefix && !request[i].join;
    }
    return equal;
}

// Makes and prints the forecast of requests that run at the same time (--slots), or of a single request with drafts in
// a design with slots. Returns the exit status.
static int forecast_load(struct ir *ir, const struct forecast_options *o) {
    const char *why = drafts_fault(ir, &o->drafts);
    if (why) return fail(why), RILL_BAD_SPEC;
    struct timing_load_request request[REGISTER_SLOTS];
    const struct timing_loads load = {request, (int)at_least(o->slots, 1), o->drafts.count ? &o->drafts.steps : NULL};
    bool equal = read_load(o, request, load.requests);
    int64_t age = o->started ? o->start : timing_host_cycles(ir);
    const bool kept = o->kept || o->prefixes.count;
    const struct timing_load *f = timing_forecast_load(ir, &load, age, kept, &why);
    if (!f) return fail(why), RILL_BAD_SPEC;
    const struct load_view v = {ir, f, &load, equal};
    if (o->json) json_load(&v);
    else print_load(&v);
    return RILL_OK;
}

// Checks that a request fits the context. Prints an error if it does not.
static bool fits(const struct ir *ir, const struct timing_load_request *r) {
    int64_t positions = r->prompt + r->tokens - 1, most = ir->design.context;
    if (r->prompt <= most && (!ir->design.is_lm || positions <= most)) return true;
    fail(arena_printf(ir->arena, MSG_FORECAST_CONTEXT, (long long)r->prompt, (long long)r->tokens, (long long)positions,
                      (int)most));
    return false;
}

// Checks the requests, and makes and prints the forecast. Returns the exit status.
static int print_forecast(struct ir *ir, const struct forecast_options *o) {
    for (int i = 0; i < o->requests.count; i++)
        if (!fits(ir, &o->requests.item[i])) return RILL_BAD_SPEC;
    const char *why = slots_fault(ir, o);
    if (!why) why = prefix_fault(ir, o);
    if (why) return fail(why), RILL_BAD_SPEC;
    if (o->slots || (ir->design.slots && o->drafts.count)) return forecast_load(ir, o);
    why = drafts_fault(ir, &o->drafts);
    if (why) return fail(why), RILL_BAD_SPEC;
    struct forecast_view v = {.ir = ir, .prefix = prefix_of(o, 0)};
    if (!make_forecast(ir, o, &v)) return RILL_BAD_SPEC;
    v.stage = ARENA_ARRAY(ir->arena, const char *, (size_t)ir->firings + 1);
    for (int i = 0; i < ir->firings; i++) v.stage[i] = stage_of(ir, &ir->firing[i]);
    if (o->json) print_json(&v);
    else print_text(&v);
    return RILL_OK;
}

static int start(struct run *run, void *options) {
    const struct forecast_options *o = options;
    struct ir *ir = command_design(run, &o->design);
    return ir ? print_forecast(ir, o) : RILL_BAD_SPEC;
}

#define AT(member) offsetof(struct forecast_options, member)
static const struct option_row rows[] = {
    {"IN:OUT", NULL, OPTION_CALL, OPTION_NEEDED, AT(requests), .call = read_requests,
     .help = "a request with IN prompt tokens (or rows) and OUT generated tokens. IN alone stands for IN:1. With "
             "`--slots`, a list such as 256:64,32:8 gives the requests different lengths. The last one also applies to "
             "further requests"},
    {"--drafts", "LIST", OPTION_CALL, 0, AT(drafts), .call = read_drafts,
     .help = "how often drafts are right, as `rill sim` prints it: steps without drafts, then steps whose first 0, 1, "
             "... drafts are right, as in 6,1,0,0,4"},
    {"--prefix", "N", OPTION_CALL, 0, AT(prefixes), .call = read_prefixes,
     .help = "the request begins after N positions of its prompt that the previous request has left on the card. It "
             "implies `--kept`. With `--slots`, a list such as 448,0 gives the requests different positions, each in "
             "its own slot. The last one also applies to further requests"},
    {"--slots", "N", OPTION_NUMBER, 0, AT(slots), 1, REGISTER_SLOTS,
     .help = "N such requests at the same time, in a design with at least N `slots`"},
    {"--join", "LIST", OPTION_CALL, 0, AT(joins), .call = read_joins, .with = "--slots",
     .help = "cycles after the start at which the second and further requests come, as in 0,20000. The last number is "
             "that of all others (default 0)"},
    {"--kept", NULL, OPTION_FLAG, 0, AT(kept),
     .help = "the request follows another one with the same image, so its vector parameters are on chip "
             "already"},
    {"--start", "N", OPTION_NUMBER, 0, AT(start), 0, .given = AT(started),
     .help = "cycles that the memory has run before the request, which shift its refreshes (default: as "
             "after a reset)"},
    {"--json", NULL, OPTION_FLAG, 0, AT(json), .help = "print JSON"},
    {0}};

const struct command command_forecast = {
    .options = {.name = "forecast",
                .purpose = "predict tokens/s, time to first token (TTFT) and latency of a request",
                .about = "The forecast uses the timing contracts of the kernels and a model of the memory, without a "
                         "simulation. It also prints what bounds the request and where the engine waits.",
                .example = "rill forecast model.yaml 256:256",
                .page = "timing",
                .table = {DESIGN_TABLES(struct forecast_options, design, rows)}},
    .size = sizeof(struct forecast_options),
    .start = start};
