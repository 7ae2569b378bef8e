// SPDX-License-Identifier: Apache-2.0
// rill package: turns a generated design into a package, the folder for Vivado and Vitis. Its files appear together or
// not at all. gen/package writes their texts. Functions that check, read or write something return false after an
// error.
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/command/command.h"
#include "gen/emit/emit.h"
#include "gen/package/package.h"
#include "gen/pass/pass.h"
#include "gen/report/design_report.h"
#include "gen/kernel/kernel.h"

enum { MAX_VERILOG = 64 << 20, MAX_DESIGN = 64 << 20, MAX_LIST = 1 << 20 }; // most bytes of a file that is read

struct package_options {
    const char *dir, *out, *name;
    int64_t units, first_bank; // compute units; memory bank of the first port
    bool registers;
};

struct verilog_file {
    const char *name; // rtl/<file>, without the prefix that the package gives to modules
    struct source text;
};

struct packing { // state of one run
    struct arena *arena;
    struct diag *diag;
    struct package_options o;
    struct package package;
    VEC(struct verilog_file) verilog; // the design's Verilog files, in reading order
    struct output out;
};

static int print_registers(void) {
    struct text text = {0};
    register_write_markdown(&text);
    return command_print(&text);
}

// ---- the design ----

static bool exists(struct packing *p, const char *dir, const char *file) {
    return !access(arena_printf(p->arena, "%s/%s", dir, file), F_OK);
}

static bool refuse(struct packing *p, const char *path, const char *why) {
    diag_error_text(p->diag, loc_file(p->arena, path), why);
    return false;
}

static bool is_same_dir(const char *a, const char *b) {
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Checks that the input is not a package, and that the output folder is neither the input nor another design. The
// output folder may have an earlier package.
static bool check_folders(struct packing *p) {
    if (exists(p, p->o.dir, "package.json")) return refuse(p, p->o.dir, MSG_IS_PACKAGE);
    if (is_same_dir(p->o.dir, p->o.out)) return refuse(p, p->o.out, MSG_PACKAGE_FOLDER);
    if (exists(p, p->o.out, "filelist.f") && !exists(p, p->o.out, "package.json"))
        return refuse(p, p->o.out, MSG_PACKAGE_OVER_DESIGN);
    return true;
}

// Reads design.yaml, which must be complete, and fills p->package from it and the options.
static bool read_design(struct packing *p) {
    const char *path = arena_printf(p->arena, "%s/design.yaml", p->o.dir), *why;
    struct ir *ir = kernel_read_design(p->arena, path, p->diag);
    if (!ir) return false;
    if (!ir->done || strcmp(ir->done, pass_last()) != 0) return refuse(p, path, MSG_PACKAGE_UNFINISHED);
    size_t len;
    const char *data = file_read(p->arena, path, MAX_DESIGN, &len, &why);
    if (!data) return refuse(p, path, why);
    p->package.ir = ir;
    p->package.plan = emit_plan_make(ir, NULL);
    p->package.arena = p->arena;
    p->package.name = p->o.name;
    p->package.units = (int)p->o.units;
    p->package.first_bank = (int)p->o.first_bank;
    p->package.prefix = package_prefix(p->arena, p->o.name);
    p->package.identity = arena_printf(p->arena, "%016" PRIx64, bytes_hash(data, len));
    return true;
}

// ---- Verilog ----

static bool is_verilog_name(const char *line) {
    return !strncmp(line, "rtl/", 4) && file_has_suffix(line + 4, ".v") && !strchr(line + 4, '/');
}

static const char *read_verilog(struct packing *p, const char *path, size_t *len) {
    const char *why, *data = file_read(p->arena, path, MAX_VERILOG, len, &why);
    if (!data) refuse(p, path, why);
    return data;
}

// Checks that the top module was made from this design.yaml: the first line of the top's file must have the identity.
// Either file may be from another run, or edited by hand.
static bool check_top(struct packing *p, const char *path, const char *text) {
    const char *mark = arena_printf(p->arena, "with the hash %s", p->package.identity), *end = strchr(text, '\n');
    const char *found = strstr(text, mark);
    if (found && end && found < end) return true;
    return refuse(p, path, MSG_PACKAGE_STALE);
}

// Loads the Verilog file `from`, whose path in the design is `name`, and notes the modules in it.
static bool load_verilog(struct packing *p, const char *from, const char *name) {
    size_t len;
    const char *data = read_verilog(p, from, &len);
    if (!data || (!strcmp(name, "rtl/rill_top.v") && !check_top(p, from, data))) return false;
    struct verilog_file file = {name, {from, data, len}};
    package_add_modules(&p->package, &file.text);
    VEC_PUSH(p->arena, p->verilog, file);
    return true;
}

static bool is_listed(const struct packing *p, const char *name) {
    for (size_t i = 0; i < p->verilog.count; i++)
        if (!strcmp(p->verilog.items[i].name, name)) return true;
    return false;
}

// Loads the Verilog files that the design's filelist.f names.
static bool load_listed(struct packing *p) {
    const char *path = arena_printf(p->arena, "%s/filelist.f", p->o.dir), *why;
    size_t len;
    char *list = file_read(p->arena, path, MAX_LIST, &len, &why);
    if (!list) return refuse(p, path, why);
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        if (!is_verilog_name(line) || is_listed(p, line))
            return refuse(p, path, arena_printf(p->arena, MSG_PACKAGE_FILE_LIST, line));
        if (!load_verilog(p, arena_printf(p->arena, "%s/%s", p->o.dir, line), line)) return false;
    }
    return is_listed(p, "rtl/rill_top.v") || refuse(p, path, MSG_PACKAGE_NO_TOP);
}

