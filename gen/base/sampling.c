// SPDX-License-Identifier: Apache-2.0
// Checks the sampling settings of a request against a design.
#include "gen/base/sampling.h"
#include "gen/base/messages.h"

#include <stddef.h>

const char *sampling_refusal(const struct sampling *s, int64_t most) {
    bool any = s->inverse || s->top_k || s->min_p || s->seed;
    if (any && !most) return MSG_SAMPLING_ABSENT;
    if (s->top_k > most) return MSG_SAMPLING_TOP_K;
    if (s->min_p && !s->top_k) return MSG_SAMPLING_MIN_P;
    return NULL;
}
