// SPDX-License-Identifier: Apache-2.0
// Reads the constants of an ONNX file. Their elements are raw bytes, typed lists, or data in another file. Also has the
// functions of model.h about types and extents.
#include "gen/onnx/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/model/safetensors.h"

static const struct {
    const char *name;
    int bytes;
    bool is_float, is_signed;
} types[ONNX_TYPES] = {
    [ONNX_FLOAT] = {"float32", 4, true, true},   [ONNX_UINT8] = {"uint8", 1, false, false},
    [ONNX_INT8] = {"int8", 1, false, true},      [ONNX_UINT16] = {"uint16", 2, false, false},
    [ONNX_INT16] = {"int16", 2, false, true},    [ONNX_INT32] = {"int32", 4, false, true},
    [ONNX_INT64] = {"int64", 8, false, true},    [ONNX_STRING] = {"string", 0, false, false},
    [ONNX_BOOL] = {"bool", 1, false, false},     [ONNX_FLOAT16] = {"float16", 2, true, true},
    [ONNX_DOUBLE] = {"float64", 8, true, true},  [ONNX_UINT32] = {"uint32", 4, false, false},
    [ONNX_UINT64] = {"uint64", 8, false, false}, [ONNX_BFLOAT16] = {"bfloat16", 2, true, true},
};
static bool is_type(int type) { return type > 0 && type < ONNX_TYPES && types[type].name; }
const char *onnx_type_name(int type) { return is_type(type) ? types[type].name : "a type that is not read"; }
bool onnx_type_is_float(int type) { return is_type(type) && types[type].is_float; }
int onnx_type_bytes(int type) { return is_type(type) ? types[type].bytes : 0; }

int64_t onnx_elements(const struct onnx_dims *d) {
    int64_t n = 1;
    bool none = false;
    for (int i = 0; i < d->rank; i++) {
        if (d->dim[i] < 0) return -1;
        if (d->dim[i] == 0) none = true;
        else if (n > ((int64_t)1 << 40) / d->dim[i]) return -1;
        else n *= d->dim[i];
    }
    return none ? 0 : n;
}

const char *onnx_dims_text(struct arena *arena, const struct onnx_dims *d) {
    const char *text = "[";
    for (int i = 0; i < d->rank; i++) {
        const char *extent = d->dim[i] < 0 ? "?" : arena_printf(arena, "%" PRId64, d->dim[i]);
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", extent);
    }
    return arena_printf(arena, "%s]", text);
}

// ---- elements ----

// These return the element with these bits: float_of as fp32, int_of as int64.
static float float_of(int type, uint64_t bits) {
    double wide;
    if (type == ONNX_FLOAT16) return safetensors_from_f16((uint16_t)bits);
    if (type == ONNX_BFLOAT16) return safetensors_from_bf16((uint16_t)bits);
    if (type == ONNX_FLOAT) return read_float(bits);
    memcpy(&wide, &bits, sizeof wide);
    return (float)wide;
}

static int64_t int_of(int type, uint64_t bits) {
    int spare = 64 - 8 * types[type].bytes;
    if (!types[type].is_signed) return (int64_t)bits;
    return (int64_t)(bits << spare) >> spare;
}

// The parts of a TensorProto (a constant in the file) that were read so far.
struct parts {
    struct onnx_tensor tensor;
    struct onnx_data *data;
    read_int_list dims;
    struct wire raw;        // raw bytes, if has_raw is set
    const uint8_t *begin;   // of the message, for errors
    bool has_raw, external; // external: the data is in another file
    float *f;               // elements of `data`; one of f and i is NULL, and both are until make_space
    int64_t *i;
    int64_t count;           // elements that were read from typed lists
    const char *location;    // the other file; NULL: the message names none
    uint64_t offset, length; // place of the data in the other file, in bytes
    bool has_length;
};

// Converts an element from its bits and stores it.
static void store(struct parts *p, int64_t n, uint64_t bits) {
    if (p->f) p->f[n] = float_of(p->data->type, bits);
    else p->i[n] = int_of(p->data->type, bits);
}

// Allocates the elements, as floats or as integers.
static void make_space(struct reader *r, struct parts *p) {
    size_t n = (size_t)p->data->count;
    if (types[p->data->type].is_float) p->data->f = p->f = arena_alloc_dirty(r->arena, n, sizeof *p->f);
    else p->data->i = p->i = arena_alloc_dirty(r->arena, n, sizeof *p->i);
}