// Returns the path of a file that ships with Rill, or NULL after an error.
static const char *shared_file(struct packing *p, const char *relative) {
    const char *path = file_find_shared(p->arena, relative);
    if (!path) diag_error(p->diag, loc_none(), MSG_SHARED_FILES_MISSING, relative);
    return path;
}

// Loads the library modules that the wrapper needs and the design does not have.
static bool load_controls(struct packing *p) {
    const char *module[PACKAGE_CONTROLS];
    for (int i = 0, count = package_controls(p->package.ir, module); i < count; i++) {
        const char *name = arena_printf(p->arena, "rtl/%s.v", module[i]), *path;
        if (is_listed(p, name)) continue;
        path = shared_file(p, arena_printf(p->arena, "rtl-templates/control/%s.v", module[i]));
        if (!path || !load_verilog(p, path, name)) return false;
    }
    return true;
}

// ---- files ----

static bool write_text(struct packing *p, const char *name, struct text *text) {
    bool ok = output_text(&p->out, name, text);
    text_free(text);
    return ok;
}

// Returns the path in the package of a Verilog file of the design.
static const char *file_of(struct packing *p, const char *rest) {
    return arena_printf(p->arena, "rtl/%s%s", p->package.prefix, rest);
}

// Writes the design's Verilog with the prefix before the names of its modules, and notes the files in reading order.
static bool write_verilog(struct packing *p) {
    for (size_t i = 0; i < p->verilog.count; i++) {
        const struct verilog_file *file = &p->verilog.items[i];
        const char *name = file_of(p, file->name + strlen("rtl/"));
        struct text text = {0};
        package_add_prefixed(&p->package, file->text.data, file->text.size, &text);
        if (!write_text(p, name, &text)) return false;
        VEC_PUSH(p->arena, p->package.rtl, name);
    }
    VEC_PUSH(p->arena, p->package.rtl, arena_printf(p->arena, "rtl/%s.v", p->package.name));
    return true;
}

// Writes the module of the packaged kernel, which instantiates modules with the prefix.
static bool write_wrapper(struct packing *p) {
    struct text plain = {0}, text = {0};
    package_wrapper(&p->package, &plain);
    package_add_prefixed(&p->package, text_cstr(&plain), plain.len, &text);
    text_free(&plain);
    return write_text(p, arena_printf(p->arena, "rtl/%s.v", p->package.name), &text);
}

