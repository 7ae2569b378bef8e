// SPDX-License-Identifier: Apache-2.0
// Checks which sampling settings a design can take.
#include "gen/base/sampling.h"

#include <stddef.h>

const char *sampling_refusal(const struct sampling *s, int64_t most) {
    bool any = s->inverse || s->top_k || s->min_p || s->seed;
    if (any && !most)
        return "the design chooses the most likely id alone; `design: {sampling: 64}` makes one that samples";
    if (s->top_k > most) return "--top-k is above the design's `sampling`, the longest list that it keeps";
    if (s->min_p && !s->top_k)
        return "--min-p goes with --top-k: it is a bound within the list of the k most likely ids";
    return NULL;
}
