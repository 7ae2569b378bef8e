// SPDX-License-Identifier: Apache-2.0
// Reads a checkpoint's tensors from one safetensors file, from several with an index ({"weight_map": {tensor: file}}),
// or from one GGUF file.
#include "gen/model/shards.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "gen/model/gguf_model.h"
#include "gen/model/json_text.h"

enum { MOST_FILES = 1024 /* of a checkpoint */, INDEX_BYTES = 64 << 20 /* size limit of the index file */ };

struct shard {
    const char *name; // file name, without the folder
    struct safetensors *file;
    struct loc loc; // of the file, for messages
};

struct place {        // where a tensor is
    int shard, index; // shard: index of its file in shards.shard; index: of the tensor in that file
};

struct shards {
    struct arena *arena;
    struct loc loc;          // the only file, or the index
    const char *gguf_path;   // path of the GGUF file, or NULL
    struct gguf_model *gguf; // NULL: the checkpoint has safetensors files
    VEC(struct shard) shard;
    VEC(struct place) tensor;
};

static int find_shard(const struct shards *s, const char *name) {
    for (size_t i = 0; i < s->shard.count; i++)
        if (!strcmp(s->shard.items[i].name, name)) return (int)i;
    return -1;
}

static bool open_shard(struct shards *s, const char *dir, const char *name, struct diag *diag) {
    struct safetensors *file = safetensors_open(s->arena, arena_printf(s->arena, "%s/%s", dir, name), diag);
    if (!file) return false;
    struct shard shard = {arena_strdup(s->arena, name), file, loc_file(s->arena, safetensors_path(file))};
    VEC_PUSH(s->arena, s->shard, shard);
    for (int i = 0; i < safetensors_count(file); i++)
        VEC_PUSH(s->arena, s->tensor, (struct place){(int)s->shard.count - 1, i});
    return true;
}

// ---- the index ----

// Returns the reason why a file that the index lists is refused, or NULL. The file must be in the folder of the index.
static const char *name_fault(const struct shards *s, const char *name) {
    if (!name || !*name) return "no file name";
    if (strchr(name, '/') || name[0] == '.') return "a file must be in the folder of the index";
    return s->shard.count == MOST_FILES ? "too many files" : NULL;
}

// Opens the file that the index lists for a tensor, unless it is open already.
static bool open_listed(struct shards *s, const char *dir, const char *tensor, const char *name, struct diag *diag) {
    if (name && find_shard(s, name) >= 0) return true;
    const char *why = name_fault(s, name);
    if (why) return diag_error(diag, s->loc, MSG_SHARD_FILE, tensor, name ? name : "", why), false;
    return open_shard(s, dir, name, diag);
}

// Refuses a tensor that the index lists for a file that does not contain it.
static bool check_listed(const struct shards *s, const char *tensor, const char *name, struct diag *diag) {
    const struct shard *shard = &s->shard.items[find_shard(s, name)];
    if (safetensors_find(shard->file, tensor) >= 0) return true;
    diag_error(diag, shard->loc, MSG_SHARD_MISSING, tensor);
    return false;
}

// Checks that the index lists every tensor for the file that has it. Otherwise a tensor in two files would be read from
// an arbitrary one.
static bool check_listing(const struct shards *s, const json_t *map, struct diag *diag) {
    bool ok = true;
    for (size_t i = 0; ok && i < s->tensor.count; i++) {
        const char *tensor = shards_at(s, (int)i)->name, *name = json_string_value(json_object_get(map, tensor));
        ok = name && !strcmp(name, s->shard.items[s->tensor.items[i].shard].name);
        if (!ok) diag_error(diag, shards_loc(s, (int)i), MSG_SHARD_UNLISTED, tensor);
    }
    return ok;
}

static bool open_map(struct shards *s, const char *dir, json_t *map, struct diag *diag) {
    const char *tensor;
    json_t *file;
    if (!json_is_object(map) || !json_object_size(map)) return diag_error(diag, s->loc, MSG_SHARD_INDEX), false;
    json_object_foreach(map, tensor, file) {
        const char *name = json_string_value(file);
        if (!open_listed(s, dir, tensor, name, diag) || !check_listed(s, tensor, name, diag)) return false;
    }
    return check_listing(s, map, diag);
}

static bool open_index(struct shards *s, const char *dir, const char *path, struct diag *diag) {
    size_t len;
    const char *why;
    s->loc = loc_file(s->arena, path);
    const char *text = file_read(s->arena, path, INDEX_BYTES, &len, &why);
    if (!text) return diag_error_text(diag, s->loc, why), false;
    json_t *root = json_text_object(text, len, s->loc, diag);
    bool ok = root && open_map(s, dir, json_object_get(root, "weight_map"), diag);
    json_decref(root);
    return ok;
}

// ---- interface ----

static struct shards *open_gguf(struct shards *s, const char *path, const struct family_values *values,
                                struct diag *diag) {
    s->loc = loc_file(s->arena, path);
    s->gguf_path = arena_strdup(s->arena, path);
    s->gguf = gguf_model_open(s->arena, path, values, diag);
    return s->gguf ? s : NULL;
}

// If a folder has both model.safetensors and an index, model.safetensors is read.
struct shards *shards_open(struct arena *arena, const char *dir, const struct family_values *values,
                           struct diag *diag) {
    struct shards *s = ARENA_NEW(arena, struct shards);
    const char *one = arena_printf(arena, "%s/model.safetensors", dir),
               *index = arena_printf(arena, "%s/model.safetensors.index.json", dir);
    s->arena = arena;
    if (gguf_is_path(dir)) return open_gguf(s, dir, values, diag);
    s->loc = loc_file(arena, one);
    bool many = access(one, F_OK) != 0 && access(index, F_OK) == 0;
    if (many ? open_index(s, dir, index, diag) : open_shard(s, dir, "model.safetensors", diag)) return s;
    shards_close(s);
    return NULL;
}

void shards_close(struct shards *s) {
    if (s) gguf_model_close(s->gguf);
    for (size_t i = 0; s && i < s->shard.count; i++) safetensors_close(s->shard.items[i].file);
}

int shards_count(const struct shards *s) { return s->gguf ? gguf_model_count(s->gguf) : (int)s->tensor.count; }

const struct safetensors_tensor *shards_at(const struct shards *s, int index) {
    if (s->gguf) return gguf_model_at(s->gguf, index);
    struct place p = s->tensor.items[index];
    return safetensors_at(s->shard.items[p.shard].file, p.index);
}

float *shards_read(struct shards *s, int index, int64_t first, int64_t rows, struct arena *arena, struct diag *diag) {
    if (s->gguf) return gguf_model_read(s->gguf, index, first, rows, arena);
    struct place p = s->tensor.items[index];
    return safetensors_read_rows(s->shard.items[p.shard].file, p.index, first, rows, arena, diag);
}

struct loc shards_loc(const struct shards *s, int index) {
    return index < 0 || s->gguf ? s->loc : s->shard.items[s->tensor.items[index].shard].loc;
}

const char *shards_path(const struct shards *s, int file) {
    if (s->gguf) return file == 0 ? s->gguf_path : NULL;
    return file < (int)s->shard.count ? safetensors_path(s->shard.items[file].file) : NULL;
}
