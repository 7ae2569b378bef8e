// SPDX-License-Identifier: Apache-2.0
// Coefficients of 1 - Phi(a), a in [0, 6): one quadratic for each segment, which
// rill_fp32_quadratic evaluates. Written by gen/numerics/tables/make_tables.c: do not edit.
//
// Registered read: c0, c1 and c2 belong to the index of one enabled clock before. c0 is unsigned, and c1 and c2 are
// two's complement.
`default_nettype none

module rill_fp32_tail_table (
    input  wire        clk,
    input  wire        en,
    input  wire [7:0]  index,
    output reg  [29:0] c0,
    output reg  [26:0] c1,
    output reg  [17:0] c2
);

    reg [29:0] rom0 [0:191];
    reg [26:0] rom1 [0:191];
    reg [17:0] rom2 [0:191];

    always @(posedge clk) begin
        if (en) begin
            c0 <= rom0[index];
            c1 <= rom1[index];
            c2 <= rom2[index];
        end
    end

    initial begin
        rom0[0] = 30'h0fccf00e; rom1[0] = 27'h4cf1743; rom2[0] = 18'h00662;
        rom0[1] = 30'h0f66dccd; rom1[1] = 27'h4cfe360; rom2[1] = 18'h01321;
        rom0[2] = 30'h0f00efca; rom1[2] = 27'h4d17b02; rom2[2] = 18'h01fd1;
        rom0[3] = 30'h0e9b4267; rom1[3] = 27'h4d3dcf8; rom2[3] = 18'h02c6a;
        rom0[4] = 30'h0e35edd3; rom1[4] = 27'h4d70779; rom2[4] = 18'h038e1;
        rom0[5] = 30'h0dd10afb; rom1[5] = 27'h4daf828; rom2[5] = 18'h0452e;
        rom0[6] = 30'h0d6cb279; rom1[6] = 27'h4dfac1a; rom2[6] = 18'h05148;
        rom0[7] = 30'h0d08fc80; rom1[7] = 27'h4e51fd0; rom2[7] = 18'h05d26;
        rom0[8] = 30'h0ca600c9; rom1[8] = 27'h4eb4f46; rom2[8] = 18'h068bf;
        rom0[9] = 30'h0c43d685; rom1[9] = 27'h4f235f2; rom2[9] = 18'h0740b;
        rom0[10] = 30'h0be2944d; rom1[10] = 27'h4f9cec9; rom2[10] = 18'h07f04;
        rom0[11] = 30'h0b825010; rom1[11] = 27'h502144b; rom2[11] = 18'h089a0;
        rom0[12] = 30'h0b231f05; rom1[12] = 27'h50b0081; rom2[12] = 18'h093d9;
        rom0[13] = 30'h0ac5159e; rom1[13] = 27'h5148d0d; rom2[13] = 18'h09daa;
        rom0[14] = 30'h0a68477b; rom1[14] = 27'h51eb329; rom2[14] = 18'h0a70b;
        rom0[15] = 30'h0a0cc75e; rom1[15] = 27'h5296bb8; rom2[15] = 18'h0aff7;
        rom0[16] = 30'h09b2a71e; rom1[16] = 27'h534af46; rom2[16] = 18'h0b86a;
        rom0[17] = 30'h0959f7a1; rom1[17] = 27'h5407616; rom2[17] = 18'h0c05f;
        rom0[18] = 30'h0902c8d0; rom1[18] = 27'h54cb828; rom2[18] = 18'h0c7d2;
        rom0[19] = 30'h08ad2990; rom1[19] = 27'h5596d44; rom2[19] = 18'h0cec0;
        rom0[20] = 30'h085927bd; rom1[20] = 27'h5668d03; rom2[20] = 18'h0d526;
        rom0[21] = 30'h0806d023; rom1[21] = 27'h5740ed5; rom2[21] = 18'h0db02;
        rom0[22] = 30'h07b62e79; rom1[22] = 27'h581ea0e; rom2[22] = 18'h0e052;
        rom0[23] = 30'h07674d61; rom1[23] = 27'h59015ee; rom2[23] = 18'h0e517;
        rom0[24] = 30'h071a3664; rom1[24] = 27'h59e89aa; rom2[24] = 18'h0e94e;
        rom0[25] = 30'h06cef1ef; rom1[25] = 27'h5ad3c75; rom2[25] = 18'h0ecf8;
        rom0[26] = 30'h06858757; rom1[26] = 27'h5bc2586; rom2[26] = 18'h0f017;
        rom0[27] = 30'h063dfcdb; rom1[27] = 27'h5cb3c27; rom2[27] = 18'h0f2ab;
        rom0[28] = 30'h05f857a1; rom1[28] = 27'h5da77b6; rom2[28] = 18'h0f4b5;
        rom0[29] = 30'h05b49bbf; rom1[29] = 27'h5e9cfb3; rom2[29] = 18'h0f638;
        rom0[30] = 30'h0572cc3b; rom1[30] = 27'h5f93bc2; rom2[30] = 18'h0f738;
        rom0[31] = 30'h0532eb16; rom1[31] = 27'h608b3b6; rom2[31] = 18'h0f7b6;
        rom0[32] = 30'h04f4f94b; rom1[32] = 27'h6182f99; rom2[32] = 18'h0f7b6;
        rom0[33] = 30'h04b8f6db; rom1[33] = 27'h627a7ab; rom2[33] = 18'h0f73c;
        rom0[34] = 30'h047ee2d4; rom1[34] = 27'h6371471; rom2[34] = 18'h0f64d;
        rom0[35] = 30'h0446bb57; rom1[35] = 27'h6466eb4; rom2[35] = 18'h0f4ec;
        rom0[36] = 30'h04107da4; rom1[36] = 27'h655af88; rom2[36] = 18'h0f320;
        rom0[37] = 30'h03dc2623; rom1[37] = 27'h664d050; rom2[37] = 18'h0f0ec;
        rom0[38] = 30'h03a9b06c; rom1[38] = 27'h673cac3; rom2[38] = 18'h0ee56;
        rom0[39] = 30'h03791754; rom1[39] = 27'h68298ed; rom2[39] = 18'h0eb63;
        rom0[40] = 30'h034a54f6; rom1[40] = 27'h6913532; rom2[40] = 18'h0e81a;
        rom0[41] = 30'h031d62c2; rom1[41] = 27'h69f9a53; rom2[41] = 18'h0e480;
        rom0[42] = 30'h02f23983; rom1[42] = 27'h6adc36c; rom2[42] = 18'h0e09a;
        rom0[43] = 30'h02c8d16d; rom1[43] = 27'h6bbabf8; rom2[43] = 18'h0dc6f;
        rom0[44] = 30'h02a1222d; rom1[44] = 27'h6c94fcf; rom2[44] = 18'h0d804;
        rom0[45] = 30'h027b22ed; rom1[45] = 27'h6d6ab29; rom2[45] = 18'h0d360;
        rom0[46] = 30'h0256ca65; rom1[46] = 27'h6e3ba9b; rom2[46] = 18'h0ce88;
        rom0[47] = 30'h02340ee7; rom1[47] = 27'h6f07b1a; rom2[47] = 18'h0c982;
        rom0[48] = 30'h0212e668; rom1[48] = 27'h6fce9f5; rom2[48] = 18'h0c454;
        rom0[49] = 30'h01f3468c; rom1[49] = 27'h70904d7; rom2[49] = 18'h0bf04;
        rom0[50] = 30'h01d524b4; rom1[50] = 27'h714c9c3; rom2[50] = 18'h0b996;
        rom0[51] = 30'h01b87606; rom1[51] = 27'h7203715; rom2[51] = 18'h0b411;
        rom0[52] = 30'h019d2f77; rom1[52] = 27'h72b4b7c; rom2[52] = 18'h0ae7a;
        rom0[53] = 30'h018345d9; rom1[53] = 27'h73605f9; rom2[53] = 18'h0a8d5;
        rom0[54] = 30'h016aade4; rom1[54] = 27'h74065da; rom2[54] = 18'h0a327;
        rom0[55] = 30'h01535c3b; rom1[55] = 27'h74a6aba; rom2[55] = 18'h09d75;
        rom0[56] = 30'h013d457c; rom1[56] = 27'h754147b; rom2[56] = 18'h097c3;
        rom0[57] = 30'h01285e45; rom1[57] = 27'h75d6343; rom2[57] = 18'h09216;
        rom0[58] = 30'h01149b3c; rom1[58] = 27'h7665779; rom2[58] = 18'h08c72;
        rom0[59] = 30'h0101f118; rom1[59] = 27'h76ef1be; rom2[59] = 18'h086d9;
        rom0[60] = 30'h00f054a7; rom1[60] = 27'h77732ef; rom2[60] = 18'h08150;
        rom0[61] = 30'h00dfbad9; rom1[61] = 27'h77f1c1c; rom2[61] = 18'h07bd9;
        rom0[62] = 30'h00d018be; rom1[62] = 27'h786ae84; rom2[62] = 18'h07677;
        rom0[63] = 30'h00c16396; rom1[63] = 27'h78deb94; rom2[63] = 18'h0712e;
        rom0[64] = 30'h00b390cd; rom1[64] = 27'h794d4e1; rom2[64] = 18'h06bff;
        rom0[65] = 30'h00a69607; rom1[65] = 27'h79b6c25; rom2[65] = 18'h066ed;
        rom0[66] = 30'h009a691f; rom1[66] = 27'h7a1b33b; rom2[66] = 18'h061fa;
        rom0[67] = 30'h008f0030; rom1[67] = 27'h7a7ac19; rom2[67] = 18'h05d27;
        rom0[68] = 30'h00845192; rom1[68] = 27'h7ad58d0; rom2[68] = 18'h05875;
        rom0[69] = 30'h007a53e2; rom1[69] = 27'h7b2bb85; rom2[69] = 18'h053e6;
        rom0[70] = 30'h0070fe05; rom1[70] = 27'h7b7d672; rom2[70] = 18'h04f7c;
        rom0[71] = 30'h00684724; rom1[71] = 27'h7bcabdb; rom2[71] = 18'h04b36;
        rom0[72] = 30'h006026b5; rom1[72] = 27'h7c13e14; rom2[72] = 18'h04716;
        rom0[73] = 30'h00589477; rom1[73] = 27'h7c58f77; rom2[73] = 18'h0431c;
        rom0[74] = 30'h00518876; rom1[74] = 27'h7c9a265; rom2[74] = 18'h03f47;
        rom0[75] = 30'h004afb08; rom1[75] = 27'h7cd7942; rom2[75] = 18'h03b99;
        rom0[76] = 30'h0044e4d2; rom1[76] = 27'h7d11672; rom2[76] = 18'h03812;
        rom0[77] = 30'h003f3ec5; rom1[77] = 27'h7d47c57; rom2[77] = 18'h034b0;
        rom0[78] = 30'h003a021d; rom1[78] = 27'h7d7ad4f; rom2[78] = 18'h03174;
        rom0[79] = 30'h00352863; rom1[79] = 27'h7daabb3; rom2[79] = 18'h02e5d;
        rom0[80] = 30'h0030ab68; rom1[80] = 27'h7dd79d3; rom2[80] = 18'h02b6c;
        rom0[81] = 30'h002c8549; rom1[81] = 27'h7e019f6; rom2[81] = 18'h0289e;
        rom0[82] = 30'h0028b06a; rom1[82] = 27'h7e28e59; rom2[82] = 18'h025f3;
        rom0[83] = 30'h00252777; rom1[83] = 27'h7e4d92c; rom2[83] = 18'h0236c;
        rom0[84] = 30'h0021e55f; rom1[84] = 27'h7e6fc90; rom2[84] = 18'h02106;
        rom0[85] = 30'h001ee557; rom1[85] = 27'h7e8fa9b; rom2[85] = 18'h01ec0;
        rom0[86] = 30'h001c22d4; rom1[86] = 27'h7ead551; rom2[86] = 18'h01c9b;
        rom0[87] = 30'h0019998a; rom1[87] = 27'h7ec8ea7; rom2[87] = 18'h01a94;
        rom0[88] = 30'h0017456d; rom1[88] = 27'h7ee2882; rom2[88] = 18'h018ab;
        rom0[89] = 30'h001522aa; rom1[89] = 27'h7efa4b3; rom2[89] = 18'h016df;
        rom0[90] = 30'h00132da8; rom1[90] = 27'h7f104ff; rom2[90] = 18'h0152e;
        rom0[91] = 30'h00116306; rom1[91] = 27'h7f24b14; rom2[91] = 18'h01398;
        rom0[92] = 30'h000fbf98; rom1[92] = 27'h7f37891; rom2[92] = 18'h0121b;
        rom0[93] = 30'h000e4063; rom1[93] = 27'h7f48f04; rom2[93] = 18'h010b6;
        rom0[94] = 30'h000ce29e; rom1[94] = 27'h7f58fe6; rom2[94] = 18'h00f69;
        rom0[95] = 30'h000ba3ae; rom1[95] = 27'h7f67ca2; rom2[95] = 18'h00e31;
        rom0[96] = 30'h000a8124; rom1[96] = 27'h7f75690; rom2[96] = 18'h00d0f;
        rom0[97] = 30'h000978ba; rom1[97] = 27'h7f81ef5; rom2[97] = 18'h00c00;
        rom0[98] = 30'h00088854; rom1[98] = 27'h7f8d709; rom2[98] = 18'h00b05;
        rom0[99] = 30'h0007adf9; rom1[99] = 27'h7f97ff1; rom2[99] = 18'h00a1b;
        rom0[100] = 30'h0006e7d6; rom1[100] = 27'h7fa1ac1; rom2[100] = 18'h00942;
        rom0[101] = 30'h00063438; rom1[101] = 27'h7faa880; rom2[101] = 18'h00878;
        rom0[102] = 30'h0005918d; rom1[102] = 27'h7fb2a25; rom2[102] = 18'h007be;
        rom0[103] = 30'h0004fe60; rom1[103] = 27'h7fba097; rom2[103] = 18'h00712;
        rom0[104] = 30'h00047959; rom1[104] = 27'h7fc0cb1; rom2[104] = 18'h00673;
        rom0[105] = 30'h0004013a; rom1[105] = 27'h7fc6f3f; rom2[105] = 18'h005e0;
        rom0[106] = 30'h000394dd; rom1[106] = 27'h7fcc900; rom2[106] = 18'h00559;
        rom0[107] = 30'h00033334; rom1[107] = 27'h7fd1aa7; rom2[107] = 18'h004dd;
        rom0[108] = 30'h0002db46; rom1[108] = 27'h7fd64db; rom2[108] = 18'h0046b;
        rom0[109] = 30'h00028c2f; rom1[109] = 27'h7fda837; rom2[109] = 18'h00402;
        rom0[110] = 30'h0002451d; rom1[110] = 27'h7fde54d; rom2[110] = 18'h003a2;
        rom0[111] = 30'h00020550; rom1[111] = 27'h7fe1ca4; rom2[111] = 18'h0034a;
        rom0[112] = 30'h0001cc19; rom1[112] = 27'h7fe4eb7; rom2[112] = 18'h002f9;
        rom0[113] = 30'h000198d5; rom1[113] = 27'h7fe7bfc; rom2[113] = 18'h002b0;
        rom0[114] = 30'h00016af1; rom1[114] = 27'h7fea4dc; rom2[114] = 18'h0026d;
        rom0[115] = 30'h000141e9; rom1[115] = 27'h7fec9bc; rom2[115] = 18'h00230;
        rom0[116] = 30'h00011d41; rom1[116] = 27'h7feeaf6; rom2[116] = 18'h001f8;
        rom0[117] = 30'h0000fc8a; rom1[117] = 27'h7ff08df; rom2[117] = 18'h001c6;
        rom0[118] = 30'h0000df5e; rom1[118] = 27'h7ff23c5; rom2[118] = 18'h00198;
        rom0[119] = 30'h0000c563; rom1[119] = 27'h7ff3bee; rom2[119] = 18'h0016e;
        rom0[120] = 30'h0000ae44; rom1[120] = 27'h7ff519c; rom2[120] = 18'h00148;
        rom0[121] = 30'h000099b7; rom1[121] = 27'h7ff650b; rom2[121] = 18'h00126;
        rom0[122] = 30'h00008776; rom1[122] = 27'h7ff7673; rom2[122] = 18'h00107;
        rom0[123] = 30'h00007744; rom1[123] = 27'h7ff8604; rom2[123] = 18'h000eb;
        rom0[124] = 30'h000068e8; rom1[124] = 27'h7ff93ed; rom2[124] = 18'h000d2;
        rom0[125] = 30'h00005c32; rom1[125] = 27'h7ffa058; rom2[125] = 18'h000bc;
        rom0[126] = 30'h000050f3; rom1[126] = 27'h7ffab6b; rom2[126] = 18'h000a7;
        rom0[127] = 30'h00004702; rom1[127] = 27'h7ffb549; rom2[127] = 18'h00095;
        rom0[128] = 30'h00003e3c; rom1[128] = 27'h7ffbe10; rom2[128] = 18'h00084;
        rom0[129] = 30'h0000367e; rom1[129] = 27'h7ffc5de; rom2[129] = 18'h00076;
        rom0[130] = 30'h00002fac; rom1[130] = 27'h7ffcccc; rom2[130] = 18'h00068;
        rom0[131] = 30'h000029aa; rom1[131] = 27'h7ffd2f2; rom2[131] = 18'h0005d;
        rom0[132] = 30'h00002462; rom1[132] = 27'h7ffd865; rom2[132] = 18'h00052;
        rom0[133] = 30'h00001fbe; rom1[133] = 27'h7ffdd38; rom2[133] = 18'h00049;
        rom0[134] = 30'h00001bab; rom1[134] = 27'h7ffe17c; rom2[134] = 18'h00040;
        rom0[135] = 30'h00001819; rom1[135] = 27'h7ffe541; rom2[135] = 18'h00039;
        rom0[136] = 30'h000014f8; rom1[136] = 27'h7ffe894; rom2[136] = 18'h00032;
        rom0[137] = 30'h0000123a; rom1[137] = 27'h7ffeb83; rom2[137] = 18'h0002c;
        rom0[138] = 30'h00000fd5; rom1[138] = 27'h7ffee18; rom2[138] = 18'h00027;
        rom0[139] = 30'h00000dbe; rom1[139] = 27'h7fff05e; rom2[139] = 18'h00022;
        rom0[140] = 30'h00000bea; rom1[140] = 27'h7fff25e; rom2[140] = 18'h0001e;
        rom0[141] = 30'h00000a53; rom1[141] = 27'h7fff41e; rom2[141] = 18'h0001a;
        rom0[142] = 30'h000008f0; rom1[142] = 27'h7fff5a8; rom2[142] = 18'h00017;
        rom0[143] = 30'h000007bc; rom1[143] = 27'h7fff701; rom2[143] = 18'h00014;
        rom0[144] = 30'h000006af; rom1[144] = 27'h7fff82f; rom2[144] = 18'h00012;
        rom0[145] = 30'h000005c6; rom1[145] = 27'h7fff938; rom2[145] = 18'h0000f;
        rom0[146] = 30'h000004fc; rom1[146] = 27'h7fffa1e; rom2[146] = 18'h0000d;
        rom0[147] = 30'h0000044d; rom1[147] = 27'h7fffae8; rom2[147] = 18'h0000c;
        rom0[148] = 30'h000003b5; rom1[148] = 27'h7fffb97; rom2[148] = 18'h0000a;
        rom0[149] = 30'h00000332; rom1[149] = 27'h7fffc30; rom2[149] = 18'h00009;
        rom0[150] = 30'h000002c0; rom1[150] = 27'h7fffcb5; rom2[150] = 18'h00008;
        rom0[151] = 30'h0000025e; rom1[151] = 27'h7fffd29; rom2[151] = 18'h00007;
        rom0[152] = 30'h0000020a; rom1[152] = 27'h7fffd8d; rom2[152] = 18'h00006;
        rom0[153] = 30'h000001c1; rom1[153] = 27'h7fffde4; rom2[153] = 18'h00005;
        rom0[154] = 30'h00000183; rom1[154] = 27'h7fffe2f; rom2[154] = 18'h00004;
        rom0[155] = 30'h0000014d; rom1[155] = 27'h7fffe71; rom2[155] = 18'h00004;
        rom0[156] = 30'h0000011e; rom1[156] = 27'h7fffea9; rom2[156] = 18'h00003;
        rom0[157] = 30'h000000f7; rom1[157] = 27'h7fffeda; rom2[157] = 18'h00003;
        rom0[158] = 30'h000000d5; rom1[158] = 27'h7ffff04; rom2[158] = 18'h00002;
        rom0[159] = 30'h000000b7; rom1[159] = 27'h7ffff28; rom2[159] = 18'h00002;
        rom0[160] = 30'h0000009e; rom1[160] = 27'h7ffff47; rom2[160] = 18'h00002;
        rom0[161] = 30'h00000089; rom1[161] = 27'h7ffff62; rom2[161] = 18'h00002;
        rom0[162] = 30'h00000077; rom1[162] = 27'h7ffff79; rom2[162] = 18'h00001;
        rom0[163] = 30'h00000067; rom1[163] = 27'h7ffff8d; rom2[163] = 18'h00001;
        rom0[164] = 30'h0000005a; rom1[164] = 27'h7ffff9e; rom2[164] = 18'h00001;
        rom0[165] = 30'h0000004f; rom1[165] = 27'h7ffffad; rom2[165] = 18'h00001;
        rom0[166] = 30'h00000045; rom1[166] = 27'h7ffffb9; rom2[166] = 18'h00001;
        rom0[167] = 30'h0000003d; rom1[167] = 27'h7ffffc4; rom2[167] = 18'h00001;
        rom0[168] = 30'h00000036; rom1[168] = 27'h7ffffcd; rom2[168] = 18'h00001;
        rom0[169] = 30'h00000030; rom1[169] = 27'h7ffffd5; rom2[169] = 18'h00000;
        rom0[170] = 30'h0000002b; rom1[170] = 27'h7ffffdb; rom2[170] = 18'h00000;
        rom0[171] = 30'h00000027; rom1[171] = 27'h7ffffe1; rom2[171] = 18'h00000;
        rom0[172] = 30'h00000023; rom1[172] = 27'h7ffffe6; rom2[172] = 18'h00000;
        rom0[173] = 30'h00000020; rom1[173] = 27'h7ffffea; rom2[173] = 18'h00000;
        rom0[174] = 30'h0000001e; rom1[174] = 27'h7ffffed; rom2[174] = 18'h00000;
        rom0[175] = 30'h0000001c; rom1[175] = 27'h7fffff0; rom2[175] = 18'h00000;
        rom0[176] = 30'h0000001a; rom1[176] = 27'h7fffff3; rom2[176] = 18'h00000;
        rom0[177] = 30'h00000018; rom1[177] = 27'h7fffff5; rom2[177] = 18'h00000;
        rom0[178] = 30'h00000017; rom1[178] = 27'h7fffff7; rom2[178] = 18'h00000;
        rom0[179] = 30'h00000016; rom1[179] = 27'h7fffff8; rom2[179] = 18'h00000;
        rom0[180] = 30'h00000015; rom1[180] = 27'h7fffff9; rom2[180] = 18'h00000;
        rom0[181] = 30'h00000014; rom1[181] = 27'h7fffffa; rom2[181] = 18'h00000;
        rom0[182] = 30'h00000014; rom1[182] = 27'h7fffffb; rom2[182] = 18'h00000;
        rom0[183] = 30'h00000013; rom1[183] = 27'h7fffffc; rom2[183] = 18'h00000;
        rom0[184] = 30'h00000013; rom1[184] = 27'h7fffffd; rom2[184] = 18'h00000;
        rom0[185] = 30'h00000012; rom1[185] = 27'h7fffffd; rom2[185] = 18'h00000;
        rom0[186] = 30'h00000012; rom1[186] = 27'h7fffffe; rom2[186] = 18'h00000;
        rom0[187] = 30'h00000012; rom1[187] = 27'h7fffffe; rom2[187] = 18'h00000;
        rom0[188] = 30'h00000012; rom1[188] = 27'h7fffffe; rom2[188] = 18'h00000;
        rom0[189] = 30'h00000011; rom1[189] = 27'h7ffffff; rom2[189] = 18'h00000;
        rom0[190] = 30'h00000011; rom1[190] = 27'h7ffffff; rom2[190] = 18'h00000;
        rom0[191] = 30'h00000011; rom1[191] = 27'h7ffffff; rom2[191] = 18'h00000;
    end

endmodule

`default_nettype wire
