// SPDX-License-Identifier: Apache-2.0
// Joins the arrivals on many ports: one pulse out when every port has had one pulse in, counted, so that ports may be ahead of one another.
//
// One level of counters for up to FAN_IN ports, two above; every level registers its inputs' AND and its output.
// Latency: 2 cycles per level from the last port's pulse. Throughput: one pulse per cycle. Reset: synchronous; the counts.
// Parameters: PORTS (up to FAN_IN squared), AHEAD (most pulses by which a port may be ahead of the output), FAN_IN.
`default_nettype none

module rill_engine_join #(
    parameter PORTS = 0,
    parameter AHEAD = 0,
    parameter FAN_IN = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [PORTS-1:0] pulse,
    output wire             joined
);
    localparam COUNT_W = $clog2(AHEAD + 1);
    localparam NODES = (PORTS + FAN_IN - 1) / FAN_IN;

    generate
        if (PORTS < 1 || PORTS > FAN_IN * FAN_IN) begin : gen_bad_ports
            rill_error_PORTS_must_be_1_to_the_square_of_FAN_IN u_error ();
        end
        if (AHEAD < 1) begin : gen_bad_ahead
            rill_error_AHEAD_must_be_at_least_1 u_error ();
        end
    endgenerate

    genvar n;
    genvar i;
    generate
        if (NODES <= 1) begin : gen_node
            wire [PORTS-1:0] has;
            wire             fire = &has;
            reg              fire_q;
            always @(posedge clk)
                fire_q <= fire && !rst;
            assign joined = fire_q;
            for (i = 0; i < PORTS; i = i + 1) begin : gen_port
                reg  [COUNT_W-1:0] count_q;
                reg                has_q;
                wire [COUNT_W-1:0] count = count_q + {{(COUNT_W-1){1'b0}}, pulse[i]} - {{(COUNT_W-1){1'b0}}, fire};
                assign has[i] = has_q;
                always @(posedge clk)
                    if (rst) begin
                        count_q <= {COUNT_W{1'b0}};
                        has_q <= 1'b0;
                    end else if (pulse[i] != fire) begin
                        count_q <= count;
                        has_q <= count != {COUNT_W{1'b0}};
                    end
            end
        end else begin : gen_tree
            wire [NODES-1:0] node;
            for (n = 0; n < NODES; n = n + 1) begin : gen_branch
                localparam WIDTH = PORTS - n * FAN_IN < FAN_IN ? PORTS - n * FAN_IN : FAN_IN;
                rill_engine_join #(.PORTS(WIDTH), .AHEAD(AHEAD), .FAN_IN(FAN_IN)) u_branch (
                    .clk(clk), .rst(rst), .pulse(pulse[n*FAN_IN +: WIDTH]), .joined(node[n]));
            end
            rill_engine_join #(.PORTS(NODES), .AHEAD(AHEAD), .FAN_IN(FAN_IN)) u_root (
                .clk(clk), .rst(rst), .pulse(node), .joined(joined));
        end
    endgenerate
endmodule

`default_nettype wire