// Converts the elements from raw bytes, which must be exactly as many as type and shape require.
static bool take_raw(struct reader *r, struct parts *p, struct wire w) {
    int bytes = types[p->data->type].bytes;
    uint64_t bits;
    if (wire_left(&w) != (uint64_t)p->data->count * (uint64_t)bytes)
        return read_fault(r, p->begin,
                          arena_printf(r->arena, "tensor `%s`: %s of %s takes %" PRId64 " bytes, the file holds %zu",
                                       p->tensor.name, onnx_dims_text(r->arena, &p->data->dims),
                                       onnx_type_name(p->data->type), p->data->count * bytes, wire_left(&w)));
    make_space(r, p);
    for (int64_t n = 0; wire_fixed(&w, bytes, &bits); n++) store(p, n, bits);
    return true;
}

// ---- typed lists: each field has one element, or several that are packed ----

// Returns the bytes of an element in the list with this field number, or 0 if the elements are varints.
static int list_bytes(uint32_t field) { return field == 4 ? 4 : field == 10 ? 8 : 0; }

// Returns whether the format stores elements of this type in the list with this field number.
static bool fits_list(uint32_t field, int type) {
    switch (field) {
    case 4: return type == ONNX_FLOAT;
    case 10: return type == ONNX_DOUBLE;
    case 7: return type == ONNX_INT64;
    case 11: return type == ONNX_UINT64 || type == ONNX_UINT32;
    default: return type != ONNX_FLOAT && type != ONNX_DOUBLE && type != ONNX_INT64 && types[type].bytes <= 4;
    }
}

static bool take_element(struct reader *r, struct parts *p, const uint8_t *at, uint64_t bits) {
    if (p->count == p->data->count)
        return read_fault(r, at,
                          arena_printf(r->arena, "tensor `%s` has more elements than its shape", p->tensor.name));
    store(p, p->count++, bits);
    return true;
}

// Converts the elements of one field of a typed list. The elements are allocated only if the file is long enough to
// have them, so that a damaged shape cannot exhaust the memory.
static bool take_list(struct reader *r, struct parts *p, const struct wire_field *f) {
    struct wire rest = f->bytes;
    int bytes = list_bytes(f->number);
    uint64_t bits;
    if (!fits_list(f->number, p->data->type))
        return read_fault(r, f->key,
                          arena_printf(r->arena, "tensor `%s` keeps %s in the list of another type", p->tensor.name,
                                       onnx_type_name(p->data->type)));
    if (!p->f && !p->i && (uint64_t)p->data->count <= wire_left(&r->file)) make_space(r, p);
    if (!p->f && !p->i) return read_fault(r, f->key, "a shape with more elements than the file has bytes");
    if (f->type != WIRE_BYTES) return take_element(r, p, f->key, f->value);
    while (rest.at < rest.end) {
        if (bytes ? !wire_fixed(&rest, bytes, &bits) : !wire_varint(&rest, &bits))
            return read_fault(r, f->key, "a list of elements that does not end");
        if (!take_element(r, p, f->key, bits)) return false;
    }
    return true;
}

static void take_lists(struct reader *r, struct parts *p, struct wire w) {
    struct wire_field f;
    while (read_next(r, &w, &f))
        if (f.number == 4 || f.number == 5 || f.number == 7 || f.number == 10 || f.number == 11)
            if (!take_list(r, p, &f)) return;
    if (!r->failed && p->count != p->data->count)
        read_fault(r, p->begin,
                   arena_printf(r->arena, "tensor `%s` has %" PRId64 " of the %" PRId64 " elements of its shape",
                                p->tensor.name, p->count, p->data->count));
}

// ---- data in another file ----

static bool take_number(struct reader *r, const uint8_t *at, const char *text, uint64_t *out) {
    char *end;
    *out = strtoull(text, &end, 10);
    return (*text >= '0' && *text <= '9' && !*end) ||
           read_fault(r, at, arena_printf(r->arena, "`%s` is no number of bytes", text));
}

