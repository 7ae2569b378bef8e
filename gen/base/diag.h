// SPDX-License-Identifier: Apache-2.0
// Diagnostics: errors, warnings and notes, printed with their place in the source, the source line and a caret.
#ifndef RILL_DIAG_H
#define RILL_DIAG_H

#include "gen/base/base.h"
#include "gen/base/messages.h"

// A text that errors refer to. It lives in the arena of the run, as places keep pointers to it.
struct source {
    const char *path;
    const char *data; // NULL: only the path is known (binary files)
    size_t size;
};

// A place. line and col count from 1, col in characters. line 0: the whole file; source NULL: no place.
struct loc {
    const struct source *source;
    uint32_t line;
    uint32_t col;
};
struct loc loc_none(void);
// Returns the place of a file as a whole, which is printed as `path: error: ...`. The source of this place is made in
// the arena and has no data.
struct loc loc_file(struct arena *arena, const char *path);

enum { DIAG_MAX_ERRORS = 20 /* most errors that are shown, and most warnings */ };

struct diag {
    FILE *out;    // stderr in the program, a memory stream in tests
    int errors;   // all errors, shown or not
    int warnings; // all warnings, shown or not
    bool muted;   // the last error or warning exceeded the limit and was not shown, so its notes are not shown either
    struct loc last; // location of the last error or warning
};

void diag_init(struct diag *diag, FILE *out); // without errors yet; the caller keeps `out` open and closes it
// Prints `file:line:col: error: ... [id]`, then the line and a caret. The format is a row of include/messages.def
// (MSG_...). Errors after DIAG_MAX_ERRORS are counted, but not shown.
void diag_error(struct diag *diag, struct loc loc, const char *fmt, ...) RILL_PRINTF(3, 4);
// Reports a finished message: the text of a row of messages.def whose values another function has filled in.
void diag_error_text(struct diag *diag, struct loc loc, const char *message);
// Like diag_error_text, but prints the text of `fmt`, which says what the message is about, before the message.
void diag_error_about(struct diag *diag, struct loc loc, const char *message, const char *fmt, ...) RILL_PRINTF(4, 5);
// Like diag_error, but counts a warning instead of an error, so the command may still succeed.
void diag_warning(struct diag *diag, struct loc loc, const char *fmt, ...) RILL_PRINTF(3, 4);
// Prints `rill COMMAND: LEVEL: ... [id]` to stderr, for messages about a command line or a run. LEVEL is the word
// `error` or `warning`. The message is not counted.
void diag_command(const char *command, const char *level, const char *fmt, ...) RILL_PRINTF(3, 4);
// Adds a note to the preceding error or warning. The note's source line is printed only if it differs from the line of
// that error or warning.
void diag_note(struct diag *diag, struct loc loc, const char *fmt, ...) RILL_PRINTF(3, 4);
// Returns whether no further error would be shown, so that a reader of input can stop.
static inline bool diag_full(const struct diag *diag) { return diag->errors >= DIAG_MAX_ERRORS; }
static inline bool diag_failed(const struct diag *diag) { return diag->errors > 0; }

// Returns the word nearest in spelling, or NULL if none is near enough to be a typing error (nearest.c has the limits).
// Words that differ only in upper and lower case are nearest. NULL entries are skipped.
const char *diag_nearest_word(const char *word, const char *const *words, size_t count);
// Adds the note `did you mean ...?` if a legal word is near. Otherwise, if there are at most 12 legal words, adds a
// note that lists them. NULL entries are skipped.
void diag_note_words(struct diag *diag, struct loc loc, const char *word, const char *const *words, size_t count);
// Returns the legal value nearest to v (the smaller one on a tie). count > 0.
int64_t diag_nearest_value(int64_t v, const int64_t *legal, size_t count);
// Returns the edit distance: the number of bytes to insert, delete or replace in order to turn one word into the other.
// Exchanging two neighbouring bytes also counts as one edit. If a word has more than 63 bytes, the result is 1000.
int diag_edit_distance(const char *a, const char *b);

#endif
