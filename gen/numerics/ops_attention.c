// SPDX-License-Identifier: Apache-2.0
// Computes the parts of attention for one head and one token (numerics.h): quantization of keys and values, and
// softmax. The caller makes attention causal by passing the token's position + 1 as `positions`.
#include <math.h>

#include "gen/numerics/numerics.h"

float golden_quantize_kv(size_t hd, const float x[], int8_t q[], struct golden_fault *fault) {
    float most = 0.0f;
    for (size_t i = 0; i < hd; i++) most = g_max(most, g_abs(x[i]), fault);
    if (most == 0.0f) {
        memset(q, 0, hd);
        return 0.0f;
    }
    float inv = g_mul(g_recip(most, fault), 127.0f, fault);
    for (size_t i = 0; i < hd; i++) q[i] = (int8_t)g_fix_clamp(g_mul(x[i], inv, fault), 0, GOLDEN_KV_LIMIT, fault);
    return g_mul(most, 0x1.020408p-7f, fault); // fp32(1 / 127)
}

float golden_rsqrt_head(size_t hd) { return (float)(1.0 / sqrt((double)hd)); }

float golden_score_scale(double given, size_t hd) { return given > 0 ? (float)given : golden_rsqrt_head(hd); }

float golden_k_scale(float scale, float of_scores, struct golden_fault *fault) {
    return g_mul(scale, of_scores, fault);
}

float golden_softmax(size_t positions, double cap, const float raw[], const float kscale[], const float vscale[],
                     float p[], struct golden_fault *fault) {
    float most = -GOLDEN_FP32_MAX;
    for (size_t t = 0; t < positions; t++) {
        p[t] = g_mul(raw[t], kscale[t], fault);
        if (cap > 0) golden_softcap(1, cap, p + t, p + t, fault);
        most = g_max(most, p[t], fault);
    }
    int64_t sum = 0;
    for (size_t t = 0; t < positions; t++) {
        float e = g_exp(g_sub(p[t], most, fault), fault);
        sum += g_fix(e, GOLDEN_EXP_SUM_FRAC, 32, fault);
        p[t] = g_mul(e, vscale[t], fault);
    }
    return g_recip(g_ldexp(g_from_int64(sum), -GOLDEN_EXP_SUM_FRAC, fault), fault);
}
