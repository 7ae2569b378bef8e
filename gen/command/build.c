// SPDX-License-Identifier: Apache-2.0
// Builds the IR from a file. A spec goes through all passes. A dump of the IR goes through the passes that follow the
// last one that the dump has been through.
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/stat.h>

#include "gen/command/command.h"
#include "gen/pass/pass.h"
#include "gen/kernel/kernel.h"
#include "gen/base/yaml.h"

enum { MOST_MHZ = 2000 /* limit of the clock for a dump, which does not have the limit of the board */ };

// Returns whether the path is a pipe. A spec must not come from a pipe, because the file is read twice: is_dump looks
// at the first line before the spec is read.
static bool is_pipe(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISFIFO(s.st_mode);
}

static bool is_dump(const char *path, struct arena *arena) {
    size_t len;
    const char *why, *data = file_read(arena, path, YAML_MAX_BYTES, &len, &why);
    return data && !strncmp(data, "# rill ir", 9);
}

// Returns the index of the first pass to run, or -1 after an error.
static int first_pass(const struct ir *ir, struct diag *diag) {
    if (!ir->done) return 0;
    for (int p = 0; pass_table[p].name; p++)
        if (!strcmp(pass_table[p].name, ir->done)) return p + 1;
    diag_error(diag, loc_none(), MSG_UNKNOWN_PASS, ir->done);
    return -1;
}

// Checks that `name` is a pass.
static bool is_pass(const char *name, struct diag *diag) {
    const char *words[64];
    size_t count = 0;
    for (int p = 0; pass_table[p].name; p++) {
        if (!strcmp(pass_table[p].name, name)) return true;
        words[count++] = pass_table[p].name;
    }
    diag_error(diag, loc_none(), MSG_UNKNOWN_PASS_OPTION, name);
    diag_note_words(diag, loc_none(), name, words, count);
    return false;
}

// Runs the remaining passes, up to `stop_after` if it is not NULL. spec: NULL if the IR is from a dump.
static bool run_passes(struct ir *ir, const struct rill_spec *spec, struct diag *diag, const char *stop_after) {
    int p = first_pass(ir, diag);
    for (; p >= 0 && pass_table[p].name; p++) {
        if (!pass_run(p, ir, spec, diag)) return false;
        if (stop_after && !strcmp(stop_after, ir->done)) break;
    }
    return p >= 0;
}

// Changes memory figures as the command line says. Returns false after an error.
static bool change_hbm(struct hbm_figures *hbm, const struct build_changes *c, struct arena *arena, struct diag *diag) {
    const char *why = hbm_figures_override(arena, hbm, c->hbm);
    if (why) diag_error(diag, loc_none(), MSG_HBM_OPTION, why);
    return !why;
}

// Sets the clock that the command line gives, if any. most: the highest legal clock in MHz. Returns false after an
// error.
static bool change_clock(double *clock_mhz, double most, const struct build_changes *c, struct diag *diag) {
    if (c->clock_mhz == 0) return true;
    *clock_mhz = c->clock_mhz;
    if (c->clock_mhz >= 1 && c->clock_mhz <= most) return true;
    diag_error(diag, loc_none(), MSG_CLOCK_OPTION, c->clock_mhz, most);
    diag_note(diag, loc_none(), "the nearest legal value is %g", c->clock_mhz < 1 ? 1 : most);
    return false;
}

static struct ir *build_dump(const char *path, const struct build_changes *c, struct arena *arena, struct diag *diag,
                             const char *stop_after) {
    struct ir *ir = kernel_read_design(arena, path, diag);
    if (!ir || !change_hbm(&ir->design.hbm, c, arena, diag) || !change_clock(&ir->design.clock_mhz, MOST_MHZ, c, diag))
        return NULL;
    return run_passes(ir, NULL, diag, stop_after) ? ir : NULL;
}

struct ir *command_build_spec(const struct rill_spec *spec, struct arena *arena, struct diag *diag,
                              const char *stop_after) {
    struct ir *ir = ARENA_NEW(arena, struct ir);
    ir->arena = arena;
    if (run_passes(ir, spec, diag, stop_after)) return ir;
    spec_note_model(spec, diag);
    return NULL;
}

struct ir *command_build_changed(const char *path, const struct build_changes *c, struct arena *arena,
                                 struct diag *diag, const char *stop_after) {
    if (stop_after && !is_pass(stop_after, diag)) return NULL;
    if (is_pipe(path)) {
        diag_error(diag, loc_file(arena, path), MSG_SPEC_IS_PIPE);
        return NULL;
    }
    if (is_dump(path, arena)) return build_dump(path, c, arena, diag, stop_after);
    struct rill_spec *spec = rill_spec_read(path, arena, diag);
    if (!spec || !change_hbm(&spec->device->hbm, c, arena, diag) ||
        !change_clock(&spec->design.clock_mhz, spec->device->clock_max_mhz, c, diag))
        return NULL;
    if (c->fifo_auto) spec->design.fifo = SPEC_AUTO;
    return command_build_spec(spec, arena, diag, stop_after);
}

struct ir *command_build(const char *path, struct arena *arena, struct diag *diag, const char *stop_after) {
    const struct build_changes none = {0};
    return command_build_changed(path, &none, arena, diag, stop_after);
}
