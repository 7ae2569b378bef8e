// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the files of the tokenizer. A loader (tokenizer_files.c, tokenizer_json.c, tokenizer_gguf.c)
// fills struct tokenizer through the builder below; tokenizer.c, tokenizer_split.c and tokenizer_merge.c use the
// result.
#ifndef RILL_TOKENIZER_INTERNAL_H
#define RILL_TOKENIZER_INTERNAL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "gen/model/tokenizer.h"
#include "gen/base/yaml.h"

#define TOKENIZER_SPACE "\xe2\x96\x81" // U+2581 replaces a space in SentencePiece's vocabularies
// TOKENIZER_MAX_STAGES: most splittings of a tokenizer. TOKENIZER_MAX_IDS: most ids. TOKENIZER_MAX_BYTES: size of the
// largest file that is read.
enum { TOKENIZER_MAX_STAGES = 4, TOKENIZER_MAX_IDS = 1 << 22, TOKENIZER_MAX_BYTES = 64 << 20 };
#define TOKENIZER_NONE UINT32_MAX // no id, no rank

// The symbols into which a piece of text is first cut, and the adjacent symbols that are then merged.
enum tokenizer_model {
    TOKENIZER_PLAIN,     // one id per byte, no merges
    TOKENIZER_BYTE_BPE,  // bytes; merges by rank
    TOKENIZER_CHAR_BPE,  // characters; merges by rank
    TOKENIZER_CHAR_SCORE // characters; merges adjacent symbols whose text is a token, best score first
};

// The stretches before which a space is put. A stretch is the text between two specials. EACH: every stretch. TEXT: the
// stretches at the beginning of a text or after a control special. FIRST: a stretch at the beginning of a text, unless
// it begins with a space.
enum tokenizer_prefix { TOKENIZER_NO_PREFIX, TOKENIZER_PREFIX_EACH, TOKENIZER_PREFIX_TEXT, TOKENIZER_PREFIX_FIRST };
// The kind of thing that precedes a stretch of text: nothing, a control special, or another special.
enum tokenizer_before { TOKENIZER_NOTHING, TOKENIZER_CONTROL, TOKENIZER_SYMBOL };

struct tokenizer_token {
    const char *bytes; // NULL: no token has this id
    size_t len;
    uint32_t rank; // with scores: the number of different better scores; TOKENIZER_NONE: never the result of a merge
};

// A rule by which two adjacent ids become one. The pair with the lowest rank is merged first.
struct tokenizer_merge {
    uint32_t left, right, merged, rank;
};

// A text that becomes one id wherever it occurs. A control special counts only if the caller trusts the text. A
// normalized special is searched for in the normalized text between the other specials.
struct tokenizer_special {
    uint32_t id;
    bool control, normalized;
    const char *text; // text to search for
    size_t len;
};

struct tokenizer_name { // entry of a hash table from the bytes of a token to its id
    const char *bytes;  // NULL: free
    size_t len;
    uint32_t id;
};

struct tokenizer {
    struct arena *arena;
    enum tokenizer_model model;
    size_t vocab;                   // number of ids
    struct tokenizer_token *tokens; // [vocab]
    struct tokenizer_name *names;   // open hash table
    size_t name_slots;              // a power of two
    // With BYTE_BPE and PLAIN: the id of each byte. Otherwise: the ids for the bytes of a character without a token.
    // TOKENIZER_NONE: the byte has no id.
    uint32_t byte_id[256];
    bool byte_fallback;             // byte_id has an id for every byte
    int64_t unknown, eot, begin;    // ids; -1: none. begin: every prompt starts with it
    struct tokenizer_merge *merges; // open hash table, rank TOKENIZER_NONE: free
    size_t merge_slots;             // a power of two
    bool fuses_unknown;             // adjacent unknown characters become one id
    bool normalized_specials;       // there are normalized specials
    bool whole;                     // a piece that is a token becomes that id without merging
    bool nfc, marks_space;          // nfc: the text is composed; marks_space: its spaces become TOKENIZER_SPACE
    enum tokenizer_prefix prefix;
    struct tokenizer_token *shown; // [vocab]: the texts that ids decode to; NULL: those of `tokens`
    VEC(struct tokenizer_special) specials;
    // Regular expressions, each of which splits the pieces of the previous one. Without any, a stretch is one piece.
    pcre2_code *stage[TOKENIZER_MAX_STAGES];
    int stages;
    pcre2_match_data *match; // result of a match, used again and again
};

// ---- building -----------------------------------------------------------------------------------

struct tokenizer_builder {
    struct arena *arena;
    struct tokenizer *t;
    struct diag *diag;
    struct loc loc;                            // the file being read
    uint32_t merge_rank;                       // rank of the next merge
    const struct yaml_node *splittings, *gguf; // parts of families/tokenizer/splittings.yaml
    const char *end_of_text;                   // text of GPT-2's end-of-text token, from the same file
};

