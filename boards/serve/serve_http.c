// SPDX-License-Identifier: Apache-2.0
// Implements the connections of the server: checks each request, finds the function for its path, and sends answers.
#include "boards/serve/serve_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "boards/serve/serve_completions.h"
#include "boards/serve/serve_page.h"
#include "boards/serve/serve_reply.h"

// A connection without traffic for IDLE_SECONDS is closed. The thread of a connection has a stack of STACK_BYTES.
enum { IDLE_SECONDS = 60, STACK_BYTES = 512 << 10 };

#define JSON "application/json"

// ---- answers ----

static void header(struct MHD_Response *response, const char *name, const char *value) {
    if (MHD_add_response_header(response, name, value) != MHD_YES) base_fatal("header %s", name);
}

// Adds the headers by which a browser lets pages of the origin --cors use the server.
static void cors(const struct server *s, struct MHD_Response *response) {
    if (!s->cors) return;
    header(response, "Access-Control-Allow-Origin", s->cors);
    header(response, "Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    header(response, "Access-Control-Allow-Headers", "Authorization, Content-Type");
}

enum MHD_Result http_send(struct visit *v, unsigned status, struct MHD_Response *response) {
    if (!response) return MHD_NO;
    header(response, "X-Content-Type-Options", "nosniff");
    header(response, "Cache-Control", "no-store");
    cors(v->server, response);
    metrics_answer(v->server->metrics, (int)status);
    if (!v->server->quiet)
        fprintf(stderr, "rill-serve: %s %s %u %.3f s\n", v->method, v->path, status, queue_now() - v->begun);
    enum MHD_Result queued = MHD_queue_response(v->connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

// Makes a response with a copy of the body, and frees the body. `type` may be NULL.
static struct MHD_Response *response_of(const char *type, struct text *body) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body->len, body->len ? body->data : "", MHD_RESPMEM_MUST_COPY);
    if (response && type) header(response, "Content-Type", type);
    text_free(body);
    return response;
}

enum MHD_Result http_reply(struct visit *v, unsigned status, const char *type, struct text *body) {
    return http_send(v, status, response_of(type, body));
}

enum MHD_Result http_refuse(struct visit *v, const struct api_error *error) {
    struct text body = {0};
    char seconds[16];
    reply_error(error, &body);
    struct MHD_Response *response = response_of(JSON, &body);
    snprintf(seconds, sizeof seconds, "%u", error->retry_after);
    if (response && error->retry_after) header(response, "Retry-After", seconds);
    if (response && error->status == 401) header(response, "WWW-Authenticate", "Bearer");
    return http_send(v, (unsigned)error->status, response);
}

bool http_gone(int socket) {
    struct pollfd look = {.fd = socket, .events = POLLRDHUP};
    return poll(&look, 1, 0) > 0 && look.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

// ---- paths ----

static enum MHD_Result get_page(struct visit *v) {
    struct text body = {0};
    text_add_bytes(&body, serve_page, (size_t)(serve_page_end - serve_page));
    struct MHD_Response *response = response_of("text/html; charset=utf-8", &body);
    if (response)
        header(response, "Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
               "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    return http_send(v, 200, response);
}

static enum MHD_Result get_models(struct visit *v) {
    struct text body = {0};
    reply_models(&v->server->rules, v->server->started, &body);
    return http_reply(v, 200, JSON, &body);
}

static enum MHD_Result get_health(struct visit *v) {
    struct text body = {0};
    const char *word;
    char why[400];
    unsigned running, waiting;
    bool up = queue_health(v->server->queue, &word, why, sizeof why);
    queue_counts(v->server->queue, &running, &waiting);
    text_addf(&body, "{\"status\": \"%s\", \"reason\": ", word);
    text_add_json_string(&body, why, strlen(why));
    text_addf(&body, ", \"running\": %u, \"waiting\": %u, \"slots\": %d}\n", running, waiting,
              v->server->queue->slots.count);
    return http_reply(v, up ? 200 : 503, JSON, &body);
}

static enum MHD_Result get_metrics(struct visit *v) {
    struct text body = {0};
    const char *word;
    char why[400];
    unsigned running, waiting;
    // A server that drains counts as up. It is down only if there is a reason, that is, while the card restarts.
    bool up = queue_health(v->server->queue, &word, why, sizeof why) || !*why;
    queue_counts(v->server->queue, &running, &waiting);
    metrics_text(v->server->metrics, v->server->queue->slots.count, running, waiting, up, &body);
    return http_reply(v, 200, "text/plain; version=0.0.4", &body);
}

static enum MHD_Result post_completions(struct visit *v) { return completions_answer(v, ENDPOINT_COMPLETIONS); }
static enum MHD_Result post_chat(struct visit *v) { return completions_answer(v, ENDPOINT_CHAT); }

struct route {
    const char *path, *method;
    bool open; // needs no key
    enum MHD_Result (*answer)(struct visit *);
};
static const struct route routes[] = {
    {"/", "GET", true, get_page},
    {"/health", "GET", true, get_health},
    {"/metrics", "GET", false, get_metrics},
    {"/v1/models", "GET", false, get_models},
    {"/v1/completions", "POST", false, post_completions},
    {"/v1/chat/completions", "POST", false, post_chat},
};

static const struct route *route_of(const char *path) {
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (!strcmp(routes[i].path, path)) return &routes[i];
    return NULL;
}

// Returns the value of a header of the request, or NULL.
static const char *given(const struct visit *v, const char *name) {
    return MHD_lookup_connection_value(v->connection, MHD_HEADER_KIND, name);
}

// Returns whether the body is declared as JSON. Every POST must declare it, because for this type a browser first asks
// the server (preflight) whether a page of another origin may send the request. For plain text it would not ask.
static bool is_json(const struct visit *v) {
    const char *type = given(v, "Content-Type");
    return type && !strncasecmp(type, JSON, strlen(JSON));
}

// Checks everything that is known before the body. Returns false and fills *error if the request is refused.
static bool may_go_on(const struct visit *v, struct api_error *error) {
    const struct route *route = route_of(v->path);
    const char *length = given(v, "Content-Length");
    if (!route) return request_refuse(error, 404, "not_found", NULL, "there is no %.100s here", v->path);
    if (!route->open && !keys_allow(&v->server->keys, given(v, "Authorization")))
        return request_refuse(error, 401, "invalid_api_key", NULL,
                              "the key in `Authorization: Bearer KEY` is wrong or missing");
    bool head = !strcmp(v->method, "HEAD") && !strcmp(route->method, "GET");
    if (!head && strcmp(route->method, v->method) != 0)
        return request_refuse(error, 405, "method_not_allowed", NULL, "%s takes %s", route->path, route->method);
    if (length && strtoull(length, NULL, 10) > v->server->max_body)
        return request_refuse(error, 413, "body_too_large", NULL, "the body has more than %zu bytes",
                              v->server->max_body);
    if (!strcmp(route->method, "POST") && !is_json(v))
        return request_refuse(error, 415, "not_json", NULL, "the header `Content-Type: application/json` is missing");
    return true;
}

// ---- connections ----

// Refuses a request while its body still comes. libmicrohttpd accepts no answer at this point, so the answer is written
// to the socket directly, and the connection is closed.
static enum MHD_Result cut(const struct visit *v, int status, const char *words, const char *code,
                           const char *message) {
    struct api_error error;
    struct text body = {0}, whole = {0};
    request_refuse(&error, status, code, NULL, "%s", message);
    reply_error(&error, &body);
    text_addf(&whole, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: " JSON "\r\nContent-Length: %zu\r\n\r\n%s",
              status, words, body.len, text_cstr(&body));
    if (send(v->socket, whole.data, whole.len, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        metrics_answer(v->server->metrics, status);
    shutdown(v->socket, SHUT_WR);
    text_free(&body);
    text_free(&whole);
    return MHD_NO;
}

static struct visit *visit_new(struct server *s, struct MHD_Connection *c, const char *method, const char *path) {
    struct visit *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    *v = (struct visit){.server = s, .connection = c, .method = method, .path = path, .begun = queue_now()};
    s->visits++;
    v->socket = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    return v;
}

// Answers the request by which a browser asks whether a page of another origin may use the server.
static enum MHD_Result preflight(struct visit *v) {
    struct text none = {0};
    return http_reply(v, 204, NULL, &none);
}

// Handles a request after its headers. Returns MHD_YES without an answer if the body is to be read.
static enum MHD_Result begin(struct visit *v) {
    struct api_error error;
    if (!strcmp(v->method, "OPTIONS") && v->server->cors) return preflight(v);
    return may_go_on(v, &error) ? MHD_YES : http_refuse(v, &error);
}

static enum MHD_Result take_body(struct visit *v, const char *data, size_t *bytes) {
    if (v->body.len + *bytes > v->server->max_body)
        return cut(v, 413, "Content Too Large", "body_too_large", "the body is too large");
    if (queue_now() - v->begun > v->server->body_seconds)
        return cut(v, 408, "Request Timeout", "body_too_slow", "the body came too slowly");
    text_add_bytes(&v->body, data, *bytes);
    *bytes = 0;
    return MHD_YES;
}

// Handles the calls of libmicrohttpd for one request: the first call after the headers with *state NULL, then one with
// each piece of the body (*bytes > 0), and the last one with *bytes 0, which gives the answer. The first call already
// gives a refusal or the answer to a preflight.
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *data, size_t *bytes,
                                  void **state) {
    struct visit *v = *state;
    (void)version;
    if (!v) {
        *state = v = visit_new(context, connection, method, path);
        return v ? begin(v) : MHD_NO;
    }
    if (*bytes) return take_body(v, data, bytes);
    return route_of(v->path)->answer(v);
}

// Frees the visit. libmicrohttpd calls this function when an answer has been sent or the connection is closed.
static void on_end(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode code) {
    struct visit *v = *state;
    (void)context, (void)connection, (void)code;
    if (!v) return;
    v->server->visits--;
    text_free(&v->body);
    free(v);
    *state = NULL;
}

// ---- listening ----

// Fills the address from a text and a port. Returns the length of the address, or 0 if the text is no IP address.
static socklen_t address_of(const char *text, unsigned port, struct sockaddr_storage *address) {
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET, four->sin_port = htons((uint16_t)port);
        return sizeof *four;
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6, six->sin6_port = htons((uint16_t)port);
        return sizeof *six;
    }
    return 0;
}

const char *server_listen(struct server *s, const char *text, unsigned port, unsigned *taken) {
    struct sockaddr_storage address;
    if (!address_of(text, port, &address)) return "this is no IPv4 or IPv6 address";
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL;
    if (address.ss_family == AF_INET6) flags |= MHD_USE_IPv6;
    errno = 0;
    s->daemon = MHD_start_daemon(flags, (uint16_t)port, NULL, NULL, on_request, s, MHD_OPTION_SOCK_ADDR, &address,
                                 MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_CONNECTION_LIMIT, s->connections,
                                 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_THREAD_STACK_SIZE,
                                 (size_t)STACK_BYTES, MHD_OPTION_END);
    if (!s->daemon) return errno ? strerror(errno) : "libmicrohttpd does not start";
    *taken = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return NULL;
}

void server_end(struct server *s) { MHD_stop_daemon(s->daemon); }
