// SPDX-License-Identifier: Apache-2.0
// Gets the statistics of operands by which int4 weights are quantized: measures them on a text, or reads them from a
// file.
#include "gen/command/command_calibrate.h"

#include <string.h>
#include <unistd.h>

#include "gen/command/command.h"

// MOST_TEXT: most bytes of the text file. BYTES_OF_TOKEN: more bytes than a token has on average, so BYTES_OF_TOKEN
// bytes for each wanted token are enough text.
enum { MOST_TEXT = 256 << 20, BYTES_OF_TOKEN = 16 };

#define AT(member) offsetof(struct calibrate_options, member)
const struct option_row calibrate_rows[] = {
    {"--calibrate", "TEXTFILE", OPTION_FILE, 0, AT(text), .group = "Calibration of int4 weights",
     .help = "text like the one the model will process. Weight columns count by how large their operands "
             "are on it"},
    {"--calibrate-tokens", "N", OPTION_NUMBER, 0, AT(tokens), .least = 1, .with = "--calibrate",
     .help = "use the first N tokens of the text"},
    {"--statistics", "FILE", OPTION_FILE, 0, AT(statistics),
     .help = "file with the measured operands. With --calibrate it is written (by `rill pack` also "
             "without this option, as DIR/image/statistics.json), otherwise it is read"},
    {0}};

// Returns the length of the part of a text that is tokenized: all of it, or at most `most` bytes up to the end of a
// line. A text without a line end in these bytes is used whole.
static size_t beginning(const char *text, size_t len, size_t most) {
    if (len <= most) return len;
    while (most > 0 && text[most - 1] != '\n') most--;
    return most ? most : len;
}

static void progress(int64_t done, int64_t all) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rcalibration: %lld of %lld tokens%s", (long long)done, (long long)all,
                done == all ? "\n" : "");
}

// Cuts the text into windows of `window` tokens. Each window begins with the tokens that begin every prompt (`begin`).
static void cut_windows(struct arena *arena, const struct token_ids *text, const struct token_ids *begin,
                        int64_t window, struct token_ids *ids) {
    for (size_t i = 0; i < text->count; i++) {
        if (ids->count % (size_t)window == 0)
            for (size_t b = 0; b < begin->count; b++) VEC_PUSH(arena, *ids, begin->items[b]);
        VEC_PUSH(arena, *ids, text->items[i]);
    }
}

// Reads the text as tokens in windows, at most as many as the options say. Returns false after an error.
static bool read_ids(const struct calibrate_run *r, int64_t window, struct token_ids *ids, struct arena *arena,
                     struct diag *diag) {
    size_t len, tokens = (size_t)(r->options->tokens ? r->options->tokens : CALIBRATE_TOKENS);
    const char *why, *text = file_read(arena, r->options->text, MOST_TEXT, &len, &why);
    struct token_ids all = {0}, begin = {0};
    if (!text) return diag_error_text(diag, loc_file(arena, r->options->text), why), false;
    tokenizer_encode_prompt(r->tokenizer, "", 0, &begin);
    tokenizer_encode(r->tokenizer, text, beginning(text, len, tokens * BYTES_OF_TOKEN), true, &all);
    if ((int64_t)begin.count >= window) begin.count = 0;
    cut_windows(arena, &all, &begin, window, ids);
    if (ids->count > tokens) ids->count = tokens;
    for (size_t i = 0; i < ids->count; i++)
        if (ids->items[i] >= oracle_vocabulary(r->graph))
            return diag_error(diag, loc_file(arena, r->options->text), MSG_CALIBRATION_TOKEN, (unsigned)ids->items[i]),
                   false;
    if (!ids->count) diag_error(diag, loc_file(arena, r->options->text), MSG_CALIBRATION_EMPTY);
    return ids->count > 0;
}

// Measures the statistics on the text and writes them to the file of --statistics, if given.
static const struct statistics *collect(const struct calibrate_run *r, struct arena *arena, struct diag *diag) {
    int64_t context = oracle_context(r->graph), window = context < CALIBRATE_WINDOW ? context : CALIBRATE_WINDOW;
    struct token_ids ids = {0};
    const char *slash = strrchr(r->options->text, '/');
    if (!read_ids(r, window, &ids, arena, diag)) return NULL;
    struct calibration text = {ids.items, ids.count, window, slash ? slash + 1 : r->options->text, progress};
    struct statistics *s = statistics_collect(arena, r->graph, r->checkpoint, &text, diag);
    if (!s || !r->options->statistics) return s;
    struct text file = {0};
    statistics_write(s, &file);
    const char *why = file_write_text(arena, r->options->statistics, &file);
    text_free(&file);
    if (why) diag_error_text(diag, loc_none(), why);
    return why ? NULL : s;
}

// Checks that the oracle can process a text: the spec must be a language model, and every custom kernel must have a
// golden function.
static bool check(const struct calibrate_run *r, struct arena *arena, struct diag *diag) {
    struct loc loc = loc_file(arena, r->spec);
    const char *beyond = oracle_beyond(r->graph);
    if (!oracle_is_lm(r->graph)) diag_error(diag, loc, MSG_CALIBRATION_GRAPH);
    else if (beyond) diag_error(diag, loc, MSG_GOLDEN_ABSENT, beyond);
    else return true;
    return false;
}

const struct statistics *calibrate_run(const struct calibrate_run *r, struct arena *arena, struct diag *diag) {
    if (!check(r, arena, diag)) return NULL;
    if (r->options->text) return collect(r, arena, diag);
    return statistics_read(arena, r->options->statistics, r->graph, r->checkpoint, diag);
}
