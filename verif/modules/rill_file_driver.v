// SPDX-License-Identifier: Apache-2.0
// Bench part: a rill_axis_driver that sends words from the file +vectors, which a program vectors_*.c printed. A line
// "TAG data user last" (hexadecimal) is one word. Lines with other tags are for the other streams of the bench. The
// other parameters and `done` are those of rill_axis_driver.
`default_nettype none

module rill_file_driver #(
    parameter TAG = "x",
    parameter DATA_W = 32,
    parameter USER_W = 1,
    parameter WORDS = 4096,
    parameter SALT = 1
) (
    input  wire              clk,
    input  wire              rst,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0] m_axis_tuser,
    output wire              m_axis_tlast,
    output wire              done
);
    integer            file;
    reg [1023:0]       path;
    reg [8*16-1:0]     tag;
    reg [DATA_W-1:0]   data;
    reg [USER_W-1:0]   user;
    reg                last;

    initial begin
        if (!$value$plusargs("vectors=%s", path)) begin
            $display("FAIL: +vectors=FILE is missing");
            $finish;
        end
        file = $fopen(path, "r");
        while ($fscanf(file, "%s %h %h %h\n", tag, data, user, last) == 4)
            if (tag == TAG)
                u_driver.push(data, user, last);
        $fclose(file);
    end

    rill_axis_driver #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(WORDS), .SALT(SALT)) u_driver (
        .clk(clk), .rst(rst), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready), .m_axis_tdata(m_axis_tdata),
        .m_axis_tuser(m_axis_tuser), .m_axis_tlast(m_axis_tlast), .done(done));
endmodule

`default_nettype wire
