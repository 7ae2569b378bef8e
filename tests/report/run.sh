#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests `rill report --html`: the page is well formed, loads nothing from outside, is the same on every run and shows
# every FIFO. Input that it cannot use is refused with a message, and nothing is written. See --help.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../verdict.sh"

case ${1:-} in
    "") ;;
    --help | -h) echo "usage: tests/report/run.sh"; exit 0 ;;
    *) echo "usage: tests/report/run.sh" >&2; exit 2 ;;
esac
work=$root/build/tests/report log=$root/build/tests/report.log
rm -rf "$work" && mkdir -p "$work"

# Checks that tags are properly nested, that cells name every FIFO of report.json, and that there are at least four
# graphs.
check_form() { # page, report.json
    python3 - "$1" "$2" <<'PY'
import html.parser, json, sys
VOID = {"meta", "input", "br"}
class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text = [], []
    def handle_starttag(self, tag, attrs):
        if tag not in VOID: self.open.append(tag)
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: sys.exit(f"</{tag}> in line {self.getpos()[0]} closes nothing")
    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "span"): self.text.append(data)
reader = Reader()
page = open(sys.argv[1], encoding="utf-8").read()
reader.feed(page)
reader.close()
if reader.open: sys.exit(f"<{reader.open[-1]}> is never closed")
missing = [f["name"] for f in json.load(open(sys.argv[2]))["fifos"] if f["name"] not in reader.text]
if missing: sys.exit(f"no FIFO {missing[0]}")
if page.count("<svg") < 4: sys.exit("graphs are missing")
PY
}

check_design() { # spec; makes three checks of its page
    local label page
    label=$(spec_name "$1")
    page=$work/$label.html
    if ! "$rill" gen "$1" -o "$work/$label" >"$log" 2>&1 ||
            ! "$rill" report "$work/$label" --html "$page" >"$log" 2>&1; then
        fail "page of $label" "$(reason)"
        return
    fi
    check "page of $label: well formed, with every FIFO" check_form "$page" "$work/$label/report.json"
    if grep -nE 'https?:|href=|src=|url\(|@import|<script|<link|<!--' "$page" >"$log"; then
        fail "page of $label alone" "$(head -n 1 "$log" | cut -c1-120)"
    else ok "page of $label needs nothing from outside"; fi
    "$rill" report "$work/$label" --html "$page.again" >"$log" 2>&1
    check "page of $label: the same bytes again" cmp "$page" "$page.again"
}

# Checks that every FIFO has a chart whose highest step is one word below the dashed line at its depth, as in the result
# of the imaginary simulation below.
check_fill() { # page, report.json
    python3 - "$1" "$2" <<'PY'
import json, re, sys
page, fifos = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))["fifos"]
charts = re.findall(r'class="fill measured".*?<title>at most (\d+) of (\d+) words</title>'
                    r'<path d="M0 24V24H80V([\d.]+)H160.*?<line x1="0" y1="3"', page)
want = [(f["depth"] - 1, f["depth"]) for f in fifos]
if [(int(most), int(depth)) for most, depth, _ in charts] != want:
    sys.exit(f"{len(charts)} charts of {len(want)} FIFOs")
for (most, depth), (_, _, y) in zip(want, charts):
    if abs(float(y) - (24 - 21 * most / depth)) > 0.01: sys.exit(f"a step at {y} for {most} of {depth} words")
if "cycles 0 to 4711,<br>the most in each 1571" not in page: sys.exit("no word of the time")
PY
}

# Checks the fills of FIFOs in the result of a real simulation: there are 128 to 256 windows, and the largest fill of a
# FIFO in a window is its high-water mark.
check_run() { # run.json
    python3 - "$1" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
windows = run["cycles"] // run["fill_window"] + 1
if not 128 <= windows <= 256: sys.exit(f"{windows} windows")
for name, f in run["fifos"].items():
    most = max(f["fill"], default=0)
    if most != f["high_water"]: sys.exit(f"{name}: {most} in the windows, {f['high_water']} at most")
    if f["fill"] and len(f["fill"]) != windows: sys.exit(f"{name}: {len(f['fill'])} windows of {windows}")
if not any(f["fill"] for f in run["fifos"].values()): sys.exit("no fills")
PY
}

