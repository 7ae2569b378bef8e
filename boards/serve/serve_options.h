// SPDX-License-Identifier: Apache-2.0
// The command line of rill-serve.
#ifndef RILL_SERVE_OPTIONS_H
#define RILL_SERVE_OPTIONS_H

#include "gen/base/base.h"

struct serve_options {
    const char *package, *library, *image, *binary, *device, *name, *chat, *bind, *cors, *key_file;
    // All numbers are double, because one table reads them. 0 if not given: timeout, watchdog and unit, which then have
    // the defaults of rill_host.h, and max_tokens, which is then the context.
    double timeout, watchdog, unit;
    double port, max_body, max_tokens, queue, connections, request_seconds, body_seconds;
    bool quiet;
};

enum { OPTIONS_CONTINUE = -1 };
// Returns OPTIONS_CONTINUE if the server shall start. Otherwise returns the exit status, after an error message or the
// output of --help, --version or --print.
int serve_options_read(int argc, char **argv, struct serve_options *options);

#endif
