// SPDX-License-Identifier: Apache-2.0
// One 64-bit counter per event line. Each counts the cycles in which its line is high, for the generic counters of the
// register map.
//
// `clear` clears all counters, at the start of a request. They do not count while `enable` is low. A count is split at
// 32 bits with a registered carry, so that the adders stay short. So in the cycle after a carry, a count is 2^32 too
// small. Reset: clk, synchronous active-high rst.
//
// name    meaning                          unit    range
// EVENTS  event lines; each has a counter  events  1 or more
`default_nettype none

module rill_event_counters #(
    parameter EVENTS = 0
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 clear,
    input  wire                 enable,
    input  wire [EVENTS-1:0]    events,
    output wire [EVENTS*64-1:0] counts
);
    generate
        if (EVENTS < 1) begin : gen_bad
            rill_error_EVENTS_must_be_at_least_1 u_error ();
        end
    endgenerate

    genvar i;
    generate
        for (i = 0; i < EVENTS; i = i + 1) begin : gen_counter
            reg [31:0] low_q;
            reg [31:0] high_q;
            reg        carry_q;
            always @(posedge clk) begin
                if (rst | clear) begin
                    low_q   <= 32'd0;
                    high_q  <= 32'd0;
                    carry_q <= 1'b0;
                end else begin
                    {carry_q, low_q} <= {1'b0, low_q} + {32'd0, enable & events[i]};
                    high_q <= high_q + {31'd0, carry_q};
                end
            end
            assign counts[i*64 +: 64] = {high_q, low_q};
        end
    endgenerate
endmodule

`default_nettype wire
