// SPDX-License-Identifier: Apache-2.0
// Coefficients of 1/m, m in [1, 2): one quadratic for each segment, which
// rill_fp32_quadratic evaluates. Written by gen/numerics/tables/make_tables.c: do not edit.
//
// Registered read: c0, c1 and c2 belong to the index of one enabled clock before. c0 is unsigned, and c1 and c2 are
// two's complement.
`default_nettype none

module rill_fp32_recip_table (
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
        rom0[0] = 30'h1fe01ff1; rom1[0] = 27'h603f88e; rom2[0] = 18'h0fd07;
        rom0[1] = 30'h1fa11cba; rom1[1] = 27'h60bc966; rom2[1] = 18'h0f736;
        rom0[2] = 30'h1f6310bd; rom1[2] = 27'h6136c6d; rom2[2] = 18'h0f192;
        rom0[3] = 30'h1f25f655; rom1[3] = 27'h61ae304; rom2[3] = 18'h0ec1a;
        rom0[4] = 30'h1ee9c809; rom1[4] = 27'h6222e84; rom2[4] = 18'h0e6cc;
        rom0[5] = 30'h1eae808b; rom1[5] = 27'h6295034; rom2[5] = 18'h0e1a6;
        rom0[6] = 30'h1e741ab6; rom1[6] = 27'h6304952; rom2[6] = 18'h0dca7;
        rom0[7] = 30'h1e3a918a; rom1[7] = 27'h6371b0f; rom2[7] = 18'h0d7cd;
        rom0[8] = 30'h1e01e02f; rom1[8] = 27'h63dc692; rom2[8] = 18'h0d318;
        rom0[9] = 30'h1dca01ed; rom1[9] = 27'h6444cf6; rom2[9] = 18'h0ce86;
        rom0[10] = 30'h1d92f234; rom1[10] = 27'h64aaf4d; rom2[10] = 18'h0ca15;
        rom0[11] = 30'h1d5cac91; rom1[11] = 27'h650ee9f; rom2[11] = 18'h0c5c4;
        rom0[12] = 30'h1d272cb4; rom1[12] = 27'h6570bea; rom2[12] = 18'h0c193;
        rom0[13] = 30'h1cf26e6d; rom1[13] = 27'h65d0822; rom2[13] = 18'h0bd7f;
        rom0[14] = 30'h1cbe6da7; rom1[14] = 27'h662e436; rom2[14] = 18'h0b989;
        rom0[15] = 30'h1c8b266b; rom1[15] = 27'h668a10a; rom2[15] = 18'h0b5af;
        rom0[16] = 30'h1c5894e2; rom1[16] = 27'h66e3f79; rom2[16] = 18'h0b1f0;
        rom0[17] = 30'h1c26b54a; rom1[17] = 27'h673c05b; rom2[17] = 18'h0ae4c;
        rom0[18] = 30'h1bf583ff; rom1[18] = 27'h679247b; rom2[18] = 18'h0aac0;
        rom0[19] = 30'h1bc4fd76; rom1[19] = 27'h67e6ca2; rom2[19] = 18'h0a74d;
        rom0[20] = 30'h1b951e3c; rom1[20] = 27'h683998f; rom2[20] = 18'h0a3f2;
        rom0[21] = 30'h1b65e2f4; rom1[21] = 27'h688abfd; rom2[21] = 18'h0a0ad;
        rom0[22] = 30'h1b37485b; rom1[22] = 27'h68da49f; rom2[22] = 18'h09d7e;
        rom0[23] = 30'h1b094b42; rom1[23] = 27'h6928423; rom2[23] = 18'h09a65;
        rom0[24] = 30'h1adbe890; rom1[24] = 27'h6974b31; rom2[24] = 18'h09761;
        rom0[25] = 30'h1aaf1d40; rom1[25] = 27'h69bfa6b; rom2[25] = 18'h09470;
        rom0[26] = 30'h1a82e662; rom1[26] = 27'h6a0926f; rom2[26] = 18'h09193;
        rom0[27] = 30'h1a574118; rom1[27] = 27'h6a513d6; rom2[27] = 18'h08ec9;
        rom0[28] = 30'h1a2c2a98; rom1[28] = 27'h6a97f33; rom2[28] = 18'h08c11;
        rom0[29] = 30'h1a01a02b; rom1[29] = 27'h6add515; rom2[29] = 18'h0896a;
        rom0[30] = 30'h19d79f28; rom1[30] = 27'h6b21605; rom2[30] = 18'h086d4;
        rom0[31] = 30'h19ae24fb; rom1[31] = 27'h6b6428b; rom2[31] = 18'h0844f;
        rom0[32] = 30'h19852f1e; rom1[32] = 27'h6ba5b27; rom2[32] = 18'h081da;
        rom0[33] = 30'h195cbb1c; rom1[33] = 27'h6be6059; rom2[33] = 18'h07f74;
        rom0[34] = 30'h1934c690; rom1[34] = 27'h6c25299; rom2[34] = 18'h07d1e;
        rom0[35] = 30'h190d4f22; rom1[35] = 27'h6c6325e; rom2[35] = 18'h07ad6;
        rom0[36] = 30'h18e6528b; rom1[36] = 27'h6ca001c; rom2[36] = 18'h0789c;
        rom0[37] = 30'h18bfce91; rom1[37] = 27'h6cdbc40; rom2[37] = 18'h0766f;
        rom0[38] = 30'h1899c107; rom1[38] = 27'h6d16737; rom2[38] = 18'h07450;
        rom0[39] = 30'h187427cd; rom1[39] = 27'h6d50169; rom2[39] = 18'h0723e;
        rom0[40] = 30'h184f00d3; rom1[40] = 27'h6d88b3d; rom2[40] = 18'h07039;
        rom0[41] = 30'h182a4a12; rom1[41] = 27'h6dc0515; rom2[41] = 18'h06e3f;
        rom0[42] = 30'h18060191; rom1[42] = 27'h6df6f50; rom2[42] = 18'h06c51;
        rom0[43] = 30'h17e22562; rom1[43] = 27'h6e2ca4c; rom2[43] = 18'h06a6f;
        rom0[44] = 30'h17beb3a3; rom1[44] = 27'h6e61662; rom2[44] = 18'h06898;
        rom0[45] = 30'h179baa7c; rom1[45] = 27'h6e953eb; rom2[45] = 18'h066cc;
        rom0[46] = 30'h17790822; rom1[46] = 27'h6ec833b; rom2[46] = 18'h0650a;
        rom0[47] = 30'h1756cad3; rom1[47] = 27'h6efa4a5; rom2[47] = 18'h06352;
        rom0[48] = 30'h1734f0d6; rom1[48] = 27'h6f2b87b; rom2[48] = 18'h061a4;
        rom0[49] = 30'h1713787e; rom1[49] = 27'h6f5bf09; rom2[49] = 18'h06000;
        rom0[50] = 30'h16f26027; rom1[50] = 27'h6f8b89c; rom2[50] = 18'h05e66;
        rom0[51] = 30'h16d1a637; rom1[51] = 27'h6fba57d; rom2[51] = 18'h05cd4;
        rom0[52] = 30'h16b1491b; rom1[52] = 27'h6fe85f5; rom2[52] = 18'h05b4b;
        rom0[53] = 30'h1691474b; rom1[53] = 27'h7015a49; rom2[53] = 18'h059cb;
        rom0[54] = 30'h16719f47; rom1[54] = 27'h70422bd; rom2[54] = 18'h05853;
        rom0[55] = 30'h16524f96; rom1[55] = 27'h706df94; rom2[55] = 18'h056e4;
        rom0[56] = 30'h163356c9; rom1[56] = 27'h709910d; rom2[56] = 18'h0557c;
        rom0[57] = 30'h1614b379; rom1[57] = 27'h70c3768; rom2[57] = 18'h0541c;
        rom0[58] = 30'h15f66445; rom1[58] = 27'h70ed2e0; rom2[58] = 18'h052c3;
        rom0[59] = 30'h15d867d4; rom1[59] = 27'h71163b2; rom2[59] = 18'h05172;
        rom0[60] = 30'h15babcd7; rom1[60] = 27'h713ea17; rom2[60] = 18'h05028;
        rom0[61] = 30'h159d6202; rom1[61] = 27'h7166647; rom2[61] = 18'h04ee5;
        rom0[62] = 30'h15805612; rom1[62] = 27'h718d879; rom2[62] = 18'h04da8;
        rom0[63] = 30'h156397cb; rom1[63] = 27'h71b40e2; rom2[63] = 18'h04c73;
        rom0[64] = 30'h154725f7; rom1[64] = 27'h71d9fb6; rom2[64] = 18'h04b43;
        rom0[65] = 30'h152aff67; rom1[65] = 27'h71ff528; rom2[65] = 18'h04a1a;
        rom0[66] = 30'h150f22f2; rom1[66] = 27'h7224169; rom2[66] = 18'h048f7;
        rom0[67] = 30'h14f38f73; rom1[67] = 27'h72484a9; rom2[67] = 18'h047da;
        rom0[68] = 30'h14d843cf; rom1[68] = 27'h726bf17; rom2[68] = 18'h046c2;
        rom0[69] = 30'h14bd3eee; rom1[69] = 27'h728f0e0; rom2[69] = 18'h045b1;
        rom0[70] = 30'h14a27fbe; rom1[70] = 27'h72b1a31; rom2[70] = 18'h044a4;
        rom0[71] = 30'h14880533; rom1[71] = 27'h72d3b36; rom2[71] = 18'h0439d;
        rom0[72] = 30'h146dce45; rom1[72] = 27'h72f5418; rom2[72] = 18'h0429c;
        rom0[73] = 30'h1453d9f3; rom1[73] = 27'h7316500; rom2[73] = 18'h0419f;
        rom0[74] = 30'h143a2741; rom1[74] = 27'h7336e18; rom2[74] = 18'h040a7;
        rom0[75] = 30'h1420b537; rom1[75] = 27'h7356f86; rom2[75] = 18'h03fb5;
        rom0[76] = 30'h140782e2; rom1[76] = 27'h7376971; rom2[76] = 18'h03ec7;
        rom0[77] = 30'h13ee8f53; rom1[77] = 27'h7395bfd; rom2[77] = 18'h03ddd;
        rom0[78] = 30'h13d5d9a2; rom1[78] = 27'h73b4750; rom2[78] = 18'h03cf8;
        rom0[79] = 30'h13bd60ea; rom1[79] = 27'h73d2b8c; rom2[79] = 18'h03c18;
        rom0[80] = 30'h13a52449; rom1[80] = 27'h73f08d5; rom2[80] = 18'h03b3b;
        rom0[81] = 30'h138d22e4; rom1[81] = 27'h740df4d; rom2[81] = 18'h03a63;
        rom0[82] = 30'h13755be2; rom1[82] = 27'h742af14; rom2[82] = 18'h0398f;
        rom0[83] = 30'h135dce70; rom1[83] = 27'h744784c; rom2[83] = 18'h038bf;
        rom0[84] = 30'h134679bd; rom1[84] = 27'h7463b12; rom2[84] = 18'h037f3;
        rom0[85] = 30'h132f5cfe; rom1[85] = 27'h747f787; rom2[85] = 18'h0372b;
        rom0[86] = 30'h13187769; rom1[86] = 27'h749adc8; rom2[86] = 18'h03666;
        rom0[87] = 30'h1301c83b; rom1[87] = 27'h74b5df3; rom2[87] = 18'h035a5;
        rom0[88] = 30'h12eb4eb2; rom1[88] = 27'h74d0825; rom2[88] = 18'h034e8;
        rom0[89] = 30'h12d50a12; rom1[89] = 27'h74eac79; rom2[89] = 18'h0342e;
        rom0[90] = 30'h12bef99f; rom1[90] = 27'h7504b0b; rom2[90] = 18'h03377;
        rom0[91] = 30'h12a91ca3; rom1[91] = 27'h751e3f6; rom2[91] = 18'h032c4;
        rom0[92] = 30'h1293726c; rom1[92] = 27'h7537754; rom2[92] = 18'h03214;
        rom0[93] = 30'h127dfa49; rom1[93] = 27'h755053e; rom2[93] = 18'h03167;
        rom0[94] = 30'h1268b38d; rom1[94] = 27'h7568dce; rom2[94] = 18'h030bd;
        rom0[95] = 30'h12539d8f; rom1[95] = 27'h758111c; rom2[95] = 18'h03017;
        rom0[96] = 30'h123eb7a8; rom1[96] = 27'h7598f40; rom2[96] = 18'h02f73;
        rom0[97] = 30'h122a0133; rom1[97] = 27'h75b0852; rom2[97] = 18'h02ed2;
        rom0[98] = 30'h12157991; rom1[98] = 27'h75c7c67; rom2[98] = 18'h02e34;
        rom0[99] = 30'h12012022; rom1[99] = 27'h75deb98; rom2[99] = 18'h02d99;
        rom0[100] = 30'h11ecf44d; rom1[100] = 27'h75f55f9; rom2[100] = 18'h02d00;
        rom0[101] = 30'h11d8f578; rom1[101] = 27'h760bb9f; rom2[101] = 18'h02c6a;
        rom0[102] = 30'h11c5230d; rom1[102] = 27'h7621ca1; rom2[102] = 18'h02bd7;
        rom0[103] = 30'h11b17c78; rom1[103] = 27'h7637913; rom2[103] = 18'h02b46;
        rom0[104] = 30'h119e012a; rom1[104] = 27'h764d107; rom2[104] = 18'h02ab8;
        rom0[105] = 30'h118ab094; rom1[105] = 27'h7662493; rom2[105] = 18'h02a2c;
        rom0[106] = 30'h11778a2a; rom1[106] = 27'h76773c9; rom2[106] = 18'h029a2;
        rom0[107] = 30'h11648d61; rom1[107] = 27'h768bebd; rom2[107] = 18'h0291b;
        rom0[108] = 30'h1151b9b4; rom1[108] = 27'h76a0580; rom2[108] = 18'h02896;
        rom0[109] = 30'h113f0e9e; rom1[109] = 27'h76b4824; rom2[109] = 18'h02813;
        rom0[110] = 30'h112c8b9a; rom1[110] = 27'h76c86bc; rom2[110] = 18'h02793;
        rom0[111] = 30'h111a302a; rom1[111] = 27'h76dc158; rom2[111] = 18'h02714;
        rom0[112] = 30'h1107fbcf; rom1[112] = 27'h76ef80a; rom2[112] = 18'h02698;
        rom0[113] = 30'h10f5ee0b; rom1[113] = 27'h7702ae1; rom2[113] = 18'h0261e;
        rom0[114] = 30'h10e40666; rom1[114] = 27'h77159ef; rom2[114] = 18'h025a6;
        rom0[115] = 30'h10d24467; rom1[115] = 27'h7728543; rom2[115] = 18'h02530;
        rom0[116] = 30'h10c0a797; rom1[116] = 27'h773aced; rom2[116] = 18'h024bb;
        rom0[117] = 30'h10af2f83; rom1[117] = 27'h774d0fc; rom2[117] = 18'h02449;
        rom0[118] = 30'h109ddbb7; rom1[118] = 27'h775f17e; rom2[118] = 18'h023d8;
        rom0[119] = 30'h108cabc4; rom1[119] = 27'h7770e83; rom2[119] = 18'h02369;
        rom0[120] = 30'h107b9f3a; rom1[120] = 27'h7782819; rom2[120] = 18'h022fc;
        rom0[121] = 30'h106ab5ad; rom1[121] = 27'h7793e4e; rom2[121] = 18'h02291;
        rom0[122] = 30'h1059eeb1; rom1[122] = 27'h77a5130; rom2[122] = 18'h02228;
        rom0[123] = 30'h104949dd; rom1[123] = 27'h77b60cc; rom2[123] = 18'h021c0;
        rom0[124] = 30'h1038c6c8; rom1[124] = 27'h77c6d2f; rom2[124] = 18'h02159;
        rom0[125] = 30'h1028650d; rom1[125] = 27'h77d7667; rom2[125] = 18'h020f5;
        rom0[126] = 30'h10182447; rom1[126] = 27'h77e7c81; rom2[126] = 18'h02092;
        rom0[127] = 30'h10080413; rom1[127] = 27'h77f7f88; rom2[127] = 18'h02030;
    end

endmodule

`default_nettype wire
