// SPDX-License-Identifier: Apache-2.0
// Finds the positions that a request keeps of the request before it, as a host does: by comparing the ids.
#include <string.h>

#include "gen/ir/layout.h"
#include "verif/harness/sim_internal.h"

struct sim_prompt prefix_then(struct sim *sim, const struct sim_prompt *prompt, const struct request_result *before) {
    struct sim_prompt whole = *prompt;
    int64_t left = before->prompt_len + before->ids;
    uint32_t *ids = ARENA_ARRAY(&sim->arena, uint32_t, (size_t)(left + prompt->count) + 1);
    memcpy(ids, before->prompt, (size_t)before->prompt_len * sizeof *ids);
    memcpy(ids + before->prompt_len, before->id, (size_t)before->ids * sizeof *ids);
    memcpy(ids + left, prompt->ids, (size_t)prompt->count * sizeof *ids);
    whole.ids = ids;
    whole.count = left + prompt->count;
    return whole;
}

// Returns the prompt id or generated id at a position.
static uint32_t id_at(const struct request_result *r, int64_t position) {
    return position < r->prompt_len ? r->prompt[position] : r->id[position - r->prompt_len];
}

// Returns how many ids at the start of the prompt equal those of the positions that the design holds from the previous
// request. At least one id of the prompt remains to be computed.
static int64_t shared(const struct request_result *before, const struct request_result *r) {
    int64_t n = 0, most = at_most(before->held, r->prompt_len - 1);
    while (n < most && r->prompt[n] == id_at(before, n)) n++;
    return n;
}

// Returns whether the design can begin at position n. The values of the block before n must be in memory (whole
// blocks), or on chip, where the block of the latest held position is.
static bool block_fits(int64_t held, int64_t n) {
    return n % LAYOUT_V_BLOCK == 0 || n / LAYOUT_V_BLOCK == (held - 1) / LAYOUT_V_BLOCK;
}

// Returns whether the request can keep n positions.
static bool fits(const struct request_result *before, const struct request_result *r, int64_t n) {
    return n < r->prompt_len && n <= before->held && block_fits(before->held, n);
}

// Names what is wrong with a number of positions, or returns NULL.
static const char *fault(struct sim *sim, int64_t asked, int64_t most, const struct request_result *before,
                         const struct request_result *r) {
    if (!fits(before, r, asked))
        return arena_printf(&sim->arena, MSG_PREFIX_BEYOND, (long long)asked, (long long)r->prompt_len,
                            (long long)before->held, (long long)most);
    for (int64_t i = 0; i < asked; i++)
        if (r->prompt[i] != id_at(before, i))
            return arena_printf(&sim->arena, MSG_PREFIX_DIFFERS, (long long)asked, (long long)i, r->prompt[i],
                                id_at(before, i));
    return NULL;
}

int64_t prefix_most(const struct request_result *before, const struct request_result *r) {
    int64_t most = shared(before, r);
    return block_fits(before->held, most) ? most : most / LAYOUT_V_BLOCK * LAYOUT_V_BLOCK;
}

bool prefix_find(struct sim *sim, int64_t asked, const struct request_result *before, struct request_result *r) {
    int64_t most = prefix_most(before, r);
    r->prefix = asked == SIM_PREFIX_MOST ? most : asked;
    r->begin = r->kept = fits(before, r, r->prefix) ? r->prefix : 0;
    const char *why = sim->options.unchecked ? NULL : fault(sim, r->prefix, most, before, r);
    if (why) sim_fail(sim, "%s", why);
    return why == NULL;
}
