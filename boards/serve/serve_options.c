// SPDX-License-Identifier: Apache-2.0
// Reads the command line of rill-serve. One table of options gives the parser, the usage, the manual page and the
// completion scripts.
#include "boards/serve/serve_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "include/version.h"

enum kind { WORD, NUMBER, FLAG };

struct row {
    const char *name, *word; // word: name of the value in the usage, or NULL for a flag
    enum kind kind;
    size_t offset;      // in struct serve_options
    double least, most; // a number must be whole, unless `least` is 0.1
    const char *help;
};

#define AT(member) offsetof(struct serve_options, member)
static const struct row rows[] = {
    {"name", "NAME", WORD, AT(name), 0, 0, "name of the model for clients (default: the design's name)"},
    {"chat", "NAME|FILE", WORD, AT(chat), 0, 0,
     "chat template: one of families/chat, or a file. Without it /v1/chat/completions is refused"},
    {"bind", "ADDRESS", WORD, AT(bind), 0, 0, "IPv4 or IPv6 address to listen on (default 127.0.0.1)"},
    {"port", "N", NUMBER, AT(port), 0, 65535, "port to listen on (default 8080); 0: a free one, which is printed"},
    {"api-key-file", "FILE", WORD, AT(key_file), 0, 0,
     "file with the keys that clients must send, one a line. RILL_API_KEY in the environment is another key"},
    {"cors", "ORIGIN", WORD, AT(cors), 0, 0, "let pages of this origin use the server; *: of any origin"},
    {"max-body", "BYTES", NUMBER, AT(max_body), 1, 1 << 30, "longest body of a request (default 1048576)"},
    {"max-tokens", "N", NUMBER, AT(max_tokens), 1, 1 << 30, "most tokens of an answer (default: the context)"},
    {"queue", "N", NUMBER, AT(queue), 0, 10000, "how many requests may wait (default 32)"},
    {"connections", "N", NUMBER, AT(connections), 1, 10000, "how many connections may be open (default 256)"},
    {"request-timeout", "S", NUMBER, AT(request_seconds), 0.1, 1e6,
     "end a request S seconds after it arrived (default 600)"},
    {"body-timeout", "S", NUMBER, AT(body_seconds), 0.1, 1e6, "longest time for sending a body (default 30)"},
    {"library", "FILE", WORD, AT(library), 0, 0,
     "librill_host.so (default: PACKAGE/build/host/librill_host.so, then beside the program)"},
    {"image", "DIR", WORD, AT(image), 0, 0, "the image (default PACKAGE/image)"},
    {"binary", "FILE", WORD, AT(binary), 0, 0, "the .xclbin (default PACKAGE/build/hw/UNIT.xclbin)"},
    {"device", "D", WORD, AT(device), 0, 0, "index or PCIe address of the card (default 0)"},
    {"unit", "N", NUMBER, AT(unit), 1, 32, "compute unit, in a package with several (default 1)"},
    {"timeout", "S", NUMBER, AT(timeout), 0.1, 1e6,
     "restart the card after S seconds without a new token or step (default 10)"},
    {"watchdog", "N", NUMBER, AT(watchdog), 1, 4294967295.0,
     "let the design itself end a request after N cycles without progress (default 100000000)"},
    {"quiet", NULL, FLAG, AT(quiet), 0, 0, "print no line for each request"},
    {"print", "man|bash|zsh", WORD, 0, 0, 0, "print the manual page or a completion script, and stop"},
    {"version", NULL, FLAG, 0, 0, 0, "print the version, and stop"},
    {"help", NULL, FLAG, 0, 0, 0, "print this text, and stop"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char purpose[] = "serves a language model on a card through an OpenAI-compatible HTTP API";

static void usage(FILE *out) {
    fprintf(out, "usage: rill-serve PACKAGE [options]\nA server that %s.\n", purpose);
    fprintf(out, "  PACKAGE  folder that `rill package` made, with the image of `rill pack` in it\n");
    for (int i = 0; i < ROWS; i++) {
        fprintf(out, "  --%s %s\n", rows[i].name, rows[i].word ? rows[i].word : "");
        fprintf(out, "           %s\n", rows[i].help);
    }
    fprintf(out,
            "SIGTERM or Ctrl-C lets running requests finish, a second one ends them.\nExit status: 0 done, 1 failed, "
            "2 wrong command line.\nMore: docs/serve.md\n");
}

// Prints a text for roff, where a backslash and a minus must be escaped.
static void roff(const char *s) {
    for (; *s; s++) printf(*s == '-' ? "\\-" : *s == '\\' ? "\\e" : "%c", *s);
}

static void manual(void) {
    printf(".TH RILL\\-SERVE 1 \"\" \"rill %s\" \"User Commands\"\n.SH NAME\nrill\\-serve \\- ", RILL_VERSION);
    roff(purpose);
    printf("\n.SH SYNOPSIS\n.B rill\\-serve\nPACKAGE [options]\n.SH DESCRIPTION\nPACKAGE is a folder that rill package "
           "made, with the image of rill pack in it.\n.SH OPTIONS\n");
    for (int i = 0; i < ROWS; i++) {
        printf(".TP\n.B \\-\\-");
        roff(rows[i].name);
        printf(" %s\n", rows[i].word ? rows[i].word : "");
        roff(rows[i].help);
        printf("\n");
    }
    printf(
        ".SH SIGNALS\nSIGTERM and SIGINT let running requests finish. A second one ends them.\n.SH EXIT STATUS\n.TP\n"
        ".B 0\ndone\n.TP\n.B 1\nfailed\n.TP\n.B 2\nwrong command line\n");
}

static void words(const char *between) {
    for (int i = 0; i < ROWS; i++) printf("%s--%s", i ? between : "", rows[i].name);
}

// Prints what --print names. Returns the exit status.
static int print(const char *what) {
    if (!strcmp(what, "man")) manual();
    else if (!strcmp(what, "bash")) {
        printf("# shellcheck shell=bash\ncomplete -o bashdefault -o default -W \"");
        words(" ");
        printf("\" rill-serve\n");
    } else if (!strcmp(what, "zsh")) {
        printf("#compdef rill-serve\ncompadd -- ");
        words(" ");
        printf("\n_files\n");
    } else {
        fprintf(stderr, "rill-serve: error: --print: `%s` is not man, bash or zsh\n", what);
        return RILL_USAGE;
    }
    return RILL_OK;
}

// Prints an error about the command line. Returns the exit status.
static int wrong(const char *what, const char *value) {
    fprintf(stderr, "rill-serve: error: %s%s\n(`rill-serve --help` shows the options)\n", what, value);
    return RILL_USAGE;
}

// Applies an option. Returns OPTIONS_CONTINUE, or the exit status if the program must end.
static int take(const struct row *row, const char *value, struct serve_options *o) {
    void *place = (char *)o + row->offset;
    char *end;
    if (!strcmp(row->name, "help")) return usage(stdout), RILL_OK;
    if (!strcmp(row->name, "version")) return printf("rill-serve %s\n", RILL_VERSION), RILL_OK;
    if (!strcmp(row->name, "print")) return print(value);
    if (row->kind == FLAG) *(bool *)place = true;
    if (row->kind == WORD) *(const char **)place = value;
    if (row->kind != NUMBER) return OPTIONS_CONTINUE;
    double n = strtod(value, &end);
    if (end == value || *end || !(n >= row->least && n <= row->most) ||
        (row->least != 0.1 && n != (double)(int64_t)n)) {
        fprintf(stderr, "rill-serve: error: --%s: `%s` is no number from %g to %.0f\n", row->name, value, row->least,
                row->most);
        return RILL_USAGE;
    }
    *(double *)place = n;
    return OPTIONS_CONTINUE;
}

int serve_options_read(int argc, char **argv, struct serve_options *o) {
    struct option names[ROWS + 1] = {0};
    for (int i = 0; i < ROWS; i++) names[i] = (struct option){rows[i].name, rows[i].word != NULL, NULL, i + 1};
    *o = (struct serve_options){.bind = "127.0.0.1",
                                .port = 8080,
                                .max_body = 1 << 20,
                                .queue = 32,
                                .connections = 256,
                                .request_seconds = 600,
                                .body_seconds = 30};
    opterr = 0;
    for (int at; (at = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (at == '?') return wrong("unknown option, or its value is missing: ", argv[optind - 1]);
        int status = take(&rows[at - 1], optarg, o);
        if (status != OPTIONS_CONTINUE) return status;
    }
    if (optind + 1 != argc) return wrong(optind < argc ? "one PACKAGE is expected" : "PACKAGE is missing", "");
    o->package = argv[optind];
    return OPTIONS_CONTINUE;
}
