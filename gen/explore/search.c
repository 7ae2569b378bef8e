// SPDX-License-Identifier: Apache-2.0
// The search. First it estimates many points: all points of a small space, or in a larger space those that a genetic
// search (NSGA-II) proposes. Then it evaluates points at the level `whole`, those with the best estimates first. It
// leaves out every point whose bounds are already worse than a point of the front. Nothing is lost by this, because no
// evaluation is better than its bounds. So the front is exact if all points of the space were estimated, and each of
// them was evaluated, excluded by a limit or left out because of its bounds.
//
// Points are evaluated in batches of a fixed size, so the result does not depend on the number of workers.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gen/explore/known.h"

// POPULATION, BATCH, WHOLE_BATCH: points of a generation, of a batch of estimates and of a batch of whole evaluations.
// MOST_IDLE: generations without a new point after which the genetic search ends. ROUNDS: how often search_some
// alternates between estimates and whole evaluations.
enum { POPULATION = 48, BATCH = 256, WHOLE_BATCH = 8, MOST_IDLE = 40, ROUNDS = 4 };

// The result of a full evaluation, from which later points of the search are judged: `value` has the estimates of the
// point, and `beyond` is the share by which the complete design exceeds its limits.
struct lesson {
    double value[EXPLORE_METRICS], beyond;
    bool fits;
};

