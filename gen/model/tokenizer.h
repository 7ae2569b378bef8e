// SPDX-License-Identifier: Apache-2.0
// Byte pair encoding: on bytes as GPT-2, Llama 3 and Qwen do it, where any byte string decodes to itself; on characters
// with SentencePiece's ranks or scores as Llama 2 and Gemma do.
#ifndef RILL_TOKENIZER_H
#define RILL_TOKENIZER_H

#include "gen/base/diag.h"

struct tokenizer;

// The files that a tokenizer in a folder may be made of.
enum { TOKENIZER_FILES = 6 };
extern const char *const tokenizer_file[TOKENIZER_FILES];

// Whether source, as of tokenizer_open, has a tokenizer: a folder one of its files, a GGUF file a list of tokens.
bool tokenizer_present(struct arena *arena, const char *source);

// source: a folder with vocab.json and merges.txt, else encoder.json and vocab.bpe, else tokenizer.json; or
// tokenizer.gguf; or a GGUF file. NULL after reporting the error: tokenizers of kinds that are not known here are
// refused by name.
struct tokenizer *tokenizer_open(struct arena *arena, const char *source, struct diag *diag);
// For random weights of any vocabulary size: printable ASCII maps to ids 0..94 (modulo vocab), newline to 95, other
// bytes to (byte modulo vocab); ids above 95 decode to `<id>`. No end-of-text id.
struct tokenizer *tokenizer_open_bytes(struct arena *arena, int64_t vocab);
void tokenizer_close(struct tokenizer *tokenizer); // NULL is fine; the rest belongs to the arena

int64_t tokenizer_vocab(const struct tokenizer *tokenizer); // ids are 0 .. vocab - 1
int64_t tokenizer_eot(const struct tokenizer *tokenizer);   // id of <|endoftext|>, -1: none

int64_t tokenizer_bos(const struct tokenizer *tokenizer); // id that it puts in front of a text, -1: none

struct token_ids {
    uint32_t *items; // in the arena of the tokenizer
    size_t count, capacity;
};
// Appends the ids of a list in decimal, one comma or blanks between them; a blank text has none. False where it is no
// such list.
bool token_ids_read(struct arena *arena, const char *text, struct token_ids *ids);
// Appends the ids of len bytes. specials: `<|endoftext|>` in the text becomes its id, else it is plain text.
// Bytes that are no valid UTF-8 are encoded one by one.
void tokenizer_encode(const struct tokenizer *tokenizer, const char *text, size_t len, bool specials,
                      struct token_ids *ids);
// Appends the ids of a prompt: the end-of-text id, which every text begins behind, and the text's ids. A text that
// begins with
// `<|endoftext|>` gets no second one; a tokenizer without that id adds none.
void tokenizer_encode_prompt(const struct tokenizer *tokenizer, const char *text, size_t len, struct token_ids *ids);
struct chat_template; // gen/spec/chat.h
// Appends the ids of a question in a chat template, ready for the answer. What is wrong, NULL: nothing: a vocabulary
// without the template's token, a text that holds control tokens of its own.
const char *tokenizer_encode_chat(const struct tokenizer *tokenizer, const struct chat_template *chat, const char *text,
                                  struct token_ids *ids);
// Why the answer to a question in this template goes on behind its end; NULL: it does not.
const char *tokenizer_chat_goes_on(const struct tokenizer *tokenizer, const struct chat_template *chat,
                                   const struct end_ids *ends);
// The bytes of one id (not NUL terminated in meaning: they may hold any byte). An id without a token is "".
const char *tokenizer_decode(const struct tokenizer *tokenizer, uint32_t id, size_t *len);

#endif
