// SPDX-License-Identifier: Apache-2.0
// Runs the simulations of shards as processes in parallel, kills those that are late, and reports the end of each.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gen/shards/shards.h"

enum { NAP_MS = 100, TICK_NAPS = 5 }; // time between two looks at the processes; looks between two calls of `tick`

// A place for a running process; there are `parallel` places.
struct running {
    pid_t pid;    // 0: the place is free; negative: fork failed
    int job;      // index
    double begun; // pool_seconds() at its start
};

double pool_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Runs in the child process: starts the job's program in its own process group, so that a late job can be killed with
// all of its processes. The program gets SIGTERM if the parent ends.
static void become(const struct pool_job *job, pid_t parent) {
    int log = open(job->log, O_WRONLY | O_CREAT | (job->again ? O_APPEND : O_TRUNC), 0666);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (log < 0 || getppid() != parent) _exit(127);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close(log);
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0) dup2(null, STDIN_FILENO);
    execvp(job->args[0], job->args);
    _exit(127);
}

// Starts a job in a free place.
static void begin(const struct pool *pool, const struct pool_job *job, int index, struct running *r) {
    pid_t self = getpid();
    *r = (struct running){.job = index, .begun = pool_seconds(), .pid = fork()};
    if (r->pid == 0) become(job, self);
    if (r->pid > 0) pool->begun(pool->context, index, (long)r->pid);
}

// Returns whether the process has ended. *status then gets its exit status, POOL_DIED or POOL_LATE. Kills a process
// that exceeds the time limit.
static bool has_ended(const struct pool *pool, struct running *r, int *status) {
    int how;
    pid_t got = r->pid > 0 ? waitpid(r->pid, &how, WNOHANG) : -1;
    if (got < 0) return *status = POOL_DIED, errno != EINTR || r->pid < 0;
    if (got == r->pid) return *status = WIFEXITED(how) ? WEXITSTATUS(how) : POOL_DIED, true;
    if (pool->limit == 0 || pool_seconds() - r->begun < (double)pool->limit) return false;
    kill(-r->pid, SIGKILL);
    while (waitpid(r->pid, &how, 0) < 0 && errno == EINTR) continue;
    *status = POOL_LATE;
    return true;
}

static void nap(void) {
    const struct timespec pause = {.tv_nsec = NAP_MS * 1000000L};
    nanosleep(&pause, NULL);
}

// Polls every running process once, and begins a job again if `ended` returns true for it. Returns how many processes
// are running.
static int look(const struct pool *pool, struct pool_job *jobs, struct running *running) {
    int open = 0, status;
    for (int i = 0; i < pool->parallel; i++) {
        struct running *r = &running[i];
        if (r->pid == 0) continue;
        open++;
        if (!has_ended(pool, r, &status)) continue;
        int job = r->job;
        bool again = pool->ended(pool->context, job, status, pool_seconds() - r->begun);
        *r = (struct running){0};
        jobs[job].again |= again;
        if (again) begin(pool, &jobs[job], job, r);
        else open--;
    }
    return open;
}

void pool_run(const struct pool *pool, struct arena *arena, const struct pool_job *given, int count) {
    struct pool_job *jobs = ARENA_ARRAY(arena, struct pool_job, (size_t)count + 1);
    struct running *running = ARENA_ARRAY(arena, struct running, (size_t)pool->parallel);
    double start = pool_seconds();
    for (int i = 0; i < count; i++) jobs[i] = given[i];
    for (int next = 0, open = 0, naps = 0; next < count || open > 0; naps++) {
        for (int i = 0; i < pool->parallel && next < count; i++)
            if (running[i].pid == 0) begin(pool, &jobs[next], next, &running[i]), next++;
        open = look(pool, jobs, running);
        if (naps % TICK_NAPS == 0) pool->tick(pool->context, pool_seconds() - start);
        nap();
    }
}
