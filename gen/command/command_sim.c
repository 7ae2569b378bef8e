// SPDX-License-Identifier: Apache-2.0
// rill sim: builds the simulation of a generated design with Verilator (verif/harness/build.sh) if its executable is
// missing or older than its sources, checks the options, and then becomes that executable. The executable compares the
// design with the replay. `rill verify` uses the same build through command_simulation.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/command/command.h"
#include "gen/pack/pack.h"
#include "gen/model/rows.h"
#include "gen/model/tokenizer.h"

enum { MAX_THREADS = 64, MOST_OPTIONS = 4 /* options for Verilator */, MAX_TOP = 16 << 20 /* bytes of the top */ };

struct build_options {
    struct sim_options sim; // options of the executable, read here to reject wrong ones before the build
    bool build_only, quick, tune, pumped;
    int64_t jobs, threads;
};

struct sim_build {
    struct arena *arena;
    const char *dir, *root; // dir: the design's folder; root: the folder of Rill's sources or of its installation
    const char *folder;     // folder of the executable within dir, another one for each combination of options
    const char *kind;       // kind of build: plain, tuned or quick (verif/harness/build.sh)
    bool trace, build_only, pumped;
    int jobs, threads; // compiler processes; threads of the simulation
};

// Handles SIGTERM: ends all processes of the group.
static void end_all(int signal) {
    (void)signal;
    kill(0, SIGKILL);
}

static int wait_for(pid_t pid) { // returns the exit status, or -1
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Runs a program in a new process group and returns its exit status, or -1. If the process `parent` ends for any
// reason, all processes of the group end.
static int watch_over(char *const args[], pid_t parent) {
    setpgid(0, 0);
    signal(SIGTERM, end_all);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) end_all(SIGTERM);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGTERM, SIG_DFL);
        execvp(args[0], args);
        _exit(127);
    }
    return wait_for(pid);
}

// Runs a program and writes its output to the file descriptor `log`. Returns its exit status, or -1.
static int run(char *const args[], int log) {
    pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        _exit(watch_over(args, self));
    }
    return wait_for(pid);
}

// Prints the end of a log, at most 4000 bytes.
static void show_tail(struct arena *arena, const char *log) {
    size_t len;
    const char *why, *data = file_read(arena, log, 64 << 20, &len, &why);
    if (data) fprintf(stderr, "%s\n", len > 4000 ? data + len - 4000 : data);
}

// Returns whether a file exists and is older than the executable, whose status is *made.
static bool is_older(const char *path, const struct stat *made) {
    struct stat source;
    if (stat(path, &source)) return false;
    return source.st_mtim.tv_sec < made->st_mtim.tv_sec ||
           (source.st_mtim.tv_sec == made->st_mtim.tv_sec && source.st_mtim.tv_nsec < made->st_mtim.tv_nsec);
}

// Returns whether all files of a folder are older than the executable. Returns false if the folder cannot be read.
static bool all_older(struct sim_build *b, const char *folder, const struct stat *made) {
    DIR *dir = opendir(folder);
    if (!dir) return false;
    bool older = true;
    for (struct dirent *e; older && (e = readdir(dir));)
        older = e->d_name[0] == '.' || is_older(arena_printf(b->arena, "%s/%s", folder, e->d_name), made);
    closedir(dir);
    return older;
}

// Returns whether the executable is newer than its sources: the design's Verilog (which may be edited by hand), Rill's
// library, the memory model and the harness.
static bool is_current(struct sim_build *b, const char *exe) {
    struct arena *a = b->arena;
    struct stat made;
    return !stat(exe, &made) && is_older(arena_printf(a, "%s/filelist.f", b->dir), &made) &&
           is_older(arena_printf(a, "%s/build/librill.a", b->root), &made) &&
           all_older(b, arena_printf(a, "%s/rtl", b->dir), &made) &&
           all_older(b, arena_printf(a, "%s/verif/model", b->root), &made) &&
           all_older(b, arena_printf(a, "%s/verif/harness", b->root), &made);
}

// Prints an error, unless `why` is NULL because it was reported before. Returns false.
static bool refused(const char *why) {
    if (why) diag_command("sim", "error", "%s", why);
    return false;
}

