// SPDX-License-Identifier: Apache-2.0
// Reads requests by a table of their fields. The table has a function for each field that is honoured. A field that the
// design cannot honour has the only value that is accepted. Fields that do not change the answer have any value.
#include "boards/serve/serve_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAD_REQUEST = 400, NOT_FOUND = 404, BOTH = ENDPOINT_COMPLETIONS | ENDPOINT_CHAT };

struct reading { // the request that is being read, and the result
    struct api_request *request;
    const struct request_rules *rules;
    struct api_error *error;
};
// Reads the value of a field into the request. Returns false and fills the error if the value is refused.
typedef bool take_function(struct reading *, const char *name, json_t *value);

bool request_refuse(struct api_error *error, int status, const char *code, const char *param, const char *format, ...) {
    va_list args;
    *error = (struct api_error){.status = status, .code = code};
    error->type = status < 500 ? "invalid_request_error" : "server_error";
    snprintf(error->param, sizeof error->param, "%s", param ? param : "");
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return false;
}

#define WRONG(reading, param, ...) request_refuse((reading)->error, BAD_REQUEST, "invalid_value", param, __VA_ARGS__)

// ---- values: these functions return false and fill the error if the value has another type or is out of range ----

static bool number_of(struct reading *r, const char *name, json_t *value, double *out) {
    *out = json_number_value(value);
    return json_is_number(value) || WRONG(r, name, "`%s` must be a number", name);
}

static bool whole_of(struct reading *r, const char *name, json_t *value, json_int_t least, json_int_t most,
                     json_int_t *out) {
    *out = json_integer_value(value);
    if (json_is_integer(value) && *out >= least && *out <= most) return true;
    return WRONG(r, name, "`%s` must be a whole number from %lld to %lld", name, (long long)least, (long long)most);
}

static bool truth_of(struct reading *r, const char *name, json_t *value, bool *out) {
    *out = json_is_true(value);
    return json_is_boolean(value) || WRONG(r, name, "`%s` must be true or false", name);
}

// ---- fields that are honoured ----

static bool take_model(struct reading *r, const char *name, json_t *value) {
    if (!json_is_string(value)) return WRONG(r, name, "`model` must be a text");
    if (!strcmp(json_string_value(value), r->rules->model)) return true;
    return request_refuse(r->error, NOT_FOUND, "model_not_found", name,
                          "there is no model `%.100s`; this server has `%s`", json_string_value(value),
                          r->rules->model);
}

static bool take_tokens(struct reading *r, const char *name, json_t *value) {
    json_int_t n;
    if (!whole_of(r, name, value, 1, r->rules->max_tokens, &n)) return false;
    if (r->request->max_tokens && r->request->max_tokens != (uint32_t)n)
        return WRONG(r, name, "`max_tokens` and `max_completion_tokens` differ; give one of them");
    r->request->max_tokens = (uint32_t)n;
    return true;
}

static bool take_temperature(struct reading *r, const char *name, json_t *value) {
    double t;
    if (!number_of(r, name, value, &t)) return false;
    if (!(t == 0 || (t >= 0.01 && t <= 100)))
        return WRONG(r, name, "`temperature` must be 0 (the most likely token) or 0.01 to 100");
    if (t != 0 && !r->rules->design.sampling)
        return request_refuse(
            r->error, BAD_REQUEST, "unsupported_value", name,
            "this design takes the most likely token alone (no `sampling`), so `temperature` must be 0");
    r->request->temperature = t;
    return true;
}

static bool take_seed(struct reading *r, const char *name, json_t *value) {
    json_int_t n;
    if (!whole_of(r, name, value, 0, INT64_MAX, &n)) return false;
    r->request->has_seed = true;
    r->request->seed = (uint64_t)n;
    return true;
}

static bool take_top_k(struct reading *r, const char *name, json_t *value) {
    json_int_t n;
    if (!whole_of(r, name, value, 0, r->rules->design.sampling, &n)) return false;
    r->request->top_k = (uint32_t)n;
    return true;
}

static bool take_min_p(struct reading *r, const char *name, json_t *value) {
    double p;
    if (!number_of(r, name, value, &p)) return false;
    if (!(p == 0 || (p >= 1e-30 && p <= 1))) return WRONG(r, name, "`min_p` must be 0 (none) or 1e-30 to 1");
    r->request->min_p = p;
    return true;
}

static bool take_stream(struct reading *r, const char *name, json_t *value) {
    return truth_of(r, name, value, &r->request->stream);
}

static bool take_ignore_eos(struct reading *r, const char *name, json_t *value) {
    return truth_of(r, name, value, &r->request->ignore_eos);
}