// Writes the files whose texts depend on the design: settings, scripts, descriptions of the kernel.
static bool write_emitted(struct packing *p) {
    const struct package *k = &p->package;
    const struct {
        const char *name;
        void (*emit)(const struct package *, struct text *);
    } files[] = {{"filelist.f", package_filelist},     {"sources.tcl", package_sources},
                 {"design.tcl", package_settings},     {"design.mk", package_make},
                 {"placement.tcl", package_placement}, {"ooc.xdc", package_clock},
                 {"link.cfg", package_link},           {"kernel.xml", package_kernel_xml},
                 {"component.xml", package_component}, {arena_printf(p->arena, "%s.core", k->name), package_core},
                 {"package.json", package_json}};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct text text = {0};
        files[i].emit(k, &text);
        if (!write_text(p, files[i].name, &text)) return false;
    }
    return true;
}

// Adds the text of a file that is identical for every design.
static bool add_shared(struct packing *p, const char *relative, struct text *text) {
    size_t len;
    const char *why, *path = shared_file(p, relative);
    const char *data = path ? file_read(p->arena, path, MAX_LIST, &len, &why) : NULL;
    if (path && !data) refuse(p, path, why);
    if (data) text_add_bytes(text, data, len);
    return data;
}

// Writes a file that is identical for every design. before: text that is written in front of it, or an empty text.
// Frees `before`.
static bool write_shared(struct packing *p, const char *relative, const char *name, struct text *before) {
    bool ok = add_shared(p, relative, before) && output_text(&p->out, name, before);
    text_free(before);
    return ok;
}

// Writes the constraints of the second clock. The constraints of weights are only for designs whose multipliers keep a
// weight for a whole cycle of the first clock (A: 4). In other designs they would match no pin.
static bool write_clocks(struct packing *p) {
    struct text clocks = {0};
    bool ok = add_shared(p, "boards/vitis/" PACKAGE_CLOCKS, &clocks);
    if (p->package.ir->design.copies >= CHOICE_PUMPED_COPIES) {
        text_add(&clocks, "\n");
        ok = ok && add_shared(p, "boards/vitis/clocks_weights.xdc", &clocks);
    }
    ok = ok && output_text(&p->out, PACKAGE_CLOCKS, &clocks);
    text_free(&clocks);
    return ok;
}

// Writes the scripts, the checklist, the waivers and the constraints of the second clock.
static bool write_scripts(struct packing *p) {
    static const char *const names[] = {"Makefile",  "package_xo.tcl", "ooc.tcl",     "place.tcl",
                                        "tools.tcl", "tools.sh",       "together.sh", "clock.sh"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct text none = {0};
        if (!write_shared(p, arena_printf(p->arena, "boards/vitis/%s", names[i]), names[i], &none)) return false;
    }
    struct text head = {0}, none = {0};
    if (ir_second_clock(p->package.ir) && !write_clocks(p)) return false;
    package_checklist(&p->package, &head);
    return write_shared(p, "boards/vitis/CHECKLIST.md", "CHECKLIST.md", &head) &&
           write_shared(p, "verif/lint/emitted.vlt", "lint.vlt", &none);
}

// Copies the host program's sources, so that a machine with a card needs only the package.
static bool write_host(struct packing *p) {
    static const char list_file[] = "boards/host/sources.txt";
    size_t len;
    const char *why, *path = shared_file(p, list_file);
    char *list = path ? file_read(p->arena, path, MAX_LIST, &len, &why) : NULL;
    if (!list) return path ? refuse(p, path, why) : false;
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        struct text none = {0};
        if (line[0] != '#' && !write_shared(p, line, arena_printf(p->arena, "host/%s", line), &none)) return false;
    }
    return true;
}

