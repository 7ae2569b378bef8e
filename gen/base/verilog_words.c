// SPDX-License-Identifier: Apache-2.0
// The words that hardware description languages reserve. Rill refuses custom kernels whose modules, parameters or ports
// have such names, and packages with such a name.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/verilog.h"

struct reserved {
    const char *language; // NULL after the last
    const char *words;    // in any order, with blanks between them
};

// The words of IEEE 1364-2005, the words that IEEE 1800-2017 adds, and the words of IEEE 1076-2008. VHDL ignores case
// in names, so its list also has the words that it shares with the others: `Begin` is a name in Verilog, but not in
// VHDL.
static const struct reserved all[] = {
    {"Verilog",
     "always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default defparam "
     "design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify "
     "endtable endtask event for force forever fork function generate genvar highz0 highz1 if ifnone incdir include "
     "initial inout input instance integer join large liblist library localparam macromodule medium module nand "
     "negedge nmos nor noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 "
     "pulldown pullup pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran "
     "rtranif0 rtranif1 scalared showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table "
     "task time tran tranif0 tranif1 tri tri0 tri1 triand trior trireg unsigned use uwire vectored wait wand weak0 "
     "weak1 while wire wor xnor xor"},
    {"SystemVerilog",
     "accept_on alias always_comb always_ff always_latch assert assume before bind bins binsof bit break byte chandle "
     "checker class clocking const constraint context continue cover covergroup coverpoint cross dist do endchecker "
     "endclass endclocking endgroup endinterface endpackage endprogram endproperty endsequence enum eventually expect "
     "export extends extern final first_match foreach forkjoin global iff ignore_bins illegal_bins implements implies "
     "import inside int interconnect interface intersect join_any join_none let local logic longint matches modport "
     "nettype new nexttime null package packed priority program property protected pure rand randc randcase "
     "randsequence ref reject_on restrict return s_always s_eventually s_nexttime s_until s_until_with sequence "
     "shortint shortreal soft solve static string strong struct super sync_accept_on sync_reject_on tagged this "
     "throughout timeprecision timeunit type typedef union unique unique0 until until_with untyped var virtual void "
     "wait_order weak wildcard with within"},
    {"VHDL",
     "abs access after alias all and architecture array assert assume assume_guarantee attribute begin block body "
     "buffer bus case component configuration constant context cover default disconnect downto else elsif end entity "
     "exit fairness file for force function generate generic group guarded if impure in inertial inout is label "
     "library linkage literal loop map mod nand new next nor not null of on open or others out package parameter port "
     "postponed procedure process property protected pure range record register reject release rem report restrict "
     "restrict_guarantee return rol ror select sequence severity shared signal sla sll sra srl strong subtype then to "
     "transport type unaffected units until use variable vmode vprop vunit wait when while with xnor xor"},
    {0}};

// Returns whether `word`, of `len` bytes, is in a list of words separated by blanks.
static bool is_in(const char *words, const char *word, size_t len) {
    for (const char *p = words; (p = strstr(p, word)); p += len)
        if ((p == words || p[-1] == ' ') && (p[len] == ' ' || !p[len])) return true;
    return false;
}

const char *verilog_reserved(const char *word, bool vhdl) {
    char low[64];
    size_t len = strlen(word);
    if (!len || len >= sizeof low) return NULL; // no reserved word is that long
    for (const struct reserved *r = all; r->language; r++) {
        bool folds = !strcmp(r->language, "VHDL"); // VHDL ignores case in names
        if (folds && !vhdl) continue;
        for (size_t i = 0; i <= len; i++) low[i] = folds ? (char)tolower((unsigned char)word[i]) : word[i];
        if (!strchr(low, ' ') && is_in(r->words, low, len)) return r->language;
    }
    return NULL;
}
