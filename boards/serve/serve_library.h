// SPDX-License-Identifier: Apache-2.0
// The functions of librill_host.so, which the server loads with dlopen when it starts. LIBRARY_FUNCTIONS lists them
// once for the members of struct library and for the look-up in library_load.
#ifndef RILL_SERVE_LIBRARY_H
#define RILL_SERVE_LIBRARY_H

#include "boards/host/rill_host.h"

#define LIBRARY_FUNCTIONS(X)                                                                                           \
    X(rill_host_open)                                                                                                  \
    X(rill_host_close)                                                                                                 \
    X(rill_host_reset)                                                                                                 \
    X(rill_host_failed)                                                                                                \
    X(rill_host_message)                                                                                               \
    X(rill_host_upload)                                                                                                \
    X(rill_host_submit)                                                                                                \
    X(rill_host_wait)                                                                                                  \
    X(rill_host_stop_request)                                                                                          \
    X(rill_text_open)                                                                                                  \
    X(rill_text_close)                                                                                                 \
    X(rill_text_failed)                                                                                                \
    X(rill_text_describe)                                                                                              \
    X(rill_text_encode)                                                                                                \
    X(rill_text_encode_chat)                                                                                           \
    X(rill_text_decode)                                                                                                \
    X(rill_text_ends)

struct library {
#define LIBRARY_MEMBER(name) __typeof__(&name) name;
    LIBRARY_FUNCTIONS(LIBRARY_MEMBER)
#undef LIBRARY_MEMBER
};

// Loads the library at `path` and fills all members. The library stays loaded until the program ends. Returns NULL, or
// a message if it cannot be loaded or lacks a function.
const char *library_load(struct library *library, const char *path);

#endif
