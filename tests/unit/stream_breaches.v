// SPDX-License-Identifier: Apache-2.0
// Drives the benches' stream checker and sink (monitor) with a stream that breaks the rule that +break=N selects.
// test_stream_checks.sh runs it to show that each breach is found. 0: none. 1, 2: tvalid or tready is set in reset. 3
// to 9: a signal changes, or is unknown, while the third word waits. 10 to 12: the sink gets a third word with other
// data, tuser or tlast. 13: the sink gets a fifth word.
`default_nettype none
`timescale 1ns / 1ps

module stream_breaches;
    reg        clk = 0;
    reg        rst = 1;
    reg        tvalid = 0;
    reg        tready = 0;
    reg  [7:0] tdata = 0;
    reg  [1:0] tuser = 0;
    reg        tlast = 0;
    wire       ready;
    wire       done;
    integer    breach;
    integer    n;

    // The checker and the sink see two streams with the same words: the task `offer` drives tvalid and tready of the
    // checker's stream; the sink drives its own tready.
    rill_axis_checker #(.DATA_W(8), .USER_W(2)) u_checker (
        .clk(clk), .rst(rst), .tvalid(tvalid), .tready(tready), .tdata(tdata), .tuser(tuser), .tlast(tlast));
    reg        sink_valid = 0;
    rill_axis_monitor #(.DATA_W(8), .USER_W(2), .STALL(0)) u_snk (
        .clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(sink_valid), .s_axis_tready(ready), .s_axis_tdata(tdata), .s_axis_tuser(tuser),
        .s_axis_tlast(tlast), .done(done));

    always #5 clk = !clk;

    task step;
        begin
            @(posedge clk);
            #1;
        end
    endtask

    task offer(input integer word, input taken);
        begin
            tvalid = 1;
            tready = taken;
            {tlast, tuser, tdata} = {word == 3, word[1:0], 8'h40 + word[7:0]};
        end
    endtask

    task break_stall;                                       // the word waits; then one of the signals changes
        begin
            offer(2, 0);
            step;
            case (breach)
                3: tvalid = 0;
                4: tdata = tdata ^ 8'h80;
                5: tuser = tuser ^ 2'd2;
                6: tlast = !tlast;
                7: tdata[7] = 1'bx;
                8: tvalid = 1'bx;
                9: tready = 1'bx;
                default: ;
            endcase
            step;
            offer(2, 1);
        end
    endtask

    initial begin
        if (!$value$plusargs("break=%d", breach)) breach = 0;
        step;
        step;
        step;
        if (breach == 1) tvalid = 1;
        if (breach == 2) tready = 1;
        step;
        {tvalid, tready, rst} = 3'b000;
        step;
        for (n = 0; n < 4; n = n + 1) begin
            if (n == 2 && breach <= 9) break_stall;
            else offer(n, 1);
            step;
        end
        tvalid = 0;
        // The sink takes a word per cycle; the words are those of `offer`.
        for (n = 0; n < 4; n = n + 1) u_snk.expect_word(8'h40 + n[7:0], n[1:0], n == 3);
        for (n = 0; n < 4 + (breach == 13); n = n + 1) begin
            offer(n, 0);
            tvalid = 0;
            if (n == 2 && breach == 10) tdata = tdata ^ 8'h80;
            if (n == 2 && breach == 11) tuser = tuser ^ 2'd2;
            if (n == 2 && breach == 12) tlast = !tlast;
            sink_valid = 1;
            step;
        end
        sink_valid = 0;
        step;
        if (done)
            $display("PASS");
        else
            $display("FAIL: words are missing");
        $finish;
    end
endmodule

`default_nettype wire
