// SPDX-License-Identifier: Apache-2.0
// The connections of the server, on libmicrohttpd. Each connection has its own thread, which reads requests, checks
// their keys, and answers by their paths.
#ifndef RILL_SERVE_HTTP_H
#define RILL_SERVE_HTTP_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "boards/serve/serve_keys.h"
#include "boards/serve/serve_library.h"
#include "boards/serve/serve_queue.h"

struct server {
    const struct library *library;
    rill_text *text;
    struct request_rules rules;
    struct queue *queue;
    struct metrics *metrics;
    struct keys keys;
    const char *cors;     // origin whose pages may use the server, or NULL for none
    size_t max_body;      // most bytes of a body
    unsigned connections; // most connections that may be open
    // The longest times, in seconds, for the client to send a body, and until an answer is complete.
    double body_seconds, request_seconds;
    bool quiet; // no line of log for each request
    time_t started;
    struct MHD_Daemon *daemon;
    atomic_uint visits; // requests that have not been answered yet
};

struct visit { // an HTTP request
    struct server *server;
    struct MHD_Connection *connection;
    const char *method, *path;
    int socket;
    double begun; // queue_now() when the headers had arrived
    struct text body;
};

// Begins to listen on a port, or with `port` 0 on any free one. Returns NULL and the port in *taken, or a message.
const char *server_listen(struct server *server, const char *address, unsigned port, unsigned *taken);
// Closes all connections. If server->visits is not 0, answers are lost.
void server_end(struct server *server);

// Sends a text as the answer, and frees it.
enum MHD_Result http_reply(struct visit *visit, unsigned status, const char *type, struct text *body);
// Sends an error as the answer.
enum MHD_Result http_refuse(struct visit *visit, const struct api_error *error);
// Adds the headers that every answer has, sends the response and releases it. Counts and logs the answer. Returns
// MHD_NO if `response` is NULL.
enum MHD_Result http_send(struct visit *visit, unsigned status, struct MHD_Response *response);
bool http_gone(int socket); // returns whether the client has closed the connection

#endif