// Checks that there is a memory image, which the simulation needs. The check is done before the build, which takes
// minutes.
static bool has_image(struct sim_build *b) {
    if (b->build_only || !access(arena_printf(b->arena, "%s/image/manifest.json", b->dir), R_OK)) return true;
    diag_command("sim", "error", MSG_NO_IMAGE, b->dir, b->dir);
    return false;
}

// ---- errors of the simulation, found before the build ----

static struct tokenizer *open_tokenizer(struct run *run, const struct ir *ir, const char *image,
                                        const struct sim_options *o) {
    if (!ir->design.is_lm) return NULL;
    return sim_tokenizer_open(&run->arena, image, ir_vocabulary(ir), o, &run->diag);
}

// Reads all requests and returns the first message about a wrong one, or NULL.
static const char *requests_fault(struct run *run, const struct ir *ir, const struct tokenizer *tokenizer,
                                  const struct sim_options *o) {
    const char *why = NULL;
    struct sim_request request;
    for (size_t i = 0; !why && i < o->prompts.count; i++)
        why = sim_request_read(&run->arena, ir, tokenizer, o, &o->prompts.items[i], &request);
    return why;
}

// Checks the rows of an input file. A pipe is not checked here, because only one process can read it, the simulation.
static bool reads_inputs(struct run *run, struct ir *ir, const struct sim_options *o) {
    struct stat s;
    int64_t most = o->unchecked ? INT64_MAX : ir->design.context;
    if (!stat(o->inputs, &s) && !S_ISREG(s.st_mode)) return true;
    return rows_read(&run->arena, o->inputs, rows_inputs(&run->arena, ir), ir->inputs, o->prompts.items[0].tokens, most,
                     &run->diag) > 0;
}

// Checks that the image and the requests fit the design. The requests of a saved run were checked when that run
// began. Requests in a pipe are not checked here.
static bool fits_design(struct run *run, const struct sim_build *b, struct sim_options *o) {
    if (b->build_only) return true;
    const char *image = arena_printf(b->arena, "%s/image", b->dir), *why = NULL;
    struct ir *ir = ir_read(b->arena, arena_printf(b->arena, "%s/design.yaml", b->dir), &run->diag);
    if (!ir || (why = sim_options_fault(b->arena, ir, o)) != NULL || !pack_check_image(ir, image, &run->diag))
        return refused(why);
    if (o->resume || o->unread) return true;
    if (o->inputs) return reads_inputs(run, ir, o);
    if (!sim_options_read_chat(b->arena, o, &run->diag)) return false;
    struct tokenizer *tokenizer = open_tokenizer(run, ir, image, o);
    bool opened = tokenizer || !ir->design.is_lm;
    if (opened) why = requests_fault(run, ir, tokenizer, o);
    tokenizer_close(tokenizer);
    return opened && !why ? true : refused(why);
}

// ---- the build ----

// Prints that the build has begun. A plain build takes minutes, so its message names the quick build.
static void say_building(const struct sim_build *b) {
    fprintf(stderr, "rill sim: building the simulation of %s ...%s\n", b->dir,
            strcmp(b->kind, "plain") != 0
                ? ""
                : " (minutes; `--quick-build` builds a small design in seconds, for short requests)");
}

static void add_options(const struct sim_build *b, const char *args[MOST_OPTIONS]) { // options of Verilator
    if (b->trace) *args++ = "--trace-fst";
    if (!b->pumped) return;
    *args++ = "-DRILL_PUMP";                      // for the Verilog of the multipliers
    *args++ = "-CFLAGS", *args++ = "-DRILL_PUMP"; // for verif/harness/main.cpp
}

static bool unwritable(const char *path) {
    diag_command("sim", "error", MSG_FILE_UNWRITABLE, path, strerror(errno));
    return false;
}

enum { FULL = 1 << 20 /* bytes; a disk with less space counts as full */ };

// Reports a full disk, which compilers may not report themselves.
static void say_full(const char *dir) {
    struct statvfs s;
    if (!statvfs(dir, &s) && (uint64_t)s.f_bavail * s.f_frsize < FULL) diag_command("sim", "error", MSG_DISK_FULL, dir);
}