// Begins a builder. Loaders must then call tokenizer_read_table, which returns false after an error.
struct tokenizer_builder tokenizer_begin(struct arena *arena, struct diag *diag, struct loc loc);
// Makes room for ids 0 .. vocab - 1. Returns false after an error.
bool tokenizer_reserve(struct tokenizer_builder *b, size_t vocab);
// Sets the bytes of an id, which must be in range. Returns false after an error if the id already has a token. If two
// ids have equal texts, look-ups find the id that was put first.
bool tokenizer_put(struct tokenizer_builder *b, uint32_t id, struct tokenizer_token token);
// These make the token of an id a special, unless its text is empty. The second one makes a normalized special.
void tokenizer_put_special(struct tokenizer_builder *b, uint32_t id, bool control);
void tokenizer_put_normalized(struct tokenizer_builder *b, uint32_t id, bool control);
// Returns the id of a text, or TOKENIZER_NONE.
uint32_t tokenizer_find(const struct tokenizer *t, const char *bytes, size_t len);
// Converts a text in the byte alphabet (tokenizer_build.c) to its bytes. Any other text stays as it is.
struct tokenizer_token tokenizer_from_alphabet(struct arena *arena, const char *text, size_t len);
// Makes room for `count` merges. tokenizer_put_merge then adds each merge, best first, given as the bytes of its two
// sides. It returns false after an error: a side or the result is not a token. where: for messages ("line 7").
void tokenizer_reserve_merges(struct tokenizer_builder *b, size_t count);
bool tokenizer_put_merge(struct tokenizer_builder *b, struct tokenizer_token left, struct tokenizer_token right,
                         const char *where);
// These find the ids of bytes (byte_id). tokenizer_find_bytes uses tokens of one byte (of the alphabet): printable
// ASCII must have them, and a byte without one is left out of texts (SmolLM2 has none for some control bytes).
// tokenizer_find_fallback uses tokens written <0x00> to <0xFF>. tokenizer_find_bytes returns false after an error.
bool tokenizer_find_bytes(struct tokenizer_builder *b);
void tokenizer_find_fallback(struct tokenizer_builder *b);
// Derives ranks from scores: the best score has rank 0, equal scores share a rank. Returns false after an error: a
// score is NaN.
bool tokenizer_set_scores(struct tokenizer_builder *b, const double score[]);
// These set how texts are split. tokenizer_read_table reads the data of families/tokenizer, tokenizer_add_stage adds
// one splitting by its name, and tokenizer_split_as adds those of a GGUF file by its `tokenizer.ggml.pre`. *begins: 1
// if `bos` precedes a text in files that do not say so. They return false after an error.
bool tokenizer_read_table(struct tokenizer_builder *b);
bool tokenizer_add_stage(struct tokenizer_builder *b, const char *name);
bool tokenizer_split_as(struct tokenizer_builder *b, const char *pre, int64_t *begins);
// Finishes the tokenizer and finds what ids decode to. Must be called last.
struct tokenizer *tokenizer_finish(struct tokenizer_builder *b);
// Returns the name of a splitting by its regular expression in a tokenizer.json file, or NULL if it is unknown.
const char *tokenizer_splitting_of(const struct tokenizer_builder *b, const char *expression);
// Adds a note with the keys of the table, or with the one that is probably meant.
void tokenizer_note_known(const struct tokenizer_builder *b, const struct yaml_node *map, const char *word);

// Loaders. They return NULL after an error.
struct tokenizer *tokenizer_load_files(struct arena *arena, const char *vocabulary, const char *merges, struct diag *);
struct tokenizer *tokenizer_load_json(struct arena *arena, const char *path, struct diag *);
struct tokenizer *tokenizer_load_gguf(struct arena *arena, const char *path, struct diag *);
bool tokenizer_in_gguf(struct arena *arena, const char *path); // false: the file was read and has no list of tokens

// ---- using --------------------------------------------------------------------------------------

// Returns the first slot of a pair in the hash table of merges.
static inline size_t tokenizer_merge_slot(const struct tokenizer *t, uint32_t left, uint32_t right) {
    uint64_t key = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
    return (size_t)(key >> 32) & (t->merge_slots - 1);
}

// Returns the entry of a pair, or the free entry for it.
static inline struct tokenizer_merge *tokenizer_merge_place(const struct tokenizer *t, uint32_t left, uint32_t right) {
    size_t i = tokenizer_merge_slot(t, left, right);
    while (t->merges[i].rank != TOKENIZER_NONE && (t->merges[i].left != left || t->merges[i].right != right))
        i = (i + 1) & (t->merge_slots - 1);
    return &t->merges[i];
}

// Returns the number of bytes of the character that begins here, or 0 if it is not valid UTF-8 (overlong, surrogate,
// above 0x10ffff, incomplete).
size_t tokenizer_character(const unsigned char *text, size_t len);
// Splits a text without specials into pieces and merges the symbols of each piece (tokenizer_merge_piece). Both
// functions append the ids.
void tokenizer_encode_text(const struct tokenizer *t, const char *text, size_t len, enum tokenizer_before before,
                           struct token_ids *ids);
void tokenizer_merge_piece(const struct tokenizer *t, const char *piece, size_t len, struct token_ids *ids);
// Appends the text, composed (NFC) if the tokenizer does so.
void tokenizer_add_normal(const struct tokenizer *t, const char *text, size_t len, struct text *out);
// Appends an id.
void tokenizer_push(const struct tokenizer *t, struct token_ids *ids, uint32_t id);

#endif
