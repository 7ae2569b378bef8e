// SPDX-License-Identifier: Apache-2.0
// Writes image/manifest.json, which names the design of the image and lists its parts with their places and checksums.
// Also checks an image against its manifest.
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "gen/ir/layout.h"
#include "gen/ir/ops.h"
#include "gen/pack/image.h"
#include "gen/model/gguf.h"
#include "gen/pack/pack.h"
#include "gen/model/tokenizer.h"
#include "include/version.h"

// MAX_MANIFEST, MAX_TOKENIZER: size limits of a manifest and of a file of a tokenizer. READ_BYTES: bytes that are read
// at a time to compute a checksum.
enum { MAX_MANIFEST = 64 << 20, MAX_TOKENIZER = 64 << 20, READ_BYTES = 1 << 20 };

// ---- identity of the design ----

static uint64_t hash_text(const struct text *text) { // FNV-1a
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text->len; i++) h = (h ^ (uint8_t)text->data[i]) * 0x100000001b3u;
    return h;
}

// Adds the numbers that decide how the values of a node's tensors are written: the lanes that read vector parameters,
// the format of a matrix or table, the order of a matrix's chunks, and the exponent that its stored row scales contain.
static void add_arrangement(struct text *t, const struct ir *ir, int n) {
    const struct ir_node *node = &ir->node[n];
    switch (ir_op_weights(ir, node->op)) {
    case IR_WEIGHTS_VECTORS: text_addf(t, "vectors %d\n", ir_node_lanes(ir, n)); break;
    case IR_WEIGHTS_RECORDS: text_addf(t, "records %d\n", (int)layout_table_format(node)); break;
    case IR_WEIGHTS_MATRIX:
        text_addf(t, "matrix %d %d %" PRId64 "\n", (int)layout_format(node), image_is_outer(ir, n),
                  ir->tensor[node->in[0]].exp_min);
        break;
    default: break;
    }
}

// Hashes the numbers that decide where an image has its parts and how the values are arranged in them: channels, width
// of a beat, lanes, groups of weights, all segments, and the arrangement of each node's tensors. FIFO depths and other
// details of the kernels are left out.
uint64_t pack_layout_hash(const struct ir *ir) {
    const struct ir_design *d = &ir->design;
    struct text t = {0};
    text_addf(&t, "%d %d %d %d\n", d->channels, d->beat_bits, d->lanes, d->group);
    for (int i = 0; i < ir->engines && ir->engines > 1; i++) text_addf(&t, "%d\n", ir->engine[i].lanes);
    for (int i = 0; i < ir->engines && !ir_has_lanes(ir); i++) text_addf(&t, "resident %d\n", ir->engine[i].lanes);
    for (int i = 0; i < ir->segments; i++) {
        const struct ir_segment *s = &ir->segment[i];
        text_addf(&t, "%s %d %d %d %" PRId64 " %" PRId64 " %" PRId64 "\n", s->name, (int)s->kind, s->node, s->channel,
                  s->offset, s->layer_stride, s->bytes);
    }
    for (int n = 0; n < ir->nodes; n++) add_arrangement(&t, ir, n);
    uint64_t hash = hash_text(&t);
    text_free(&t);
    return hash;
}

uint64_t image_checksum(const struct image *im) {
    struct text t = {0};
    for (size_t i = 0; i < im->parts.count; i++) {
        const struct image_part *p = &im->parts.items[i];
        text_addf(&t, "%d %" PRId64 " %" PRId64 " %" PRIx32 "\n", p->channel, p->offset, p->bytes, p->crc);
    }
    uint64_t hash = hash_text(&t);
    text_free(&t);
    return hash ? hash : 1;
}

// ---- writing ----

// Copies a file of the tokenizer into the image. A missing file is not an error.
static bool copy_file(struct image *im, const char *dir, const char *name, struct diag *diag) {
    size_t len;
    const char *why, *path = arena_printf(im->arena, "%s/%s", dir, name);
    if (access(path, F_OK)) return true; // running on ids needs no tokenizer
    const char *data = file_read(im->arena, path, MAX_TOKENIZER, &len, &why);
    if (!data) {
        diag_error_text(diag, loc_file(im->arena, path), why);
        return false;
    }
    struct text text = {0};
    text_add_bytes(&text, data, len);
    bool ok = output_text(im->out, arena_printf(im->arena, "image/%s", name), &text);
    text_free(&text);
    return ok;
}

// Copies the metadata of a GGUF file, which contains the tokenizer, as tokenizer.gguf.
static bool copy_metadata(struct image *im, const char *path, struct diag *diag) {
    struct gguf *file = gguf_open(im->arena, path, diag);
    struct text text = {0};
    if (!file) return false;
    gguf_metadata(file, &text);
    bool ok = output_text(im->out, "image/tokenizer.gguf", &text);
    text_free(&text);
    gguf_close(file);
    return ok;
}

