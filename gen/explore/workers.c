// SPDX-License-Identifier: Apache-2.0
// Workers are processes that read points from a pipe, one per line, and answer each with a line of JSON. They are forks
// of this process, or commands that start `rill explore ... --work` elsewhere.
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/explore/explore.h"

// ---- the worker's side ----

// Reads a task as `give` writes it: the level and the index of each key's value. Returns false if the line is not
// valid.
static bool read_point(const struct explore *x, const char *line, int *level, struct explore_point *p) {
    char *at;
    *level = (int)strtol(line, &at, 10);
    for (int k = 0; k < x->keys; k++) {
        long v = strtol(at, &at, 10);
        if (v < 0 || v >= x->key[k].values) return false;
        p->at[k] = (uint8_t)v;
    }
    return *level > EXPLORE_NONE && *level <= EXPLORE_WHOLE;
}

// Tells the allocator to keep freed memory. Otherwise it returns the memory of each point to the system, and the page
// faults of the next point take a tenth of the processor time.
static void keep_memory(void) {
#ifdef M_TRIM_THRESHOLD // glibc
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, 32 << 20); // the largest value that it accepts
#endif
}

int explore_work(const struct explore *x, FILE *in, FILE *out) {
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    keep_memory();
    while (ok && getline(&line, &room, in) > 0) {
        struct explore_point p = {{0}};
        struct explore_result r;
        struct text answer = {0};
        int level;
        if (!read_point(x, line, &level, &p)) break;
        explore_evaluate(x, &p, level, &r);
        explore_write_line(x, &p, &r, &answer);
        fputs(text_cstr(&answer), out);
        ok = fflush(out) == 0;
        text_free(&answer);
    }
    free(line);
    return ok ? RILL_OK : RILL_BAD_SPEC;
}

// ---- starting and stopping ----

// Replaces this process by the command that launches a worker.
static void run_command(const char *launch, char **argv) {
    struct text command = {0};
    text_addf(&command, "exec %s", launch);
    for (int i = 0; argv[i]; i++) { // quoted for the shell
        text_add(&command, " '");
        for (const char *c = argv[i]; *c; c++) *c == '\'' ? text_add(&command, "'\\''") : text_addf(&command, "%c", *c);
        text_add(&command, "'");
    }
    text_add(&command, " --work");
    execl("/bin/sh", "sh", "-c", text_cstr(&command), (char *)NULL);
    _exit(127);
}

// Turns this process, a fork, into a worker with these ends of its pipes. Does not return.
static void become_worker(const struct explore *x, const struct explore_workers *w, int in, int out) {
    for (int i = 0; i < w->count; i++) { // closes the pipes to other workers
        if (!w->items[i].answer) continue;
        close(w->items[i].ask);
        close(fileno(w->items[i].answer));
    }
    signal(SIGPIPE, SIG_DFL);
    if (w->launch) {
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        close(in);
        close(out);
        run_command(w->launch, w->argv);
    }
    _exit(explore_work(x, fdopen(in, "r"), fdopen(out, "w")));
}

// Starts a worker with a pipe to it and one from it. Returns false if the system refuses, with the reason in errno.
static bool start_one(const struct explore *x, const struct explore_workers *w, struct explore_worker *one) {
    int ask[2], answer[2];
    if (pipe(ask) || pipe(answer)) return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return false;
    if (pid == 0) {
        close(ask[1]);
        close(answer[0]);
        become_worker(x, w, ask[0], answer[1]);
    }
    close(ask[0]);
    close(answer[1]);
    *one = (struct explore_worker){pid, ask[1], fdopen(answer[0], "r"), -1};
    return true;
}

bool explore_workers_start(const struct explore *x, struct explore_workers *w, int jobs, const char *launch,
                           char **argv) {
    *w = (struct explore_workers){ARENA_ARRAY(x->arena, struct explore_worker, (size_t)jobs), launch, argv, 0};
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < jobs; i++) {
        if (start_one(x, w, &w->items[i])) {
            w->count++;
            continue;
        }
        diag_error(x->diag, loc_none(), MSG_EXPLORE_START, strerror(errno));
        return false;
    }
    return true;
}

// Closes the pipes of a worker, so that it ends, and waits for it.
static void stop_one(struct explore_worker *one) {
    close(one->ask);
    fclose(one->answer);
    one->answer = NULL;
    waitpid(one->pid, NULL, 0);
}

void explore_workers_stop(struct explore_workers *w) {
    for (int i = 0; i < w->count; i++)
        if (w->items[i].answer) stop_one(&w->items[i]);
    w->count = 0;
}

// ---- sharing out tasks ----

