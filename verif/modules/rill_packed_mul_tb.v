// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_packed_mul. Multiplies every weight with the extreme values of both activations and with random
// ones, alone and in chains of up to 33. In a chain, each multiplier works a cycle after the previous one. The last one
// adds the bias of all products. The ones between the first and the last also add a product of a multiplier that is not
// in the chain. The lower and the upper bits of the result must be the plain sums of products and biases for the two
// activations. p must not change while en is low.
// Sets for verif/modules/run.sh (form=cells defines RILL_VENDOR_CELLS, form=fast RILL_FAST_SIM; after @: idles and
// stalls in percent):
// sweep: COUNT=1
// sweep: COUNT=3 form=fast
// sweep: COUNT=33 SUM_W=64
// sweep: COUNT=5 SUM_W=48 form=fast
// sweep: COUNT=3 X_BITS=10
// sweep: COUNT=1 X_BITS=10 form=fast
// sweep: COUNT=33 SUM_W=48 form=cells
// sweep: COUNT=3 form=cells
// quick: COUNT=3 ROUNDS=1000 @ 50:50
// quick: COUNT=5 SUM_W=48 ROUNDS=1000 form=cells @ 50:50
// quick: COUNT=33 SUM_W=64 ROUNDS=1000 form=fast @ 50:50
// quick: COUNT=3 X_BITS=10 ROUNDS=1000 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_packed_mul_tb;
    // Parameters without a comment are those of the module.
    parameter COUNT = 1; // multipliers of the chain
    parameter X_BITS = 8;
    parameter SUM_W = 32;
    localparam END = 1 << X_BITS - 1;          // activations are -END to END - 1
    localparam SPLIT = 26 - X_BITS;            // lowest bit of the upper half
    localparam BIAS = 16 * END;                // B of rill_packed_mul, for one product
    // Bits of the upper half that are compared: all that SUM_W leaves, but at most SPLIT, the width of the lower half.
    localparam HIGH_W = SPLIT == 16 ? 16 : SUM_W == 32 ? 14 : 18;
    localparam BESIDE = COUNT > 2 ? COUNT - 2 : 0; // products that multipliers of the chain add through sum_beside
    localparam ALL = COUNT + BESIDE;
    parameter ROUNDS = 4000; // rounds of the run, each with its own factors
    wire             clk, rst;
    reg              en = 0;
    reg  [31:0]      x [0:ALL-1];              // the chain's factors, then those of the added products
    reg  [4:0]       weight [0:ALL-1];
    wire [SUM_W-1:0] p [0:ALL-1];
    wire [SUM_W-1:0] cascade [0:ALL-1];
    reg  [SUM_W-1:0] sum;
    integer          n, i, seed, idle, x0, x1, w, low = 0, high = 0, most = 0;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    genvar g;
    generate
        for (g = 0; g < ALL; g = g + 1) begin : gen_product
            // Multiplier g of the chain works g cycles late. The product of another multiplier that it adds is made a
            // cycle earlier.
            localparam LATE = g < COUNT ? g : g - COUNT;
            wire [SUM_W-1:0] sum_in;
            wire [SUM_W-1:0] sum_beside;
            wire [37:0]      now;
            if (LATE == 0) begin : gen_now
                assign now = {en, weight[g], x[g]};
            end else begin : gen_late
                reg [38*LATE-1:0] late_q = 0;
                always @(posedge clk)
                    late_q <= {late_q, en, weight[g], x[g]};
                assign now = late_q[38*LATE-1 -: 38];
            end
            if (g > 0 && g < COUNT) begin : gen_next
                assign sum_in = cascade[g-1];
            end else begin : gen_begin
                assign sum_in = {SUM_W{1'bx}};
            end
            if (g > 0 && g < COUNT - 1) begin : gen_beside
                assign sum_beside = p[COUNT+g-1];
            end else begin : gen_alone
                assign sum_beside = {SUM_W{1'bx}};
            end
            rill_packed_mul #(.BIAS(g == COUNT - 1 ? ALL : 0), .X_BITS(X_BITS), .SUM_W(SUM_W),
                .SUMS(g == 0 || g >= COUNT ? 0 : g < COUNT - 1 ? 2 : 1)) dut (.clk(clk), .en(now[37]), .x(now[31:0]),
                .weight(now[36:32]), .sum_in(sum_in), .sum_beside(sum_beside), .p(p[g]), .cascade(cascade[g]));
        end
    endgenerate

    // told[i]: {en, low, high} of the round whose factors were taken i clock edges before the latest one. The end of
    // the chain shows the sums of told[COUNT-1]. If en was low then, it still shows those of the latest round with en.
    reg  [64:0]  told [0:COUNT-1];
    integer      want_low = 0, want_high = 0;
    always @(posedge clk) begin
        told[0] <= {en, low, high};
        for (i = 1; i < COUNT; i = i + 1)
            told[i] <= told[i-1];
    end
    always @* sum = p[COUNT-1];

    // Returns the smallest or the largest activation, -1 or 0 (pick 0 to 3), or a random one.
    function integer activation(input integer pick);
        activation = pick == 0 ? -END : pick == 1 ? END - 1 : pick == 2 ? -1 : pick == 3 ? 0
            : $unsigned($random(seed)) % (2 * END) - END;
    endfunction

    integer k;
    // Compares the end of the chain with the sums that are due.
    task check;
        begin
            if (told[COUNT-1][64] === 1'b1) {want_low, want_high} = told[COUNT-1][63:0];
            if (n > COUNT && (sum[SPLIT-1:0] !== want_low || sum[SPLIT +: HIGH_W] !== want_high)) begin
                $display("FAIL: round %0d: %0d %0d instead of %0d %0d", n, sum[SPLIT-1:0], sum[SUM_W-1:SPLIT], want_low,
                    want_high);
                $finish;
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        @(negedge rst);
        for (n = 0; n < ROUNDS; n = n + 1) begin
            @(negedge clk);
            if (n > 0) check;
            en = n == 0 || $unsigned($random(seed)) % 100 >= idle;
            if (en) {low, high} = 0;
            for (k = 0; k < ALL; k = k + 1) begin
                // n below 1536: all 24 weights with 8 x 8 choices of the activations; then random ones
                x0 = activation(n < 1536 ? n / 24 % 8 : 4);
                x1 = activation(n < 1536 ? n / 192 % 8 : 4);
                x[k] = x1 * (1 << SPLIT) + x0;
                w = (n < 1536 ? n % 24 : $unsigned($random(seed)) % 24) - 8;
                weight[k] = w;
                if (w > 7) weight[k][4] = 0;
                if (en) begin
                    low = low + x0 * w + BIAS;
                    high = high + x1 * w + BIAS;
                end
            end
            if (high > most) most = high;
        end
        if (most == ALL * (BIAS + 15 * (END - 1))) $display("PASS");
        else $display("FAIL: the largest sum %0d was not reached", ALL * (BIAS + 15 * (END - 1)));
        $finish;
    end
endmodule

`default_nettype wire
