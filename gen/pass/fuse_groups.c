// SPDX-License-Identifier: Apache-2.0
// fuse-groups: if the spec limits the on-chip memory of a group of operations (design.on_chip_kib), this pass cuts the
// program into groups that run one after the other. A stream between groups goes through memory if that takes fewer
// bits on chip than a FIFO for the whole tensor.
//
// The cuts are optimal: for the units (fuse.h) of each region in program order, dynamic programming finds the partition
// with the least traffic between groups. Among partitions with equal traffic, the one with the fewest on-chip bits for
// streams between groups is taken, and then the one with the fewest groups. For comparison in the report, the pass also
// runs the greedy walk of StreamTensor's Algorithm 2, in which a unit joins the group of its nearest predecessor if the
// buffers of the group's streams then fit.
#include "gen/pass/fuse.h"
#include "gen/pass/pass.h"

enum { KIB_BITS = 8192 };

struct plan {
    int *group; // group of each unit; groups are numbered in the order in which they run
    int groups;
    bool fits; // no group exceeds the budget; always true for the greedy walk, which does not check it
};

struct cut {                 // the best partition of a region's units up to one unit
    int64_t traffic, across; // bits moved per step, bits on chip for streams between groups
    int groups, first;       // first: first unit of its last group; IR_NONE: no partition fits
};

static bool is_better(const struct cut *a, const struct cut *b) {
    if (b->first == IR_NONE) return true;
    if (a->traffic != b->traffic) return a->traffic < b->traffic;
    if (a->across != b->across) return a->across < b->across;
    return a->groups < b->groups;
}

// Fills cut[u] with the best partition of the units from begin to u, for every u before end. The caller calls this for
// each region, because a group never spans regions.
static void cut_region(const struct fuse *f, int begin, int end, int64_t budget, struct cut *cut) {
    for (int last = begin; last < end; last++) {
        cut[last] = (struct cut){.first = IR_NONE};
        for (int first = last; first >= begin; first--) {
            if (first > begin && cut[first - 1].first == IR_NONE) continue;
            // The search goes on after a group that does not fit. A larger group may fit, because more streams are
            // inside it and do not cross.
            if (fuse_group_bits(f, first, last) > budget) continue;
            struct cut c = {.first = first, .groups = 1};
            c.traffic = fuse_group_traffic(f, first, last, &c.across);
            if (first > begin) {
                c.traffic += cut[first - 1].traffic;
                c.across += cut[first - 1].across;
                c.groups += cut[first - 1].groups;
            }
            if (is_better(&c, &cut[last])) cut[last] = c;
        }
    }
}

static int region_end(const struct fuse *f, int begin) {
    int end = begin;
    while (end < f->units && f->unit[end].region == f->unit[begin].region) end++;
    return end;
}

// Numbers the groups of the partition that ends with unit `last`, from the region's first group on.
static void mark_groups(const struct cut *cut, int begin, int last, struct plan *p) {
    int first = cut[last].first;
    if (first > begin) mark_groups(cut, begin, first - 1, p);
    for (int u = first; u <= last; u++) p->group[u] = p->groups;
    p->groups++;
}

// Finds the best cuts, region by region. fits: every region has a partition within the budget.
static struct plan plan_exact(const struct fuse *f, int64_t budget) {
    struct plan p = {.group = ARENA_ARRAY(f->ir->arena, int, (size_t)f->units + 1), .fits = true};
    struct cut *cut = ARENA_ARRAY(f->ir->arena, struct cut, (size_t)f->units + 1);
    for (int begin = 0; begin < f->units && p.fits; begin = region_end(f, begin)) {
        int end = region_end(f, begin);
        cut_region(f, begin, end, budget, cut);
        p.fits = cut[end - 1].first != IR_NONE;
        if (p.fits) mark_groups(cut, begin, end - 1, &p);
    }
    return p;
}

// ---- the greedy walk ----

