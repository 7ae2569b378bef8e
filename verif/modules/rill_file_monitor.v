// SPDX-License-Identifier: Apache-2.0
// Bench part: a rill_axis_monitor that expects the words of the lines "TAG data user last" (hexadecimal) in the file
// +vectors, which a program vectors_*.c printed. With COMPARE = 0, for runs that raise a fault, it only counts the
// words and never stalls. `done` is high when as many words have come as the file has lines of this TAG. The other
// parameters are those of rill_axis_monitor.
`default_nettype none

module rill_file_monitor #(
    parameter TAG = "y",
    parameter DATA_W = 32,
    parameter USER_W = 1,
    parameter WORDS = 4096,
    parameter SALT = 2,
    parameter STALL = -1,
    parameter COMPARE = 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire [USER_W-1:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              done
);
    integer            file;
    integer            wanted = 0;
    integer            seen = 0;
    reg [1023:0]       path;
    reg [8*16-1:0]     tag;
    reg [DATA_W-1:0]   data;
    reg [USER_W-1:0]   user;
    reg                last;
    wire               same;
    wire               ready;

    initial begin
        if (!$value$plusargs("vectors=%s", path)) begin
            $display("FAIL: +vectors=FILE is missing");
            $finish;
        end
        file = $fopen(path, "r");
        while ($fscanf(file, "%s %h %h %h\n", tag, data, user, last) == 4)
            if (tag == TAG) begin
                wanted = wanted + 1;
                if (COMPARE)
                    u_monitor.expect_word(data, user, last);
            end
        $fclose(file);
    end

    always @(posedge clk)
        if (!rst && s_axis_tvalid && s_axis_tready)
            seen = seen + 1;
    assign s_axis_tready = COMPARE ? ready : !rst;
    assign done = seen >= wanted && (!COMPARE || same);

    rill_axis_monitor #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(WORDS), .SALT(SALT), .STALL(STALL)) u_monitor (
        .clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(s_axis_tvalid && COMPARE), .s_axis_tready(ready),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tuser(s_axis_tuser), .s_axis_tlast(s_axis_tlast), .done(same));
endmodule

`default_nettype wire
