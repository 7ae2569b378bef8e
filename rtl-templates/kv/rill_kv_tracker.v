// SPDX-License-Identifier: Apache-2.0
// Counts the (step, layer) pairs whose K and full blocks of V are in memory, in order. V of a block that is not full is
// in rill_v_tail. Walkers wait for k_layers_done and v_layers_done before they read the cache (rill_segment_walker).
// The token loop waits for kv_layers_done at the end of a request.
//
// In: layer_done and given of each writer (rill_k_writer, rill_v_tail), and written of its write engines, as in
// rill_write_tracker. k_layer_done and v_layer_done are pulses: the write engines have taken a layer.
// Out: k_layers_done and v_layers_done are counts of written layers, which do not wait for one another. kv_layers_done
// is the smaller of both counts, one cycle later.
// Reset: clk, synchronous active-high rst; counts start at 0.
//
// name       meaning                                             unit     range
// K_WRITERS  write engines of K                                  engines  1 or more
// V_WRITERS  write engines of V                                  engines  1 or more
// COUNT_W    width of the count of an engine's open descriptors  bits     1 to 16
`default_nettype none

module rill_kv_tracker #(
    parameter K_WRITERS = 0,
    parameter V_WRITERS = 0,
    parameter COUNT_W = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 k_layer_done,
    input  wire [K_WRITERS-1:0] k_given,
    input  wire [K_WRITERS-1:0] k_written,
    input  wire                 v_layer_done,
    input  wire [V_WRITERS-1:0] v_given,
    input  wire [V_WRITERS-1:0] v_written,
    output wire [31:0]          k_layers_done,
    output wire [31:0]          v_layers_done,
    output reg  [31:0]          kv_layers_done
);
    rill_write_tracker #(.WRITERS(K_WRITERS), .COUNT_W(COUNT_W)) u_k (
        .clk(clk), .rst(rst), .layer_done(k_layer_done), .given(k_given), .written(k_written),
        .layers_done(k_layers_done));
    rill_write_tracker #(.WRITERS(V_WRITERS), .COUNT_W(COUNT_W)) u_v (
        .clk(clk), .rst(rst), .layer_done(v_layer_done), .given(v_given), .written(v_written),
        .layers_done(v_layers_done));

    always @(posedge clk)
        kv_layers_done <= rst ? 32'd0 : k_layers_done < v_layers_done ? k_layers_done : v_layers_done;
endmodule

`default_nettype wire