// Builds the executable with verif/harness/build.sh and shows the end of the log if that fails.
static bool build(struct sim_build *b, const char *exe) {
    struct arena *a = b->arena;
    const char *log = arena_printf(a, "%s/sim/build.log", b->dir);
    const char *args[] = {arena_printf(a, "%s/verif/harness/build.sh", b->root),
                          b->kind,
                          b->dir,
                          b->folder,
                          arena_printf(a, "%d", b->threads),
                          arena_printf(a, "%d", b->jobs),
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL};
    add_options(b, args + COUNT_OF(args) - MOST_OPTIONS - 1); // in place of the NULLs except the last
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return unwritable(log);
    say_building(b);
    bool ok = run((char *const *)args, fd) == 0 && !access(exe, X_OK);
    close(fd);
    if (ok) return true;
    diag_command("sim", "error", MSG_SIM_BUILD, b->dir, log);
    show_tail(a, log);
    say_full(b->dir);
    say_full(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    return false;
}

// Builds the executable, unless another process has built it in the meantime. A lock makes sure that only one process
// at a time builds simulations of a design.
static bool build_once(struct sim_build *b, const char *exe) {
    const char *path = arena_printf(b->arena, "%s/sim/build.lock", b->dir);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) return unwritable(path);
    if (flock(lock, LOCK_EX | LOCK_NB)) {
        fprintf(stderr, "rill sim: waiting for another `rill sim` that builds %s ...\n", b->dir);
        while (flock(lock, LOCK_EX) && errno == EINTR) continue;
    }
    bool ok = is_current(b, exe) || build(b, exe);
    close(lock);
    return ok;
}

// Returns whether a variable of the environment is 1.
static bool is_wanted(const char *variable) {
    const char *value = getenv(variable);
    return value && !strcmp(value, "1");
}

static const char *kind_of(const struct build_options *o) {
    return o->tune ? "tuned" : o->quick || is_wanted("RILL_QUICK_BUILD") ? "quick" : "plain";
}

// Finds the folder of the sources (b->root) and of the executable (b->folder). Returns false after an error.
static bool find_folders(struct sim_build *b) {
    const char *harness = file_find_shared(b->arena, "verif/harness/main.cpp");
    if (!harness || access(arena_printf(b->arena, "%s/filelist.f", b->dir), R_OK)) {
        diag_command("sim", "error", "%s",
                     harness ? arena_printf(b->arena, MSG_NO_DESIGN, b->dir, b->dir) : MSG_NO_HARNESS);
        return false;
    }
    b->root = realpath(arena_strndup(b->arena, harness, strlen(harness) - strlen("/verif/harness/main.cpp")), NULL);
    b->folder = !strcmp(b->kind, "plain") ? "sim/build" : arena_printf(b->arena, "sim/%s", b->kind);
    if (b->pumped) b->folder = arena_printf(b->arena, "%s-pumped", b->folder);
    if (b->trace) b->folder = arena_printf(b->arena, "%s-trace", b->folder);
    if (b->threads > 1) b->folder = arena_printf(b->arena, "%s-%d", b->folder, b->threads);
    return true;
}

// Rejects --pumped for a design whose top has no second clock, which multipliers need to work twice per cycle.
static bool can_pump(const struct sim_build *b) {
    size_t len;
    const char *why, *top = arena_printf(b->arena, "%s/sim/rill_sim_top.sv", b->dir);
    const char *text = b->pumped ? file_read(b->arena, top, MAX_TOP, &len, &why) : NULL;
    if (!b->pumped || (text && strstr(text, "clk_2x"))) return true;
    diag_command("sim", "error", MSG_PUMPED_OPTION, b->dir);
    return false;
}

// Replaces this process by the simulation, which gets the options that are for it. Returns only after an error.
static int go_on(const struct run *run, struct sim_build *b, const char *exe) {
    char **args = ARENA_ARRAY(b->arena, char *, (size_t)run->argc + 4);
    int count = 0;
    args[count++] = (char *)exe, args[count++] = "--dir", args[count++] = (char *)b->dir;
    count += options_select(&command_sim.options, request_rows, run->argc, run->argv, args + count);
    count += options_select(&command_sim.options, sim_rows, run->argc, run->argv, args + count);
    options_select(&command_sim.options, figure_rows, run->argc, run->argv, args + count);
    setenv("RILL_HOME", b->root, 0); // the folder with the headers that golden files of custom kernels include
    execv(exe, args);
    diag_command("sim", "error", MSG_SIM_RUN, exe, strerror(errno));
    return RILL_INTERNAL;
}

