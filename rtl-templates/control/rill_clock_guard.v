// SPDX-License-Identifier: Apache-2.0
// Watches the second clock of a kernel: resets the MMCM that makes it, and says whether the clock may be used.
//
// state: {lost, 14 zeros, failed, ready}. ready (bit 0): the clock may be used. failed (bit 1): a request need not wait
// for the clock any longer. lost (bits 31:16) counts the times that the clock was lost since rst, up to 65535.
// pll_rst resets the MMCM for PULSE + 1 cycles: after rst, after the clock was lost, after locked fell before ready was
// high, and whenever the clock was not ready for 2^LIMIT_BITS cycles.
// ready rises when locked is high and SETTLE successive cycles have had EDGES edges of clk_2x each. It falls three
// cycles after the first cycle with another number of edges, and three cycles after locked falls. locked need not be
// synchronous to clk.
// failed rises when 2^LIMIT_BITS cycles have passed since the reset or the loss. The MMCM is still reset again and
// again. If the clock becomes ready after all, failed falls.
// A clock with gaps or with a changed frequency shows another number of edges at once, long before locked falls. An
// edge that moves within its half of a cycle is not detected.
// Reset: clk, synchronous active-high rst. pll_rst starts at 1, before the first edge of clk.
//
// name        meaning                                            unit    range
// EDGES       rising edges of clk_2x in a cycle of clk           edges   1, 2
// PULSE       length of the MMCM's reset minus 1                 clocks  2 to 255
// SETTLE      cycles without an error until ready                clocks  1 to 255
// LIMIT_BITS  2^LIMIT_BITS clocks until the MMCM is reset again  bits    9 to 24
`default_nettype none

module rill_clock_guard #(
    parameter EDGES = 2,
    parameter PULSE = 16,
    parameter SETTLE = 32,
    parameter LIMIT_BITS = 17
) (
    input  wire        clk,
    input  wire        clk_2x,
    input  wire        rst,
    input  wire        locked,
    output wire        pll_rst,
    output wire [31:0] state
);
    generate
        if (EDGES != 1 && EDGES != 2) begin : gen_bad_edges
            rill_error_EDGES_must_be_1_or_2 u_error ();
        end
        if (PULSE < 2 || PULSE > 255 || SETTLE < 1 || SETTLE > 255) begin : gen_bad_count
            rill_error_PULSE_must_be_2_to_255_SETTLE_1_to_255 u_error ();
        end
        if (LIMIT_BITS < 9 || LIMIT_BITS > 24) begin : gen_bad_limit
            rill_error_LIMIT_BITS_must_be_9_to_24 u_error ();
        end
    endgenerate
    localparam [31:0] EDGES_32 = EDGES;
    localparam [31:0] PULSE_32 = PULSE;
    localparam [31:0] SETTLE_32 = SETTLE;

    // Counts edges of clk_2x. The counts of two successive cycles of clk differ by EDGES, also when the counter wraps.
    // edges_q needs no synchronizer while clk_2x is right, because every rising edge of clk is one of clk_2x, and
    // timing analysis covers paths between such clocks. While clk_2x is lost or wrong, seen_q may have any value. Then
    // right_q may be 1 by chance in a cycle, but ready needs SETTLE such cycles in succession.
    reg  [7:0] edges_q = 8'd0;
    reg  [7:0] seen_q;
    reg  [7:0] before_q;
    reg        right_q;
    always @(posedge clk_2x)
        edges_q <= edges_q + 8'd1;
    always @(posedge clk) begin
        seen_q <= edges_q;
        before_q <= seen_q;
        right_q <= seen_q - before_q == EDGES_32[7:0];
    end

    (* async_reg = "true", shreg_extract = "no" *) reg [1:0] locked_q;
    always @(posedge clk)
        locked_q <= {locked_q[0], locked};

    localparam [1:0] S_RESET = 2'd0, S_WAIT = 2'd1, S_SETTLE = 2'd2, S_READY = 2'd3;
    reg  [1:0]            state_q;
    reg  [7:0]            count_q;           // cycles of S_RESET and S_SETTLE
    reg  [LIMIT_BITS-1:0] time_q;            // cycles since the clock was last ready
    reg                   expired_q;
    reg                   ready_q;
    reg                   failed_q;
    reg  [15:0]           lost_q;
    wire                  good = locked_q[1] && right_q;
    wire                  loses = state_q == S_READY && !good;

    reg                   pll_rst_q = 1'b1;
    assign pll_rst = pll_rst_q;
    always @(posedge clk) begin
        pll_rst_q <= rst || state_q == S_RESET;
        if (rst) begin
            state_q <= S_RESET;
            count_q <= 8'd0;
            time_q <= {LIMIT_BITS{1'b0}};
            expired_q <= 1'b0;
            ready_q <= 1'b0;
            failed_q <= 1'b0;
            lost_q <= 16'd0;
        end else begin
            ready_q <= state_q == S_READY && good;
            expired_q <= &time_q;
            time_q <= state_q == S_READY ? {LIMIT_BITS{1'b0}} : time_q + {{(LIMIT_BITS-1){1'b0}}, 1'b1};
            if (state_q == S_READY)
                failed_q <= 1'b0;
            else if (expired_q)
                failed_q <= 1'b1;
            if (loses && lost_q != 16'hFFFF)
                lost_q <= lost_q + 16'd1;
            count_q <= count_q + 8'd1;
            if (loses || expired_q) begin
                state_q <= S_RESET;
                count_q <= 8'd0;
            end else
                case (state_q)
                    S_RESET: if (count_q == PULSE_32[7:0]) state_q <= S_WAIT;
                    S_WAIT: begin
                        if (locked_q[1]) state_q <= S_SETTLE;
                        count_q <= 8'd0;
                    end
                    S_SETTLE: if (!locked_q[1]) state_q <= S_RESET;
                        else if (count_q == SETTLE_32[7:0]) state_q <= S_READY;
                    default: ;
                endcase
            if (state_q == S_SETTLE && !good)
                count_q <= 8'd0;
        end
    end
    assign state = {lost_q, 14'd0, failed_q, ready_q};

    wire unused = &{1'b0, EDGES_32, PULSE_32, SETTLE_32};
endmodule

`default_nettype wire
