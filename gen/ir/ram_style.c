// SPDX-License-Identifier: Apache-2.0
// The names of the kinds of on-chip memory (enum ram_style in ir.h). They are the values of the templates' parameter
// RAM_STYLE.
#include "gen/ir/ir.h"

#include <string.h>

const char *const ram_style_words[RAM_STYLES] = {"auto", "distributed", "block", "ultra", "srl"};

// Returns the kind that the word names, or `fallback` if it names none.
enum ram_style ram_style_find(const char *word, enum ram_style fallback) {
    for (int s = 0; s < RAM_STYLES; s++)
        if (!strcmp(ram_style_words[s], word)) return (enum ram_style)s;
    return fallback;
}
