// SPDX-License-Identifier: Apache-2.0
// Reads the wire format of protocol buffers (wire.h). Every length is checked against the bytes that are left.
#include "gen/onnx/wire.h"

#include "gen/base/base.h"

enum { MOST_VARINT_BYTES = 10 };

bool wire_varint(struct wire *w, uint64_t *value) {
    uint64_t v = 0;
    for (int i = 0; i < MOST_VARINT_BYTES && w->at < w->end; i++) {
        uint8_t byte = *w->at++;
        if (i == MOST_VARINT_BYTES - 1 && byte > 1) return false; // more than 64 bits
        v |= (uint64_t)(byte & 127u) << (7 * i);
        if (byte < 128) return *value = v, true;
    }
    return false;
}

bool wire_fixed(struct wire *w, int bytes, uint64_t *value) {
    if (wire_left(w) < (size_t)bytes) return false;
    *value = u64_little_endian(w->at, bytes);
    w->at += bytes;
    return true;
}

static bool take_bytes(struct wire *w, struct wire *bytes) {
    uint64_t len;
    if (!wire_varint(w, &len) || len > wire_left(w)) return false;
    *bytes = (struct wire){w->at, w->at + len};
    w->at += len;
    return true;
}

// Takes the value of a field whose number and type are known. Returns NULL, or what is wrong.
static const char *take_value(struct wire *w, struct wire_field *f) {
    switch (f->type) {
    case WIRE_VARINT: return wire_varint(w, &f->value) ? NULL : "a number that does not end";
    case WIRE_64: return wire_fixed(w, 8, &f->value) ? NULL : "a number that the message cuts off";
    case WIRE_32: return wire_fixed(w, 4, &f->value) ? NULL : "a number that the message cuts off";
    case WIRE_BYTES: return take_bytes(w, &f->bytes) ? NULL : "a length beyond the end of its message";
    }
    return "a field of an unknown type";
}

bool wire_next(struct wire *w, struct wire_field *f, const char **why) {
    uint64_t key;
    *why = NULL;
    if (w->at >= w->end) return false;
    *f = (struct wire_field){.key = w->at};
    if (!wire_varint(w, &key)) return *why = "a field whose number does not end", false;
    if (key >> 3 == 0 || key >> 3 >= 1u << 29) return *why = "a field without a legal number", false;
    f->number = (uint32_t)(key >> 3);
    f->type = (enum wire_type)(key & 7);
    *why = take_value(w, f);
    return !*why;
}