refuse() { # label, message, command...: the command must print the message, exit with 1 and write no page
    local label=$1 message=$2 status=0
    shift 2
    rm -f "$work/refused.html"
    "$@" >"$log" 2>&1 || status=$?
    if [ $status != 1 ]; then fail "$label" "exit status $status instead of 1"
    elif [ -e "$work/refused.html" ]; then fail "$label" "a page was written"
    elif ! grep -q -- "$message" "$log"; then fail "$label" "no word of \`$message\`: $(reason)"
    else ok "$label"; fi
}

variant "$root"/tests/e2e/cases/odd/spec.yaml "$work"/odd-dies.yaml dies=3
variant "$root"/tests/e2e/cases/odd/spec.yaml "$work"/odd-groups.yaml on_chip_kib=14
specs=("$work"/odd-dies.yaml "$work"/odd-groups.yaml
    "$root"/configs/graph-linear.yaml "$root"/configs/tinystories-gpt2-1m.yaml "$root"/configs/gpt2-medium-u55c.yaml)
for spec in "${specs[@]}"; do queue_many 3 check_design "$spec"; done
queue check "page with groups shows the last one" grep -q 'group 10, [0-9.]* KiB' "$work/odd-groups.html"
queue check "page with groups compares the cuts" grep -q "StreamTensor's walk" "$work/odd-groups.html"

# Checks what the page of a language model says: the position and the cycles of the timeline, and a dashed edge back to
# each value that a region carries to its next repetition.
shown_model() {
    python3 - "$work/tinystories-gpt2-1m.html" "$work/tinystories-gpt2-1m/design.yaml" <<'PY'
import re, sys
page, design = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
context = int(re.search(r"^  context: (\d+)", design, re.M)[1])
said = re.search(r"One repetition of region layer at position (\d+), as the timing contracts forecast it: "
                 r"(\d+) cycles", page)
if not said: sys.exit("no sentence about the timeline")
if int(said[1]) != context // 2: sys.exit(f"position {said[1]} of {context}")
if not 1000 < int(said[2]) < 100000: sys.exit(f"{said[2]} cycles")
carries = len(re.findall(r"\{local: \w+, init: ", design))
if carries != 1: sys.exit(f"{carries} carries")
dashed = [edge for edge in re.findall(r'<path [^>]*stroke-dasharray="5,2"[^>]*>', page) if 'fill="none"' in edge]
if len(dashed) < carries: sys.exit(f"{len(dashed)} dashed edges")
PY
}
queue check "the page of a model: the timeline and what a region carries" shown_model

# Checks the text of every node in the three graphs of a small design: an operation's name and kind, a kernel's name and
# module, and in the graph of the binding the engine's name and its products.
nodes_of_graphs() {
    python3 - "$work/graph-linear.html" "$work/graph-linear/report.json" <<'PY'
import json, re, sys
page, report = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
node = r'<g [^>]*class="node"[^>]*>.*?</g>'
graphs = [sorted(tuple(re.findall(r"<text[^>]*>([^<]*)<", text)) for text in re.findall(node, svg, re.S))
          for svg in re.findall(r"<svg.*?</svg>", page, re.S)]
graphs = [nodes for nodes in graphs if nodes]
kernels = {(kernel["name"], kernel["module"]) for kernel in json.loads(report)["kernels"]}
operations = [("acc", "matmul"), ("wx", "dequantize"), ("x",), ("x_q", "quantize"), ("y", "add")]
served = [("engine", "acc"), ("x_q", "rill_quantize"), ("y", "rill_add")]
if len(graphs) != 3: sys.exit(f"{len(graphs)} graphs")
if graphs[0] != operations: sys.exit(f"operations: {graphs[0]}")
if graphs[1] != served: sys.exit(f"binding: {graphs[1]}")
if len(graphs[2]) < 5 or not set(graphs[2]) <= kernels: sys.exit(f"kernels: {graphs[2]}")
PY
}
queue check "the nodes of a page's graphs" nodes_of_graphs

