// SPDX-License-Identifier: Apache-2.0
// Proves that q equals d of the cycle before. In a reset the low CLEAR_W bits are 0.
reg              f_begun_q = 1'b0;
reg [DATA_W-1:0] f_past_q;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_past_q <= rst ? (d >> CLEAR_W) << CLEAR_W : d;
    if (f_begun_q)
        assert (q == f_past_q);
end
