// SPDX-License-Identifier: Apache-2.0
// Saves and resumes a run. The state of a run is spread over the Verilated model, the memory model, the replay, the
// checker and the host, but all of it is in writable memory of one process without threads. This memory is saved: the
// pages that the process has written, region by region of /proc/self/maps. Pointers stay valid because addresses are
// the same in every process when the kernel does not randomize them.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // MAP_FIXED_NOREPLACE
#endif
#include "gen/base/diag.h"
#include "verif/harness/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#define CONTROL_AT ((uintptr_t)0x100000000000) /* nothing is mapped there */

enum {
    PAGE = 4096,
    MAPS_BYTES = 1 << 18,
    PATH_BYTES = 512,
    STACK_BYTES = 1 << 18,
    CHUNK = 4096 /* pages examined at once */
};
enum { FLAG_PRESENT = 63, FLAG_SWAPPED = 62, FLAG_FILE = 61 }; // bits of /proc/self/pagemap

struct head {
    char magic[8];
    uint64_t exe_bytes, exe_time; // size and time of the executable
};
struct region { // in the file, runs of its pages follow, then a run of 0 pages
    uint64_t start, end, offset, writable;
    char path[PATH_BYTES]; // "": anonymous; else a file, or [heap], [stack]
};
struct run { // neighbouring pages that the process has written
    uint64_t at, pages;
};

// State of this process, not of the run. It has a fixed address and is never saved.
struct control {
    uint64_t pause;          // cycle of --pause
    bool saves;              // --save was given
    char save[PATH_BYTES];   // file of --save
    int file;                // the file of --resume
    char stack[STACK_BYTES]; // stack of `restore`
};
static struct control *const control = (struct control *)CONTROL_AT;
static bool entered; // `control` is mapped
static jmp_buf resume_at;
static char maps[MAPS_BYTES];
static uint64_t flags[CHUNK];
static unsigned char mapped[CHUNK];

static _Noreturn void refuse(const char *what, const char *why) {
    diag_command("sim", "error", MSG_SNAPSHOT, what, why);
    exit(1);
}

// Fills the head of a file for this executable. Returns false after an error.
static bool head_of(struct head *h) {
    struct stat exe;
    if (stat("/proc/self/exe", &exe)) return false;
    *h = (struct head){"RILLRUN1", (uint64_t)exe.st_size, (uint64_t)exe.st_mtime};
    return true;
}

// ---- saving: nothing here may allocate memory ----

static bool put(int file, const void *data, size_t bytes) {
    for (const char *p = data; bytes;) {
        ssize_t n = write(file, p, bytes < 1 << 30 ? bytes : 1 << 30);
        if (n <= 0) return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

// Returns whether the process has written a page, by the entry of the page in /proc/self/pagemap.
static bool written(uint64_t f) { return f >> FLAG_SWAPPED & 1 || ((f >> FLAG_PRESENT & 1) && !(f >> FLAG_FILE & 1)); }

// Writes the pages of a region that the process has written, as runs.
static bool put_pages(int file, int pagemap, const struct region *r) {
    for (uint64_t at = r->start; r->writable && at < r->end; at += (uint64_t)CHUNK * PAGE) {
        uint64_t count = (r->end - at) / PAGE < CHUNK ? (r->end - at) / PAGE : CHUNK;
        ssize_t bytes = pread(pagemap, flags, count * sizeof *flags, (off_t)(at / PAGE * sizeof *flags));
        if (bytes != (ssize_t)(count * sizeof *flags)) return false;
        for (uint64_t i = 0, n; i < count; i += n) {
            bool is_written = written(flags[i]);
            for (n = 1; i + n < count && written(flags[i + n]) == is_written; n++) continue;
            struct run run = {at + i * PAGE, n};
            if (is_written && !(put(file, &run, sizeof run) && put(file, (const void *)(uintptr_t)run.at, n * PAGE)))
                return false;
        }
    }
    struct run end = {0, 0};
    return put(file, &end, sizeof end);
}

static bool read_maps(void) {
    int file = open("/proc/self/maps", O_RDONLY);
    size_t bytes = 0;
    for (ssize_t n = 1; file >= 0 && n > 0 && bytes + 1 < sizeof maps; bytes += (size_t)(n > 0 ? n : 0))
        n = read(file, maps + bytes, sizeof maps - 1 - bytes);
    if (file >= 0) close(file);
    maps[bytes] = 0;
    return bytes > 0 && bytes + 1 < sizeof maps;
}

// Parses a line of the maps. Returns true for private memory that belongs to the run: writable, or mapped from a file
// and not executable. The kernel's own regions ([vdso], [vvar]) and the control page do not belong to it.
static bool parse_region(const char *line, struct region *r) {
    unsigned long start, end, offset;
    char rights[8];
    int place = 0;
    memset(r, 0, sizeof *r);
    if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &end, rights, &offset, &place) < 4) return false;
    size_t length = place ? strcspn(line + place, "\n") : 0;
    if (length >= sizeof r->path) return false;
    memcpy(r->path, line + place, length);
    r->start = start, r->end = end, r->offset = offset, r->writable = rights[1] == 'w';
    bool of_run = r->writable || (r->path[0] == '/' && rights[2] != 'x');
    return rights[0] == 'r' && rights[3] == 'p' && of_run && start != CONTROL_AT && strncmp(r->path, "[v", 2) != 0;
}

