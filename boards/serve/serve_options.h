// SPDX-License-Identifier: Apache-2.0
// The command line of rill-serve. The table in serve_options.c has each option with its unit and range.
#ifndef RILL_SERVE_OPTIONS_H
#define RILL_SERVE_OPTIONS_H

#include "gen/base/base.h"

struct serve_options {
    // Texts are NULL if they are not given, except `bind`, which is then 127.0.0.1.
    const char *package, *library, *image, *binary, *device, *name, *chat, *bind, *cors, *key_file;
    // All numbers are double, because one table reads them. timeout, watchdog, unit and max_tokens are 0 if they are
    // not given. The first three then have the defaults of rill_host.h, and max_tokens is the context.
    double timeout, watchdog, unit;
    double port, max_body, max_tokens, queue, connections, request_seconds, body_seconds;
    bool quiet;
};

enum { OPTIONS_CONTINUE = -1 };
// Returns OPTIONS_CONTINUE if the server must start. Otherwise returns the exit status, after an error message or the
// output of --help, --version or --print.
int serve_options_read(int argc, char **argv, struct serve_options *options);

#endif
