// SPDX-License-Identifier: Apache-2.0
// What the files of the tokenizer share. A loader (tokenizer_files.c, tokenizer_json.c, tokenizer_gguf.c) fills struct
// tokenizer through the builder below; tokenizer.c, tokenizer_split.c and tokenizer_merge.c use it.
#ifndef RILL_TOKENIZER_INTERNAL_H
#define RILL_TOKENIZER_INTERNAL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "gen/model/tokenizer.h"
#include "gen/base/yaml.h"

#define TOKENIZER_SPACE "\xe2\x96\x81" // U+2581 stands for a space in SentencePiece's vocabularies
enum { TOKENIZER_MAX_STAGES = 4, TOKENIZER_MAX_IDS = 1 << 22, TOKENIZER_MAX_BYTES = 64 << 20 };
#define TOKENIZER_NONE UINT32_MAX

// How a piece of text begins, and which neighbours become one.
enum tokenizer_model {
    TOKENIZER_PLAIN,     // an id per byte, nothing is merged
    TOKENIZER_BYTE_BPE,  // bytes; merges by rank
    TOKENIZER_CHAR_BPE,  // characters; merges by rank
    TOKENIZER_CHAR_SCORE // characters; any neighbours whose text is a token, best score first
};

// A space that is put before a text: before every stretch between specials; before those that begin a text or follow a
// control special; or before the first alone, if it has none.
enum tokenizer_prefix { TOKENIZER_NO_PREFIX, TOKENIZER_PREFIX_EACH, TOKENIZER_PREFIX_TEXT, TOKENIZER_PREFIX_FIRST };
// What stands before a stretch of text.
enum tokenizer_before { TOKENIZER_NOTHING, TOKENIZER_CONTROL, TOKENIZER_SYMBOL };

struct tokenizer_token {
    const char *bytes; // NULL: no token has this id
    size_t len;
    uint32_t rank; // of its score among all; TOKENIZER_NONE: nothing is merged to it
};

// Two adjacent ids become one; the lower rank goes first.
struct tokenizer_merge {
    uint32_t left, right, merged, rank;
};

// A text that becomes one id wherever it stands. Control ones only where the caller trusts the text.
struct tokenizer_special {
    uint32_t id;
    bool control;
};

struct tokenizer_name { // of a hash table: from the bytes of a token to its id
    const char *bytes;  // NULL: free
    size_t len;
    uint32_t id;
};

struct tokenizer {
    struct arena *arena;
    enum tokenizer_model model;
    size_t vocab;
    struct tokenizer_token *tokens; // [vocab]
    struct tokenizer_name *names;
    size_t name_slots;           // a power of two
    uint32_t byte_id[256];       // of BYTE_BPE and PLAIN; of the others what stands for a byte of an unknown character
    bool byte_fallback;          // byte_id holds all of them
    int64_t unknown, eot, begin; // ids; -1: none. begin: every prompt starts with it
    struct tokenizer_merge *merges; // open hash table, rank TOKENIZER_NONE: free
    size_t merge_slots;             // a power of two
    bool whole;                     // a piece that is a token becomes it without merging
    bool nfc, marks_space;          // the text is composed; its spaces become TOKENIZER_SPACE
    enum tokenizer_prefix prefix;
    struct tokenizer_token *shown; // [vocab] what an id reads as, where that is not its text; NULL: all as they are
    VEC(struct tokenizer_special) specials;
    pcre2_code *stage[TOKENIZER_MAX_STAGES]; // each splits the pieces of the one before; none: one piece
    int stages;
    pcre2_match_data *match;
};

// ---- building -----------------------------------------------------------------------------------

struct tokenizer_builder {
    struct arena *arena;
    struct tokenizer *t;
    struct diag *diag;
    struct loc loc; // of the file being read
    uint32_t merge_rank;
    const struct yaml_node *splittings, *gguf; // of families/tokenizer/splittings.yaml
    const char *end_of_text;
};

