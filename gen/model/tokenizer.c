// SPDX-License-Identifier: Apache-2.0
// Opens tokenizers and converts texts to ids and back. This file finds special tokens in a text; tokenizer_split.c and
// tokenizer_merge.c encode the text between them. Loaders read the tokenizer's files (tokenizer_internal.h).
#define _POSIX_C_SOURCE 200809L
#include "gen/model/tokenizer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gen/model/tokenizer_internal.h"

bool token_ids_read(struct arena *arena, const char *text, struct token_ids *ids) {
    const char *p = text + strspn(text, " ");
    while (*p) {
        char *end;
        unsigned long v = strtoul(p, &end, 10); // ULONG_MAX if the number is too large
        if (*p < '0' || *p > '9' || v > UINT32_MAX) return false;
        VEC_PUSH(arena, *ids, (uint32_t)v);
        p = end + strspn(end, " ");
        if (*p == ',') {
            p += 1 + strspn(p + 1, " ");
            if (!*p) return false;
        } else if (*p && p == end) return false;
    }
    return true;
}

// ---- opening and closing ----

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// A folder with any of these files counts as having a tokenizer (tokenizer_present), so that a missing second file is
// reported when the tokenizer is opened.
const char *const tokenizer_file[TOKENIZER_FILES] = {"vocab.json", "merges.txt",     "encoder.json",
                                                     "vocab.bpe",  "tokenizer.json", "tokenizer.gguf"};

bool tokenizer_present(struct arena *arena, const char *source) {
    if (is_file(source)) return tokenizer_in_gguf(arena, source);
    for (size_t i = 0; i < TOKENIZER_FILES; i++)
        if (is_file(arena_printf(arena, "%s/%s", source, tokenizer_file[i]))) return true;
    return false;
}

static bool is_gguf(const char *path) { return is_file(path) || file_has_suffix(path, ".gguf"); }

static struct tokenizer *no_tokenizer(struct arena *arena, const char *source, struct diag *diag) {
    diag_error(diag, loc_file(arena, source), MSG_TOKENIZER_MISSING);
    diag_note(diag, loc_none(), "without a tokenizer, give token ids: `--prompt-ids 1,2,3`");
    return NULL;
}

struct tokenizer *tokenizer_open(struct arena *arena, const char *source, struct diag *diag) {
    if (is_gguf(source)) return tokenizer_load_gguf(arena, source, diag);
    if (!tokenizer_present(arena, source)) return no_tokenizer(arena, source, diag);
    const char *usual = arena_printf(arena, "%s/vocab.json", source),
               *original = arena_printf(arena, "%s/encoder.json", source),
               *json = arena_printf(arena, "%s/tokenizer.json", source),
               *gguf = arena_printf(arena, "%s/tokenizer.gguf", source);
    if (!is_file(usual) && is_file(original))
        return tokenizer_load_files(arena, original, arena_printf(arena, "%s/vocab.bpe", source), diag);
    // GPT-2's two files take precedence over the others. `rill pack` copies the tokenizer's files next to the image, so
    // a simulation and `rill golden` read the same ones.
    if (!is_file(usual) && is_file(json)) return tokenizer_load_json(arena, json, diag);
    if (!is_file(usual) && is_file(gguf)) return tokenizer_load_gguf(arena, gguf, diag);
    return tokenizer_load_files(arena, usual, arena_printf(arena, "%s/merges.txt", source), diag);
}

struct tokenizer *tokenizer_open_bytes(struct arena *arena, int64_t vocab) {
    enum { PRINTABLE = 95 /* ids of the printable characters, from ' ' */, NEWLINE = 95 /* id of '\n' */ };
    if (vocab < 1) base_fatal("tokenizer: vocabulary of %" PRId64, vocab);
    struct tokenizer *t = ARENA_NEW(arena, struct tokenizer);
    t->arena = arena;
    t->vocab = (size_t)vocab;
    t->eot = t->begin = t->unknown = -1;
    t->tokens = ARENA_ARRAY(arena, struct tokenizer_token, t->vocab);
    for (size_t id = 0; id < t->vocab; id++) {
        const char *text = id < PRINTABLE  ? arena_printf(arena, "%c", (int)(' ' + id))
                           : id == NEWLINE ? "\n"
                                           : arena_printf(arena, "<%zu>", id);
        t->tokens[id] = (struct tokenizer_token){text, strlen(text), TOKENIZER_NONE};
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        bool printable = byte >= ' ' && byte < ' ' + PRINTABLE;
        t->byte_id[byte] = (uint32_t)((printable ? byte - ' ' : byte == '\n' ? NEWLINE : byte) % t->vocab);
    }
    return t;
}

void tokenizer_close(struct tokenizer *t) {
    if (!t) return;
    pcre2_match_data_free(t->match);
    t->match = NULL;
    while (t->stages > 0) pcre2_code_free(t->stage[--t->stages]);
}

// ---- specials: texts that become one id wherever they occur ----

// The state of a search for specials in a text.
struct walk {
    const struct tokenizer *t;
    // control: the search also finds control specials. normalized: the text is normalized, so the search finds only
    // normalized specials; otherwise it finds only the others.
    bool control, normalized;
    bool first[256];              // the bytes with which these specials begin
    enum tokenizer_before before; // kind of the last special that was found
    struct token_ids *ids;        // the ids of the text so far
};