static bool take_stream_options(struct reading *r, const char *name, json_t *value) {
    const char *key;
    json_t *item;
    if (!json_is_object(value)) return WRONG(r, name, "`stream_options` must be an object");
    json_object_foreach(value, key, item) {
        if (strcmp(key, "include_usage") != 0)
            return request_refuse(r->error, BAD_REQUEST, "unknown_field", name,
                                  "unknown field `stream_options.%.60s`; only `include_usage` is known", key);
        if (!truth_of(r, "stream_options.include_usage", item, &r->request->include_usage)) return false;
    }
    return true;
}

// Refuses a field of log probabilities in a design that gives none.
static bool gives_none(struct reading *r, const char *name, const char *accepted) {
    return request_refuse(r->error, BAD_REQUEST, "unsupported_value", name,
                          "this design gives no log probabilities (no `logprobs`), so `%s` must be %s", name, accepted);
}

static bool take_top_logprobs(struct reading *r, const char *name, json_t *value) {
    json_int_t n;
    if (!r->rules->design.logprobs && !(json_is_number(value) && json_number_value(value) == 0))
        return gives_none(r, name, "0");
    if (!whole_of(r, name, value, 0, r->rules->design.logprobs, &n)) return false;
    r->request->top_logprobs = (uint32_t)n;
    return true;
}

// Reads `logprobs`: true or false in a chat, and in a completion the number of most likely tokens, or false.
static bool take_logprobs(struct reading *r, const char *name, json_t *value) {
    if (json_is_false(value)) return true;
    if (!r->rules->design.logprobs) return gives_none(r, name, "false");
    r->request->logprobs = true;
    if (r->request->endpoint == ENDPOINT_COMPLETIONS) return take_top_logprobs(r, name, value);
    return truth_of(r, name, value, &r->request->logprobs);
}

static bool add_stop(struct reading *r, const char *name, json_t *value) {
    size_t bytes = json_string_length(value);
    if (!json_is_string(value) || bytes < 1 || bytes > REQUEST_STOP_BYTES || r->request->stops == REQUEST_STOPS)
        return WRONG(r, name, "`stop` must be a text of 1 to %d bytes, or a list of at most %d of them",
                     REQUEST_STOP_BYTES, REQUEST_STOPS);
    r->request->stop[r->request->stops++] = json_string_value(value);
    return true;
}

static bool take_stop(struct reading *r, const char *name, json_t *value) {
    size_t i;
    json_t *item;
    if (!json_is_array(value)) return add_stop(r, name, value);
    json_array_foreach(value, i, item) if (!add_stop(r, name, item)) return false;
    return true;
}

static bool take_ids(struct reading *r, const char *name, json_t *list) {
    size_t i;
    json_t *item;
    json_int_t id;
    json_array_foreach(list, i, item) {
        if (!whole_of(r, name, item, 0, (json_int_t)r->rules->design.vocabulary - 1, &id)) return false;
        VEC_PUSH(&r->request->arena, r->request->ids, (uint32_t)id);
    }
    return true;
}

static bool take_prompt(struct reading *r, const char *name, json_t *value) {
    json_t *first = json_array_get(value, 0);
    if (json_array_size(value) == 1 && !json_is_integer(first)) value = first; // a list of one prompt
    r->request->prompt = json_string_value(value);
    if (r->request->prompt) return true;
    if (json_array_size(value) > 0 && json_is_integer(json_array_get(value, 0))) return take_ids(r, name, value);
    if (json_array_size(value) > 1)
        return request_refuse(r->error, BAD_REQUEST, "unsupported_value", name,
                              "`prompt` has %zu prompts; send one request for each", json_array_size(value));
    return WRONG(r, name, "`prompt` must be a text or a list of token ids");
}

// ---- messages ----

// Returns the joined texts of a content that is a list of parts, in the arena of the request, or NULL if a part is not
// a text.
static const char *text_of_parts(struct reading *r, json_t *parts) {
    struct text whole = {0};
    size_t i;
    json_t *part;
    bool good = json_is_array(parts);
    json_array_foreach(parts, i, part) {
        const char *type = json_string_value(json_object_get(part, "type")),
                   *text = json_string_value(json_object_get(part, "text"));
        good = good && type && text && !strcmp(type, "text") && json_object_size(part) == 2;
        if (good) text_add(&whole, text);
    }
    const char *made = good ? arena_strdup(&r->request->arena, text_cstr(&whole)) : NULL;
    text_free(&whole);
    return made;
}

static const char *message_text(struct reading *r, json_t *message) {
    json_t *content = json_object_get(message, "content");
    return json_is_string(content) ? json_string_value(content) : text_of_parts(r, content);
}

// Returns the role of a message, or -1 if there is no such role.
static int role_of(json_t *message) {
    const char *role = json_string_value(json_object_get(message, "role"));
    if (!role) return -1;
    if (!strcmp(role, "system") || !strcmp(role, "developer")) return RILL_TEXT_SYSTEM;
    if (!strcmp(role, "user")) return RILL_TEXT_USER;
    return !strcmp(role, "assistant") ? RILL_TEXT_ASSISTANT : -1;
}