// Loaders call tokenizer_read_table next: false after an error.
struct tokenizer_builder tokenizer_begin(struct arena *arena, struct diag *diag, struct loc loc);
// Room for ids 0 .. vocab - 1. False after an error.
bool tokenizer_reserve(struct tokenizer_builder *b, size_t vocab);
// Bytes of an id, which must be free and inside. Of equal texts the first one is found again.
bool tokenizer_put(struct tokenizer_builder *b, uint32_t id, struct tokenizer_token token);
void tokenizer_put_special(struct tokenizer_builder *b, uint32_t id, bool control);
// Where the text's id is found; TOKENIZER_NONE: no token.
uint32_t tokenizer_find(const struct tokenizer *t, const char *bytes, size_t len);
// A text of the byte alphabet to its bytes; any other text stands for itself.
struct tokenizer_token tokenizer_from_alphabet(struct arena *arena, const char *text, size_t len);
// Room for so many merges, then each: two texts, as bytes. where: for the message ("line 7").
void tokenizer_reserve_merges(struct tokenizer_builder *b, size_t count);
bool tokenizer_put_merge(struct tokenizer_builder *b, struct tokenizer_token left, struct tokenizer_token right,
                         const char *where);
// Byte ids from tokens of one byte (of the alphabet): printable ASCII must have them, what has none is left out of a
// text (SmolLM2 has none for some control bytes); or from tokens written <0x00> to <0xFF>.
bool tokenizer_find_bytes(struct tokenizer_builder *b);
void tokenizer_find_fallback(struct tokenizer_builder *b);
// Ranks from scores: the best first, equal ones share a rank. NaN is refused.
bool tokenizer_set_scores(struct tokenizer_builder *b, const double score[]);
// How texts are split: the data of families/tokenizer, one splitting of them by its name, those of a GGUF file by its
// `tokenizer.ggml.pre`. begins: 1 where `bos` stands in front if the file does not say. False after an error.
bool tokenizer_read_table(struct tokenizer_builder *b);
bool tokenizer_add_stage(struct tokenizer_builder *b, const char *name);
bool tokenizer_split_as(struct tokenizer_builder *b, const char *pre, int64_t *begins);
// To be called last: what ids read as.
struct tokenizer *tokenizer_finish(struct tokenizer_builder *b);
// The name of a regular expression that tokenizer.json files spell out; NULL: not known.
const char *tokenizer_splitting_of(const struct tokenizer_builder *b, const char *expression);
// Notes which keys of the table there are, or the one that is meant.
void tokenizer_note_known(const struct tokenizer_builder *b, const struct yaml_node *map, const char *word);

// Loaders; NULL after reporting.
struct tokenizer *tokenizer_load_files(struct arena *arena, const char *vocabulary, const char *merges, struct diag *);
struct tokenizer *tokenizer_load_json(struct arena *arena, const char *path, struct diag *);
struct tokenizer *tokenizer_load_gguf(struct arena *arena, const char *path, struct diag *);
bool tokenizer_in_gguf(struct arena *arena, const char *path); // false: read, and no list of tokens

// ---- using --------------------------------------------------------------------------------------

static inline size_t tokenizer_merge_slot(const struct tokenizer *t, uint32_t left, uint32_t right) {
    uint64_t key = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
    return (size_t)(key >> 32) & (t->merge_slots - 1);
}

// The entry of a pair, or the free one where it belongs.
static inline struct tokenizer_merge *tokenizer_merge_place(const struct tokenizer *t, uint32_t left, uint32_t right) {
    size_t i = tokenizer_merge_slot(t, left, right);
    while (t->merges[i].rank != TOKENIZER_NONE && (t->merges[i].left != left || t->merges[i].right != right))
        i = (i + 1) & (t->merge_slots - 1);
    return &t->merges[i];
}

// Bytes of the character that starts here, 0 when they are no valid UTF-8 (overlong, surrogate, above 0x10ffff, cut).
size_t tokenizer_character(const unsigned char *text, size_t len);
// Splits a text without specials and merges its pieces.
void tokenizer_encode_text(const struct tokenizer *t, const char *text, size_t len, enum tokenizer_before before,
                           struct token_ids *ids);
void tokenizer_merge_piece(const struct tokenizer *t, const char *piece, size_t len, struct token_ids *ids);
void tokenizer_push(const struct tokenizer *t, struct token_ids *ids, uint32_t id);

#endif