# Checks that a kernel's int8 streams have their type in the graphs and in the list of types.
int8_label() {
    "$rill" gen "$root/tests/e2e/cases/kernels/spec.yaml" -o "$work/kernels" &&
        "$rill" report "$work/kernels" --html "$work/kernels.html" &&
        grep -q '>int8 45<' "$work/kernels.html" && "$rill" types "$root/tests/e2e/cases/kernels/spec.yaml" |
        grep -F 'itensor<1x8xi8, [6, tokens<=2]*[8, 1]'
}
queue check "streams of int8 are labelled" int8_label

# Checks the bits per weight of a spec with formats by name: one row per format, and as many bytes as the image has for
# weights.
weights_of() { # folder
    python3 - "$1" <<'PY'
import json, sys
report = json.load(open(sys.argv[1] + "/report.json"))
parts = json.load(open(sys.argv[1] + "/image/manifest.json"))["parts"]
rows = [(f["what"], f["format"]) for f in report["formats"]]
if rows != [("products", "int4"), ("products", "int8"), ("tables", "int8"), ("vectors", "fp32")]: sys.exit(f"{rows}")
stored = sum(f["stored_bits"] for f in report["formats"])
packed = 8 * sum(p["bytes"] for p in parts if p["segment"] not in ("image_header", "angles")) # angles are no weights
if stored != packed: sys.exit(f"{stored} bits by the report, {packed} in the image")
each = stored / sum(f["weights"] for f in report["formats"])
if abs(report["bits_per_weight"] - each) > 1e-3: sys.exit(f"{report['bits_per_weight']} for {each}")
PY
}
packed_bits() {
    local spec=$root/tests/e2e/cases/formats/spec.yaml
    "$rill" gen "$spec" -o "$work/formats" && "$rill" pack "$spec" --weights random:1 -o "$work/formats" &&
        weights_of "$work/formats"
}
queue check "bits per weight are those of the image" packed_bits
shown_bits() {
    "$rill" check "$root/tests/e2e/cases/formats/spec.yaml" >"$work/formats.txt" &&
        grep -Eq '^  products +int4 +39168 +44544 +9\.098 +4\.000 +1\.111 +3\.987$' "$work/formats.txt" &&
        grep -Eq '^  all +79992 +104960 ' "$work/formats.txt" &&
        "$rill" report "$work/formats" --html "$work/formats.html" &&
        grep -q '<td>products</td><td>int4</td><td class="n">39168</td><td class="n">44544</td><td class="n">9.098' \
            "$work/formats.html"
}
queue check "bits per weight in the text and on the page" shown_bits

# The next functions check how the delay model's record of a design is used: `rill gen` finds the record next to the
# spec and copies it to the folder, and the record is valid only for the RTL whose hash it has.
clock_of() { # folder, hash of the RTL (default: that of the folder): prints a record with a path of 4.5 ns
    local hash=${2:-$(sed -n 's/^ "rtl": "\([0-9a-f]*\)".*/\1/p' "$1/report.json")}
    echo "{\"name\": \"x\", \"rtl\": \"$hash\", \"parts\": ["
    echo '  {"where": "design", "paths": [{"ns": 4.5, "path": "a_q to <b_q>"}]}]}'
}
shown_clock() {
    local spec=$work/clocked.yaml dir=$work/clocked
    cp "$root/configs/graph-linear.yaml" "$spec" && clock_of "$work/graph-linear" >"$work/clocked.timing.json" &&
        "$rill" gen "$spec" -o "$dir" 2>"$work/clocked.said" &&
        cmp "$work/clocked.timing.json" "$dir/design.timing.json" &&
        grep -q 'warning: the design asks for 250 MHz, but by estimate the delay model supports only 222 MHz' \
            "$work/clocked.said" &&
        grep -q '^clock: the delay model supports 222 MHz' "$dir/report.txt" &&
        "$rill" check "$dir/design.yaml" 2>&1 | grep -q '    4.50 ns, design: a_q to <b_q>' &&
        "$rill" report "$dir" --html "$work/clocked.html" &&
        grep -q '<td class="n">4.50</td><td class="n">222</td><td>a_q to &lt;b_q&gt;</td>' "$work/clocked.html"
}
queue check "the clock of a record beside the spec" shown_clock
stale_clock() {
    clock_of "$work/clocked" 0123456789abcdef >"$work/stale.json" &&
        "$rill" report "$work/clocked" --html "$work/stale.html" --timing "$work/stale.json" &&
        grep -q 'Clock: stale: its record is of other RTL' "$work/stale.html" &&
        ! grep -q 'a_q to' "$work/stale.html"
}
queue check "a record of other RTL is stale" stale_clock
no_clock() { # `rill gen` without a record removes the record that an earlier run copied
    rm "$work/clocked.timing.json" && "$rill" gen "$work/clocked.yaml" -o "$work/clocked" &&
        [ ! -e "$work/clocked/design.timing.json" ] &&
        grep -q '^clock: not modelled; docs/clock.md says how to estimate it' "$work/clocked/report.txt"
}
queue check "a design without a record, where there was one" no_clock
queue refuse "no record" "cannot read\|No such file" "$rill" check "$work/clocked.yaml" --timing "$work/nowhere.json"
echo '{"name": "x"}' >"$work/no-record.json"
queue refuse "a record without its hash" "no-record.json:1:1: error: " "$rill" check "$work/clocked.yaml" --timing \
    "$work/no-record.json"
