// SPDX-License-Identifier: Apache-2.0
// Properties of rill_round_robin, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that there is at most one grant, that it goes to a client that asks, and that there is one if any client asks.
// A client that keeps asking waits for at most CLIENTS - 1 grants to others.
(* anyconst *) reg [5:0]   f_client;         // the watched client
reg                        f_begun_q = 1'b0;
reg  [6:0]                 f_waited_q;       // grants to others since the watched client asked
reg                        f_asks_q;         // it asked in the previous cycle and did not get the grant
reg  [6:0]                 f_before;         // clients that may still get a grant before the watched one
integer                    f_i;
always @* begin
    f_before = 7'd0;
    for (f_i = 0; f_i < CLIENTS; f_i = f_i + 1)
        if (later_q[f_client] ? later_q[f_i] && f_i < f_client : later_q[f_i] || f_i < f_client)
            f_before = f_before + 7'd1;
end
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    f_asks_q <= !rst && f_client < CLIENTS && request[f_client] && !(take && grant[f_client]);
    f_waited_q <= rst || !request[f_client] || (take && grant[f_client]) ? 7'd0 : f_waited_q + {6'd0, take};
    assume (f_begun_q || rst);
    assume (!f_asks_q || request[f_client] || rst);
    if (f_begun_q) begin
        assert ((grant & ~request) == {CLIENTS{1'b0}});
        assert ((grant & (grant - 1'b1)) == {CLIENTS{1'b0}});
        assert (|grant == |request);
        for (f_i = 1; f_i < CLIENTS; f_i = f_i + 1)
            assert (!later_q[f_i-1] || later_q[f_i]); // later_q has all clients above some client
        assert (rst || f_client >= CLIENTS || f_waited_q + f_before <= CLIENTS - 1);
    end
end