// Copies the tokenizer of the checkpoint at `dir` into the image. Without a checkpoint (NULL) or a tokenizer, it does
// nothing and returns true.
static bool copy_tokenizer(struct image *im, const char *dir, struct diag *diag) {
    if (!dir || !tokenizer_present(im->arena, dir)) return true;
    struct stat st;
    if (stat(dir, &st) == 0 && S_ISREG(st.st_mode)) return copy_metadata(im, dir, diag);
    for (size_t i = 0; i < TOKENIZER_FILES; i++)
        if (!copy_file(im, dir, tokenizer_file[i], diag)) return false;
    return true;
}

static void add_string(struct text *t, const char *key, const char *value) {
    text_addf(t, "\"%s\": ", key);
    text_add_json_string(t, value, strlen(value));
}

static void add_part(struct text *t, const struct image_part *p, bool first) {
    text_add(t, first ? "\n  {" : ",\n  {");
    add_string(t, "segment", p->name);
    text_addf(t,
              ", \"repetition\": %d, \"channel\": %d, \"offset\": %" PRId64 ", \"bytes\": %" PRId64
              ", \"crc32\": \"%08" PRIx32 "\"}",
              p->repetition, p->channel, p->offset, p->bytes, p->crc);
}

// Size and CRC-32 of a file.
struct sum {
    int64_t bytes;
    uint32_t crc;
};

static void add_manifest(struct text *t, const struct image *im, const char *source, uint64_t checksum,
                         struct sum golden) {
    const char *slash = strrchr(source, '/');
    text_add(t, "{");
    add_string(t, "rill", RILL_VERSION);
    text_add(t, ", ");
    add_string(t, "design", im->ir->name);
    text_addf(t, ", \"layout\": \"%016" PRIx64 "\", ", pack_layout_hash(im->ir));
    text_addf(t, "\"checksum\": \"%016" PRIx64 "\", ", checksum);
    add_string(t, "weights", slash && slash[1] ? slash + 1 : source);
    if (im->calibration) {
        text_add(t, ", ");
        add_string(t, "calibration", im->calibration);
    }
    text_addf(t, ",\n \"golden\": {\"bytes\": %" PRId64 ", \"crc32\": \"%08" PRIx32 "\"}", golden.bytes, golden.crc);
    text_add(t, ",\n \"parts\": [");
    for (size_t i = 0; i < im->parts.count; i++) add_part(t, &im->parts.items[i], i == 0);
    text_add(t, "\n]}\n");
}

// Computes the CRC-32 of some bytes of a file. buffer: READ_BYTES bytes. Returns false if the file has fewer bytes.
static bool crc_of(FILE *f, int64_t offset, int64_t bytes, uint8_t *buffer, uint32_t *crc) {
    *crc = 0;
    if (fseeko(f, (off_t)offset, SEEK_SET)) return false;
    while (bytes > 0) {
        size_t want = bytes < READ_BYTES ? (size_t)bytes : READ_BYTES;
        if (fread(buffer, 1, want, f) != want) return false;
        *crc = (uint32_t)crc32_z(*crc, buffer, want);
        bytes -= (int64_t)want;
    }
    return true;
}

// Computes size and checksum of the golden weights. Reads the finished file for this, because the arrays were written
// in no fixed order and with gaps.
static bool sum_golden(struct image *im, struct sum *sum, struct diag *diag) {
    uint8_t *buffer = ARENA_ARRAY(im->arena, uint8_t, READ_BYTES);
    errno = 0;
    if (!fflush(im->golden) && !fseeko(im->golden, 0, SEEK_END) && (sum->bytes = (int64_t)ftello(im->golden)) >= 0 &&
        crc_of(im->golden, 0, sum->bytes, buffer, &sum->crc))
        return true;
    diag_error(diag, loc_none(), MSG_IMAGE_FILE_UNWRITABLE, im->out->dir, GOLDEN_STORE_FILE, strerror(errno));
    return false;
}

bool image_finish(struct image *im, const char *source, const char *dir, struct diag *diag) {
    if (!copy_tokenizer(im, dir, diag)) return false;
    struct text t = {0};
    struct sum golden;
    uint64_t checksum = image_checksum(im);
    if (!sum_golden(im, &golden, diag) || !image_header(im, checksum, diag)) return false;
    add_manifest(&t, im, source, checksum, golden);
    bool ok = output_text(im->out, "image/manifest.json", &t);
    text_free(&t);
    return ok;
}

// ---- checking ----

struct reader {
    struct arena *arena;
    const char *dir; // folder of the image
    const struct ir *ir;
    struct diag *diag;
    FILE *file[IMAGE_MAX_CHANNELS]; // per channel; NULL: not opened yet
};

