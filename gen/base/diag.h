// SPDX-License-Identifier: Apache-2.0
// Diagnostics: errors with their place, the source line, a caret, and notes.
#ifndef RILL_DIAG_H
#define RILL_DIAG_H

#include "gen/base/base.h"

// A text that errors point into. Lives in the arena of the run.
struct source {
    const char *path;
    const char *data; // NULL: only the path is known (binary files)
    size_t size;
};

// A place. line and col count from 1, col in characters; line 0: the whole file; source NULL: no place.
struct loc {
    const struct source *source;
    uint32_t line;
    uint32_t col;
};
struct loc loc_none(void);
// The file as a whole: printed as `path: error: ...`. The source is made in the arena.
struct loc loc_file(struct arena *arena, const char *path);

enum { DIAG_MAX_ERRORS = 20 };

struct diag {
    FILE *out;  // stderr in the program, a memory stream in tests
    int errors; // all errors, shown or not
    int warnings;
    bool muted;      // the last message was not shown (limit), so neither are its notes
    struct loc last; // of the last error or warning
};

void diag_init(struct diag *diag, FILE *out);
// `file:line:col: error: ...` followed by the line and a caret. Errors after DIAG_MAX_ERRORS are counted, not shown.
void diag_error(struct diag *diag, struct loc loc, const char *fmt, ...) RILL_PRINTF(3, 4);
void diag_warning(struct diag *diag, struct loc loc, const char *fmt, ...) RILL_PRINTF(3, 4);
// Belongs to the error or warning before it; the source line is shown only when it has another line than that one.
void diag_note(struct diag *diag, struct loc loc, const char *fmt, ...) RILL_PRINTF(3, 4);
// True when the limit is reached: a reader may stop.
static inline bool diag_full(const struct diag *diag) { return diag->errors >= DIAG_MAX_ERRORS; }
static inline bool diag_failed(const struct diag *diag) { return diag->errors > 0; }

// The word nearest in spelling, or NULL when none is near enough to be a slip of the pen. NULL entries are skipped.
const char *diag_nearest_word(const char *word, const char *const *words, size_t count);
// Note `did you mean ...?` when a word is near, else (few words) the list of the legal ones.
void diag_note_words(struct diag *diag, struct loc loc, const char *word, const char *const *words, size_t count);
// The legal value nearest to v (the smaller one on a tie). count > 0.
int64_t diag_nearest_value(int64_t v, const int64_t *legal, size_t count);
// Edit distance with transpositions; words longer than 63 bytes count as far apart.
int diag_edit_distance(const char *a, const char *b);

#endif
