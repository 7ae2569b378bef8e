// SPDX-License-Identifier: Apache-2.0
// Properties of rill_join, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that a word leaves when every writer offers one, and that it takes one word from each writer.
reg f_begun_q = 1'b0;
wire f_all = &s_axis_tvalid && !rst;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    if (f_begun_q) begin
        assert (m_axis_tvalid == f_all);
        assert (s_axis_tready == {PORTS{f_all && m_axis_tready}});
    end
end
