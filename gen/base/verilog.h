// SPDX-License-Identifier: Apache-2.0
// Reads the header of a Verilog module, that is, its parameters and ports, for custom kernels. The header must be
// Verilog-2005 with the ports declared in it (ANSI style). Other functions search a source for modules and words.
#ifndef RILL_VERILOG_H
#define RILL_VERILOG_H

#include "gen/base/diag.h"

struct verilog_param {
    const char *name, *value; // value: the expression of the default; NULL: no default
    struct loc loc;           // location of the name
};

struct verilog_port {
    const char *name;
    bool is_input, is_output;  // both false: inout
    const char *msb, *lsb;     // expressions of the range; NULL: one bit
    struct loc loc, range_loc; // places of the name, and of the range or where it would be
};

struct verilog_header { // the declaration of a module
    const char *name;
    struct loc loc;
    VEC(struct verilog_param) params;
    VEC(struct verilog_port) ports;
};

struct verilog_module { // a module definition in a file
    const char *name;
    struct loc loc;
    size_t at; // offset in the source of the first character after the name
    bool ends; // has an `endmodule` before the next module begins
};
typedef VEC(struct verilog_module) verilog_modules;

// Returns the modules that a file defines.
verilog_modules verilog_find_modules(struct arena *, const struct source *);
// Returns all words that are followed by `#` or by another word, in the order of the text. This includes the name of
// every instantiated module, but also keywords (`input` in `input wire`), so a caller must search for names that it
// knows.
typedef VEC(const char *) verilog_names;
verilog_names verilog_find_instances(struct arena *, const struct source *);
// Returns the language that reserves a word: Verilog, SystemVerilog or, if `vhdl` is set, VHDL. Returns NULL if none
// does.
const char *verilog_reserved(const char *word, bool vhdl);
// Returns how often a whole word occurs in a text. Occurrences in comments and strings count as well.
size_t verilog_count_word(const char *text, const char *word);
// Returns the last word that ends at the offset `at` or before it, or "" if there is none. Between this word and `at`,
// there are only characters that belong to no word.
const char *verilog_word_before(struct arena *, const char *text, size_t at);
struct loc verilog_place(const struct source *, const char *at); // line and column of a pointer into the source's data
// Reads the header of a module that verilog_find_modules found. Returns NULL after an error.
struct verilog_header *verilog_read_header(struct arena *, const struct source *, const struct verilog_module *,
                                           struct diag *);
// These return the port or parameter with this name, or NULL if the module has none.
const struct verilog_port *verilog_find_port(const struct verilog_header *, const char *name);
const struct verilog_param *verilog_find_param(const struct verilog_header *, const char *name);

#endif