struct searching { // the state of a search
    const struct explore *x;
    const struct explore_search *o;
    struct explore_outcome *out;
    struct known estimates, wholes; // results of either level, from the journal and from this search
    struct known seen;              // the points of this search, each with the result of its highest level
    struct explore_journal journal;
    struct explore_workers workers;
    struct lesson *lesson;
    int lessons;
    int64_t fitting, too_large; // whole evaluations of designs that are within the limits, and of all others
    struct chance chance;
    double began; // time of the start, in seconds
    bool failed;
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// ---- evaluating ----

// Notes a result of the journal or of a worker, unless the evaluation ended at the bounds.
static void take_known(void *to, const struct explore_point *p, const struct explore_result *r) {
    struct searching *s = to;
    if (r->level == EXPLORE_WHOLE) known_put(&s->wholes, p, r);
    else if (r->level == EXPLORE_ESTIMATE) known_put(&s->estimates, p, r);
}

static void show_progress(struct searching *s) {
    if (s->o->quiet || !isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%d points, %d of them evaluated in full, %.0f s ", s->seen.count, s->out->evaluated,
            seconds() - s->began);
}

// Notes the result of a task and writes it to the journal. Drops the result of an evaluation that ended at the bounds,
// because it is quickly made again. Returns false after an error.
static bool take_result(void *to, const struct explore_task *task) {
    struct searching *s = to;
    struct text line = {0};
    bool ok = true;
    take_known(s, &task->point, &task->result);
    if (task->result.level > EXPLORE_BOUNDS) {
        explore_write_line(s->x, &task->point, &task->result, &line);
        ok = explore_journal_add(s->x, &s->journal, &line);
        text_free(&line);
    }
    return ok;
}

static const struct explore_result *find(const struct known *k, const struct explore_point *p) {
    int at = known_find(k, p);
    return at < 0 ? NULL : &k->item[at].result;
}

static void count_result(struct searching *s, const struct explore_result *r, int level) {
    if (level == EXPLORE_WHOLE) s->out->evaluated++;
    else if (!r->legal) s->out->refused++;
    else if (explore_excluded(s->x, r) && r->level < EXPLORE_ESTIMATE) s->out->excluded++;
    else s->out->estimated++;
}

// Returns the result with a speed and a power. At the level `whole`, a design beyond the limits has no forecast
// (explore_evaluate.c), so these figures are taken from its estimate.
static struct explore_result with_speed(const struct searching *s, const struct explore_point *p,
                                        const struct explore_result *r) {
    static const int speed[] = {EXPLORE_TOKENS_S, EXPLORE_TTFT_MS, EXPLORE_LATENCY_MS, EXPLORE_TOKENS_J,
                                EXPLORE_POWER_W};
    const struct explore_result *estimate = find(&s->estimates, p);
    struct explore_result out = *r;
    bool lacks = r->level == EXPLORE_WHOLE && !r->fits && !s->x->over;
    for (size_t i = 0; lacks && estimate && i < COUNT_OF(speed); i++) out.value[speed[i]] = estimate->value[speed[i]];
    return out;
}

// ---- lessons ----
// An estimate does not divide a design over its dies as exactly as the passes do, so it may accept a design that
// exceeds its limits. The estimates of similar designs then have the same error. Without lessons, a search in a large
// space would spend its whole evaluations on these designs.

// Returns whether figure a demands at least as much as figure b: as much of a resource, or as good a speed. slack:
// share of b by which a may demand less.
static bool demands(int metric, double a, double b, double slack) {
    bool less = metric == EXPLORE_TTFT_MS || metric == EXPLORE_LATENCY_MS;
    return less ? a <= b * (1 + slack) : a >= b * (1 - slack);
}

// Returns whether a point needs at least about the LUTs and DSPs of the lesson, and promises at least about its speed.
static bool is_like(const struct lesson *l, const double *value, double slack) {
    static const int of[] = {EXPLORE_TOKENS_S, EXPLORE_TTFT_MS, EXPLORE_LATENCY_MS, EXPLORE_LUT, EXPLORE_DSP};
    for (size_t i = 0; i < COUNT_OF(of); i++)
        if (!demands(of[i], value[of[i]], l->value[of[i]], slack)) return false;
    return true;
}

// Returns whether a point needs about the same of every resource as the lesson (SAME: relative difference), and hardly
// fewer LUTs. Whether a design fits does not depend on its speed, so this finds slower versions of a design that does
// not fit.
static bool is_as_large(const struct lesson *l, const double *value) {
    static const double SAME = 0.01, FEWER = 0.005;
    static const int of[] = {EXPLORE_LUT, EXPLORE_FF, EXPLORE_DSP, EXPLORE_BRAM36, EXPLORE_URAM};
    for (size_t i = 0; i < COUNT_OF(of); i++)
        if (fabs(value[of[i]] - l->value[of[i]]) > SAME * l->value[of[i]]) return false;
    return value[EXPLORE_LUT] >= l->value[EXPLORE_LUT] * (1 - FEWER);
}

// Returns how far a point is from a lesson: the sum of the relative differences of LUTs, flip-flops and DSPs.
static double distance(const struct lesson *l, const double *value) {
    static const int of[] = {EXPLORE_LUT, EXPLORE_FF, EXPLORE_DSP};
    double sum = 0;
    for (size_t i = 0; i < COUNT_OF(of); i++)
        sum += fabs(value[of[i]] - l->value[of[i]]) / (l->value[of[i]] > 1 ? l->value[of[i]] : 1);
    return sum;
}

// Returns whether an estimated point counts as beyond its limits because it is like a point whose complete design was
// beyond them. The farther that design was beyond its limits, the more points are like it. But a channel less, which is
// 3 to 5 % of everything, may bring even a design within its limits that is far beyond them: the compiler can then send
// beats in halves.
static bool warns(const struct lesson *l, const struct explore_result *r) {
    enum { PARTS = 4 }; // if a design is beyond by 4 %, points with a hundredth less of everything are like it
    static const double MOST = 0.02;
    double slack = l->beyond / PARTS < MOST ? l->beyond / PARTS : MOST;
    return !l->fits && r->beyond < l->beyond && (is_like(l, r->value, slack) || is_as_large(l, r->value));
}

// Judges an estimated point from all lessons. It counts as beyond its limits if one of the lessons warns of it, unless
// a design that is within the limits is nearer to the point than every such lesson. An exhaustive search has no use for
// this, because it evaluates every point that its bounds do not exclude.
static void learn(const struct searching *s, struct explore_result *r) {
    double far = HUGE_VAL, beyond = 0; // distance of the nearest lesson that warns, and the largest excess of all such
    if (s->out->exhaustive || r->level != EXPLORE_ESTIMATE || !r->legal) return;
    for (int i = 0; i < s->lessons; i++) {
        const struct lesson *l = &s->lesson[i];
        if (!warns(l, r)) continue;
        far = fmin(far, distance(l, r->value));
        beyond = fmax(beyond, l->beyond);
    }
    for (int i = 0; i < s->lessons && beyond > 0; i++)
        if (s->lesson[i].fits && distance(&s->lesson[i], r->value) < far) return;
    if (beyond <= 0) return;
    r->beyond = beyond;
    r->fits = false;
}

// Keeps the lesson of a whole evaluation, and judges all points that were estimated again.
static void take_lesson(struct searching *s, const struct explore_point *p, const struct explore_result *whole) {
    const struct explore_result *estimate = find(&s->estimates, p);
    if (!estimate) return;
    struct lesson *l = realloc(s->lesson, ((size_t)s->lessons + 1) * sizeof *l);
    if (!l) base_fatal("no memory for %d points", s->lessons);
    s->lesson = l;
    l += s->lessons++;
    *l = (struct lesson){.beyond = whole->beyond, .fits = whole->fits};
    memcpy(l->value, estimate->value, sizeof l->value);
    for (int i = 0; i < s->seen.count; i++) {
        struct explore_seen *seen = &s->seen.item[i];
        if (seen->result.level != EXPLORE_ESTIMATE) continue;
        seen->result = *find(&s->estimates, &seen->point); // without the earlier lessons
        learn(s, &seen->result);
    }
}

// ---- evaluating batches ----

// Evaluates the points (at most BATCH) whose results are not known yet, and notes the results of all points in `seen`.
// Returns false after an error.
static bool evaluate(struct searching *s, const struct explore_point *point, int count, int level) {
    struct explore_task *task = calloc((size_t)count + 1, sizeof *task);
    const struct known *known = level == EXPLORE_WHOLE ? &s->wholes : &s->estimates;
    int tasks = 0;
    if (!task) base_fatal("no memory for %d points", count);
    for (int i = 0; i < count; i++)
        if (!find(known, &point[i])) task[tasks++] = (struct explore_task){.point = point[i], .level = level};
    s->failed = !explore_workers_run(s->x, &s->workers, task, tasks, take_result, s);
    for (int i = 0, t = 0; !s->failed && i < count; i++) {
        bool asked = t < tasks && !memcmp(&task[t].point, &point[i], sizeof point[i]);
        const struct explore_result *r = asked ? &task[t++].result : find(known, &point[i]);
        struct explore_result seen = with_speed(s, &point[i], r);
        count_result(s, r, level);
        learn(s, &seen);
        known_put(&s->seen, &point[i], &seen);
        if (level == EXPLORE_WHOLE) r->fits ? s->fitting++ : s->too_large++, take_lesson(s, &point[i], r);
    }
    free(task);
    show_progress(s);
    return !s->failed;
}

// Keeps the points that the search has not examined yet, each once. Returns their number.
static int only_new(struct searching *s, struct explore_point *point, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool twice = known_find(&s->seen, &point[i]) >= 0;
        for (int j = 0; j < kept && !twice; j++) twice = !memcmp(&point[j], &point[i], sizeof point[i]);
        if (!twice) point[kept++] = point[i];
    }
    return kept;
}

