// SPDX-License-Identifier: Apache-2.0
// Tells logic at clk_2x in which half of a cycle of clk it works: multipliers that compute a product in each half
// (rill_pumped_mul), and senders of half beats (rill_half_send).
//
// Every rising edge of clk is also one of clk_2x. phase holds COPIES times {second, first}. second is 1 in the half
// that ends with a rising edge of clk, first in the other half. phase is right from the second cycle on, so there is no
// reset; earlier values do not matter. Each copy has its own registers, so that each has few loads.
//
// name    meaning              unit    range
// COPIES  copies of the phase  copies  1 or more
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

    reg toggle_q = 1'b0;  // changes in each cycle
    reg late_q = 1'b0;    // follows toggle_q in the middle of a cycle
    // 1 in the second half of a cycle, because toggle_q and late_q differ in the first half
    reg differ_q = 1'b0;
    always @(posedge clk)
        toggle_q <= !toggle_q;
    always @(posedge clk_2x) begin
        late_q <= toggle_q;
        differ_q <= toggle_q != late_q;
    end
    genvar c;
    generate
        for (c = 0; c < COPIES; c = c + 1) begin : gen_copy
            (* keep = "true" *) reg first_q = 1'b0;
            (* keep = "true" *) reg second_q = 1'b0; // verif/timing refers to this name
            always @(posedge clk_2x) begin
                first_q <= differ_q;
                second_q <= !differ_q;
            end
            assign phase[2*c +: 2] = {second_q, first_q};
        end
    endgenerate
endmodule

`default_nettype wire
