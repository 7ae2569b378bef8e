// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_weight_store, with rill_weight_lane. After a load every lane must send its own beats of every run,
// in the order of the runs; no beat may come before the load is complete. Each load has new beats. `keep` must bring
// the beats of the latest load again, also after a reset. Runs have 1 to DEPTH beats and begin anywhere. Also checks
// the latency of a first run, and that runs of at least two beats follow each other without a gap.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=1 DEPTH=1
// sweep: LANES=3 DEPTH=5
// sweep: LANES=8 DEPTH=16
// sweep: LANES=9 DEPTH=7
// sweep: LANES=18 DEPTH=4 LOAD_BITS=16
// sweep: LANES=4 DEPTH=9 LOAD_BITS=16 HOPS=2
// sweep: BEAT_BITS=256 LOAD_BITS=256 LANES=2 DEPTH=3
// quick: LANES=9 DEPTH=7
// quick: LANES=4 DEPTH=9 LOAD_BITS=16 HOPS=2
// quick: LANES=1 DEPTH=1 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_weight_store_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 64;
    parameter LOAD_BITS = 64;
    parameter LANES = 3;
    parameter DEPTH = 5;
    parameter HOPS = 0;
    localparam PIECES = BEAT_BITS / LOAD_BITS;
    localparam BYTES = BEAT_BITS / 8;
    localparam RUNS = 60;                            // runs after each load
    wire                 clk, rst;
    wire [LANES-1:0]     m_valid, m_ready, snk_done;
    wire [LANES*BEAT_BITS-1:0] m_data;
    reg                  again = 0, hold = 1, load_start = 0, load_valid = 0, keep = 0, reset = 0;
    reg  [LOAD_BITS-1:0] load_data;
    wire [LOAD_BITS-1:0] data_there;                 // load_data as it arrives on the store's die
    wire                 d_valid, d_ready, src_done;
    wire [55:0]          d_data;
    reg  [BEAT_BITS-1:0] all [0:LANES*DEPTH-1];      // in the order of the load: beat b of lane l is number b*LANES+l
    integer              n, i, p, r, seed, idle, stall, first, beats, total, asked;
    reg  [31:0]          offset;
    integer              cycle = 0;
    // begun: beats that lane 0 has sent since the bench set `begun` to 0. first_cycle, last_cycle: cycles of the first
    // and of the last of these beats, from which the bench checks the latency and the rate.
    integer              begun = 0, first_cycle, last_cycle;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(56)) u_src (.clk(clk), .rst(rst || reset), .m_axis_tvalid(d_valid),
        .m_axis_tready(d_ready), .m_axis_tdata(d_data), .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_weight_store #(.LOAD_BITS(LOAD_BITS), .BEAT_BITS(BEAT_BITS), .LANES(LANES), .DEPTH(DEPTH), .HOPS(HOPS)) dut (
        .clk(clk), .rst(rst || reset), .load_start(load_start), .keep(keep), .load_valid(load_valid),
        .load_data(data_there), .s_axis_desc_tvalid(d_valid), .s_axis_desc_tready(d_ready),
        .s_axis_desc_tdata(d_data), .m_axis_beat_tvalid(m_valid), .m_axis_beat_tready(m_ready),
        .m_axis_beat_tdata(m_data));
    rill_hop #(.DATA_W(LOAD_BITS), .STAGES(HOPS)) u_way (.clk(clk), .rst(rst), .d(load_data), .q(data_there));

    genvar l;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : gen_lane
            rill_axis_monitor #(.DATA_W(BEAT_BITS), .SALT(2 + l), .WORDS(1 << 14)) u_snk (.clk(clk),
                .rst(rst || reset), .hold(hold), .s_axis_tvalid(m_valid[l]), .s_axis_tready(m_ready[l]),
                .s_axis_tdata(m_data[l*BEAT_BITS +: BEAT_BITS]), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0),
                .done(snk_done[l]));
            // Expects this lane's beats of the run that was sent last, when `asked` changes.
            integer b;
            always @(asked)
                if (asked > 0)
                    for (b = first; b < first + beats; b = b + 1)
                        u_snk.expect_word(all[b*LANES+l], 1'b0, 1'b0);
        end
    endgenerate
    always @(posedge clk) begin
        cycle = cycle + 1;
        if (m_valid[0] && m_ready[0]) begin
            if (begun == 0)
                first_cycle = cycle;
            last_cycle = cycle;
            begun = begun + 1;
        end
    end

    // Loads new random beats into the store. Checks that no beat comes before the load is complete.
    task load;
        begin
            for (i = 0; i < LANES * DEPTH; i = i + 1)
                for (p = 0; p < BEAT_BITS / 32; p = p + 1)
                    all[i][p*32 +: 32] = $random(seed);
            @(negedge clk) load_start = 1;
            @(negedge clk) load_start = 0;
            repeat (HOPS) @(negedge clk);
            if (n == 1)                              // this run waits for the end of the load
                ask(1);
            for (i = 0; i < LANES * DEPTH; i = i + 1)
                for (p = 0; p < PIECES; p = p + 1) begin
                    while ($unsigned($random(seed)) % 100 < idle)
                        @(negedge clk);
                    if (m_valid != {LANES{1'b0}}) begin
                        $display("FAIL: a beat before the load is complete");
                        $finish;
                    end
                    load_valid = 1;
                    load_data = all[i][p*LOAD_BITS +: LOAD_BITS];
                    @(negedge clk) load_valid = 0;
                    load_data = {LOAD_BITS{1'bx}};
                end
        end
    endtask

    // Resets the store and makes the beats of the latest load valid again.
    task keep_it;
        begin
            reset = 1;
            repeat (3) @(negedge clk);
            reset = 0;
            @(negedge clk) load_start = 1;
            @(negedge clk) load_start = 0;
            repeat (5) @(negedge clk);
            keep = 1;
            @(negedge clk) keep = 0;
        end
    endtask

    // Makes every lane expect the beats of the run that was sent last.
    task expect_it;
        begin
            asked = asked + 1;
            #0;
        end
    endtask

    // Sends the descriptor of a run of at least `least` beats, at a random place.
    task ask(input integer least);
        begin
            beats = least + $unsigned($random(seed)) % (DEPTH + 1 - least);
            first = $unsigned($random(seed)) % (DEPTH + 1 - beats);
            total = total + beats;
            offset = first * BYTES;
            u_src.push({beats[15:0], 8'd0, offset}, 1'b0, 1'b0);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        asked = 0;
        wait (!rst);
        repeat (10) @(negedge clk);
        for (n = 0; n < 5; n = n + 1) begin
            hold = 1;
            repeat (3) @(negedge clk);
            total = 0;
            begun = 0;
            if (n == 3) keep_it;
            else load;
            if (n == 1)
                expect_it;
            hold = 0;
            repeat (20) @(negedge clk);
            for (r = 0; r < RUNS; r = r + 1) begin
                ask(n == 4 && DEPTH > 1 ? 2 : 1);
                expect_it;
            end
            @(negedge clk);
            i = cycle;
            wait (src_done && &snk_done);
            @(negedge clk);
            if (begun != total) begin
                $display("FAIL: %0d beats of %0d", begun, total);
                $finish;
            end
            if (n == 4 && DEPTH > 1 && idle == 0 && stall == 0 && last_cycle - first_cycle != total - 1) begin
                $display("FAIL: %0d beats took %0d cycles", total, last_cycle - first_cycle + 1);
                $finish;
            end
            if (n == 4 && idle == 0 && stall == 0 && first_cycle - i > (LANES > 8 ? 7 : 6)) begin
                $display("FAIL: latency %0d", first_cycle - i);
                $finish;
            end
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