static bool estimate_all(struct searching *s) {
    struct explore_point batch[BATCH];
    uint64_t size = (uint64_t)s->out->size;
    for (uint64_t i = 0; i < size;) {
        int count = 0;
        while (count < BATCH && i < size) batch[count++] = explore_nth(s->x, i++);
        if (!evaluate(s, batch, count, EXPLORE_ESTIMATE)) return false;
    }
    return true;
}

// ---- NSGA-II ----

struct member {      // a point that takes part in the genetic search
    int index, rank; // index in `seen`; rank: see front_ranks
    double room;     // crowding distance: how far the two neighbours are apart, summed over the goals; larger is better
};

static const struct searching *sorting; // for comparisons, because qsort passes no context
static int sorting_metric;

static int by_metric(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    double of_x = sorting->seen.item[x->index].result.value[sorting_metric],
           of_y = sorting->seen.item[y->index].result.value[sorting_metric];
    return of_x != of_y ? of_x < of_y ? -1 : 1 : x->index - y->index;
}

static int by_fitness(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    if (x->rank != y->rank) return x->rank - y->rank;
    if (x->room > y->room || x->room < y->room) return x->room > y->room ? -1 : 1;
    return x->index - y->index;
}

// Sets the crowding distances of NSGA-II. The members with the lowest and the highest value of a goal get a distance
// that no other member can reach.
static void add_rooms(struct searching *s, struct member *m, int count) {
    for (int g = 0; g < s->x->goals; g++) {
        sorting = s;
        sorting_metric = s->x->goal[g];
        qsort(m, (size_t)count, sizeof *m, by_metric);
        const struct explore_seen *seen = s->seen.item;
        double low = seen[m[0].index].result.value[sorting_metric],
               range = seen[m[count - 1].index].result.value[sorting_metric] - low;
        for (int i = 0; i < count; i++) {
            bool end = i == 0 || i + 1 == count;
            m[i].room += end         ? 1e9
                         : range > 0 ? (seen[m[i + 1].index].result.value[sorting_metric] -
                                        seen[m[i - 1].index].result.value[sorting_metric]) /
                                           range
                                     : 0;
        }
    }
}

