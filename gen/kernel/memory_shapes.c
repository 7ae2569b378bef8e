// SPDX-License-Identifier: Apache-2.0
// Costs of memories and FIFOs by shape: the number of RAM primitives of the device (UltraScale+, UG573 and UG574) that
// a memory of `words` words of `bits` bits takes, and the LUTs that join them.
#include "gen/kernel/args.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/terms.h"

enum {
    LUTRAM_32_BITS = 14, // RAM32M16: 32 words in 8 LUTs, one of them for the write port
    LUTRAM_64_BITS = 7,  // RAM64M8: 64 words in 8 LUTs
    LUTRAM_LUTS = 8,
    SRL_WORDS = 32,
    URAM_WORDS = 4096,
    URAM_BITS = 72,
    MUX_INPUTS = 3,        // a LUT adds three more inputs to a multiplexer
    AUTO_LUTRAM_WORDS = 64 // up to this depth, a synthesis tool chooses LUTRAM
};

void cost_add(struct cost_resources *to, const struct cost_resources *what, int64_t times) {
    to->lut += times * what->lut;
    to->ff += times * what->ff;
    to->dsp += times * what->dsp;
    to->bram18 += times * what->bram18;
    to->uram += times * what->uram;
}

// Returns the LUTs of a LUTRAM: its memories, and above 64 words also the multiplexers that join them.
static int64_t lutram(int64_t words, int64_t bits) {
    if (words <= 32) return LUTRAM_LUTS * div_up(bits, LUTRAM_32_BITS);
    int64_t banks = div_up(words, 64);
    return banks * LUTRAM_LUTS * div_up(bits, LUTRAM_64_BITS) + bits * div_up(banks - 1, MUX_INPUTS);
}

// Chooses the aspect ratio that takes the fewest block RAMs, and among these the one with the fewest rows of RAMs,
// because a multiplexer must join the rows. A column may be half a BRAM36 if the rest of the width fits into it.
static struct cost_resources block_ram(int64_t words, int64_t bits) {
    static const struct {
        int64_t words, whole, half; // at this depth: bits of a BRAM36, and bits of its half
    } ratio[] = {{512, 72, 36}, {1024, 36, 18}, {2048, 18, 9}, {4096, 9, 4},
                 {8192, 4, 2},  {16384, 2, 1},  {32768, 1, 0}};
    struct cost_resources best = {0};
    for (size_t i = 0; i < COUNT_OF(ratio); i++) {
        int64_t rest = bits % ratio[i].whole, columns = 2 * (bits / ratio[i].whole),
                rows = div_up(words, ratio[i].words);
        if (rest) columns += rest <= ratio[i].half ? 1 : 2;
        if (best.bram18 && columns * rows > best.bram18) continue;
        best = (struct cost_resources){.bram18 = columns * rows, .lut = bits * div_up(rows - 1, MUX_INPUTS)};
    }
    return best;
}

static struct cost_resources ultra_ram(int64_t words, int64_t bits) {
    int64_t rows = div_up(words, URAM_WORDS);
    return (struct cost_resources){.uram = rows * div_up(bits, URAM_BITS), .lut = bits * div_up(rows - 1, MUX_INPUTS)};
}

struct cost_resources cost_ram(int64_t words, int64_t bits, enum ram_style style) {
    struct cost_resources r = {0};
    if (words <= 0 || bits <= 0) return r;
    if (style == RAM_AUTO) style = words <= AUTO_LUTRAM_WORDS ? RAM_DISTRIBUTED : RAM_BLOCK;
    switch (style) {
    case RAM_SRL: r.lut = bits * div_up(words, SRL_WORDS); return r;
    case RAM_DISTRIBUTED: r.lut = lutram(words, bits); return r;
    case RAM_ULTRA: return ultra_ram(words, bits);
    default: return block_ram(words, bits);
    }
}

// A FIFO of up to two words has no memory, only registers and a multiplexer. In a deeper FIFO, one of the words is in
// an output register, which block RAM and UltraRAM include. Its control has counters of the words in the memory and of
// all words (docs/rtl.md, rill_fifo).
struct cost_resources cost_fifo(int64_t depth, int64_t bits, enum ram_style style) {
    struct cost_resources r = {0};
    if (depth <= 0) return r;
    int64_t count_bits = log2_up(depth + 1);
    if (depth > 2) r = cost_ram(depth - 1, bits, style);
    if (depth == 2) r.lut += bits;
    r.ff += depth == 2 ? 2 * bits : r.bram18 || r.uram ? 0 : bits;
    if (depth > 2) cost_per(&r, count_bits, PER_FIFO_COUNTER_BIT);
    cost_per(&r, 1, depth == 1 ? PER_FIFO_OF_ONE : depth == 2 ? PER_FIFO_OF_TWO : PER_FIFO_BASE);
    return r;
}