// Writes the whole file.
static bool put_all(int file) {
    struct head h;
    int pagemap = open("/proc/self/pagemap", O_RDONLY);
    bool ok = pagemap >= 0 && read_maps() && head_of(&h) && put(file, &h, sizeof h);
    for (char *line = maps; ok && *line; line += strcspn(line, "\n") + 1) {
        struct region r;
        if (parse_region(line, &r)) ok = put(file, &r, sizeof r) && put_pages(file, pagemap, &r);
    }
    struct region last = {0};
    if (pagemap >= 0) close(pagemap);
    return ok && put(file, &last, sizeof last);
}

bool snapshot_due(uint64_t cycle) { return entered && control->saves && cycle == control->pause; }

const char *snapshot_path(void) { return entered && control->saves ? control->save : NULL; }

bool snapshot_save(const char **why) {
    *why = NULL;
    fflush(NULL);
    if (setjmp(resume_at)) return true;
    int file = open(control->save, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool ok = file >= 0 && put_all(file);
    if (file >= 0 && close(file)) ok = false;
    if (!ok) *why = strerror(errno);
    if (!ok && file >= 0) unlink(control->save);
    return false;
}

// ---- resuming: on a separate stack, because the run's memory is overwritten ----
// An error ends the process without a message, because the memory that a message needs may be overwritten already. Exit
// status 3: the file cannot be read. 4: a mapped file is missing. 5: the heap cannot grow.

static void get(void *data, size_t bytes) {
    for (char *p = data; bytes;) {
        ssize_t n = read(control->file, p, bytes);
        if (n <= 0) _exit(3);
        p += n;
        bytes -= (size_t)n;
    }
}

// Maps every page of the region that is not mapped yet. Pages that are mapped already belong to the program, its
// libraries, the heap or the stack.
static void map_region(const struct region *r) {
    bool is_file = r->path[0] == '/';
    int file = is_file ? open(r->path, O_RDONLY) : -1,
        kind = MAP_PRIVATE | MAP_NORESERVE | (is_file ? 0 : MAP_ANONYMOUS);
    int rights = PROT_READ | (r->writable ? PROT_WRITE : 0);
    if (is_file && file < 0) _exit(4);
    if (mmap((void *)(uintptr_t)r->start, r->end - r->start, rights, kind | MAP_FIXED_NOREPLACE, file,
             (off_t)r->offset) == MAP_FAILED) {
        for (uint64_t at = r->start; at < r->end; at += PAGE) {
            if (mincore((void *)(uintptr_t)at, PAGE, mapped) == 0) continue;
            mmap((void *)(uintptr_t)at, PAGE, rights, kind | MAP_FIXED, file, (off_t)(r->offset + at - r->start));
        }
    }
    if (file >= 0) close(file);
}

// Overwrites the memory with that of the saved run, and continues this run in snapshot_save.
static void restore(void) {
    struct region r;
    for (get(&r, sizeof r); r.end; get(&r, sizeof r)) {
        struct run run;
        if (!strcmp(r.path, "[heap]") && brk((void *)(uintptr_t)r.end)) _exit(5);
        map_region(&r);
        for (get(&run, sizeof run); run.pages; get(&run, sizeof run)) get((void *)(uintptr_t)run.at, run.pages * PAGE);
    }
    close(control->file);
    longjmp(resume_at, 1);
}

static bool read_whole(int file, void *data, size_t bytes) { return read(file, data, bytes) == (ssize_t)bytes; }

// Returns whether the file has every region and page that it announces. So a truncated file is rejected before anything
// is overwritten.
static bool is_whole(int file) {
    struct stat st;
    struct region r;
    bool ok = !fstat(file, &st);
    for (ok = ok && read_whole(file, &r, sizeof r); ok && r.end; ok = ok && read_whole(file, &r, sizeof r)) {
        struct run run;
        for (ok = read_whole(file, &run, sizeof run); ok && run.pages; ok = ok && read_whole(file, &run, sizeof run))
            ok = run.pages <= (uint64_t)st.st_size / PAGE && lseek(file, (off_t)(run.pages * PAGE), SEEK_CUR) >= 0;
    }
    return ok && lseek(file, sizeof(struct head), SEEK_SET) >= 0;
}

// Checks the file and resumes its run.
static _Noreturn void go_on(const char *path) {
    struct head want, have;
    control->file = open(path, O_RDONLY);
    if (control->file < 0) refuse(path, strerror(errno));
    if (read(control->file, &have, sizeof have) != sizeof have || memcmp(have.magic, "RILLRUN1", 8))
        refuse(path, "not a saved run");
    if (!head_of(&want) || memcmp(&want, &have, sizeof want)) refuse(path, "saved by another simulation");
    if (!is_whole(control->file)) refuse(path, "its end is missing");
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = control->stack;
    context.uc_stack.ss_size = STACK_BYTES;
    context.uc_link = NULL;
    makecontext(&context, restore, 0);
    setcontext(&context);
    refuse(path, strerror(errno));
}

// Rejects other options, because the resumed run keeps the options of its first command.
static void refuse_options(int argc, char **argv) {
    static const char *const known[] = {"--dir", "--pause", "--save", "--resume"};
    for (int i = 1; i < argc; i += 2) {
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) is_known |= !strcmp(argv[i], known[k]);
        if (is_known) continue;
        diag_command("sim", "error", MSG_SNAPSHOT_OPTIONS, argv[i]);
        exit(2);
    }
}