static bool may_breed(const struct searching *s, int i) {
    const struct explore_result *r = &s->seen.item[i].result;
    return r->legal;
}

// Sorts the members, the best first. Returns how many of them remain: all, but at most `most`.
static int select_members(struct searching *s, struct member *m, int count, int most) {
    int *index = calloc((size_t)count + 1, 2 * sizeof *index), *rank = index + count;
    if (!index) base_fatal("no memory for %d points", count);
    for (int i = 0; i < count; i++) index[i] = m[i].index;
    front_ranks(s->x, s->seen.item, index, count, rank);
    for (int i = 0; i < count; i++) m[i] = (struct member){index[i], rank[i], 0};
    free(index);
    if (count) add_rooms(s, m, count);
    qsort(m, (size_t)count, sizeof *m, by_fitness);
    return count < most ? count : most;
}

// Returns the better one of two random members. The members must be sorted, the best first.
static const struct explore_seen *tournament(struct searching *s, const struct member *m, int count) {
    int a = chance_below(&s->chance, count), b = chance_below(&s->chance, count);
    return &s->seen.item[m[a < b ? a : b].index];
}

// Chooses the points to begin with: the spec itself, its neighbours, and random ones. Returns their number, at most
// `most`.
static int first_points(struct searching *s, struct explore_point *batch, int most) {
    int count = 0;
    batch[count++] = explore_own(s->x);
    count += move_neighbours(s->x, &batch[0], batch + 1);
    while (count < BATCH) batch[count++] = move_random(s->x, &s->chance);
    count = only_new(s, batch, count);
    return count < most ? count : most;
}

