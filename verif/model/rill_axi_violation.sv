// SPDX-License-Identifier: Apache-2.0
// Prints which rule rill_axi_checker found broken, and ends the run (simulation only). It is a separate module because
// its message has the name of the instance: without a name, the code of the checker is the same for every port, and a
// simulator compiles it once.
//
// rule: number of the rule, 0: none. cycle: cycles since the reset. addr: address or id. The message comes one clock
// after the violation.
// Parameters: MAX_BURST (beats), OUTSTANDING (bursts per id), those of the checker.
`default_nettype none

module rill_axi_violation #(
    parameter MAX_BURST = 256,
    parameter OUTSTANDING = 256
) (
    input wire        clk,
    input wire [31:0] rule,
    input wire [31:0] cycle,
    input wire [63:0] addr
);
    always @(posedge clk)
        if (rule != 0) begin
            case (rule)
                1: $display("%m: AXI violation at cycle %0d: AR changed or withdrawn while stalled (address %h)", cycle,
                    addr);
                2: $display("%m: AXI violation at cycle %0d: AW changed or withdrawn while stalled (address %h)", cycle,
                    addr);
                3: $display("%m: AXI violation at cycle %0d: W changed or withdrawn while stalled", cycle);
                4: $display("%m: AXI violation at cycle %0d: R changed or withdrawn while stalled", cycle);
                5: $display("%m: AXI violation at cycle %0d: B changed or withdrawn while stalled", cycle);
                6: $display("%m: AXI violation at cycle %0d: burst type is not INCR (address %h)", cycle, addr);
                7: $display("%m: AXI violation at cycle %0d: size is not the full width (address %h)", cycle, addr);
                8: $display("%m: AXI violation at cycle %0d: address %h is not aligned to a beat", cycle, addr);
                9: $display("%m: AXI violation at cycle %0d: burst at %h crosses a 4 KiB boundary", cycle, addr);
                10: $display("%m: AXI violation at cycle %0d: burst at %h is longer than %0d beats", cycle, addr,
                    MAX_BURST);
                11: $display("%m: AXI violation at cycle %0d: more than %0d bursts outstanding on one id (address %h)",
                    cycle, OUTSTANDING, addr);
                12: $display("%m: AXI violation at cycle %0d: R beat with id %0d, for which no burst is outstanding",
                    cycle, addr);
                13: $display("%m: AXI violation at cycle %0d: RLAST on the wrong beat of the burst (id %0d)", cycle,
                    addr);
                14: $display("%m: AXI violation at cycle %0d: WLAST on the wrong beat of the burst at %h", cycle, addr);
                15: $display("%m: AXI violation at cycle %0d: W beats without an AW burst for too long", cycle);
                16: $display("%m: AXI violation at cycle %0d: B with id %0d, for which no burst is complete", cycle,
                    addr);
                17: $display("%m: AXI violation at cycle %0d: strobe not set on a full-beat write", cycle);
                18: $display("%m: AXI violation at cycle %0d: a valid is unknown", cycle);
                20: $display("%m: AXI violation at cycle %0d: exclusive access, AxLOCK is set (address %h)", cycle,
                    addr);
                21: $display("%m: AXI violation at cycle %0d: AxCACHE is reserved: allocates, %s (address %h)", cycle,
                    "but is not modifiable", addr);
                22: $display("%m: AXI violation at cycle %0d: AR has an unknown bit", cycle);
                23: $display("%m: AXI violation at cycle %0d: AW has an unknown bit", cycle);
                24: $display("%m: AXI violation at cycle %0d: W is offered before its address", cycle);
                default: $display("%m: AXI violation at cycle %0d: too many W bursts ahead of AW", cycle);
            endcase
            $fatal(1);
        end
endmodule

`default_nettype wire
