// SPDX-License-Identifier: Apache-2.0
// Properties of rill_hop_stage, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that q equals the d of the previous cycle. If rst was high in that cycle, the low CLEAR_W bits of q are 0.
reg              f_begun_q = 1'b0;
reg [DATA_W-1:0] f_past_q;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_past_q <= rst ? (d >> CLEAR_W) << CLEAR_W : d;
    if (f_begun_q)
        assert (q == f_past_q);
end
