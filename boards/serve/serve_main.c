// SPDX-License-Identifier: Apache-2.0
// rill-serve: starts the card and the server, waits for a signal, and ends them.
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boards/serve/serve_card.h"
#include "boards/serve/serve_http.h"
#include "boards/serve/serve_options.h"

enum { LAST_SECONDS = 60 /* for clients to read their answers */ };

// Prints an error about `what`, which may be "". Returns the exit status.
static int complain(const char *what, const char *why) {
    fprintf(stderr, "rill-serve: error: %s%s%s\n", what, *what ? ": " : "", why);
    return RILL_BAD_SPEC;
}

struct program {
    struct arena arena;
    struct serve_options options;
    struct library library;
    struct metrics metrics;
    struct queue queue;
    struct serve_card card;
    struct server server;
    sigset_t signals;
};

// ---- starting ----

// Returns the path of the library: the file that --library names, or else the file in the package, or else the file
// beside the program. If neither file exists, returns the path in the package, which the error message then names.
static const char *library_path(struct program *p) {
    char self[4096];
    if (p->options.library) return p->options.library;
    const char *path = arena_printf(&p->arena, "%s/build/host/librill_host.so", p->options.package);
    if (access(path, R_OK) == 0) return path;
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    self[bytes > 0 ? bytes : 0] = 0;
    const char *beside = arena_printf(&p->arena, "%s/librill_host.so", dirname(self));
    return access(beside, R_OK) == 0 ? beside : path;
}

static int open_library(struct program *p) {
    const char *path = library_path(p), *why = library_load(&p->library, path);
    if (!why) return RILL_OK;
    complain("the host library", why);
    fprintf(stderr, "rill-serve: note: `make -C %s host` builds it; --library names another\n", p->options.package);
    return RILL_BAD_SPEC;
}

// Reads the package and its tokenizer, and sets the rules that depend on the design.
static int open_text(struct program *p) {
    struct server *s = &p->server;
    s->text = p->library.rill_text_open(p->options.package, p->options.image, p->options.chat);
    const char *why = p->library.rill_text_failed(s->text);
    if (why) return complain("", why);
    p->library.rill_text_describe(s->text, &s->rules.design);
    if (!s->rules.design.context) return complain(p->options.package, "the design is no language model");
    if (!s->rules.design.has_tokenizer) return complain(p->options.package, "the image has no tokenizer");
    p->queue.slots.count = (int)s->rules.design.slots;
    s->rules.model = p->options.name ? p->options.name : s->rules.design.design;
    uint32_t context = s->rules.design.context;
    bool fewer = p->options.max_tokens > 0 && p->options.max_tokens < context;
    s->rules.max_tokens = fewer ? (uint32_t)p->options.max_tokens : context;
    return RILL_OK;
}

static int open_card(struct program *p) {
    const struct serve_options *o = &p->options;
    p->card =
        (struct serve_card){.library = &p->library, .text = p->server.text, .queue = &p->queue, .metrics = &p->metrics};
    p->card.options = (struct rill_host_options){.package = o->package,
                                                 .image = o->image,
                                                 .binary = o->binary,
                                                 .device = o->device,
                                                 .timeout = o->timeout,
                                                 .watchdog = (uint32_t)o->watchdog,
                                                 .unit = (uint32_t)o->unit};
    const char *why = card_open(&p->card);
    return why ? complain("", why) : RILL_OK;
}

static int open_server(struct program *p) {
    const struct serve_options *o = &p->options;
    struct server *s = &p->server;
    s->library = &p->library, s->queue = &p->queue, s->metrics = &p->metrics;
    s->cors = o->cors, s->quiet = o->quiet, s->started = time(NULL);
    s->max_body = (size_t)o->max_body, s->connections = (unsigned)o->connections;
    s->body_seconds = o->body_seconds, s->request_seconds = o->request_seconds;
    const char *why = keys_read(&s->keys, o->key_file, getenv("RILL_API_KEY"));
    return why ? complain(o->key_file, why) : RILL_OK;
}

// Listens on the address of the options and prints the URL.
static int listen_there(struct program *p) {
    unsigned port;
    bool six = strchr(p->options.bind, ':') != NULL;
    const char *why = server_listen(&p->server, p->options.bind, (unsigned)p->options.port, &port);
    if (why) return complain(p->options.bind, why);
    printf("rill-serve: http://%s%s%s:%u serves %s\n", six ? "[" : "", p->options.bind, six ? "]" : "", port,
           p->server.rules.model);
    return fflush(stdout) ? complain("standard output", "cannot be written") : RILL_OK;
}

// ---- ending ----

// Waits at most `milliseconds`, which must be below 1000, for a signal. Returns whether one came.
static bool hurried(struct program *p, long milliseconds) {
    struct timespec limit = {.tv_nsec = 1000000 * milliseconds};
    return sigtimedwait(&p->signals, NULL, &limit) > 0;
}

// Lets requests finish, then gives clients at most LAST_SECONDS to read their answers. A second signal ends both.
static void drain(struct program *p) {
    bool hurry = false;
    queue_drain(&p->queue);
    fprintf(stderr, "rill-serve: draining\n");
    while (!hurry && !queue_is_idle(&p->queue, 0)) hurry = hurried(p, 50);
    queue_close(&p->queue);
    card_join(&p->card);
    for (double end = queue_now() + LAST_SECONDS; p->server.visits && !hurry && queue_now() < end;)
        hurry = hurried(p, 20);
    server_end(&p->server);
}

// Serves requests until a signal comes. Returns the exit status.
static int serve(struct program *p) {
    int signal_number;
    if (!card_start(&p->card)) return complain("", "no thread can be started");
    int status = listen_there(p);
    if (status == RILL_OK) {
        sigwait(&p->signals, &signal_number);
        drain(p);
    } else {
        queue_close(&p->queue);
        card_join(&p->card);
    }
    return status;
}

static void close_all(struct program *p) {
    if (p->card.host) card_close(&p->card);
    if (p->server.text) p->library.rill_text_close(p->server.text);
    arena_free(&p->server.keys.arena);
    queue_destroy(&p->queue);
    arena_free(&p->arena);
}

int main(int argc, char **argv) {
    struct program p = {0};
    int status = serve_options_read(argc, argv, &p.options);
    if (status != OPTIONS_CONTINUE) return status;
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&p.signals);
    sigaddset(&p.signals, SIGTERM);
    sigaddset(&p.signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &p.signals, NULL); // also in all later threads; serve() waits for the signals
    arena_init(&p.arena);
    metrics_init(&p.metrics);
    queue_init(&p.queue, 1, (unsigned)p.options.queue, &p.metrics);
    if (!(status = open_library(&p)) && !(status = open_text(&p)) && !(status = open_server(&p)) &&
        !(status = open_card(&p)))
        status = serve(&p);
    close_all(&p);
    return status;
}