static int start(struct run *run, void *options) {
    struct build_options *o = options;
    struct sim_build b = {.arena = &run->arena,
                          .dir = o->sim.dir,
                          .kind = kind_of(o),
                          .trace = o->sim.trace != NULL,
                          .build_only = o->build_only,
                          .pumped = o->pumped || is_wanted("RILL_PUMPED"),
                          .jobs = (int)o->jobs,
                          .threads = (int)o->threads};
    const char *why = sim_options_finish(b.arena, &o->sim);
    if (!why && b.threads > 1 && (o->sim.save || o->sim.resume)) why = MSG_SAVE_THREADS;
    if (why) return options_wrong(&command_sim.options, why);
    if (!command_takes_folder("sim", b.dir) || !find_folders(&b) || !can_pump(&b) || !has_image(&b))
        return RILL_BAD_SPEC;
    const char *exe = arena_printf(b.arena, "%s/%s/Vrill", b.dir, b.folder);
    if (!is_current(&b, exe) && (!fits_design(run, &b, &o->sim) || !build_once(&b, exe))) return RILL_BAD_SPEC;
    return b.build_only ? RILL_OK : go_on(run, &b, exe);
}

const char *command_simulation(struct run *run, const struct simulation *s, struct sim_options *options) {
    const struct build_options o = {.quick = s->quick, .tune = s->tune};
    struct sim_build b = {
        .arena = &run->arena, .dir = options->dir, .kind = kind_of(&o), .jobs = s->jobs, .threads = 1};
    if (!command_takes_folder("sim", b.dir) || !find_folders(&b) || !has_image(&b)) return NULL;
    const char *exe = arena_printf(b.arena, "%s/%s/Vrill", b.dir, b.folder);
    if (!fits_design(run, &b, options) || (!is_current(&b, exe) && !build_once(&b, exe))) return NULL;
    setenv("RILL_HOME", b.root, 0);
    return exe;
}

#define AT(member) offsetof(struct build_options, member)
static const struct option_row rows[] = {
    {"DIR", NULL, OPTION_FILE, OPTION_NEEDED, AT(sim.dir), .help = "a design that `rill gen` and `rill pack` wrote"},
    {"--build-only", NULL, OPTION_FLAG, 0, AT(build_only), .help = "build the simulation and stop"},
    {"--jobs", "N", OPTION_NUMBER, 0, AT(jobs), 1, 1024, .preset = "2",
     .help = "number of compiler processes for the build"},
    {"--threads", "N", OPTION_NUMBER, 0, AT(threads), 1, MAX_THREADS, .preset = "1",
     .help = "simulate on N cores, 1 to 64. Rarely worth it (docs/simulation.md). Not with `--save`"},
    {"--tune", NULL, OPTION_FLAG, 0, AT(tune), .without = "--quick-build",
     .help = "optimize the executable after a trial step of the design (needs DIR/image). Worthwhile for "
             "long runs of large designs (needs llvm-bolt, Debian package bolt-15)"},
    {"--quick-build", NULL, OPTION_FLAG, 0, AT(quick),
     .help = "build in seconds instead of minutes, but simulate several times slower. For small designs "
             "and short runs. RILL_QUICK_BUILD=1 in the environment does the same"},
    {"--pumped", NULL, OPTION_FLAG, 0, AT(pumped),
     .help = "simulate the multipliers of a design with `A: 4` or `pump: 2` as they are built, at twice "
             "the clock. The results are the same and take longer. RILL_PUMPED=1 in the environment does "
             "the same"},
    {0}};

const struct command command_sim = {
    .options = {.name = "sim",
                .purpose = "simulate a design with Verilator and compare it with the replay and the oracle",
                .about = "It stops at the first difference. The first run builds the simulation, which takes minutes.",
                .example = "rill sim design --prompt \"Once upon a time\" --tokens 16",
                .page = "simulation",
                .table = {{rows, 0}, {request_rows, AT(sim)}, {sim_rows, AT(sim)}, {figure_rows, AT(sim.figures)}},
                .skips_plus = true},
    .size = sizeof(struct build_options),
    .start = start};
