// SPDX-License-Identifier: Apache-2.0
// Converts texts to ids and back by byte pair encoding, of which there are two kinds. Tokenizers of GPT-2, Llama 3 and
// Qwen encode bytes, and so any text. Those of Llama 2 and Gemma encode characters, with the ranks or scores of
// SentencePiece.
#ifndef RILL_TOKENIZER_H
#define RILL_TOKENIZER_H

#include "gen/base/diag.h"

struct tokenizer;

// Names of the files in a folder that a tokenizer may consist of.
enum { TOKENIZER_FILES = 6 };
extern const char *const tokenizer_file[TOKENIZER_FILES];

// Returns whether `source` (as for tokenizer_open) has a tokenizer: one of the files above in a folder, or a list of
// tokens in a GGUF file.
bool tokenizer_present(struct arena *arena, const char *source);

// Opens a tokenizer. source: a GGUF file, or a folder with vocab.json and merges.txt, else encoder.json and vocab.bpe,
// else tokenizer.json, else tokenizer.gguf. Returns NULL after an error. An unsupported kind of tokenizer is an error
// that names it.
struct tokenizer *tokenizer_open(struct arena *arena, const char *source, struct diag *diag);
// Makes a tokenizer for random weights of any vocabulary size: printable ASCII has ids 0 to 94, newline has 95, and any
// other byte has its value, all modulo vocab. Ids above 95 decode to `<id>`. There is no end-of-text id.
struct tokenizer *tokenizer_open_bytes(struct arena *arena, int64_t vocab);
// Like tokenizer_open, but reports nothing. If it returns NULL, *why is the message of the first error, in the arena.
// Otherwise *why is "".
struct tokenizer *tokenizer_try(struct arena *arena, const char *source, const char **why);
void tokenizer_close(struct tokenizer *tokenizer); // NULL is fine; other memory belongs to the arena

int64_t tokenizer_vocab(const struct tokenizer *tokenizer); // ids are 0 .. vocab - 1
// Returns the largest id of a token that is not special, plus 1: a text without special tokens has only ids below it.
int64_t tokenizer_plain_vocab(const struct tokenizer *tokenizer);
int64_t tokenizer_eot(const struct tokenizer *tokenizer); // id that ends a text, as <|endoftext|> does; -1: none

int64_t tokenizer_bos(const struct tokenizer *tokenizer); // id that the tokenizer puts before a text; -1: none

struct token_ids {
    uint32_t *items; // in the arena of the tokenizer, or of token_ids_read
    size_t count, capacity;
};
// Appends the ids of a list of decimal numbers below 2^32, separated by single commas or blanks. A blank text has none.
// Returns false if the text is not such a list; some ids may have been appended then.
bool token_ids_read(struct arena *arena, const char *text, struct token_ids *ids);
// Appends the ids of len bytes. specials: control tokens such as `<|endoftext|>` in the text become their ids;
// otherwise they are plain text. Bytes that are not valid UTF-8 are encoded one by one.
void tokenizer_encode(const struct tokenizer *tokenizer, const char *text, size_t len, bool specials,
                      struct token_ids *ids);
// Appends the ids of a prompt: the id that the tokenizer puts before a text (tokenizer_bos), then the text's ids. If
// the text already begins with the text of that id, the id is not added again.
void tokenizer_encode_prompt(const struct tokenizer *tokenizer, const char *text, size_t len, struct token_ids *ids);
struct chat_template; // gen/spec/chat.h
// Appends the ids of a question in a chat template, ready for the answer. Returns NULL, or a message: the vocabulary
// lacks the token that the template needs, or the text contains control tokens.
const char *tokenizer_encode_chat(const struct tokenizer *tokenizer, const struct chat_template *chat, const char *text,
                                  struct token_ids *ids);
struct chat_turn; // gen/spec/chat.h
// Appends the ids of a conversation in a chat template, ready for the next answer. The first turn may be a system
// message. Questions and answers alternate after it, and a question is last. Returns NULL, or a message as
// tokenizer_encode_chat does.
const char *tokenizer_encode_turns(const struct tokenizer *tokenizer, const struct chat_template *chat,
                                   const struct chat_turn *turns, size_t count, struct token_ids *ids);
// Returns NULL if generation stops at the end of an answer in this template, or a message that says why it would
// continue: the template's `stop` is none of the ids that end a request. Returns NULL also if the vocabulary lacks
// `stop`.
const char *tokenizer_chat_goes_on(const struct tokenizer *tokenizer, const struct chat_template *chat,
                                   const struct end_ids *ends);
// Returns the bytes to which an id decodes, and their number in *len. Any byte may be NUL. An id without a token gives
// "".
const char *tokenizer_decode(const struct tokenizer *tokenizer, uint32_t id, size_t *len);

#endif
