// SPDX-License-Identifier: Apache-2.0
// Reads the JSON body of a request to the server. Every field is honoured, or refused with an error that names it.
// Nothing here depends on HTTP, the card or threads.
#ifndef RILL_SERVE_REQUEST_H
#define RILL_SERVE_REQUEST_H

#include <jansson.h>

#include "gen/base/base.h"
#include "boards/host/rill_host.h"

// Most stop strings of a request, most bytes of a stop string, and room for the name of a field in an error.
enum { REQUEST_STOPS = 4, REQUEST_STOP_BYTES = 256, REQUEST_PARAM_BYTES = 80 };

struct api_error {
    int status;                      // status of HTTP, or 0 for no error
    const char *type, *code;         // in the form of OpenAI's interface
    char param[REQUEST_PARAM_BYTES]; // the field that is wrong, or "" for none
    char message[512];
    unsigned retry_after; // seconds, or 0 if the answer has no such header
};

enum endpoint { ENDPOINT_COMPLETIONS = 1, ENDPOINT_CHAT = 2 }; // bits

struct request_rules { // facts against which a request is checked
    struct rill_text_facts design;
    const char *model;   // the only name of a model that is accepted
    uint32_t max_tokens; // the most tokens of an answer
};

struct api_request {
    struct arena arena; // memory of the members below
    json_t *root;       // the parsed body, to which texts below point
    enum endpoint endpoint;
    VEC(struct rill_text_turn) turns; // chat: the messages
    const char *prompt;               // completions: the prompt as a text, or NULL if it is in `ids`
    VEC(uint32_t) ids;
    uint32_t max_tokens; // 0 means as many as there is room for
    double temperature, min_p;
    uint32_t top_k;
    uint32_t top_logprobs; // most likely tokens whose log probabilities the client wants with each token
    bool has_seed, stream, include_usage, ignore_eos, logprobs; // logprobs: the client wants log probabilities
    uint64_t seed;
    const char *stop[REQUEST_STOPS];
    int stops;
};

// Reads a body of `bytes` bytes. Returns false and fills *error if it is refused. The caller must call request_free in
// both cases.
bool request_read(const char *body, size_t bytes, enum endpoint endpoint, const struct request_rules *rules,
                  struct api_request *request, struct api_error *error);
void request_free(struct api_request *request);

// Fills an error about the field `param`, or about none if that is NULL. status: of HTTP; code: a text that lives as
// long as the program. Returns false, so that callers can return the result.
bool request_refuse(struct api_error *error, int status, const char *code, const char *param, const char *format, ...)
    RILL_PRINTF(5, 6);

#endif
