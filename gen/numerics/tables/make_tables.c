// SPDX-License-Identifier: Apache-2.0
// Makes the tables for the functions of docs/numerics.md section 2: segments of a quadratic with integer coefficients.
// fp32.c and the ROMs of the RTL have the same tables.
//   make_tables c      prints gen/numerics/fp32_tables.inc
//   make_tables NAME   prints rtl-templates/arith/rill_fp32_NAME_table.v, NAME in `tables` below
// A segment is evaluated as  u = c1 + (c2*d >> shift2);  y = c0 + (u*d >> shift1);  significand = y >> 5
// with d the signed distance from the middle of the segment. c0 contains the half ulp of the final rounding.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// GUARD: bits of y below the significand. STRIDE: the fit of c0 looks at every 7th distance d, to save time.
enum { GUARD = 5, STRIDE = 7 };

// A function and the form of its table.
struct table {
    const char *name;
    const char *argument;                                    // text for the comments of the printed tables
    long double (*value)(int segment, long double fraction); // fraction: in [0, 1); the result is in [0, 2]
    int segments;
    int index_w;          // bits of the segment index
    int octave_w;         // bits of the index that cover the fraction; rsqrt has one more bit, the exponent's parity
    int input_w;          // bits of the fraction
    int c0_frac;          // fraction bits of c0 and y: the function's value is y * 2^-c0_frac
    int c1_frac, c2_frac; // fraction bits of c1 (slope per unit of the fraction) and of c2 (per its square)
};

struct segment {
    int64_t c0, c1, c2;
};

static long double exp2_value(int segment, long double fraction) {
    (void)segment;
    return exp2l(fraction);
}

static long double recip_value(int segment, long double fraction) {
    (void)segment;
    return 1.0L / (1.0L + fraction);
}

// The upper 128 segments are for odd exponents: an argument in [2, 4).
static long double rsqrt_value(int segment, long double fraction) {
    return 1.0L / sqrtl((1.0L + fraction) * (segment >= 128 ? 2.0L : 1.0L));
}

// Returns ln(m) / (m - 1). In the upper half of the segments, an argument in [3/2, 2) is halved to m, so that m - 1 is
// -1/4 to 1/2.
static long double ln_value(int segment, long double fraction) {
    long double d = segment >= 64 ? (fraction - 1) / 2 : fraction;
    return fabsl(d) < 0x1p-40L ? 1 - d / 2 : log1pl(d) / d;
}

// The curves of fp32.c: the fraction is the magnitude a, divided by the power of two that the index covers.
static long double tanh_value(int segment, long double fraction) {
    (void)segment;
    long double a = 16 * fraction;
    return a < 0x1p-30L ? 1 : tanhl(a) / a;
}

static long double erf_value(int segment, long double fraction) {
    (void)segment;
    long double a = 4 * fraction, slope = 1.128379167095512573896158903121545172L; // 2 / sqrt(pi)
    return a < 0x1p-30L ? slope : erfl(a) / a;
}

static long double tail_value(int segment, long double fraction) {
    (void)segment;
    return erfcl(8 * fraction * 0.707106781186547524400844362104849039L) / 2;
}

static long double softplus_value(int segment, long double fraction) {
    (void)segment;
    return log1pl(expl(-16 * fraction));
}

static const struct table tables[] = {
    {"exp", "2^f, f in [0, 1)", exp2_value, 128, 7, 7, 25, 28, 25, 16},
    {"recip", "1/m, m in [1, 2)", recip_value, 128, 7, 7, 23, 29, 25, 16},
    {"rsqrt", "1/sqrt(m), m in [1, 2), then m in [2, 4)", rsqrt_value, 256, 8, 7, 23, 29, 25, 16},
    {"ln", "ln(m) / (m - 1), m in [1, 3/2), then [3/4, 1)", ln_value, 128, 7, 7, 25, 28, 25, 16},
    {"tanh", "tanh(a) / a, a in [0, 9.25)", tanh_value, 296, 9, 9, 27, 29, 23, 10},
    {"erf", "erf(a) / a, a in [0, 4)", erf_value, 256, 8, 8, 26, 29, 24, 13},
    {"tail", "1 - Phi(a), a in [0, 6)", tail_value, 192, 8, 8, 26, 29, 24, 13},
    {"softplus", "ln(1 + exp(-a)), a in [0, 16)", softplus_value, 256, 8, 8, 26, 29, 23, 11},
};

static int table_d_bits(const struct table *t) { return t->input_w - t->octave_w; }

// Returns the function at distance d from the middle of a segment.
static long double segment_value(const struct table *t, int index, int64_t d) {
    int64_t base = (int64_t)(index & ((1 << t->octave_w) - 1)) << table_d_bits(t);
    int64_t middle = (int64_t)1 << (table_d_bits(t) - 1);
    return t->value(index, ldexpl((long double)(base + middle + d), -t->input_w));
}

