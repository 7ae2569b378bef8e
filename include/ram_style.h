// SPDX-License-Identifier: Apache-2.0
// What a memory is built of: parameter RAM_STYLE of the templates; part of ir.h.
#ifndef RILL_RAM_STYLE_H
#define RILL_RAM_STYLE_H

// RAM_AUTO: nobody has chosen; a tool would.
enum ram_style { RAM_AUTO, RAM_DISTRIBUTED, RAM_BLOCK, RAM_ULTRA, RAM_SRL, RAM_STYLES };

extern const char *const ram_style_words[RAM_STYLES]; // as the templates take them
enum ram_style ram_style_find(const char *word, enum ram_style fallback);

#endif
