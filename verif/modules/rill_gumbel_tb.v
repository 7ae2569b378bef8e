// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_threefry and rill_gumbel. Gives rill_threefry one counter per enabled clock. Compares its random
// word with golden_threefry, and the noise that two rill_gumbel make from the low and the high half of this word with
// g_gumbel.
// Sets for verif/modules/run.sh (-: no parameters; after @: idles and stalls in percent):
// quick: - @ 50:50
`default_nettype none

module rill_gumbel_tb;
    localparam HASH = 16, NOISE = 28, MOST = 8192; // latency of rill_threefry and of rill_gumbel; most vectors

    reg         clk = 1'b0, en = 1'b0;
    reg  [63:0] key [0:MOST-1];
    reg  [63:0] counter [0:MOST-1];
    reg  [63:0] mixed [0:MOST-1];
    reg  [31:0] noise_low [0:MOST-1];
    reg  [31:0] noise_high [0:MOST-1];
    reg  [63:0] key_q = 0, counter_q = 0;
    wire [63:0] made;
    wire [31:0] low, high;
    integer     file, fields, count, i, seed, idle, stall, errors, held, at, first;
    reg [1023:0] path;

    always #2 clk = !clk;
    rill_threefry u_hash (.clk(clk), .en(en), .key(key_q), .counter(counter_q), .random(made));
    rill_gumbel u_low (.clk(clk), .en(en), .random(made[31:0]), .y(low));
    rill_gumbel u_high (.clk(clk), .en(en), .random(made[63:32]), .y(high));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        errors = 0;
        count = 0;
        if ($value$plusargs("vectors=%s", path)) begin
            file = $fopen(path, "r");
            fields = 5;
            while (file != 0 && fields == 5 && count < MOST) begin
                fields = $fscanf(file, "%h %h %h %h %h\n", key[count], counter[count], mixed[count], noise_low[count],
                    noise_high[count]);
                if (fields == 5) count = count + 1;
            end
        end
        at = 0;                                  // number of the enabled clock
        first = 0;                               // number of the enabled clock in which the current key was set
        for (i = 0; i < 20 * count + 1000 && at < count + HASH + NOISE; i = i + 1) begin
            @(negedge clk);
            en = $unsigned($random(seed)) % 100 >= idle && $unsigned($random(seed)) % 100 >= stall;
            if (en) begin
                // The random word belongs to the counter of HASH enabled clocks ago. It is compared only if the key has
                // not changed since then.
                held = at - HASH;
                if (held >= 0 && held < count && key[held] === key_q && at - first >= HASH && held >= first
                    && made !== mixed[held])
                    errors = errors + 1;
                held = at - HASH - NOISE;
                if (held >= 0 && held < count && held >= first
                    && (low !== noise_low[held] || high !== noise_high[held]))
                    errors = errors + 1;
                if (at < count && key[at] !== key_q)
                    first = at;
                if (at < count) begin
                    key_q = key[at];
                    counter_q = counter[at];
                end
                at = at + 1;
            end
        end
        if (count < 100 || at < count + HASH + NOISE)
            $display("FAIL: %0d vectors, %0d clocks", count, at);
        else if (errors != 0)
            $display("FAIL: %0d results differ", errors);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
