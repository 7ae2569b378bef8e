// SPDX-License-Identifier: Apache-2.0
// Begins requests in the middle: takes the replay's state at a position from a run up to it or from a file, and writes
// such files.
#include <string.h>

#include "verif/check/check_internal.h"

// ---- beginning at a position ----

// Returns how many ids are generated before the position is run.
static int64_t made_before(const struct check_request *r, int64_t position) {
    return position < r->count ? 0 : position - r->count + 1;
}

// Gives the replay the state before position request.from. Returns false if the state does not fit the graph.
static bool take_state(struct check *check, const struct check_state *s) {
    const struct check_request *r = &check->request;
    int64_t made = made_before(r, r->from);
    if (!replay_restore(check->golden, s->cache, s->cache_bytes, s->positions, r->from)) return false;
    memcpy(check->ids, s->ids + s->count, (size_t)made * sizeof *check->ids);
    memcpy(check->hashes, s->hashes, (size_t)made * sizeof *check->hashes);
    check->id_count = made;
    check->hash = made ? check->hashes[made - 1] : 0;
    check->positions = r->from;
    return true;
}

bool check_start(struct check *check, struct check_start *start) {
    const struct check_request *r = &check->request;
    struct step step;
    if (r->from > 0 && !(r->state ? take_state(check, r->state) : plan_run(check, r->from - 1))) return false;
    *start = (struct check_start){plan_step_of(check, r->from), check->id_count, check->ids, check->hash};
    if (r->from == 0) return true; // even without any step: the design reports this case
    if (!plan_step(check, start->step, &step) || step.first != r->from) return false;
    check->first_step = start->step;
    edges_at(check, start->step, start->made);
    return true;
}

// ---- the file: header, ids, hashes, keys and values, and a hash of all of it ----

static const char magic[8] = "RILLKV1";
struct state_header {
    char magic[8];
    uint64_t identity;
    int64_t count, made, positions;
};

const char *check_write_state(struct check *check, const char *path, uint64_t identity) {
    (void)plan_steps(check);
    const struct check_request *r = &check->request;
    struct state_header h = {
        .identity = identity, .count = r->count, .made = check->id_count, .positions = check->positions};
    struct text out = {0};
    memcpy(h.magic, magic, sizeof magic);
    text_add_bytes(&out, &h, sizeof h);
    text_add_bytes(&out, check->hashes, (size_t)h.made * sizeof *check->hashes);
    text_add_bytes(&out, r->ids, (size_t)r->count * sizeof *r->ids);
    text_add_bytes(&out, check->ids, (size_t)h.made * sizeof *check->ids);
    replay_store(check->golden, h.positions, &out);
    uint64_t hash = bytes_hash(out.data, out.len);
    text_add_bytes(&out, &hash, sizeof hash);
    const char *why = file_write_text(check->arena, path, &out);
    text_free(&out);
    return why;
}

// Returns whether the counts are within the size of the file, so that no sum overflows.
static bool fits(const struct state_header *h, size_t len) {
    int64_t most = (int64_t)len;
    return h->count > 0 && h->count < most && h->made > 0 && h->made < most && h->positions > 0 &&
           h->positions < most && (size_t)h->made * 12 + (size_t)h->count * 4 + sizeof *h + 8 <= len;
}

bool check_read_state(struct arena *arena, const char *path, uint64_t identity, struct check_state *state,
                      const char **why) {
    size_t len;
    const char *data = file_read(arena, path, (size_t)1 << 40, &len, why);
    struct state_header h;
    uint64_t hash;
    if (data == NULL) return false;
    *why = arena_printf(arena, MSG_STATE_FILE, path);
    if (len < sizeof h + sizeof hash) return false;
    memcpy(&h, data, sizeof h);
    memcpy(&hash, data + len - sizeof hash, sizeof hash);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || hash != bytes_hash(data, len - sizeof hash) || !fits(&h, len))
        return false;
    *why = arena_printf(arena, MSG_STATE_OTHER, path, "design, image or sampling");
    if (h.identity != identity) return false;
    *state = (struct check_state){.hashes = (const uint64_t *)(const void *)(data + sizeof h),
                                  .count = h.count,
                                  .made = h.made,
                                  .positions = h.positions};
    state->ids = (const uint32_t *)(state->hashes + h.made);
    state->cache = (const char *)(state->ids + h.count + h.made);
    state->cache_bytes = (size_t)(data + len - sizeof hash - state->cache);
    return true;
}
