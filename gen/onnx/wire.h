// SPDX-License-Identifier: Apache-2.0
// Reads the wire format of protocol buffers, in which ONNX files are stored: a message is a sequence of numbered
// fields. read.h reads the messages. No function trusts the bytes: a damaged file gives an error.
#ifndef RILL_ONNX_WIRE_H
#define RILL_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The bytes of a message that are still to be read.
struct wire {
    const uint8_t *at, *end;
};

// The numbers of the format for the types of fields. WIRE_BYTES: text, a packed list or a message.
enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
// A field of a message.
struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;     // if the field is a number
    struct wire bytes;  // if its type is WIRE_BYTES
    const uint8_t *key; // where the field begins
};

// These take a number of variable length, or of a fixed number of bytes (1 to 8, the low byte first). They return false
// if the bytes end too early or the number has more than 64 bits.
bool wire_varint(struct wire *, uint64_t *value);
bool wire_fixed(struct wire *, int bytes, uint64_t *value);
static inline size_t wire_left(const struct wire *w) { return (size_t)(w->end - w->at); } // bytes

// Takes the next field. Returns false at the end of the message, where *why is NULL, and after an error, which *why
// describes.
bool wire_next(struct wire *, struct wire_field *, const char **why);

#endif