// Estimates points by NSGA-II until `most` points are examined or MOST_IDLE generations bring no new point. Returns
// false after an error.
static bool breed(struct searching *s, int most) {
    struct explore_point batch[BATCH];
    struct member m[POPULATION + BATCH];
    int count = 0, idle = 0;
    if (!s->seen.count && !evaluate(s, batch, first_points(s, batch, most), EXPLORE_ESTIMATE)) return false;
    for (int from = 0; s->seen.count < most && idle < MOST_IDLE;) {
        for (; from < s->seen.count && count < POPULATION + BATCH; from++)
            if (may_breed(s, from)) m[count++] = (struct member){from, 0, 0};
        count = select_members(s, m, count, POPULATION);
        int children = 0, room = most - s->seen.count < POPULATION ? most - s->seen.count : POPULATION;
        for (; children < room; children++)
            batch[children] = count ? move_child(s->x, &s->chance, tournament(s, m, count), tournament(s, m, count))
                                    : move_random(s->x, &s->chance);
        children = only_new(s, batch, children);
        idle = children ? 0 : idle + 1;
        if (children && !evaluate(s, batch, children, EXPLORE_ESTIMATE)) return false;
    }
    return true;
}

// ---- whole evaluations ----

static bool is_whole(const struct explore_result *r) { return r->level == EXPLORE_WHOLE; }

// Returns whether a point that was evaluated in full and meets the limits dominates these figures.
static bool is_beaten(const struct searching *s, const double *value) {
    for (int i = 0; i < s->seen.count; i++) {
        const struct explore_result *r = &s->seen.item[i].result;
        if (is_whole(r) && explore_meets(s->x, r) && explore_dominates(s->x, r->value, value)) return true;
    }
    return false;
}

// Makes an optimistic estimate: each figure is better by the largest error that an estimate is expected to have.
static void hopeful(const struct explore_result *r, double value[EXPLORE_METRICS]) {
    static const double ERROR = 0.02;
    for (int m = 0; m < EXPLORE_METRICS; m++) value[m] = r->value[m] * (explore_metric[m].up ? 1 + ERROR : 1 - ERROR);
}

// Returns by how much figure b is better than figure a, as a share of a; negative: b is worse.
static double gain_of(int metric, const double *a, const double *b) {
    double more = (b[metric] - a[metric]) / (a[metric] > 0 ? a[metric] : 1);
    return explore_metric[metric].up ? more : -more;
}

// Returns whether a design that was evaluated in full and is within the limits had an estimate with about the same
// resources (SAME: relative difference), and at least about as good in every goal (NOISE: smaller gains do not count).
// An evaluation of this point would then only repeat that one.
static bool is_repeated(const struct searching *s, const struct explore_result *r) {
    static const double SAME = 0.01, NOISE = 0.0005;
    static const int of[] = {EXPLORE_LUT, EXPLORE_FF, EXPLORE_DSP, EXPLORE_BRAM36, EXPLORE_URAM};
    for (int i = 0; i < s->lessons; i++) {
        const struct lesson *l = &s->lesson[i];
        bool same = l->fits;
        for (int g = 0; same && g < s->x->goals; g++) same = gain_of(s->x->goal[g], l->value, r->value) <= NOISE;
        for (size_t m = 0; same && m < COUNT_OF(of); m++)
            same = fabs(r->value[of[m]] - l->value[of[m]]) <= SAME * l->value[of[m]];
        if (same) return true;
    }
    return false;
}

enum worth { WORTH_NOTHING, WORTH_BY_BOUNDS, WORTH_ALL };
// Returns whether a point is worth a whole evaluation: WORTH_NOTHING if the front beats even its bounds,
// WORTH_BY_BOUNDS if the front beats only its optimistic estimate, otherwise WORTH_ALL.
static enum worth worth_of(const struct searching *s, const struct explore_result *r) {
    double value[EXPLORE_METRICS];
    if (is_beaten(s, r->bound)) return WORTH_NOTHING;
    hopeful(r, value);
    return is_beaten(s, value) ? WORTH_BY_BOUNDS : WORTH_ALL;
}

// Returns whether the point may still be evaluated at the level `whole`.
static bool may_count(const struct searching *s, const struct explore_result *r) {
    return r->legal && !is_whole(r) && !explore_excluded(s->x, r);
}

