# SPDX-License-Identifier: Apache-2.0
# Prints a bench for a four-state simulator, made from the ports of an emitted rill_top.v. After a reset, and after one
# in the middle of a request, every register that the host can read must have no unknown bits. Outside resets, every
# valid, ready and interrupt that the top drives must be known.
# usage: awk -f known.awk rill_top.v
function add_port(text, count, word, width, name) {
    count = split(text, word, " ")
    width = text ~ /\[/ ? word[3] : ""
    name = word[count]
    if (word[1] == "input") declared = declared "    reg  " width " " name " = 0;\n"
    else declared = declared "    wire " width " " name ";\n"
    joined = joined (joined == "" ? "" : ",\n        ") "." name "(" name ")"
    if (word[1] == "output" && name ~ /(valid|ready|interrupt)$/) driven = driven ", " name
}
/^ *(input|output) / {
    line = $0
    sub(/ *\/\/.*/, "", line)
    ports = split(line, port, ",")
    for (p = 1; p <= ports; p++)
        if (port[p] ~ /(input|output) /) add_port(port[p])
}
/^\);/ { exit }
END {
    print "`timescale 1ns / 1ps\nmodule known_tb;\n" declared
    print "    integer i, failed = 0, reads = 0, round;\n    reg [31:0] data;\n    rill_top dut (" joined ");\n    always #1 clk = !clk;"
    print "    wire driven = ^{1'b0" driven "};"
    print "    always @(negedge clk) if (!rst && reads >= 0 && driven === 1'bx && !failed) begin"
    print "        $display(\"FAIL: a valid or ready is unknown\");\n        failed = 1;\n    end"
    print "    task write(input [11:0] at, input [31:0] value); begin"
    print "        @(negedge clk) s_axi_control_awaddr = at; s_axi_control_wdata = value; s_axi_control_wstrb = 15;"
    print "        s_axi_control_awvalid = 1; s_axi_control_wvalid = 1; s_axi_control_bready = 1;"
    print "        while (s_axi_control_awready !== 1 || s_axi_control_wready !== 1) @(negedge clk);"
    print "        @(negedge clk) s_axi_control_awvalid = 0; s_axi_control_wvalid = 0;"
    print "        while (s_axi_control_bvalid !== 1) @(negedge clk);"
    print "        @(negedge clk) s_axi_control_bready = 0;\n    end endtask"
    print "    task read(input [11:0] at); begin"
    print "        @(negedge clk) s_axi_control_araddr = at; s_axi_control_arvalid = 1; s_axi_control_rready = 1;"
    print "        while (s_axi_control_arready !== 1) @(negedge clk);"
    print "        @(negedge clk) s_axi_control_arvalid = 0;"
    print "        while (s_axi_control_rvalid !== 1) @(negedge clk);"
    print "        data = s_axi_control_rdata; reads = reads + 1;"
    print "        @(negedge clk) s_axi_control_rready = 0;\n    end endtask"
    print "    initial begin"
    print "        for (round = 0; round < 2; round = round + 1) begin"
    print "            rst = 1;\n            repeat (16) @(negedge clk);\n            rst = 0;\n            repeat (4) @(negedge clk);"
    print "            for (i = 0; i < 12'h480; i = i == 12'h24C ? 12'h400 : i + 4) begin"
    print "                read(i);"
    print "                if (^data === 1'bx) begin"
    print "                    $display(\"FAIL: register %h is %h, reset %0d\", i[11:0], data, round);\n                    failed = 1;\n                end"
    print "            end"
    print "            write(12'h010, 3); write(12'h018, 2); write(12'h000, 1);"
    print "            repeat (300) @(negedge clk);"
    print "            read(12'h030);"
    print "            if (data[15:0] !== 3) begin $display(\"FAIL: no request began: status %h\", data); failed = 1; end"
    print "        end"
    print "        if (!failed) $display(\"PASS: %0d reads\", reads);"
    print "        $finish;\n    end\nendmodule"
}
