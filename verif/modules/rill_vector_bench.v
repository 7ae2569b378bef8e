// SPDX-License-Identifier: Apache-2.0
// Bench part: gives the operands of the file +vectors to an arithmetic unit, and compares its results with those of the
// C function, which are in the file. The clock enable drops at random with +idle or +stall, and all outputs must keep
// their values then. This part ends the run with its verdict.
// A vector is a line of hexadecimal words: a; b if OPERANDS = 2; y; a flag if FLAG = 1; a fault if FAULTS > 0.
// A_W, Y_W: widths of an operand and of y. LATENCY: enabled clocks from operands to results; 0: a unit without
// registers.
// FAULTS: 0: vectors have no fault, and the unit must not raise one.
//         1: vectors that fault are left out, and the unit must not raise the fault.
//         2: faults are compared. In vectors that fault, y is not compared.
//         3: as 1. Afterwards vectors that fault (at most about 500) are given one by one. Each must raise the fault,
//            which need not be aligned with y.
// valid[i]: the operands of i + 1 enabled clocks ago belong to a vector.
`default_nettype none

module rill_vector_bench #(
    parameter LATENCY = 1,
    parameter OPERANDS = 1,
    parameter A_W = 32,
    parameter Y_W = 32,
    parameter FLAG = 0,
    parameter FAULTS = 2
) (
    output reg                clk,
    output reg                rst,
    output reg                en,
    output reg  [A_W-1:0]     a,
    output reg  [A_W-1:0]     b,
    output reg  [LATENCY:0]   valid,
    input  wire [Y_W-1:0]     y,
    input  wire               flag,
    input  wire               fault
);
    localparam MOST = 65536;
    localparam INFINITY = 32'h7f800000; // operand in cycles without a vector, which must not raise the fault
    localparam BEHIND = LATENCY == 0 ? 1 : LATENCY; // enabled clocks until a result is compared, at least 1
    localparam FIELDS = OPERANDS + 1 + FLAG + (FAULTS > 0);

    reg [A_W-1:0]  a_vector [0:MOST-1];
    reg [A_W-1:0]  b_vector [0:MOST-1];
    reg [Y_W-1:0]  y_vector [0:MOST-1];
    reg            flag_vector [0:MOST-1];
    reg            fault_vector [0:MOST-1];
    reg [A_W-1:0]  bad_vector [0:MOST-1]; // operands that fault and are left out (FAULTS 1, 3)
    reg            alone, seen;           // alone: a is an operand of bad_vector; seen: its fault has come
    integer        file, fields, count, bad_count, at, wait_for, given, checked, seed, idle, stall, errors;
    reg [1023:0]   path;

    initial begin
        clk = 1'b0;
        forever #2 clk = !clk;
    end

    // Reads a line of the file into vector `count`. fields: words that were read.
    task read_vector;
        begin
            fields = $fscanf(file, "%h", a_vector[count]);
            if (OPERANDS == 2) fields = fields + $fscanf(file, "%h", b_vector[count]);
            fields = fields + $fscanf(file, "%h", y_vector[count]);
            flag_vector[count] = 1'b0;
            if (FLAG != 0) fields = fields + $fscanf(file, "%h", flag_vector[count]);
            fault_vector[count] = 1'b0;
            if (FAULTS != 0) fields = fields + $fscanf(file, "%h", fault_vector[count]);
        end
    endtask

    // Reads all vectors of the file +vectors.
    task load;
        begin
            count = 0;
            bad_count = 0;
            if (!$value$plusargs("vectors=%s", path)) path = "";
            file = $fopen(path, "r");
            fields = FIELDS;
            while (file != 0 && fields == FIELDS && count < MOST) begin
                read_vector;
                if (fields == FIELDS && FAULTS[0] && fault_vector[count]) begin
                    bad_vector[bad_count] = a_vector[count];
                    bad_count = bad_count + 1;
                end else if (fields == FIELDS) count = count + 1;
            end
        end
    endtask

    // Gives an operand that must raise the fault, at most LATENCY + 1 clocks later.
    task raise(input [A_W-1:0] bad);
        begin
            {en, alone, a} = {2'b11, bad};
            seen = 1'b0;
            for (wait_for = 0; wait_for <= LATENCY; wait_for = wait_for + 1) begin
                @(negedge clk);
                seen = seen || fault === 1'b1;
                {alone, a} = {1'b0, INFINITY};
            end
            if (!seen) begin
                errors = errors + 1;
                if (errors < 10) $display("vector %h does not raise the fault", bad);
            end
            checked = checked + 1;
        end
    endtask

    // Compares the outputs with vector i.
    task check(input integer i);
        begin
            if (fault !== fault_vector[i]
                || (!fault_vector[i] && (y !== y_vector[i] || (FLAG != 0 && flag !== flag_vector[i])))) begin
                errors = errors + 1;
                if (errors < 10)
                    $display("vector %0d: a %h b %h y %h expected %h flag %h expected %h fault %h expected %h", i,
                             a_vector[i], b_vector[i], y, y_vector[i], flag, flag_vector[i], fault, fault_vector[i]);
            end
            checked = checked + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        rst = 1'b1;
        {en, alone, a, b, valid} = 0;
        given = 0;
        checked = 0;
        errors = 0;
        load;
        repeat (4) @(negedge clk);
        rst = 1'b0;
        // After `given` enabled clocks, the outputs belong to vector given - BEHIND.
        while (given < count + BEHIND) begin
            @(negedge clk);
            if (given >= BEHIND && given - BEHIND < count)
                check(given - BEHIND);
            en = LATENCY == 0
                || ($unsigned($random(seed)) % 100 >= idle && $unsigned($random(seed)) % 100 >= stall);
            a = en && given < count ? a_vector[given] : FAULTS[0] ? INFINITY : $random(seed);
            b = en && given < count ? b_vector[given] : $random(seed);
            if (en) given = given + 1;
        end
        if (FAULTS == 3) begin
            if (bad_count == 0) errors = errors + 1;
            for (at = 0; at < bad_count; at = at + 1 + bad_count / 500) raise(bad_vector[at]);
        end
        if (errors != 0) $display("FAIL: %0d of %0d comparisons differ", errors, checked);
        else if (checked < 1000) $display("FAIL: only %0d vectors", checked);
        else $display("PASS");
        $finish;
    end

    always @(posedge clk) if (en) valid <= {valid, given <= count || alone};
endmodule

`default_nettype wire
