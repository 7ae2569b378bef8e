// SPDX-License-Identifier: Apache-2.0
// Reads the messages of an ONNX file into struct onnx_model (model.h); tensor.c reads its constants. The numbers of
// fields are those of onnx.proto. The comment at each function has the name of its message, and the names of the fields
// that it reads. Bodies of `If` and `Loop` are graphs inside of a node. They may be nested at most MOST_DEPTH deep, so
// that a file cannot overflow the stack.
#include "gen/onnx/read.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

enum { MOST_NODES = 1 << 16, MOST_LIST = 1 << 20 /* integers in a list */, MOST_DEPTH = 8 /* of bodies */ };

bool read_fault(struct reader *r, const uint8_t *at, const char *why) {
    if (!r->failed) diag_error(r->diag, r->model->loc, MSG_ONNX_FILE, (size_t)(at - r->base), why);
    r->failed = true;
    return false;
}

bool read_next(struct reader *r, struct wire *w, struct wire_field *f) {
    const char *why;
    const uint8_t *at = w->at;
    if (r->failed) return false;
    if (wire_next(w, f, &why)) return true;
    if (why) read_fault(r, at, why);
    return false;
}

bool read_is(struct reader *r, const struct wire_field *f, enum wire_type type) {
    return f->type == type ||
           read_fault(r, f->key, arena_printf(r->arena, "field %" PRIu32 " has wire type %d", f->number, f->type));
}

const char *read_text(struct reader *r, const struct wire_field *f) {
    if (!read_is(r, f, WIRE_BYTES)) return "";
    size_t len = wire_left(&f->bytes);
    if (memchr(f->bytes.at, 0, len)) return read_fault(r, f->key, "a name with a NUL byte"), "";
    return arena_strndup(r->arena, (const char *)f->bytes.at, len);
}

int64_t read_int(struct reader *r, const struct wire_field *f) {
    return read_is(r, f, WIRE_VARINT) ? (int64_t)f->value : 0;
}

// Reads a field with one integer, or with a packed list of them. The list has a limit, because a number of one byte in
// the file takes 8 bytes in memory.
bool read_ints(struct reader *r, const struct wire_field *f, read_int_list *list) {
    struct wire rest = f->bytes;
    uint64_t v;
    if (f->type == WIRE_VARINT) {
        VEC_PUSH(r->arena, *list, (int64_t)f->value);
        return true;
    }
    if (!read_is(r, f, WIRE_BYTES)) return false;
    while (rest.at < rest.end && list->count < MOST_LIST) {
        if (!wire_varint(&rest, &v)) return read_fault(r, f->key, "a list of numbers that does not end");
        VEC_PUSH(r->arena, *list, (int64_t)v);
    }
    return rest.at == rest.end || read_fault(r, f->key, "a list of numbers that is too long");
}

