// SPDX-License-Identifier: Apache-2.0
// Bench part: a stream source. It sends the words that were pushed into it, in order, with random idle cycles. A
// protocol checker watches the stream.
//
// The bench calls `u_src.push(data, user, last)` at any time, at most WORDS times in a run.
// The source idles in +idle=P percent of the cycles in which it could offer a word; IDLE >= 0 overrides +idle. +seed=N
// and SALT select the random sequence, so instances with different SALT idle in different cycles.
// `sent` counts the transfers. `done` is high while every pushed word has been taken. A word that is offered when a
// reset comes is offered again after the reset. CHECK_READY_RESET: as in rill_axis_checker.
`default_nettype none

module rill_axis_driver #(
    parameter DATA_W = 32,
    parameter USER_W = 1,
    parameter WORDS = 4096,
    parameter SALT = 1,
    parameter IDLE = -1,
    parameter CHECK_READY_RESET = 1
) (
    input  wire              clk,
    input  wire              rst,
    output reg               m_axis_tvalid,
    input  wire              m_axis_tready,
    output reg  [DATA_W-1:0] m_axis_tdata,
    output reg  [USER_W-1:0] m_axis_tuser,
    output reg               m_axis_tlast,
    output wire              done
);
    reg [DATA_W+USER_W:0] mem [0:WORDS-1];
    integer pushed = 0;
    integer offered = 0;
    integer sent = 0;
    integer idle;
    integer random;

    initial begin
        m_axis_tvalid = 1'b0;
        if (!$value$plusargs("idle=%d", idle))
            idle = 0;
        if (IDLE >= 0)
            idle = IDLE;
        if (!$value$plusargs("seed=%d", random))
            random = 0;
        random = random * 7919 + SALT * 104729 + 1;
    end

    // Appends a word to those that are sent.
    task push(input [DATA_W-1:0] data, input [USER_W-1:0] user, input last);
        begin
            if (pushed == WORDS) begin
                $display("FAIL: %m: more than %0d words", WORDS);
                $finish;
            end
            mem[pushed] = {last, user, data};
            pushed = pushed + 1;
        end
    endtask

    always @(posedge clk)
        if (rst) begin
            m_axis_tvalid <= 1'b0;
            offered = sent;
        end else begin
            if (m_axis_tvalid && m_axis_tready)
                sent = sent + 1;
            if (!m_axis_tvalid || m_axis_tready) begin
                if (offered < pushed && $unsigned($random(random)) % 100 >= idle) begin
                    m_axis_tvalid <= 1'b1;
                    {m_axis_tlast, m_axis_tuser, m_axis_tdata} <= mem[offered];
                    offered = offered + 1;
                end else begin
                    m_axis_tvalid <= 1'b0;
                    {m_axis_tlast, m_axis_tuser, m_axis_tdata} <= {(DATA_W + USER_W + 1){1'bx}};
                end
            end
        end

    assign done = sent == pushed;

    rill_axis_checker #(.DATA_W(DATA_W), .USER_W(USER_W), .CHECK_READY_RESET(CHECK_READY_RESET)) u_checker (
        .clk(clk), .rst(rst), .tvalid(m_axis_tvalid), .tready(m_axis_tready), .tdata(m_axis_tdata),
        .tuser(m_axis_tuser),
        .tlast(m_axis_tlast));
endmodule

`default_nettype wire
