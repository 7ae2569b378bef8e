// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers: fields of a message, one after the other. Nothing in the bytes is trusted.
#ifndef RILL_ONNX_WIRE_H
#define RILL_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The bytes of a message that are still to be read.
struct wire {
    const uint8_t *at, *end;
};

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;     // if the field is a number
    struct wire bytes;  // if its type is WIRE_BYTES
    const uint8_t *key; // where the field begins
};

// Take a number of variable or fixed length. They return false if the bytes end too early or the number is too long.
bool wire_varint(struct wire *, uint64_t *value);
bool wire_fixed(struct wire *, int bytes, uint64_t *value);
static inline size_t wire_left(const struct wire *w) { return (size_t)(w->end - w->at); }

// Takes the next field. Returns false at the end of the message, where *why is NULL, and after an error, which *why
// describes.
bool wire_next(struct wire *, struct wire_field *, const char **why);

#endif
