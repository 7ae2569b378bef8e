// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_fp32_from_int_tb. Each line has the hexadecimal words "a y". a is a two's complement integer
// of WIDTH bits, printed in 128 bits with zeros above. y is its fp32 value.
#include "verif/modules/vectors_rill_fp32.h"

__extension__ typedef unsigned __int128 wide;

// Prints a line. The argument `a` is sign-extended to 128 bits.
static void print(wide a, int width) {
    wide shown = width < 128 ? a & (((wide)1 << width) - 1) : a;
    float y = g_from_int128((int128)a);
    printf("%016" PRIx64 "%016" PRIx64 " %08" PRIx32 "\n", (uint64_t)(shown >> 64), (uint64_t)shown, g_bits(y));
}

// Sign-extends the low `width` bits of a to 128 bits.
static wide sign_extend(wide a, int width) {
    wide sign = (wide)1 << (width - 1);
    wide low = width < 128 ? a & (((wide)1 << width) - 1) : a;
    return (low ^ sign) - sign;
}

// Prints values around 2^i and -2^i for each i. For i >= 25, also prints values around 2^i plus three quarters of a
// unit in the last place of the significand, and the negative ones.
static void print_corners(int width) {
    for (int i = 0; i < width; i++) {
        for (int j = -2; j <= 2; j++) {
            wide power = (wide)1 << i, near_tie = i >= 25 ? (wide)3 << (i - 25) : 0;
            print(sign_extend(power + (wide)j, width), width);
            print(sign_extend((wide)0 - power + (wide)j, width), width);
            print(sign_extend(power + near_tie + (wide)j, width), width);
            print(sign_extend((wide)0 - power - near_tie + (wide)j, width), width);
        }
    }
}

// Prints values that are above a tie by a single bit, for each position of that bit below the tie.
static void print_decided_ties(int width) {
    for (int i = width - 2; i >= 25; i -= 3) {
        wide tie = ((wide)1 << i) + ((wide)1 << (i - 24));
        for (int k = i - 25; k >= 0; k--) print(tie + ((wide)1 << k), width);
    }
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    int width = (int)vectors_argument(argc, argv, "WIDTH", 64);
    print_corners(width);
    print_decided_ties(width);
    for (int i = 0; i < v.count; i++) {
        wide a = (wide)vectors_random(&v) << 64 | vectors_random(&v);
        int bits = 1 + (int)(vectors_random(&v) % (uint64_t)width);
        a = sign_extend(a, bits);
        if (i & 1 && bits > 26) // at most 26 significant bits, so ties occur; in half of them bit 0 decides
            a = (a >> (bits - 26) << (bits - 26)) + (i & 2 ? 1 : 0);
        print(a, width);
    }
    return 0;
}
