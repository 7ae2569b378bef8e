// SPDX-License-Identifier: Apache-2.0
// Code that the commands share: starts a command, and builds a spec's design with other memory figures or another
// clock. command.h describes the functions.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gen/command/command.h"
#include "gen/explore/explore.h"
#include "gen/report/design_report.h"
#include "gen/pass/pass.h"
#include "gen/ir/custom_ops.h"

int command_start(const struct command *command, int argc, char **argv) {
    struct run run = {.argc = argc, .argv = argv};
    arena_init(&run.arena);
    diag_init(&run.diag, stderr);
    void *options = arena_alloc(&run.arena, 1, command->size);
    int status = options_parse(&command->options, &run.arena, argc, argv, options);
    if (status == OPTIONS_GO_ON) status = command->start(&run, options);
    arena_free(&run.arena);
    return status;
}

const struct option_row spec_row[] = {{"SPEC", NULL, OPTION_FILE, OPTION_NEEDED, offsetof(struct design_options, spec),
                                       .help = "a design spec, or an IR dump from which to continue"},
                                      {0}};

static struct ir *build(const struct design_options *o, struct arena *arena, struct diag *diag, bool fifo_auto,
                        const char *stop_after) {
    const struct build_changes changes = {
        .hbm = o->figures.hbm.items, .clock_mhz = o->figures.clock_mhz, .fifo_auto = fifo_auto};
    return command_build_changed(o->spec, &changes, arena, diag, stop_after);
}

struct ir *command_design(struct run *run, const struct design_options *o) {
    struct ir *ir = build(o, &run->arena, &run->diag, false, NULL);
    if (ir) design_report_capacity(ir, loc_file(&run->arena, o->spec), &run->diag);
    return ir;
}

// Writes the messages to memory and drops them, because command_design has printed them already.
struct ir *command_design_again(struct run *run, const struct design_options *o, bool fifo_auto) {
    char *said = NULL;
    size_t len;
    struct diag diag;
    diag_init(&diag, open_memstream(&said, &len));
    struct ir *ir = build(o, &run->arena, &diag, fifo_auto, "size-fifos");
    fclose(diag.out);
    free(said);
    return ir;
}

void command_warn_verdict(struct run *run, const struct ir *ir, struct loc loc) {
    struct text text = {0};
    if (design_report_fits(ir)) return;
    explore_verdict(ir, false, &text);
    diag_warning(&run->diag, loc, MSG_DESIGN_BEYOND, text_cstr(&text));
    text_free(&text);
}

bool command_takes_folder(const char *command, const char *dir) {
    struct stat s;
    if (stat(dir, &s) || !S_ISREG(s.st_mode)) return true;
    fprintf(stderr,
            "rill %s: error: %s is a file, no folder of a design: run `rill gen %s -o DIR`, then `rill %s DIR`\n",
            command, dir, dir, command);
    return false;
}

bool command_clock(struct run *run, const struct ir *ir, const char *timing, const char *spec,
                   struct clock_model *out) {
    struct emit_rtl rtl;
    return emit_rtl(emit_plan_make(ir, NULL), &rtl, &run->diag) && clock_read(ir, timing, spec, &rtl, out, &run->diag);
}

// Returns whether a kernel with a lower index uses the same declaration.
static bool is_noted(const struct ir *ir, int kernel, const struct custom *custom) {
    for (int k = 0; k < kernel; k++)
        if (ir_custom_kernel(ir, k) == custom) return true;
    return false;
}

void command_note_resources(const struct ir *ir, struct text *out) {
    const char *begin = out->len ? "\nnote: no `resources` in the declaration of kernel "
                                 : "note: no `resources` in the declaration of kernel ";
    int found = 0;
    for (int k = 0; k < ir->kernels; k++) {
        const struct custom *custom = ir_custom_kernel(ir, k);
        if (!custom || custom->has_resources || is_noted(ir, k, custom)) continue;
        text_addf(out, "%s`%s`", found++ ? ", " : begin, custom->name);
    }
    if (!found) return;
    text_addf(out, ": the estimates count %s as nothing;\n", found > 1 ? "them" : "it");
    text_add(
        out,
        "`resources: {lut: N, ff: N, dsp: N, bram18: N, uram: N}` of one instance, by a synthesis, is what counts\n");
}

int command_print(struct text *text) {
    fputs(text_cstr(text), stdout);
    text_free(text);
    return RILL_OK;
}

const char *command_pass_name(int index) { return pass_table[index].name; }

void command_list_passes(FILE *out) {
    for (int p = 0; pass_table[p].name; p++) fprintf(out, "%s\n", pass_table[p].name);
}
