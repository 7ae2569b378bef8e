// SPDX-License-Identifier: Apache-2.0
// Models the part of an MMCM that rill_clock_2x uses, for its bench. CLKOUT0 has twice the frequency of CLKIN1. Each
// rising edge of CLKIN1 is also a rising edge of CLKOUT0.
//
// After a pulse of RST, LOCKED rises when MMCM_LOCK + 1 consecutive periods of CLKIN1 have each differed by less than
// 2 % from the period before. Until then, CLKOUT0 has random periods. Without a pulse of RST, LOCKED never rises. If
// CLKIN1 stops or has gaps (1.98 periods or longer), CLKOUT0 continues, because the oscillator keeps its frequency.
// Other periods that are more than 2 % longer or shorter are counted. At MMCM_LOSE of them, with good periods between
// or not, LOCKED falls, and only RST brings it back.
// LOCKED does not rise with attributes that give another ratio than 2, with an oscillator outside of 800 to 1600 MHz,
// with PWRDWN high, or without CLKFBOUT at CLKFBIN.
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
    output reg  CLKFBOUT,
    output reg  CLKOUT0,
    output reg  LOCKED,
    input  wire RST,
    input  wire PWRDWN
);
    localparam MMCM_LOCK = 150, MMCM_LOSE = 6;
    // Times in ns. last: time of the last edge of CLKIN1. kept: the period before, or after locking the locked period.
    // quarter: half a period of CLKOUT0. wild: not locked to CLKIN1. run: CLKOUT0 toggles.
    real    last = 0, period = 0, kept = 1, quarter = 1, ratio;
    integer same = 0, wrong = 0;
    reg     reset_seen = 0, run = 1, wild = 1;
    wire    range = CLKFBOUT_MULT_F * 1000.0 >= 800.0 * period && CLKFBOUT_MULT_F * 1000.0 <= 1600.0 * period;
    wire    known = CLKFBOUT_MULT_F == 2.0 * CLKOUT0_DIVIDE_F && DIVCLK_DIVIDE == 1 && PWRDWN === 1'b0;

    initial {CLKFBOUT, CLKOUT0, LOCKED} = 3'b000;
    initial forever begin
        wait (run);
        CLKOUT0 = 1'b1;
        CLKFBOUT = !CLKFBOUT;
        #(quarter) CLKOUT0 = 1'b0;
        #(quarter) ;
        if (wild)
            quarter = $itor(100 + $urandom_range(300)) * CLKIN1_PERIOD / 1000;
    end
    always @(posedge CLKIN1 or posedge RST)
        if (RST !== 1'b0) begin
            reset_seen = 1'b1;
            same = 0;
            wrong = 0;
            LOCKED = 1'b0;
            wild = 1'b1;
            run = 1'b1;
        end else begin
            period = $realtime - last;
            last = $realtime;
            ratio = period / kept;
            if (wild) begin
                same = ratio > 0.98 && ratio < 1.02 ? same + 1 : 0;
                kept = period;
                if (same == MMCM_LOCK)
                    run = 1'b0;                  // CLKOUT0 stops for a period, and then starts in phase with CLKIN1
                if (same == MMCM_LOCK + 1) begin
                    wild = 1'b0;
                    quarter = period / 4;
                    run = 1'b1;
                    LOCKED = reset_seen && known && range && CLKFBIN === CLKFBOUT;
                end
            end else if (ratio < 0.98 || (ratio > 1.02 && ratio < 1.98)) begin
                wrong = wrong + 1;
                if (wrong == MMCM_LOSE)
                    LOCKED = 1'b0;
            end
        end
endmodule

`default_nettype wire
