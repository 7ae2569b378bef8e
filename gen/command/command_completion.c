// SPDX-License-Identifier: Apache-2.0
// rill completion, rill man: print files that an installation puts next to the program, made from the tables of all
// commands.
#include "gen/command/command.h"
#include "include/version.h"

struct completion_options {
    int shell; // index of the word in bash|zsh
};

static const struct options **all_commands(struct run *run) {
    int count = 0;
    while (rill_commands[count]) count++;
    const struct options **all = ARENA_ARRAY(&run->arena, const struct options *, (size_t)count + 1);
    for (int i = 0; i < count; i++) all[i] = &rill_commands[i]->options;
    return all;
}

static int start_completion(struct run *run, void *options) {
    const struct completion_options *o = options;
    static void (*const write[])(const struct options *const *, struct text *) = {options_bash, options_zsh};
    struct text text = {0};
    write[o->shell](all_commands(run), &text);
    return command_print(&text);
}

static const struct option_row rows[] = {{"SHELL", "bash|zsh", OPTION_CHOICE, OPTION_NEEDED,
                                          offsetof(struct completion_options, shell),
                                          .help = "the shell that reads it"},
                                         {0}};

const struct command command_completion = {
    .options = {.name = "completion",
                .purpose = "print a script for completion of commands and options in a shell",
                .example = "source <(rill completion bash)",
                .table = {{rows, 0}}},
    .size = sizeof(struct completion_options),
    .start = start_completion};

static int start_man(struct run *run, void *options) {
    (void)options;
    struct text text = {0};
    options_manual(all_commands(run), RILL_VERSION, &text);
    return command_print(&text);
}

const struct command command_man = {
    .options = {.name = "man", .purpose = "print the manual page, in roff", .example = "rill man | man -l -"},
    .size = 1,
    .start = start_man};
