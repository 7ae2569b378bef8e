// SPDX-License-Identifier: Apache-2.0
// Bit fields of the words that hardware and generator share (include/fields.def), such as the step word: their places
// and their values, as constants of C.
#ifndef RILL_FIELDS_H
#define RILL_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

enum field_bits { // width of a word: STEP_BITS, ENGINE_BITS ...
#define LAYOUT(id, bits, meaning) id##_BITS = (bits),
#include "include/fields.def"
};

// The value of an enumerator encodes the field's first bit and its width. So two fields of different words can have the
// same value.
#define FIELD_AT(first, bits) ((first) << 8 | (bits))
enum field { // STEP_POS, ENGINE_MODE ...
#define FIELD(layout, id, first, bits, meaning) layout##_##id = FIELD_AT(first, bits),
#include "include/fields.def"
};
enum field_value { // ENGINE_MODE_INT4, SEGMENT_KIND_K ...
#define VALUE(layout, field, id, value, meaning) layout##_##field##_##id = (value),
#include "include/fields.def"
};

// The highest value of a field of less than 63 bits, for use where C needs a constant.
#define FIELD_MOST(field) ((1ll << ((field)&0xff)) - 1)

static inline int field_first(enum field f) { return (int)f >> 8; }
static inline int field_width(enum field f) { return (int)f & 0xff; }
static inline uint64_t field_mask(enum field f) { return field_width(f) < 64 ? (1ull << field_width(f)) - 1 : ~0ull; }
static inline bool field_fits(enum field f, uint64_t value) { return (value & ~field_mask(f)) == 0; }

// field_get extracts a field from a word of up to 64 bits. field_put returns a word with only this field set.
static inline uint64_t field_get(uint64_t word, enum field f) { return word >> field_first(f) & field_mask(f); }
static inline uint64_t field_put(enum field f, uint64_t value) { return (value & field_mask(f)) << field_first(f); }

#endif
