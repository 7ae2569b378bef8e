// SPDX-License-Identifier: Apache-2.0
// In which half of a cycle of clk each register of clk_2x works, for multipliers that work in both (rill_pumped_mul).
//
// Rising edges of clk are every second one of clk_2x. phase holds COPIES times {second, first}: second in the half that
// ends with a rising edge of clk, first in the other one. Right from the second cycle on, for good: no reset; the first
// values do not matter. A copy is in registers of its own, so that each has few loads.
//
// name    meaning     unit    range
// COPIES  of a phase  copies  1 or more
`default_nettype none

module rill_pump_phase #(
    parameter COPIES = 0
) (
    input  wire                clk,
    input  wire                clk_2x,
    output wire [2*COPIES-1:0] phase
);
    generate
        if (COPIES < 1) begin : gen_bad
            rill_error_COPIES_must_be_at_least_1 u_error ();
        end
    endgenerate

    reg tog_q = 1'b0;   // another value in each cycle
    reg half_q = 1'b0;  // that, from the middle of it on
    reg second_q = 1'b0;
    always @(posedge clk)
        tog_q <= !tog_q;
    always @(posedge clk_2x) begin
        half_q <= tog_q;
        second_q <= tog_q != half_q;
    end
    genvar c;
    generate
        for (c = 0; c < COPIES; c = c + 1) begin : gen_copy
            (* keep = "true" *) reg [1:0] phase_q = 2'b00;
            always @(posedge clk_2x)
                phase_q <= {!second_q, second_q};
            assign phase[2*c +: 2] = phase_q;
        end
    endgenerate
endmodule

`default_nettype wire
