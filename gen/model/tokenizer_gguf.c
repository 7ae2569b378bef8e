// SPDX-License-Identifier: Apache-2.0
// Loads the tokenizer in a GGUF file's metadata: byte-level BPE with a named splitting, or SentencePiece with scores.
#include <inttypes.h>
#include <string.h>

#include "gen/model/gguf.h"
#include "gen/model/tokenizer_internal.h"

enum { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE }; // values of tokenizer.ggml.token_type

struct loader {
    struct tokenizer_builder b;
    const struct gguf *file;
    int64_t *type; // [vocab]: token_type of each id
};

static int64_t integer_of(const struct loader *l, const char *key, int64_t preset) {
    const struct gguf_value *v = gguf_find(l->file, key);
    return v && (v->kind == GGUF_INT || v->kind == GGUF_BOOL) ? v->integer : preset;
}

// Returns a list of `count` elements (0: of any length), or NULL after an error.
static const struct gguf_value *list_of(struct loader *l, const char *key, uint64_t count) {
    const struct gguf_value *v = gguf_find(l->file, key);
    if (v && v->kind == GGUF_ARRAY && (!count || v->count == count)) return v;
    const char *why = !v ? "missing" : count ? "not a list with one element per token" : "not a list";
    diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_GGUF_KEY, key, why);
    return NULL;
}

// ---- tokens ----

// Returns the bytes of a token. With byte-level BPE, the texts of normal tokens are in the byte alphabet.
static struct tokenizer_token token_of(struct loader *l, uint32_t id, struct gguf_text text) {
    if (l->b.t->model == TOKENIZER_BYTE_BPE && l->type[id] == NORMAL)
        return tokenizer_from_alphabet(l->b.arena, text.data, text.len);
    char *bytes = arena_alloc(l->b.arena, text.len + 1, 1);
    memcpy(bytes, text.data, text.len);
    return (struct tokenizer_token){bytes, text.len, TOKENIZER_NONE};
}

// Checks that no earlier token has the same text. Like llama.cpp, Rill refuses such files, because it is not defined to
// which of the ids the text is encoded. Tokens with equal bytes but different texts are legal (only normal tokens are
// written in the byte alphabet), and so is any number of tokens with an empty text.
static bool is_new(struct loader *l, const struct gguf_text *texts, uint32_t id) {
    struct tokenizer_token token = token_of(l, id, texts[id]);
    uint32_t other = tokenizer_find(l->b.t, token.bytes, token.len);
    if (other == TOKENIZER_NONE || !texts[id].len || texts[other].len != texts[id].len ||
        memcmp(texts[other].data, texts[id].data, texts[id].len) != 0)
        return true;
    diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_TEXT_TWICE, other, id, (int)(texts[id].len < 80 ? texts[id].len : 80),
               texts[id].data);
    return false;
}

static bool add_tokens(struct loader *l, const struct gguf_value *list) {
    struct gguf_text *texts = ARENA_ARRAY(l->b.arena, struct gguf_text, list->count);
    if (!gguf_texts(list, list->count, texts)) return diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_GGUF_TOKENS), false;
    for (uint32_t id = 0; id < list->count; id++) {
        if (!is_new(l, texts, id)) return false;
        if (!tokenizer_put(&l->b, id, token_of(l, id, texts[id]))) return false;
        if (l->type[id] == CONTROL || l->type[id] == USER_DEFINED)
            tokenizer_put_special(&l->b, id, l->type[id] == CONTROL);
    }
    return true;
}

static bool read_types(struct loader *l, uint64_t vocab) {
    l->type = ARENA_ARRAY(l->b.arena, int64_t, vocab);
    for (uint64_t i = 0; i < vocab; i++) l->type[i] = NORMAL;
    if (!gguf_find(l->file, "tokenizer.ggml.token_type")) return true;
    const struct gguf_value *list = list_of(l, "tokenizer.ggml.token_type", vocab);
    if (!list) return false;
    if (gguf_integers(list, 0, vocab, l->type)) return true;
    return diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_GGUF_TYPES), false;
}

static bool read_tokens(struct loader *l) {
    const struct gguf_value *list = list_of(l, "tokenizer.ggml.tokens", 0);
    if (!list || !tokenizer_reserve(&l->b, list->count)) return false;
    return read_types(l, list->count) && add_tokens(l, list);
}

// ---- the two kinds ----

static bool add_merge(struct loader *l, struct gguf_text pair, uint64_t line) {
    const char *space = pair.len > 1 ? memchr(pair.data + 1, ' ', pair.len - 1) : NULL;
    const char *where = arena_printf(l->b.arena, "merge %" PRIu64, line);
    if (!space) return diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_MERGE, where), false;
    uint64_t left = (uint64_t)(space - pair.data);
    return tokenizer_put_merge(&l->b, tokenizer_from_alphabet(l->b.arena, pair.data, left),
                               tokenizer_from_alphabet(l->b.arena, space + 1, pair.len - left - 1), where);
}