// Sends a task to a worker: the level and the index of each key's value. Returns false if the worker cannot be reached.
static bool give(const struct explore *x, struct explore_worker *w, const struct explore_task *task, int index) {
    struct text line = {0};
    text_addf(&line, "%d", task->level);
    for (int k = 0; k < x->keys; k++) text_addf(&line, " %d", task->point.at[k]);
    text_add(&line, "\n");
    bool ok = write(w->ask, line.data, line.len) == (ssize_t)line.len;
    text_free(&line);
    w->busy = index;
    return ok;
}

// Reports a worker that ended or gave no valid answer. Returns false.
static bool lost(const struct explore *x, struct explore_worker *w) {
    int status = 0;
    const char *how = "its answer was not understood";
    if (waitpid(w->pid, &status, WNOHANG) == w->pid || feof(w->answer))
        how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                  : arena_printf(x->arena, "exit status %d", WEXITSTATUS(status));
    diag_error(x->diag, loc_none(), MSG_EXPLORE_WORKER, how);
    return false;
}

// Reads the answer of a worker into its task. Returns false if the worker has ended or its answer is not understood.
static bool take(const struct explore *x, struct explore_worker *w, struct explore_task *task) {
    char *line = NULL;
    size_t room = 0;
    struct explore_point p = {{0}};
    bool ok = getline(&line, &room, w->answer) > 0 && explore_read_line(x, line, &p, &task[w->busy].result);
    free(line);
    return ok;
}

// Waits until a busy worker has answered. Returns false if that fails.
static bool wait_for_one(struct explore_workers *w, struct pollfd *poll_of) {
    for (int i = 0; i < w->count; i++)
        poll_of[i] = (struct pollfd){w->items[i].busy >= 0 ? fileno(w->items[i].answer) : -1, POLLIN, 0};
    while (poll(poll_of, (nfds_t)w->count, -1) < 0)
        if (errno != EINTR) return false;
    return true;
}

// The tasks of explore_workers_run.
struct handing {
    const struct explore *x;
    struct explore_workers *w;
    struct explore_task *task;
    int tasks, next; // next: the first task that was not given to any worker
    int *back;       // tasks whose worker was lost, and which are given again
    int returned;    // number of tasks in `back`
    bool *was_lost;  // per task: whether a worker that had the task was lost
};

// Takes back the task of a launched worker that is lost, so that another worker gets the task. The worker's machine may
// have failed. Returns false, which ends the search, if the worker was not launched or if the task is lost for the
// second time.
static bool take_back(struct handing *h, struct explore_worker *one) {
    int index = one->busy;
    if (!h->w->launch || h->was_lost[index]) return lost(h->x, one);
    h->was_lost[index] = true;
    h->back[h->returned++] = index;
    stop_one(one);
    one->busy = -1;
    return true;
}

// Gives tasks to all workers that have none. Returns the number of busy workers, or -1 after an error.
static int hand_out(struct handing *h) {
    int busy = 0;
    for (int i = 0; i < h->w->count; i++) {
        struct explore_worker *one = &h->w->items[i];
        if (one->answer && one->busy < 0 && (h->returned > 0 || h->next < h->tasks)) {
            int index = h->returned > 0 ? h->back[--h->returned] : h->next++;
            if (!give(h->x, one, &h->task[index], index)) {
                if (!take_back(h, one)) return -1;
                i = -1, busy = 0; // a worker before this one may be free
                continue;
            }
        }
        busy += one->busy >= 0;
    }
    return busy;
}

bool explore_workers_run(const struct explore *x, struct explore_workers *w, struct explore_task *task, int tasks,
                         explore_done *done, void *to) {
    struct pollfd *poll_of = ARENA_ARRAY(x->arena, struct pollfd, (size_t)w->count + 1);
    struct handing h = {.x = x, .w = w, .task = task, .tasks = tasks};
    h.back = ARENA_ARRAY(x->arena, int, (size_t)tasks + 1);
    h.was_lost = ARENA_ARRAY(x->arena, bool, (size_t)tasks + 1);
    int ended = 0, busy = hand_out(&h);
    while (ended < tasks && busy > 0 && wait_for_one(w, poll_of)) {
        for (int i = 0; i < w->count; i++) {
            struct explore_worker *one = &w->items[i];
            if (!poll_of[i].revents || one->busy < 0) continue;
            int index = one->busy;
            if (!take(x, one, task)) {
                if (!take_back(&h, one)) return false;
                continue;
            }
            one->busy = -1;
            ended++;
            if (!done(to, &task[index])) return false;
        }
        busy = hand_out(&h);
    }
    if (busy == 0 && ended < tasks) diag_error(x->diag, loc_none(), MSG_EXPLORE_WORKER, "all workers are lost");
    return ended == tasks;
}
