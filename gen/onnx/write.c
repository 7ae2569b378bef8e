// SPDX-License-Identifier: Apache-2.0
// Writes the section `graph:` of the spec of an ONNX file, and its weights as a safetensors file.
#include <inttypes.h>
#include <string.h>

#include "gen/onnx/spec.h"

static const char *shape_text(const struct spec *s, const struct spec_tensor *t) {
    struct onnx_dims d = {.rank = t->rank};
    memcpy(d.dim, t->dim, (size_t)t->rank * sizeof t->dim[0]);
    return onnx_dims_text(s->arena, &d);
}

// Returns the name by which operation i of a region reads operand `slot`: the name of a carry or of a tensor. Operation
// i + r->ops is the same operation in the second repetition. If its operand is made in the first repetition, the
// operand is carried, and the carry whose `next` it is has the name.
static const char *operand_name(const struct spec *s, const struct spec_region *r, int i, int slot) {
    int t = s->op.items[i].in[slot];
    if (r->repeat == 1) return s->tensor.items[t].name;
    int later = s->op.items[i + r->ops].in[slot], maker = s->tensor.items[later].maker;
    if (maker >= r->first && maker < r->first + r->ops)
        for (int c = 0; c < r->carries; c++)
            if (r->carry[c].next == later) return r->carry[c].name;
    return s->tensor.items[t].name;
}

// Writes one operation as an item of the list `ops`.
static void write_op(const struct spec *s, const struct spec_region *r, int i, struct text *out) {
    const struct spec_op *o = &s->op.items[i];
    text_addf(out, "        - {op: %s, name: %s, in: [", o->op, s->tensor.items[o->out].name);
    for (int k = 0; k < o->ins; k++) text_addf(out, "%s%s", k ? ", " : "", operand_name(s, r, i, k));
    text_add(out, "]");
    for (int a = 0; a < o->attrs; a++) {
        text_addf(out, ", %s: ", o->attr[a].key);
        if (o->attr[a].text) text_add(out, o->attr[a].text);
        else {
            const char *name = spec_weight_name(s, r, i, a);
            text_add_json_string(out, name, strlen(name));
        }
    }
    text_add(out, "}\n");
}

static void write_region(const struct spec *s, const struct spec_region *r, struct text *out) {
    text_addf(out, "    - name: %s\n", r->name);
    if (r->repeat > 1) text_addf(out, "      repeat: %d\n", r->repeat);
    if (r->carries) text_add(out, "      carry:\n");
    for (int c = 0; c < r->carries; c++)
        text_addf(out, "        %s: {init: %s, next: %s}\n", r->carry[c].name, s->tensor.items[r->carry[c].init].name,
                  s->tensor.items[r->carry[c].next].name);
    text_add(out, "      ops:\n");
    for (int i = r->first; i < r->first + r->ops; i++) write_op(s, r, i, out);
}

// Returns the bytes of one row of an input or output.
static int64_t port_bytes(const struct spec *s, const struct spec_port *p) {
    const struct spec_tensor *t = &s->tensor.items[p->tensor];
    int64_t bytes = sizeof(float);
    for (int i = 0; i < t->rank; i++) bytes *= t->dim[i];
    return bytes;
}

// MOST_ROWS: the default of `context`. MOST_ROW_BYTES: limit of the memory for the inputs and outputs of a request.
enum { MOST_ROWS = 1024, MOST_ROW_BYTES = 1 << 26 };

// Returns how many rows a request may have (`context`). The memory of the card holds the inputs and outputs of all
// rows.
static int most_rows(const struct spec *s) {
    int64_t bytes = 0;
    int rows = MOST_ROWS;
    for (size_t i = 0; i < s->input.count; i++) bytes += port_bytes(s, &s->input.items[i]);
    for (size_t i = 0; i < s->output.count; i++) bytes += port_bytes(s, &s->output.items[i]);
    while (rows > 1 && rows * bytes > MOST_ROW_BYTES) rows /= 2;
    return rows;
}

void spec_write_graph(const struct spec *s, struct text *out) {
    text_add(out, "graph:\n");
    if (most_rows(s) < MOST_ROWS) text_addf(out, "  context: %d\n", most_rows(s));
    text_add(out, "  inputs:\n");
    for (size_t i = 0; i < s->input.count; i++)
        text_addf(out, "    %s: {shape: %s}\n", s->input.items[i].name,
                  shape_text(s, &s->tensor.items[s->input.items[i].tensor]));
    text_add(out, "  outputs: [");
    for (size_t i = 0; i < s->output.count; i++) text_addf(out, "%s%s", i ? ", " : "", s->output.items[i].name);
    text_add(out, "]\n  regions:\n");
    for (size_t r = 0; r < s->region.count; r++) write_region(s, &s->region.items[r], out);
}

// ---- weights ----

typedef VEC(const struct spec_attr *) attr_list;

// Lists every weight once, in the order of the operations.
static attr_list all_weights(const struct spec *s) {
    attr_list all = {0};
    for (size_t i = 0; i < s->op.count; i++)
        for (int a = 0; a < s->op.items[i].attrs; a++) {
            const struct spec_attr *attr = &s->op.items[i].attr[a];
            bool seen = attr->text != NULL;
            for (size_t k = 0; !seen && k < all.count; k++) seen = !strcmp(all.items[k]->source, attr->source);
            if (!seen) VEC_PUSH(s->arena, all, attr);
        }
    return all;
}

int64_t spec_weight_bytes(const struct spec *s) {
    attr_list all = all_weights(s);
    int64_t bytes = 0;
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i]->weight->dims.rank > 1) bytes += all.items[i]->weight->count;
    return bytes;
}

// Makes the JSON header of the safetensors file, padded to a multiple of 8 bytes.
static void write_header(const struct spec *s, const attr_list *all, struct text *header) {
    uint64_t at = 0;
    text_add(header, "{");
    for (size_t i = 0; i < all->count; i++) {
        const struct spec_attr *a = all->items[i];
        uint64_t bytes = (uint64_t)a->weight->count * sizeof(float);
        text_add(header, i ? ", " : "");
        text_add_json_string(header, a->source, strlen(a->source));
        text_addf(header, ": {\"dtype\": \"F32\", \"shape\": %s, \"data_offsets\": [%" PRIu64 ", %" PRIu64 "]}",
                  onnx_dims_text(s->arena, &a->weight->dims), at, at + bytes);
        at += bytes;
    }
    text_add(header, "}");
    while (header->len % 8) text_add(header, " ");
}

// Writes numbers in little-endian order. Returns false after an output error.
static bool write_floats(FILE *out, const float *f, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &f[i], sizeof bits);
        const unsigned char b[4] = {(unsigned char)bits, (unsigned char)(bits >> 8), (unsigned char)(bits >> 16),
                                    (unsigned char)(bits >> 24)};
        if (fwrite(b, 1, sizeof b, out) != sizeof b) return false;
    }
    return true;
}

bool spec_write_weights(const struct spec *s, FILE *out) {
    attr_list all = all_weights(s);
    struct text header = {0};
    write_header(s, &all, &header);
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)header.len >> (8 * i));
    bool ok = fwrite(length, 1, sizeof length, out) == sizeof length &&
              fwrite(text_cstr(&header), 1, header.len, out) == header.len;
    for (size_t i = 0; ok && i < all.count; i++)
        ok = write_floats(out, all.items[i]->weight->f, all.items[i]->weight->count);
    text_free(&header);
    return ok;
}
