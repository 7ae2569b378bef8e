// SPDX-License-Identifier: Apache-2.0
// rill sim: builds a generated design with Verilator (once per design and set of sources) and runs it against the
// golden model.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verif/harness/sim_internal.h"
#include "gen/command.h"

static const char usage[] =
    "usage: rill sim DIR [--prompt TEXT] [--tokens N] [--seed S] [--ignore-eot] [--trace FILE] [--json FILE] "
    "[options]\n"
    "  DIR               a design that `rill gen` and `rill pack` wrote\n"
    "  --build-only      build the simulation and stop\n"
    "  --jobs N          compiler processes (default 2)\n"
    "  --threads N       simulate on N cores, 1 (default) to 64, for large designs on an idle machine; without --save\n"
    "  --tune            lay the executable's code out after a step of the design has run (DIR/image): for long runs "
    "of large\n"
    "                    designs (needs llvm-bolt, Debian's bolt-15)\n"
    "  --quick-build     build in seconds what then runs several times slower: for small designs and few steps\n"
    "                    (needs clang++; RILL_QUICK_BUILD=1 in the environment does the same)\n"
    "All other options go to the simulation; `rill sim DIR --help` lists them.\n";

enum { MAX_THREADS = 64 };

struct sim_build {
    struct arena arena;
    const char *dir, *root; // root: the project's folder
    const char *folder;     // of the executable, in dir: each kind of build has its own
    const char *kind;       // of build: plain, tuned, quick (verif/harness/build.sh)
    bool trace, build_only;
    const char *jobs;
    int threads;
    char **pass; // arguments of the simulation
    int passed;
};

static bool bad(const char *what) {
    fprintf(stderr, "rill sim: error: %s\n(`rill sim --help` shows the options)\n", what);
    return false;
}

static bool check_options(struct sim_build *b, const char *threads, bool saves) {
    int64_t jobs, cores;
    if (!b->dir) return bad("DIR is missing, the folder of a design");
    if (!command_number("sim", "--jobs", b->jobs, 1, &jobs) || !command_number("sim", "--threads", threads, 1, &cores))
        return false;
    if (cores > MAX_THREADS) return bad("--threads takes 1 to 64");
    if (cores > 1 && saves) return bad("--save and --resume go without --threads");
    b->threads = (int)cores;
    return true;
}

// A pipe is read once, by the simulation.
static bool is_pipe_of_requests(const char *option, const char *path) {
    struct stat s;
    return !strcmp(option, "--requests") && !stat(path, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

// What the simulation would refuse is refused before it is built.
static bool check_passed(struct sim_build *b, int *status) {
    struct sim_options options;
    char **checked = ARENA_ARRAY(&b->arena, char *, (size_t)b->passed + 1);
    int count = 3;
    b->pass[0] = "rill sim", b->pass[1] = "--dir", b->pass[2] = (char *)b->dir;
    memcpy(checked, b->pass, 3 * sizeof *checked);
    for (int i = 3; i < b->passed; i++) {
        if (i + 1 < b->passed && is_pipe_of_requests(b->pass[i], b->pass[i + 1])) i++;
        else checked[count++] = b->pass[i];
    }
    return options_read(&b->arena, count, checked, &options, status);
}

static bool parse(int argc, char **argv, struct sim_build *b) {
    const char *quick = getenv("RILL_QUICK_BUILD");
    b->kind = quick && !strcmp(quick, "1") ? "quick" : "plain";
    b->jobs = "2";
    bool saves = false;
    const char *threads = "1";
    b->pass = ARENA_ARRAY(&b->arena, char *, (size_t)argc + 4);
    b->passed = 3; // program, --dir, DIR
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--build-only")) b->build_only = true;
        else if (!strcmp(argv[i], "--quick-build")) b->kind = "quick";
        else if (!strcmp(argv[i], "--tune")) b->kind = "tuned";
        else if (!strcmp(argv[i], "--jobs") && i + 1 < argc) b->jobs = argv[++i];
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc) threads = argv[++i];
        else if (!strcmp(argv[i], "--jobs") || !strcmp(argv[i], "--threads"))
            return bad("a value is missing behind --jobs or --threads");
        else if (argv[i][0] != '-' && !b->dir) b->dir = argv[i];
        else {
            b->trace |= !strcmp(argv[i], "--trace");
            saves |= !strcmp(argv[i], "--save") || !strcmp(argv[i], "--resume");
            bool has_value = argv[i][0] == '-' && i + 1 < argc && strcmp(argv[i], "--ignore-eot") &&
                             strcmp(argv[i], "--quiet") && strcmp(argv[i], "--unchecked") &&
                             strcmp(argv[i], "--occupancy") && strcmp(argv[i], "--help") && strcmp(argv[i], "-h");
            b->pass[b->passed++] = argv[i];
            if (has_value) b->pass[b->passed++] = argv[++i];
        }
    }
    return check_options(b, threads, saves);
}