// Refuses a message with keys other than role and content, unless their value is null.
static bool known_keys(struct reading *r, const char *place, json_t *message) {
    const char *key;
    json_t *value;
    json_object_foreach(message, key, value) {
        bool known = !strcmp(key, "role") || !strcmp(key, "content") || json_is_null(value);
        if (!known)
            return request_refuse(r->error, BAD_REQUEST, "unknown_field", place,
                                  "unknown field `%.60s` of a message; `role` and `content` are known", key);
    }
    return true;
}

// Returns whether a message with this role may follow the messages before it. Fills the error if not.
static bool role_fits(struct reading *r, const char *place, int role) {
    size_t before = r->request->turns.count;
    int last = before ? (int)r->request->turns.items[before - 1].role : -1;
    if (role == RILL_TEXT_SYSTEM && !r->rules->design.chat_system)
        return WRONG(r, place, "the chat template of this server has no place for a system message");
    if (role == RILL_TEXT_ASSISTANT && !r->rules->design.chat_turns)
        return WRONG(r, place, "the chat template of this server takes one question only");
    bool fits = role == RILL_TEXT_SYSTEM      ? before == 0
                : role == RILL_TEXT_ASSISTANT ? last == RILL_TEXT_USER
                                              : last != RILL_TEXT_USER;
    return fits || WRONG(r, place,
                         "the roles of `messages` must be: system (optional), then user and assistant in "
                         "turn, and user last");
}

static bool take_message(struct reading *r, const char *place, json_t *message) {
    int role = role_of(message);
    if (role < 0) return WRONG(r, place, "the role of a message must be system, developer, user or assistant");
    if (!known_keys(r, place, message) || !role_fits(r, place, role)) return false;
    const char *text = message_text(r, message);
    if (!text) return WRONG(r, place, "the content of a message must be a text or a list of text parts");
    VEC_PUSH(&r->request->arena, r->request->turns, (struct rill_text_turn){(enum rill_text_role)role, text});
    return true;
}

static bool take_messages(struct reading *r, const char *name, json_t *value) {
    size_t i;
    json_t *message;
    char place[REQUEST_PARAM_BYTES];
    json_array_foreach(value, i, message) {
        snprintf(place, sizeof place, "%s[%zu]", name, i);
        if (!take_message(r, place, message)) return false;
    }
    size_t count = r->request->turns.count;
    if (count && r->request->turns.items[count - 1].role == RILL_TEXT_USER) return true;
    return WRONG(r, name, "`messages` must be a list that ends with a message of the user");
}

// ---- fields with one accepted value ----

static bool is_empty(json_t *v) {
    return (json_is_string(v) && !json_string_length(v)) || (json_is_array(v) && !json_array_size(v)) ||
           (json_is_object(v) && !json_object_size(v));
}
static bool is_zero(json_t *v) { return json_is_number(v) && json_number_value(v) == 0; }
static bool is_one(json_t *v) { return json_is_number(v) && json_number_value(v) == 1; }
static bool is_false(json_t *v) { return json_is_false(v); }
static bool is_text(json_t *v) {
    const char *type = json_string_value(json_object_get(v, "type"));
    return type && !strcmp(type, "text") && json_object_size(v) == 1;
}
static bool is_only_text(json_t *v) {
    const char *first = json_string_value(json_array_get(v, 0));
    return json_array_size(v) == 1 && first && !strcmp(first, "text");
}
static bool is_any(json_t *v) { return (void)v, true; }

// ---- the table ----

struct field {
    const char *name;
    unsigned endpoints;  // bits of enum endpoint
    take_function *take; // if NULL, only a value that `accepts` allows is accepted, and then ignored
    bool (*accepts)(json_t *);
    const char *accepted; // the accepted value, for the error message
};

