// SPDX-License-Identifier: Apache-2.0
// Turns the bytes of tokens into the text of an answer: whole characters of UTF-8, up to and without the first stop
// string. Bytes that are not valid UTF-8 become U+FFFD. The text does not depend on where tokens begin and end.
#ifndef RILL_SERVE_ANSWER_H
#define RILL_SERVE_ANSWER_H

#include "gen/base/base.h"

struct answer_text {
    const char *const *stop; // the stop strings, none of them empty, which the caller owns; their number is `stops`
    int stops;
    struct text held; // bytes that may be the beginning of a stop string or of a character
    bool stopped;     // a stop string has come; later bytes are ignored
};

// Adds the bytes of a token. Appends to `out` all bytes that are now certain to belong to the answer.
void answer_push(struct answer_text *answer, const char *bytes, size_t count, struct text *out);
// Ends the answer. Appends the bytes that are still held. The caller then frees the memory with answer_free.
void answer_end(struct answer_text *answer, struct text *out);
void answer_free(struct answer_text *answer);

#endif
