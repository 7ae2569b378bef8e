// SPDX-License-Identifier: Apache-2.0
// Properties of rill_register_copies, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that every copy equals the d of the previous cycle, or 0 if rst was high in that cycle.
reg              f_begun_q = 1'b0;
reg [DATA_W-1:0] f_past_q;
integer          f_copy;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_past_q <= rst ? {DATA_W{1'b0}} : d;
    if (f_begun_q)
        for (f_copy = 0; f_copy < COPIES; f_copy = f_copy + 1)
            assert (q[f_copy*DATA_W +: DATA_W] == f_past_q);
end