// Reads one entry of `external_data`: a key and a value, which say where the data is.
static void take_place(struct reader *r, struct parts *p, struct wire w) {
    const char *key = "", *value = "";
    struct wire_field f;
    while (read_next(r, &w, &f))
        if (f.number == 1) key = read_text(r, &f);
        else if (f.number == 2) value = read_text(r, &f);
    if (!strcmp(key, "location")) p->location = value;
    if (!strcmp(key, "offset")) take_number(r, p->begin, value, &p->offset);
    if (!strcmp(key, "length")) p->has_length = take_number(r, p->begin, value, &p->length);
}

// Returns whether a path stays in the folder of the model.
static bool is_inside(const char *path) {
    if (!*path || *path == '/') return false;
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2])) return false;
    return true;
}

static bool outside_fault(struct reader *r, struct parts *p, const char *why) {
    return read_fault(r, p->begin, arena_printf(r->arena, "tensor `%s`: %s", p->tensor.name, why));
}

// Returns the other file of the constant. A file is read only once, for the first of its constants. Returns NULL after
// an error.
static const struct read_side_file *side_file(struct reader *r, struct parts *p) {
    for (size_t i = 0; i < r->side.count; i++)
        if (!strcmp(r->side.items[i].name, p->location)) return &r->side.items[i];
    struct read_side_file s = {.name = p->location};
    const char *why = NULL, *dir = file_dir(r->arena, r->model->path);
    char *data = file_read(r->arena, file_from(r->arena, dir, p->location), (size_t)1 << 36, &s.len, &why);
    if (!data) return outside_fault(r, p, arena_printf(r->arena, "`%s` cannot be read: %s", p->location, why)), NULL;
    s.data = (const uint8_t *)data;
    VEC_PUSH(r->arena, r->side, s);
    return &r->side.items[r->side.count - 1];
}

// Converts the elements from another file, which must be in the model's folder or below it.
static bool take_external(struct reader *r, struct parts *p) {
    if (!p->location || !is_inside(p->location))
        return outside_fault(r, p, "its data is in a file that is not in the folder of the model");
    const struct read_side_file *s = side_file(r, p);
    if (!s) return false;
    uint64_t length = (uint64_t)p->data->count * (uint64_t)types[p->data->type].bytes;
    if (p->offset > s->len || length > s->len - p->offset || (p->has_length && p->length != length))
        return outside_fault(r, p,
                             arena_printf(r->arena, "its %" PRIu64 " bytes at %" PRIu64 " are not all in `%s`", length,
                                          p->offset, p->location));
    return take_raw(r, p, (struct wire){s->data + p->offset, s->data + p->offset + length});
}

// ---- the message ----

// Reads all fields except the typed lists, which need the type and the shape first.
static void take_header(struct reader *r, struct parts *p, struct wire w) {
    struct wire_field f;
    while (read_next(r, &w, &f)) switch (f.number) {
        case 1: read_ints(r, &f, &p->dims); break;
        case 2: p->data->type = (int)read_int(r, &f); break;
        case 8: p->tensor.name = read_text(r, &f); break;
        case 9:
            p->has_raw = read_is(r, &f, WIRE_BYTES);
            p->raw = f.bytes;
            break;
        case 13:
            if (read_is(r, &f, WIRE_BYTES)) take_place(r, p, f.bytes);
            break;
        case 14: p->external = read_int(r, &f) == 1; break;
        default: break;
        }
}

static bool take_dims(struct reader *r, struct parts *p) {
    struct onnx_dims *d = &p->data->dims;
    if (p->dims.count > ONNX_MAX_RANK) return outside_fault(r, p, "it has more than 8 dimensions");
    for (size_t i = 0; i < p->dims.count; i++) d->dim[d->rank++] = p->dims.items[i];
    p->data->count = onnx_elements(d);
    return p->data->count >= 0 || outside_fault(r, p, "its shape is too large, or has a negative extent");
}

struct onnx_tensor read_tensor(struct reader *r, struct wire w) {
    struct parts p = {.tensor = {.name = ""}, .data = ARENA_NEW(r->arena, struct onnx_data), .begin = w.at};
    take_header(r, &p, w);
    if (r->failed || !take_dims(r, &p)) return p.tensor;
    p.tensor.data = p.data;
    if (onnx_type_bytes(p.data->type) == 0)
        p.data->count = 0; // strings and 4-bit types: refused only if a node reads them
    else if (p.external) take_external(r, &p);
    else if (p.has_raw) take_raw(r, &p, p.raw);
    else if (p.data->count) take_lists(r, &p, w);
    else make_space(r, &p);
    return p.tensor;
}
