// SPDX-License-Identifier: Apache-2.0
// Counts the (step, layer) pairs whose K and V writes all have their responses, in order.
//
// k_layer_done, v_layer_done: one-cycle pulses, the n-th one says that every descriptor and beat of the n-th pair has been accepted by the
// write engines (none, for a V block that did not close). idle: the idle outputs of all write engines that carry K or V.
// When every engine has been idle for SETTLE cycles in a row, everything handed over before has its response, whichever writer was
// ahead: kv_layers_done then moves up to the smaller of the two pulse counts, one per cycle. A writer need not wait for the other one, and
// the wait ends by itself: readers stop at a pair that is not counted, so writes stop, so the engines get idle.
// SETTLE covers register slices and small FIFOs between a writer and its engine; it must exceed their latency.
// Reset: clk, synchronous active-high rst; counts start at 0.
// Parameters: WRITERS (write engines), SETTLE (cycles), V_EN (0: no V writer, its pulses are not waited for).
`default_nettype none

module rill_kv_tracker #(
    parameter WRITERS = 0,
    parameter SETTLE = 8,
    parameter V_EN = 1
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               k_layer_done,
    input  wire               v_layer_done,
    input  wire [WRITERS-1:0] idle,
    output reg  [31:0]        kv_layers_done
);
    localparam SETTLE_W = $clog2(SETTLE + 1);
    localparam [31:0] SETTLE_ALL = SETTLE;

    generate
        if (WRITERS < 1) begin : gen_bad_writers
            rill_error_WRITERS_must_be_at_least_1 u_error ();
        end
        if (SETTLE < 1 || SETTLE > 255) begin : gen_bad_settle
            rill_error_SETTLE_must_be_1_to_255 u_error ();
        end
    endgenerate

    // Pairs handed over and not counted yet: they must have been handed over before the idle time began.
    reg  [31:0]         k_count_q;
    reg  [31:0]         v_count_q;
    reg  [31:0]         covered_q;           // both writers' count when the idle time began
    reg  [SETTLE_W-1:0] settle_q;
    reg                 idle_q;
    wire                settled = settle_q == SETTLE_ALL[SETTLE_W-1:0];
    wire [31:0]         both = (V_EN == 0 || k_count_q < v_count_q) ? k_count_q : v_count_q;

    always @(posedge clk)
        if (rst) begin
            k_count_q <= 32'd0;
            v_count_q <= 32'd0;
            covered_q <= 32'd0;
            settle_q <= {SETTLE_W{1'b0}};
            idle_q <= 1'b0;
            kv_layers_done <= 32'd0;
        end else begin
            if (k_layer_done)
                k_count_q <= k_count_q + 32'd1;
            if (v_layer_done)
                v_count_q <= v_count_q + 32'd1;
            idle_q <= &idle;
            if (!idle_q)
                settle_q <= {SETTLE_W{1'b0}};
            else if (settled)
                settle_q <= {SETTLE_W{1'b0}};
            else
                settle_q <= settle_q + 1'b1;
            if (settle_q == {SETTLE_W{1'b0}})
                covered_q <= both;
            if (idle_q && settled)
                kv_layers_done <= covered_q;
        end

    wire unused = &{1'b0, SETTLE_ALL};
endmodule

`default_nettype wire