static const struct field fields[] = {
    {"model", BOTH, take_model, NULL, NULL},
    {"messages", ENDPOINT_CHAT, take_messages, NULL, NULL},
    {"prompt", ENDPOINT_COMPLETIONS, take_prompt, NULL, NULL},
    {"max_tokens", BOTH, take_tokens, NULL, NULL},
    {"max_completion_tokens", ENDPOINT_CHAT, take_tokens, NULL, NULL},
    {"temperature", BOTH, take_temperature, NULL, NULL},
    {"seed", BOTH, take_seed, NULL, NULL},
    {"top_k", BOTH, take_top_k, NULL, NULL},
    {"min_p", BOTH, take_min_p, NULL, NULL},
    {"stop", BOTH, take_stop, NULL, NULL},
    {"stream", BOTH, take_stream, NULL, NULL},
    {"stream_options", BOTH, take_stream_options, NULL, NULL},
    {"ignore_eos", BOTH, take_ignore_eos, NULL, NULL},
    {"n", BOTH, NULL, is_one, "1"},
    {"best_of", ENDPOINT_COMPLETIONS, NULL, is_one, "1"},
    {"top_p", BOTH, NULL, is_one, "1"},
    {"presence_penalty", BOTH, NULL, is_zero, "0"},
    {"frequency_penalty", BOTH, NULL, is_zero, "0"},
    {"repetition_penalty", BOTH, NULL, is_one, "1"},
    {"logit_bias", BOTH, NULL, is_empty, "{}"},
    {"logprobs", BOTH, take_logprobs, NULL, NULL},
    {"top_logprobs", ENDPOINT_CHAT, take_top_logprobs, NULL, NULL},
    {"echo", ENDPOINT_COMPLETIONS, NULL, is_false, "false"},
    {"suffix", ENDPOINT_COMPLETIONS, NULL, is_empty, "\"\""},
    {"tools", ENDPOINT_CHAT, NULL, is_empty, "[]"},
    {"functions", ENDPOINT_CHAT, NULL, is_empty, "[]"},
    {"response_format", ENDPOINT_CHAT, NULL, is_text, "{\"type\": \"text\"}"},
    {"modalities", ENDPOINT_CHAT, NULL, is_only_text, "[\"text\"]"},
    // These fields do not change the answer.
    {"user", BOTH, NULL, is_any, NULL},
    {"metadata", BOTH, NULL, is_any, NULL},
    {"store", BOTH, NULL, is_any, NULL},
    {"service_tier", BOTH, NULL, is_any, NULL},
    {"safety_identifier", BOTH, NULL, is_any, NULL},
    {"prompt_cache_key", BOTH, NULL, is_any, NULL},
    {"tool_choice", ENDPOINT_CHAT, NULL, is_any, NULL},
    {"parallel_tool_calls", ENDPOINT_CHAT, NULL, is_any, NULL},
};

// Reads one field of the body. Returns false and fills the error if the field or its value is refused.
static bool take_field(struct reading *r, const char *name, json_t *value) {
    const struct field *field = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(fields[i].name, name) && fields[i].endpoints & r->request->endpoint) field = &fields[i];
    if (!field)
        return request_refuse(r->error, BAD_REQUEST, "unknown_field", name,
                              "unknown field `%.60s`; it is refused because it might change the answer", name);
    if (json_is_null(value)) return true; // as if it were absent
    if (field->take) return field->take(r, name, value);
    return field->accepts(value) || request_refuse(r->error, BAD_REQUEST, "unsupported_value", name,
                                                   "`%s` is not supported: only %s is accepted", name, field->accepted);
}

// ---- the whole request ----

// Refuses fields that are missing, and fields that need another one.
static bool fits_together(struct reading *r) {
    const struct api_request *q = r->request;
    if (q->endpoint == ENDPOINT_CHAT && !q->turns.count)
        return request_refuse(r->error, BAD_REQUEST, "missing_field", "messages", "`messages` is missing");
    if (q->endpoint == ENDPOINT_COMPLETIONS && !q->prompt && !q->ids.count)
        return request_refuse(r->error, BAD_REQUEST, "missing_field", "prompt", "`prompt` is missing");
    if (q->min_p != 0 && !q->top_k)
        return WRONG(r, "min_p", "`min_p` needs `top_k`: it is a bound within the list of the most likely tokens");
    if (q->top_logprobs && !q->logprobs) return WRONG(r, "top_logprobs", "`top_logprobs` needs `logprobs`: true");
    if (q->include_usage && !q->stream)
        return WRONG(r, "stream_options", "`stream_options` needs `stream`; other answers always have `usage`");
    return true;
}

bool request_read(const char *body, size_t bytes, enum endpoint endpoint, const struct request_rules *rules,
                  struct api_request *request, struct api_error *error) {
    struct reading r = {request, rules, error};
    json_error_t fault;
    const char *name;
    json_t *value;
    *request = (struct api_request){.endpoint = endpoint};
    arena_init(&request->arena);
    request->root = json_loadb(body, bytes, JSON_REJECT_DUPLICATES, &fault);
    if (!request->root)
        return request_refuse(error, BAD_REQUEST, "malformed_json", NULL,
                              "the body is not JSON: line %d, column %d: %s", fault.line, fault.column, fault.text);
    if (!json_is_object(request->root))
        return request_refuse(error, BAD_REQUEST, "malformed_json", NULL, "the body must be a JSON object");
    json_object_foreach(request->root, name, value) if (!take_field(&r, name, value)) return false;
    return fits_together(&r);
}

void request_free(struct api_request *request) {
    json_decref(request->root);
    arena_free(&request->arena);
}