// Copies a file of the design to the package.
static bool copy_text(struct packing *p, const char *name) {
    size_t len;
    const char *why, *path = arena_printf(p->arena, "%s/%s", p->o.dir, name);
    const char *data = file_read(p->arena, path, MAX_DESIGN, &len, &why);
    if (!data) return refuse(p, path, why);
    struct text text = {0};
    text_add_bytes(&text, data, len);
    return write_text(p, name, &text);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// Copies the original spec and the golden files. A design made by an older version has neither.
static bool copy_oracle(struct packing *p) {
    VEC(const char *) names = {0};
    DIR *dir = opendir(arena_printf(p->arena, "%s/oracle", p->o.dir));
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') VEC_PUSH(p->arena, names, arena_printf(p->arena, "oracle/%s", e->d_name));
    if (dir) closedir(dir);
    if (names.count) qsort(names.items, names.count, sizeof *names.items, by_name);
    for (size_t i = 0; i < names.count; i++)
        if (!copy_text(p, names.items[i])) return false;
    return true;
}

// Writes the files that simulation, report and host read, so that these commands accept the package as a design.
static bool write_design(struct packing *p) {
    struct text map = {0}, sim = {0};
    text_addf(&sim, "%s\n", package_comment(&p->package, "//"));
    emit_sim_top(p->package.plan, p->package.name, &sim);
    emit_memory_map(p->package.ir, &map);
    bool sim_ok = write_text(p, "sim/rill_sim_top.sv", &sim), map_ok = write_text(p, "memory_map.json", &map);
    static const char *const copied[] = {"design.yaml", "report.txt", "report.json"};
    for (size_t i = 0; i < COUNT_OF(copied); i++)
        if (!copy_text(p, copied[i])) return false;
    return sim_ok && map_ok && copy_oracle(p);
}

// Writes a list of all files, which includes the list itself. When a later package is written to this folder, find_old
// takes the files to remove from this list.
static bool write_list(struct packing *p) {
    struct text list = {0};
    size_t skip = strlen(p->o.out) + 1;
    for (size_t i = 0; i < p->out.files.count; i++) text_addf(&list, "%s\n", p->out.files.items[i].path + skip);
    text_add(&list, PACKAGE_FILES "\n");
    return write_text(p, PACKAGE_FILES, &list);
}

static bool write_package(struct packing *p) {
    if (!load_listed(p) || !load_controls(p)) return false;
    if (!package_prepare(&p->package, loc_file(p->arena, arena_printf(p->arena, "%s/design.yaml", p->o.dir)), p->diag))
        return false;
    return write_verilog(p) && write_wrapper(p) && write_emitted(p) && write_scripts(p) && write_host(p) &&
           write_design(p) && write_list(p);
}

// ---- files that an earlier package in this folder has and the new one does not ----

typedef VEC(const char *) path_list;

static bool is_written(const struct packing *p, const char *path) {
    for (size_t i = 0; i < p->out.files.count; i++)
        if (!strcmp(p->out.files.items[i].path, path)) return true;
    return false;
}

// Returns whether a path of the list stays within the folder. A list that was changed by hand must not remove files
// elsewhere.
static bool is_inside(const char *path) { return *path && *path != '/' && *path != '#' && !strstr(path, ".."); }

// Returns the files of an earlier package that the new one does not have. A package of an older version has a list of
// its Verilog files only.
static path_list find_old(struct packing *p) {
    path_list old = {0};
    const char *why, *name = exists(p, p->o.out, PACKAGE_FILES) ? PACKAGE_FILES : "filelist.f";
    size_t len;
    char *list = file_read(p->arena, arena_printf(p->arena, "%s/%s", p->o.out, name), MAX_LIST, &len, &why);
    for (char *line = list ? strtok(list, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        const char *path = arena_printf(p->arena, "%s/%s", p->o.out, line);
        if (is_inside(line) && !is_written(p, path)) VEC_PUSH(p->arena, old, path);
    }
    return old;
}

// Removes the files, and folders in the package that become empty.
static void remove_old(struct packing *p, const path_list *old) {
    for (size_t i = 0; i < old->count; i++) {
        const char *dir = old->items[i];
        remove(old->items[i]);
        while (strlen(dir = file_dir(p->arena, dir)) > strlen(p->o.out) && !rmdir(dir)) continue;
    }
}

// Warns if the package has a folder `build` and was the package of another design before, because the results of the
// vendor's tools in `build` then belong to that design.
static void note_build(struct packing *p, const char *identity_before) {
    if (!identity_before || !strcmp(identity_before, p->package.identity) || !exists(p, p->o.out, "build")) return;
    diag_warning(p->diag, loc_file(p->arena, arena_printf(p->arena, "%s/build", p->o.out)), MSG_PACKAGE_BUILD,
                 identity_before, p->o.out);
}

// Returns the identity of the package that was in the output folder before, or NULL if there was none.
static const char *identity_before(struct packing *p) {
    static const char key[] = "\"identity\": \"";
    const char *why;
    size_t len;
    char *text = file_read(p->arena, arena_printf(p->arena, "%s/package.json", p->o.out), MAX_LIST, &len, &why);
    const char *at = text ? strstr(text, key) : NULL, *end = at ? strchr(at += strlen(key), '"') : NULL;
    return end ? arena_strndup(p->arena, at, (size_t)(end - at)) : NULL;
}

// Writes the package and then removes files of an earlier one. Returns the exit status.
static int write_folder(struct packing *p) {
    if (!check_folders(p) || !read_design(p)) return RILL_BAD_SPEC;
    output_begin(&p->out, p->arena, p->o.out);
    bool ok = write_package(p);
    path_list old = {0};
    const char *before = identity_before(p);
    size_t files = p->out.files.count;
    if (ok) old = find_old(p);
    if (ok && output_commit(&p->out)) {
        struct text said = {0};
        remove_old(p, &old);
        note_build(p, before);
        package_said(&p->package, p->o.out, files, &said);
        return command_print(&said);
    }
    if (!ok) output_abort(&p->out);
    if (p->out.error) diag_error_text(p->diag, loc_none(), p->out.error);
    return RILL_BAD_SPEC;
}

static int start(struct run *run, void *options) {
    struct packing p = {.arena = &run->arena, .diag = &run->diag, .o = *(const struct package_options *)options};
    if (p.o.registers) return print_registers();
    int status = command_takes_folder("package", p.o.dir) ? write_folder(&p) : RILL_BAD_SPEC;
    if (status == RILL_OK) command_warn_verdict(run, p.package.ir, loc_file(p.arena, p.o.dir));
    if (status == RILL_OK && p.package.units > 1)
        design_report_copies(p.package.ir, p.package.units, loc_file(p.arena, p.o.dir), p.diag);
    return status;
}

#define AT(member) offsetof(struct package_options, member)
static const struct option_row rows[] = {
    {"DIR", NULL, OPTION_FILE, OPTION_NEEDED, AT(dir), .help = "a design that `rill gen` wrote"},
    {"-o", "PKG", OPTION_FILE, OPTION_NEEDED, AT(out),
     .help = "the package to write: Verilog with the kernel's pins, scripts and settings for Vivado and "
             "Vitis, kernel.xml, component.xml, a FuseSoC core and the register map. `make -C PKG help` "
             "lists the next steps"},
    {"--name", "NAME", OPTION_WORD, 0, AT(name), .preset = PACKAGE_DEFAULT_NAME,
     .help = "name of the kernel and of its module"},
    {"--units", "N", OPTION_NUMBER, 0, AT(units), .least = 1, .most = PACKAGE_LAST_BANK + 1, .preset = "1",
     .help = "compute units: how often the binary has the kernel. Each unit has its own memory banks"},
    {"--first-bank", "K", OPTION_NUMBER, 0, AT(first_bank), .most = PACKAGE_LAST_BANK, .preset = "0",
     .help = "bank of the first memory port, if another kernel of the project has the banks before it"},
    {"--registers", NULL, OPTION_FLAG, OPTION_ALONE, AT(registers),
     .help = "print the register map of s_axi_control as a Markdown table"},
    {0}};

const struct command command_package = {
    .options = {.name = "package",
                .purpose = "make a folder for the vendor's tools: kernel, scripts, register map",
                .example = "rill package design -o kernel\nmake -C kernel help",
                .page = "package",
                .table = {{rows, 0}}},
    .size = sizeof(struct package_options),
    .start = start};
