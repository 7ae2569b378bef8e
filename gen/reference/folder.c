// SPDX-License-Identifier: Apache-2.0
// Writes and reads the folder DIR/oracle of a generated design. It has unchanged copies of the spec, of the model's
// family file and of the custom kernels' golden files, and files.json with their checksums. The oracle reads these
// copies. The checksums reveal a damaged copy, which would otherwise look like a wrong design.
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "gen/reference/graph.h"

#define FOLDER "oracle"
#define SPEC_NAME "spec.yaml"

enum { MOST_BYTES = 16 << 20 }; // size limit of one file

const char *const oracle_copy_spec = SPEC_NAME, *const oracle_copy_family = "family.yaml";

// ---- writing ----

// Returns the name of a copy's file. The copies of the spec and of the family are recognized by the address of their
// name, which is oracle_copy_spec or oracle_copy_family. Any other name is that of a kernel, whose golden file is C.
static const char *name_of(struct arena *arena, const struct oracle_copy *copy) {
    bool data = copy->name == oracle_copy_spec || copy->name == oracle_copy_family;
    return data ? copy->name : arena_printf(arena, "%s.c", copy->name);
}

static uint32_t crc_of(const char *data, size_t len) { return (uint32_t)crc32_z(0, (const unsigned char *)data, len); }

static bool write_one(struct output *out, const char *name, const char *data) {
    struct text text = {0};
    text_add(&text, data);
    bool ok = output_text(out, arena_printf(out->arena, FOLDER "/%s", name), &text);
    text_free(&text);
    return ok;
}

bool oracle_write_folder(struct output *out, const struct oracle_copy copy[], size_t count) {
    struct text list = {0};
    bool ok = true;
    text_add(&list, "{\"files\": [");
    for (size_t i = 0; ok && i < count; i++) {
        const char *name = name_of(out->arena, &copy[i]);
        size_t len = strlen(copy[i].text);
        ok = write_one(out, name, copy[i].text);
        text_addf(&list, "%s\n  {\"name\": \"%s\", \"bytes\": %zu, \"crc32\": \"%08" PRIx32 "\"}", i ? "," : "", name,
                  len, crc_of(copy[i].text, len));
    }
    text_add(&list, "\n]}\n");
    ok = ok && write_one(out, "files.json", text_cstr(&list));
    text_free(&list);
    return ok;
}

// ---- reading ----

size_t oracle_list_folder(struct arena *arena, const char *dir, const char *path[], size_t most) {
    json_t *root = json_load_file(arena_printf(arena, "%s/" FOLDER "/files.json", dir), 0, NULL), *file;
    size_t i, count = 0;
    json_array_foreach(json_object_get(root, "files"), i, file) {
        const char *name = json_string_value(json_object_get(file, "name"));
        if (name && !strchr(name, '/') && count < most)
            path[count++] = arena_printf(arena, "%s/" FOLDER "/%s", dir, name);
    }
    json_decref(root);
    return count;
}

// Compares a file with its length and checksum in files.json. Returns NULL, or the error.
static const char *check_file(struct arena *arena, const char *path, const json_t *file) {
    size_t len;
    const char *why, *data = file_read(arena, path, MOST_BYTES, &len, &why),
                     *crc = json_string_value(json_object_get(file, "crc32"));
    if (!data) return why;
    bool same = crc && json_integer_value(json_object_get(file, "bytes")) == (json_int_t)len &&
                !strcmp(crc, arena_printf(arena, "%08" PRIx32, crc_of(data, len)));
    return same ? NULL : MSG_ORACLE_COPY_CHANGED;
}

// Returns false if a file is absent or differs, which is reported, or if the list is empty, which is not reported.
static bool check_files(struct arena *arena, const char *dir, const json_t *list, struct diag *diag) {
    size_t i;
    const json_t *file;
    json_array_foreach(list, i, file) {
        const char *name = json_string_value(json_object_get(file, "name")),
                   *path = arena_printf(arena, "%s/%s", dir, name ? name : "?"), *why = check_file(arena, path, file);
        if (why) diag_error_text(diag, loc_file(arena, path), why);
        if (why) return false;
    }
    return json_array_size(list) > 0;
}

struct oracle_graph *oracle_read_folder(struct arena *arena, const char *dir, bool *absent, struct diag *diag) {
    const char *own = arena_printf(arena, "%s/" FOLDER, dir), *path = arena_printf(arena, "%s/files.json", own), *why;
    size_t len;
    if (absent) *absent = access(own, F_OK) != 0;
    if (absent && *absent) return NULL;
    const char *text = file_read(arena, path, MOST_BYTES, &len, &why);
    json_error_t error;
    json_t *root = text ? json_loadb(text, len, 0, &error) : NULL;
    if (!text) diag_error_text(diag, loc_file(arena, path), why);
    else if (!root) diag_error(diag, loc_file(arena, path), MSG_ORACLE_COPY, error.text);
    bool ok = root && check_files(arena, own, json_object_get(root, "files"), diag);
    if (root && !ok && !diag_failed(diag)) diag_error(diag, loc_file(arena, path), MSG_ORACLE_FILES);
    json_decref(root);
    return ok ? oracle_read_as(arena, arena_printf(arena, "%s/" SPEC_NAME, own), own, diag) : NULL;
}