// Returns whether a point is to be evaluated at the level `whole`: never if the front beats its bounds. If the search
// is not exhaustive, also leaves out points that are worth an evaluation only by their bounds, points whose estimate
// misses a limit, and points that would only repeat another (is_repeated).
static bool is_wanted(const struct searching *s, const struct explore_result *r) {
    enum worth worth = worth_of(s, r);
    if (s->out->exhaustive || worth == WORTH_NOTHING) return worth != WORTH_NOTHING;
    return worth == WORTH_ALL && explore_misses(s->x, r) <= 0 && !is_repeated(s, r);
}

// Lists the points that are to be evaluated at the level `whole`, the best first. Points whose estimate misses a limit
// come last. The caller frees the list.
static struct member *candidates(struct searching *s, int *count) {
    struct member *m = calloc((size_t)s->seen.count + 1, sizeof *m);
    if (!m) base_fatal("no memory for %d points", s->seen.count);
    *count = 0;
    for (int i = 0; i < s->seen.count; i++) {
        const struct explore_result *r = &s->seen.item[i].result;
        if (may_count(s, r) && is_wanted(s, r)) m[(*count)++] = (struct member){i, 0, 0};
    }
    select_members(s, m, *count, *count);
    return m;
}

// Returns how many whole evaluations remain of --whole. Designs beyond the limits, which have no forecast and take less
// time, are counted separately.
static int64_t remaining(const struct searching *s) { return s->o->whole - at_least(s->fitting, s->too_large); }

// Evaluates points of a list at the level `whole` until the number that remains has fallen to `until`. A search that is
// not exhaustive evaluates only one batch. Returns whether any point was evaluated.
static bool confirm_some(struct searching *s, const struct member *m, int count, int64_t until) {
    bool any = false;
    for (int i = 0; i < count && !s->failed && remaining(s) > until && (!any || s->out->exhaustive);) {
        struct explore_point batch[WHOLE_BATCH];
        int size = 0;
        for (; i < count && size < WHOLE_BATCH && size < remaining(s) - until; i++) {
            const struct explore_seen *seen = &s->seen.item[m[i].index];
            if (is_wanted(s, &seen->result)) batch[size++] = seen->point;
        }
        if (size) any = evaluate(s, batch, size, EXPLORE_WHOLE);
    }
    return any;
}

// Evaluates the best points at the level `whole`, up to `most` that are within the limits and as many others. A search
// that is not exhaustive sorts the points again after each batch, because the batch has shown which of the others are
// beyond the limits. Returns false after an error.
static bool confirm(struct searching *s, int64_t most) {
    int64_t until = remaining(s) - most;
    for (bool any = true; any && !s->failed;) {
        int count;
        struct member *m = candidates(s, &count);
        any = confirm_some(s, m, count, until) && !s->out->exhaustive;
        free(m);
    }
    return !s->failed;
}

// Estimates the neighbours of all points of the present front, until `most` points are examined. Returns false after an
// error.
static bool look_around(struct searching *s, int most) {
    for (int i = 0, end = s->seen.count; i < end && s->seen.count < most; i++) {
        struct explore_point next[3 * EXPLORE_KEYS];
        const struct explore_result *r = &s->seen.item[i].result;
        if (!is_whole(r) || !explore_meets(s->x, r) || is_beaten(s, r->value)) continue;
        int count = only_new(s, next, move_neighbours(s->x, &s->seen.item[i].point, next));
        if (count > most - s->seen.count) count = most - s->seen.count;
        if (count && !evaluate(s, next, count, EXPLORE_ESTIMATE)) return false;
    }
    return true;
}

// ---- the front ----

// Returns whether a is shown instead of b because it has fewer LUTs. The two have equal figures in all goals.
static bool is_preferred(const struct explore_seen *a, const struct explore_seen *b) {
    return a->result.value[EXPLORE_LUT] < b->result.value[EXPLORE_LUT];
}

static bool same_goals(const struct explore *x, const double *a, const double *b) {
    for (int g = 0; g < x->goals; g++)
        if (a[x->goal[g]] < b[x->goal[g]] || a[x->goal[g]] > b[x->goal[g]]) return false;
    return true;
}