// Returns the latest unit before this one that sends it a stream; IR_NONE if there is none.
static int nearest_predecessor(const struct fuse *f, int unit) {
    int nearest = IR_NONE;
    for (int i = 0; i < f->streams; i++) {
        const struct fuse_stream *s = &f->stream[i];
        if (!s->loops && s->to == unit && s->from < unit && s->from > nearest) nearest = s->from;
    }
    return nearest;
}

// Returns the bits of the FIFOs inside group `to` if the unit joins it.
static int64_t joined_bits(const struct fuse *f, const int *group, int unit, int to) {
    int64_t bits = 0;
    for (int i = 0; i < f->streams; i++) {
        const struct fuse_stream *s = &f->stream[i];
        bool from = s->from == unit || (s->from < unit && group[s->from] == to),
             into = s->to == unit || (s->to < unit && group[s->to] == to);
        if (!s->loops && from && into) bits += s->inside;
    }
    return bits;
}

// Makes the plan of the greedy walk, for the comparison only. Its groups may be impossible: if a side branch joins an
// early group, that group would have to run again after a later one.
static struct plan plan_greedy(const struct fuse *f, int64_t budget) {
    struct plan p = {.group = ARENA_ARRAY(f->ir->arena, int, (size_t)f->units + 1), .fits = true};
    for (int u = 0; u < f->units; u++) {
        int before = nearest_predecessor(f, u);
        bool joins = before != IR_NONE && f->unit[before].region == f->unit[u].region &&
                     joined_bits(f, p.group, u, p.group[before]) <= budget;
        p.group[u] = joins ? p.group[before] : p.groups++;
    }
    return p;
}

// Whether a stream that crosses groups is on chip while this group runs, as in fuse_group_bits. A stream of a region's
// loop, or from one region to another (`loops`), is on chip while a region at one of its ends runs. Any other stream is
// on chip from the group of its writer to the group of its reader.
static bool is_alive(const struct fuse *f, const struct plan *p, const struct fuse_stream *s, int group) {
    int a = p->group[s->from], b = p->group[s->to];
    if (!s->loops) return group >= (a < b ? a : b) && group <= (a < b ? b : a);
    for (int u = 0; u < f->units; u++)
        if (p->group[u] == group)
            return f->unit[s->from].region == f->unit[u].region || f->unit[s->to].region == f->unit[u].region;
    return false;
}

// Measures a plan: the bits that cross groups per step, and the on-chip bits of its largest group.
static struct ir_fusion measure(const struct fuse *f, enum ir_fusion_kind kind, const struct plan *p) {
    struct ir_fusion r = {.kind = kind, .groups = p->groups};
    for (int i = 0; i < f->streams; i++)
        if (f->stream[i].loops || p->group[f->stream[i].from] != p->group[f->stream[i].to])
            r.traffic += f->stream[i].traffic;
    for (int g = 0; g < p->groups; g++) {
        int64_t bits = 0, alive = 0;
        for (int u = 0; u < f->units; u++) bits += p->group[u] == g ? f->unit[u].local : 0;
        for (int i = 0; i < f->streams; i++) {
            const struct fuse_stream *s = &f->stream[i];
            if (!s->loops && p->group[s->from] == g && p->group[s->to] == g) bits += s->inside;
            else if (is_alive(f, p, s, g)) alive += s->across;
        }
        if (bits + alive > r.bits) r.bits = bits + alive;
    }
    return r;
}

// ---- the graph with its groups ----

// Adds the groups of a plan to the IR. Adjacent units with the same group are one group there.
static void add_groups(const struct fuse *f, const struct plan *p) {
    struct ir *ir = f->ir;
    for (int u = 0; u < f->units; u++) {
        const struct fuse_unit *unit = &f->unit[u];
        if (u && p->group[u] == p->group[u - 1]) {
            ir->group[ir->groups - 1].nodes += unit->nodes;
            continue;
        }
        int last = u;
        while (last + 1 < f->units && p->group[last + 1] == p->group[u]) last++;
        ir_add_group(ir, (struct ir_group){unit->region, unit->first_node, unit->nodes, fuse_group_bits(f, u, last)});
    }
}

