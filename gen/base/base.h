// SPDX-License-Identifier: Apache-2.0
// The lowest layer of the compiler, which depends only on the C library and POSIX: exit codes, checked arithmetic,
// arena, typed vectors, text buffers, look-up of files and output of files that appear together or not at all.
#ifndef RILL_BASE_H
#define RILL_BASE_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RILL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// Exit codes: success; bad input, or a run that failed; a wrong command line; an internal error.
enum rill_exit { RILL_OK = 0, RILL_BAD_SPEC = 1, RILL_USAGE = 2, RILL_INTERNAL = 3 };

// Reports an internal error (a broken invariant, no memory) to stderr and ends the run with exit code 3. Bad input is
// reported through gen/base/diag.h instead.
__attribute__((noreturn)) void base_fatal(const char *fmt, ...) RILL_PRINTF(1, 2);

struct arena;

// ---- checked arithmetic: the functions return true if the result fits, and otherwise leave *out unchanged ----
bool size_mul(size_t a, size_t b, size_t *out);
bool size_add(size_t a, size_t b, size_t *out);
bool u64_mul(uint64_t a, uint64_t b, uint64_t *out);
bool u64_add(uint64_t a, uint64_t b, uint64_t *out);
// Returns the quotient rounded up. b must not be 0. There is no overflow for any a.
static inline uint64_t u64_div_ceil(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
__extension__ typedef __int128 int128; // for sums that do not fit 64 bits
// Returns the smallest n >= 0 with 2^n >= v, from 0 (for v up to 1) to 64.
int u64_clog2(uint64_t v);
uint64_t bytes_hash(const void *bytes, size_t len); // FNV-1a, 64 bits
// Returns the value that the register `logits_hash` has after one more row of `count` logits. The hardware computes
// this hash in rill_logits_hash and rill_token_loop. hash: the value before this row; 0 for the first row.
uint64_t logits_hash(uint64_t hash, const float row[], size_t count);
// Returns the number that 1 to 8 bytes of a file hold, lowest byte first.
uint64_t u64_little_endian(const uint8_t *bytes, int count);

// Token ids that end a request (a prompt and the tokens generated for it) as soon as one of them is generated. The
// request ends at the latest after the requested number of tokens.
enum { END_IDS_MAX = 8 };
struct end_ids {
    int count; // 0 to END_IDS_MAX; 0: only the number of tokens ends a request
    uint32_t id[END_IDS_MAX];
};
bool end_ids_has(const struct end_ids *, uint32_t id);
const char *end_ids_text(struct arena *, const struct end_ids *); // `7`, `7, 9`, `none`

// ---- arena: memory that is freed all at once. A run has one arena, and some functions have another for scratch
// memory. Memory in an arena lives until arena_free or until a mark that was taken earlier is released ----
struct arena {
    struct arena_block *top;   // newest block
    struct arena_block *spare; // released blocks, for reuse
    size_t used;               // bytes in use
    size_t fail_after;         // for tests: the n-th allocation from now fails; 0: none fails
};
struct arena_mark {
    struct arena_block *block; // newest block at the time of the mark; NULL: the arena was empty
    size_t fill;               // bytes of this block that were in use
};

void arena_init(struct arena *arena);
void arena_free(struct arena *arena);
// Returns zeroed memory for count items of size bytes, aligned for any type. Never returns NULL: if there is no memory,
// base_fatal ends the run.
void *arena_alloc(struct arena *arena, size_t count, size_t size);
// Like arena_alloc, but the memory is not zeroed.
void *arena_alloc_dirty(struct arena *arena, size_t count, size_t size);
#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), 1, sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_alloc((arena), (n), sizeof(type)))
// These return a text in the arena: a copy of s, a copy of the first len bytes at s, or a formatted text.
char *arena_strdup(struct arena *arena, const char *s);
char *arena_strndup(struct arena *arena, const char *s, size_t len);
char *arena_printf(struct arena *arena, const char *fmt, ...) RILL_PRINTF(2, 3);
char *arena_vprintf(struct arena *arena, const char *fmt, va_list args);
// For temporary memory: arena_release frees everything that was allocated after the mark. A vector that grew after the
// mark must not be used after the release. Releasing a mark also ends the marks that were taken after it. Such a mark,
// or a mark of another arena, must not be released; most such calls end the run with an internal error.
struct arena_mark arena_mark(const struct arena *arena);
void arena_release(struct arena *arena, struct arena_mark mark);

// ---- typed vectors in an arena: VEC(int) v = {0}; VEC_PUSH(arena, v, 7); v.items[i], v.count. A push may move all
// items, so pointers to items are not valid after it ----
#define VEC(type)                                                                                                      \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count;                                                                                                  \
        size_t capacity;                                                                                               \
    }
// Used by VEC_PUSH. Makes room for one more item and returns the items, which may have moved.
void *vec_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size);
#define VEC_PUSH(arena, v, ...)                                                                                        \
    do {                                                                                                               \
        if ((v).count >= (v).capacity)                                                                                 \
            (v).items = vec_grow((arena), (v).items, (v).count, &(v).capacity, sizeof *(v).items);                     \
        (v).items[(v).count++] = (__VA_ARGS__);                                                                        \
    } while (0)