// Returns whether a point belongs to the front: it was evaluated in full, meets the limits, and no other point beats
// it. If several such points have equal figures in all goals, only the preferred one of them belongs to the front. If
// several are equally preferred, only the first belongs to it.
static bool is_shown(const struct searching *s, int i) {
    const struct explore_seen *one = &s->seen.item[i];
    if (!is_whole(&one->result) || !explore_meets(s->x, &one->result) || is_beaten(s, one->result.value)) return false;
    for (int j = 0; j < s->seen.count; j++) {
        const struct explore_seen *other = &s->seen.item[j];
        if (j == i || !is_whole(&other->result) || !explore_meets(s->x, &other->result) ||
            !same_goals(s->x, one->result.value, other->result.value))
            continue;
        if (is_preferred(other, one) || (j < i && !is_preferred(one, other))) return false;
    }
    return true;
}

static int by_goal(const void *a, const void *b) {
    const struct explore_seen *item = sorting->seen.item;
    double of_a = item[*(const int *)a].result.value[sorting_metric],
           of_b = item[*(const int *)b].result.value[sorting_metric];
    if (of_a > of_b || of_a < of_b) return (of_a > of_b) == explore_metric[sorting_metric].up ? -1 : 1;
    return *(const int *)a - *(const int *)b;
}

// Sets the front, the list of examined points, the numbers of points that were not evaluated in full (pruned, left),
// and `exact`. The other counts grow during the search (count_result).
static void find_front(struct searching *s) {
    struct explore_outcome *out = s->out;
    out->front = ARENA_ARRAY(s->x->arena, int, (size_t)s->seen.count + 1);
    for (int i = 0; i < s->seen.count; i++)
        if (is_shown(s, i)) out->front[out->fronts++] = i;
    sorting = s;
    sorting_metric = s->x->goal[0];
    qsort(out->front, (size_t)out->fronts, sizeof *out->front, by_goal);
    for (int i = 0; i < s->seen.count; i++) {
        const struct explore_result *r = &s->seen.item[i].result;
        if (!may_count(s, r)) continue;
        if (is_beaten(s, r->bound)) out->pruned++;
        else out->left++;
    }
    out->exact = out->exhaustive && !out->left;
    out->count = s->seen.count;
    out->seen = ARENA_ARRAY(s->x->arena, struct explore_seen, (size_t)s->seen.count + 1);
    if (s->seen.count) memcpy(out->seen, s->seen.item, (size_t)s->seen.count * sizeof *out->seen);
}

// Evaluates the spec itself before all other points, so that the front is at least as good as the spec. Returns false
// after an error.
static bool evaluate_own(struct searching *s) {
    struct explore_point own = explore_own(s->x);
    int at = known_find(&s->seen, &own);
    return at < 0 || !may_count(s, &s->seen.item[at].result) || evaluate(s, &own, 1, EXPLORE_WHOLE);
}

static bool search_all(struct searching *s) { return estimate_all(s) && evaluate_own(s) && confirm(s, remaining(s)); }

// ---- the last whole evaluations ----
// An estimate may err by a few percent, but the estimates of two designs that differ in one key err alike. So they tell
// which neighbour of a point of the front is better than this point, even if the difference is small.

// Adds a point to the list, with its gain as `room`, or raises the gain that it has there. Returns the new length.
static int add_gain(struct member *m, int count, int index, double gain) {
    int i = 0;
    while (i < count && m[i].index != index) i++;
    if (i == count) m[count++] = (struct member){index, 0, gain};
    m[i].room = fmax(m[i].room, gain);
    return count;
}

