// SPDX-License-Identifier: Apache-2.0
// Coefficients of ln(m) / (m - 1), m in [1, 3/2), then [3/4, 1): one quadratic for each segment, which
// rill_fp32_quadratic evaluates. Written by gen/numerics/tables/make_tables.c: do not edit.
//
// Registered read: c0, c1 and c2 belong to the index of one enabled clock before. c0 is unsigned, and c1 and c2 are
// two's complement.
`default_nettype none

module rill_fp32_ln_table (
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
        rom0[0] = 30'h0ff80562; rom1[0] = 27'h7015378; rom2[0] = 18'h05497;
        rom0[1] = 30'h0fe82fa6; rom1[1] = 27'h703f24e; rom2[1] = 18'h05320;
        rom0[2] = 30'h0fd8837a; rom1[2] = 27'h7068594; rom2[2] = 18'h051b3;
        rom0[3] = 30'h0fc90027; rom1[3] = 27'h7090d93; rom2[3] = 18'h0504e;
        rom0[4] = 30'h0fb9a4fc; rom1[4] = 27'h70b8a8f; rom2[4] = 18'h04ef2;
        rom0[5] = 30'h0faa714b; rom1[5] = 27'h70dfccd; rom2[5] = 18'h04d9e;
        rom0[6] = 30'h0f9b6468; rom1[6] = 27'h710648e; rom2[6] = 18'h04c53;
        rom0[7] = 30'h0f8c7db0; rom1[7] = 27'h712c211; rom2[7] = 18'h04b0f;
        rom0[8] = 30'h0f7dbc7f; rom1[8] = 27'h7151594; rom2[8] = 18'h049d3;
        rom0[9] = 30'h0f6f2038; rom1[9] = 27'h7175f53; rom2[9] = 18'h0489e;
        rom0[10] = 30'h0f60a840; rom1[10] = 27'h7199f87; rom2[10] = 18'h04770;
        rom0[11] = 30'h0f525401; rom1[11] = 27'h71bd669; rom2[11] = 18'h04649;
        rom0[12] = 30'h0f4422e6; rom1[12] = 27'h71e042f; rom2[12] = 18'h04529;
        rom0[13] = 30'h0f361460; rom1[13] = 27'h720290e; rom2[13] = 18'h0440f;
        rom0[14] = 30'h0f2827e2; rom1[14] = 27'h7224539; rom2[14] = 18'h042fc;
        rom0[15] = 30'h0f1a5ce2; rom1[15] = 27'h72458e2; rom2[15] = 18'h041ef;
        rom0[16] = 30'h0f0cb2da; rom1[16] = 27'h726643a; rom2[16] = 18'h040e8;
        rom0[17] = 30'h0eff2946; rom1[17] = 27'h728676f; rom2[17] = 18'h03fe6;
        rom0[18] = 30'h0ef1bfa6; rom1[18] = 27'h72a62af; rom2[18] = 18'h03eea;
        rom0[19] = 30'h0ee4757a; rom1[19] = 27'h72c5626; rom2[19] = 18'h03df4;
        rom0[20] = 30'h0ed74a49; rom1[20] = 27'h72e4200; rom2[20] = 18'h03d03;
        rom0[21] = 30'h0eca3d9a; rom1[21] = 27'h7302667; rom2[21] = 18'h03c17;
        rom0[22] = 30'h0ebd4ef7; rom1[22] = 27'h7320382; rom2[22] = 18'h03b30;
        rom0[23] = 30'h0eb07deb; rom1[23] = 27'h733d97a; rom2[23] = 18'h03a4e;
        rom0[24] = 30'h0ea3ca08; rom1[24] = 27'h735a876; rom2[24] = 18'h03971;
        rom0[25] = 30'h0e9732dd; rom1[25] = 27'h737709b; rom2[25] = 18'h03899;
        rom0[26] = 30'h0e8ab7fe; rom1[26] = 27'h739320c; rom2[26] = 18'h037c4;
        rom0[27] = 30'h0e7e5902; rom1[27] = 27'h73aecef; rom2[27] = 18'h036f5;
        rom0[28] = 30'h0e721580; rom1[28] = 27'h73ca164; rom2[28] = 18'h03629;
        rom0[29] = 30'h0e65ed13; rom1[29] = 27'h73e4f8f; rom2[29] = 18'h03562;
        rom0[30] = 30'h0e59df57; rom1[30] = 27'h73ff78f; rom2[30] = 18'h0349f;
        rom0[31] = 30'h0e4debeb; rom1[31] = 27'h7419985; rom2[31] = 18'h033df;
        rom0[32] = 30'h0e42126e; rom1[32] = 27'h743358f; rom2[32] = 18'h03324;
        rom0[33] = 30'h0e365283; rom1[33] = 27'h744cbcc; rom2[33] = 18'h0326c;
        rom0[34] = 30'h0e2aabcf; rom1[34] = 27'h7465c5a; rom2[34] = 18'h031b8;
        rom0[35] = 30'h0e1f1df6; rom1[35] = 27'h747e754; rom2[35] = 18'h03107;
        rom0[36] = 30'h0e13a8a2; rom1[36] = 27'h7496cd7; rom2[36] = 18'h0305a;
        rom0[37] = 30'h0e084b7a; rom1[37] = 27'h74aecfe; rom2[37] = 18'h02fb0;
        rom0[38] = 30'h0dfd062b; rom1[38] = 27'h74c67e4; rom2[38] = 18'h02f0a;
        rom0[39] = 30'h0df1d860; rom1[39] = 27'h74ddda3; rom2[39] = 18'h02e66;
        rom0[40] = 30'h0de6c1c9; rom1[40] = 27'h74f4e54; rom2[40] = 18'h02dc6;
        rom0[41] = 30'h0ddbc215; rom1[41] = 27'h750ba0f; rom2[41] = 18'h02d29;
        rom0[42] = 30'h0dd0d8f6; rom1[42] = 27'h75220ed; rom2[42] = 18'h02c8f;
        rom0[43] = 30'h0dc6061e; rom1[43] = 27'h7538305; rom2[43] = 18'h02bf8;
        rom0[44] = 30'h0dbb4942; rom1[44] = 27'h754e06e; rom2[44] = 18'h02b63;
        rom0[45] = 30'h0db0a218; rom1[45] = 27'h756393e; rom2[45] = 18'h02ad1;
        rom0[46] = 30'h0da61057; rom1[46] = 27'h7578d8b; rom2[46] = 18'h02a42;
        rom0[47] = 30'h0d9b93b6; rom1[47] = 27'h758dd6a; rom2[47] = 18'h029b6;
        rom0[48] = 30'h0d912bf1; rom1[48] = 27'h75a28f1; rom2[48] = 18'h0292c;
        rom0[49] = 30'h0d86d8c2; rom1[49] = 27'h75b7033; rom2[49] = 18'h028a5;
        rom0[50] = 30'h0d7c99e5; rom1[50] = 27'h75cb344; rom2[50] = 18'h02820;
        rom0[51] = 30'h0d726f19; rom1[51] = 27'h75df238; rom2[51] = 18'h0279d;
        rom0[52] = 30'h0d68581b; rom1[52] = 27'h75f2d21; rom2[52] = 18'h0271d;
        rom0[53] = 30'h0d5e54ab; rom1[53] = 27'h7606411; rom2[53] = 18'h0269f;
        rom0[54] = 30'h0d54648c; rom1[54] = 27'h761971c; rom2[54] = 18'h02624;
        rom0[55] = 30'h0d4a877e; rom1[55] = 27'h762c652; rom2[55] = 18'h025aa;
        rom0[56] = 30'h0d40bd46; rom1[56] = 27'h763f1c5; rom2[56] = 18'h02533;
        rom0[57] = 30'h0d3705a7; rom1[57] = 27'h7651985; rom2[57] = 18'h024be;
        rom0[58] = 30'h0d2d6067; rom1[58] = 27'h7663da3; rom2[58] = 18'h0244a;
        rom0[59] = 30'h0d23cd4c; rom1[59] = 27'h7675e2f; rom2[59] = 18'h023d9;
        rom0[60] = 30'h0d1a4c1d; rom1[60] = 27'h7687b39; rom2[60] = 18'h0236a;
        rom0[61] = 30'h0d10dca4; rom1[61] = 27'h76994cf; rom2[61] = 18'h022fc;
        rom0[62] = 30'h0d077ea9; rom1[62] = 27'h76aab02; rom2[62] = 18'h02291;
        rom0[63] = 30'h0cfe31f6; rom1[63] = 27'h76bbde0; rom2[63] = 18'h02227;
        rom0[64] = 30'h12638cc3; rom1[64] = 27'h745a4df; rom2[64] = 18'h02856;
        rom0[65] = 30'h1257f11e; rom1[65] = 27'h746e5b3; rom2[65] = 18'h027e0;
        rom0[66] = 30'h124c696a; rom1[66] = 27'h74822df; rom2[66] = 18'h0276c;
        rom0[67] = 30'h1240f56b; rom1[67] = 27'h7495c71; rom2[67] = 18'h026f9;
        rom0[68] = 30'h123594e8; rom1[68] = 27'h74a9279; rom2[68] = 18'h02689;
        rom0[69] = 30'h122a47ab; rom1[69] = 27'h74bc504; rom2[69] = 18'h0261a;
        rom0[70] = 30'h121f0d7a; rom1[70] = 27'h74cf422; rom2[70] = 18'h025ad;
        rom0[71] = 30'h1213e620; rom1[71] = 27'h74e1fe0; rom2[71] = 18'h02542;
        rom0[72] = 30'h1208d168; rom1[72] = 27'h74f484c; rom2[72] = 18'h024d9;
        rom0[73] = 30'h11fdcf1c; rom1[73] = 27'h7506d73; rom2[73] = 18'h02471;
        rom0[74] = 30'h11f2df08; rom1[74] = 27'h7518f63; rom2[74] = 18'h0240b;
        rom0[75] = 30'h11e800fa; rom1[75] = 27'h752ae27; rom2[75] = 18'h023a6;
        rom0[76] = 30'h11dd34c0; rom1[76] = 27'h753c9ce; rom2[76] = 18'h02343;
        rom0[77] = 30'h11d27a27; rom1[77] = 27'h754e263; rom2[77] = 18'h022e2;
        rom0[78] = 30'h11c7d0ff; rom1[78] = 27'h755f7f1; rom2[78] = 18'h02282;
        rom0[79] = 30'h11bd3918; rom1[79] = 27'h7570a86; rom2[79] = 18'h02223;
        rom0[80] = 30'h11b2b243; rom1[80] = 27'h7581a2d; rom2[80] = 18'h021c6;
        rom0[81] = 30'h11a83c51; rom1[81] = 27'h75926f1; rom2[81] = 18'h0216b;
        rom0[82] = 30'h119dd715; rom1[82] = 27'h75a30dc; rom2[82] = 18'h02110;
        rom0[83] = 30'h11938261; rom1[83] = 27'h75b37fb; rom2[83] = 18'h020b7;
        rom0[84] = 30'h11893e08; rom1[84] = 27'h75c3c58; rom2[84] = 18'h02060;
        rom0[85] = 30'h117f09e0; rom1[85] = 27'h75d3dfd; rom2[85] = 18'h0200a;
        rom0[86] = 30'h1174e5bc; rom1[86] = 27'h75e3cf5; rom2[86] = 18'h01fb5;
        rom0[87] = 30'h116ad173; rom1[87] = 27'h75f394a; rom2[87] = 18'h01f61;
        rom0[88] = 30'h1160ccda; rom1[88] = 27'h7603305; rom2[88] = 18'h01f0e;
        rom0[89] = 30'h1156d7c9; rom1[89] = 27'h7612a31; rom2[89] = 18'h01ebd;
        rom0[90] = 30'h114cf215; rom1[90] = 27'h7621ed7; rom2[90] = 18'h01e6d;
        rom0[91] = 30'h11431b99; rom1[91] = 27'h7631100; rom2[91] = 18'h01e1e;
        rom0[92] = 30'h1139542b; rom1[92] = 27'h76400b6; rom2[92] = 18'h01dd0;
        rom0[93] = 30'h112f9ba5; rom1[93] = 27'h764ee01; rom2[93] = 18'h01d83;
        rom0[94] = 30'h1125f1e1; rom1[94] = 27'h765d8eb; rom2[94] = 18'h01d37;
        rom0[95] = 30'h111c56b8; rom1[95] = 27'h766c17c; rom2[95] = 18'h01ced;
        rom0[96] = 30'h1112ca06; rom1[96] = 27'h767a7bc; rom2[96] = 18'h01ca3;
        rom0[97] = 30'h11094ba6; rom1[97] = 27'h7688bb5; rom2[97] = 18'h01c5b;
        rom0[98] = 30'h10ffdb73; rom1[98] = 27'h7696d6d; rom2[98] = 18'h01c13;
        rom0[99] = 30'h10f6794a; rom1[99] = 27'h76a4cee; rom2[99] = 18'h01bcd;
        rom0[100] = 30'h10ed2507; rom1[100] = 27'h76b2a3f; rom2[100] = 18'h01b87;
        rom0[101] = 30'h10e3de88; rom1[101] = 27'h76c0568; rom2[101] = 18'h01b43;
        rom0[102] = 30'h10daa5ab; rom1[102] = 27'h76cde71; rom2[102] = 18'h01aff;
        rom0[103] = 30'h10d17a4d; rom1[103] = 27'h76db560; rom2[103] = 18'h01abd;
        rom0[104] = 30'h10c85c4e; rom1[104] = 27'h76e8a3f; rom2[104] = 18'h01a7b;
        rom0[105] = 30'h10bf4b8c; rom1[105] = 27'h76f5d12; rom2[105] = 18'h01a3a;
        rom0[106] = 30'h10b647e8; rom1[106] = 27'h7702de3; rom2[106] = 18'h019fa;
        rom0[107] = 30'h10ad5140; rom1[107] = 27'h770fcb7; rom2[107] = 18'h019bb;
        rom0[108] = 30'h10a46776; rom1[108] = 27'h771c996; rom2[108] = 18'h0197d;
        rom0[109] = 30'h109b8a6b; rom1[109] = 27'h7729486; rom2[109] = 18'h0193f;
        rom0[110] = 30'h1092b9ff; rom1[110] = 27'h7735d8e; rom2[110] = 18'h01903;
        rom0[111] = 30'h1089f614; rom1[111] = 27'h77424b5; rom2[111] = 18'h018c7;
        rom0[112] = 30'h10813e8d; rom1[112] = 27'h774ea01; rom2[112] = 18'h0188c;
        rom0[113] = 30'h1078934c; rom1[113] = 27'h775ad77; rom2[113] = 18'h01852;
        rom0[114] = 30'h106ff434; rom1[114] = 27'h7766f1f; rom2[114] = 18'h01818;
        rom0[115] = 30'h10676128; rom1[115] = 27'h7772efe; rom2[115] = 18'h017e0;
        rom0[116] = 30'h105eda0c; rom1[116] = 27'h777ed1b; rom2[116] = 18'h017a8;
        rom0[117] = 30'h10565ec4; rom1[117] = 27'h778a97b; rom2[117] = 18'h01770;
        rom0[118] = 30'h104def34; rom1[118] = 27'h7796424; rom2[118] = 18'h0173a;
        rom0[119] = 30'h10458b41; rom1[119] = 27'h77a1d1b; rom2[119] = 18'h01704;
        rom0[120] = 30'h103d32d1; rom1[120] = 27'h77ad467; rom2[120] = 18'h016cf;
        rom0[121] = 30'h1034e5c7; rom1[121] = 27'h77b8a0c; rom2[121] = 18'h0169a;
        rom0[122] = 30'h102ca40b; rom1[122] = 27'h77c3e10; rom2[122] = 18'h01667;
        rom0[123] = 30'h10246d82; rom1[123] = 27'h77cf079; rom2[123] = 18'h01634;
        rom0[124] = 30'h101c4213; rom1[124] = 27'h77da14b; rom2[124] = 18'h01601;
        rom0[125] = 30'h101421a5; rom1[125] = 27'h77e508c; rom2[125] = 18'h015cf;
        rom0[126] = 30'h100c0c1e; rom1[126] = 27'h77efe41; rom2[126] = 18'h0159e;
        rom0[127] = 30'h10040166; rom1[127] = 27'h77faa6e; rom2[127] = 18'h0156d;
    end

endmodule

`default_nettype wire