// Evaluates a segment in integers without c0, with the same shifts as fp32.c and rill_fp32_quadratic.
static int64_t segment_eval(const struct table *t, const struct segment *s, int64_t d) {
    int shift2 = t->c2_frac + t->input_w - t->c1_frac;
    int shift1 = t->c1_frac + t->input_w - t->c0_frac;
    int64_t u = s->c1 + ((s->c2 * d) >> shift2);
    return (u * d) >> shift1;
}

// Fits a segment: c1 and c2 by interpolation at the Chebyshev nodes. c0 is the middle between the largest and the
// smallest remaining difference between the function and the integer evaluation.
static struct segment segment_fit(const struct table *t, int index) {
    int64_t half = (int64_t)1 << (table_d_bits(t) - 1);
    int64_t node = (int64_t)roundl(sqrtl(3.0L) / 2 * (long double)half);
    long double h = ldexpl((long double)node, -t->input_w);
    long double low = segment_value(t, index, -node), mid = segment_value(t, index, 0),
                high = segment_value(t, index, node);
    struct segment s = {0};
    s.c2 = llroundl(ldexpl((high + low - 2 * mid) / (2 * h * h), t->c2_frac));
    s.c1 = llroundl(ldexpl((high - low) / (2 * h), t->c1_frac));
    long double least = 1e30L, most = -1e30L;
    for (int64_t d = -half; d < half; d += STRIDE) {
        long double error = ldexpl(segment_value(t, index, d), t->c0_frac) - (long double)segment_eval(t, &s, d);
        least = fminl(least, error);
        most = fmaxl(most, error);
    }
    s.c0 = llroundl((least + most) / 2) + (1 << (GUARD - 1));
    return s;
}

static void print_c_table(const struct table *t) {
    printf("\n// %s\nstatic const struct segment %s_table[%d] = {\n", t->argument, t->name, t->segments);
    for (int i = 0; i < t->segments; i++) {
        struct segment s = segment_fit(t, i);
        printf("    {%lld, %lld, %lld},\n", (long long)s.c0, (long long)s.c1, (long long)s.c2);
    }
    printf("};\n");
}

static void print_c(void) {
    printf("// SPDX-License-Identifier: Apache-2.0\n// Written by make_tables.c: do not edit.\n");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) print_c_table(&tables[i]);
}

static const char verilog_head[] = "// SPDX-License-Identifier: Apache-2.0\n"
                                   "// Coefficients of %s: one quadratic for each segment, which\n"
                                   "// rill_fp32_quadratic evaluates. Written by gen/numerics/tables/make_tables.c: do "
                                   "not edit.\n"
                                   "//\n"
                                   "// Registered read: c0, c1 and c2 belong to the index of one enabled clock before. "
                                   "c0 is unsigned, and c1 and c2 are\n"
                                   "// two's complement.\n"
                                   "`default_nettype none\n\n"
                                   "module rill_fp32_%s_table (\n"
                                   "    input  wire        clk,\n"
                                   "    input  wire        en,\n"
                                   "    input  wire [%d:0]  index,\n"
                                   "    output reg  [29:0] c0,\n"
                                   "    output reg  [26:0] c1,\n"
                                   "    output reg  [17:0] c2\n"
                                   ");\n\n"
                                   "    reg [29:0] rom0 [0:%d];\n"
                                   "    reg [26:0] rom1 [0:%d];\n"
                                   "    reg [17:0] rom2 [0:%d];\n\n"
                                   "    always @(posedge clk) begin\n"
                                   "        if (en) begin\n"
                                   "            c0 <= rom0[index];\n"
                                   "            c1 <= rom1[index];\n"
                                   "            c2 <= rom2[index];\n"
                                   "        end\n"
                                   "    end\n\n"
                                   "    initial begin\n";

static void print_verilog(const struct table *t) {
    int last = t->segments - 1;
    printf(verilog_head, t->argument, t->name, t->index_w - 1, last, last, last);
    for (int i = 0; i < t->segments; i++) {
        struct segment s = segment_fit(t, i);
        printf("        rom0[%d] = 30'h%08llx; rom1[%d] = 27'h%07llx; rom2[%d] = 18'h%05llx;\n", i,
               (unsigned long long)s.c0 & 0x3fffffff, i, (unsigned long long)s.c1 & 0x7ffffff, i,
               (unsigned long long)s.c2 & 0x3ffff);
    }
    printf("    end\n\nendmodule\n\n`default_nettype wire\n");
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "c") == 0) {
        print_c();
        return 0;
    }
    for (size_t i = 0; argc == 2 && i < sizeof tables / sizeof tables[0]; i++) {
        if (strcmp(argv[1], tables[i].name) == 0) {
            print_verilog(&tables[i]);
            return 0;
        }
    }
    fprintf(stderr, "usage: make_tables c|NAME\n");
    return 2;
}