void snapshot_enter(int argc, char **argv) {
    const char *save = NULL, *pause = NULL, *resume = NULL;
    for (int i = 1; i + 1 < argc; i++) {
        if (!strcmp(argv[i], "--save")) save = argv[++i];
        else if (!strcmp(argv[i], "--pause")) pause = argv[++i];
        else if (!strcmp(argv[i], "--resume")) resume = argv[++i];
    }
    if (!save && !pause && !resume) return;
    if (resume) refuse_options(argc, argv);
    if (!save != !pause) refuse("--pause CYCLE and --save FILE", "one without the other");
    if (save && strlen(save) >= PATH_BYTES) refuse(save, "too long");
    int persona = personality(0xffffffff);
    if (!(persona & ADDR_NO_RANDOMIZE)) {
        if (personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0)
            refuse("addresses cannot be fixed here, and pieces need that", strerror(errno));
        execv("/proc/self/exe", argv);
        refuse("/proc/self/exe", strerror(errno));
    }
    void *at = mmap((void *)CONTROL_AT, sizeof *control, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (void *)CONTROL_AT) refuse("memory for the saved run", strerror(errno));
    entered = true;
    control->saves = save != NULL;
    if (save) strcpy(control->save, save);
    if (pause) control->pause = strtoull(pause, NULL, 0);
    if (resume) go_on(resume);
}
