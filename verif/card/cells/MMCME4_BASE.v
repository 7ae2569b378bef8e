// SPDX-License-Identifier: Apache-2.0
// The MMCM of a simulated card, without delays: CLKOUT0 is the oscillator that the harness drives, with two pulses in a
// cycle of CLKIN1. The parameters, which describe frequencies, are ignored. (verif/model has a model with delays, for
// benches.)
//
// After a pulse of RST, LOCKED rises when `+mmcm_lock` (default 200) consecutive cycles of CLKIN1 had two pulses of the
// oscillator each. Before that, pulses of CLKOUT0 are missing at random. Without a pulse of RST, LOCKED never rises.
// Missing cycles of CLKIN1 neither stop CLKOUT0 nor change LOCKED. If seven consecutive cycles do not have two pulses
// each, LOCKED falls, and rises again only after another pulse of RST. `+mmcm_lose=N`: after N cycles of CLKIN1 with
// LOCKED high, CLKOUT0 loses pulses at random, and LOCKED falls 40 cycles later.
`default_nettype none
`timescale 1ns / 1ps

module MMCME4_BASE #(
    parameter real CLKIN1_PERIOD = 0.0,
    parameter real CLKFBOUT_MULT_F = 5.0,
    parameter real CLKOUT0_DIVIDE_F = 1.0,
    parameter integer DIVCLK_DIVIDE = 1
) (
    input  wire CLKIN1,
    input  wire CLKFBIN,
    output wire CLKFBOUT,
    output wire CLKOUT0,
    output reg  LOCKED,
    input  wire RST,
    input  wire PWRDWN
);
    wire        oscillator = rill_sim_top.oscillator;
    reg  [31:0] lock_time, lose_at;
    // same_q, wrong_q: latest consecutive cycles with two pulses, and with another number. locked_for_q: cycles with
    // LOCKED high
    reg  [31:0] same_q = 0, wrong_q = 0, locked_for_q = 0;
    reg  [7:0]  pulses_q = 0, seen_q = 0; // pulses of the oscillator; their number at the latest edge of CLKIN1
    // wild_q: pulses of CLKOUT0 are missing at random. enable_q: the next pulse is passed on.
    reg         wild_q = 1'b1, enable_q = 1'b0, reset_seen_q = 1'b0;
    wire        two = pulses_q - seen_q == 8'd2;
    initial begin
        LOCKED = 1'b0;
        if (!$value$plusargs("mmcm_lock=%d", lock_time)) lock_time = 200;
        if (!$value$plusargs("mmcm_lose=%d", lose_at)) lose_at = 0;
    end
    always @(posedge oscillator)
        pulses_q <= pulses_q + 8'd1;
    always @(negedge oscillator)
        enable_q <= !wild_q || $urandom_range(1) == 1;
    always @(posedge CLKIN1) begin
        seen_q <= pulses_q;
        if (RST) begin
            reset_seen_q <= 1'b1;
            same_q <= 0;
            wrong_q <= 0;
            LOCKED <= 1'b0;
            wild_q <= 1'b1;
        end else begin
            same_q <= two ? same_q + 1 : 0;
            wrong_q <= two ? 0 : wrong_q + 1;
            if (LOCKED) begin
                if (lose_at != 0)
                    locked_for_q <= locked_for_q + 1;
                if (locked_for_q == lose_at && lose_at != 0)
                    wild_q <= 1'b1;
                if (wrong_q == 7 || (locked_for_q == lose_at + 40 && lose_at != 0)) begin
                    wild_q <= 1'b1;
                    LOCKED <= 1'b0;
                    reset_seen_q <= 1'b0;
                end
            end else if (wrong_q == 0 && same_q >= lock_time && reset_seen_q && !PWRDWN) begin
                LOCKED <= 1'b1;
                wild_q <= 1'b0;
            end
        end
    end
    assign CLKOUT0 = oscillator && enable_q;
    assign CLKFBOUT = CLKOUT0;
    wire unused = CLKFBIN;
endmodule

`default_nettype wire