run_queue

design=$work/graph-linear
# Writes the result of an imaginary simulation: every FIFO holds one word less than its depth, in the second of three
# windows.
python3 - "$design/report.json" >"$work/run.json" <<'PY'
import json, sys
fifos = {f["name"]: {"depth": f["depth"], "high_water": f["depth"] - 1, "fill": [0, f["depth"] - 1, 0]}
         for f in json.load(open(sys.argv[1]))["fifos"]}
print(json.dumps({"cycles": 4711, "tokens_per_second": 12.5, "match": True, "fill_window": 1571, "fifos": fifos}))
PY
# Writes files that are not results of a simulation, or are incomplete. All must be refused.
python3 - "$work" <<'PY'
import copy, json, sys
run = json.load(open(sys.argv[1] + "/run.json"))
first = next(iter(run["fifos"]))
def write(name, change):
    other = copy.deepcopy(run)
    change(other, other["fifos"][first])
    json.dump(other, open(f"{sys.argv[1]}/odd-{name}.json", "w"))
write("no-cycles", lambda r, f: r.pop("cycles"))
write("negative-cycles", lambda r, f: r.update(cycles=-3))
write("text-for-a-rate", lambda r, f: r.update(tokens_per_second="<b>"))
write("match-in-words", lambda r, f: r.update(match="yes"))
write("no-high-water", lambda r, f: f.pop("high_water"))
write("negative-high-water", lambda r, f: f.update(high_water=-1))
write("fill-of-texts", lambda r, f: f.update(fill=["1"]))
write("negative-fill", lambda r, f: f.update(fill=[-1]))
write("fill-map", lambda r, f: f.update(fill={"a": 1}))
write("other-depth", lambda r, f: f.update(depth=f["depth"] + 1))
write("foreign-fifo", lambda r, f: r["fifos"].update(nowhere=f))
write("no-fifos", lambda r, f: r.pop("fifos"))
write("list-of-fifos", lambda r, f: r.update(fifos=[f]))
PY
echo '[1, 2]' >"$work/odd-list.json"
head -c 200 "$work/run.json" >"$work/odd-cut.json"
: >"$work/odd-empty.json"
mkdir -p "$work/odd-folder.json"
for run in "$work"/odd-*.json "$work/nowhere.json"; do
    label=$(basename "$run" .json)
    queue refuse "run: ${label#odd-}" "$label.json: error: " "$rill" report "$design" --html "$work/refused.html" \
        --sim "$run"
done
queue check "page with a simulation" "$rill" report "$design" --html "$work/run.html" --sim "$work/run.json"
queue check "page with a simulation shows it" grep -q 'measured<br>high water' "$work/run.html"
queue check "page with a simulation: every FIFO over the run, with its depth" check_fill "$work/run.html" \
    "$design/report.json"
