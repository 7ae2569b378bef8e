// SPDX-License-Identifier: Apache-2.0
// Joins the arrivals on several ports: sends one pulse when every port has had one pulse.
//
// Pulses are counted, so ports may be ahead of one another. A tree of these modules joins many ports.
// Latency: 2 cycles from the last port's pulse. Throughput: one pulse per cycle.
// Reset: clk, synchronous active-high rst; clears the counts.
//
// name   meaning                                   unit    range
// PORTS  arrivals that are joined                  ports   1 or more
// AHEAD  pulses a port may be ahead of the output  pulses  1 or more
`default_nettype none

module rill_engine_join #(
    parameter PORTS = 0,
    parameter AHEAD = 0
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [PORTS-1:0] pulse,
    output reg              joined
);
    localparam COUNT_W = $clog2(AHEAD + 1);

    generate
        if (PORTS < 1) begin : gen_bad_ports
            rill_error_PORTS_must_be_at_least_1 u_error ();
        end
        if (AHEAD < 1) begin : gen_bad_ahead
            rill_error_AHEAD_must_be_at_least_1 u_error ();
        end
    endgenerate

    wire [PORTS-1:0] has;
    wire             fire = &has;
    always @(posedge clk)
        joined <= fire && !rst;

    genvar i;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : gen_port
            reg  [COUNT_W-1:0] count_q;
            reg                has_q;
            wire [COUNT_W-1:0] count_d = fire ? count_q - 1'b1 : count_q + 1'b1;
            assign has[i] = has_q;
            always @(posedge clk)
                if (rst) begin
                    count_q <= {COUNT_W{1'b0}};
                    has_q <= 1'b0;
                end else if (pulse[i] != fire) begin
                    count_q <= count_d;
                    has_q <= count_d != {COUNT_W{1'b0}};
                end
        end
    endgenerate
endmodule

`default_nettype wire
