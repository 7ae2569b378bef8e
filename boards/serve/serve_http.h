// SPDX-License-Identifier: Apache-2.0
// The connections of the server, on libmicrohttpd. Each connection has its own thread, which reads requests, checks
// their keys, and calls the function that answers the request's path.
#ifndef RILL_SERVE_HTTP_H
#define RILL_SERVE_HTTP_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "boards/serve/serve_keys.h"
#include "boards/serve/serve_library.h"
#include "boards/serve/serve_queue.h"

// The caller sets all members except the last two before server_listen, and must not change them before server_end,
// because the threads of the connections read them. It also owns what they point to.
struct server {
    const struct library *library; // the functions of librill_host
    rill_text *text;               // the tokenizer and the chat template of the design's image
    struct request_rules rules;    // what a request may ask for
    struct queue *queue;           // passes requests to the thread of the card
    struct metrics *metrics;       // counters of GET /metrics
    struct keys keys;              // the API keys; an empty list: no key is needed
    const char *cors;              // origin whose pages may use the server, or NULL for none
    size_t max_body;               // most bytes of a body
    unsigned connections;          // most connections that may be open
    // The longest times, in seconds, for the client to send a body, and until an answer is complete.
    double body_seconds, request_seconds;
    bool quiet;                // true: requests are not logged; false: a line on stderr for each
    time_t started;            // the time that GET /v1/models gives as the model's creation
    struct MHD_Daemon *daemon; // set by server_listen
    atomic_uint visits;        // requests that have not been answered yet; 0 at first
};

struct visit { // an HTTP request; libmicrohttpd owns connection, method, path and socket
    struct server *server;
    struct MHD_Connection *connection;
    const char *method, *path;
    int socket;
    double begun; // queue_now() when the headers had arrived
    struct text body;
};

// Begins to listen on a port, or with `port` 0 on any free one. address: an IPv4 or IPv6 address in digits, not a name.
// Returns NULL and the port in *taken, or a message.
const char *server_listen(struct server *server, const char *address, unsigned port, unsigned *taken);
// Closes all connections. If server->visits is not 0, answers are lost.
void server_end(struct server *server);

// These functions send the answer of a request, once. They return what the handler of libmicrohttpd must return: MHD_NO
// if there is no answer, and libmicrohttpd then closes the connection.
//
// Sends a text, and frees it. type: its media type, or NULL for an answer without a body.
enum MHD_Result http_reply(struct visit *visit, unsigned status, const char *type, struct text *body);
// Sends an error.
enum MHD_Result http_refuse(struct visit *visit, const struct api_error *error);
// Adds the headers that every answer has, sends the response and releases it. Counts and logs the answer. Returns
// MHD_NO if `response` is NULL.
enum MHD_Result http_send(struct visit *visit, unsigned status, struct MHD_Response *response);
bool http_gone(int socket); // returns whether the client has closed the connection

#endif