// Adds the neighbours of a point of the front whose estimates promise more than the estimate of this point, by the sum
// of their gains in all goals. Returns the new length of the list.
static int add_gains(const struct searching *s, const struct explore_seen *of, struct member *m, int count) {
    struct explore_point next[3 * EXPLORE_KEYS];
    const struct explore_result *own = find(&s->estimates, &of->point);
    int all = own ? move_neighbours(s->x, &of->point, next) : 0;
    for (int n = 0; n < all; n++) {
        int at = known_find(&s->seen, &next[n]);
        const struct explore_result *r = at < 0 ? NULL : &s->seen.item[at].result;
        double gain = 0;
        if (!r || !may_count(s, r) || !is_wanted(s, r)) continue;
        for (int g = 0; g < s->x->goals; g++) gain += gain_of(s->x->goal[g], own->value, r->value);
        if (gain > 0) count = add_gain(m, count, at, gain);
    }
    return count;
}

// Evaluates the neighbours of the front with the largest gains at the level `whole`, until none promises a gain or no
// whole evaluation remains. Returns false after an error.
static bool polish(struct searching *s) {
    for (int count = 1; count && !s->failed && remaining(s) > 0;) {
        struct member *m = calloc((size_t)s->seen.count + 1, sizeof *m);
        struct explore_point batch[WHOLE_BATCH];
        if (!m) base_fatal("no memory for %d points", s->seen.count);
        count = 0;
        for (int i = 0; i < s->seen.count; i++) {
            const struct explore_seen *one = &s->seen.item[i];
            bool in_front = is_whole(&one->result) && explore_meets(s->x, &one->result);
            if (in_front && !is_beaten(s, one->result.value)) count = add_gains(s, one, m, count);
        }
        qsort(m, (size_t)count, sizeof *m, by_fitness);
        count = (int)at_most(at_most(count, WHOLE_BATCH), remaining(s));
        for (int i = 0; i < count; i++) batch[i] = s->seen.item[m[i].index].point;
        free(m);
        if (count) evaluate(s, batch, count, EXPLORE_WHOLE);
    }
    return !s->failed;
}

// Alternates estimates and whole evaluations. So the genetic search learns which designs do not fit, and the neighbours
// of good points are examined.
static bool search_some(struct searching *s) {
    enum { POLISH = 5 /* a fifth of the whole evaluations is for polish() */ };
    int64_t points = s->o->points, around = points / 8 / ROUNDS; // around: for the neighbours, in each round
    int64_t reserve = s->o->whole / POLISH;
    bool ok = true;
    for (int round = 0; ok && round < ROUNDS; round++) {
        int64_t until = points * (round + 1) / ROUNDS;
        bool last = round + 1 == ROUNDS; // its whole evaluations wait until all points are estimated
        ok = breed(s, (int)(until - around)) && (round || evaluate_own(s)) &&
             (last || confirm(s, div_up(at_least(remaining(s) - reserve, 0), ROUNDS - round))) &&
             look_around(s, (int)until);
    }
    return ok && breed(s, (int)points) && confirm(s, at_least(remaining(s) - reserve, 0)) && polish(s) &&
           confirm(s, remaining(s));
}

bool explore_run(const struct explore *x, const struct explore_search *o, struct explore_outcome *out) {
    struct searching s = {.x = x, .o = o, .out = out, .chance = {o->seed}, .began = seconds()};
    *out = (struct explore_outcome){.size = explore_size(x)};
    out->exhaustive = out->size <= (double)o->points;
    known_init(&s.estimates, x);
    known_init(&s.wholes, x);
    known_init(&s.seen, x);
    bool ok = explore_journal_open(x, &s.journal, o->journal, take_known, &s) &&
              explore_workers_start(x, &s.workers, o->jobs, o->launch, o->argv) &&
              (out->exhaustive ? search_all(&s) : search_some(&s));
    if (!o->quiet && isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    explore_workers_stop(&s.workers);
    if (ok) find_front(&s);
    out->seconds = seconds() - s.began;
    if (s.journal.file >= 0) close(s.journal.file);
    free(s.lesson);
    known_free(&s.estimates);
    known_free(&s.wholes);
    known_free(&s.seen);
    return ok;
}