// Sets the group of each edge inside a group. An edge that crosses gets a spill, or a FIFO that stores whole firings.
static void mark_streams(const struct fuse *f, const struct plan *p) {
    struct ir *ir = f->ir;
    int spills = 0;
    for (int i = 0; i < f->streams; i++) {
        const struct fuse_stream *s = &f->stream[i];
        if (!s->loops && p->group[s->from] == p->group[s->to]) ir->edge[s->edge].group = p->group[s->from];
        else if (s->spills) fuse_insert_spill(ir, s->edge, s->firings, spills++);
        else ir->edge[s->edge].stored_firings = s->firings;
    }
}

// Returns the least legal budget in whole KiB. With a budget of the first `high`, all units fit together, and the pass
// makes no groups. A smaller one is legal if a partition into groups exists.
static int64_t least_budget(const struct fuse *f) {
    int64_t low = 1, high = fuse_whole_bits(f) / KIB_BITS + 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (plan_exact(f, middle * KIB_BITS).fits) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Finds the group that stores least among all groups of adjacent units that contain this unit. Returns its bits, and
// its first and last unit.
static int64_t least_group(const struct fuse *f, int unit, int *first, int *last) {
    int64_t least = INT64_MAX;
    for (int a = unit; a >= 0 && f->unit[a].region == f->unit[unit].region; a--)
        for (int b = unit; b < f->units && f->unit[b].region == f->unit[unit].region; b++) {
            int64_t bits = fuse_group_bits(f, a, b);
            if (bits >= least) continue;
            least = bits;
            *first = a;
            *last = b;
        }
    return least;
}

// Reports that the budget is too small. The message names the operations that need most even in their smallest group,
// and the nearest legal budget.
static void refuse(const struct fuse *f, const struct rill_spec *spec, struct diag *diag) {
    const struct ir *ir = f->ir;
    struct loc loc = spec ? spec_place(spec, "design.on_chip_kib") : loc_none();
    int64_t most = -1;
    int first = 0, last = 0;
    for (int u = 0; u < f->units; u++) {
        int a = u, b = u;
        int64_t bits = least_group(f, u, &a, &b);
        if (bits <= most) continue;
        most = bits;
        first = a;
        last = b;
    }
    const char *from = ir->node[f->unit[first].first_node].name,
               *to = ir->node[f->unit[last].first_node + f->unit[last].nodes - 1].name;
    const char *who = from == to ? arena_printf(ir->arena, "operation `%s` alone holds", from)
                                 : arena_printf(ir->arena, "operations `%s` to `%s` run together and hold", from, to);
    if (fuse_whole_bits(f) <= most) { // storage for streams between groups exceeds what groups save
        who = "as one group all operations hold";
        most = fuse_whole_bits(f);
    }
    diag_error(diag, loc, MSG_ON_CHIP, (long long)ir->design.on_chip_kib, who,
               (long long)((most + KIB_BITS - 1) / KIB_BITS));
    diag_note(diag, loc, "the nearest legal value is %lld", (long long)least_budget(f));
}

bool pass_fuse_groups(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    struct fuse f;
    int64_t budget = ir->design.on_chip_kib * KIB_BITS;
    if (budget <= 0) return true;
    fuse_read(ir, &f);
    if (!f.units || fuse_whole_bits(&f) <= budget) return true;
    struct plan exact = plan_exact(&f, budget);
    if (!exact.fits) {
        refuse(&f, spec, diag);
        return false;
    }
    struct plan greedy = plan_greedy(&f, budget);
    ir_add_fusion(ir, measure(&f, IR_FUSION_EXACT, &exact));
    ir_add_fusion(ir, measure(&f, IR_FUSION_GREEDY, &greedy));
    add_groups(&f, &exact);
    mark_streams(&f, &exact);
    return true;
}
