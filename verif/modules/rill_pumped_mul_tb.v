// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_pumped_mul with rill_pump_phase. It multiplies every weight with extreme and with random
// activations, alone and in chains of up to 33 multipliers. In a chain, each multiplier works half a cycle after the
// previous one, and the last one adds the bias of all products. The multipliers between the first and the last also add
// the product of a multiplier that is not in the chain (BESIDE).
// In one half of a cycle, the lower and the upper bits of the result must be the sums for one pair of activations
// (x_0); in the next half, they must be the sums for the other pair (x_1). Both forms of the module (Verilog and
// form=cells) are compared with the same sums. With +idle, some rounds have unknown inputs, and their results are not
// compared.
// Sets for verif/modules/run.sh (form=cells defines RILL_VENDOR_CELLS; after @: idles and stalls in percent):
// sweep: COUNT=1
// sweep: COUNT=2
// sweep: COUNT=3
// sweep: COUNT=33 SUM_W=64
// sweep: COUNT=6 SUM_W=48
// sweep: COUNT=3 X_BITS=10
// sweep: COUNT=1 form=cells
// sweep: COUNT=2 form=cells
// sweep: COUNT=3 X_BITS=10 form=cells
// sweep: COUNT=33 SUM_W=48 form=cells
// quick: COUNT=2 ROUNDS=800 @ 50:50
// quick: COUNT=6 SUM_W=48 ROUNDS=800 form=cells @ 50:50
// quick: COUNT=9 SUM_W=64 ROUNDS=800 @ 0:0
// quick: COUNT=3 X_BITS=10 ROUNDS=800 @ 50:50
// quick: COUNT=3 X_BITS=10 ROUNDS=800 form=cells @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_pumped_mul_tb;
    // Parameters without a comment are those of the module.
    parameter COUNT = 1; // multipliers of the chain
    parameter X_BITS = 8;
    parameter SUM_W = 32;
    localparam END = 1 << X_BITS - 1;          // activations are -END to END - 1
    localparam SPLIT = 26 - X_BITS;            // lowest bit of the upper sum
    localparam BIAS = 16 * END;                // B of rill_packed_mul, for one product
    // Bits of the upper sum that are compared. SUM_W 32: all bits from SPLIT on. Wider sums: 18, which hold the sum of
    // 64 products. X_BITS 10 (SPLIT 16) is only run with SUM_W 32.
    localparam HIGH_W = SPLIT == 16 ? 16 : SUM_W == 32 ? 14 : 18;
    localparam BESIDE = COUNT > 2 ? COUNT - 2 : 0; // products that multipliers of the chain add over sum_beside
    localparam ALL = COUNT + BESIDE;
    parameter ROUNDS = 3000; // rounds of the run, each with its own factors
    localparam AT = 4 + COUNT;                 // halves of a cycle from a round's inputs to the chain's end
    wire             clk, clk_2x, rst;
    wire [1:0]       phase;
    reg  [31:0]      x_0 [0:ALL-1];            // the chain's factors, then those of the added products
    reg  [31:0]      x_1 [0:ALL-1];
    reg  [4:0]       weight [0:ALL-1];
    wire [SUM_W-1:0] p [0:ALL-1];
    wire [SUM_W-1:0] cascade [0:ALL-1];
    wire [SUM_W-1:0] sum = p[COUNT-1];
    integer          n, i, seed, idle, w, most = 0;
    // Index: the pair of activations. x0, x1: its lower and its upper activation. lows, highs: its expected sums. The
    // inputs x_0 and x_1 are something else: x_0 has both activations of pair 0, x_1 those of pair 1.
    integer          x0 [0:1];
    integer          x1 [0:1];
    integer          lows [0:1];
    integer          highs [0:1];
    reg              there;                    // the inputs of this round are valid

    rill_bench_clock u_clock (.clk(clk), .clk_2x(clk_2x), .rst(rst), .again(1'b0));
    rill_pump_phase #(.COPIES(1)) u_phase (.clk(clk), .clk_2x(clk_2x), .phase(phase));
    genvar g;
    generate
        for (g = 0; g < ALL; g = g + 1) begin : gen_product
            // Multiplier g of the chain works g half cycles late. The multiplier whose product it gets over sum_beside
            // works half a cycle before it.
            localparam LATE = g < COUNT ? g : g - COUNT;
            localparam X0_LATE = LATE / 2;
            localparam X1_LATE = (LATE + 1) / 2;
            wire [SUM_W-1:0] sum_in;
            wire [SUM_W-1:0] sum_beside;
            reg [37*(X1_LATE+1)-1:0] late_q = 0; // {weight, x_1}
            reg [32*(X0_LATE+1)-1:0] x_0_late_q = 0;
            wire [37*(X1_LATE+2)-1:0] late = {late_q, weight[g], x_1[g]};
            wire [32*(X0_LATE+2)-1:0] x_0_late = {x_0_late_q, x_0[g]};
            always @(posedge clk) begin
                late_q <= late[37*(X1_LATE+1)-1:0];
                x_0_late_q <= x_0_late[32*(X0_LATE+1)-1:0];
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
            rill_pumped_mul #(.BIAS(g == COUNT - 1 ? ALL : 0), .X_BITS(X_BITS), .SUM_W(SUM_W),
                .SUMS(g == 0 || g >= COUNT ? 0 : g < COUNT - 1 ? 2 : 1)) dut (.clk_2x(clk_2x), .en_x(phase[1]),
                .en_weight(phase[LATE%2==0]), .pick_1(phase[LATE%2]), .x_0(x_0_late[32*X0_LATE +: 32]),
                .x_1(x_1_of(late[37*X1_LATE +: 37])), .weight(weight_of(late[37*X1_LATE +: 37])), .sum_in(sum_in),
                .sum_beside(sum_beside), .p(p[g]), .cascade(cascade[g]));
        end
    endgenerate

    // Fields of an entry of `late`.
    function [31:0] x_1_of(input [36:0] both);
        x_1_of = both[31:0];
    endfunction
    function [4:0] weight_of(input [36:0] both);
        weight_of = both[36:32];
    endfunction

    // told[i]: {valid, lower sum, upper sum} for the pair that was given i halves of a cycle ago. The end of the chain
    // must show told[AT].
    reg  [64:0]  told [0:AT];
    integer      checked = 0;
    always @(negedge clk_2x) begin : check // in the middle of each half cycle
        if (told[AT][64] === 1'b1) begin
            checked = checked + 1;
            if (sum[SPLIT-1:0] !== told[AT][63:32] || sum[SPLIT +: HIGH_W] !== told[AT][31:0]) begin
                $display("FAIL: round %0d: %0d %0d instead of %0d %0d", n, sum[SPLIT-1:0], sum[SPLIT +: HIGH_W],
                    told[AT][63:32], told[AT][31:0]);
                $finish;
            end
        end
        for (i = AT; i > 0; i = i - 1)
            told[i] = told[i-1];
        told[0] = 65'd0;
    end

    // Returns the smallest or the largest activation, -1 or 0 (pick 0 to 3), or a random one.
    function integer activation(input integer pick);
        activation = pick == 0 ? -END : pick == 1 ? END - 1 : pick == 2 ? -1 : pick == 3 ? 0
            : $unsigned($random(seed)) % (2 * END) - END;
    endfunction

    integer k, t;
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        for (k = 0; k <= AT; k = k + 1) told[k] = 65'd0;
        @(negedge rst);
        for (n = 0; n < ROUNDS; n = n + 1) begin
            @(posedge clk);
            #1;
            there = $unsigned($random(seed)) % 100 >= idle;
            for (t = 0; t < 2; t = t + 1) begin
                lows[t] = 0;
                highs[t] = 0;
            end
            for (k = 0; k < ALL; k = k + 1) begin
                // n < 1536: all 24 weights, -8 to 15, with 8 x 8 choices of the activations; afterwards random ones
                w = (n < 1536 ? n % 24 : $unsigned($random(seed)) % 24) - 8;
                weight[k] = w;
                for (t = 0; t < 2; t = t + 1) begin
                    x0[t] = activation(n < 1536 ? n / 24 % 8 : 4);
                    x1[t] = activation(n < 1536 ? n / 192 % 8 ^ t : 4);
                    lows[t] = lows[t] + x0[t] * w + BIAS;
                    highs[t] = highs[t] + x1[t] * w + BIAS;
                end
                x_0[k] = there ? x1[0] * (1 << SPLIT) + x0[0] : 32'bx;
                x_1[k] = there ? x1[1] * (1 << SPLIT) + x0[1] : 32'bx;
                if (!there) weight[k] = 5'bx;
            end
            if (highs[1] > most) most = highs[1];
            told[0] = {there, lows[0], highs[0]};
            @(posedge clk_2x);
            #1;
            told[0] = {there, lows[1], highs[1]};
        end
        if (most != ALL * (BIAS + 15 * (END - 1)))
            $display("FAIL: the largest sum %0d was not reached", ALL * (BIAS + 15 * (END - 1)));
        else if (idle == 0 && checked < 2 * ROUNDS - 2 * AT) $display("FAIL: %0d sums compared", checked);
        else $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