// Compares a part of the image with its checksum in the manifest.
static bool check_part(struct reader *r, const json_t *part, uint8_t *buffer) {
    const char *segment = json_string_value(json_object_get(part, "segment")),
               *want = json_string_value(json_object_get(part, "crc32"));
    int64_t channel = json_integer_value(json_object_get(part, "channel")),
            offset = json_integer_value(json_object_get(part, "offset"));
    if (!segment || !want || channel < 0 || channel >= r->ir->design.channels || offset < 0) {
        diag_error(r->diag, loc_file(r->arena, arena_printf(r->arena, "%s/manifest.json", r->dir)), MSG_NOT_A_MANIFEST);
        return false;
    }
    const char *path = arena_printf(r->arena, "%s/channel_%02d.bin", r->dir, (int)channel);
    if (!r->file[channel]) r->file[channel] = fopen(path, "rb");
    uint32_t crc;
    const char *why = NULL;
    if (!r->file[channel]) why = "cannot be opened";
    else if (!crc_of(r->file[channel], offset, json_integer_value(json_object_get(part, "bytes")), buffer, &crc))
        why = "truncated";
    else if (strcmp(arena_printf(r->arena, "%08" PRIx32, crc), want)) why = "damaged";
    if (why) diag_error(r->diag, loc_file(r->arena, path), MSG_IMAGE_DAMAGED, segment, why);
    return !why;
}

// Checks the golden weights. The hardware is compared with them, so a damaged file would look like a fault of the
// design.
static bool check_golden(struct reader *r, const json_t *root, uint8_t *buffer) {
    const json_t *golden = json_object_get(root, "golden");
    const char *want = json_string_value(json_object_get(golden, "crc32")), *why = NULL;
    int64_t bytes = json_integer_value(json_object_get(golden, "bytes"));
    const char *path = arena_printf(r->arena, "%s/%s", r->dir, GOLDEN_STORE_FILE);
    FILE *f = fopen(path, "rb");
    uint32_t crc;
    if (!f) why = strerror(errno);
    else if (!want) why = "the manifest does not know its checksum";
    else if (!crc_of(f, 0, bytes, buffer, &crc)) why = "truncated";
    else if (fgetc(f) != EOF || strcmp(arena_printf(r->arena, "%08" PRIx32, crc), want)) why = "damaged";
    if (why) diag_error(r->diag, loc_file(r->arena, path), MSG_GOLDEN_WEIGHTS_DAMAGED, why);
    if (f) fclose(f);
    return !why;
}

// Checks the golden weights, and then the parts up to the first fault.
static bool check_parts(struct reader *r, const json_t *root) {
    size_t i;
    const json_t *part;
    uint8_t *buffer = ARENA_ARRAY(r->arena, uint8_t, READ_BYTES);
    bool ok = check_golden(r, root, buffer);
    json_array_foreach(json_object_get(root, "parts"), i, part) ok = ok && check_part(r, part, buffer);
    for (int c = 0; c < IMAGE_MAX_CHANNELS; c++)
        if (r->file[c]) fclose(r->file[c]);
    return ok;
}

// Reads a manifest. Returns NULL and sets *why if it cannot be read or is no JSON.
static json_t *read_manifest(const struct ir *ir, const char *path, const char **why) {
    size_t len;
    const char *text = file_read(ir->arena, path, MAX_MANIFEST, &len, why);
    json_error_t error;
    json_t *root = text ? json_loadb(text, len, 0, &error) : NULL;
    if (text && !root) *why = arena_strdup(ir->arena, error.text);
    return root;
}

// Returns whether a manifest is of an image with the layout of this design.
static bool is_layout(const struct ir *ir, const json_t *root) {
    const char *layout = json_string_value(json_object_get(root, "layout"));
    return layout && !strcmp(layout, arena_printf(ir->arena, "%016" PRIx64, pack_layout_hash(ir)));
}

const char *pack_foreign_image(const struct ir *ir, const char *image_dir) {
    const char *path = arena_printf(ir->arena, "%s/manifest.json", image_dir), *why = NULL;
    json_t *root = read_manifest(ir, path, &why);
    const char *design = json_string_value(json_object_get(root, "design")), *what = NULL;
    if (!root && access(path, F_OK))
        what =
            access(arena_printf(ir->arena, "%s/channel_00.bin", image_dir), F_OK) ? NULL : "files without a manifest";
    else if (!design) what = "something else than an image";
    else if (strcmp(design, ir->name)) what = arena_printf(ir->arena, "the image of design `%s`", design);
    else if (!is_layout(ir, root)) what = arena_printf(ir->arena, "an image of design `%s` in another layout", design);
    json_decref(root);
    return what;
}

bool pack_check_image(const struct ir *ir, const char *image_dir, struct diag *diag) {
    struct reader r = {.arena = ir->arena, .dir = image_dir, .ir = ir, .diag = diag};
    const char *path = arena_printf(r.arena, "%s/manifest.json", image_dir), *why;
    struct loc loc = loc_file(r.arena, path);
    json_t *root = read_manifest(ir, path, &why);
    const char *design = json_string_value(json_object_get(root, "design"));
    bool same = is_layout(ir, root);
    if (!root) diag_error_text(diag, loc, why);
    else if (!same) diag_error(diag, loc, MSG_IMAGE_STALE, design ? design : "?");
    bool ok = same && check_parts(&r, root);
    json_decref(root);
    return ok;
}
