// SPDX-License-Identifier: Apache-2.0
// rill gen: turns a spec or a dump of the IR into a design's folder with Verilog, memory map, IR and report, or with
// --dump-after into the IR after one pass. The files appear all together or not at all.
#include <string.h>

#include "gen/command/command.h"
#include "gen/emit/emit.h"
#include "gen/emit/clock.h"
#include "gen/report/design_report.h"
#include "gen/reference/oracle.h"
#include "gen/pack/pack.h"
#include "gen/spec/spec.h"
#include "gen/base/yaml.h"

struct gen_options {
    const char *spec, *dir, *dump_after, *timing;
};

typedef VEC(const char *) name_list;

// ---- the files. The functions return false after an error ----

static bool write_text(struct output *out, const char *name, struct text *text) {
    bool ok = output_text(out, name, text);
    text_free(text);
    return ok;
}

static bool write_file(struct output *out, const struct emit_file *file) {
    struct text text = {0};
    text_add_bytes(&text, file->data, file->len);
    return write_text(out, file->name, &text);
}

// Writes the Verilog, filelist.f and the top module of the simulation.
static bool write_verilog(const struct emit_plan *p, const struct emit_rtl *rtl, struct output *out) {
    struct text filelist = {0}, sim = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < rtl->files.count; i++) {
        ok = write_file(out, &rtl->files.items[i]);
        text_addf(&filelist, "%s\n", rtl->files.items[i].name);
    }
    emit_header(p, "Simulation top: the design, its memories, probes.", &sim);
    emit_sim_top(p, NULL, &sim);
    ok = write_text(out, "filelist.f", &filelist) && ok; // both calls free their text
    return write_text(out, "sim/rill_sim_top.sv", &sim) && ok;
}

// Writes the memory map, the reports and, for a design on several dies, the floorplan for Vivado.
static bool write_texts(const struct emit_plan *p, const struct clock_model *clock, struct output *out) {
    const struct ir *ir = p->ir;
    struct text map = {0}, report = {0}, json = {0};
    emit_memory_map(ir, &map);
    design_report_text(ir, clock, &report);
    design_report_json(ir, clock, &json);
    bool map_ok = write_text(out, "memory_map.json", &map), report_ok = write_text(out, "report.txt", &report);
    bool pblocks_ok = true;
    if (ir->design.dies > 1 && ir->dies > 1) {
        struct text pblocks = {0};
        emit_pblocks(p, &pblocks);
        pblocks_ok = write_text(out, "pblocks.tcl", &pblocks);
    }
    return write_text(out, "report.json", &json) && map_ok && report_ok && pblocks_ok;
}

// Returns whether there is a README.md whose first line is not that of rill gen.
static bool is_other_readme(const char *path) {
    char line[128];
    FILE *file = fopen(path, "r");
    bool other = file && !(fgets(line, sizeof line, file) && strstr(line, EMIT_README_MARK));
    if (file) fclose(file);
    return other;
}

// Writes README.md, but not over a file of the user.
static bool write_readme(const struct emit_plan *p, const struct emit_rtl *rtl, const struct clock_model *clock,
                         struct output *out, struct diag *diag) {
    const char *path = arena_printf(out->arena, "%s/README.md", out->dir);
    struct text readme = {0};
    if (is_other_readme(path)) {
        diag_warning(diag, loc_file(out->arena, path), MSG_README_KEPT);
        return true;
    }
    emit_readme(p, rtl, clock->state != CLOCK_NONE, &readme);
    return write_text(out, "README.md", &readme);
}

// Writes the files that the oracle reads in a simulation: the original spec, its family and the golden functions of
// custom kernels.
static bool write_oracle(const struct ir *ir, struct output *out) {
    struct oracle_copy *copy = ARENA_ARRAY(ir->arena, struct oracle_copy, (size_t)ir->customs + 2);
    size_t count = 0;
    if (!ir->spec) return true; // dumps of older versions contain no spec
    copy[count++] = (struct oracle_copy){oracle_copy_spec, ir->spec};
    if (ir->family) copy[count++] = (struct oracle_copy){oracle_copy_family, ir->family};
    for (int c = 0; c < ir->customs; c++)
        if (ir->custom[c].function) copy[count++] = (struct oracle_copy){ir->custom[c].name, ir->custom[c].golden.text};
    return oracle_write_folder(out, copy, count);
}

// Copies the delay model's record to the design's folder, where other commands read it.
static bool write_clock(const struct ir *ir, const struct clock_model *clock, struct output *out) {
    size_t len;
    const char *why;
    if (clock->state == CLOCK_NONE) return true;
    const char *data = file_read(ir->arena, clock->path, YAML_MAX_BYTES, &len, &why);
    return data && write_file(out, &(struct emit_file){clock_beside_design, data, len});
}

// Writes the waivers (lint.vlt) of `verilator -Wall` warnings that do not call for a change of the design. Each waiver
// has its reason.
static bool write_waivers(struct arena *arena, const struct emit_rtl *rtl, struct output *out, struct diag *diag) {
    static const char shared[] = "verif/lint/emitted.vlt";
    size_t len;
    const char *path = file_find_shared(arena, shared), *why;
    const char *data = path ? file_read(arena, path, YAML_MAX_BYTES, &len, &why) : NULL;
    if (data) {
        struct text waivers = {0};
        emit_waivers(rtl, arena, data, &waivers);
        return write_text(out, "lint.vlt", &waivers);
    }
    diag_error(diag, loc_none(), MSG_SHARED_FILES_MISSING, shared);
    return false;
}