// ---- text: a growing byte buffer on the heap, NUL terminated. It begins as {0}. Its owner frees it with text_free. If
// there is no memory, base_fatal ends the run ----
struct text {
    char *data; // NULL before the first addition
    size_t len; // bytes without the NUL
    size_t capacity;
};
void text_free(struct text *text); // frees the bytes; the buffer is then empty and can be used again
void text_add(struct text *text, const char *s);
void text_add_bytes(struct text *text, const void *bytes, size_t len);
void text_addf(struct text *text, const char *fmt, ...) RILL_PRINTF(2, 3);
void text_vaddf(struct text *text, const char *fmt, va_list args);
// Adds the len bytes at s in double quotes with JSON escapes. A byte that is not valid UTF-8 becomes U+FFFD. Characters
// that YAML readers would refuse or change are escaped as well, because the YAML writer uses this function.
void text_add_json_string(struct text *text, const char *s, size_t len);
const char *text_cstr(const struct text *text); // "" while empty; valid until the next addition

// ---- files. Paths and data that these functions return are in the arena ----

// Recognizes a Git LFS pointer, which is a placeholder for the real file, by its first bytes. data: the first bytes of
// the file, or all of them. Returns a message that says how to get the real file, or NULL if the data is not a pointer.
const char *file_stand_in(const void *data, size_t len);
// Reads a whole file into the arena and adds a NUL, which *len does not count. On failure, or if the file has more than
// max bytes, returns NULL and sets *why to a message in the arena.
char *file_read(struct arena *arena, const char *path, size_t max, size_t *len, const char **why);
// Returns the path of a file or folder that ships with the program, such as "boards/u55c.yaml", or NULL if it is not
// found. The search begins at $RILL_HOME and the folder of file_also_shared. Then it goes up from the executable's
// folder and looks in each folder and in its lib/rill (`make install`). The working directory is last.
char *file_find_shared(struct arena *arena, const char *relative);
// Makes file_find_shared look in `dir` right after $RILL_HOME. A host program names its package's host/ here, because
// the executable may be a Python interpreter or a user's program. The name is kept for the whole process.
void file_also_shared(const char *dir);
// Returns the directory part of a path ("." if there is none).
char *file_dir(struct arena *arena, const char *path);
// Returns whether the name ends with the suffix and has text before it.
bool file_has_suffix(const char *name, const char *suffix);
// Returns whether the text is a path, that is, has a `/` or ends with `.yaml`. Other texts are names of things that
// ship with the program, such as boards.
bool file_is_path(const char *name);
// Returns the path, or base_dir/path if the path is relative and base_dir is not `.`.
char *file_from(struct arena *arena, const char *base_dir, const char *path);
// Returns the absolute path without links, `.` and `..`. If the path does not exist, only its existing folders are
// resolved. Returns `.` as it is if the working directory no longer exists.
char *file_whole(struct arena *arena, const char *path);
// Returns the path of a file relative to a folder, always with a `/`: `../mine.yaml` or `./mine.yaml`. Returns the
// absolute path if file and folder share only the root. Symbolic links are resolved at the time of the call.
char *file_relative(struct arena *arena, const char *dir, const char *path);

// Lists the .yaml files in a folder that ships with the program, such as "boards". Returns their names without .yaml,
// in alphabetical order, or an empty list if there is no such folder.
typedef VEC(const char *) file_names;
file_names file_list_shared(struct arena *arena, const char *folder);

// ---- output set: all files of a command appear together or not at all ----
// Files are written under temporary names in their final folders. output_commit renames them. After any failure, such
// as a full disk, output_commit calls output_abort, which removes every temporary file and every directory that was
// made.
struct output_file {
    const char *path; // final path
    const char *temp; // path while the file is written; NULL after the file was renamed
    FILE *stream;     // NULL when closed
};
struct output {
    struct arena *arena;
    const char *dir; // folder to which the files' paths are relative
    VEC(struct output_file) files;
    VEC(const char *) made_dirs; // directories that did not exist before
    const char *error;           // message of the first failure, or NULL. After a failure, no file is opened any more
};
// Begins a set in the folder `dir`, whose name must stay valid until the set ends. No file appears under its own name
// before output_commit. Every set must end with output_commit or output_abort.
void output_begin(struct output *out, struct arena *arena, const char *dir);
// Makes the missing directories above the file dir/relative, and opens this file for writing and for reading back.
// Returns NULL after a failure. The output set closes the stream. Opening a path twice is an internal error.
FILE *output_open(struct output *out, const char *relative);
// Writes a whole file of the set and closes it; output_commit renames it. Returns false after a failure.
bool output_text(struct output *out, const char *relative, const struct text *text);
// Closes a stream from output_open before the commit, which closes all others. A set with many files would otherwise
// exceed the limit of open files. Returns false after a failure.
bool output_close(struct output *out, FILE *stream);
// Renames every file to its own name, replacing a file that had this name. If this returns false, no file of the set is
// left, and out->error has the reason.
bool output_commit(struct output *out);
void output_abort(struct output *out); // removes everything that the set has made
// Writes a single file, completely or not at all. A device, pipe or symbolic link is written in place, because a rename
// would replace it. Returns NULL, or the message of a failure.
const char *file_write_text(struct arena *arena, const char *path, const struct text *text);

// ---- numbers: the quotient of a >= 0 rounded up (0 if b <= 0), the larger number, the smaller number ----

static inline int64_t div_up(int64_t a, int64_t b) { return b > 0 ? (a + b - 1) / b : 0; }
static inline int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

#endif
