// SPDX-License-Identifier: Apache-2.0
// Finds runs of operations that repeat, such as the blocks of a transformer or the steps of an LSTM. Each becomes a
// region of the spec that has the operations once and repeats them.
#include <string.h>

#include "gen/onnx/spec.h"

static struct spec_op *op(const struct spec *s, int i) { return &s->op.items[i]; }
static const struct spec_tensor *tensor(const struct spec *s, int t) { return &s->tensor.items[t]; }

static uint64_t mix(uint64_t hash, const void *bytes, size_t len) {
    return (hash ^ bytes_hash(bytes, len)) * 0x9e3779b97f4a7c15u;
}

// Returns a key that is equal for operations that may be repetitions of each other: a hash of the operator, the number
// of operands, the result's shape, the attributes, and the shapes of weights. These are not compared again, because two
// hashes of 64 bits are practically never equal by chance. Operands are compared later (repeats).
static uint64_t key_of(const struct spec *s, const struct spec_op *o) {
    uint64_t hash = mix((uint64_t)o->ins, o->op, strlen(o->op));
    const struct spec_tensor *t = tensor(s, o->out);
    hash = mix(hash, t->dim, (size_t)t->rank * sizeof t->dim[0]);
    for (int a = 0; a < o->attrs; a++) {
        const struct spec_attr *attr = &o->attr[a];
        hash = mix(hash, attr->key, strlen(attr->key));
        if (attr->text) hash = mix(hash, attr->text, strlen(attr->text));
        else hash = mix(hash, attr->weight->dims.dim, (size_t)attr->weight->dims.rank * sizeof(int64_t));
    }
    return hash;
}

static bool same_shape(const struct spec_tensor *a, const struct spec_tensor *b) {
    return a->rank == b->rank && !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof a->dim[0]);
}

// Notes a carry, a value that each repetition passes to the next one: repetition 0 makes tensor `next`, which
// repetition 1 reads, and in its place repetition 0 reads tensor `init`. In a transformer, `next` is the result of the
// first block and `init` the embedding. Returns false if this cannot be a carry, because `next` already has another
// `init`, the shapes differ, or there are too many carries.
static bool add_carry(const struct spec *s, struct spec_region *r, int init, int next) {
    for (int c = 0; c < r->carries; c++)
        if (r->carry[c].next == next) return r->carry[c].init == init;
    if (r->carries == SPEC_MAX_PORTS || !same_shape(tensor(s, init), tensor(s, next))) return false;
    r->carry[r->carries].init = init;
    r->carry[r->carries++].next = next;
    return true;
}

// Returns whether operand `slot` of operation `offset` comes from the same place in every repetition: from the
// repetition itself, from the previous one (a carry), or from outside. Repetition 1 tells which of these it is, because
// repetition 0 reads the initial value of a carry. All repetitions are then compared with it. made: the operation that
// makes the operand of repetition 1.
static bool fits_operand(const struct spec *s, struct spec_region *r, int offset, int slot) {
    int begin = r->first, ops = r->ops, made = tensor(s, op(s, begin + ops + offset)->in[slot])->maker;
    bool inside = made >= begin + ops && made < begin + 2 * ops, before = made >= begin && made < begin + ops;
    if (made >= begin + 2 * ops) return false;
    for (int k = 0; k < r->repeat; k++) {
        int t = op(s, begin + k * ops + offset)->in[slot], maker = tensor(s, t)->maker;
        if (inside && maker != made + (k - 1) * ops) return false;
        if (before && k > 0 && maker != made + (k - 1) * ops) return false;
        if (before && k == 0 && (maker >= begin || !add_carry(s, r, t, op(s, made)->out))) return false;
        if (!inside && !before && t != op(s, begin + ops + offset)->in[slot]) return false;
    }
    return true;
}

// Returns whether only the repetition itself and the next one read the results of a repetition. Results of the last
// repetition may have other readers.
static bool is_closed(const struct spec *s, const struct spec_region *r) {
    int last = r->first + r->ops * (r->repeat - 1), end = last + r->ops;
    for (int i = end; i < (int)s->op.count; i++)
        for (int k = 0; k < op(s, i)->ins; k++) {
            int maker = tensor(s, op(s, i)->in[k])->maker;
            if (maker >= r->first && maker < last) return false;
        }
    for (size_t i = 0; i < s->output.count; i++) {
        int maker = tensor(s, s->output.items[i].tensor)->maker;
        if (maker >= r->first && maker < last) return false;
    }
    return true;
}

