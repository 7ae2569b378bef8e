// SPDX-License-Identifier: Apache-2.0
// Guesses what the user meant: finds the nearest word or the nearest legal value. diag.h describes the functions.
#include "gen/base/diag.h"

#include <string.h>
#include <strings.h>

// MAX_WORD: bytes of the longest word that is compared. FAR_APART: the distance if one of two words is longer.
// MAX_LISTED: most legal words that a note lists.
enum { MAX_WORD = 63, FAR_APART = 1000, MAX_LISTED = 12 };

static int min_int(int a, int b) { return a < b ? a : b; }

// Returns whether the first i letters of a and the first j letters of b end in the same two letters in exchanged order.
static bool swapped(const char *a, const char *b, int i, int j) {
    return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

// Optimal string alignment: d[i][j] is the distance of the first i letters of a to the first j letters of b.
int diag_edit_distance(const char *a, const char *b) {
    size_t a_len = strlen(a), b_len = strlen(b);
    if (a_len > MAX_WORD || b_len > MAX_WORD) return FAR_APART;
    int d[MAX_WORD + 1][MAX_WORD + 1];
    for (int j = 0; j <= (int)b_len; j++) d[0][j] = j;
    for (int i = 1; i <= (int)a_len; i++) {
        d[i][0] = i;
        for (int j = 1; j <= (int)b_len; j++) {
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = min_int(best, min_int(d[i - 1][j], d[i][j - 1]) + 1);
            d[i][j] = swapped(a, b, i, j) ? min_int(best, d[i - 2][j - 2] + 1) : best;
        }
    }
    return d[a_len][b_len];
}

// Returns the edit distance, or 0 if the words differ only in upper and lower case.
static int word_distance(const char *word, const char *candidate) {
    return strcasecmp(word, candidate) == 0 ? 0 : diag_edit_distance(word, candidate);
}

// Returns the length of the common beginning.
static int alike_from_the_start(const char *a, const char *b) {
    int n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

// Among equally near words, chooses the one with the longest common beginning. The distance may be at most 1 for words
// of up to 2 letters, 2 for up to 5 letters, and a third of the letters plus 1 for longer words. It must also be less
// than the number of letters of `word`, so that not every letter is replaced.
const char *diag_nearest_word(const char *word, const char *const *words, size_t count) {
    const char *best = NULL;
    int best_distance = FAR_APART, best_start = 0;
    for (size_t i = 0; i < count; i++) {
        int distance = words[i] ? word_distance(word, words[i]) : FAR_APART;
        if (distance == FAR_APART || distance > best_distance) continue;
        int start = alike_from_the_start(word, words[i]);
        if (distance == best_distance && start <= best_start) continue;
        best = words[i];
        best_distance = distance;
        best_start = start;
    }
    size_t len = strlen(word);
    int allowed = len < 3 ? 1 : len < 6 ? 2 : (int)len / 3 + 1;
    return best && best_distance <= allowed && best_distance < (int)len ? best : NULL;
}

void diag_note_words(struct diag *diag, struct loc loc, const char *word, const char *const *words, size_t count) {
    const char *near = diag_nearest_word(word, words, count);
    struct text list = {0};
    size_t listed = 0;
    for (size_t i = 0; i < count; i++)
        if (words[i]) text_addf(&list, "%s`%s`", listed++ ? ", " : "", words[i]);
    if (near) diag_note(diag, loc, "did you mean `%s`?", near);
    else if (listed && listed <= MAX_LISTED) diag_note(diag, loc, "known: %s", text_cstr(&list));
    text_free(&list);
}

static uint64_t distance_between(int64_t a, int64_t b) {
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

int64_t diag_nearest_value(int64_t v, const int64_t *legal, size_t count) {
    int64_t best = legal[0];
    for (size_t i = 1; i < count; i++) {
        uint64_t now = distance_between(v, legal[i]), was = distance_between(v, best);
        if (now < was || (now == was && legal[i] < best)) best = legal[i];
    }
    return best;
}