// Returns the longest special that begins here, or NULL.
static const struct tokenizer_special *special_at(const struct walk *w, const char *text, size_t len) {
    const struct tokenizer_special *best = NULL;
    for (size_t i = 0; i < w->t->specials.count; i++) {
        const struct tokenizer_special *s = &w->t->specials.items[i];
        if (s->normalized != w->normalized || (s->control && !w->control)) continue;
        if (s->len > (best ? best->len : 0) && s->len <= len && !memcmp(s->text, text, s->len)) best = s;
    }
    return best;
}

static struct walk begin_walk(const struct tokenizer *t, bool control, bool normalized, struct token_ids *ids) {
    struct walk w = {.t = t, .control = control, .normalized = normalized, .ids = ids};
    for (size_t i = 0; i < t->specials.count; i++)
        if (t->specials.items[i].normalized == normalized) w.first[(unsigned char)t->specials.items[i].text[0]] = true;
    return w;
}

// Returns whether there is a stretch to encode. An empty stretch counts if SentencePiece puts a space there
// (TOKENIZER_PREFIX_TEXT). It does so at the beginning of a text and after a control special, if another kind of
// special follows (symbol_follows).
static bool has_stretch(const struct tokenizer *t, size_t len, enum tokenizer_before before, bool symbol_follows) {
    return len > 0 || (symbol_follows && t->prefix == TOKENIZER_PREFIX_TEXT && before != TOKENIZER_SYMBOL);
}

// Handles the text between two specials.
typedef void stretch_function(const struct walk *, const char *text, size_t len);

// Replaces the specials of a text by their ids and passes the stretches between them to `stretch`.
static void walk_specials(struct walk *w, const char *text, size_t len, stretch_function *stretch) {
    size_t begin = 0;
    for (size_t at = 0; at < len;) {
        const struct tokenizer_special *s =
            w->first[(unsigned char)text[at]] ? special_at(w, text + at, len - at) : NULL;
        if (!s) {
            at++;
            continue;
        }
        if (has_stretch(w->t, at - begin, w->before, !s->control)) stretch(w, text + begin, at - begin);
        tokenizer_push(w->t, w->ids, s->id);
        begin = at += s->len;
        w->before = s->control ? TOKENIZER_CONTROL : TOKENIZER_SYMBOL;
    }
    if (has_stretch(w->t, len - begin, w->before, false)) stretch(w, text + begin, len - begin);
}

static void encode_stretch(const struct walk *w, const char *text, size_t len) {
    tokenizer_encode_text(w->t, text, len, w->before, w->ids);
}

// Normalizes a stretch and searches it for normalized specials.
static void encode_normalized(const struct walk *w, const char *text, size_t len) {
    struct walk inner = begin_walk(w->t, w->control, true, w->ids);
    struct text normal = {0};
    tokenizer_add_normal(w->t, text, len, &normal);
    inner.before = w->before;
    walk_specials(&inner, text_cstr(&normal), normal.len, encode_stretch);
    text_free(&normal);
}

void tokenizer_encode(const struct tokenizer *t, const char *text, size_t len, bool specials, struct token_ids *ids) {
    struct walk w = begin_walk(t, specials, false, ids);
    walk_specials(&w, text, len, t->normalized_specials ? encode_normalized : encode_stretch);
}

void tokenizer_encode_prompt(const struct tokenizer *t, const char *text, size_t len, struct token_ids *ids) {
    const struct tokenizer_token *begin = t->begin >= 0 ? &t->tokens[t->begin] : NULL;
    bool marked = begin && len >= begin->len && memcmp(text, begin->bytes, begin->len) == 0;
    if (begin && !marked) tokenizer_push(t, ids, (uint32_t)t->begin);
    tokenizer_encode(t, text, len, true, ids);
}

// ---- the rest ----

const char *tokenizer_decode(const struct tokenizer *t, uint32_t id, size_t *len) {
    static const struct tokenizer_token none = {"", 0, 0};
    const struct tokenizer_token *token = id < t->vocab ? &(t->shown ? t->shown : t->tokens)[id] : &none;
    if (!token->bytes) token = &none;
    *len = token->len;
    return token->bytes;
}

int64_t tokenizer_vocab(const struct tokenizer *t) { return (int64_t)t->vocab; }

static bool is_special(const struct tokenizer *t, size_t id) {
    for (size_t i = 0; i < t->specials.count; i++)
        if (t->specials.items[i].id == id) return true;
    return false;
}

int64_t tokenizer_plain_vocab(const struct tokenizer *t) {
    size_t ids = t->vocab;
    while (ids > 0 && (!t->tokens[ids - 1].bytes || is_special(t, ids - 1))) ids--;
    return (int64_t)ids;
}

struct tokenizer *tokenizer_try(struct arena *arena, const char *source, const char **why) {
    struct diag diag;
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    if (!out) base_fatal("out of memory");
    diag_init(&diag, out);
    struct tokenizer *t = tokenizer_open(arena, source, &diag);
    fclose(out);
    char *line = strstr(text, "error: ");
    *why = line ? arena_strndup(arena, line + 7, strcspn(line + 7, "\n")) : "";
    free(text);
    return t;
}

int64_t tokenizer_eot(const struct tokenizer *t) { return t->eot; }
int64_t tokenizer_bos(const struct tokenizer *t) { return t->begin; }