// Returns whether the region's operations are repetitions of each other in all operands. Sets the region's carries.
static bool repeats(const struct spec *s, struct spec_region *r) {
    r->carries = 0;
    for (int offset = 0; offset < r->ops; offset++)
        for (int slot = 0; slot < op(s, r->first + offset)->ins; slot++)
            if (!fits_operand(s, r, offset, slot)) return false;
    return is_closed(s, r);
}

// Returns how many operations are saved by writing the region once.
static int gain(const struct spec_region *r) { return r->ops * (r->repeat - 1); }

// Returns whether the region is worth writing as a repetition, which is harder to read than plain operations: at least
// two operations three times, or four operations twice.
static bool is_worth_it(const struct spec_region *r) {
    return r->ops >= 2 && r->repeat >= 2 && (r->repeat >= 3 || r->ops >= 4);
}

// Takes the region that saves more operations. Of equally long ones, which differ only in the place of the cut, it
// takes the one with fewer carries: at the natural border between blocks, few values pass from one to the next.
static void take_better(struct spec_region *best, const struct spec_region *r) {
    bool better = gain(r) > gain(best) || (gain(r) == gain(best) && r->ops == best->ops && r->carries < best->carries);
    if (!best->ops || better) *best = *r;
}

// Tries all ways to divide [begin, end + period) into repetitions of `period` operations and keeps the best. In
// [begin, end) every key equals the key that is `period` operations later.
static void try_cuts(const struct spec *s, int begin, int end, int period, struct spec_region *best) {
    for (int first = begin; first < begin + period && first < end; first++)
        for (int repeat = (end - first) / period + 1; repeat >= 2; repeat--) {
            struct spec_region r = {.first = first, .ops = period, .repeat = repeat};
            if (!is_worth_it(&r) || gain(&r) < gain(best)) break;
            if (!repeats(s, &r)) continue;
            take_better(best, &r);
            break;
        }
}

// Returns the region among operations low .. high - 1 that saves most. Its member `ops` is 0 if there is none.
static struct spec_region best_of(const struct spec *s, const uint64_t key[], int low, int high) {
    struct spec_region best = {0};
    for (int period = 2; period <= (high - low) / 2; period++)
        for (int i = low, begin = low; i + period <= high; i++) {
            bool equal = i + period < high && key[i] == key[i + period];
            if (equal) continue;
            if (i > begin) try_cuts(s, begin, i, period, &best);
            begin = i + 1;
        }
    return best;
}

// Divides operations low .. high - 1 into regions: the region that saves most, and the regions before and after it.
static void find(struct spec *s, const uint64_t key[], int low, int high) {
    struct spec_region best = best_of(s, key, low, high);
    if (low >= high) return;
    if (!best.ops) {
        struct spec_region plain = {.first = low, .ops = high - low, .repeat = 1};
        VEC_PUSH(s->arena, s->region, plain);
        return;
    }
    find(s, key, low, best.first);
    VEC_PUSH(s->arena, s->region, best);
    find(s, key, best.first + best.ops * best.repeat, high);
}

enum { MOST_REGIONS = 64 }; // with more regions, the spec gets a single one that repeats nothing

static void name_regions(struct spec *s) {
    int repeated = 0;
    for (size_t i = 0; i < s->region.count; i++) {
        struct spec_region *r = &s->region.items[i];
        if (r->repeat > 1) r->name = repeated++ ? arena_printf(s->arena, "layers_%d", repeated) : "layers";
        else if (s->region.count == 1) r->name = "main";
        else r->name = i == 0 ? "first" : i == s->region.count - 1 ? "last" : arena_printf(s->arena, "part_%zu", i);
    }
}

void spec_find_regions(struct spec *s) {
    uint64_t *key = ARENA_ARRAY(s->arena, uint64_t, s->op.count + 1);
    for (size_t i = 0; i < s->op.count; i++) key[i] = key_of(s, op(s, (int)i));
    find(s, key, 0, (int)s->op.count);
    if (s->region.count > MOST_REGIONS) {
        struct spec_region all = {.ops = (int)s->op.count, .repeat = 1};
        s->region.count = 0;
        VEC_PUSH(s->arena, s->region, all);
    }
    name_regions(s);
}