float read_float(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

// Reads a field with one fp32 number, or with a packed list of them. Ignores fewer than 4 bytes at the end of the list.
static void read_floats(struct reader *r, const struct wire_field *f, struct onnx_attribute *a) {
    struct wire rest = f->bytes;
    uint64_t v = f->value;
    if (f->type == WIRE_32) VEC_PUSH(r->arena, a->floats, read_float(v));
    else if (read_is(r, f, WIRE_BYTES))
        while (wire_fixed(&rest, 4, &v)) VEC_PUSH(r->arena, a->floats, read_float(v));
}

// ---- nodes ----

static const struct onnx_body *read_body(struct reader *r, const struct wire_field *f);

// AttributeProto: 1 name, 2 f, 3 i, 4 s, 5 t, 6 g, 7 floats, 8 ints, 9 strings.
static struct onnx_attribute read_attribute(struct reader *r, struct wire w) {
    struct onnx_attribute a = {.name = "", .s = ""};
    read_int_list ints = {0};
    struct wire_field f;
    while (read_next(r, &w, &f)) switch (f.number) {
        case 1: a.name = read_text(r, &f); break;
        case 2: a.f = read_is(r, &f, WIRE_32) ? read_float(f.value) : 0; break;
        case 3: a.i = read_int(r, &f); break;
        case 4: a.s = read_text(r, &f); break;
        case 5: a.t = read_is(r, &f, WIRE_BYTES) ? read_tensor(r, f.bytes).data : NULL; break;
        case 6: a.body = read_body(r, &f); break;
        case 7: read_floats(r, &f, &a); break;
        case 8: read_ints(r, &f, &ints); break;
        case 9: VEC_PUSH(r->arena, a.strings, read_text(r, &f)); break;
        default: break;
        }
    a.ints.items = ints.items;
    a.ints.count = ints.count;
    return a;
}

// NodeProto: 1 input, 2 output, 3 name, 4 op_type, 5 attribute, 7 domain.
static struct onnx_node read_node(struct reader *r, struct wire w) {
    struct onnx_node n = {.name = "", .op = "", .domain = "", .depth = r->depth};
    struct wire_field f;
    while (read_next(r, &w, &f)) switch (f.number) {
        case 1: VEC_PUSH(r->arena, n.in, read_text(r, &f)); break;
        case 2: VEC_PUSH(r->arena, n.out, read_text(r, &f)); break;
        case 3: n.name = read_text(r, &f); break;
        case 4: n.op = read_text(r, &f); break;
        case 5:
            if (read_is(r, &f, WIRE_BYTES)) VEC_PUSH(r->arena, n.attribute, read_attribute(r, f.bytes));
            break;
        case 7: n.domain = read_text(r, &f); break;
        default: break;
        }
    return n;
}

// ---- descriptions of tensors ----

// TensorShapeProto.Dimension: 1 dim_value, 2 dim_param (a name). Appends a dimension. Its extent is -1 if the file has
// no number for it.
static void read_dim(struct reader *r, struct wire w, struct onnx_info *info) {
    struct wire_field f;
    if (info->dims.rank == ONNX_MAX_RANK) {
        read_fault(r, w.at, "a tensor of more than 8 dimensions");
        return;
    }
    int d = info->dims.rank++;
    info->dims.dim[d] = -1;
    while (read_next(r, &w, &f))
        if (f.number == 1) info->dims.dim[d] = read_int(r, &f);
        else if (f.number == 2) info->axis[d] = read_text(r, &f);
    if (info->dims.dim[d] < 0) info->dims.dim[d] = -1;
    if (info->dims.dim[d] > INT32_MAX) read_fault(r, w.at, "an extent of more than 2147483647");
}

// TensorShapeProto: 1 dim.
static void read_shape(struct reader *r, struct wire w, struct onnx_info *info) {
    struct wire_field f;
    info->shaped = true;
    while (read_next(r, &w, &f))
        if (f.number == 1 && read_is(r, &f, WIRE_BYTES)) read_dim(r, f.bytes, info);
}

// TypeProto.Tensor: 1 elem_type, 2 shape.
static void read_tensor_type(struct reader *r, struct wire w, struct onnx_info *info) {
    struct wire_field f;
    while (read_next(r, &w, &f))
        if (f.number == 1) info->type = (int)read_int(r, &f);
        else if (f.number == 2 && read_is(r, &f, WIRE_BYTES)) read_shape(r, f.bytes, info);
}

// TypeProto: 1 tensor_type. Other types, such as sequences, leave `info` without a type.
static void read_type(struct reader *r, struct wire w, struct onnx_info *info) {
    struct wire_field f;
    while (read_next(r, &w, &f))
        if (f.number == 1 && read_is(r, &f, WIRE_BYTES)) read_tensor_type(r, f.bytes, info);
}

// ValueInfoProto: 1 name, 2 type.
static struct onnx_info read_info(struct reader *r, struct wire w) {
    struct onnx_info info = {.name = ""};
    struct wire_field f;
    while (read_next(r, &w, &f))
        if (f.number == 1) info.name = read_text(r, &f);
        else if (f.number == 2 && read_is(r, &f, WIRE_BYTES)) read_type(r, f.bytes, &info);
    return info;
}

// ---- graph and model ----

static void add_node(struct reader *r, const struct wire_field *f) {
    struct onnx_node n = read_node(r, f->bytes); // adds the nodes of its bodies to the same list
    VEC_PUSH(r->arena, r->model->node, n);
    if (r->model->node.count > MOST_NODES) read_fault(r, f->key, "more than 65536 nodes");
}

// GraphProto of a node's attribute: 1 node, 5 initializer, 12 output. The nodes go into the list of the model.
static const struct onnx_body *read_body(struct reader *r, const struct wire_field *f) {
    struct onnx_body *b = ARENA_NEW(r->arena, struct onnx_body);
    struct wire w = f->bytes;
    struct wire_field g;
    if (!read_is(r, f, WIRE_BYTES) ||
        (r->depth == MOST_DEPTH && !read_fault(r, f->key, "graphs that are nested more than 8 deep")))
        return NULL;
    *b = (struct onnx_body){.first = r->model->node.count, .depth = ++r->depth};
    while (read_next(r, &w, &g)) {
        if (g.number != 1 && g.number != 5 && g.number != 12) continue;
        if (!read_is(r, &g, WIRE_BYTES)) break;
        if (g.number == 1) add_node(r, &g);
        else if (g.number == 5) VEC_PUSH(r->arena, b->initializer, read_tensor(r, g.bytes));
        else VEC_PUSH(r->arena, b->output, read_info(r, g.bytes).name);
    }
    r->depth--;
    b->end = r->model->node.count;
    r->model->inner += b->initializer.count;
    return b;
}

// GraphProto of the model: 1 node, 5 initializer, 11 input, 12 output, 13 value_info, 15 sparse_initializer.
static void read_graph_field(struct reader *r, const struct wire_field *f) {
    struct onnx_model *m = r->model;
    if (!read_is(r, f, WIRE_BYTES)) return;
    switch (f->number) {
    case 1: add_node(r, f); break;
    case 5: VEC_PUSH(r->arena, m->initializer, read_tensor(r, f->bytes)); break;
    case 11: VEC_PUSH(r->arena, m->input, read_info(r, f->bytes)); break;
    case 12: VEC_PUSH(r->arena, m->output, read_info(r, f->bytes)); break;
    case 13: VEC_PUSH(r->arena, m->value, read_info(r, f->bytes)); break;
    case 15: read_fault(r, f->key, "a sparse constant, which Rill does not read"); break;
    default: break;
    }
}

static void read_graph(struct reader *r, struct wire w) {
    struct wire_field f;
    while (read_next(r, &w, &f)) read_graph_field(r, &f);
}

// OperatorSetIdProto: 1 domain ("" and ai.onnx are ONNX's own operators), 2 version. Other domains are ignored here.
static void read_opset(struct reader *r, struct wire w) {
    const char *domain = "";
    int64_t version = 0;
    struct wire_field f;
    while (read_next(r, &w, &f))
        if (f.number == 1) domain = read_text(r, &f);
        else if (f.number == 2) version = read_int(r, &f);
    if (!*domain || !strcmp(domain, "ai.onnx")) r->model->opset = version, r->model->versioned = true;
}

// ModelProto: 2 producer_name, 7 graph, 8 opset_import.
static void read_model(struct reader *r, struct wire w) {
    struct wire_field f;
    const uint8_t *graph = NULL;
    while (read_next(r, &w, &f)) switch (f.number) {
        case 2: r->model->producer = read_text(r, &f); break;
        case 7:
            if (graph) read_fault(r, f.key, "a second graph");
            graph = f.key;
            if (read_is(r, &f, WIRE_BYTES)) read_graph(r, f.bytes);
            break;
        case 8:
            if (read_is(r, &f, WIRE_BYTES)) read_opset(r, f.bytes);
            break;
        default: break;
        }
    if (!graph) read_fault(r, w.at, "the end of the file, but no graph");
}

enum { LEAST_OPSET = 7, MOST_OPSET = 28 }; // versions of ONNX's operators that Rill reads

// Reports that the file gives no version of ONNX's own operators. Names the first operator of another domain, because
// such a file usually has only operators of this domain.
static bool report_no_opset(const struct onnx_model *m, struct diag *diag) {
    for (size_t i = 0; i < m->node.count; i++) {
        const struct onnx_node *n = &m->node.items[i];
        if (!*n->domain || !strcmp(n->domain, "ai.onnx")) continue;
        return diag_error(diag, m->loc, MSG_ONNX_DOMAIN, n->name, n->domain, n->op), false;
    }
    return diag_error(diag, m->loc, MSG_ONNX_NO_OPSET), false;
}

static bool check_opset(const struct onnx_model *m, struct diag *diag) {
    if (m->opset >= LEAST_OPSET && m->opset <= MOST_OPSET) return true;
    if (!m->versioned) return report_no_opset(m, diag);
    diag_error(diag, m->loc, MSG_ONNX_OPSET, m->opset, LEAST_OPSET, MOST_OPSET);
    return false;
}

struct onnx_model *onnx_model_read_bytes(struct arena *arena, const char *path, const void *data, size_t len,
                                         struct diag *diag) {
    struct onnx_model *m = ARENA_NEW(arena, struct onnx_model);
    *m = (struct onnx_model){.path = path, .loc = loc_file(arena, path), .arena = arena, .producer = ""};
    struct reader r = {.arena = arena, .diag = diag, .model = m, .base = data};
    r.file = (struct wire){r.base, r.base + len};
    read_model(&r, r.file);
    return !r.failed && check_opset(m, diag) ? m : NULL;
}

enum { MOST_FILE = INT_MAX }; // bytes; protocol buffers are limited to 2 GiB

struct onnx_model *onnx_model_read(struct arena *arena, const char *path, struct diag *diag) {
    size_t len;
    const char *why = NULL, *data = file_read(arena, path, MOST_FILE, &len, &why);
    if (data) why = file_stand_in(data, len);
    if (why) return diag_error_text(diag, loc_file(arena, path), why), NULL;
    return onnx_model_read_bytes(arena, path, data, len, diag);
}

// ---- attributes ----

const struct onnx_attribute *onnx_attribute_of(const struct onnx_node *n, const char *name) {
    for (size_t i = 0; i < n->attribute.count; i++)
        if (!strcmp(n->attribute.items[i].name, name)) return &n->attribute.items[i];
    return NULL;
}

int64_t onnx_int(const struct onnx_node *n, const char *name, int64_t preset) {
    const struct onnx_attribute *a = onnx_attribute_of(n, name);
    return a ? a->i : preset;
}

double onnx_float(const struct onnx_node *n, const char *name, double preset) {
    const struct onnx_attribute *a = onnx_attribute_of(n, name);
    return a ? (double)a->f : preset;
}

const char *onnx_string(const struct onnx_node *n, const char *name, const char *preset) {
    const struct onnx_attribute *a = onnx_attribute_of(n, name);
    return a ? a->s : preset;
}