prepare "$rill" report "$design" --html "$work/again.html" --sim "$work/run.json"
queue check "page with a simulation: the same bytes again" cmp "$work/run.html" "$work/again.html"
sed 's/"fill": \[[^]]*\]/"waits": 0/g' "$work/run.json" >"$work/bare.json"
queue check "page with a run without fills" "$rill" report "$design" --html "$work/bare.html" --sim "$work/bare.json"
# For a simulated run, the largest fill of a FIFO must equal its high-water mark.
prepare "$rill" pack "$root"/configs/graph-linear.yaml --weights random:1 -o "$design"
prepare "$rill" sim "$design" --quick-build --prompt rows --tokens 3 --json "$work/real.json"
queue check "simulated run: fills agree with high-water marks" check_run "$work/real.json"
queue check "page with the simulated run" "$rill" report "$design" --html "$work/real.html" --sim "$work/real.json"
queue refuse "run of another design" "the run is of another design\|no FIFOs of this design" \
    "$rill" report "$work/tinystories-gpt2-1m" --html "$work/refused.html" --sim "$work/run.json"
echo '{"fifos": ' >"$work/broken.json"
queue refuse "broken run" "broken.json" "$rill" report "$design" --html "$work/refused.html" --sim "$work/broken.json"
queue refuse "no design" "design.yaml" "$rill" report "$work" --html "$work/refused.html"
mkdir -p "$work/damaged" "$work/early"
sed '/^edges:/,$d' "$design/design.yaml" >"$work/damaged/design.yaml"
queue refuse "damaged design" "error:" "$rill" report "$work/damaged" --html "$work/refused.html"
"$rill" gen "$root"/configs/graph-linear.yaml -o "$work/early" --dump-after=size-fifos &&
    mv "$work/early/size-fifos.yaml" "$work/early/design.yaml"
queue refuse "unfinished design" "the design is not finished" "$rill" report "$work/early" --html "$work/refused.html"
mkdir -p "$work/empty" "$work/bare"
queue refuse "empty folder" "empty/design.yaml: error: cannot be read" "$rill" report "$work/empty" --html \
    "$work/refused.html"
queue refuse "empty folder: text" "empty contains no report; is this a folder that" "$rill" report "$work/empty"
: >"$work/bare/design.yaml"
queue refuse "empty design" "bare/design.yaml: error: " "$rill" report "$work/bare" --html "$work/refused.html"
queue refuse "a file for a folder" "is a file, no folder of a design" \
    "$rill" report "$design/design.yaml" --html "$work/refused.html"
queue refuse "a page that is a folder" "Is a directory" "$rill" report "$design" --html "$work/empty"
queue refuse "a page below a file" "Not a directory" "$rill" report "$design" --html "$design/design.yaml/page.html"
queue check_refused "a page without a name" 2 "needs a value" "$rill" report "$design" --html ""
queue refuse "a page with a slash behind it" "is not the name of a file" "$rill" report "$design" --html "$work/empty/"

# Checks that a page is written into an existing pipe or to the target of a link, instead of replacing them.
special_output() {
    mkfifo "$work/pipe" && { cat "$work/pipe" >"$work/piped.html" & } &&
        timeout 60 "$rill" report "$design" --html "$work/pipe" && wait $! &&
        [ -p "$work/pipe" ] && cmp "$work/piped.html" "$work/graph-linear.html" && echo old >"$work/linked.html" &&
        ln -s linked.html "$work/link.html" &&
        "$rill" report "$design" --html "$work/link.html" && [ -L "$work/link.html" ] &&
        cmp "$work/linked.html" "$work/graph-linear.html"
}
queue check "a pipe and a link are written, not replaced" special_output

# Checks a design whose name and path have characters that are special in HTML, JSON or the shell.
odd_place() {
    local dir="$work/a \"b\" <i>'c'&\$d"
    mkdir -p "$dir" && sed 's/^name: .*/name: <b>\&"x/' "$design/design.yaml" >"$dir/design.yaml" &&
        "$rill" report "$dir" --html "$dir/<page>.html" &&
        check_form "$dir/<page>.html" "$design/report.json" &&
        grep -q '<h1>&lt;b&gt;&amp;&quot;x</h1>' "$dir/<page>.html" &&
        "$rill" gen "$root"/configs/graph-linear.yaml -o "$dir/design" &&
        "$rill" report "$dir/design" --html "$dir/again.html" &&
        cmp "$dir/again.html" "$work/graph-linear.html"
}
queue check "names and places with marks of HTML and the shell" odd_place
queue refuse "no Graphviz" "graphviz" env PATH=/nonexistent "$rill" report "$design" --html "$work/refused.html"
run_queue
verdict
