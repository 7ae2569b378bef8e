#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of Verilog that some front ends enforce and Icarus 11, Verilator 5.006 and Yosys 0.23 do not.

usage: verif/lint/strict.py [-I FOLDER]... FILE...

Each finding is a line FILE:LINE: RULE: what is wrong. Exit status: 0 no finding, 1 findings, 2 usage.

  declaration  a name is declared before it is used (1364-2005, 4.5; functions and instances excepted)
  reserved     no name is a reserved word of SystemVerilog or VHDL. The comparison is case-sensitive: names in capitals
               are parameters and constants, and nothing outside a design refers to them
  shared       no variable is assigned both in a clocked and in a combinational block
  macro        `ifdef asks for macros of the project only
  delay        no `timescale and no delay: docs/decisions/front-ends.md
"""
import pathlib
import re
import sys

MACROS = {"RILL_VENDOR_CELLS", "RILL_PUMP", "RILL_ASSERT", "RILL_FAST_SIM"}

SYSTEMVERILOG = """accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before
begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config
const constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do
edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule
endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect
export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0
highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside
instance int integer interconnect interface intersect join join_any join_none large let liblist library local localparam
logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not
notif0 notif1 null or output package packed parameter pmos posedge primitive priority program property protected pull0
pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime
ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime
s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify specparam static
string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this
throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique
unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1
while wildcard wire with within wor xnor xor"""

VHDL = """abs access after alias all and architecture array assert assume assume_guarantee attribute begin block body
buffer bus case component configuration constant context cover default disconnect downto else elsif end entity exit
fairness file for force function generate generic group guarded if impure in inertial inout is label library linkage
literal loop map mod nand new next nor not null of on open or others out package parameter port postponed procedure
process property protected pure range record register reject release rem report restrict restrict_guarantee return rol
ror select sequence severity shared signal sla sll sra srl strong subtype then to transport type unaffected units until
use variable vmode vprop vunit wait when while with xnor xor"""

VERILOG = set("""always and assign automatic begin buf case casex casez default defparam disable else end endcase
endfunction endgenerate endmodule endtask for force forever fork function generate genvar if initial inout input integer
join localparam module nand negedge nor not or output parameter posedge real realtime reg release repeat signed task
time tri unsigned wait wand while wire wor xnor xor""".split())
NETS = {"wire", "tri", "wand", "wor", "reg", "integer", "genvar", "real", "time", "parameter", "localparam", "input",
        "output", "inout"}
RESERVED = set(SYSTEMVERILOG.split())
RESERVED_VHDL = set(VHDL.split())

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<attribute>\(\*(?!\s*\)).*?\*\))
  | (?P<directive>`\w+[^\n]*)
  | (?P<number>(?:\d[\d_]*\s*)?'[sS]?[bodhBODH]\s*[0-9a-fA-FxXzZ?_]+|\d[\d_]*(?:\.\d+)?)
  | (?P<name>\\\S+|[A-Za-z_$][\w$]*)
  | (?P<symbol><=|>=|==|!=|&&|\|\||[^\s\w])
""", re.X | re.S)
MACRO_USE = re.compile(r"`(ifdef|ifndef|elsif)\s+(\w+)")


class Token:
    __slots__ = ("kind", "text", "line", "file")

    def __init__(self, kind, text, line, file):
        self.kind, self.text, self.line, self.file = kind, text, line, file


class Scope:
    """A module, a named block or a function. It maps names to the index of the token that declares them."""

    def __init__(self, parent):
        self.parent, self.names = parent, {}

    def find(self, name):
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


def tokens_of(path, folders, report):
    """Returns the tokens of a file and its includes, with all branches of `ifdef, because the rules hold for every
    configuration. Reports findings of the rules about directives (macro, delay, missing includes), but only those in
    the file itself."""
    text = path.read_text()
    tokens, line, at = [], 1, 0
    for found in TOKEN.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        kind, word = found.lastgroup, found.group()
        if kind == "directive":
            use = MACRO_USE.match(word)
            if use and use.group(2) not in MACROS:
                report(path, line, "macro", f"`{use.group(1)} {use.group(2)} is no macro of the project's: "
                       + ", ".join(sorted(MACROS)))
            if word.startswith("`timescale"):
                report(path, line, "delay", "RTL has no `timescale: it has no delays")
            if word.startswith("`include"):
                name = re.search(r'"([^"]+)"', word).group(1)
                header = next((f / name for f in [path.parent, *folders] if (f / name).exists()), None)
                if header is None:
                    report(path, line, "declaration", f"{name} is in none of the folders of -I")
                else:
                    tokens += tokens_of(header, folders, lambda *_: None)
        elif kind not in ("comment", "attribute"):
            tokens.append(Token(kind, word, line, path))
    return tokens


