// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_unit_packer. Compares units of 1 to XS / LANES chunks with a model, under random idles and stalls.
// Chunks that are marked as zeros (s_zero) must give zeros.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=1 XS=32
// sweep: LANES=8 XS=64
// sweep: LANES=32 XS=32
// sweep: LANES=8 XS=64 ELEM_W=10
// quick: LANES=8 XS=64
// quick: LANES=1 XS=32
// quick: LANES=8 XS=64 ELEM_W=10 @ 50:50
`default_nettype none

module rill_unit_packer_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 8;
    parameter XS = 64;
    parameter ELEM_W = 8;
    localparam SLOTS = XS / LANES;
    localparam SLOT_W = SLOTS > 1 ? $clog2(SLOTS) : 1;
    localparam UNITS = 200;

    wire              clk, rst, en, s_tvalid, s_tlast, m_tvalid, m_tready, s_done, m_done;
    wire [LANES*ELEM_W:0]  s_tdata;   // {zero, chunk}
    wire [SLOT_W-1:0] s_tuser;   // slot of the chunk in its unit
    wire [XS*ELEM_W-1:0]   m_tdata;
    wire [7:0]        m_side;
    reg  [7:0]        side_q = 0;   // number of the unit
    reg  [LANES*ELEM_W-1:0] chunk;
    reg  [XS*ELEM_W-1:0]   unit;
    reg               zero;
    integer           u, c, count, seed;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(LANES * ELEM_W + 1), .USER_W(SLOT_W), .WORDS(8192)) u_s (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_tvalid),
        .m_axis_tready(en && !rst), .m_axis_tdata(s_tdata), .m_axis_tuser(s_tuser), .m_axis_tlast(s_tlast),
        .done(s_done));
    rill_unit_packer #(.LANES(LANES), .XS(XS), .ELEM_W(ELEM_W), .SIDE_W(8)) dut (.clk(clk), .rst(rst), .en(en),
        .s_valid(s_tvalid),
        .s_data(s_tdata[LANES*ELEM_W-1:0]), .s_zero(s_tdata[LANES*ELEM_W]), .s_slot(s_tuser), .s_first(s_tuser == 0),
        .s_last(s_tlast),
        .s_side(side_q), .m_tvalid(m_tvalid),
        .m_tready(m_tready), .m_tdata(m_tdata), .m_side(m_side));
    rill_axis_monitor #(.DATA_W(XS * ELEM_W), .USER_W(8)) u_m (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_tvalid),
        .s_axis_tready(m_tready), .s_axis_tdata(m_tdata), .s_axis_tuser(m_side), .s_axis_tlast(1'b0), .done(m_done));
    rill_kernel_verdict #(.SLACK(1), .WAITS(2)) u_verdict (.clk(clk), .rst(rst), .done(s_done && m_done), .fault(1'b0),
        .x_tvalid(s_tvalid),
        .x_tready(en), .y_tvalid(m_tvalid), .y_tready(m_tready));

    always @(posedge clk) if (!rst && s_tvalid && en && s_tlast) side_q <= side_q + 8'd1;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        for (u = 0; u < UNITS; u = u + 1) begin
            count = $unsigned($random(seed)) % 3 == 0 ? 1 + $unsigned($random(seed)) % SLOTS : SLOTS;
            unit = 0;
            for (c = 0; c < count; c = c + 1) begin
                chunk = {10{$random(seed), $random(seed)}};
                zero = $unsigned($random(seed)) % 8 == 0;
                u_s.push({zero, chunk}, c, c == count - 1);
                if (!zero) unit[c*LANES*ELEM_W +: LANES*ELEM_W] = chunk;
            end
            u_m.expect_word(unit, u, 1'b0);
        end
    end
endmodule

`default_nettype wire
