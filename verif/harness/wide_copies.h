// SPDX-License-Identifier: Apache-2.0
// Makes an optimized simulation with wide vectors faster: replaces Verilator's functions that copy vectors by functions
// that copy their 32-bit words with vector instructions. It is included before the code that Verilator writes. A design
// copies vectors of 512 bits and more between modules many thousand times per cycle. Verilator's functions copy word by
// word, because a compiler cannot see that two vectors behind pointers never overlap. The results are the same, because
// a vector is never copied onto a part of itself.
#ifndef RILL_WIDE_COPIES_H
#define RILL_WIDE_COPIES_H

#include "verilated.h"

#define RILL_INLINE static inline __attribute__((always_inline))

// Copies the words of a vector of `bits` bits.
RILL_INLINE void rill_words(WDataOutP owp, WDataInP lwp, int bits) {
    __builtin_memcpy(owp, lwp, 4 * (size_t)VL_WORDS_I(bits));
}

// Each function below does the same as the Verilator function whose name the macros at the end of this file give to it.
// It calls Verilator's function if bits would have to be shifted or masked, or if a part is not within its vector. The
// parameters are Verilator's: obits, lbits and rbits are the widths in bits of the output and the operands, and owp,
// lwp and rwp their words.
RILL_INLINE WDataOutP rill_assign_w(int obits, WDataOutP owp, WDataInP lwp) {
    rill_words(owp, lwp, obits);
    return owp;
}

RILL_INLINE WDataOutP rill_zero_w(int obits, WDataOutP owp) {
    __builtin_memset(owp, 0, 4 * (size_t)VL_WORDS_I(obits));
    return owp;
}

RILL_INLINE WDataOutP rill_extend_ww(int obits, int lbits, WDataOutP owp, WDataInP lwp) {
    rill_words(owp, lwp, lbits);
    for (int i = VL_WORDS_I(lbits); i < VL_WORDS_I(obits); ++i) owp[i] = 0;
    return owp;
}

RILL_INLINE WDataOutP rill_concat_www(int obits, int lbits, int rbits, WDataOutP owp, WDataInP lwp, WDataInP rwp) {
    if (rbits % 32 != 0 || lbits % 32 != 0) return VL_CONCAT_WWW(obits, lbits, rbits, owp, lwp, rwp);
    rill_words(owp, rwp, rbits);
    rill_words(owp + rbits / 32, lwp, lbits);
    return owp;
}

RILL_INLINE WDataOutP rill_concat_wwi(int obits, int lbits, int rbits, WDataOutP owp, WDataInP lwp, IData rd) {
    if (rbits != 32 || lbits % 32 != 0) return VL_CONCAT_WWI(obits, lbits, rbits, owp, lwp, rd);
    owp[0] = rd;
    rill_words(owp + 1, lwp, lbits);
    return owp;
}

RILL_INLINE WDataOutP rill_concat_wiw(int obits, int lbits, int rbits, WDataOutP owp, IData ld, WDataInP rwp) {
    if (rbits % 32 != 0) return VL_CONCAT_WIW(obits, lbits, rbits, owp, ld, rwp);
    rill_words(owp, rwp, rbits);
    owp[rbits / 32] = ld;
    return owp;
}

RILL_INLINE WDataOutP rill_sel_wwii(int obits, int lbits, WDataOutP owp, WDataInP lwp, IData lsb, IData width) {
    if (lsb % 32 != 0 || lsb + width - 1 > (IData)lbits) return VL_SEL_WWII(obits, lbits, owp, lwp, lsb, width);
    rill_words(owp, lwp + lsb / 32, obits);
    return owp;
}

RILL_INLINE void rill_assignsel_ww(int rbits, int obits, int lsb, WDataOutP iowp, WDataInP rwp) {
    if (lsb % 32 != 0 || obits % 32 != 0) VL_ASSIGNSEL_WW(rbits, obits, lsb, iowp, rwp);
    else rill_words(iowp + lsb / 32, rwp, obits);
}

RILL_INLINE WDataOutP rill_cond_wiww(int obits, WDataOutP owp, int cond, WDataInP w1p, WDataInP w2p) {
    rill_words(owp, cond ? w1p : w2p, obits);
    return owp;
}

// Replicates a value of lbits bits `count` times. The result can be made of whole words if lbits divides 32.
RILL_INLINE WDataOutP rill_replicate_wii(int lbits, WDataOutP owp, IData ld, IData count) {
    if (32 % lbits != 0 || lbits * count % 32 != 0) return VL_REPLICATE_WII(lbits, owp, ld, count);
    IData word = ld;
    for (int bits = lbits; bits < 32; bits *= 2) word |= word << bits;
    for (IData i = 0; i < lbits * count / 32; ++i) owp[i] = word;
    return owp;
}

#define VL_REPLICATE_WII rill_replicate_wii
#define VL_ASSIGN_W rill_assign_w
#define VL_ZERO_W rill_zero_w
#define VL_EXTEND_WW rill_extend_ww
#define VL_CONCAT_WWW rill_concat_www
#define VL_CONCAT_WWI rill_concat_wwi
#define VL_CONCAT_WIW rill_concat_wiw
#define VL_SEL_WWII rill_sel_wwii
#define VL_ASSIGNSEL_WW rill_assignsel_ww
#define VL_COND_WIWW rill_cond_wiww

#endif