class Reader:
    """Checks the tokens of one file. collect() must run first, because uses() needs the scopes that it fills."""

    def __init__(self, tokens, report):
        self.tokens, self.report = tokens, report
        self.scopes = {}          # index of the token that opens a scope -> Scope
        self.said = set()         # (file, rule, message) of all reports, because each is reported once

    def text(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def is_name(self, i):
        return 0 <= i < len(self.tokens) and self.tokens[i].kind == "name" and self.tokens[i].text not in VERILOG \
            and not self.tokens[i].text.startswith("$")

    def say(self, i, rule, what):
        token = self.tokens[i]
        if (token.file, rule, what) not in self.said:
            self.said.add((token.file, rule, what))
            self.report(token.file, token.line, rule, what)

    # ---- declarations ----

    def skip(self, i, opening="([{", closing=")]}"):
        """Returns the index after the bracket that closes the bracket at i."""
        depth = 0
        while i < len(self.tokens):
            depth += self.text(i) in opening
            depth -= self.text(i) in closing
            i += 1
            if depth == 0:
                break
        return i

    def declared(self, i, in_ports):
        """Yields the index of each name that the declaration at i declares. In a list of ports, the declaration ends at
        the next direction or type."""
        expect, i = True, i + 1
        while i < len(self.tokens):
            word = self.text(i)
            if word in "([{" and word:
                i = self.skip(i)
                continue
            if word == ";" or (in_ports and (word == ")" or word in NETS and self.text(i - 1) == ",")):
                return
            if word == ",":
                expect = True
            elif expect and self.is_name(i):
                yield i
                expect = False
            i += 1

    def declare(self, scope, i):
        name = self.text(i)
        if name in RESERVED:
            self.say(i, "reserved", f"`{name}` is a reserved word of SystemVerilog")
        elif name in RESERVED_VHDL:
            self.say(i, "reserved", f"`{name}` is a reserved word of VHDL")
        scope.names.setdefault(name, i)

    def collect(self):
        scope, stack = None, []       # stack: (closing word of an open block, scope outside of the block)
        i = 0
        while i < len(self.tokens):
            word = self.text(i)
            if word == "module":
                stack.append(("endmodule", scope))
                scope = self.scopes[i] = Scope(scope)
                self.check_word(i + 1)
            elif word in ("function", "task"):
                name = i + 1
                while self.text(name) not in (";", "(") and not (self.is_name(name) and self.text(name + 1) in ";("):
                    name = self.skip(name) if self.text(name) in "[" else name + 1
                self.declare(scope, name)
                stack.append(("end" + word, scope))
                scope = self.scopes[i] = Scope(scope)
                scope.names[self.text(name)] = -1   # inside a function, its name is a variable without a declaration
            elif word == "begin":
                stack.append(("end", scope))
                if self.text(i + 1) == ":":
                    self.check_word(i + 2)
                    scope.names.setdefault(self.text(i + 2), -1)
                    scope = self.scopes[i] = Scope(scope)
            elif word in ("case", "casez", "casex"):
                stack.append(("endcase", scope))
            elif stack and word == stack[-1][0]:
                scope = stack.pop()[1]
            elif word in NETS and scope is not None:
                in_ports = self.depth_before(i) > 0
                if self.text(i - 1) not in NETS | {"signed"}:
                    for name in self.declared(i, in_ports):
                        self.declare(scope, name)
            elif self.is_name(i) and scope is not None:
                self.instance(scope, i)
            i += 1

    def depth_before(self, i):
        """Returns the number of brackets that are open at i. The numbers of all tokens are computed at the first
        call."""
        if not hasattr(self, "depths"):
            self.depths, depth = [], 0
            for token in self.tokens:
                self.depths.append(depth)
                depth += token.text in ("(", "[", "{")
                depth -= token.text in (")", "]", "}")
        return self.depths[i]

    def check_word(self, i):
        """Checks only that the name at i is not reserved."""
        self.declare(Scope(None), i)

    def instance(self, scope, i):
        """If an instance begins at i, `module #(...) name (`, notes both names with index -1, because they may be used
        before."""
        j = i + 1
        if self.text(j) == "#" and self.text(j + 1) == "(":
            j = self.skip(j + 1)
        elif not self.is_name(j) or self.text(i - 1) not in (";", "end", "begin", ")", "else", "endgenerate") \
                and self.tokens[i - 1].text not in VERILOG and not self.is_name(i - 1):
            return
        if self.is_name(j) and self.text(j + 1) in ("(", "[") and self.depth_before(i) == 0:
            self.check_word(j)
            scope.names.setdefault(self.text(j), -1)
            scope.names.setdefault(self.text(i), -1)

    # ---- uses ----

    def uses(self):
        scope, stack = None, []
        block = None                             # (kind, index of the end) of the latest always block
        self.assigned = {}                       # index of a declaration -> {kind of block: index of an assignment}
        i = 0
        while i < len(self.tokens):
            word = self.text(i)
            if i in self.scopes:
                closing = {"module": "endmodule", "function": "endfunction", "task": "endtask"}.get(word, "end")
                stack.append((closing, scope))
                scope = self.scopes[i]
            elif word == "begin":
                stack.append(("end", scope))
            elif word in ("case", "casez", "casex"):
                stack.append(("endcase", scope))
            elif stack and word == stack[-1][0]:
                scope = stack.pop()[1]
            elif word == "always":
                clocked, end = self.block_of(i)
                block = ("clocked" if clocked else "combinational", end)
            elif self.is_name(i) and scope is not None:
                self.use(scope, i)
                if block and i < block[1]:
                    self.assign(scope, i, block[0])
            i += 1

    def use(self, scope, i):
        """Reports the name at i if its declaration comes later. Names of ports, of named blocks and of `macros are
        skipped."""
        before = self.text(i - 1)
        if before in (".", "`", "\\") or before == "#" or (before == ":" and self.text(i - 2) == "begin"):
            return
        place = scope.find(self.text(i))
        if place is not None and place > i and not self.is_function(place):
            self.say(i, "declaration", f"`{self.text(i)}` is used before its declaration in line "
                     f"{self.tokens[place].line}")

    def is_function(self, place):
        """Returns whether the declaration at place is that of a function or task."""
        i = place - 1
        while i > 0 and self.text(i) not in (";", "end", "endfunction", "endtask", "endgenerate"):
            if self.text(i) in ("function", "task"):
                return True
            i -= 1
        return False

    def block_of(self, i):
        """Returns whether the always block at i is clocked, and the index at which its statement ends."""
        clocked, j = False, i + 1
        if self.text(j) == "@":
            j += 1
            if self.text(j) == "(":
                end = self.skip(j)
                clocked = any(self.text(k) in ("posedge", "negedge") for k in range(j, end))
                j = end
            else:
                j += 1
        return clocked, self.statement_end(j)

    def statement_end(self, j):
        """Returns the index after the statement that begins at j."""
        word = self.text(j)
        if word == "begin":
            depth = 0
            while j < len(self.tokens):
                depth += self.text(j) in ("begin", "case", "casez", "casex")
                depth -= self.text(j) in ("end", "endcase")
                j += 1
                if depth == 0:
                    return j
        if word in ("case", "casez", "casex"):
            depth = 0
            while j < len(self.tokens):
                depth += self.text(j) in ("case", "casez", "casex")
                depth -= self.text(j) == "endcase"
                j += 1
                if depth == 0:
                    return j
        if word in ("if", "for", "while", "repeat"):
            end = self.statement_end(self.skip(j + 1))
            while word == "if" and self.text(end) == "else":
                end = self.statement_end(end + 1)
            return end
        while j < len(self.tokens) and self.text(j) != ";":
            j = self.skip(j) if self.text(j) in ("(", "[", "{") else j + 1
        return j + 1

    def assign(self, scope, i, kind):
        """Records an assignment if the name at i is its target, also in the head of a loop. Reports a variable that
        both kinds of block assign."""
        starts = self.text(i - 1) in (";", "begin", "end", ")", "else", ":", "endcase") \
            or (self.text(i - 1) == "(" and self.text(i - 2) == "for")
        if not starts:
            return
        j = i + 1
        while self.text(j) == "[":
            j = self.skip(j)
        place = scope.find(self.text(i))
        if self.text(j) not in ("=", "<=") or place is None or place < 0:
            return
        kinds = self.assigned.setdefault(place, {})
        kinds.setdefault(kind, i)
        if len(kinds) == 2:
            self.say(i, "shared", f"`{self.text(i)}` is assigned in a clocked and in a combinational block")

    def delays(self):
        """Reports each `#` that does not begin a list of parameters."""
        for i, token in enumerate(self.tokens):
            if token.text == "#" and self.text(i + 1) != "(" and token.kind == "symbol":
                self.say(i, "delay", "RTL has no delays")


def main(arguments):
    folders, files, findings = [], [], []
    while arguments:
        word = arguments.pop(0)
        if word == "-I" and arguments:
            folders.append(pathlib.Path(arguments.pop(0)))
        elif word.startswith("-"):
            print(__doc__, file=sys.stderr if word not in ("-h", "--help") else sys.stdout)
            return 2 if word not in ("-h", "--help") else 0
        else:
            files.append(pathlib.Path(word))
    if not files:
        print(__doc__, file=sys.stderr)
        return 2

    def report(path, line, rule, what):
        findings.append(f"{path}:{line}: {rule}: {what}")

    for path in files:
        reader = Reader(tokens_of(path, folders, report), report)
        reader.collect()
        reader.uses()
        reader.delays()
    for line in findings:
        print(line)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
