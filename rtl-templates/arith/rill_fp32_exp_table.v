// SPDX-License-Identifier: Apache-2.0
// Coefficients of 2^f, f in [0, 1): one quadratic for each segment, which
// rill_fp32_quadratic evaluates. Written by gen/numerics/tables/make_tables.c: do not edit.
//
// Registered read: c0, c1 and c2 belong to the index of one enabled clock before. c0 is unsigned, and c1 and c2 are
// two's complement.
`default_nettype none

module rill_fp32_exp_table (
    input  wire        clk,
    input  wire        en,
    input  wire [6:0]  index,
    output reg  [29:0] c0,
    output reg  [26:0] c1,
    output reg  [17:0] c2
);

    reg [29:0] rom0 [0:127];
    reg [26:0] rom1 [0:127];
    reg [17:0] rom2 [0:127];

    always @(posedge clk) begin
        if (en) begin
            c0 <= rom0[index];
            c1 <= rom1[index];
            c2 <= rom2[index];
        end
    end

    initial begin
        rom0[0] = 30'h100b1b0b; rom1[0] = 27'h163da99; rom2[0] = 18'h03daa;
        rom0[1] = 30'h10216825; rom1[1] = 27'h165c941; rom2[1] = 18'h03e00;
        rom0[2] = 30'h1037d43f; rom1[2] = 27'h167ba98; rom2[2] = 18'h03e56;
        rom0[3] = 30'h104e5f83; rom1[3] = 27'h169aea3; rom2[3] = 18'h03ead;
        rom0[4] = 30'h10650a1f; rom1[4] = 27'h16ba565; rom2[4] = 18'h03f04;
        rom0[5] = 30'h107bd43c; rom1[5] = 27'h16d9ee2; rom2[5] = 18'h03f5b;
        rom0[6] = 30'h1092be07; rom1[6] = 27'h16f9b1e; rom2[6] = 18'h03fb4;
        rom0[7] = 30'h10a9c7ac; rom1[7] = 27'h1719a1c; rom2[7] = 18'h0400c;
        rom0[8] = 30'h10c0f156; rom1[8] = 27'h1739be0; rom2[8] = 18'h04065;
        rom0[9] = 30'h10d83b34; rom1[9] = 27'h175a06f; rom2[9] = 18'h040bf;
        rom0[10] = 30'h10efa570; rom1[10] = 27'h177a7cb; rom2[10] = 18'h04119;
        rom0[11] = 30'h11073039; rom1[11] = 27'h179b1fa; rom2[11] = 18'h04173;
        rom0[12] = 30'h111edbbc; rom1[12] = 27'h17bbefe; rom2[12] = 18'h041ce;
        rom0[13] = 30'h1136a825; rom1[13] = 27'h17dcedc; rom2[13] = 18'h0422a;
        rom0[14] = 30'h114e95a4; rom1[14] = 27'h17fe198; rom2[14] = 18'h04286;
        rom0[15] = 30'h1166a465; rom1[15] = 27'h181f736; rom2[15] = 18'h042e2;
        rom0[16] = 30'h117ed497; rom1[16] = 27'h1840fb9; rom2[16] = 18'h0433f;
        rom0[17] = 30'h11972669; rom1[17] = 27'h1862b26; rom2[17] = 18'h0439c;
        rom0[18] = 30'h11af9a09; rom1[18] = 27'h1884981; rom2[18] = 18'h043fa;
        rom0[19] = 30'h11c82fa6; rom1[19] = 27'h18a6ace; rom2[19] = 18'h04459;
        rom0[20] = 30'h11e0e76f; rom1[20] = 27'h18c8f11; rom2[20] = 18'h044b8;
        rom0[21] = 30'h11f9c195; rom1[21] = 27'h18eb64e; rom2[21] = 18'h04517;
        rom0[22] = 30'h1212be46; rom1[22] = 27'h190e08a; rom2[22] = 18'h04577;
        rom0[23] = 30'h122bddb3; rom1[23] = 27'h1930dc7; rom2[23] = 18'h045d8;
        rom0[24] = 30'h1245200c; rom1[24] = 27'h1953e0c; rom2[24] = 18'h04639;
        rom0[25] = 30'h125e8582; rom1[25] = 27'h197715b; rom2[25] = 18'h0469b;
        rom0[26] = 30'h12780e45; rom1[26] = 27'h199a7b9; rom2[26] = 18'h046fd;
        rom0[27] = 30'h1291ba86; rom1[27] = 27'h19be12a; rom2[27] = 18'h04760;
        rom0[28] = 30'h12ab8a77; rom1[28] = 27'h19e1db3; rom2[28] = 18'h047c3;
        rom0[29] = 30'h12c57e4a; rom1[29] = 27'h1a05d58; rom2[29] = 18'h04827;
        rom0[30] = 30'h12df9630; rom1[30] = 27'h1a2a01d; rom2[30] = 18'h0488b;
        rom0[31] = 30'h12f9d25b; rom1[31] = 27'h1a4e607; rom2[31] = 18'h048f0;
        rom0[32] = 30'h131432fe; rom1[32] = 27'h1a72f19; rom2[32] = 18'h04955;
        rom0[33] = 30'h132eb84c; rom1[33] = 27'h1a97b59; rom2[33] = 18'h049bb;
        rom0[34] = 30'h13496277; rom1[34] = 27'h1abcaca; rom2[34] = 18'h04a21;
        rom0[35] = 30'h136431b3; rom1[35] = 27'h1ae1d72; rom2[35] = 18'h04a89;
        rom0[36] = 30'h137f2634; rom1[36] = 27'h1b07354; rom2[36] = 18'h04af0;
        rom0[37] = 30'h139a402c; rom1[37] = 27'h1b2cc75; rom2[37] = 18'h04b58;
        rom0[38] = 30'h13b57fd0; rom1[38] = 27'h1b528da; rom2[38] = 18'h04bc1;
        rom0[39] = 30'h13d0e555; rom1[39] = 27'h1b78887; rom2[39] = 18'h04c2a;
        rom0[40] = 30'h13ec70f0; rom1[40] = 27'h1b9eb81; rom2[40] = 18'h04c94;
        rom0[41] = 30'h140822d4; rom1[41] = 27'h1bc51cc; rom2[41] = 18'h04cff;
        rom0[42] = 30'h1423fb38; rom1[42] = 27'h1bebb6d; rom2[42] = 18'h04d6a;
        rom0[43] = 30'h143ffa50; rom1[43] = 27'h1c12868; rom2[43] = 18'h04dd5;
        rom0[44] = 30'h145c2053; rom1[44] = 27'h1c398c3; rom2[44] = 18'h04e41;
        rom0[45] = 30'h14786d77; rom1[45] = 27'h1c60c81; rom2[45] = 18'h04eae;
        rom0[46] = 30'h1494e1f2; rom1[46] = 27'h1c883a8; rom2[46] = 18'h04f1c;
        rom0[47] = 30'h14b17dfb; rom1[47] = 27'h1cafe3d; rom2[47] = 18'h04f8a;
        rom0[48] = 30'h14ce41c9; rom1[48] = 27'h1cd7c43; rom2[48] = 18'h04ff8;
        rom0[49] = 30'h14eb2d92; rom1[49] = 27'h1cffdc1; rom2[49] = 18'h05067;
        rom0[50] = 30'h15084190; rom1[50] = 27'h1d282ba; rom2[50] = 18'h050d7;
        rom0[51] = 30'h15257df9; rom1[51] = 27'h1d50b33; rom2[51] = 18'h05147;
        rom0[52] = 30'h1542e305; rom1[52] = 27'h1d79733; rom2[52] = 18'h051b8;
        rom0[53] = 30'h156070ee; rom1[53] = 27'h1da26bc; rom2[53] = 18'h0522a;
        rom0[54] = 30'h157e27ec; rom1[54] = 27'h1dcb9d5; rom2[54] = 18'h0529c;
        rom0[55] = 30'h159c0839; rom1[55] = 27'h1df5081; rom2[55] = 18'h0530f;
        rom0[56] = 30'h15ba120c; rom1[56] = 27'h1e1eac7; rom2[56] = 18'h05383;
        rom0[57] = 30'h15d845a1; rom1[57] = 27'h1e488ac; rom2[57] = 18'h053f7;
        rom0[58] = 30'h15f6a331; rom1[58] = 27'h1e72a33; rom2[58] = 18'h0546b;
        rom0[59] = 30'h16152af7; rom1[59] = 27'h1e9cf62; rom2[59] = 18'h054e1;
        rom0[60] = 30'h1633dd2e; rom1[60] = 27'h1ec783f; rom2[60] = 18'h05557;
        rom0[61] = 30'h1652ba0f; rom1[61] = 27'h1ef24cf; rom2[61] = 18'h055cd;
        rom0[62] = 30'h1671c1d8; rom1[62] = 27'h1f1d516; rom2[62] = 18'h05645;
        rom0[63] = 30'h1690f4c2; rom1[63] = 27'h1f48919; rom2[63] = 18'h056bc;
        rom0[64] = 30'h16b0530b; rom1[64] = 27'h1f740df; rom2[64] = 18'h05735;
        rom0[65] = 30'h16cfdcee; rom1[65] = 27'h1f9fc6b; rom2[65] = 18'h057ae;
        rom0[66] = 30'h16ef92a9; rom1[66] = 27'h1fcbbc5; rom2[66] = 18'h05828;
        rom0[67] = 30'h170f7477; rom1[67] = 27'h1ff7eef; rom2[67] = 18'h058a3;
        rom0[68] = 30'h172f8297; rom1[68] = 27'h20245f1; rom2[68] = 18'h0591e;
        rom0[69] = 30'h174fbd46; rom1[69] = 27'h20510cf; rom2[69] = 18'h0599a;
        rom0[70] = 30'h177024c2; rom1[70] = 27'h207df8f; rom2[70] = 18'h05a16;
        rom0[71] = 30'h1790b949; rom1[71] = 27'h20ab236; rom2[71] = 18'h05a94;
        rom0[72] = 30'h17b17b1a; rom1[72] = 27'h20d88ca; rom2[72] = 18'h05b11;
        rom0[73] = 30'h17d26a73; rom1[73] = 27'h210634f; rom2[73] = 18'h05b90;
        rom0[74] = 30'h17f38795; rom1[74] = 27'h21341cc; rom2[74] = 18'h05c0f;
        rom0[75] = 30'h1814d2be; rom1[75] = 27'h2162446; rom2[75] = 18'h05c8f;
        rom0[76] = 30'h18364c2f; rom1[76] = 27'h2190ac3; rom2[76] = 18'h05d10;
        rom0[77] = 30'h1857f428; rom1[77] = 27'h21bf547; rom2[77] = 18'h05d91;
        rom0[78] = 30'h1879caea; rom1[78] = 27'h21ee3d9; rom2[78] = 18'h05e13;
        rom0[79] = 30'h189bd0b5; rom1[79] = 27'h221d67f; rom2[79] = 18'h05e96;
        rom0[80] = 30'h18be05cb; rom1[80] = 27'h224cd3e; rom2[80] = 18'h05f1a;
        rom0[81] = 30'h18e06a6f; rom1[81] = 27'h227c81b; rom2[81] = 18'h05f9e;
        rom0[82] = 30'h1902fee1; rom1[82] = 27'h22ac71d; rom2[82] = 18'h06023;
        rom0[83] = 30'h1925c364; rom1[83] = 27'h22dca49; rom2[83] = 18'h060a8;
        rom0[84] = 30'h1948b83c; rom1[84] = 27'h230d1a4; rom2[84] = 18'h0612f;
        rom0[85] = 30'h196bddab; rom1[85] = 27'h233dd36; rom2[85] = 18'h061b6;
        rom0[86] = 30'h198f33f5; rom1[86] = 27'h236ed03; rom2[86] = 18'h0623e;
        rom0[87] = 30'h19b2bb5e; rom1[87] = 27'h23a0112; rom2[87] = 18'h062c6;
        rom0[88] = 30'h19d6742a; rom1[88] = 27'h23d1968; rom2[88] = 18'h0634f;
        rom0[89] = 30'h19fa5e9e; rom1[89] = 27'h240360c; rom2[89] = 18'h063da;
        rom0[90] = 30'h1a1e7afe; rom1[90] = 27'h2435703; rom2[90] = 18'h06464;
        rom0[91] = 30'h1a42c991; rom1[91] = 27'h2467c54; rom2[91] = 18'h064f0;
        rom0[92] = 30'h1a674a9b; rom1[92] = 27'h249a603; rom2[92] = 18'h0657c;
        rom0[93] = 30'h1a8bfe64; rom1[93] = 27'h24cd419; rom2[93] = 18'h06609;
        rom0[94] = 30'h1ab0e532; rom1[94] = 27'h250069a; rom2[94] = 18'h06697;
        rom0[95] = 30'h1ad5ff4b; rom1[95] = 27'h2533d8d; rom2[95] = 18'h06726;
        rom0[96] = 30'h1afb4cf7; rom1[96] = 27'h25678f7; rom2[96] = 18'h067b5;
        rom0[97] = 30'h1b20ce7d; rom1[97] = 27'h259b8e0; rom2[97] = 18'h06845;
        rom0[98] = 30'h1b468426; rom1[98] = 27'h25cfd4d; rom2[98] = 18'h068d6;
        rom0[99] = 30'h1b6c6e3a; rom1[99] = 27'h2604645; rom2[99] = 18'h06968;
        rom0[100] = 30'h1b928d03; rom1[100] = 27'h26393ce; rom2[100] = 18'h069fa;
        rom0[101] = 30'h1bb8e0c8; rom1[101] = 27'h266e5ee; rom2[101] = 18'h06a8e;
        rom0[102] = 30'h1bdf69d4; rom1[102] = 27'h26a3cac; rom2[102] = 18'h06b22;
        rom0[103] = 30'h1c062872; rom1[103] = 27'h26d980e; rom2[103] = 18'h06bb7;
        rom0[104] = 30'h1c2d1cea; rom1[104] = 27'h270f81b; rom2[104] = 18'h06c4d;
        rom0[105] = 30'h1c544789; rom1[105] = 27'h2745cd9; rom2[105] = 18'h06ce3;
        rom0[106] = 30'h1c7ba89a; rom1[106] = 27'h277c64e; rom2[106] = 18'h06d7a;
        rom0[107] = 30'h1ca34068; rom1[107] = 27'h27b3482; rom2[107] = 18'h06e13;
        rom0[108] = 30'h1ccb0f3f; rom1[108] = 27'h27ea77a; rom2[108] = 18'h06eac;
        rom0[109] = 30'h1cf3156c; rom1[109] = 27'h2821f3e; rom2[109] = 18'h06f45;
        rom0[110] = 30'h1d1b533c; rom1[110] = 27'h2859bd3; rom2[110] = 18'h06fe0;
        rom0[111] = 30'h1d43c8fb; rom1[111] = 27'h2891d42; rom2[111] = 18'h0707c;
        rom0[112] = 30'h1d6c76f9; rom1[112] = 27'h28ca390; rom2[112] = 18'h07118;
        rom0[113] = 30'h1d955d83; rom1[113] = 27'h2902ec4; rom2[113] = 18'h071b5;
        rom0[114] = 30'h1dbe7ce7; rom1[114] = 27'h293bee5; rom2[114] = 18'h07253;
        rom0[115] = 30'h1de7d575; rom1[115] = 27'h29753fa; rom2[115] = 18'h072f2;
        rom0[116] = 30'h1e11677c; rom1[116] = 27'h29aee0a; rom2[116] = 18'h07392;
        rom0[117] = 30'h1e3b334c; rom1[117] = 27'h29e8d1c; rom2[117] = 18'h07433;
        rom0[118] = 30'h1e653935; rom1[118] = 27'h2a23136; rom2[118] = 18'h074d4;
        rom0[119] = 30'h1e8f7988; rom1[119] = 27'h2a5da60; rom2[119] = 18'h07577;
        rom0[120] = 30'h1eb9f497; rom1[120] = 27'h2a988a1; rom2[120] = 18'h0761a;
        rom0[121] = 30'h1ee4aab3; rom1[121] = 27'h2ad3bff; rom2[121] = 18'h076be;
        rom0[122] = 30'h1f0f9c2d; rom1[122] = 27'h2b0f483; rom2[122] = 18'h07763;
        rom0[123] = 30'h1f3ac959; rom1[123] = 27'h2b4b232; rom2[123] = 18'h07809;
        rom0[124] = 30'h1f66328a; rom1[124] = 27'h2b87515; rom2[124] = 18'h078b0;
        rom0[125] = 30'h1f91d813; rom1[125] = 27'h2bc3d32; rom2[125] = 18'h07958;
        rom0[126] = 30'h1fbdba47; rom1[126] = 27'h2c00a91; rom2[126] = 18'h07a00;
        rom0[127] = 30'h1fe9d97c; rom1[127] = 27'h2c3dd39; rom2[127] = 18'h07aaa;
    end

endmodule

`default_nettype wire
