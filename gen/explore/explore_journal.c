// SPDX-License-Identifier: Apache-2.0
// The journal: a file with a line of JSON per evaluated point, from which an interrupted search continues and which
// several searches may share. Each line is one write at the end of the file, under a lock. A line that was cut off when
// its process was killed, or when the disk was full, is removed by the next process that adds one.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/explore/explore.h"

// Reports an error of the file. Returns false.
static bool failed(const struct explore *x, const struct explore_journal *j, int error) {
    diag_error(x->diag, loc_none(), MSG_FILE_UNWRITABLE, j->path, strerror(error));
    return false;
}

// Returns whether a file of this size ends with a complete line, or is empty.
static bool is_ended(int file, off_t size) {
    char last = '\n';
    return size <= 0 || (pread(file, &last, 1, size - 1) == 1 && last == '\n');
}

// Returns the size of the file without an incomplete last line. The caller holds the lock.
static off_t whole_lines(int file) {
    off_t size = lseek(file, 0, SEEK_END);
    while (!is_ended(file, size)) size--;
    return size;
}

// Passes each complete line that belongs to this search to `take`.
static void read_lines(const struct explore *x, FILE *in, explore_take *take, void *to) {
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while ((len = getline(&line, &room, in)) > 0) {
        struct explore_point p = {{0}};
        struct explore_result r;
        if (line[len - 1] == '\n' && explore_read_line(x, line, &p, &r)) take(to, &p, &r);
    }
    free(line);
}

bool explore_journal_open(const struct explore *x, struct explore_journal *j, const char *path, explore_take *take,
                          void *to) {
    *j = (struct explore_journal){path, -1};
    if (!path) return true;
    j->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (j->file < 0) return failed(x, j, errno);
    struct stat kind;
    if (fstat(j->file, &kind) || !S_ISREG(kind.st_mode)) return true; // a device has no earlier lines
    FILE *in = fopen(path, "r");
    if (!in) return failed(x, j, errno);
    read_lines(x, in, take, to);
    fclose(in);
    return true;
}

bool explore_journal_add(const struct explore *x, struct explore_journal *j, const struct text *line) {
    if (j->file < 0) return true;
    flock(j->file, LOCK_EX);
    off_t end = whole_lines(j->file);
    bool ok = end == lseek(j->file, 0, SEEK_END) || ftruncate(j->file, end) == 0;
    errno = 0;
    ok = ok && write(j->file, line->data, line->len) == (ssize_t)line->len;
    int error = errno ? errno : ENOSPC, cut = ok ? 0 : ftruncate(j->file, end); // no part of a line remains
    flock(j->file, LOCK_UN);
    return (ok && cut == 0) || failed(x, j, error);
}
