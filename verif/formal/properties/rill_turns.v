// SPDX-License-Identifier: Apache-2.0
// Properties of rill_turns, which verif/formal/run.sh inserts before its `endmodule`.
// Proves that turns are the schedule's entries, all of them and in order (rill_schedule and rill_fifo have their own
// proofs). In the output `turn`, only the bit of the port number is set; it is bit PORTS for entry 255. No bit is set
// for another number that no port has. The proof follows one arbitrary turn. f_watched: the present turn is the one
// that is followed. verif/formal/run.sh describes the directives `port` and `shows`.
// port: output wire f_watched
// shows: u_ahead f_next
wire              f_next_marked;
wire [2:0]        f_next_ahead;
wire [PORTS+8:0]  f_next_word;
reg               f_begun_q = 1'b0;
reg               f_holds_q;                 // a turn was present in the previous cycle and did not end
reg  [PORTS+8:0]  f_turn_q;
integer           f_i;
assign f_watched = turn_valid && f_next_marked && f_next_ahead == 3'd0;
always @(posedge clk) begin
    f_begun_q <= 1'b1;
    assume (f_begun_q || rst);
    assume (!turn_done || turn_valid);
    f_holds_q <= !rst && turn_valid && !turn_done;
    f_turn_q <= {port_index, turn};
    if (f_begun_q && !rst) begin
        if (f_next_marked) begin
            for (f_i = 0; f_i < PORTS; f_i = f_i + 1)
                assert (f_next_word[f_i] == (f_next_word[PORTS+8 -: 8] == f_i));
            assert (f_next_word[PORTS] == (f_next_word[PORTS+8 -: 8] == 8'd255));
        end
        if (f_watched)
            assert ({port_index, turn} == f_next_word);
        if (f_holds_q)
            assert (turn_valid && {port_index, turn} == f_turn_q);
    end
end
