// SPDX-License-Identifier: Apache-2.0
// Chooses one of CLIENTS requests round-robin. The grant is one-hot and combinational from the requests.
//
// take, high at a clock edge, makes the granted client the last one in the next choice. Without a request there is no
// grant.
// Reset: clk, synchronous active-high rst; client 0 comes first.
//
// name     meaning               unit     range
// CLIENTS  clients that request  clients  1 to 64
`default_nettype none

module rill_round_robin #(
    parameter CLIENTS = 0
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               take,
    input  wire [CLIENTS-1:0] request,
    output wire [CLIENTS-1:0] grant
);
    generate
        if (CLIENTS < 1 || CLIENTS > 64) begin : gen_bad_clients
            rill_error_CLIENTS_must_be_1_to_64 u_error ();
        end
    endgenerate

    reg  [CLIENTS-1:0] later_q;              // clients after the one that was granted last; they come first
    wire [CLIENTS-1:0] favoured = request & later_q;
    wire [CLIENTS-1:0] pool = |favoured ? favoured : request;
    reg  [CLIENTS-1:0] below;                // a lower client requests as well
    integer            i;

    always @* begin
        below[0] = 1'b0;
        for (i = 1; i < CLIENTS; i = i + 1)
            below[i] = below[i-1] | pool[i-1];
    end

    assign grant = pool & ~below;

    always @(posedge clk)
        if (rst)
            later_q <= {CLIENTS{1'b0}};
        else if (take && |request)
            later_q <= below;                // set for the clients above the granted one
endmodule

`default_nettype wire
