// SPDX-License-Identifier: Apache-2.0
// Writes the completion scripts for bash and zsh (`rill completion`). They contain the names of all commands, options
// and values, so that the shell completes without running rill.
#include <string.h>

#include "gen/options/walk.h"

struct shell {
    const char *open, *close; // code of the shell before and after a list of words
};

static void add_names(const struct options *const *all, struct text *out) {
    for (; *all; all++) text_addf(out, "%s ", (*all)->name);
    text_add(out, "help --help --version");
}

static void add_options(const struct options *o, struct text *out) {
    const struct option_row *row;
    for (int i = 0; (row = options_row(o, i, NULL)); i++)
        if (!option_is_argument(row)) text_addf(out, "%s%s ", row->name, row->traits & OPTION_JOINED ? "=" : "");
    text_add(out, "-h --help");
}

// Returns the words that completion offers for a row: its legal values, or the names in its shipped folder, which
// completion offers in addition to files.
static file_names offered(struct arena *arena, const struct option_row *row) {
    file_names all = {0};
    const char *value;
    if (row->names) return file_list_shared(arena, row->names);
    for (int v = 0; (value = option_value(arena, row, v)); v++) VEC_PUSH(arena, all, value);
    return all;
}

// Adds `case` lines that match COMMAND:WORD, where WORD is the word before the one to complete. If WORD is an option,
// the line offers the values of this option. If WORD is the command's name, it offers the values of its argument.
static void add_values(const struct options *o, const struct shell *s, struct text *out) {
    struct arena arena;
    const struct option_row *row;
    arena_init(&arena);
    for (int i = 0; (row = options_row(o, i, NULL)); i++) {
        file_names values = offered(&arena, row);
        if (!values.count) continue;
        text_addf(out, "        %s:%s) %s%s", o->name, option_is_argument(row) ? o->name : row->name,
                  row->names ? "files=1 " : "", s->open);
        for (size_t v = 0; v < values.count; v++) text_addf(out, "%s%s", v ? " " : "", values.items[v]);
        text_addf(out, "%s ;;\n", s->close);
    }
    arena_free(&arena);
}

// Adds the shell's code that chooses the words: first the values that fit the word before the one to complete, then the
// names of options, if the word begins with a dash.
static void add_cases(const struct options *const *all, const struct shell *s, struct text *out) {
    text_addf(out, "    case $command:$before in\n        : | help:help) %s", s->open);
    add_names(all, out);
    text_addf(out, "%s ;;\n", s->close);
    for (int i = 0; all[i]; i++) add_values(all[i], s, out);
    text_add(out, "    esac\n");
    text_addf(out, "    [[ ($found == 1 && $before == -*) || $word != -* ]] || case $command in\n");
    for (int i = 0; all[i]; i++) {
        text_addf(out, "        %s) %s", all[i]->name, s->open);
        add_options(all[i], out);
        text_addf(out, "%s ;;\n", s->close);
    }
    text_add(out, "    esac\n");
}

void options_bash(const struct options *const *all, struct text *out) {
    static const struct shell bash = {"found=1 words=\"", "\""};
    text_add(out,
             "# shellcheck shell=bash\n"
             "# Completion for bash, as `rill completion bash` prints it.\n"
             "_rill() {\n"
             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}"
             " words=\"\" found=0 files=0\n"
             "    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]} # --name=VALUE is three words\n"
             "    [[ $word != = ]] || word=\"\"\n"
             "    [ \"$COMP_CWORD\" != 1 ] || command=\"\" before=\"\"\n");
    add_cases(all, &bash, out);
    text_add(out, "    COMPREPLY=()\n"
                  "    [ $found = 0 ] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                  "    [ $found$files = 10 ] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
                  "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null || true\n"
                  "}\n"
                  "complete -o filenames -F _rill rill\n");
}

void options_zsh(const struct options *const *all, struct text *out) {
    static const struct shell zsh = {"found=1 names=(", ")"};
    text_add(out, "#compdef rill\n"
                  "# Completion for zsh, as `rill completion zsh` prints it.\n"
                  "_rill() {\n"
                  "    local -a names\n"
                  "    local word=$PREFIX before=$words[CURRENT-1] command=$words[2] found=0 files=0\n"
                  "    (( CURRENT > 2 )) || command=\"\" before=\"\"\n"
                  "    if [[ $word == --*=* ]]; then before=${word%%=*}; compset -P '*='; fi\n");
    add_cases(all, &zsh, out);
    text_add(out, "    (( ! found )) || compadd -a names\n"
                  "    (( found && ! files )) || _files\n"
                  "}\n"
                  "_rill \"$@\"\n");
}
