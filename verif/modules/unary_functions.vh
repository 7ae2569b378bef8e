// SPDX-License-Identifier: Apache-2.0
// Parameters A and B of rill_unary by FUNCTION, for the benches of rill_unary and of its lane. Only three functions use
// them: 9 `leaky_relu` with a slope of 0.1, 10 `hardsigmoid` and 11 `hardswish`. vectors_rill_unary.h has the
// operations.
    localparam [31:0] A = FUNCTION == 9 ? 32'h3dcccccd : FUNCTION == 10 ? 32'h3e4ccccd
        : FUNCTION == 11 ? 32'h3e2aaaab : 32'd0;
    localparam [31:0] B = FUNCTION == 9 ? 32'h3f800000 : FUNCTION >= 10 ? 32'h3f000000 : 32'd0;
