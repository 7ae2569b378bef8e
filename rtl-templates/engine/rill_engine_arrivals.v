// SPDX-License-Identifier: Apache-2.0
// Joins the arrival pulses of all lanes of the matrix engine: all_arrived pulses when every lane has received its next
// beat (bit c of arrived pulses when lane c receives a beat). Lanes are joined in groups of eight, then the groups.
//
// Latency: 2 cycles from the last lane's pulse, with more than eight lanes 4. Throughput: one pulse per cycle.
// Reset: clk, synchronous active-high rst; clears the counts.
//
// name      meaning                                  unit      range
// CHANNELS  lanes                                    channels  1 to 32
// AHEAD     beats a lane may be ahead of the others  beats     1 or more
`default_nettype none

module rill_engine_arrivals #(
    parameter CHANNELS = 0,
    parameter AHEAD = 0
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [CHANNELS-1:0] arrived,
    output wire                all_arrived
);
    localparam FAN_OUT = 8;
    localparam GROUPS = CHANNELS > FAN_OUT ? (CHANNELS + FAN_OUT - 1) / FAN_OUT : 1;

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
    endgenerate

    wire [GROUPS-1:0] group_arrived;
    genvar g;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : gen_join
            localparam LANES = CHANNELS - g * FAN_OUT < FAN_OUT ? CHANNELS - g * FAN_OUT : FAN_OUT;
            rill_engine_join #(.PORTS(LANES), .AHEAD(AHEAD)) u_join (
                .clk(clk), .rst(rst), .pulse(arrived[g*FAN_OUT +: LANES]), .joined(group_arrived[g]));
        end
        if (GROUPS > 1) begin : gen_join_groups
            rill_engine_join #(.PORTS(GROUPS), .AHEAD(AHEAD)) u_join (
                .clk(clk), .rst(rst), .pulse(group_arrived), .joined(all_arrived));
        end else begin : gen_join_all
            assign all_arrived = group_arrived[0];
        end
    endgenerate
endmodule

`default_nettype wire