// Writes all files of a design. The design's identity is the hash of design.yaml. timing: path of the record of
// --timing, or NULL. loc: place of the spec, for messages.
static bool write_design(const struct ir *ir, const char *timing, struct loc loc, struct output *out,
                         struct diag *diag) {
    struct text design = {0};
    ir_write_text(ir, &design);
    uint64_t identity = bytes_hash(design.data, design.len);
    struct emit_rtl rtl = {0};
    struct clock_model clock = {0};
    const struct emit_plan *plan = emit_plan_make(ir, &(struct emit_names){identity, pack_layout_hash(ir)});
    bool ok = emit_rtl(plan, &rtl, diag) && clock_read(ir, timing, loc.source->path, &rtl, &clock, diag);
    if (ok) clock_warn(ir, &clock, loc, diag);
    ok = ok && write_verilog(plan, &rtl, out) && write_texts(plan, &clock, out) &&
         write_readme(plan, &rtl, &clock, out, diag) && write_oracle(ir, out) && write_clock(ir, &clock, out) &&
         write_waivers(ir->arena, &rtl, out, diag);
    return write_text(out, "design.yaml", &design) && ok;
}

// ---- files of an earlier design in this folder that the new design does not have ----

static bool is_written(const struct output *out, const char *path) {
    for (size_t i = 0; i < out->files.count; i++)
        if (!strcmp(out->files.items[i].path, path)) return true;
    return false;
}

// Lists the files that an earlier design may have left in this folder and that the new design does not write. These are
// Verilog files (from the old filelist.f), oracle files, the floorplan and the timing record. Every design writes the
// other files.
static void find_old(const struct output *out, name_list *old) {
    const char *why;
    size_t len;
    char *list = file_read(out->arena, arena_printf(out->arena, "%s/filelist.f", out->dir), 1 << 20, &len, &why);
    if (!list || !strstr(list, "rtl/rill_top.v\n")) return; // not a design's folder
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "rtl/", 4) != 0 || strchr(line + 4, '/')) continue;
        const char *path = arena_printf(out->arena, "%s/%s", out->dir, line);
        if (!is_written(out, path)) VEC_PUSH(out->arena, *old, path);
    }
    const char *golden[SPEC_MAX_KERNELS + 2]; // also holds the spec and a family
    size_t files = oracle_list_folder(out->arena, out->dir, golden, COUNT_OF(golden));
    for (size_t i = 0; i < files; i++)
        if (!is_written(out, golden[i])) VEC_PUSH(out->arena, *old, golden[i]);
    const char *const others[] = {"pblocks.tcl", clock_beside_design};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        const char *path = arena_printf(out->arena, "%s/%s", out->dir, others[i]);
        if (!is_written(out, path)) VEC_PUSH(out->arena, *old, path);
    }
}

// Commits the files if all are complete (`ok`), and then removes files that only an earlier design had. design: the
// files are a design, not a dump. Returns the exit status.
static int finish(struct output *out, struct diag *diag, bool ok, bool design) {
    name_list old = {0};
    if (ok && design) find_old(out, &old);
    if (ok && output_commit(out)) {
        for (size_t i = 0; i < old.count; i++) remove(old.items[i]);
        return RILL_OK;
    }
    if (!ok) output_abort(out);
    if (out->error) diag_error_text(diag, loc_none(), out->error);
    return RILL_BAD_SPEC;
}

static int start(struct run *run, void *options) {
    const struct gen_options *o = options;
    struct arena *arena = &run->arena;
    struct ir *ir = command_build(o->spec, arena, &run->diag, o->dump_after);
    if (!ir) return RILL_BAD_SPEC;
    if (!o->dump_after) design_report_capacity(ir, loc_file(arena, o->spec), &run->diag);
    struct output out;
    struct text dump = {0};
    output_begin(&out, arena, o->dir);
    if (o->dump_after) ir_write_text(ir, &dump);
    bool ok = o->dump_after ? output_text(&out, arena_printf(arena, "%s.yaml", o->dump_after), &dump)
                            : write_design(ir, o->timing, loc_file(arena, o->spec), &out, &run->diag);
    text_free(&dump);
    int status = finish(&out, &run->diag, ok, !o->dump_after);
    if (status != RILL_OK) return status;
    struct text said = {0};
    if (!o->dump_after) command_warn_verdict(run, ir, loc_file(arena, o->spec));
    if (o->dump_after)
        text_addf(&said, "wrote %s/%s.yaml, the IR after that pass; no design was made\n", o->dir, o->dump_after);
    else command_note_resources(ir, &said);
    return command_print(&said);
}

#define AT(member) offsetof(struct gen_options, member)
static const struct option_row rows[] = {
    {"SPEC", NULL, OPTION_FILE, OPTION_NEEDED, AT(spec), .help = "a design spec, or an IR dump from which to continue"},
    {"-o", "DIR", OPTION_FILE, OPTION_NEEDED, AT(dir),
     .help = "folder to write: README.md, rtl/*.v, filelist.f, lint.vlt, memory_map.json, design.yaml, report.txt, "
             "report.json, oracle/, sim/rill_sim_top.sv. A design on several dies also has pblocks.tcl, and one with "
             "a timing record has design.timing.json"},
    {"--timing", "FILE", OPTION_FILE, 0, AT(timing), .without = "--dump-after", .help = COMMAND_TIMING_HELP},
    {"--dump-after", "PASS", OPTION_WORD, OPTION_JOINED, AT(dump_after), .value = command_pass_name,
     .list = command_list_passes,
     .help = "stop after this pass and write the compiler state (IR) to DIR/PASS.yaml instead"},
    {0}};

const struct command command_gen = {
    .options = {.name = "gen",
                .purpose = "write the Verilog, memory map, compiler state (IR) and report of a design",
                .example = "rill gen model.yaml -o design",
                .page = "rtl",
                .table = {{rows, 0}}},
    .size = sizeof(struct gen_options),
    .start = start};