// Runs a program with its output in a log; the exit status, or -1.
static int run(char *const args[], const char *log) {
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen(log, "w", stdout)) _exit(127);
        dup2(STDOUT_FILENO, STDERR_FILENO);
        execvp(args[0], args);
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void show_tail(struct arena *arena, const char *log) {
    size_t len;
    const char *why, *data = file_read(arena, log, 64 << 20, &len, &why);
    if (data) fprintf(stderr, "%s\n", len > 4000 ? data + len - 4000 : data);
}

static bool is_older(const char *path, const struct stat *made) {
    struct stat source;
    if (stat(path, &source)) return false;
    return source.st_mtim.tv_sec < made->st_mtim.tv_sec ||
           (source.st_mtim.tv_sec == made->st_mtim.tv_sec && source.st_mtim.tv_nsec < made->st_mtim.tv_nsec);
}

static bool all_older(struct sim_build *b, const char *folder, const struct stat *made) {
    DIR *dir = opendir(folder);
    if (!dir) return false;
    bool older = true;
    for (struct dirent *e; older && (e = readdir(dir));)
        older = e->d_name[0] == '.' || is_older(arena_printf(&b->arena, "%s/%s", folder, e->d_name), made);
    closedir(dir);
    return older;
}

// Whether the executable is newer than all it is made of: the design's Verilog, edited by hand or not, the memory model
// and the harness.
static bool is_current(struct sim_build *b, const char *exe) {
    struct arena *a = &b->arena;
    struct stat made;
    return !stat(exe, &made) && is_older(arena_printf(a, "%s/filelist.f", b->dir), &made) &&
           is_older(arena_printf(a, "%s/build/librill.a", b->root), &made) &&
           all_older(b, arena_printf(a, "%s/rtl", b->dir), &made) &&
           all_older(b, arena_printf(a, "%s/verif/model", b->root), &made) &&
           all_older(b, arena_printf(a, "%s/verif/harness", b->root), &made);
}

// Found before the build, which takes a while.
static bool has_image(struct sim_build *b) {
    if (b->build_only || !access(arena_printf(&b->arena, "%s/image/manifest.json", b->dir), R_OK)) return true;
    fprintf(stderr,
            "rill sim: error: %s has no memory image; run `rill pack SPEC --weights MODELDIR|random:SEED -o %s`\n",
            b->dir, b->dir);
    return false;
}

static bool build(struct sim_build *b, const char *exe) {
    struct arena *a = &b->arena;
    const char *log = arena_printf(a, "%s/sim/build.log", b->dir);
    const char *args[] = {arena_printf(a, "%s/verif/harness/build.sh", b->root),
                          b->kind,
                          b->dir,
                          b->folder,
                          arena_printf(a, "%d", b->threads),
                          b->jobs,
                          b->trace ? "--trace-fst" : NULL,
                          NULL};
    fprintf(stderr, "rill sim: building the simulation of %s ...\n", b->dir);
    if (run((char *const *)args, log) == 0 && !access(exe, X_OK)) return true;
    fprintf(stderr, "rill sim: error: could not build the simulation of %s; the end of %s:\n", b->dir, log);
    show_tail(a, log);
    return false;
}

int command_sim(int argc, char **argv) {
    struct sim_build b = {0};
    arena_init(&b.arena);
    if (argc == 1) return command_usage(usage);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return fputs(usage, stdout), RILL_OK;
    int status = RILL_USAGE;
    if (!parse(argc, argv, &b) || !check_passed(&b, &status)) return status;
    const char *harness = file_find_shared(&b.arena, "verif/harness/main.cpp");
    if (!harness || access(arena_printf(&b.arena, "%s/filelist.f", b.dir), R_OK)) {
        fprintf(stderr, "rill sim: error: %s\n",
                harness ? arena_printf(&b.arena, "%s holds no design; run `rill gen SPEC -o %s`", b.dir, b.dir)
                        : "the simulation harness (verif/) is not beside the program");
        return RILL_BAD_SPEC;
    }
    if (!has_image(&b)) return RILL_BAD_SPEC;
    b.root = realpath(arena_strndup(&b.arena, harness, strlen(harness) - strlen("/verif/harness/main.cpp")), NULL);
    b.folder = !strcmp(b.kind, "plain") ? "sim/build" : arena_printf(&b.arena, "sim/%s", b.kind);
    if (b.trace) b.folder = arena_printf(&b.arena, "%s-trace", b.folder);
    if (b.threads > 1) b.folder = arena_printf(&b.arena, "%s-%d", b.folder, b.threads);
    const char *exe = arena_printf(&b.arena, "%s/%s/Vrill", b.dir, b.folder);
    if (!is_current(&b, exe) && !build(&b, exe)) return RILL_BAD_SPEC;
    if (b.build_only) return RILL_OK;
    b.pass[0] = (char *)exe;
    setenv("RILL_HOME", b.root, 0); // headers for the golden files of custom kernels
    execv(exe, b.pass);
    fprintf(stderr, "rill sim: error: cannot run %s: %s\n", exe, strerror(errno));
    return RILL_INTERNAL;
}