static bool read_merges(struct loader *l) {
    const struct gguf_value *list = list_of(l, "tokenizer.ggml.merges", 0);
    if (!list) return false;
    if (list->count > TOKENIZER_MAX_IDS)
        return diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_GGUF_MANY, list->count, TOKENIZER_MAX_IDS), false;
    struct gguf_text *pairs = ARENA_ARRAY(l->b.arena, struct gguf_text, list->count + 1);
    if (!gguf_texts(list, list->count, pairs)) return diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_GGUF_MERGES), false;
    tokenizer_reserve_merges(&l->b, list->count);
    for (uint64_t i = 0; i < list->count; i++)
        if (!add_merge(l, pairs[i], i)) return false;
    return true;
}

static bool choose_splitting(struct loader *l, int64_t *begins) {
    const struct gguf_value *v = gguf_find(l->file, "tokenizer.ggml.pre");
    struct gguf_text name = v && v->kind == GGUF_STRING ? v->text : (struct gguf_text){"", 0};
    if (!v) {
        diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_GGUF_PRE);
        diag_note(l->b.diag, loc_none(),
                  "the file was converted by an old program; convert it again, or give token ids");
        return false;
    }
    return tokenizer_split_as(&l->b, arena_strndup(l->b.arena, name.data, name.len), begins);
}

// Reads byte-level BPE. *begins: 1 if a text begins with `bos` unless the file says otherwise.
static bool read_byte_level(struct loader *l, int64_t *begins) {
    return choose_splitting(l, begins) && read_tokens(l) && read_merges(l) && tokenizer_find_bytes(&l->b);
}

// Marks the tokens that are never the result of a merge.
static void exclude(struct loader *l) {
    for (size_t id = 0; id < l->b.t->vocab; id++)
        if (l->type[id] == CONTROL || l->type[id] == UNKNOWN || l->type[id] == UNUSED || l->type[id] == BYTE)
            l->b.t->tokens[id].rank = TOKENIZER_NONE;
}

// Reads a SentencePiece tokenizer with scores. *begins becomes 1, because texts begin with `bos` unless the file says
// otherwise.
static bool read_sentencepiece(struct loader *l, int64_t *begins) {
    struct tokenizer *t = l->b.t;
    t->model = TOKENIZER_CHAR_SCORE;
    t->marks_space = true;
    bool prefix = integer_of(l, "tokenizer.ggml.add_space_prefix", 1) != 0;
    t->prefix = prefix ? TOKENIZER_PREFIX_TEXT : TOKENIZER_NO_PREFIX;
    *begins = 1;
    if (!read_tokens(l)) return false;
    const struct gguf_value *list = list_of(l, "tokenizer.ggml.scores", t->vocab);
    double *score = ARENA_ARRAY(l->b.arena, double, t->vocab);
    if (!list) return false;
    if (!gguf_numbers(list, 0, t->vocab, score))
        return diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_GGUF_SCORES), false;
    if (!tokenizer_set_scores(&l->b, score)) return false;
    exclude(l);
    tokenizer_find_fallback(&l->b);
    return true;
}

// ---- the whole ----

static int64_t id_of(const struct loader *l, const char *key) {
    int64_t id = integer_of(l, key, -1);
    return id >= 0 && (uint64_t)id < l->b.t->vocab ? id : -1;
}

static bool read_model(struct loader *l, int64_t *begins) {
    const struct gguf_value *v = gguf_find(l->file, "tokenizer.ggml.model");
    struct gguf_text name = v && v->kind == GGUF_STRING ? v->text : (struct gguf_text){"", 0};
    if (gguf_text_is(name, "gpt2")) return read_byte_level(l, begins);
    if (gguf_text_is(name, "llama")) return read_sentencepiece(l, begins);
    diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_GGUF_MODEL, (int)(name.len < 80 ? name.len : 80), name.data);
    return false;
}

static struct tokenizer *load(struct loader *l) {
    int64_t begins = 0;
    if (!tokenizer_read_table(&l->b) || !read_model(l, &begins)) return tokenizer_close(l->b.t), NULL;
    l->b.t->eot = id_of(l, "tokenizer.ggml.eos_token_id");
    if (l->b.t->model != TOKENIZER_BYTE_BPE) l->b.t->unknown = id_of(l, "tokenizer.ggml.unknown_token_id");
    if (integer_of(l, "tokenizer.ggml.add_bos_token", begins)) l->b.t->begin = id_of(l, "tokenizer.ggml.bos_token_id");
    return tokenizer_finish(&l->b);
}

struct tokenizer *tokenizer_load_gguf(struct arena *arena, const char *path, struct diag *diag) {
    struct gguf *file = gguf_open(arena, path, diag);
    if (!file) return NULL;
    struct loader l = {.b = tokenizer_begin(arena, diag, loc_file(arena, path)), .file = file};
    struct tokenizer *t = load(&l);
    gguf_close(file);
    return t;
}

bool tokenizer_in_gguf(struct arena *arena, const char *path) {
    struct diag silent;
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere) return true; // without /dev/null, only the loader can tell
    diag_init(&silent, nowhere);
    struct gguf *file = gguf_open(arena, path, &silent);
    bool has = !file || gguf_find(file, "tokenizer.ggml.tokens");
    gguf_close(file);
    fclose(nowhere);
    return has;
}
